//! `ffviz run`, `ffviz experiment` and `ffviz advise` as commands: what they print, and what they say to bad input.

use ffviz_tests::instance::{Instance, NEWEST};
use std::io::Write;
use std::process::{Command, Output, Stdio};

const FFVIZ: &str = env!("CARGO_BIN_EXE_ffviz");

/// The command with a script as standard input.
fn ffviz(args: &[&str], script: &str) -> Output {
    let mut command = Command::new(FFVIZ);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // whoever refuses the command line does not read
    let _ = child.stdin.take().expect("a pipe").write_all(script.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

const TABLE: &str = "create table t (id int primary key, n int) with (fillfactor = 50);
    insert into t select g, 0 from generate_series(1, 500) g; checkpoint;";
const SCRIPT: &str = "\\set id random(1, 500)\n\\set again case when :client_id = 0 then 1 else 500 end
begin;\nupdate t set n = n + 1 where id = :id;\nselect n from t where id = :id \\gset\n
\\if :n > 0\nupdate t set n = :n where id = :again;\n\\endif\nend;\n";

/// A folder with a script that makes tables.
fn tables() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tables.sql");
    std::fs::write(&path, TABLE).expect("a file");
    let path = path.to_str().expect("a path").to_owned();
    (folder, path)
}

#[test]
fn a_run_of_several_clients_as_json() {
    let (_folder, tables) = tables();
    for major in ["13", "18"] {
        let args = ["run", "-", "--before", &tables, "-c", "5", "-t", "40", "--format", "json", "--pg", major];
        let args = [&args[..], &["--autovacuum", "--checkpoint-every", "50"]].concat();
        let [one, other] = [ffviz(&args, SCRIPT), ffviz(&args, SCRIPT)];
        assert_eq!(text(&one.stderr), "");
        assert_eq!(text(&one.stdout), text(&other.stdout), "the same seed gives the same run");
        let told: serde_json::Value = serde_json::from_slice(&one.stdout).expect("JSON");
        let run = &told["run"];
        assert_eq!(run["transactions"], 200);
        // clients wait for each other, and all updates are done
        assert!(run["updated"].as_u64().expect("a number") >= 380, "{run}");
        assert!(run["images"].as_u64().expect("a number") > 3, "{run}");
        let titles: Vec<&str> =
            told["plots"].as_array().expect("plots").iter().filter_map(|plot| plot["title"].as_str()).collect();
        for title in ["Pages of a transaction", "HOT updates", "WAL by type of record", "Full-page images", "Size"] {
            assert!(titles.contains(&title), "{titles:?}");
        }
    }
}

#[test]
fn a_transaction_is_looked_at() {
    let (_folder, tables) = tables();
    let run = ffviz(&["run", "-", "--before", &tables, "-t", "20", "--look", "7", "-M", "prepared"], SCRIPT);
    let told = text(&run.stdout);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(told.contains("update t set n = n + 1 where id = ") && told.contains("HOT"), "{told}");
    let late = ffviz(&["run", "-", "--before", &tables, "-t", "20", "--look", "21"], SCRIPT);
    assert_eq!((late.status.code(), text(&late.stderr).contains("there are 20 transactions")), (Some(2), true));
}

#[test]
fn statements_are_printed() {
    let run = ffviz(&["run", "-b", "select-only", "-t", "3", "--print", "--random-seed", "42"], "");
    // as pgbench 15 logs them
    let aids = [83532, 78212, 64583].map(|aid| format!("SELECT abalance FROM pgbench_accounts WHERE aid = {aid};\n"));
    let first = text(&run.stdout);
    assert!(first.starts_with(&aids[0]) && first.lines().count() == 3, "{first}");
}

/// A sentence, and 2 where the command line is wrong, 1 where the script is.
#[test]
fn bad_input_is_answered_in_a_sentence() {
    for (args, script, status, expected) in [
        (&["run", "-T", "60"][..], "", 2, "-T: no time passes in the simulator"),
        (&["run", "-R", "60"], "", 2, "-R: no time passes"),
        (&["run", "-j", "4"], "", 2, "-j: one thread runs all clients"),
        (&["run", "-b", "tpcc"], "", 2, "is no builtin script"),
        (&["run", "-b", "tpcb-like@x"], "", 2, "after @ comes the script's weight"),
        (&["run", "-i", "-s", "20000"], "", 2, "the tables do not fit the simulated disk"),
        (&["run", "-"], "\\frob\n", 1, "standard input, line 1: \\frob is no command of pgbench"),
        (
            &["run", "-"],
            "select 1;\n\\set x random_zipfian(1, 10, 0.5)\nselect 2;",
            1,
            "line 2: zipfian parameter must be",
        ),
        (
            &["run", "-"],
            "select 1;\nselect * from absent;",
            1,
            "line 2: client 0 was aborted: ERROR: relation \"absent\"",
        ),
        (&["run", "-", "--print", "-c", "2"], "select 1;", 2, "--print writes the statements of one client"),
        (&["run", "no-such-file.sql"], "", 1, "no-such-file.sql: "),
        (&["experiment", "cold-fusion"], "", 2, "\"cold-fusion\" is no experiment"),
        (&["experiment", "wal-of-update", "--scale", "0"], "", 2, "is no scale"),
        (&["advise"], "", 2, "--table <TABLE>"),
        (&["advise", "shop", "--row-width", "100"], "", 2, "cannot be used with"),
        (&["advise", "--row-width", "100", "--updates", "indexed=200"], "", 2, "indexed=PERCENT is from 0 to 100"),
        (
            &["advise", "--row-width", "100", "--updates", "colour"],
            "",
            1,
            "t has no column \"colour\"; it has id, counter, filler",
        ),
        (&["advise", "--row-width", "20", "--indexes", "9"], "", 2, "takes 44 bytes at least"),
        (&["advise", "host=127.0.0.1 port=1 connect_timeout=2", "-t", "t"], "", 1, "ffviz: "),
    ] {
        let run = ffviz(args, script);
        let told = text(&run.stderr);
        assert_eq!(run.status.code(), Some(status), "{args:?}: {told}");
        assert!(told.contains(expected), "{args:?}: {told}");
    }
}

#[test]
fn an_experiment_as_json_has_stable_keys() {
    let run = ffviz(&["experiment", "wal-of-update", "--scale", "5000", "--format", "json"], "");
    let told: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((told["experiment"].as_str(), told["scale"].as_u64()), (Some("wal-of-update"), Some(5000)));
    let rows = told["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 12, "six of PostgreSQL, six of the undo engine");
    for row in rows {
        let keys: Vec<&String> = row.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["case", "measured", "origin", "published", "system"]);
        let keys: Vec<&String> = row["measured"].as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["bytes", "bytes_a_row", "dirtied", "records"]);
    }
}

/// A table of which only a few numbers are known.
#[test]
fn advice_without_a_server() {
    let args = ["advise", "--row-width", "900", "--indexes", "2", "--rows", "1000", "--fillfactors", "100,80"];
    let run = ffviz(&args, "");
    let told = text(&run.stdout);
    assert!(run.status.success(), "{}", text(&run.stderr));
    for words in [
        "t, PostgreSQL 18, fillfactor 100",
        "Simulated with each fillfactor: 1,000 rows, then 2,000 updates",
        "ALTER TABLE t SET (fillfactor = 80);",
        "given: 900 bytes a row",
        "assumed: ",
    ] {
        assert!(told.contains(words), "no {words:?} in\n{told}");
    }
    let json = [&args[..], &["--updates", "indexed", "--pg", "13", "--format", "json"]].concat();
    let told: serde_json::Value = serde_json::from_slice(&ffviz(&json, "").stdout).expect("JSON");
    let advice = &told["advice"];
    assert_eq!((advice["recommendation"]["change"].as_bool(), advice["version"].as_u64()), (Some(true), Some(13)));
    let hot: Vec<Option<f64>> =
        advice["cases"].as_array().expect("cases").iter().map(|case| case["hot"].as_f64()).collect();
    assert_eq!(hot, [Some(0.0), Some(0.0)]);
    assert!(advice["obstacles"][0].as_str().is_some_and(|told| told.contains("whatever the fillfactor")), "{advice}");
    let csv = text(&ffviz(&[&args[..], &["--format", "csv"]].concat(), "").stdout);
    assert!(csv.starts_with("plot,unit,series,x,y\nHOT updates,% of the updates,HOT,0,"), "{csv}");
}

/// What a server counts of the same statements is what the simulator counts; databases are there as before.
#[test]
fn a_run_beside_a_server() {
    let instance = Instance::create(NEWEST, "autovacuum = off");
    let url = instance.url("postgres");
    let before = databases(&instance);
    let (_folder, tables) = tables();
    let args = ["run", "-", "--before", &tables, "-c", "3", "-t", "20", "--format", "json", "--on", &url];
    let args = [&args[..], &["--allow-server-wide", "--checkpoint-every", "25"]].concat();
    let ran = ffviz(&args, SCRIPT);
    assert_eq!(text(&ran.stderr), "");
    let told: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let (run, server) = (&told["run"], &told["server"]);
    assert!(run["updated"].as_u64().is_some_and(|rows| rows > 60), "{run}");
    for key in ["transactions", "images", "updated", "hot"] {
        assert_eq!(run[key], server[key], "{key}");
    }
    let types = server["wal"].as_array().expect("types of records");
    assert!(types.len() > 3, "{types:?}");
    for of_type in types {
        assert!(run["wal"].as_array().expect("types of records").contains(of_type), "{of_type}: {}", run["wal"]);
    }
    assert_eq!(databases(&instance), before);

    // no checkpoint of the whole server, unless that may be
    let refused = ffviz(&args.iter().copied().filter(|arg| *arg != "--allow-server-wide").collect::<Vec<_>>(), SCRIPT);
    assert!(text(&refused.stderr).contains("--allow-server-wide"), "{}", text(&refused.stderr));
    let harmful = ffviz(&["run", "-", "-t", "1", "--on", &url], "drop database decoy;");
    assert_eq!(harmful.status.code(), Some(1), "{}", text(&harmful.stderr));
    assert_eq!(databases(&instance), before);
}

/// Databases, and the rows of one that nobody may touch.
fn databases(instance: &Instance) -> Vec<String> {
    let mut client = instance.client();
    if client
        .query_one("SELECT count(*) FROM pg_database WHERE datname = 'decoy'", &[])
        .expect("a count")
        .get::<_, i64>(0)
        == 0
    {
        client.batch_execute("CREATE DATABASE decoy").expect("a database");
        client.batch_execute("CREATE TABLE pgbench_accounts AS SELECT 7 AS mine").expect("a table");
    }
    let named = "SELECT datname::text FROM pg_database UNION ALL SELECT mine::text FROM pgbench_accounts ORDER BY 1";
    client.query(named, &[]).expect("names").iter().map(|row| row.get(0)).collect()
}

/// An experiment's rows on a server are those of the simulator; what the server's settings do not allow is named.
#[test]
fn experiments_beside_a_server() {
    let instance = Instance::create(NEWEST, "full_page_writes = off\nautovacuum = off");
    let url = instance.url("postgres");
    let before = databases(&instance);
    for (name, scale) in [("index-bloat", "100"), ("wal-of-update", "10000"), ("fillfactor-over-time", "1")] {
        let args = ["experiment", name, "--scale", scale, "--format", "json", "--on", &url, "--allow-server-wide"];
        let ran = ffviz(&args, "");
        assert_eq!(text(&ran.stderr), "", "{name}");
        let told: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        let rows = told["rows"].as_array().expect("rows");
        let on_server: Vec<_> = rows.iter().filter(|row| row["origin"] == "server").collect();
        assert!(on_server.len() >= 2, "{name}: {rows:?}");
        for row in on_server {
            let is_same = |own: &&serde_json::Value| {
                own["origin"] == "simulated" && own["system"] == row["system"] && own["case"] == row["case"]
            };
            let own = rows.iter().find(is_same).expect("a row beside");
            for (key, figure) in row["measured"].as_object().expect("figures") {
                let (figure, ours) =
                    (figure.as_f64().expect("a number"), own["measured"][key].as_f64().expect("a number"));
                // pages of the maps, and those that only hints have changed, are in no record
                let most = if ["start", "best", "end", "tps", "dirtied"].contains(&key.as_str()) { 0.2 } else { 1e-9 };
                assert!((figure - ours).abs() <= most * ours.abs(), "{name}, {key}: {figure} on the server, {ours}");
            }
        }
    }
    assert_eq!(databases(&instance), before);
    let left_out = Instance::create(NEWEST, "");
    let args =
        ["experiment", "wal-of-update", "--scale", "1000", "--on", &left_out.url("postgres"), "--allow-server-wide"];
    let told = text(&ffviz(&args, "").stdout);
    assert!(told.contains("it needs full_page_writes = off on the server, which has on"), "{told}");
}
