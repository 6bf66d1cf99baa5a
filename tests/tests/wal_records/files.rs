//! The WAL of an instance, read from the files below its data directory.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{EndOfWal, Next, Record, Segment, WalStream};
use ffviz_tests::instance::Instance;
use postgres::Client;
use std::fs;

/// A cluster's WAL files and what is needed to read them.
pub struct Wal {
    /// who wrote it
    pub version: PgVersion,
    /// each segment with its bytes, in order
    pub segments: Vec<(Segment, Vec<u8>)>,
}

impl Wal {
    /// The files of one timeline, up to the first gap.
    pub fn of(instance: &Instance, client: &mut Client, tli: u32) -> Self {
        let show = |client: &mut Client, sql: &str| -> i64 { client.query_one(sql, &[]).expect("a setting").get(0) };
        let version = show(client, "SELECT current_setting('server_version_num')::bigint");
        let size = show(client, "SELECT setting::bigint FROM pg_settings WHERE name = 'wal_segment_size'");
        Self { version: PgVersion(version as u32), segments: segments(instance, tli, size as u32) }
    }

    /// Where the first segment starts.
    pub fn start(&self) -> Lsn {
        self.segments.first().expect("a segment").0.start()
    }

    /// Bytes a segment.
    pub fn segment_size(&self) -> u32 {
        self.segments.first().expect("a segment").0.size
    }

    /// A reader from there on.
    pub fn stream(&self, start: Lsn) -> WalStream {
        WalStream::new(start, self.version, self.segment_size())
    }

    /// All its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.segments.iter().flat_map(|(_, bytes)| bytes).copied().collect()
    }

    /// All records, and why there are no more.
    pub fn records(&self) -> (Vec<Record>, Option<EndOfWal>) {
        let mut stream = self.stream(self.start());
        let mut records = Vec::new();
        for (_, bytes) in &self.segments {
            stream.push(bytes);
            if let Some(end) = read_on(&mut stream, &mut records) {
                return (records, Some(end));
            }
        }
        (records, None)
    }
}

/// Adds the records that the bytes so far give.
pub fn read_on(stream: &mut WalStream, records: &mut Vec<Record>) -> Option<EndOfWal> {
    loop {
        match stream.next() {
            Next::Record(record) => records.push(record),
            Next::More => return None,
            Next::End(end) => return Some(end),
        }
    }
}

fn segments(instance: &Instance, tli: u32, size: u32) -> Vec<(Segment, Vec<u8>)> {
    let folder = instance.data().join("pg_wal");
    let names = fs::read_dir(&folder).expect("pg_wal").map(|entry| entry.expect("an entry").file_name());
    let mut found: Vec<Segment> =
        names.filter_map(|name| Segment::parse(name.to_str()?, size)).filter(|segment| segment.tli == tli).collect();
    found.sort_unstable();
    let first = found.first().expect("a segment").number;
    let together = found.into_iter().enumerate().take_while(|(n, segment)| segment.number == first + *n as u64);
    together.map(|(_, segment)| (segment, fs::read(folder.join(segment.file_name())).expect("a segment"))).collect()
}
