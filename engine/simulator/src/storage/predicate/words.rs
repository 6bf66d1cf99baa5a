//! SIREAD locks and conflicts in words.

use super::sxact::SxactId;
use super::target::Target;
use super::{Instance, RelationData};
use crate::storage::Buffer;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::BlockNumber;

impl Instance {
    /// A lock is taken.
    pub(super) fn tell_lock(&mut self, rel: &RelationData, target: Target) {
        let about = page_of(rel, target);
        self.trace.tell_why(about, || {
            let facts = Vec::from([
                "It keeps nobody from anything. But a write there by another SERIALIZABLE transaction is a conflict: this one has to come before it.".to_string(),
            ]);
            (format!("SIREAD lock on {}, since it is read", words(rel, target)), facts)
        });
    }

    /// Many locks become one.
    pub(super) fn tell_promotion(&mut self, rel: &RelationData, coarser: Target) {
        let about = page_of(rel, coarser);
        let most = coarser.max_child_locks(self.settings.predicate_locks);
        self.trace.tell(about, || {
            let (parameter, what) = match coarser {
                Target::Relation(_) => ("max_pred_locks_per_relation", "rows and blocks of it"),
                Target::Page(..) | Target::Tuple(..) => ("max_pred_locks_per_page", "rows of it"),
            };
            format!(
                "more than {most} SIREAD locks on {what} ({parameter}): one on {} takes their place",
                words(rel, coarser)
            )
        });
    }

    /// A leaf that somebody has locked is split, or leaves the tree.
    pub(super) fn tell_split_locks(&mut self, rel: &RelationData, old: BlockNumber, new: BlockNumber) {
        self.trace.tell(Some(Buffer::main(rel.file, new)), || {
            format!("whoever has a SIREAD lock on block {old} of {} has one on block {new} too", rel.name)
        });
    }

    /// Two transactions conflict.
    pub(super) fn tell_conflict(&mut self, reader: SxactId, writer: SxactId) {
        if !self.trace.on {
            return;
        }
        let [reader, writer] = [reader, writer].map(|id| self.session_of(id));
        self.trace.tell(None, || {
            format!(
                "read-write conflict: session {reader} does not see what session {writer} writes, so its transaction has to come first"
            )
        });
    }

    /// A transaction has to fail.
    pub(super) fn tell_failure(&mut self, id: SxactId) {
        if !self.trace.on {
            return;
        }
        let (session, is_own) = (self.session_of(id), self.my_sxact() == Some(id));
        self.trace.tell_why(None, || {
            let when = if is_own { "It fails now." } else { "It fails at what it next reads or writes, or at COMMIT." };
            let facts = Vec::from([
                "Two conflicts follow one another, and the transaction that would have to come last commits first: no order of the three would explain what they have read.".to_string(),
                when.to_string(),
            ]);
            (format!("the transaction of session {session} has to fail"), facts)
        });
    }

    /// A transaction that reads only needs no locks.
    pub(super) fn tell_safe(&mut self) {
        self.trace.tell(None, || {
            "the snapshot is safe: nothing that others do can make what this READ ONLY transaction reads wrong, so it takes no SIREAD locks"
                .to_string()
        });
    }

    fn session_of(&self, id: SxactId) -> String {
        self.backends[self.predicate.xact(id).session].name.clone()
    }
}

fn page_of(rel: &RelationData, target: Target) -> Option<Buffer> {
    match target {
        Target::Relation(_) => None,
        Target::Page(_, block) => Some(Buffer::main(rel.file, block)),
        Target::Tuple(_, tid) => Some(Buffer::main(rel.file, tid.block)),
    }
}

fn words(rel: &RelationData, target: Target) -> String {
    let name = &rel.name;
    match target {
        Target::Relation(_) => format!("the whole of {name}"),
        Target::Page(_, block) => format!("block {block} of {name}"),
        Target::Tuple(_, tid) => format!("row version {tid} of {name}"),
    }
}
