//! How fast WAL is replayed, against PostgreSQL's own recovery of the same WAL: `cargo bench -p ffviz-tests --bench
//! redo`.
//!
//! ```text
//!  CHECKPOINT ─── six clients, VACUUM ─── crash        both start without a page: the first record about a page after the checkpoint brings it
//!       └──────────── the same WAL ────────┘
//! ```
//!
//! Both read the WAL from its files, check each CRC, and use one process. CPU time is compared: what else the machine
//! does counts little then.
//!
//! ```text
//!  PostgreSQL   locks a buffer in shared memory for each block reference; its time ends where the log says "redo done", before the checkpoint
//!               at the end of recovery: it writes no page. It keeps track of transactions and of what else a standby would need.
//!  ffviz        keeps its pages in memory of its own, and tells of each record which pages it changed. It keeps no track of transactions here.
//! ```

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_story::redo::{Disk, redo};
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::{tpcb, wal};
use std::fs;

const SETTINGS: &str = "max_wal_size = 32GB\nwal_keep_size = 16GB\ncheckpoint_timeout = 1d\nshared_buffers = 512MB\nsynchronous_commit = off";
const ACCOUNTS: u32 = 50_000;
/// of each of six clients
const TRANSACTIONS: u64 = 10_000;
const REPEATS: u32 = 5;

fn main() {
    let instance = Instance::create(NEWEST, SETTINGS);
    let mut client = instance.client();
    let version = wal::version(&mut client);
    tpcb::create(&instance, ACCOUNTS);
    client.batch_execute("CHECKPOINT").expect("a checkpoint");
    let from = wal::insert_position(&mut client);
    tpcb::run(&instance, TRANSACTIONS);
    let to = wal::flushed(&mut client);
    instance.stop("immediate");
    let megabytes = (to.0 - from.0) as f64 / 1e6;
    let (decoding, records, _) = replay(&instance, version, from, to, false);
    let (replaying, _, pages) = replay(&instance, version, from, to, true);
    instance.start();
    println!("PostgreSQL {version}: {records} records, {megabytes:.0} MB of WAL, {pages} pages");
    report("ffviz, read and decode", decoding, records, megabytes);
    report("ffviz, read, decode and redo", replaying, records, megabytes);
    let recovering = recovery(&instance);
    report("PostgreSQL, recovery", recovering, records, megabytes);
    println!("ratio of records/s to PostgreSQL's: {:.2}; above 1: ffviz is faster", recovering / replaying);
}

/// Seconds of CPU that this process has used (`utime` and `stime` of /proc/self/stat, in hundredths).
fn cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("/proc");
    let (_, fields) = stat.rsplit_once(')').expect("the program's name is in brackets");
    let times = fields.split_whitespace().skip(11).take(2);
    times.map(|ticks| ticks.parse::<f64>().expect("a number") / 100.0).sum()
}

/// Replays all records, or only takes them apart: seconds, mean of several runs; records; pages.
fn replay(instance: &Instance, version: PgVersion, from: Lsn, to: Lsn, with_redo: bool) -> (f64, u32, usize) {
    let (start, mut records, mut pages) = (cpu(), 0, 0);
    for _ in 0..REPEATS {
        let mut disk = Disk::new(version, 8192, true);
        records = 0;
        wal::each_record(instance, version, from, to, |record| {
            let done = record.decoded(version, |parts| {
                let effects = with_redo.then(|| redo(parts, &mut disk));
                assert!(effects.is_none_or(|effects| effects.anomalies.is_empty()), "at {}", parts.record.start);
            });
            done.expect("a record of the server");
            records += 1;
        });
        pages = disk.pages().count();
    }
    ((cpu() - start) / f64::from(REPEATS), records, pages)
}

/// What the server's log says about its last recovery: `redo done at … CPU: user: 0.61 s, system: 0.10 s, elapsed: 0.72
/// s`.
fn recovery(instance: &Instance) -> f64 {
    let log = fs::read_to_string(instance.folder().join("log")).expect("the server's log");
    let (_, done) = log.rsplit_once("redo done at ").expect("a recovery");
    println!("the server: redo done at {}", done.lines().next().unwrap_or_default());
    let seconds = |name: &str| -> f64 {
        let (_, value) = done.split_once(name).expect("its times");
        value.split(' ').next().and_then(|value| value.parse().ok()).expect("seconds")
    };
    seconds("user: ") + seconds("system: ")
}

fn report(what: &str, seconds: f64, records: u32, megabytes: f64) {
    println!("{what}: {seconds:.2} s, {:.0} records/s, {:.0} MB/s", f64::from(records) / seconds, megabytes / seconds);
}
