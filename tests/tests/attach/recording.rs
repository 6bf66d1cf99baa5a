//! `ffviz record`: what it writes can be read back, whatever happened to the program that wrote it.

use super::read_args;
use ffviz_live::args::RecordArgs;
use ffviz_story::recording;
use ffviz_story::timeline::How;
use ffviz_tests::servers::{Database, MAJORS};
use ffviz_tui::record::run;
use ffviz_tui::source::{Opened, read_recording};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Records into a file of the test's folder.
pub fn record(
    url: &str,
    tables: &[&str],
    file: &str,
    set: impl FnOnce(&mut RecordArgs),
) -> Result<(PathBuf, String), String> {
    let folder = std::env::temp_dir().join(format!("ffviz-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let output = folder.join(file);
    let mut args = RecordArgs {
        title: None,
        read: read_args(url, tables),
        output: output.clone(),
        every: None,
        count: None,
        label: None,
        wal: None,
        wal_limit: 64 << 20,
    };
    set(&mut args);
    run(&args).map(|told| (output, told))
}

fn open(file: &Path) -> Opened {
    read_recording("recorded", &std::fs::read(file).expect("the file")).unwrap_or_else(|e| panic!("{e}"))
}

fn states(file: &Path) -> usize {
    let opened = open(file);
    assert_eq!(opened.lost, Vec::<String>::new());
    opened.timeline.len()
}

#[test]
fn captures_are_appended_and_read_back() {
    let mut database = Database::create(18, "attach_record");
    database
        .client
        .batch_execute("CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a')")
        .expect("a table");
    let url = database.url();
    for file in ["plain.ffrec", "packed.ffrec.gz"] {
        let (path, told) = record(&url, &["t"], file, |args| args.label = Some("INSERT".to_owned())).expect("record");
        assert!(told.starts_with("1 capture with 4 pages"), "{told}");
        assert_eq!(states(&path), 1);
        database.client.batch_execute("UPDATE t SET v = v || 'b'").expect("update");
        let repeat = |args: &mut RecordArgs| (args.every, args.count) = (Some(Duration::from_millis(100)), Some(3));
        record(&url, &["t"], file, repeat).expect("record");
        assert_eq!(states(&path), 4, "appended");
        let opened = open(&path);
        assert_eq!(opened.timeline.label(0), Some("INSERT"));
    }
    let (path, _) = record(&url, &["t"], "cut.ffrec", |_| {}).expect("record");
    let whole = std::fs::read(&path).expect("the file");
    std::fs::write(&path, &whole[..whole.len() - 40]).expect("cut, as by kill -9");
    record(&url, &["t"], "cut.ffrec", |_| {}).expect("record goes on after a cut");
    let read = recording::read(std::fs::read(&path).expect("the file"));
    assert!(read.timeline.is_some_and(|timeline| timeline.len() >= 1) && !read.lost.is_empty());
}

#[test]
fn what_is_not_a_recording_is_left_alone() {
    let mut database = Database::create(18, "attach_record_wrong");
    database.client.batch_execute("CREATE TABLE t (id int)").expect("a table");
    let url = database.url();
    let folder = std::env::temp_dir().join(format!("ffviz-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, content) in [("notes.txt", "precious"), ("notes.gz", "precious too")] {
        std::fs::write(folder.join(name), content).expect("a file");
        let told = record(&url, &["t"], name, |_| {}).expect_err("not a recording");
        assert!(told.contains("exists and is not a recording"), "{told}");
        assert_eq!(std::fs::read_to_string(folder.join(name)).expect("the file"), content);
    }
    let none = record(&url, &[], "none.ffrec", |_| {}).expect_err("no table");
    assert!(none.contains("-t"), "{none}");
    assert!(record(&url, &["t"], "no/such/folder.ffrec", |_| {}).is_err());
    assert!(record(&url, &["missing"], "missing2.ffrec", |_| {}).is_err());
    assert!(!folder.join("missing2.ffrec").exists(), "nothing is made when there is nothing to record");
}

#[test]
fn redacted_recordings_hold_no_values() {
    let mut database = Database::create(18, "attach_record_redact");
    let fill = "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'MARKED-VALUE' FROM generate_series(1, 50) g; CREATE INDEX ON t (v)";
    database.client.batch_execute(fill).expect("a table");
    let marks = |redact: bool| {
        let name = format!("redact-{redact}.ffrec");
        let (path, _) = record(&database.url(), &["t"], &name, |args| args.read.redact = redact).expect("record");
        let opened = open(&path);
        let pages = opened.timeline.state().pages.values();
        let found = |bytes: &[u8]| bytes.windows(12).filter(|window| window == b"MARKED-VALUE").count();
        pages.map(|page| found(page.bytes())).sum::<usize>()
    };
    let open = marks(false);
    assert!(open > 50, "{open}");
    assert_eq!(marks(true), 0, "of {open} values in table and index");
}

/// Two captures with work in between, recorded with the WAL.
fn recorded_with_wal(major: u32, redact: bool) -> PathBuf {
    let name = format!("attach_record_wal_{major}_{redact}");
    let mut database = Database::create(major, &name);
    let fill =
        "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'geheim' FROM generate_series(1, 10) g";
    database.client.batch_execute(fill).expect("a table");
    let url = database.url();
    let worker = std::thread::spawn(move || {
        record(&url, &["t"], &format!("{name}.ffrec"), |args| {
            (args.every, args.count, args.wal) = (Some(Duration::from_millis(1500)), Some(2), Some(None));
            args.read.redact = redact;
        })
    });
    std::thread::sleep(Duration::from_millis(900));
    let work = "BEGIN; UPDATE t SET v = 'streng geheim' WHERE id = 1; DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (11, 'geheimer'); COMMIT";
    database.client.batch_execute(work).expect("work");
    let (path, told) = worker.join().expect("no panic").expect("record");
    assert!(told.contains(" WAL records written to "), "{told}");
    path
}

#[test]
fn wal_is_recorded_and_replayed() {
    let mut records = 0;
    for (major, redact) in MAJORS.iter().flat_map(|major| [(*major, false), (*major, true)]) {
        let path = recorded_with_wal(major, redact);
        let opened = open(&path);
        assert_eq!(opened.lost, Vec::<String>::new());
        let group = &opened.timeline.groups()[1];
        let How::Replayed { report, gap: None, .. } = &group.how else { panic!("{major}: {:?}", group.how) };
        assert!(
            report.differing.is_empty() && report.anomalies.is_empty() && report.compared > 0,
            "{major}: {report:?}"
        );
        // update, delete, heap and index insert, commit
        assert!(report.records >= 5, "{major}: {report:?}");
        assert_eq!(holds(&opened, b"geheim"), !redact, "{major}: values of rows");
        records += report.records;
    }
    println!(
        "{records} records recorded on {} versions, as they are and redacted, replayed from the recordings",
        MAJORS.len()
    );
}

/// Do these bytes stand anywhere in a page or record?
fn holds(opened: &Opened, wanted: &[u8]) -> bool {
    let mut timeline = opened.timeline.clone();
    let has = |bytes: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
    (0..timeline.len()).any(|n| {
        timeline.seek(n);
        timeline.state().pages.values().any(|page| has(page.bytes()))
            || timeline.record(n).is_some_and(|record| has(&record.bytes))
    })
}
