//! Oracle 2: all pages of all tables, indexes, TOAST tables and sequences before a workload, and after it. The WAL that
//! the server wrote between, replayed over the first, must give the second: visibility maps too, hints and unused bytes
//! masked. Free space maps are not logged; of them only the shape is compared: every node is the greater of its
//! children, on our pages as on the server's.

use super::capture::Capture;
use ffviz_format::page::{ForkNumber, FsmPage, Page, PgVersion};
use ffviz_format::wal::BlockTag;
use ffviz_story::redo::{Disk, redo};
use ffviz_tests::instance::Instance;
use ffviz_tests::workload::{self, Workload};
use ffviz_tests::{tpcb, wal};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

ffviz_tests::each_version!(short: super::short);
ffviz_tests::each_version!(#[ignore = "minutes"] long: super::long);

/// What was compared.
#[derive(Debug, Default)]
struct Totals {
    records: usize,
    /// pages of main forks that equal the server's
    main: usize,
    /// of these, pages that redo changed
    changed: usize,
    /// pages of visibility maps that equal the server's
    vm: usize,
    /// pages of free space maps that have the right shape: ours, the server's
    fsm: (usize, usize),
    wrong: Vec<String>,
}

/// Replays what the workload writes and compares.
fn check(instance: &Instance, name: &str, version: PgVersion, log_hints: bool, run: impl FnOnce()) -> Totals {
    let mut client = instance.client();
    let from = wal::insert_position(&mut client);
    let before = Capture::take(&mut client);
    run();
    let (to, after) = (wal::flushed(&mut client), Capture::take(&mut client));
    let mut disk = Disk::new(version, 8192, log_hints);
    disk.only = Some(before.files.keys().chain(after.files.keys()).copied().collect());
    for (tag, page) in before.pages {
        disk.put(tag, page);
    }
    let mut totals = Totals::default();
    let mut changed = BTreeSet::new();
    for record in wal::records(instance, version, from, to) {
        let decoded = record.decode(version).unwrap_or_else(|why| panic!("record at {}: {why}", record.start));
        let effects = redo(&decoded, &mut disk);
        totals.records += 1;
        totals.wrong.extend(effects.anomalies.iter().map(ToString::to_string));
        changed.extend(effects.changed);
    }
    compare(&disk, &after, &changed, &mut totals);
    println!("PostgreSQL {}, {name}: {totals}", version.major());
    totals
}

fn compare(disk: &Disk, after: &Capture, changed: &BTreeSet<BlockTag>, totals: &mut Totals) {
    let mut wrong = Vec::new();
    for (tag, server) in &after.pages {
        let file = &after.files[&tag.locator];
        let ours = disk.page(*tag);
        if tag.fork == ForkNumber::Fsm {
            totals.fsm.0 += usize::from(ours.is_some_and(|page| is_shaped(page, *tag, &mut wrong)));
            totals.fsm.1 += usize::from(is_shaped(server, *tag, &mut wrong));
            continue;
        }
        match ours.map(|page| file.difference(page, server, *tag)) {
            // pages that a table was extended by at once, and that nothing was put on, are not logged
            None if server.is_new() => {}
            None => wrong.push(format!("{} {tag}: not known after redo", file.name)),
            Some(None) if tag.fork == ForkNumber::Vm => totals.vm += 1,
            Some(None) => {
                totals.main += 1;
                totals.changed += usize::from(changed.contains(tag));
            }
            Some(Some(text)) => {
                wrong.push(format!("{} {tag}, redo changed it: {}: {text}", file.name, changed.contains(tag)));
            }
        }
    }
    let kept = disk.pages().filter(|(tag, page)| after.files.contains_key(&tag.locator) && !page.is_new());
    for (tag, _) in kept.filter(|(tag, _)| tag.fork == ForkNumber::Main && !after.pages.contains_key(tag)) {
        wrong.push(format!("{} {tag}: on the server it was cut off", after.files[&tag.locator].name));
    }
    totals.wrong.extend(wrong);
}

/// Is each node of a free space map's page the greater of its children?
fn is_shaped(page: &Page, tag: BlockTag, wrong: &mut Vec<String>) -> bool {
    let anomalies = if page.is_new() { Vec::new() } else { FsmPage::decode(page, tag.block).anomalies };
    wrong.extend(anomalies.iter().map(|anomaly| format!("{tag}: {}", anomaly.text)));
    anomalies.is_empty()
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (ours, server) = self.fsm;
        write!(
            f,
            "{} records; equal: {} pages, {} of them changed, {} of visibility maps; ",
            self.records, self.main, self.changed, self.vm
        )?;
        write!(f, "free space maps in shape: {ours} of ours, {server} of the server's")
    }
}

/// Settings of all instances here.
const SETTINGS: &str =
    "max_wal_size = 8GB\nwal_keep_size = 4GB\ncheckpoint_timeout = 1d\nbgwriter_lru_maxpages = 0\nwal_log_hints = off";

/// A server with or without data checksums, whatever its version does by itself.
pub fn instance(major: u32, checksums: bool) -> Instance {
    let args: &[&str] = match (checksums, major >= 18) {
        (true, false) => &["-k"],
        (false, true) => &["--no-data-checksums"],
        _ => &[],
    };
    let settings = format!("{}\n{SETTINGS}", workload::SETTINGS);
    let instance = Instance::create_with(major, &settings, args);
    instance.client().batch_execute("CREATE EXTENSION pageinspect").expect("the package has pageinspect");
    instance
}

/// The statements of the recordings' scripts.
fn scenarios(instance: &Instance) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/scenarios");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("scenarios").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() > 5, "the scenarios were not found");
    for (n, file) in files.iter().enumerate() {
        let mut client = instance.client();
        client
            .batch_execute(&format!("CREATE SCHEMA scenario{n}; SET search_path = scenario{n}, public"))
            .expect("a schema");
        let text = fs::read_to_string(file).expect("a scenario");
        for statement in text.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n").split(";\n")
        {
            client.batch_execute(statement).unwrap_or_else(|error| panic!("{}: {statement}: {error}", file.display()));
        }
    }
}

/// One workload of the shared ones after the other, in one go.
fn shared(instance: &Instance, workloads: &[Workload]) {
    for workload in workloads {
        workload.run(instance.major, &mut || instance.client());
    }
}

/// All images from here on are compressed.
fn compress(instance: &Instance) {
    let mut client = instance.client();
    for sql in ["ALTER SYSTEM SET wal_compression = on", "SELECT pg_reload_conf()", "CHECKPOINT"] {
        client.batch_execute(sql).expect("a setting");
    }
}

/// With data checksums on every second version, so that both are seen.
fn short(major: u32) {
    let checksums = major % 2 == 1;
    let instance = instance(major, checksums);
    let version = wal::version(&mut instance.client());
    let tables = ["truncation", "toast", "vacuum", "sequences", "page_deletion", "rewrites"].map(workload::named);
    tpcb::create(&instance, 2000);
    let totals = [
        check(&instance, "scenarios", version, checksums, || scenarios(&instance)),
        check(&instance, "six clients", version, checksums, || tpcb::run(&instance, 60)),
        check(&instance, "tables and trees, compressed", version, checksums, || {
            compress(&instance);
            tpcb::run(&instance, 10);
            shared(&instance, &tables);
            shared(&instance, &[workload::churn(u64::from(major), 25)]);
        }),
    ];
    verdict(major, &totals, [1000, 400, 10]);
}

/// All workloads, without checksums and with them.
fn long(major: u32) {
    for checksums in [false, true] {
        let instance = instance(major, checksums);
        let version = wal::version(&mut instance.client());
        tpcb::create(&instance, 20_000);
        let totals = [
            check(&instance, "scenarios", version, checksums, || scenarios(&instance)),
            check(&instance, "six clients", version, checksums, || tpcb::run(&instance, 2000)),
            check(&instance, "all workloads", version, checksums, || shared(&instance, &workload::all())),
            check(&instance, "six clients, compressed", version, checksums, || {
                compress(&instance);
                tpcb::run(&instance, 2000);
            }),
        ];
        verdict(major, &totals, [300_000, 2000, 50]);
    }
}

/// Fails where a page differs, or where fewer records, changed pages and pages of visibility maps were compared than
/// `least`.
fn verdict(major: u32, totals: &[Totals], least: [usize; 3]) {
    let wrong: Vec<&str> = totals.iter().flat_map(|totals| &totals.wrong).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "PostgreSQL {major}: {} pages differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
    let sum = |what: fn(&Totals) -> usize| totals.iter().map(what).sum::<usize>();
    let done = [sum(|totals| totals.records), sum(|totals| totals.changed), sum(|totals| totals.vm)];
    assert!(
        done.iter().zip(least).all(|(done, least)| *done > least),
        "PostgreSQL {major}: too little was compared: {done:?}"
    );
}
