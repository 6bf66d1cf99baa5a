//! What EXPLAIN ANALYZE says of a node that has run, `(actual rows=9 loops=1)`, without times (`ExplainNode`,
//! `show_instrumentation_count`, `show_wal_usage`, src/backend/commands/explain.c). One scan is below, so each node has
//! its rows, all that come out at last, or none.

use super::Tree;
use super::actual_join::added;
use crate::sql::executor::running::{CountedBitmap, CountedJoin, CountedSort, CountedSub};
use crate::sql::plan::{Method, Scan};
use crate::storage::BufferUsage;
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;
use ffviz_story::timeline::WalUsage;

/// What counts a node's rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Actual {
    /// this is not known
    Unknown,
    /// the scan
    Scan(Way),
    /// a scan that makes a bitmap
    Bitmap,
    /// what is made of several bitmaps
    Combined,
    /// so many rows
    Rows(u64),
    /// all that come out
    Returned,
    /// a sort, of whose rows so many are wanted
    Sort(u64),
    /// groups: as many as LIMIT wants, of a hash table
    Groups { is_cut: bool, is_hashed: bool },
    /// rows that are distinct, likewise
    Distinct { is_cut: bool, is_hashed: bool },
    /// a sort of groups
    SortedGroups,
    /// locks on all that come out
    Locked,
    /// changes of rows; do they come out?
    Modify(bool),
    /// a join
    Join,
    /// what stands between a join and the scan of its outer side, or of its inner one
    Side(usize),
    /// that scan
    SideScan(usize, Way),
    /// another join in its place
    SideJoin(usize),
    /// rows of that side that were made distinct
    SideDistinct(usize),
    /// it has run
    Told(String),
}

/// Of what scans there is more to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Heap,
    Index,
    IndexOnly,
    Bitmap,
}

impl Way {
    pub const fn of(scan: &Scan) -> Self {
        match &scan.method {
            Method::Index(index) if index.only => Self::IndexOnly,
            Method::Index(_) => Self::Index,
            Method::Bitmap(_) => Self::Bitmap,
            _ => Self::Heap,
        }
    }
}

impl Actual {
    pub fn text(&self) -> &str {
        if let Self::Told(text) = self { text } else { "" }
    }
}

/// What a statement did.
#[derive(Debug, Clone)]
pub struct Ran {
    /// rows that came out
    pub returned: u64,
    /// rows that LIMIT and OFFSET leave to be given
    pub wanted: u64,
    /// rows that its scan gave
    pub scanned: u64,
    /// and those that the filter left out
    pub removed: u64,
    /// rows that an Index Only Scan looked at in the heap
    pub fetched: u64,
    /// searches of the index
    pub searches: u64,
    /// and those that the conditions of a bitmap left out
    pub rechecked: u64,
    /// blocks of a bitmap that has their rows, and of one that has not
    pub blocks: (u64, u64),
    /// scans that made bitmaps
    pub(in crate::sql) bitmaps: Vec<CountedBitmap>,
    /// WAL of the scan, and of all; `None`: it is not to be told
    pub wal: Option<(WalUsage, WalUsage)>,
    /// blocks of the scan, and of all, where these are known; `None`: they are not to be told
    pub buffers: Option<(BufferUsage, Option<BufferUsage>)>,
    /// groups that came out, and those that HAVING left out
    pub groups: (u64, u64),
    /// rows that were distinct
    pub distinct: u64,
    /// `Memory Usage` of the groups' hash table, where it is known
    pub hash_kilobytes: Option<u64>,
    /// how rows were sorted
    pub(in crate::sql) sort: Option<CountedSort>,
    /// a join
    pub(in crate::sql) join: Option<Box<CountedJoin>>,
    /// queries in expressions, by the place of their plan
    pub(in crate::sql) subs: BTreeMap<usize, CountedSub>,
    /// how often a node was run
    pub loops: u64,
    /// are these buffers the session's own?
    pub is_local: bool,
    /// the server's version
    pub version: PgVersion,
}

impl Ran {
    /// The same as if nothing but that query in an expression had run.
    fn of_sub(&self, place: usize) -> Self {
        let CountedSub { loops, returned, counted } = self.subs.get(&place).cloned().unwrap_or_default();
        Self {
            returned,
            wanted: counted.wanted.unwrap_or(u64::MAX),
            scanned: counted.join.as_ref().map_or(counted.rows, |join| join.rows),
            removed: counted.removed,
            fetched: counted.fetched,
            searches: counted.searches,
            rechecked: counted.rechecked,
            blocks: counted.blocks,
            bitmaps: added(&counted.bitmaps, loops as usize),
            groups: counted.groups,
            distinct: counted.distinct,
            hash_kilobytes: Tree::hash_kilobytes(counted.groups.0 + counted.groups.1, self.version),
            sort: counted.sort,
            join: counted.join,
            loops,
            ..self.clone()
        }
    }
}

impl Tree {
    /// Are there plans of queries in expressions?
    #[must_use]
    pub fn has_queries(&self) -> bool {
        self.query.is_some()
            || self.below.iter().any(Self::has_queries)
            || self.init.iter().chain(&self.subs).any(|(_, plan)| plan.has_queries())
    }

    /// Is it a plan of which it is not known what it does when it is run several times?
    fn is_unsure_of_loops(&self) -> bool {
        let is_unsure = match &self.actual {
            Actual::Join | Actual::Distinct { .. } | Actual::SortedGroups | Actual::Locked => true,
            Actual::Groups { is_cut, is_hashed } => *is_cut || *is_hashed,
            Actual::Sort(wanted) => *wanted != u64::MAX,
            _ => false,
        };
        is_unsure || self.below.iter().any(Self::is_unsure_of_loops)
    }

    /// Is it known of each node what counts its rows?
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.actual != Actual::Unknown
            && self.below.iter().all(Self::is_counted)
            && self.init.iter().all(|(_, init)| init.is_counted())
            && self.subs.iter().all(|(_, sub)| sub.is_counted() && !sub.is_unsure_of_loops())
    }

    /// Tells what the nodes did.
    pub fn tell_actual(&mut self, ran: &Ran) {
        let mut bitmaps = ran.bitmaps.iter();
        self.tell_nodes(ran, &mut bitmaps);
    }

    /// Gives the blocks that the node and those below it read.
    fn tell_nodes(&mut self, ran: &Ran, bitmaps: &mut core::slice::Iter<'_, CountedBitmap>) -> BufferUsage {
        if let Some(place) = self.query {
            let of_sub = ran.of_sub(place);
            return self.tell_node(&of_sub, &mut of_sub.bitmaps.iter());
        }
        match self.actual {
            Actual::SideScan(side, way) => {
                let of_side = ran.of_side(side);
                self.actual = Actual::Scan(way);
                self.tell_node(&of_side, &mut of_side.bitmaps.iter())
            }
            Actual::SideJoin(side) => {
                let of_side = ran.of_side_join(side);
                self.actual = Actual::Join;
                self.tell_node(&of_side, &mut [].iter())
            }
            _ => self.tell_node(ran, bitmaps),
        }
    }

    fn tell_node(&mut self, ran: &Ran, bitmaps: &mut core::slice::Iter<'_, CountedBitmap>) -> BufferUsage {
        let mut loops = ran.loops;
        let mut searches = None;
        let mut wal = ran.wal.map(|(scan, _)| scan);
        let (of_scan, of_all) = ran.buffers.unwrap_or_default();
        let mut own = None;
        let rows = match &self.actual {
            Actual::Scan(way) => {
                let way = *way;
                self.tell_scan(way, ran);
                searches = matches!(way, Way::Index | Way::IndexOnly).then_some(ran.searches);
                own = Some(of_scan);
                ran.scanned
            }
            Actual::Bitmap => {
                let counted = bitmaps.next().copied().unwrap_or_default();
                (searches, wal, own) = (Some(counted.searches), None, Some(counted.blocks));
                counted.entries
            }
            Actual::Combined => {
                wal = None;
                0
            }
            Actual::Modify(returns) => {
                (wal, own) = (ran.wal.map(|(_, all)| all), Some(of_all.unwrap_or_default()));
                if *returns { ran.returned } else { 0 }
            }
            Actual::Rows(rows) => *rows * loops,
            Actual::Returned => ran.returned,
            Actual::Sort(wanted) => {
                let wanted = *wanted;
                self.tell_sort(ran);
                ran.scanned.min(wanted)
            }
            Actual::SortedGroups => {
                self.tell_sort(ran);
                ran.groups.0.min(ran.wanted)
            }
            Actual::Groups { is_cut, is_hashed } => self.tell_groups(ran.groups, *is_cut, *is_hashed, ran),
            Actual::Distinct { is_cut, is_hashed } => self.tell_groups((ran.distinct, 0), *is_cut, *is_hashed, ran),
            Actual::Locked => {
                own = Some(of_all.unwrap_or_default());
                ran.returned
            }
            Actual::Join => self.tell_join(ran),
            Actual::Side(side) => self.tell_side(*side, ran, &mut loops),
            Actual::SideDistinct(side) => self.tell_distinct(*side, ran, &mut loops),
            Actual::Unknown | Actual::SideScan(..) | Actual::SideJoin(_) | Actual::Told(_) => {
                return BufferUsage::default();
            }
        };
        let is_exact = ran.version.tells_index_searches();
        if let Some(searches) = searches.filter(|_| is_exact) {
            self.tell("Index Searches", format!("{searches}"));
        }
        let mut below = BufferUsage::default();
        let beside = self.init.iter_mut().chain(&mut self.subs).map(|(_, plan)| plan);
        for node in beside.chain(&mut self.below) {
            below = below + node.tell_nodes(ran, bitmaps);
        }
        let buffers = own.unwrap_or(below);
        if let Some(text) = ran.buffers.and_then(|_| buffers_text(buffers, ran.is_local)) {
            self.tell("Buffers", text);
        }
        if let Some(text) = wal.and_then(wal_text) {
            self.tell("WAL", text);
        }
        self.actual = Actual::Told(text_of(rows, loops, is_exact));
        buffers
    }

    /// `show_sort_info`
    fn tell_sort(&mut self, ran: &Ran) {
        if let Some(CountedSort { is_heap, kilobytes: Some(memory) }) = ran.sort {
            let method = if is_heap { "top-N heapsort" } else { "quicksort" };
            self.tell("Sort Method", format!("{method}  Memory: {memory}kB"));
        }
    }

    /// `show_hashagg_info`, and which groups HAVING left out; gives those that came out.
    fn tell_groups(&mut self, (rows, removed): (u64, u64), is_cut: bool, is_hashed: bool, ran: &Ran) -> u64 {
        if let Some(memory) = ran.hash_kilobytes.filter(|_| is_hashed) {
            self.tell("Batches", format!("1  Memory Usage: {memory}kB"));
        }
        if removed > 0 {
            self.tell("Rows Removed by Filter", format!("{removed}"));
        }
        if is_cut { rows.min(ran.wanted) } else { rows }
    }

    fn tell_scan(&mut self, way: Way, ran: &Ran) {
        if ran.removed > 0 {
            self.tell("Rows Removed by Filter", average(ran.removed, ran.loops, 0));
        }
        match way {
            Way::IndexOnly => self.tell("Heap Fetches", format!("{}", ran.fetched)),
            Way::Bitmap => {
                if ran.rechecked > 0 {
                    self.tell_behind("Recheck Cond", "Rows Removed by Index Recheck", format!("{}", ran.rechecked));
                }
                if let Some(text) = counts([("exact", ran.blocks.0), ("lossy", ran.blocks.1)]) {
                    self.tell("Heap Blocks", text);
                }
            }
            _ => {}
        }
    }
}

fn text_of(rows: u64, loops: u64, is_exact: bool) -> String {
    match loops {
        0 => " (never executed)".to_string(),
        _ => format!(" (actual rows={} loops={loops})", average(rows, loops, if is_exact { 2 } else { 0 })),
    }
}

/// Of so many runs one.
pub(super) fn average(count: u64, loops: u64, digits: usize) -> String {
    format!("{:.digits$}", count as f64 / loops.max(1) as f64)
}

/// `show_buffer_usage`
fn buffers_text(usage: BufferUsage, is_local: bool) -> Option<String> {
    let BufferUsage { hit, read, dirtied, written } = usage;
    let told = counts([("hit", hit), ("read", read), ("dirtied", dirtied), ("written", written)])?;
    Some(format!("{} {told}", if is_local { "local" } else { "shared" }))
}

/// `show_wal_usage`
fn wal_text(usage: WalUsage) -> Option<String> {
    counts([("records", usage.records), ("fpi", usage.fpi), ("bytes", usage.bytes)])
}

/// What is not zero.
fn counts<const N: usize>(told: [(&str, u64); N]) -> Option<String> {
    let told = told.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name}={count}"));
    let parts: Vec<String> = told.collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}
