//! How fast WAL is read: its bytes a second, checksums and all parts of each record, beside `pg_waldump` over the same
//! files. `cargo bench -p ffviz-tests --bench wal`; BENCHMARKS.md has the figures.
//!
//! ```text
//!                       pg_waldump --quiet        ffviz, records lent        ffviz, records kept
//!  reads                8 kB at once              64 kB at once              64 kB at once
//!  checks               page headers, xl_prev, CRC: all three
//!  takes apart          into a buffer it reuses   in place, copies no data   the same
//!  a record afterwards  forgotten                 forgotten                  in memory of its own, then freed
//! ```
//!
//! The time of pg_waldump has in it that a process starts and ends.

use ffviz_format::page::PgVersion;
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, Lent, Next, Segment, WalStream};
use ffviz_tests::instance::{Instance, of_debian};
use ffviz_tests::wal::flushed;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const VERSION: PgVersion = PgVersion(150_000);
/// Bytes read at once.
const PIECE: usize = 1 << 16;

/// Inserts into two indexes, updates, deletions, VACUUM: some 240 MB of WAL.
const WORK: [&str; 8] = [
    "CREATE TABLE t (id int PRIMARY KEY, n int, filler text) WITH (fillfactor = 90); CREATE INDEX ON t (n)",
    "INSERT INTO t SELECT i, i % 1000, md5(i::text) FROM generate_series(1, 400000) i",
    "CHECKPOINT",
    "UPDATE t SET n = n + 1 WHERE id % 4 = 0",
    "UPDATE t SET filler = filler || 'x' WHERE id % 3 = 0",
    "DELETE FROM t WHERE id % 5 = 0",
    "VACUUM t",
    "INSERT INTO t SELECT i, i % 1000, md5(i::text) FROM generate_series(400001, 500000) i",
];

fn main() {
    let instance = Instance::create(15, "wal_keep_size = 8GB\nmax_wal_size = 16GB\ncheckpoint_timeout = 1d");
    let mut client = instance.client();
    WORK.iter().for_each(|sql| client.batch_execute(sql).expect("the server works"));
    let end = flushed(&mut client);
    client.batch_execute("SELECT pg_switch_wal()").expect("a switch");
    let folder = instance.data().join("pg_wal");
    let names = fs::read_dir(&folder).expect("pg_wal").map(|entry| entry.expect("an entry").file_name());
    let mut segments: Vec<Segment> =
        names.filter_map(|name| Segment::parse(name.to_str()?, DEFAULT_SEGMENT_SIZE)).collect();
    segments.retain(|segment| segment.start() < end);
    segments.sort_unstable();
    let megabytes = segments.len() as f64 * f64::from(DEFAULT_SEGMENT_SIZE) / 1e6;

    let (mut lent, mut kept, mut of_pg_waldump) = (Vec::new(), Vec::new(), Vec::new());
    let mut records = 0;
    // in turns, so that what else the machine does hits all
    for _ in 0..ROUNDS {
        let start = Instant::now();
        records = read(&folder, &segments, lend_all);
        lent.push(start.elapsed());
        let start = Instant::now();
        assert_eq!(read(&folder, &segments, keep_all), records);
        kept.push(start.elapsed());
        of_pg_waldump.extend(pg_waldump(&folder, &segments));
    }
    println!("{megabytes:.0} MB in {} files, {records} records", segments.len());
    let lent = tell("ffviz, records lent", lent, megabytes);
    let kept = tell("ffviz, records kept", kept, megabytes);
    if of_pg_waldump.is_empty() {
        println!("pg_waldump: Debian's package postgresql-15 is not installed");
    } else {
        let other = tell("pg_waldump --quiet", of_pg_waldump, megabytes);
        println!(
            "ratio to pg_waldump, of medians: lent {:.2}, kept {:.2}; above 1: ffviz is faster",
            lent / other,
            kept / other
        );
    }
}

/// Reads all files, a piece at a time; `take` takes the records apart that are there: how many there were.
fn read(folder: &Path, segments: &[Segment], take: fn(&mut WalStream) -> usize) -> usize {
    let mut stream = WalStream::new(segments[0].start(), VERSION, DEFAULT_SEGMENT_SIZE);
    let mut records = 0;
    for segment in segments {
        let mut file = File::open(folder.join(segment.file_name())).expect("a segment");
        while stream.fill(PIECE, |room| file.read(room)).expect("bytes") > 0 {
            records += take(&mut stream);
        }
    }
    records
}

fn lend_all(stream: &mut WalStream) -> usize {
    let mut records = 0;
    while let Lent::Record(record) = stream.lend() {
        let parts = record.decoded(VERSION, |parts| {
            black_box(parts);
        });
        parts.expect("the server's own record");
        records += 1;
    }
    records
}

fn keep_all(stream: &mut WalStream) -> usize {
    let mut records = 0;
    while let Next::Record(record) = stream.next() {
        black_box(record.decode(VERSION).expect("the server's own record"));
        records += 1;
    }
    records
}

/// The same by Debian's program: it reads, checks and takes apart, and prints nothing.
fn pg_waldump(folder: &Path, segments: &[Segment]) -> Option<Duration> {
    let program = of_debian(15)?.join("pg_waldump");
    let (first, last) = (segments.first()?.file_name(), segments.last()?.file_name());
    let start = Instant::now();
    let done = Command::new(program)
        .args(["--quiet", "--path"])
        .arg(folder)
        .args([first, last])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(done.is_ok_and(|status| status.success()), "pg_waldump reads all of it");
    Some(start.elapsed())
}

/// Prints the speed; its median.
fn tell(who: &str, mut times: Vec<Duration>, megabytes: f64) -> f64 {
    times.sort_unstable();
    let speed = |time: &Duration| megabytes / time.as_secs_f64();
    let (best, median) = (times.first().map_or(0.0, speed), times.get(times.len() / 2).map_or(0.0, speed));
    println!("{who}: median {median:.0} MB/s, best {best:.0} MB/s of {} rounds", times.len());
    median
}
