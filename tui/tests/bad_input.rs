//! What `ffviz sim` says to input that is wrong: one sentence, and an exit status. And what it prints of input that is
//! right.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const FFVIZ: &str = env!("CARGO_BIN_EXE_ffviz");

/// What a run gave.
struct Ran {
    out: String,
    err: String,
    status: Option<i32>,
}

/// Runs `ffviz sim` over a text.
fn sim(args: &[&str], script: &[u8]) -> Ran {
    let mut command = Command::new(FFVIZ);
    command.arg("sim").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // a program that refuses what it is told does not read
    let _ = child.stdin.take().expect("a pipe").write_all(script);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran { out: text(output.stdout), err: text(output.stderr), status: output.status.code() }
}

const JSONL: &[&str] = &["-", "--format", "jsonl"];

/// The sentence is what `ffviz` writes to standard error, or the beginning of it; empty: nothing.
fn check(script: &str, sentence: &str, status: i32) {
    told(&sim(JSONL, script.as_bytes()), script, sentence, status);
}

fn told(ran: &Ran, input: &str, sentence: &str, status: i32) {
    let input: String = input.chars().take(100).collect();
    assert_eq!(ran.status, Some(status), "{input}: exit status\n{}", ran.err);
    assert!(ran.err.lines().count() <= 1, "{input}: more than one line\n{}", ran.err);
    let said = ran.err.strip_prefix("ffviz: ").unwrap_or(&ran.err).trim_end();
    let is_it = if sentence.is_empty() { said.is_empty() } else { said.starts_with(sentence) };
    assert!(is_it, "{input}:\n  said      {said}\n  expected  {sentence}");
}

#[test]
fn scripts_that_are_wrong() {
    check("selct 1", "statement 1 (line 1): syntax error at or near \"selct\"", 1);
    check("select 1;\n\nselect 1 +", "statement 2 (line 3): syntax error at end of input", 1);
    check("create table t (a", "statement 1 (line 1): syntax error at end of input", 1);
    check("select 1; select 'it''s", "statement 2 (line 1): unterminated quoted string at or near \"'it''s\"", 1);
    check("select e'\\'", "statement 1 (line 1): unterminated quoted string at or near \"e'\\'\"", 1);
    check("select \"a", "statement 1 (line 1): unterminated quoted identifier at or near \"\"a\"", 1);
    check("do $x$ begin", "statement 1 (line 1): unterminated dollar-quoted string at or near \"$x$ begin\"", 1);
    check("select 1 /* 2; /* 3 */", "statement 1 (line 1): unterminated /* comment at or near \"/* 2; /* 3 */\"", 1);
    check("\\d t", "", 0);
    check(
        "select pg_stat_get_numscans(1)",
        "statement 1 (line 1): function pg_stat_get_numscans is not supported; the simulator knows the usual ",
        1,
    );
    check("create rule r as on insert to t do nothing", "statement 1 (line 1): CREATE RULE is not supported; ", 1);
    check("select 1;\0select 2", "statement 2 (line 1): syntax error at or near \"\0\"", 1);
    let deep = format!("select {}1{}", "(".repeat(5000), ")".repeat(5000));
    check(&deep, "statement 1 (line 1): an expression nested this deeply is not supported", 1);
    check(
        &format!("select {}true", "not ".repeat(100_000)),
        "statement 1 (line 1): an expression nested this deeply",
        1,
    );
}

/// A line for each statement, with its line in the file; what is supported is listed once.
#[test]
fn several_that_are_not_supported() {
    let script = "\\timing\ncreate table t (a int);\nselect pg_stat_get_numscans(1),\n  a\nfrom t;\n\\d t\nselect a,\n  pg_stat_get_live_tuples(1)\nfrom t;\ncreate language v;\ncreate rule r as on insert to t do nothing;";
    let ran = sim(JSONL, script.as_bytes());
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    let lines: Vec<&str> = ran.err.lines().map(|line| line.strip_prefix("ffviz: ").unwrap_or(line)).collect();
    let expected = [
        "statement 2 (line 3): function pg_stat_get_numscans is not supported",
        "statement 3 (line 8): function pg_stat_get_live_tuples is not supported",
        "statement 4 (line 10): CREATE LANGUAGE is not supported",
        "statement 5 (line 11): CREATE RULE is not supported",
    ];
    assert_eq!(lines[..4], expected, "{}", ran.err);
    let lists = &lines[4..lines.len() - 1];
    assert!(lists.iter().all(|line| line.starts_with("the simulator knows")) && lists.len() == 2, "{}", ran.err);
    assert_eq!(lines.last(), Some(&"--on CONNINFO runs the script on a server, in a database of its own"));
}

#[test]
fn more_than_there_is_room_for() {
    let endless = b"create table t (a int); insert into t select generate_series(1, 1000000000000)";
    let ran = sim(&["-", "--format", "stats", "--disk", "1MB"], endless);
    told(&ran, "an endless INSERT on a small disk", "", 0);
    assert!(ran.out.contains("ERROR: could not extend file \"base/5/16384\": No space left on device"), "{}", ran.out);
    for size in ["1", "0MB", "MB", "-1GB", "much"] {
        let ran = sim(&["-", &format!("--disk={size}")], b"select 1");
        told_by_clap(&ran, &format!("\"{size}\" is no size such as 2GB or 512MB"));
    }
    let ran = sim(&["-", "--steps", "0"], b"select 1");
    told_by_clap(&ran, "0 is not in 1..=4294967295");
    let few = sim(
        &["-", "--format", "text", "--steps", "30"],
        b"create table t (a int); insert into t select generate_series(1, 100)",
    );
    told(&few, "a run with more steps than are kept", "", 0);
    assert!(few.out.contains("the rest of the statement in one step: "), "{}", few.out);
}

/// The program was called in a way that it does not know.
fn told_by_clap(ran: &Ran, words: &str) {
    assert_eq!(ran.status, Some(2), "{}", ran.err);
    assert!(ran.err.contains(words), "{words}: {}", ran.err);
}

#[test]
fn directives_that_are_wrong() {
    check("--@", "standard input: line 1: --@ without a directive; directives are session NAME, crash,", 1);
    check("select 1;\n--@ nothing", "standard input: line 2: --@ nothing is not understood; directives are", 1);
    check("--@ session 1", "standard input: line 1: \"1\" is no name of a session; it is a letter,", 1);
    check("--@ lsn foo", "standard input: line 1: --@ lsn: ", 1);
    check("--@ xid 0", "standard input: line 1: --@ xid takes a number from 1 to 4294967295, not \"0\"", 1);
    check("--@ oid -1", "standard input: line 1: --@ oid takes a number from 1 to 4294967295, not \"-1\"", 1);
    check("--@ crash torn t 0 8192", "standard input: line 1: a torn page has 1 to 8191 bytes of its new version", 1);
    check(
        "--@ crash torn t x 1",
        "standard input: line 1: \"x\" is no number of a block; blocks are counted from 0",
        1,
    );
    check("select 1\n--@ crash", "standard input: line 2: a directive stands between statements; the one that", 1);
}

/// An error that PostgreSQL raises is part of the play.
#[test]
fn errors_of_the_server() {
    for (script, error) in [
        ("select * from nothere", "relation \"nothere\" does not exist"),
        ("create table t (a int); select b from t", "column \"b\" does not exist"),
        ("create table t (a int); insert into t values ('x')", "invalid input syntax for type integer: \"x\""),
        (
            "create table t (a int); insert into t values (true)",
            "column \"a\" is of type integer but expression is of type boolean",
        ),
        ("select 1 + true", "operator does not exist: integer + boolean"),
        (
            "create table t (a text); alter table t alter a set storage plain; insert into t values (repeat('x', 9000))",
            "row is too big: size 9032, maximum size 8160",
        ),
        ("create table t (a int); insert into t select 1 / (5 - g) from generate_series(1, 9) g", "division by zero"),
        ("select repeat('x', 2000000000)", "requested length too large"),
        ("select 2147483647 + 1", "integer out of range"),
        ("create table t (a int);\ncopy t from stdin;\n1\nx", "invalid input syntax for type integer: \"x\""),
        ("create table t (a int, b int);\ncopy t from stdin;\n1", "missing data for column \"b\""),
    ] {
        let ran = sim(JSONL, script.as_bytes());
        told(&ran, script, "", 0);
        let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["error"], error, "{script}");
        assert!(last["status"].is_null());
    }
    let many = |count: usize| {
        format!(
            "create table t ({})",
            vec!["int"; count].iter().enumerate().map(|(n, ty)| format!("c{n} {ty}")).collect::<Vec<_>>().join(",")
        )
    };
    assert!(sim(JSONL, many(1601).as_bytes()).out.contains("tables can have at most 1600 columns"));
}

/// Each of two sessions waits for the other: the second is told so.
#[test]
fn deadlock() {
    let script = "create table t (a int primary key, b int); insert into t values (1, 1), (2, 2);\nbegin; update t set b = 2 where a = 1;
--@ session B
begin; update t set b = 3 where a = 2; update t set b = 3 where a = 1;
--@ session A
update t set b = 2 where a = 2; commit;";
    let ran = sim(JSONL, script.as_bytes());
    told(&ran, script, "", 0);
    assert!(ran.out.contains("\"waiting\":true") && ran.out.contains("\"error\":\"deadlock detected\""));
}

#[test]
fn files_that_are_no_scripts() {
    let folder = std::env::temp_dir().join(format!("ffviz-bad-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let check = |path: &str, sentence: &str| {
        told(&sim(&[path, "--format", "stats"], b""), path, &format!("{path}: {sentence}"), 1)
    };
    check(&write("junk.sql", b"select 1;\xff\x00"), "no SQL script: byte 9 is not UTF-8");
    check(folder.to_str().expect("UTF-8"), "a folder; a script is a file of SQL");
    check(folder.join("nothere.sql").to_str().expect("UTF-8"), "No such file or directory");
    check(&write("note.md", b"# A note"), "Markdown, and no SQL script; `ffviz lesson --list` lists");
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tutorials/hot-update.md");
    check(
        chapter.to_str().expect("UTF-8"),
        "a chapter of the book, and no SQL script; `ffviz lesson hot-update` plays it",
    );
    told(&sim(&[&write("empty.sql", b""), "--format", "jsonl"], b""), "empty", "", 0);
    // psql leaves a byte order mark at the beginning out, and only there
    let marked = "\u{FEFF}select 1;".as_bytes();
    told(&sim(&[&write("mark.sql", marked), "--format", "jsonl"], b""), "a byte order mark", "", 0);
    told(&sim(JSONL, marked), "a byte order mark", "", 0);
    told(
        &sim(JSONL, "select 1; \u{FEFF}select 2;".as_bytes()),
        "a mark within",
        "statement 2 (line 1): syntax error",
        1,
    );
    let show = |path: &str| Command::new(FFVIZ).args(["show", path]).output().expect("it runs");
    assert!(show(&write("mark.sql", marked)).status.success());
    let packed = include_bytes!("../../snapshots/18/hot-chain.ffrec.gz");
    let mut recording = "\u{FEFF}".as_bytes().to_vec();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut recording).expect("gzip");
    let output = show(&write("mark.ffrec", &recording));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let _ = std::fs::remove_dir_all(&folder);
}

/// Whoever reads may stop reading.
#[test]
fn a_pipe_that_is_closed_early() {
    for format in ["jsonl", "stats", "text"] {
        let mut child = Command::new(FFVIZ)
            .args(["sim", "--format", format, "-c", &"create table t (a int); drop table t; ".repeat(200)])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let mut err = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
        assert!(child.wait().expect("it ends").success() && !line.is_empty() && err.is_empty(), "{format}: {err}");
    }
}

/// The format is an interface. Of pages the golden has the length and the beginning.
#[test]
fn jsonl_is_as_it_was() {
    const SCRIPT: &str = "create table t (id int primary key, b text) with (fillfactor = 90);
insert into t values (1, 'one'), (2, repeat('x', 3000));
begin;
update t set b = 'eins' where id = 1;
--@ session B
update t set b = 'uno' where id = 1;
--@ session A
commit;
insert into t values (1, 'again');
copy t from stdin;
3	three
\\.
--@ crash
select count(*) from t;
drop table t;";
    let ran = sim(
        &[
            "-",
            "--format",
            "jsonl",
            "--pg",
            "18",
            "--start-xid",
            "1000",
            "--start-oid",
            "20000",
            "--start-lsn",
            "0/2000028",
        ],
        SCRIPT.as_bytes(),
    );
    told(&ran, SCRIPT, "", 0);
    let shortened: Vec<String> = ran.out.lines().map(short).collect();
    insta::assert_snapshot!("jsonl", shortened.join("\n"));
}

/// Both runs are listed, the first as it is without another; what only the second refuses is told with its name.
#[test]
fn two_runs_are_listed_one_after_the_other() {
    const SCRIPT: &[u8] = b"create table t (id int primary key, a int);
insert into t select i, i from generate_series(1, 300) i;
update t set a = 0;";
    let run = |format: &str, versus: &[&str]| {
        let ran = sim(&[&["-", "--format", format], versus].concat(), SCRIPT);
        told(&ran, format, "", 0);
        ran.out
    };
    let versus = &["--versus", "fillfactor=50", "--versus", "pg=14"];
    let one = run("stats", &[]);
    let both = run("stats", versus);
    let (first, second) = both.split_once("\n\n-- fillfactor=50 pg=14\n").expect("two runs");
    assert_eq!(first.strip_prefix("-- as written\n"), Some(one.trim_end()));
    assert_eq!(second.lines().count(), one.lines().count());
    assert_ne!(second, one, "the second run is another");
    let (one, both) = (run("jsonl", &[]), run("jsonl", versus));
    let lines: Vec<&str> = both.lines().collect();
    let (first, second) = lines.split_at(lines.len() / 2);
    let bare: Vec<String> = first.iter().map(|line| line.replacen("\"run\":\"as written\",", "", 1)).collect();
    assert_eq!(bare, one.lines().collect::<Vec<_>>());
    assert!(second.iter().all(|line| line.starts_with("{\"run\":\"fillfactor=50 pg=14\",\"n\":")), "{second:?}");
}

/// Each statement that was refused is told, on a line of its own.
#[test]
fn every_refused_statement_is_told() {
    let said = |script: &str, args: &[&str]| {
        let ran = sim(&[&["-"], args].concat(), script.as_bytes());
        assert_eq!(ran.status, Some(1), "{}", ran.err);
        ran.err.lines().map(|line| line.split(" is ").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for format in ["stats", "jsonl", "text"] {
        let both =
            said("create rule r as on insert to t do nothing; select 1; create language v", &["--format", format]);
        assert_eq!(
            both[..2],
            ["ffviz: statement 1 (line 1): CREATE RULE", "ffviz: statement 3 (line 1): CREATE LANGUAGE"]
        );
        let known = "ffviz: the simulator knows CREATE of TABLE, INDEX, VIEW,";
        assert!(both.len() == 4 && both[2].starts_with(known) && both[3].starts_with("ffviz: --on "), "{both:?}");
        let versus = said("create language v", &["--format", format, "--versus", "pg=13"]);
        assert_eq!(
            versus[..2],
            ["ffviz: statement 1 (line 1): CREATE LANGUAGE", "ffviz: pg=13: statement 1 (line 1): CREATE LANGUAGE"]
        );
    }
    let many = said(&"create language v;".repeat(30), &["--format", "stats"]);
    assert_eq!(
        (many.len(), many[20].as_str()),
        (23, "ffviz: 10 statements more; --format stats of `ffviz sim` says it of each")
    );
}

const MIXED: &[u8] = b"create table t (a int);
update t
   set a = 2
 whre a = 1;
create language v;
select nothing from t;
insert into t values (1);";

/// An error of PostgreSQL's is not a statement that is not supported.
#[test]
fn stats_tell_errors_from_what_is_not_supported() {
    let ran = sim(&["-", "--format", "stats"], MIXED);
    let last = ran.out.lines().last().unwrap_or_default();
    let words = "all but 1 statement that is not supported; 2 statements failed with an error";
    assert!(last.ends_with(words), "{last}");
    assert_eq!(ran.status, Some(1));
}

/// The line is that of the script, and a sign stands below the place.
#[test]
fn an_error_shows_its_place() {
    let ran = sim(&["-", "--format", "text"], MIXED);
    let place = "    line 4 of the script:  whre a = 1\n                           ^\n";
    assert!(ran.out.contains(place), "{}", ran.out);
    assert!(ran.out.contains("--on CONNINFO runs the script on a server"), "{}", ran.out);
}

/// A picture of a statement that was run is a good one, whatever else was refused; that is told beside it.
#[test]
fn show_tells_what_was_refused_beside_its_picture() {
    let folder = std::env::temp_dir().join(format!("ffviz-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("mixed.sql");
    std::fs::write(
        &script,
        "create table t (a int);\ncreate language v;\ninsert into t values (1);\ncreate language w;",
    )
    .expect("a file");
    let show = |args: &[&str]| {
        let output = Command::new(FFVIZ).arg("show").arg(&script).args(args).output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"), output.stdout.is_empty())
    };
    let beside = "ffviz: 2 statements were refused, the first is statement 2 (line 2): CREATE LANGUAGE is not supported; \
                  --on CONNINFO runs the script on a server, in a database of its own\n";
    for args in [&["--statement", "3"][..], &["--step", "3.all", "--format", "figure"], &["--statement", "1"]] {
        assert_eq!(show(args), (Some(0), beside.to_owned(), false), "{args:?}");
    }
    assert_eq!(show(&["--statement", "2"]), (Some(1), beside.to_owned(), false));
    let _ = std::fs::remove_dir_all(&folder);
}

/// One statement of a script, or some, in each format.
#[test]
fn statements_are_shown_by_their_numbers() {
    const SCRIPT: &[u8] = b"create table t (a int);\ninsert into t values (1);\nupdate t set a = 2;\nselect * from t;";
    let run = |args: &[&str]| sim(&[&["-"], args].concat(), SCRIPT);
    let jsonl = run(&["--format", "jsonl", "--statement", "2-3"]).out;
    let begins: Vec<&str> = jsonl.lines().map(|line| &line[..7]).collect();
    assert_eq!(begins, ["{\"n\":2,", "{\"n\":3,"]);
    assert!(jsonl.lines().all(|line| line.contains("\"type\":\"COMMIT\"")), "{jsonl}");
    let stats = run(&["--format", "stats", "--statement", "3"]).out;
    assert_eq!(stats.lines().count(), 3, "{stats}");
    let text = run(&["--format", "text", "--statement", "2"]).out;
    assert_eq!(text.matches("insert into t values (1)").count(), 1, "the statement stands once: {text}");
    assert_eq!(text.matches("PostgreSQL 18").count(), 1, "the title stands once: {text}");
    assert!(text.contains("t: INSERT (0,1)") && !text.contains("update t"), "{text}");
    for (wrong, sentence) in [
        ("5", "--statement 5: there are statements 1 to 4"),
        ("0", "error: invalid value '0' for '--statement <N[-M]>'"),
        ("3-2", "error: invalid value '3-2' for '--statement <N[-M]>'"),
    ] {
        let ran = run(&["--format", "stats", "--statement", wrong]);
        assert_eq!(ran.status, Some(2), "{}", ran.err);
        assert!(ran.err.contains(sentence), "{wrong}: {}", ran.err);
    }
}

/// A whole statement is what its main step did, not its COMMIT, also where two runs are shown.
#[test]
fn a_run_begins_with_a_whole_statement() {
    let script = b"create table t (a int); insert into t values (1); update t set a = 2";
    for args in [&["-", "--step", "3.all"][..], &["-", "--step", "3.all", "--versus", "fillfactor=50"]] {
        let ran = sim(args, script);
        let told = ran.out.lines().nth(3).unwrap_or_default();
        assert_eq!(told, "  t: HOT UPDATE (0,1) \u{2192} (0,2)", "{args:?}");
    }
}

/// A line with its pages shortened.
fn short(line: &str) -> String {
    const KEY: &str = "\"hex\":\"";
    let mut parts = line.split(KEY);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hex, rest) = part.split_once('"').expect("a quote");
        text.push_str(&format!("{KEY}{}… {} digits\"{rest}", &hex[..48], hex.len()));
    }
    text
}
