//! A cluster with segments of 1 MB from initdb over a crash and recycled files to a promotion, and one with segments of
//! 64 MB.

use crate::files::Wal;
use crate::{edges, walinspect};
use ffviz_format::page::Lsn;
use ffviz_format::wal::{Record, Segment};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal::{flushed, insert_position};
use ffviz_tests::workload::{self, SETTINGS};
use postgres::{Client, NoTls};
use std::time::{Duration, Instant};

/// Records longer than a page, than a segment of 1 MB, and of many blocks: a message, a commit with invalidations, an
/// index build.
const LONG: &str = "
    CREATE TABLE long (id int, key text);
    INSERT INTO long SELECT i, md5(i::text) || repeat('k', 600) FROM generate_series(1, 1500) i;
    CREATE INDEX ON long (key);
    SELECT pg_logical_emit_message(false, 'ffviz', repeat('a long message ', 20000));
    SELECT pg_logical_emit_message(true, 'ffviz', repeat('over three segments ', 130000));
    DO $$ BEGIN FOR i IN 1..120 LOOP EXECUTE format('CREATE TABLE many_%s (id int PRIMARY KEY)', i); END LOOP; END $$";

/// What is checked of one version.
pub fn of_a_cluster(major: u32) {
    let instance = Instance::create_with(major, SETTINGS, &["--wal-segsize=1"]);
    let mut client = instance.client();
    for name in ["small_dml", "hot", "page_deletion", "checkpoints"] {
        workload::named(name).run(major, &mut || instance.client());
    }
    client.batch_execute(LONG).expect("long records");
    let (wal, records) = whole(&instance, &mut client, 1);
    print!("PostgreSQL {major}, segments of 1 MB: {} records\n{}", records.len(), edges::check(&wal, &records));
    print!("{}", told(&mut client, &wal, &records));
    drop(client);
    print!("{}", crash_within_a_record(&instance));
    print!("{}", recycled_files(&instance));
    print!("{}", promotion(&instance));
    print!("{}", segments_of_64_mb(major));
}

/// All records up to now; the WAL must end plainly, and where the server says.
fn whole(instance: &Instance, client: &mut Client, tli: u32) -> (Wal, Vec<Record>) {
    let upto = flushed(client);
    let wal = Wal::of(instance, client, tli);
    let (records, end) = wal.records();
    assert!(end.as_ref().is_none_or(|end| end.is_plain), "{end:?}");
    let last = records.last().expect("a record").end;
    assert!(last >= upto, "records up to {last}, the server is at {upto}: {end:?}");
    (wal, records)
}

/// What `pg_walinspect` says, where there is one.
fn told(client: &mut Client, wal: &Wal, records: &[Record]) -> String {
    if wal.version.major() >= 15 { walinspect::compare(client, wal.version, records) } else { String::new() }
}

fn of_type<'a>(wal: &Wal, records: &'a [Record], name: &str) -> Option<&'a Record> {
    records.iter().find(|record| record.decode(wal.version).is_ok_and(|decoded| decoded.type_name() == name))
}

/// The server stops before the end of a record is on disk; the next start writes over the rest and says so.
fn crash_within_a_record(instance: &Instance) -> String {
    let mut client = instance.client();
    let start = insert_position(&mut client);
    client.batch_execute("SELECT pg_logical_emit_message(true, 'ffviz', repeat('lost', 700000))").expect("a message");
    drop(client);
    instance.stop("immediate");
    let size = 1 << 20;
    let first = Segment::of(start, 1, size);
    let folder = instance.data().join("pg_wal");
    let names = std::fs::read_dir(&folder).expect("pg_wal").map(|entry| entry.expect("an entry").file_name());
    let mut lost = 0;
    for segment in
        names.filter_map(|name| Segment::parse(name.to_str()?, size)).filter(|segment| segment.number > first.number)
    {
        std::fs::remove_file(folder.join(segment.file_name())).expect("a segment");
        lost += 1;
    }
    instance.start();
    let mut client = instance.client();
    client.batch_execute("CREATE TABLE after_crash AS SELECT generate_series(1, 1000) id").expect("a table");
    let (wal, records) = whole(instance, &mut client, 1);
    let overwritten = of_type(&wal, &records, "OVERWRITE_CONTRECORD").expect("the record that says so");
    let main_data = overwritten.decode(wal.version).expect("the server's own record").main_data;
    let given_up = Lsn(u64::from_le_bytes(main_data[..8].try_into().expect("eight bytes")));
    assert!(!records.iter().any(|record| record.start == given_up), "a record that was given up is read");
    assert!(start <= given_up && given_up < first.next().start(), "{start} {given_up}");
    let told = told(&mut client, &wal, &records);
    format!(
        "  after a crash within the record at {given_up} ({lost} files lost): {} records go on\n{told}",
        records.len()
    )
}

/// Files of old WAL under new names: what stands behind the end is no WAL of that place.
fn recycled_files(instance: &Instance) -> String {
    let mut client = instance.client();
    client
        .batch_execute("ALTER SYSTEM SET wal_keep_size = 0")
        .and_then(|()| client.batch_execute("ALTER SYSTEM SET min_wal_size = '32MB'"))
        .and_then(|()| client.batch_execute("SELECT pg_reload_conf()"))
        .expect("settings");
    let mut rounds = 0;
    let (records, why) = loop {
        rounds += 1;
        assert!(rounds < 20, "no file was recycled");
        client.batch_execute("CREATE TABLE IF NOT EXISTS filler (t text); INSERT INTO filler SELECT repeat('f', 900) FROM generate_series(1, 4000)").expect("rows");
        client
            .batch_execute("TRUNCATE filler; CHECKPOINT")
            .and_then(|()| client.batch_execute("CHECKPOINT"))
            .expect("a checkpoint");
        let upto = flushed(&mut client);
        let wal = Wal::of(instance, &mut client, 1);
        let (records, end) = wal.records();
        assert!(records.last().is_some_and(|last| last.end >= upto), "{end:?}");
        // up to the end of the segment nothing is written
        client.batch_execute("SELECT pg_switch_wal()").expect("a switch");
        let wal = Wal::of(instance, &mut client, 1);
        let Some(end) = wal.records().1 else { continue };
        assert!(end.is_plain, "{end:?}");
        if end.why.contains("older") {
            break (records, end.why);
        }
    };
    format!("  {} records before recycled files: {why}\n", records.len())
}

/// A standby becomes a primary: its WAL goes on in another timeline, from a file that begins with records of the old
/// one.
fn promotion(instance: &Instance) -> String {
    instance.stop("fast");
    let standby = instance.standby("");
    instance.start();
    standby.start();
    let mut primary = instance.client();
    primary.batch_execute("CREATE TABLE streamed AS SELECT generate_series(1, 500) id").expect("a table");
    let upto = flushed(&mut primary);
    let mut client = Client::connect(&standby.url("postgres"), NoTls).expect("the standby answers");
    let since = Instant::now();
    let replayed = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn";
    while !client.query_one(replayed, &[&upto.to_string()]).expect("a position").get::<_, bool>(0) {
        assert!(since.elapsed() < Duration::from_secs(60), "the standby does not follow");
        std::thread::sleep(Duration::from_millis(50));
    }
    client.batch_execute("SELECT pg_promote()").expect("a promotion");
    client.batch_execute("CREATE TABLE after_promotion AS SELECT generate_series(1, 500) id").expect("a table");
    let (wal, records) = whole(&standby, &mut client, 2);
    let end_of_recovery = of_type(&wal, &records, "END_OF_RECOVERY").expect("the first record of the new timeline");
    let before = records.iter().filter(|record| record.start < end_of_recovery.start).count();
    let mut stream = wal.stream(end_of_recovery.start);
    stream.push(&wal.bytes()[(end_of_recovery.start.0 - wal.start().0) as usize..]);
    crate::files::read_on(&mut stream, &mut Vec::new());
    assert_eq!(stream.timeline(), 2);
    let told = told(&mut client, &wal, &records);
    format!("  timeline 2: {before} records of the old one and {} of its own\n{told}", records.len() - before)
}

fn segments_of_64_mb(major: u32) -> String {
    let instance = Instance::create_with(major, SETTINGS, &["--wal-segsize=64"]);
    workload::named("small_dml").run(major, &mut || instance.client());
    let mut client = instance.client();
    client.batch_execute("SELECT pg_switch_wal()").expect("a switch");
    client.batch_execute(LONG).expect("long records");
    let (wal, records) = whole(&instance, &mut client, 1);
    assert!(wal.segments.len() > 1 && wal.segment_size() == 64 << 20);
    let told = told(&mut client, &wal, &records);
    format!("  segments of 64 MB: {} records in {} files\n{told}", records.len(), wal.segments.len())
}
