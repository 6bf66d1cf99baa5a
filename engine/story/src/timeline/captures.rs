//! The numbers of each capture: WAL by type of record, updates, pages that changed, dead row versions.
//!
//! ```text
//! capture 0 ──steps──▶ capture 1 ──steps──▶ capture 2 …
//!  dead rows          WAL, updates, pages of the steps; dead rows at their end
//! ```
//!
//! All steps are taken once, in order. Dead row versions are counted anew at the end of a capture, on the pages that
//! changed since the one before.

use super::{How, Timeline};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::heap::is_old_version;
use ffviz_format::page::{ForkNumber, LpFlags, Oid, Page, PgVersion};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_format::wal::record_type::{HeapType, XLR_RMGR_INFO_MASK};
use ffviz_format::wal::{Record, RecordType, RelFileLocator, Rmgr};

/// As what the bytes of full-page images count, whatever record brings them: a checkpoint before is their reason.
pub const IMAGES: &str = "full-page images";

/// What happened from the capture before to this one, and what there was then.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capture {
    /// bytes of the records that are steps, by type (`Heap/HOT_UPDATE`), their full-page images apart ([`IMAGES`]);
    /// `None` where no WAL was read
    pub wal: Option<Vec<(String, u64)>>,
    /// why the WAL is not, or not all, there: a sentence
    pub gap: Option<String>,
    /// records of updates
    pub updates: u64,
    /// those of them that were HOT
    pub hot: u64,
    /// pages that are different, or that records are about
    pub pages: u64,
    /// dead row versions on the pages that are known, of each table
    pub dead: Vec<(Oid, u64)>,
}

/// The steps of one capture, as they are taken.
#[derive(Default)]
struct Taken {
    /// by resource manager and `xl_info`
    bytes: BTreeMap<(u8, u8), u64>,
    /// bytes of full-page images, which are in none of the types
    images: u64,
    updates: u64,
    hot: u64,
    pages: BTreeSet<PageId>,
    /// pages that are not as they were at the capture before, or were not known then
    stale: BTreeSet<PageId>,
}

/// Where the walk is.
struct Walk<'a> {
    timeline: &'a Timeline,
    version: PgVersion,
    state: State,
    /// which relations records are about
    files: BTreeMap<RelFileLocator, Oid>,
    dead: BTreeMap<PageId, u64>,
    sums: BTreeMap<Oid, u64>,
}

impl Timeline {
    /// The numbers of all captures, in order; the first has nothing before it.
    #[must_use]
    pub fn captures(&self) -> Vec<Capture> {
        let Some((_, first)) = self.keyframes.first() else { return Vec::new() };
        let mut walk = Walk {
            timeline: self,
            version: first.server.version,
            state: first.clone(),
            files: BTreeMap::new(),
            dead: BTreeMap::new(),
            sums: BTreeMap::new(),
        };
        self.groups.iter().map(|group| walk.capture(group.states.clone(), &group.how)).collect()
    }
}

impl Walk<'_> {
    fn capture(&mut self, states: core::ops::Range<usize>, how: &How) -> Capture {
        let mut taken = Taken::default();
        if states.start == 0 {
            taken.stale.extend(self.state.pages.keys());
        }
        for state in states.start.max(1)..states.end {
            self.step(state, &mut taken);
        }
        for id in core::mem::take(&mut taken.stale) {
            self.count(id);
        }
        let (wal, gap) = match how {
            How::Replayed { report, gap, .. } => {
                (Some(self.by_type(taken.bytes, taken.images)), gap.clone().or_else(|| report.measured.clone()))
            }
            How::Measured(why) => (None, why.clone()),
            How::Start | How::Simulated { .. } => (None, None),
        };
        Capture {
            wal,
            gap,
            updates: taken.updates,
            hot: taken.hot,
            pages: taken.pages.len() as u64,
            dead: self.sums.iter().map(|(oid, sum)| (*oid, *sum)).collect(),
        }
    }

    fn step(&mut self, state: usize, taken: &mut Taken) {
        let Some(moment) = self.timeline.moments.get(state) else { return };
        moment.replay(&mut self.state);
        for delta in &moment.pages {
            taken.stale.insert(delta.id);
            if !delta.known {
                taken.pages.insert(delta.id);
            }
        }
        if let Some(record) = self.timeline.record(state) {
            self.record(record, taken);
        }
    }

    fn record(&mut self, record: &Record, taken: &mut Taken) {
        let header = record.header();
        let (rmgr, info) = (header.xl_rmid(), header.xl_info() & XLR_RMGR_INFO_MASK);
        let decoded = record.decode(self.version);
        let images = decoded.as_ref().map_or(0, |decoded| u64::from(decoded.fpi_len()));
        *taken.bytes.entry((rmgr, info)).or_default() += (record.bytes.len() as u64).saturating_sub(images);
        taken.images += images;
        let of = RecordType::decode(Rmgr(rmgr), info, self.version);
        let is_hot = of == RecordType::Heap(HeapType::HotUpdate);
        taken.hot += u64::from(is_hot);
        taken.updates += u64::from(is_hot || of == RecordType::Heap(HeapType::Update));
        // pages that nobody has read yet change too
        let Ok(decoded) = decoded else { return };
        for block in &decoded.blocks {
            let relation = self.relation(block.tag.locator);
            taken.pages.insert(PageId { relation, fork: block.tag.fork, block: block.tag.block });
        }
    }

    /// The relation that has, or comes to have, this file.
    fn relation(&mut self, file: RelFileLocator) -> Oid {
        let states = [&self.state, &self.timeline.last];
        *self.files.entry(file).or_insert_with(|| {
            let found = states.iter().find_map(|state| state.relations.values().find(|known| known.is_file(file)));
            found.map_or(file.rel, |relation| relation.oid)
        })
    }

    /// Counts the dead row versions of a page as they are now.
    fn count(&mut self, id: PageId) {
        let is_heap = |oid| self.state.relations.get(oid).is_some_and(|relation| relation.am == AccessMethod::Heap);
        let page = self.state.pages.get(&id).filter(|_| id.fork == ForkNumber::Main && is_heap(&id.relation));
        let now = page.map(dead_versions);
        let before = match now {
            Some(now) => self.dead.insert(id, now),
            None => self.dead.remove(&id),
        };
        if now.is_some() || before.is_some() {
            let sum = self.sums.entry(id.relation).or_default();
            *sum = (*sum + now.unwrap_or(0)).saturating_sub(before.unwrap_or(0));
        }
    }

    /// With their names, of one that initialises its page the same.
    fn by_type(&self, bytes: BTreeMap<(u8, u8), u64>, images: u64) -> Vec<(String, u64)> {
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for ((rmgr, info), bytes) in bytes {
            let rmgr = Rmgr(rmgr);
            let name = rmgr.type_name(info, self.version);
            let name = name.strip_suffix("+INIT").unwrap_or(&name);
            *named.entry(format!("{}/{name}", rmgr.name())).or_default() += bytes;
        }
        if images > 0 {
            named.insert(IMAGES.into(), images);
        }
        named.into_iter().collect()
    }
}

/// Line pointers that are dead, and row versions that are old, as the relation map counts them.
fn dead_versions(page: &Page) -> u64 {
    let dead = page.line_pointers().filter(|(_, lp)| match lp.lp_flags() {
        LpFlags::Dead => true,
        LpFlags::Normal => is_old_version(page, *lp),
        _ => false,
    });
    dead.count() as u64
}
