//! What there is in a folder of segments: whose WAL, and which stretches of it without a hole.

use super::folder::Folder;
use super::history::History;
use super::reading::Format;
use ffviz_format::page::Lsn;
use ffviz_format::wal::{Segment, XLOG_BLCKSZ, XLogPageHeaderData};

/// The WAL of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// version, segment size, cluster, timelines
    pub format: Format,
    /// from where to where, in order
    pub stretches: Vec<(Lsn, Lsn)>,
}

impl Archive {
    /// Looks at the names, and at the first page of a segment.
    ///
    /// # Errors
    /// A sentence, where there is no WAL in it that ffviz can read.
    pub fn find(folder: &mut Folder) -> Result<Self, String> {
        let place = folder.path().display().to_string();
        let (names, unknown) = folder.names()?;
        if names.is_empty() {
            let packed =
                if unknown { ": those in it are compressed in a way ffviz cannot read; unpack them" } else { "" };
            return Err(format!("there is no WAL segment in {place}{packed}"));
        }
        let tlis: Vec<u32> = names.iter().filter_map(|name| u32::from_str_radix(name.get(..8)?, 16).ok()).collect();
        let tli = tlis.iter().max().copied().unwrap_or(1);
        let mut format = Self::format(folder, &names, tli).map_err(|why| format!("{place}: {why}"))?;
        format.history = match folder.read(&History::file_name(tli), 0, 1 << 20)? {
            Some(file) => History::new(tli, Some(&file)),
            None => History::unknown(tlis),
        };
        let mut numbers: Vec<u64> = names
            .iter()
            .filter_map(|name| Segment::parse(name, format.segment_size))
            .filter(|segment| format.history.timelines(segment.start()).any(|tli| tli == segment.tli))
            .map(|segment| segment.number)
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let stretches = stretches(&numbers, format.segment_size);
        Ok(Self { format, stretches })
    }

    /// The first page after a position, in its segment, or the first one of a later segment, that is what its place
    /// says: WAL goes on there, so it did not end before. Where it ended, what follows are zeros and pages of another
    /// use of the file.
    ///
    /// # Errors
    /// A sentence, where a file may not be read.
    pub fn goes_on(&self, folder: &mut Folder, after: Lsn) -> Result<Option<Lsn>, String> {
        let (size, page) = (self.format.segment_size, u64::from(XLOG_BLCKSZ));
        let segment = Segment::of(after, 1, size);
        let last = self.stretches.last().map_or(after, |stretch| stretch.1);
        let pages = (after.0 / page + 1..segment.next().start().0 / page).map(|n| Lsn(n * page));
        let mut later = segment.next();
        let firsts = std::iter::from_fn(|| {
            let at = later.start();
            later = later.next();
            (at < last).then_some(at)
        });
        for at in pages.chain(firsts) {
            if self.has_page(folder, at)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Is the page there that belongs there?
    fn has_page(&self, folder: &mut Folder, at: Lsn) -> Result<bool, String> {
        for tli in self.format.history.timelines(at) {
            let segment = Segment::of(at, tli, self.format.segment_size);
            let head = folder.read(&segment.file_name(), at.0 - segment.start().0, XLogPageHeaderData::SIZE as u64)?;
            let Some(head) = head.filter(|head| head.len() == XLogPageHeaderData::SIZE) else { continue };
            let header = XLogPageHeaderData::new(&head);
            if header.xlp_magic() == self.format.version.page_magic() && header.xlp_pageaddr() == at.0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As the first readable segment says; the newest one may not have been written yet.
    fn format(folder: &mut Folder, names: &[String], tli: u32) -> Result<Format, String> {
        let mut refused = None;
        for name in names {
            let head = folder.read(name, 0, u64::from(XLOG_BLCKSZ))?.unwrap_or_default();
            match Format::of_segment(&head, tli) {
                Ok(format) => return Ok(format),
                Err(why) => refused = refused.or(Some(format!("{name} is no segment that ffviz reads: {why}"))),
            }
        }
        Err(refused.unwrap_or_default())
    }
}

/// Numbers that follow each other, as positions.
fn stretches(numbers: &[u64], size: u32) -> Vec<(Lsn, Lsn)> {
    let start = |number: u64| Segment { tli: 1, number, size }.start();
    numbers.chunk_by(|a, b| a + 1 == *b).map(|run| (start(run[0]), start(run[run.len() - 1] + 1))).collect()
}
