//! WAL under `--redact`: records of every kind that hold row data, with marks in them; none is left, and the redacted
//! records replayed over the redacted pages give the redacted later pages.

use super::{PLACES, TABLES, bytes, contains, marks, types_table};
use ffviz_format::wal::Record;
use ffviz_story::recording;
use ffviz_story::timeline::{How, Timeline, WalBetween};
use ffviz_tests::capture::capture_of;
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use std::collections::BTreeSet;
use std::io::Write as _;

const SETTINGS: &str = "autovacuum = off\nwal_level = logical\ncheckpoint_timeout = 1d\nmax_wal_size = 4GB\nwal_keep_size = 1GB\n\
                        bgwriter_lru_maxpages = 0\nmax_prepared_transactions = 4\nfsync = off";

/// Statements between the captures.
const CHANGES: &str = "
CHECKPOINT;
INSERT INTO types SELECT * FROM types;
UPDATE types SET c20 = c20 || ' again' WHERE ctid = '(0,1)';
UPDATE types SET c0 = c0;
DELETE FROM types WHERE ctid > '(0,4)';
INSERT INTO places (id, word) SELECT i, 'GEHEIM' || i FROM generate_series(3001, 3600) i;
INSERT INTO places (id, word) SELECT i, 'GEHEIM again' FROM generate_series(4001, 4900) i;
INSERT INTO places (id, word) SELECT (i * 7919) % 1000 + 5000, 'GEHEIM ' || (i * 7919) % 1000 FROM generate_series(1, 600) i;
UPDATE places SET word = word || ' newer' WHERE id % 4 = 0;
UPDATE places SET told = 'GEHEIM told', packed = NULL WHERE id % 9 = 0;
UPDATE places SET told = NULL, packed = 'GEHEIM' WHERE id % 9 = 0;
ALTER TABLE places REPLICA IDENTITY FULL;
UPDATE places SET long = repeat(md5(id::text) || 'GEHEIM', 200) WHERE id < 12;
DELETE FROM places WHERE id % 5 = 0;
VACUUM places;
INSERT INTO places (id, word) SELECT i, 'GEHEIM third' FROM generate_series(7001, 7100) i;
BEGIN; UPDATE places SET word = 'GEHEIM prepared' WHERE id = 6; PREPARE TRANSACTION 'GEHEIM gid';
COMMIT PREPARED 'GEHEIM gid';
SELECT pg_logical_emit_message(true, 'GEHEIM', 'GEHEIM message'), pg_create_restore_point('GEHEIM point');
INSERT INTO odd VALUES (2, 'GEHEIM hash again');
SET wal_compression = on;
CHECKPOINT;
UPDATE places SET word = 'GEHEIM compressed' WHERE id % 50 = 1;
UPDATE types SET c0 = c0;
VACUUM (FREEZE) places;
DROP INDEX by_equal;
CREATE INDEX by_equal ON places ((left(word, 7)));
VACUUM FULL types;
UPDATE types SET c0 = c0;
";

pub fn redacts(major: u32) {
    let instance = Instance::create(major, SETTINGS);
    let mut client = instance.client();
    client.batch_execute("CREATE EXTENSION pageinspect").expect("the package has it");
    let marks = marks();
    client.batch_execute(&types_table(&marks)).expect("a table of all types");
    let mut run = |sql: &str| {
        for statement in sql.split(";\n").filter(|statement| !statement.trim().is_empty()) {
            client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    };
    run(PLACES);
    let from = wal::insert_position(&mut instance.client());
    let before = capture_of(&instance.url("postgres"), &TABLES);
    run(CHANGES);
    run(&format!("SELECT setval('counter', {})", i64::from_le_bytes(*b"GEHEIMSQ")));
    let mut copy = client.copy_in("COPY places (id, word) FROM STDIN").expect("COPY starts");
    (9000..9300).for_each(|id| writeln!(copy, "{id}\tGEHEIM copied {id}").expect("a row"));
    copy.finish().expect("COPY ends");
    let after = capture_of(&instance.url("postgres"), &TABLES);
    let (to, version) = (wal::flushed(&mut client), after.server.version);
    let between = WalBetween::of(wal::records(&instance, version, from, to), &before, &after);
    let mut timeline = Timeline::new(before, None);
    timeline.push_replayed(after.clone(), Some("INSERT INTO t VALUES ('GEHEIM')".into()), between.clone());

    let hidden = recording::redact_timeline(&timeline);
    let file = recording::save(&hidden, None);
    let read = recording::read(&file);
    assert_eq!(read.lost, [""; 0]);
    let again = read.timeline.expect("a timeline");
    assert_eq!(again.groups(), hidden.groups());
    let left = records(&again);
    let left_bytes = all_bytes(&left);
    let open_bytes = all_bytes(&records(&timeline));
    let general = ["GEHEIM", "GEHEIMSQ", "EHEIM", "HEIM"].map(|mark| ("anywhere", mark.as_bytes()));
    for (of, mark) in marks.iter().map(|(of, _, mark)| (*of, &mark[..])).chain(general) {
        assert!(contains(&open_bytes, mark), "{major}: the mark of {of} is not in the WAL at all");
        assert!(!contains(&left_bytes, mark), "{major}: a value of {of} is left in the WAL");
        assert!(!contains(&bytes(again.last()), mark), "{major}: a value of {of} is left on pages");
    }
    let words: String = file.lines().filter(|line| !line.starts_with(r#"{"line":"page""#)).collect();
    assert!(!words.contains("GEHEIM"), "{major}: a word is left");
    check(major, &timeline, &again, &left);
    assert_eq!(again.last().pages, recording::redact(&after).pages, "{major}");
}

fn records(timeline: &Timeline) -> Vec<Record> {
    (0..timeline.len()).filter_map(|n| timeline.record(n).cloned()).collect()
}

fn all_bytes(records: &[Record]) -> Vec<u8> {
    let restored =
        |record: &Record| record.restored.iter().flat_map(|(_, page)| page.bytes().to_vec()).collect::<Vec<u8>>();
    records.iter().flat_map(|record| [record.bytes.to_vec(), restored(record)].concat()).collect()
}

/// As many steps as there are records, but for those of access methods that are not replayed and of names.
fn check(major: u32, timeline: &Timeline, hidden: &Timeline, left: &[Record]) {
    let group = |timeline: &Timeline| timeline.groups().last().expect("a group").clone();
    let (open, closed) = (group(timeline), group(hidden));
    let (How::Replayed { report, .. }, How::Replayed { report: after, gap, .. }) = (&open.how, &closed.how) else {
        panic!("{major}: {:?} {:?}", open.how, closed.how)
    };
    assert_eq!((gap, &report.differing, &report.anomalies), (&None, &vec![], &vec![]), "{major}");
    assert_eq!((&after.differing, &after.anomalies), (&vec![], &vec![]), "{major}");
    let version = timeline.last().server.version;
    let name = |record: &Record| {
        let decoded = record.decode(version).expect("a whole record");
        format!("{}/{}", decoded.rmgr().name(), decoded.type_name())
    };
    let kept: BTreeSet<_> = left.iter().map(|record| record.start).collect();
    let mut out: Vec<String> =
        records(timeline).iter().filter(|record| !kept.contains(&record.start)).map(name).collect();
    let lengths = |records: &[Record]| records.iter().map(|record| record.bytes.len()).sum::<usize>();
    let same: Vec<Record> = records(timeline).into_iter().filter(|record| kept.contains(&record.start)).collect();
    assert_eq!(lengths(&same), lengths(left), "{major}");
    let n = out.len();
    out.sort();
    out.dedup();
    assert!(
        out.iter().all(|name| ["Hash/", "Gin/", "XLOG/RESTORE_POINT"].iter().any(|odd| name.starts_with(odd))),
        "{major}: {out:?}"
    );
    let mut types: Vec<String> = left.iter().map(name).collect();
    types.sort();
    types.dedup();
    println!(
        "PostgreSQL {major}: {} records redacted, {n} left out ({}); {} pages equal after replay; {} types: {}",
        left.len(),
        out.join(", "),
        after.compared,
        types.len(),
        types.join(", ")
    );
}
