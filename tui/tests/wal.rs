//! `ffviz wal`, run as a program: its list and its totals compared with what pg_walinspect says of the same stretch.

use ffviz_tests::instance::Instance;
use ffviz_tests::servers::{Database, MAJORS, url};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn ffviz(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ffviz")).args(args).output().expect("ffviz runs")
}

fn told(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (text(&output.stdout), text(&output.stderr))
}

/// Standard output of a run that must work and say nothing else.
#[track_caller]
fn works(args: &[&str]) -> String {
    let output = ffviz(args);
    let (out, err) = told(&output);
    assert!(output.status.success() && err.is_empty(), "{args:?}: {err}\n{out}");
    out
}

fn json(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn flushed(database: &mut Database) -> String {
    let client = &mut database.client;
    let sql = "SET synchronous_commit = on; SELECT txid_current()";
    client.batch_execute(sql).expect("a transaction");
    client.query_one("SELECT pg_current_wal_flush_lsn()::text", &[]).expect("a position").get(0)
}

const WORK: &str = "CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE other (id int);
    INSERT INTO t SELECT g, repeat('v', 100) FROM generate_series(1, 2000) g; INSERT INTO other SELECT generate_series(1, 500);
    UPDATE t SET v = 'new' WHERE id % 3 = 0; DELETE FROM t WHERE id % 5 = 0";

#[test]
fn the_list_and_the_totals_are_those_of_pg_walinspect() {
    let (mut compared, mut kinds) = (0, 0);
    for major in MAJORS {
        let mut database = Database::create(major, &format!("wal_command_{major}"));
        let from = flushed(&mut database);
        database.client.batch_execute(WORK).expect("work");
        database.client.batch_execute("VACUUM t").expect("VACUUM");
        let to = flushed(&mut database);
        let url = database.url();
        let range = ["wal", &url, "--from", &from, "--to", &to];
        let list = json(&works(&[&range[..], &["--format", "json"]].concat()));
        assert!(list.len() > 4000, "{major}: {}", list.len());
        let stats = json(&works(&[&range[..], &["--format", "json", "--stats"]].concat()));
        let total = &stats[0]["total"];
        let sum = |key: &str| list.iter().map(|record| record[key].as_u64().expect("a number")).sum::<u64>();
        assert_eq!(total["records"], list.len(), "{major}");
        assert_eq!(
            (total["bytes"].as_u64(), total["image_bytes"].as_u64()),
            (Some(sum("length")), Some(sum("images")))
        );
        let of_relations = stats[0]["relations"].as_array().expect("a list");
        let bytes: u64 = of_relations.iter().filter_map(|relation| relation["bytes"].as_u64()).sum();
        assert_eq!(bytes, sum("length"), "{major}: every byte belongs to one relation, or to none");
        assert!(of_relations.iter().any(|relation| relation["relation"] == "t_pkey"));
        check_text(&range, list.len());
        check_table(&mut database, &range, &list);
        if major >= 15 {
            let (records, types) = compare(&mut database, &from, &to, &list, &stats[0]);
            (compared, kinds) = (compared + records, kinds + types);
        }
    }
    println!("{compared} records compared field by field, {kinds} totals by type, on versions 15 to 18");
    assert!(compared > 16_000);
}

/// Each record, and pg_get_wal_stats.
fn compare(
    database: &mut Database,
    from: &str,
    to: &str,
    list: &[serde_json::Value],
    stats: &serde_json::Value,
) -> (usize, usize) {
    let client = &mut database.client;
    client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect; SET timezone = 'UTC'").expect("the extension");
    let sql = "SELECT start_lsn::text, end_lsn::text, xid::text, resource_manager, record_type, record_length, fpi_length, description
                 FROM pg_get_wal_records_info($1::text::pg_lsn, $2::text::pg_lsn)";
    let rows = client.query(sql, &[&from, &to]).expect("pg_walinspect");
    assert_eq!(rows.len(), list.len());
    for (row, ours) in rows.iter().zip(list) {
        let text = |n: usize| row.get::<_, Option<String>>(n).unwrap_or_default();
        let told = [
            text(0),
            text(1),
            text(2),
            text(3),
            text(4),
            row.get::<_, i32>(5).to_string(),
            row.get::<_, i32>(6).to_string(),
        ];
        let keys = ["lsn", "end", "xid", "rmgr", "type", "length", "images"];
        let found = keys.map(|key| ours[key].as_str().map_or_else(|| ours[key].to_string(), str::to_owned));
        assert_eq!(found, told);
        if matches!(told[3].as_str(), "Heap" | "Heap2" | "Btree") {
            assert_eq!(ours["description"], text(7), "{told:?}");
        }
    }
    let sql = r#"SELECT "resource_manager/record_type", count, combined_size, fpi_size FROM pg_get_wal_stats($1::text::pg_lsn, $2::text::pg_lsn, true)
                  WHERE count > 0"#;
    let rows = client.query(sql, &[&from, &to]).expect("pg_get_wal_stats");
    let types = stats["types"].as_array().expect("a list");
    assert_eq!(rows.len(), types.len());
    for row in &rows {
        let name: String = row.get(0);
        let ours = types.iter().find(|kind| kind["type"] == name.as_str()).unwrap_or_else(|| panic!("{name}"));
        let found = ["records", "bytes", "image_bytes"].map(|key| ours[key].as_i64());
        assert_eq!(found, [1, 2, 3].map(|n| Some(row.get::<_, i64>(n))), "{name}");
    }
    (list.len(), types.len())
}

/// A title, a header, and a line a record.
fn check_text(range: &[&str], records: usize) {
    let text = works(range);
    assert_eq!(text.lines().count(), records + 2);
    assert!(text.lines().nth(1).is_some_and(|header| header.starts_with("LSN ") && header.contains(" bytes ")));
    assert!(text.lines().any(|line| line.contains("Heap/HOT_UPDATE") || line.contains("Heap/UPDATE")));
    for line in text.lines().skip(2) {
        let numbers: Vec<u64> = line.split_whitespace().skip(3).map_while(|word| word.parse().ok()).take(4).collect();
        assert_eq!(numbers[0], numbers[1..].iter().sum::<u64>(), "bytes are those of their parts: {line}");
    }
    let limited = works(&[range, &["--limit", "3", "--ascii"]].concat());
    assert!(limited.lines().count() == 5 && limited.is_ascii(), "{limited}");
}

/// Only what is about a table, its index included.
fn check_table(database: &mut Database, range: &[&str], all: &[serde_json::Value]) {
    let list = json(&works(&[range, &["--format", "json", "-t", "t"]].concat()));
    let sql = "SELECT 'pg_toast_' || 't'::regclass::oid::text";
    let toast: String = database.client.query_one(sql, &[]).expect("its name").get(0);
    let ours = |record: &&serde_json::Value| {
        let blocks = record["blocks"].as_array().expect("a list");
        let name = |block: &serde_json::Value| block["relation"].as_str().unwrap_or_default().to_owned();
        blocks
            .iter()
            .map(name)
            .any(|name| name == "t" || name == "t_pkey" || name == toast || name == format!("{toast}_index"))
    };
    assert!(list.len() > 2000 && list.iter().all(|record| ours(&record)));
    assert_eq!(list.len(), all.iter().filter(ours).count());
    let block = &list[0]["blocks"][0];
    let file = format!("{}/{}/{}", block["tablespace"], block["database"], block["filenode"]);
    let of_file = json(&works(&[range, &["--format", "json", "-t", &file]].concat()));
    assert!(!of_file.is_empty() && of_file.len() < list.len(), "{file}");
}

#[test]
fn arguments_and_ends() {
    let database = Database::create(18, "wal_command_args");
    let url = database.url();
    let refused = |args: &[&str]| {
        let output = ffviz(&[&["wal"], args].concat());
        assert!(!output.status.success(), "{args:?}");
        told(&output).1
    };
    assert!(
        refused(&[&url, "--from", "x"]).contains("not a position in the WAL; it is two hexadecimal numbers such as")
    );
    assert!(refused(&[&url, "--from", "0/2", "--to", "0/1"]).contains("--from 0/2 is not before --to 0/1"));
    let late = refused(&[&url, "--from", "FF/0"]);
    assert!(late.contains("--from FF/0 is not before the end of the server's WAL, "), "{late}");
    let gone = refused(&[&url, "--from", "0/100"]);
    assert!(gone.contains("segment 000000010000000000000000") && gone.contains("not on the server any more"), "{gone}");
    assert!(gone.contains("; what is there begins at "), "{gone}");
    assert!(refused(&[&url, "-t", "nothing"]).contains("there is no table nothing"));
    assert!(refused(&["--dir", "/nowhere"]).contains("/nowhere: No such file"));
    assert!(refused(&["--dir", "/tmp", "-t", "t"]).contains("names are in a database's catalogs"));
    // whoever closes the pipe has seen enough
    let script = format!("{} wal '{url}' | head -1", env!("CARGO_BIN_EXE_ffviz"));
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh");
    let (out, err) = told(&output);
    assert!(out.starts_with("wal_command_args on 127.0.0.1:5518 · PostgreSQL 18.4 · ") && err.is_empty(), "{out}{err}");
}

#[test]
fn a_role_that_may_only_use_pg_walinspect() {
    let mut compared = 0;
    for major in [15, 16, 17, 18] {
        let mut database = Database::create(major, &format!("wal_inspect_{major}"));
        let role = format!("wal_inspector_{major}");
        let setup = format!("CREATE EXTENSION pg_walinspect; DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN");
        database.client.batch_execute(&setup).expect("a role");
        let as_role = url(major, &database.name).replace("postgres@", &format!("{role}@"));
        let refused = told(&ffviz(&["wal", &as_role])).1;
        assert!(refused.contains(&format!("role {role} may not read WAL; a superuser can allow it: GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO {role}")), "{refused}");
        assert!(refused.contains("pg_walinspect"), "{refused}");
        database.client.batch_execute(&format!("GRANT pg_read_server_files TO {role}")).expect("grant");
        let from = flushed(&mut database);
        database.client.batch_execute(WORK).expect("work");
        let to = flushed(&mut database);
        let range = |url: &str, more: &[&str]| {
            let args = [&["wal", url, "--from", &from, "--to", &to, "--format", "json"], more].concat();
            json(&works(&args))
        };
        let (inspected, read) = (range(&as_role, &[]), range(&database.url(), &[]));
        assert_eq!(inspected.len(), read.len(), "{major}");
        for (ours, theirs) in inspected.iter().zip(&read) {
            let same = |key: &str| assert_eq!(ours[key], theirs[key], "{major} {key}");
            let keys = ["lsn", "end", "xid", "rmgr", "type", "length", "images", "headers", "data", "description"];
            keys.iter().for_each(|key| same(key));
            // what these did is told without block data
            if ours["rmgr"] == "Heap" && ours["type"] != "INPLACE" {
                same("headline");
            }
            let places = |record: &serde_json::Value| -> Vec<String> {
                let blocks = record["blocks"].as_array().expect("a list");
                blocks
                    .iter()
                    .map(|b| format!("{} {} {} {}", b["relation"], b["fork"], b["block"], b["image"]))
                    .collect()
            };
            assert_eq!(places(ours), places(theirs), "{major}");
        }
        compared += read.len();
        let of_table = range(&as_role, &["-t", "t", "--stats"]);
        assert_eq!(
            of_table[0]["total"]["records"],
            range(&database.url(), &["-t", "t", "--stats"])[0]["total"]["records"]
        );
        let _ = database.client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    }
    println!("{compared} records told by pg_walinspect and read from segments agree");
}

/// pg_wal of a stopped server with segments of 1 MB, and a record in its first.
fn stopped(major: u32) -> Instance {
    let instance = Instance::create_with(major, "max_wal_size = 1GB\nwal_keep_size = 1GB", &["--wal-segsize=1"]);
    let mut client = instance.client();
    client.batch_execute("CREATE TABLE t (v text)").expect("a table");
    client.batch_execute("INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 3000)").expect("rows");
    client.batch_execute("CHECKPOINT").expect("checkpoint");
    drop(client);
    instance.stop("fast");
    instance
}

/// The names of the segments of a folder.
fn segments(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> =
        names.map(|name| name.into_string().expect("UTF-8")).filter(|name| name.len() == 24).collect();
    names.sort();
    names
}

/// Where a segment of 1 MB starts.
fn start(name: &str) -> String {
    format!("0/{:X}", u64::from_str_radix(&name[16..], 16).expect("a number") << 20)
}

fn total(text: &str) -> u64 {
    json(text)[0]["total"]["records"].as_u64().expect("a number")
}

#[test]
fn a_folder_of_segments_on_all_versions() {
    let mut records = 0;
    for major in MAJORS {
        let instance = stopped(major);
        let pg_wal = instance.data().join("pg_wal");
        let dir = pg_wal.display().to_string();
        let text = works(&["wal", "--dir", &dir]);
        let from = start(&segments(&pg_wal)[0]);
        assert!(
            text.starts_with(&format!("{dir} · PostgreSQL {major} · {from} to 0/")),
            "{}",
            text.lines().next().unwrap_or_default()
        );
        assert!(
            text.lines().last().is_some_and(|last| last.contains("XLOG/CHECKPOINT_SHUTDOWN")),
            "{major}: it ends where WAL ends"
        );
        let stats = ["wal", "--dir", &dir, "--stats", "--format", "json"];
        let whole = total(&works(&stats));
        assert_eq!(text.lines().count() as u64, whole + 2);
        records += whole;
        // half of them compressed, as an archive has them; the last one partial
        let archive = instance.folder().join("archive");
        std::fs::create_dir(&archive).expect("a folder");
        for (n, name) in segments(&pg_wal).iter().enumerate() {
            let bytes = std::fs::read(pg_wal.join(name)).expect("a segment");
            if n % 2 == 0 {
                let file = File::create(archive.join(format!("{name}.gz"))).expect("a file");
                GzEncoder::new(file, Compression::fast()).write_all(&bytes).expect("a file");
            } else {
                std::fs::write(archive.join(format!("{name}.partial")), bytes).expect("a file");
            }
        }
        let dir = archive.display().to_string();
        assert_eq!(total(&works(&["wal", "--dir", &dir, "--stats", "--format", "json"])), whole, "{major}");
    }
    println!("{records} records of folders on {} versions, the same from compressed segments", MAJORS.len());
}

#[test]
fn folders_with_something_wrong() {
    let instance = stopped(18);
    let pg_wal = instance.data().join("pg_wal");
    let dir = pg_wal.display().to_string();
    let stats = ["wal", "--dir", &dir, "--stats", "--format", "json"];
    let whole = total(&works(&stats));
    let names = segments(&pg_wal);
    let second = pg_wal.join(&names[1]);
    let bytes = std::fs::read(&second).expect("a segment");
    let check = |damage: &dyn Fn(&mut Vec<u8>), wanted: &str| {
        let mut damaged = bytes.clone();
        damage(&mut damaged);
        std::fs::write(&second, damaged).expect("a segment");
        let output = ffviz(&stats);
        let (out, err) = told(&output);
        assert!(err.contains(wanted), "{wanted}: {err}");
        assert!(output.status.code() == Some(1) && total(&out) < whole && total(&out) > 10, "{out}");
        assert_eq!(err.lines().count(), 1, "{err}");
    };
    check(&|bytes| bytes[0] ^= 0x3F, "this is no WAL of PostgreSQL 18: magic D1");
    check(&|bytes| bytes[24] ^= 1, "it is the WAL of another cluster (system identifier ");
    check(&|bytes| bytes[100_000] ^= 1, "CRC is wrong");
    check(&|bytes| bytes.truncate(50_000), "it is not whole");
    // zeros, and pages of another use of the file, where WAL goes on: it did not end there
    check(&|bytes| bytes[81_920..90_112].fill(0), "; it goes on at 0/");
    check(&|bytes| bytes[81_920 + 10] ^= 0x20, "an older use of the file; it goes on at 0/");
    check(&|bytes| bytes[40_960..].fill(0), &format!("; it goes on at {}", start(&names[2])));
    std::fs::remove_file(&second).expect("a segment");
    let (out, err) = told(&ffviz(&stats));
    assert!(
        err.contains(&format!("there is no segment for {} to {}", start(&names[1]), start(&names[2])))
            && total(&out) > 10,
        "{err}"
    );
    let (_, err) = told(&ffviz(&["wal", "--dir", &dir, "--from", "FF/0"]));
    assert!(err.contains(&format!("has WAL from {} to 0/", start(&names[0]))) && err.contains("only"), "{err}");
    let empty = instance.folder().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let empty_dir = empty.display().to_string();
    let refused = || told(&ffviz(&["wal", "--dir", &empty_dir])).1;
    assert!(refused().contains("there is no WAL segment in"));
    std::fs::write(empty.join(format!("{}.zst", names[0])), "x").expect("a file");
    assert!(refused().contains("compressed in a way ffviz cannot read; unpack them"));
    std::fs::write(empty.join(&names[0]), vec![7; 1 << 20]).expect("a file");
    assert!(refused().contains("it begins with 0707, which is the WAL of no version 13 to 18"));
}

/// A segment is read by what its first page says, whatever its name.
#[test]
fn one_segment() {
    let instance = stopped(18);
    let pg_wal = instance.data().join("pg_wal");
    let names = segments(&pg_wal);
    let stats = |path: &Path| ffviz(&["wal", &path.display().to_string(), "--stats", "--format", "json"]);
    // the folder as the first argument is the same as --dir
    let dir = pg_wal.display().to_string();
    let whole = total(&works(&["wal", &dir, "--stats", "--format", "json"]));
    assert_eq!(whole, total(&works(&["wal", "--dir", &dir, "--stats", "--format", "json"])));
    let second = pg_wal.join(&names[1]);
    let (out, err) = told(&stats(&second));
    let records = total(&out);
    assert!(err.is_empty() && records > 10 && records < whole, "{err}");
    let bytes = std::fs::read(&second).expect("a segment");
    let renamed = instance.folder().join("renamed");
    let check = |path: &Path, wanted: u64| {
        let output = stats(path);
        let (out, err) = told(&output);
        let read = format!("so it is read as segment {}", names[1]);
        assert!(output.status.success() && err.contains(&read) && total(&out) == wanted, "{err}\n{out}");
    };
    std::fs::write(&renamed, &bytes).expect("a file");
    check(&renamed, records);
    // as a file that is to be used again is named
    let later = instance.folder().join("0000000100000000000000AA");
    std::fs::write(&later, &bytes).expect("a file");
    check(&later, records);
    let refused = |bytes: &[u8], wanted: &str| {
        std::fs::write(&renamed, bytes).expect("a file");
        let output = stats(&renamed);
        let (out, err) = told(&output);
        assert!(output.status.code() == Some(1) && out.is_empty() && err.contains(wanted), "{err}");
    };
    refused(&bytes[8192..], "no whole segment of WAL: its first page is that of 0/");
    refused(&[0; 8192], "no segment of WAL: it begins with 0000, which is the WAL of no version 13 to 18");
    refused(b"", "no segment of WAL");
    let nothing = ffviz(&["wal", "/nowhere/000000010000000000000001"]);
    assert!(told(&nothing).1.contains("/nowhere/000000010000000000000001: no such file or folder; name a segment"));
    let mut damaged = bytes.clone();
    damaged[100_000] ^= 1;
    std::fs::write(&second, damaged).expect("a segment");
    let output = stats(&second);
    let (out, err) = told(&output);
    assert!(output.status.code() == Some(1) && err.contains("CRC is wrong; it goes on at 0/"), "{err}");
    assert!(total(&out) > 0 && total(&out) < records);
    // a folder whose one segment holds another use of the file
    let folder = instance.folder().join("again");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("0000000100000000000000AA"), &bytes).expect("a file");
    let output = stats(&folder);
    assert!(output.status.success() && told(&output).1.contains("no record was read: WAL ends at 0/AA00000"));
}

/// Bytes changed anywhere in a segment, and segments of any length: an end, and nothing panics.
#[test]
fn any_segment() {
    let instance = stopped(18);
    let pg_wal = instance.data().join("pg_wal");
    let bytes = std::fs::read(pg_wal.join(&segments(&pg_wal)[0])).expect("a segment");
    let path = instance.folder().join("any");
    let mut seed = 5_u64;
    let mut below = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for n in 0..30 {
        let mut damaged = bytes.clone();
        for _ in 0..=below(5) {
            let at = if below(3) == 0 { below(40) } else { below(damaged.len()) };
            damaged[at] = below(256) as u8;
        }
        damaged.truncate(if n % 3 == 0 { below(bytes.len()) } else { bytes.len() });
        std::fs::write(&path, damaged).expect("a file");
        let output = ffviz(&["wal", &path.display().to_string(), "--stats"]);
        let (_, err) = told(&output);
        assert!(matches!(output.status.code(), Some(0 | 1)) && !err.contains("panicked"), "{err}");
    }
}

/// The first Ctrl-C ends it with the totals so far.
#[test]
fn interrupted() {
    let instance = Instance::create(18, "max_wal_size = 4GB");
    let mut client = instance.client();
    client.batch_execute("CREATE TABLE t (v text)").expect("a table");
    client.batch_execute("INSERT INTO t SELECT repeat('x', 1000) FROM generate_series(1, 20000)").expect("rows");
    let url = instance.url("postgres");
    let child = Command::new(env!("CARGO_BIN_EXE_ffviz"))
        .args(["wal", &url, "--stats", "--format", "json", "--pages-per-second", "200"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ffviz runs");
    std::thread::sleep(Duration::from_secs(3));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = told(&output);
    assert!(output.status.success() && err.contains("interrupted; this is what was read until then"), "{err}");
    let (read, whole) = (total(&out), total(&works(&["wal", &url, "--stats", "--format", "json"])));
    assert!(read > 0 && read < whole, "{read} of {whole}");
    println!("interrupted after {read} of {whole} records");
}

/// 200 MB of WAL in a process that may have no more than 64 MB of memory.
#[test]
fn memory_is_bounded() {
    let instance = Instance::create(18, "max_wal_size = 4GB\nfull_page_writes = off");
    let mut client = instance.client();
    let from: String = client.query_one("SELECT pg_current_wal_flush_lsn()::text", &[]).expect("a position").get(0);
    client.batch_execute("CREATE TABLE t (v text); ALTER TABLE t ALTER v SET STORAGE PLAIN").expect("a table");
    for _ in 0..8 {
        client.batch_execute("INSERT INTO t SELECT repeat('x', 7000) FROM generate_series(1, 3000)").expect("rows");
    }
    let script = format!(
        "ulimit -v 131072; exec {} wal '{}' --from {from} --stats --format json --pages-per-second 0",
        env!("CARGO_BIN_EXE_ffviz"),
        instance.url("postgres")
    );
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh");
    let (out, err) = told(&output);
    assert!(output.status.success() && err.is_empty(), "{err}");
    let bytes = json(&out)[0]["total"]["bytes"].as_u64().expect("a number");
    println!("{} MB of records in 128 MB of address space", bytes >> 20);
    assert!(bytes > 160 << 20);
}
