//! Records between two positions, from wherever the files are; never more than a piece of WAL is in memory.

use super::files::Files;
use super::history::History;
use crate::Failure;
use ffviz_format::page::{Lsn, MAJORS, PgVersion};
use ffviz_format::wal::{
    DEFAULT_SEGMENT_SIZE, EndOfWal, Next, Record, Segment, WalStream, XLOG_BLCKSZ, XLogLongPageHeaderData,
    XLogPageHeaderData,
};

/// Bytes of WAL that are asked for at once.
const PIECE: u64 = 1 << 20;
const PAGE: u64 = XLOG_BLCKSZ as u64;

/// What is to be known of WAL before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// who wrote it
    pub version: PgVersion,
    /// size of a segment in bytes
    pub segment_size: u32,
    /// of the cluster; `None`: whatever there is
    pub system_identifier: Option<u64>,
    /// which timelines it went along
    pub history: History,
}

impl Format {
    /// What the first page of a segment tells: its version, segment size and cluster.
    ///
    /// # Errors
    /// A sentence, where it is no such page, or that of a version ffviz does not know.
    pub fn of_segment(first_bytes: &[u8], tli: u32) -> Result<Self, String> {
        let short = XLogPageHeaderData::new(first_bytes);
        let long = XLogLongPageHeaderData::new(first_bytes.get(XLogPageHeaderData::SIZE..).unwrap_or_default());
        let magic = short.xlp_magic();
        let version = MAJORS.map(PgVersion::of_major).into_iter().find(|version| version.page_magic() == magic);
        let version = version.ok_or_else(|| {
            let (first, last) = (MAJORS[0], MAJORS[MAJORS.len() - 1]);
            format!("it begins with {magic:04X}, which is the WAL of no version {first} to {last}")
        })?;
        let segment_size = long.xlp_seg_size();
        if !segment_size.is_power_of_two() || !(1 << 20..=1 << 30).contains(&segment_size) {
            return Err(format!("a size of {segment_size} bytes a segment cannot be"));
        }
        Ok(Self { version, segment_size, system_identifier: Some(long.xlp_sysid()), history: History::new(tli, None) })
    }
}

/// What comes next.
#[derive(Debug)]
pub enum Item {
    /// a record
    Record(Record),
    /// no more; why before the end that was asked for
    End(Option<Stop>),
}

/// Why WAL cannot be read further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// from where on
    pub at: Lsn,
    /// up to where it was looked at
    pub looked_to: Lsn,
    /// a sentence
    pub why: String,
    /// nothing was written here yet: the usual end of WAL
    pub is_plain: bool,
}

/// A reading of WAL from one position up to another.
#[derive(Debug)]
pub struct Reading<'a> {
    files: Files<'a>,
    format: Format,
    stream: WalStream,
    to: Lsn,
    /// no piece was read yet
    first: bool,
}

impl<'a> Reading<'a> {
    /// Reads from the start of a record, a page or a segment on; a record that does not end by `to` is not read.
    #[must_use]
    pub fn new(files: Files<'a>, format: Format, from: Lsn, to: Lsn) -> Self {
        let stream = WalStream::new(from, format.version, format.segment_size);
        Self { files, format, stream, to, first: true }
    }

    /// Up to where records were read: the next reading can start here.
    #[must_use]
    pub const fn position(&self) -> Lsn {
        self.stream.position()
    }

    /// The next record.
    ///
    /// # Errors
    /// What the server, or the operating system, says. The reading is at an end then.
    pub async fn next(&mut self) -> Result<Item, Failure> {
        loop {
            if self.stream.position() >= self.to {
                return Ok(Item::End(None));
            }
            match self.stream.next() {
                Next::Record(record) => return Ok(Item::Record(record)),
                Next::More if self.stream.wants() >= self.to => return Ok(Item::End(None)),
                Next::More => {
                    if let Some(why) = self.more().await? {
                        let at = self.stream.wants();
                        return Ok(Item::End(Some(Stop { at, looked_to: at, why, is_plain: false })));
                    }
                }
                Next::End(EndOfWal { at, looked_to, why, is_plain }) => {
                    let why = format!("WAL ends at {at}: {why}");
                    return Ok(Item::End(Some(Stop { at, looked_to, why, is_plain })));
                }
            }
        }
    }

    /// Gives the stream a further piece, of one segment; or why there is none.
    async fn more(&mut self) -> Result<Option<String>, Failure> {
        let at = self.stream.wants();
        let size = if self.format.segment_size == 0 { DEFAULT_SEGMENT_SIZE } else { self.format.segment_size };
        let any = Segment::of(at, self.format.history.timeline(), size);
        let end = any.next().start().0.min(self.to.0);
        let piece = PIECE.min(end.saturating_sub(at.0));
        let tlis: Vec<u32> = self.format.history.timelines(any.start()).collect();
        for tli in tlis {
            let segment = Segment { tli, ..any };
            let offset = at.0 - segment.start().0;
            let Some(bytes) = self.files.read(&segment.file_name(), offset, piece).await? else { continue };
            if bytes.is_empty() {
                return Ok(Some(format!("segment {} ends at {at}: it is not whole", segment.file_name())));
            }
            if let Some(why) = self.foreign(&segment, offset, &bytes).await? {
                return Ok(Some(format!("segment {}: {why}", segment.file_name())));
            }
            self.stream.push(&bytes);
            return Ok(None);
        }
        Ok(Some(format!("segment {} with {at} {}", any.file_name(), self.files.missing())))
    }

    /// Is the segment that of another cluster? Its first page says so.
    async fn foreign(&mut self, segment: &Segment, offset: u64, bytes: &[u8]) -> Result<Option<String>, Failure> {
        let is_first = std::mem::take(&mut self.first);
        let Some(wanted) = self.format.system_identifier.filter(|_| offset == 0 || is_first) else { return Ok(None) };
        let head = if offset == 0 { None } else { self.files.read(&segment.file_name(), 0, PAGE).await? };
        let head = head.as_deref().unwrap_or(bytes);
        let long = XLogLongPageHeaderData::new(head.get(XLogPageHeaderData::SIZE..).unwrap_or_default());
        let found = long.xlp_sysid();
        Ok((found != wanted && found != 0)
            .then(|| format!("it is the WAL of another cluster (system identifier {found}, not {wanted})")))
    }
}
