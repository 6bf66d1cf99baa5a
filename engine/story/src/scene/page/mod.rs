//! One page as a scene. Which of the files here draws it, the relation's access method and the fork decide.
//!
//! ```text
//!   main  heap ─▶ heap      fsm ─▶ fsm      all zero, or no pd_upper ─▶ raw
//!         btree ─▶ btree    vm  ─▶ vm       other methods            ─▶ raw
//!         undo ─▶ undo
//! ```

mod btree;
mod fsm;
mod gist;
mod heap;
mod raw;
mod undo;
mod vm;

use super::diff::PageDiff;
use super::look::Look;
use super::{Change, Column, Fact, PageScene, PartId, PartRegion, Role, words};
use ffviz_format::page::gist::{GIST_PAGE_ID, gist_opaque};
use ffviz_format::page::{Anomaly, ForkNumber, Lsn, Page, PgVersion, Region};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation};

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
pub(crate) use btree::{n_keys, page_role};
pub(crate) use fsm::{category_words, target_block};
pub(crate) use heap::{lp_role, max_align};
pub(crate) use vm::role as vm_role;

/// The scene of a page: its bytes, or why there are none.
#[must_use]
pub fn scene(look: &Look<'_>, id: PageId) -> PageScene {
    let Some(relation) = look.relation(id.relation) else {
        return raw::nothing(look, id, "this relation does not exist at this step");
    };
    if id.block >= relation.blocks.of(id.fork) {
        return raw::nothing(look, id, "this page does not exist at this step");
    }
    let Some(page) = look.page(id) else {
        return raw::nothing(look, id, "this page has not been read");
    };
    let sheet = Sheet { look, id, relation, page, diff: PageDiff::new(look, id, page) };
    let mut scene = match page_kind(relation, id.fork, page) {
        PageKind::New => raw::new(&sheet),
        PageKind::Invalid => raw::invalid(&sheet),
        PageKind::Heap => heap::scene(sheet),
        PageKind::Btree => btree::scene(sheet),
        PageKind::Fsm => fsm::scene(&sheet),
        PageKind::Vm => vm::scene(&sheet),
        PageKind::Undo => undo::scene(&sheet),
        PageKind::Other if is_gist(page) => gist::scene(&sheet),
        PageKind::Other => raw::other(&sheet),
    };
    if page.size() < look.state.server.block_size {
        // what leads behind the end of the part that is there is told once, not for each line pointer
        scene.anomalies.clear();
    }
    scene.anomalies.splice(0..0, super::header::damage(look, id, page));
    drop_loose_links(&mut scene);
    scene
}

/// Does the special space say that it is a GiST page?
fn is_gist(page: &Page) -> bool {
    gist_opaque(page).is_some_and(|opaque| opaque.gist_page_id() == GIST_PAGE_ID)
}

/// On a damaged page tuples may lie over one another: one that is hidden cannot have an arrow.
fn drop_loose_links(scene: &mut PageScene) {
    let regions = scene.regions.iter().map(|region| region.part);
    let parts: BTreeSet<PartId> = regions.chain(scene.rows.iter().map(|row| row.part)).collect();
    let exists = |part: &PartId| matches!(part, PartId::Block(_)) || parts.contains(part);
    scene.links.retain(|link| exists(&link.from) && exists(&link.to));
}

/// Who can read a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// all zero
    New,
    /// new by its header, and not all zero
    Invalid,
    /// heap page, also a sequence's
    Heap,
    /// nbtree page
    Btree,
    /// free space map
    Fsm,
    /// visibility map
    Vm,
    /// of the undo engine
    Undo,
    /// of an access method that ffviz does not take apart
    Other,
}

/// Tells who can read a page.
#[must_use]
pub fn page_kind(relation: &Relation, fork: ForkNumber, page: &Page) -> PageKind {
    match (fork, &relation.am) {
        _ if page.is_zero() => PageKind::New,
        _ if page.is_new() => PageKind::Invalid,
        (ForkNumber::Fsm, _) => PageKind::Fsm,
        (ForkNumber::Vm, _) => PageKind::Vm,
        (_, AccessMethod::Heap | AccessMethod::Sequence) => PageKind::Heap,
        (_, AccessMethod::Btree) => PageKind::Btree,
        (_, AccessMethod::Undo) => PageKind::Undo,
        (_, AccessMethod::Other(_)) => PageKind::Other,
    }
}

/// What all page scenes share: the page, and what the step did to it.
struct Sheet<'a> {
    look: &'a Look<'a>,
    id: PageId,
    relation: &'a Relation,
    page: &'a Page,
    diff: PageDiff<'a>,
}

impl<'a> Sheet<'a> {
    fn version(&self) -> PgVersion {
        self.look.version()
    }

    /// `t · block 3 of 12 · heap page`
    fn title(&self, kind: &str) -> String {
        let (name, length) = (words::relation_fork(self.relation, self.id.fork), self.relation.blocks.of(self.id.fork));
        format!("{name} · block {} of {} · {kind}", self.id.block, words::thousands(u64::from(length)))
    }

    /// Draws regions: `part` says as what, in which words, and the change where the bytes alone do not tell it.
    fn regions(&self, regions: &[Region], part: impl Fn(&Region) -> (Role, Option<Change>, String)) -> Vec<PartRegion> {
        let draw = |region: &Region| {
            let (role, change, label) = part(region);
            PartRegion {
                part: PartId::from(region.kind),
                bytes: region.bytes.clone(),
                role,
                change: change.unwrap_or_else(|| self.diff.change(&region.bytes)),
                changed: self.diff.within(&region.bytes),
                label,
            }
        };
        regions.iter().map(draw).collect()
    }

    /// What the step did to a part whose bytes do not tell it.
    const fn whole_change(&self) -> Change {
        if self.diff.added { Change::Added } else { Change::Same }
    }

    /// Bytes in use and free, WAL position.
    fn space_facts(&self) -> Vec<Fact> {
        let (free, room) = (u64::from(self.page.free()), u64::from(self.page.room()));
        Vec::from([fact("fill", format!("{} %", words::percent(room - free, room))), fact("free", words::bytes(free))])
    }

    /// Last WAL record, page flags, checksum.
    fn header_facts(&self) -> Vec<Fact> {
        let header = self.page.header();
        let flags = super::header::flag_words(header.pd_flags());
        let last = match header.pd_lsn() {
            // a damaged header's may be anything
            _ if !self.page.header_anomalies().is_empty() => "",
            Lsn(0) => ", no record yet",
            _ => ", the end of its last record",
        };
        let mut facts = Vec::from([fact("LSN", format!("{}{last}", header.pd_lsn()))]);
        if !flags.is_empty() {
            facts.push(fact("flags", flags));
        }
        facts.push(fact("checksum", super::header::checksum_words(self.look, self.id, self.page)));
        facts
    }
}

fn fact(label: &str, value: impl Into<String>) -> Fact {
    Fact { label: label.to_string(), value: value.into() }
}

/// Titles, and whether they are set flush right; `details`: those that are left out first where there is little room.
fn columns(titles: &[(&str, bool)], details: &[&str]) -> Vec<Column> {
    let column =
        |(title, right): &(&str, bool)| Column { detail: details.contains(title), ..Column::new(title, *right) };
    titles.iter().map(column).collect()
}

fn anomaly_texts(anomalies: &[Anomaly]) -> Vec<String> {
    anomalies.iter().map(|anomaly| anomaly.text.clone()).collect()
}

/// The relation's kind in a sentence.
#[must_use]
pub const fn kind_word(kind: RelKind) -> &'static str {
    match kind {
        RelKind::Table => "table",
        RelKind::Index => "index",
        RelKind::Sequence => "sequence",
        RelKind::Toast => "TOAST table",
        RelKind::MaterializedView => "materialized view",
        RelKind::Undo => "undo segment",
        RelKind::PartitionedTable => "partitioned table",
        RelKind::PartitionedIndex => "partitioned index",
    }
}
