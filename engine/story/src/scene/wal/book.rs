//! All records of a timeline in short: an entry a step, and the totals. Made once and extended as the timeline grows.

use super::bar::{self, Bytes};
use super::landmark::{checkpoint_redo, ends_transaction};
use crate::scene::PartId;
use crate::scene::timeline::Hide;
use crate::timeline::{Cause, Group, How, Tally, Timeline};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::{BlockNumber, Lsn, PgVersion, TransactionId};
use ffviz_format::wal::rec::xact::XLOG_XACT_HAS_INFO;
use ffviz_format::wal::record_type::XLR_RMGR_INFO_MASK;
use ffviz_format::wal::{Record, RelFileLocator, Rmgr};

/// The records of a timeline, summed up.
#[derive(Debug, Clone, Default)]
pub struct Book {
    /// of state n entry n - 1
    pub(super) entries: Vec<Entry>,
    /// types of records that occur
    pub(super) types: Vec<Total>,
    /// relations that records are about
    pub(super) relations: Vec<Total>,
    /// records in all
    pub(super) records: u64,
    /// records with a full-page image
    pub(super) with_image: u64,
    /// their bytes by what they are spent on
    pub(super) bytes: Bytes,
    /// records that make no steps, since they are about other relations
    pub(super) others: Tally,
    /// length of the longest bar of a record
    pub(super) longest: u32,
    type_places: BTreeMap<(u8, u8), u16>,
    file_places: BTreeMap<Option<RelFileLocator>, u16>,
    groups: usize,
    /// were any of them rebuilt from what the server tells?
    pub(super) rebuilt: bool,
    /// where the checkpoints among them let recovery start
    pub(super) redo: Vec<Lsn>,
}

/// A step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub kind: Kind,
    pub start: Lsn,
    pub xid: TransactionId,
    /// place of its type and its relation in the book
    pub of_type: u16,
    pub relation: u16,
    /// the first page it is about, and how many there are
    pub block: BlockNumber,
    pub blocks: u8,
    pub bytes: [u32; bar::BAR_ROLES.len()],
    /// bytes of all records up to this one
    pub total: u64,
    /// does a redo pointer lead here?
    pub redo: bool,
}

/// What is looked for in the list of records.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// words, all of which are wanted
    pub text: &'a str,
    /// the states that had the beginning of the text, in order, where it was typed on
    pub within: Option<&'a [u32]>,
    /// what may be shown of a label while row data is hidden
    pub hide: Option<Hide>,
}

impl Sought<'_> {
    fn is_within(&self, state: u32) -> bool {
        self.within.is_none_or(|within| within.binary_search(&state).is_ok())
    }

    fn label(&self, group: &Group) -> String {
        let label = group.label.as_deref().unwrap_or_default();
        self.hide.map_or(label, |hide| hide(label)).to_string()
    }

    fn headline(&self, timeline: &Timeline, record: &Record) -> String {
        super::inspect::headline(self.hide, timeline, record)
    }
}

/// What sort of step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Record,
    Checkpoint,
    /// the end of a transaction
    End,
    /// hint bits and the like
    NotLogged,
    /// a decision of the simulator's
    Told,
    /// the difference of two captures
    Measured,
}

/// Records of a type, or of a relation.
#[derive(Debug, Clone)]
pub(super) struct Total {
    pub name: String,
    pub records: u64,
    pub bytes: Bytes,
}

impl Entry {
    /// Its bytes by what they are spent on.
    pub(super) fn bytes(&self) -> Bytes {
        self.bytes.map(u64::from)
    }

    pub(super) const fn is_record(&self) -> bool {
        matches!(self.kind, Kind::Record | Kind::Checkpoint | Kind::End)
    }
}

impl Book {
    /// The book of so many states of a timeline.
    #[must_use]
    pub fn new(timeline: &Timeline, states: usize) -> Self {
        let mut book = Self::default();
        book.extend(timeline, states);
        book
    }

    /// Number of states it knows of.
    #[must_use]
    pub fn states(&self) -> usize {
        self.entries.len() + 1
    }

    /// Has it any record?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Takes in the steps that came since, up to so many states; where it knows of more, it begins anew.
    pub fn extend(&mut self, timeline: &Timeline, states: usize) {
        if self.states() > states {
            *self = Self::default();
        }
        for state in self.states()..states {
            let entry = match timeline.cause(state) {
                Some(Cause::Record(record)) => self.record(timeline, record),
                Some(Cause::NotLogged | Cause::Unlogged(_)) => self.other(Kind::NotLogged),
                Some(Cause::Told { .. }) => self.other(Kind::Told),
                _ => self.other(Kind::Measured),
            };
            self.entries.push(entry);
        }
        let is_in = |group: &&Group| group.states.end <= states;
        for group in timeline.groups().iter().skip(self.groups).take_while(is_in) {
            self.groups += 1;
            if let How::Replayed { others, .. } = &group.how {
                self.others.records += others.records;
                self.others.bytes += others.bytes;
            }
        }
        self.mark_redo();
    }

    /// The name of a type or relation.
    #[must_use]
    pub fn name(&self, part: PartId) -> Option<String> {
        let (totals, n) = match part {
            PartId::WalType(n) => (&self.types, n),
            PartId::WalRelation(n) => (&self.relations, n),
            _ => return None,
        };
        totals.get(usize::from(n)).map(|total| total.name.clone())
    }

    /// Records among the steps to these states, and their bytes.
    pub(super) fn tally(&self, states: Range<usize>) -> Tally {
        let entries = states.filter_map(|state| self.entry(state)).filter(|entry| entry.is_record());
        entries.fold(Tally::default(), |sum, entry| Tally {
            records: sum.records + 1,
            bytes: sum.bytes + bar::sum(&entry.bytes()),
        })
    }

    /// The entry of the step to a state.
    pub(super) fn entry(&self, state: usize) -> Option<&Entry> {
        self.entries.get(state.checked_sub(1)?)
    }

    /// The states that have all the words of the text in type, relation, transaction, position, label or headline.
    pub fn find(&self, timeline: &Timeline, sought: &Sought<'_>) -> Vec<u32> {
        let text = sought.text.to_ascii_lowercase();
        let needles: Vec<&str> = text.split_whitespace().collect();
        // words that a whole type, relation or group has need not be looked for in each of its records
        let hits = |names: &[Total]| -> Vec<Vec<bool>> {
            names.iter().map(|total| has(&total.name.to_ascii_lowercase(), &needles)).collect()
        };
        let (types, relations) = (hits(&self.types), hits(&self.relations));
        let mut found = Vec::new();
        for group in timeline.groups() {
            let of_group = has(&sought.label(group).to_ascii_lowercase(), &needles);
            for state in group.states.clone().filter(|state| sought.is_within(*state as u32)) {
                let Some(entry) = self.entry(state) else { continue };
                let own = self.own_words(entry);
                let hit = |n: &usize| {
                    let by = |hits: &[Vec<bool>], at: u16| hits.get(usize::from(at)).is_some_and(|hits| hits[*n]);
                    of_group[*n]
                        || (entry.is_record() && (by(&types, entry.of_type) || by(&relations, entry.relation)))
                        || own.contains(needles[*n])
                };
                // what a record did is put into words only where the other words do not do
                let left: Vec<usize> = (0..needles.len()).filter(|n| !hit(n)).collect();
                let line = |record| sought.headline(timeline, record).to_ascii_lowercase();
                let line = timeline.record(state).filter(|_| !left.is_empty()).map(line).unwrap_or_default();
                if left.iter().all(|n| line.contains(needles[*n])) {
                    found.push(state as u32);
                }
            }
        }
        found
    }

    /// Position, transaction and block, as they are looked for.
    fn own_words(&self, entry: &Entry) -> String {
        match entry.kind {
            Kind::NotLogged => "not logged".to_string(),
            Kind::Told => "told".to_string(),
            Kind::Measured => "measured".to_string(),
            _ => format!("{} {} block {}", entry.start, entry.xid, entry.block).to_ascii_lowercase(),
        }
    }

    fn other(&self, kind: Kind) -> Entry {
        let total = bar::sum(&self.bytes);
        let (of_type, relation) = (u16::MAX, u16::MAX);
        Entry { kind, start: Lsn(0), xid: 0, of_type, relation, block: 0, blocks: 0, bytes: [0; 5], total, redo: false }
    }

    fn record(&mut self, timeline: &Timeline, record: &Record) -> Entry {
        let version = timeline.last().server.version;
        let bytes = bar::bytes_of(record, version);
        let decoded = record.decode(version).ok();
        let of_type = self.type_of(record, version);
        let first = decoded.as_ref().and_then(|decoded| decoded.blocks.first()).map(|block| block.tag);
        let relation = self.file_of(timeline, first.map(|tag| tag.locator));
        for total in [&mut self.types[usize::from(of_type)], &mut self.relations[usize::from(relation)]] {
            total.records += 1;
            total.bytes = added(&total.bytes, &bytes);
        }
        self.records += 1;
        self.rebuilt |= record.rebuilt.is_some();
        self.with_image += u64::from(bytes[2] > 0);
        self.bytes = added(&self.bytes, &bytes);
        self.longest = self.longest.max(bar::Bar::shortened(&bytes).length());
        let redo = checkpoint_redo(record, version);
        self.redo.extend(redo);
        let kind = match redo {
            Some(_) => Kind::Checkpoint,
            None if ends_transaction(record, version) => Kind::End,
            None => Kind::Record,
        };
        Entry {
            kind,
            start: record.start,
            xid: record.header().xl_xid(),
            of_type,
            relation,
            block: first.map_or(0, |tag| tag.block),
            blocks: decoded.map_or(0, |decoded| decoded.blocks.len() as u8),
            bytes: bytes.map(|bytes| bytes as u32),
            total: bar::sum(&self.bytes),
            redo: false,
        }
    }

    fn type_of(&mut self, record: &Record, version: PgVersion) -> u16 {
        let header = record.header();
        // a commit's highest bit says that there is more in it, not that it is of another type
        let said_besides = if Rmgr(header.xl_rmid()) == Rmgr::TRANSACTION { XLOG_XACT_HAS_INFO } else { 0 };
        let (rmgr, info) = (header.xl_rmid(), header.xl_info() & XLR_RMGR_INFO_MASK & !said_besides);
        let (types, next) = (&mut self.types, self.type_places.len() as u16);
        *self.type_places.entry((rmgr, info)).or_insert_with(|| {
            let name = format!("{} {}", Rmgr(rmgr).name(), record.type_name(version));
            types.push(Total { name, records: 0, bytes: Bytes::default() });
            next
        })
    }

    fn file_of(&mut self, timeline: &Timeline, file: Option<RelFileLocator>) -> u16 {
        let (relations, next) = (&mut self.relations, self.file_places.len() as u16);
        *self.file_places.entry(file).or_insert_with(|| {
            let name = file.map_or_else(|| "no page".to_string(), |file| file_name(timeline, file));
            relations.push(Total { name, records: 0, bytes: Bytes::default() });
            next
        })
    }

    /// The first record at or after each redo pointer.
    fn mark_redo(&mut self) {
        for pointer in &self.redo {
            let is_behind = |entry: &Entry| entry.is_record() && entry.start >= *pointer;
            let Some(at) = self.entries.iter().position(is_behind) else { continue };
            // a pointer to before the first record leads to none of these
            let is_here = self.entries[at].start == *pointer || self.entries[..at].iter().any(Entry::is_record);
            self.entries[at].redo |= is_here;
        }
    }
}

/// Which of the needles does a text have?
fn has(text: &str, needles: &[&str]) -> Vec<bool> {
    needles.iter().map(|needle| text.contains(needle)).collect()
}

fn added(a: &Bytes, b: &Bytes) -> Bytes {
    core::array::from_fn(|n| a[n].saturating_add(b[n]))
}

/// The name of a file: of the relation it is or was, else its numbers.
fn file_name(timeline: &Timeline, file: RelFileLocator) -> String {
    let states = [timeline.last(), timeline.state()];
    let relation = states.iter().find_map(|state| state.relations.values().find(|relation| relation.is_file(file)));
    relation.map_or_else(|| format!("file {file}"), |relation| relation.told().into_owned())
}
