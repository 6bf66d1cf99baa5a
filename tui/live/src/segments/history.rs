//! Timelines of PostgreSQL: which segments hold the way that the WAL took (src/backend/access/transam/timeline.c).
//!
//! ```text
//!  timeline 1 ──────┬─ ─ ─ abandoned            00000002.history:  1 <tab> 0/3000148 <tab> no recovery target specified
//!  timeline 2       └──────────▶
//! ```

use ffviz_format::page::Lsn;

/// The timelines that WAL went along, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// each earlier timeline, and where it was left
    earlier: Vec<(u32, Lsn)>,
    /// the last one
    tli: u32,
}

impl History {
    /// That of a timeline, from its history file; timeline 1 has none.
    #[must_use]
    pub fn new(tli: u32, file: Option<&[u8]>) -> Self {
        let text = String::from_utf8_lossy(file.unwrap_or_default());
        let entry = |line: &str| {
            let mut fields = line.split_whitespace();
            Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
        };
        Self { earlier: text.lines().filter_map(entry).filter(|(earlier, _)| *earlier < tli).collect(), tli }
    }

    /// That of several timelines of which nothing says how one leads to the next: what a later one has counts.
    #[must_use]
    pub fn unknown(mut tlis: Vec<u32>) -> Self {
        tlis.sort_unstable();
        tlis.dedup();
        let tli = tlis.pop().unwrap_or(1);
        Self { earlier: tlis.into_iter().map(|earlier| (earlier, Lsn(u64::MAX))).collect(), tli }
    }

    /// Name of a timeline's history file.
    #[must_use]
    pub fn file_name(tli: u32) -> String {
        format!("{tli:08X}.history")
    }

    /// The last timeline.
    #[must_use]
    pub const fn timeline(&self) -> u32 {
        self.tli
    }

    /// The timelines in whose files a segment may be, best first. The segment in which a timeline was left is in the
    /// files of both.
    pub fn timelines(&self, segment_start: Lsn) -> impl Iterator<Item = u32> + '_ {
        let earlier = self.earlier.iter().rev().filter(move |(_, left)| segment_start < *left).map(|(tli, _)| *tli);
        std::iter::once(self.tli).chain(earlier)
    }

    /// Where this timeline was left, if it is an earlier one.
    #[must_use]
    pub fn left(&self, tli: u32) -> Option<Lsn> {
        self.earlier.iter().find(|(earlier, _)| *earlier == tli).map(|(_, left)| *left)
    }

    /// Is it known how that timeline leads here?
    #[must_use]
    pub fn has(&self, tli: u32) -> bool {
        self.tli == tli || self.left(tli).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_a_segment() {
        let file = b"1\t0/3000148\tno recovery target specified\n\n3\t0/7000000\tbefore 2026-01-01\n";
        let history = History::new(4, Some(file));
        let at = |lsn| history.timelines(Lsn(lsn)).collect::<Vec<_>>();
        assert_eq!(at(0x0300_0000), [4, 3, 1], "the segment in which 1 was left");
        assert_eq!(at(0x0400_0000), [4, 3]);
        assert_eq!(at(0x0700_0000), [4], "left at the start of this segment");
        assert_eq!((history.left(1), history.left(2)), (Some(Lsn(0x0300_0148)), None));
        assert!(history.has(4) && history.has(3) && !history.has(2));
        assert_eq!(History::new(1, None).timelines(Lsn(0)).collect::<Vec<_>>(), [1]);
    }
}
