//! What EXPLAIN ANALYZE says of a join of two tables and of what stands between it and its scans (`show_hash_info`,
//! `show_memoize_info`, `show_material_info`, src/backend/commands/explain.c).

use super::actual::{Ran, average};
use super::{Told, Tree};
use crate::sql::executor::running::{CountedBitmap, CountedSide, CountedSort};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;

impl Ran {
    /// What a side of the join did.
    pub(super) fn side(&self, side: usize) -> Option<&CountedSide> {
        self.join.as_ref().map(|join| &join.sides[side])
    }

    /// The same as if nothing but the join had run that is that side.
    pub(super) fn of_side_join(&self, side: usize) -> Self {
        let counted = self.side(side);
        let (join, loops) = counted.map_or((None, 0), |counted| (counted.join.clone(), counted.scans));
        Self { join, loops, wal: None, ..self.clone() }
    }

    /// The same as if nothing but the scan of that side had run.
    pub(super) fn of_side(&self, side: usize) -> Self {
        let counted = self.side(side).cloned().unwrap_or_default();
        let (scan, loops) = (counted.scan, counted.scans);
        Self {
            // a row that is gone back to is given again
            scanned: if counted.is_scan { counted.rows } else { scan.rows },
            removed: scan.removed,
            fetched: scan.fetched,
            searches: scan.searches,
            blocks: scan.blocks,
            bitmaps: added(&scan.bitmaps, loops as usize),
            buffers: self.buffers.map(|_| (scan.buffers, None)),
            wal: None,
            loops,
            join: None,
            ..self.clone()
        }
    }
}

/// Scans for bitmaps of all loops together.
pub(super) fn added(bitmaps: &[CountedBitmap], loops: usize) -> Vec<CountedBitmap> {
    let each = bitmaps.len() / loops.max(1);
    let mut all = alloc::vec![CountedBitmap::default(); each];
    for (n, one) in bitmaps.iter().enumerate().filter(|_| each > 0) {
        let sum = &mut all[n % each];
        sum.entries += one.entries;
        sum.searches += one.searches;
        sum.blocks = sum.blocks + one.blocks;
    }
    all
}

impl Tree {
    /// The join itself; gives its rows.
    pub(super) fn tell_join(&mut self, ran: &Ran) -> u64 {
        let Some(join) = &ran.join else { return 0 };
        if join.removed > 0 {
            // behind the condition of the join, before the one above it
            let filter = self.told.pop_if(|told| matches!(told, Told::Text("Filter", _)));
            self.tell("Rows Removed by Join Filter", average(join.removed, ran.loops, 0));
            self.told.extend(filter);
        }
        if join.filtered > 0 {
            self.tell("Rows Removed by Filter", average(join.filtered, ran.loops, 0));
        }
        join.rows
    }

    /// The distinct rows of that side.
    pub(super) fn tell_distinct(&mut self, side: usize, ran: &Ran, loops: &mut u64) -> u64 {
        let Some(counted) = ran.side(side) else { return 0 };
        *loops = counted.scans;
        if let Some(memory) = Self::hash_kilobytes(counted.distinct, ran.version) {
            self.tell("Batches", format!("1  Memory Usage: {memory}kB"));
        }
        counted.distinct
    }

    /// What stands above the scan of that side, and how often it was run; gives its rows, of all loops.
    pub(super) fn tell_side(&mut self, side: usize, ran: &Ran, loops: &mut u64) -> u64 {
        let (Some(join), Some(counted)) = (&ran.join, ran.side(side)) else { return 0 };
        *loops = counted.loops;
        if self.line == "Hash" {
            if let Some((buckets, planned, bytes)) = join.hash {
                let (was, batches) = match buckets == planned {
                    true => (alloc::string::String::new(), ""),
                    false => (format!(" (originally {planned})"), " (originally 1)"),
                };
                let memory = bytes.div_ceil(1024);
                self.tell("Buckets", format!("{buckets}{was}  Batches: 1{batches}  Memory Usage: {memory}kB"));
            }
        } else if self.line == "Memoize" {
            if let Some((hits, misses, memory)) = join.memo.filter(|(_, misses, _)| *misses > 0) {
                let text = format!("{hits}  Misses: {misses}  Evictions: 0  Overflows: 0  Memory Usage: {memory}kB");
                self.tell("Hits", text);
            }
        } else if self.line == "Materialize" {
            if ran.version.tells_storage() && counted.loops > 0 {
                self.tell("Storage", format!("Memory  Maximum Storage: {}kB", counted.kept.div_ceil(1024)));
            }
        } else if let Some(CountedSort { kilobytes: Some(memory), .. }) = counted.sort {
            self.tell("Sort Method", format!("quicksort  Memory: {memory}kB"));
        }
        counted.rows
    }
}
