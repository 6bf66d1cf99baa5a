//! Texts, and the statements psql makes of them.

use super::super::{Directive, Item, Script, note};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::Lsn;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let script = Script::parse(text).expect("a script");
    let found: Vec<&str> = script.statements().map(|statement| statement.sql.as_str()).collect();
    assert_eq!(found, expected, "{text}");
    let printed = Script::parse(&script.to_string()).expect("what is printed is a script");
    let again: Vec<_> = printed.statements().map(|s| (s.n, &s.session, &s.sql, &s.copy_data)).collect();
    assert_eq!(again, script.statements().map(|s| (s.n, &s.session, &s.sql, &s.copy_data)).collect::<Vec<_>>());
}

#[test]
fn statements_end_at_semicolons() {
    check("", &[]);
    check(" ; ;;\n", &[]);
    check("select 1; select 2", &["select 1", "select 2"]);
    check("select ';', \"a;b\" ;", &["select ';', \"a;b\""]);
    check("select 'it''s;', E'\\';' ; x", &["select 'it''s;', E'\\';'", "x"]);
    check("select '\\'; y", &["select '\\'", "y"]);
    check("do $$ begin; end; $$; z", &["do $$ begin; end; $$", "z"]);
    check("select $a$ $$ ; $b$ $a$; z", &["select $a$ $$ ; $b$ $a$", "z"]);
    check("select a$1$;b", &["select a$1$", "b"]);
    check("select $1; b", &["select $1", "b"]);
    check("create rule r as on x do (a; b); c", &["create rule r as on x do (a; b)", "c"]);
    let open = Script::parse("select 1; select 'open; x").expect("a script");
    assert_eq!(open.statements().map(|s| s.sql.as_str()).collect::<Vec<_>>(), ["select 1", "select 'open; x"]);
    check("select 'ä;', 'ö'; ü", &["select 'ä;', 'ö'", "ü"]);
}

/// As psql of 14 and newer reads them.
#[test]
fn bodies_in_sql_have_semicolons() {
    let body =
        "create or replace function f() returns int begin atomic select 1; select case when true then 2 end; end";
    check(&alloc::format!("{body}; select 3"), &[body, "select 3"]);
    check(
        "CREATE PROCEDURE p() BEGIN ATOMIC select 1; END; x",
        &["CREATE PROCEDURE p() BEGIN ATOMIC select 1; END", "x"],
    );
    check(
        "begin; create function f() returns int return 1; x",
        &["begin", "create function f() returns int return 1", "x"],
    );
    check("create table begin (a int); x; end; y", &["create table begin (a int)", "x", "end", "y"]);
    check("select create function begin; x", &["select create function begin", "x"]);
}

#[test]
fn comments_are_no_statements() {
    check("-- a; b\nselect 1; -- c\n/* d; /* e; */ f; */ select 2;", &["select 1", "select 2"]);
    check("select 1 -- a; b\n, 2;", &["select 1 -- a; b\n, 2"]);
    check("select 1 - -1; select 4 / 2;", &["select 1 - -1", "select 4 / 2"]);
    check("/* open; ", &[]);
}

#[test]
fn copy_takes_its_data() {
    let script = Script::parse("COPY t (a, b) FROM STDIN;\n1\tx;'\n2\t--@ y\n\\.\nselect 1;").expect("a script");
    let found: Vec<_> = script.statements().map(|s| (s.n, s.line, s.copy_data.as_deref())).collect();
    assert_eq!(found, [(1, 1, Some("1\tx;'\n2\t--@ y\n")), (2, 5, None)]);
    for (text, data) in [
        ("copy t from stdin with (freeze);\n\\.\n", Some("")),
        ("copy t from stdin;\n1\n", Some("1\n")),
        ("copy t from stdin;", Some("")),
        ("copy t from stdin", Some("")),
        ("copy t to stdout;\n", None),
        ("select 'copy t from stdin';\n", None),
    ] {
        let script = Script::parse(text).expect("a script");
        assert_eq!(script.statements().next().and_then(|s| s.copy_data.as_deref()), data, "{text}");
    }
    check("copy t from stdin;\n1\n\\.\n--@ session B\nselect 2;", &["copy t from stdin", "select 2"]);
}

#[test]
fn directives() {
    let text = "--@ lsn 0/1A2B3C8\n--@ xid 700\n--@ oid 16384\n--@ multixact 9\nselect 1;\n--@ session B\nselect 2;\n  --@ crash\n\
                --@ crash torn t.toast 3 4096\n--@ crash before insert_upper\n--@ set work_mem '4 MB'\n-- @ no directive\n--@ redo B\n--@ session A\nselect 3;";
    let script = Script::parse(text).expect("a script");
    let sessions: Vec<_> = script.statements().map(|s| (s.n, s.session.as_str(), s.line)).collect();
    assert_eq!(sessions, [(1, "A", 5), (2, "B", 7), (3, "A", 15)]);
    let directives: Vec<_> = (script.items.iter())
        .filter_map(|item| match item {
            Item::Directive { directive, line } => Some((directive.clone(), *line)),
            Item::Statement(_) => None,
        })
        .collect();
    let torn = Directive::CrashTorn { rel: "t.toast".to_string(), block: 3, bytes: 4096 };
    let set = Directive::Set { name: "work_mem".to_string(), value: "4 MB".to_string() };
    let lsn = Directive::Lsn(Lsn(0x1A2_B3C8));
    assert_eq!(
        directives,
        [
            (lsn, 1),
            (Directive::Xid(700), 2),
            (Directive::Oid(16384), 3),
            (Directive::MultiXact(9), 4),
            (Directive::Crash, 8),
            (torn, 9),
            (Directive::CrashBefore { kind: "INSERT_UPPER".to_string() }, 10),
            (set, 11),
            (Directive::Redo("B".to_string()), 13)
        ]
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, line, part) in [
        ("select 1;\n--@ crahs", 2, "crahs is not understood"),
        ("--@", 1, "without a directive"),
        ("select 1\n--@ crash\n;", 2, "begins in line 1"),
        ("--@ crash torn t 0 9000", 1, "1 to 8191"),
        ("--@ crash torn t -1 10", 1, "counted from 0"),
        ("--@ xid 0", 1, "from 1"),
        ("--@ lsn 12", 1, "LSN"),
        ("--@ session 1;", 1, "no name of a session"),
        ("copy t from stdin; select 1;\n", 1, "line after"),
    ] {
        let error = Script::parse(text).expect_err(text);
        assert_eq!(error.line, line, "{text}");
        assert!(error.sentence.contains(part), "{error}");
    }
}

/// As psql does, which reads on in the value of a variable.
#[test]
fn variables_end_statements() {
    let split = |text: &str| -> Vec<String> {
        Script::parse(text).expect("a script").statements().map(|statement| statement.sql.clone()).collect()
    };
    assert_eq!(split("\\set q 'select 1, '';'';'\nbegin;\n:q\ncommit;"), ["begin", "select 1, ';'", "commit"]);
    assert_eq!(split("\\set q 'select 1;select 2; select'\n:q 3;"), ["select 1", "select 2", "select 3"]);
    assert_eq!(split("\\set c ' + 1;'\nselect 2:c select 3"), ["select 2 + 1", "select 3"]);
    assert_eq!(
        split("\\set q 'select 1;'\nselect 4 as x \\gset\n:q\nselect 2"),
        ["select 4 as x", "select 1", "select 2"]
    );
}

/// psql's own commands are passed over, and none keeps the rest of the script from being run.
#[test]
fn commands_of_psql() {
    let split = |text: &str| -> Vec<String> {
        let script = Script::parse(text).expect("a script");
        let told = script.items.iter().map(|item| match item {
            Item::Directive { directive: Directive::Psql(command), line } => format!("{line}: {}", note(command)),
            Item::Directive { .. } => panic!("{text}"),
            Item::Statement(statement) => format!("{}: {}", statement.line, statement.sql),
        });
        told.collect()
    };
    let check = |text: &str, expected: &[&str]| assert_eq!(split(text), expected, "{text}");
    check("\\timing on\nselect 1;", &["1: psql's \\timing: skipped", "2: select 1"]);
    check("select 1;\n\\d t\n\\di+\n", &["1: select 1", "2: psql's \\d: skipped", "3: psql's \\di+: skipped"]);
    check("\\x \\pset null '\\\\N'\n", &["1: psql's \\x: skipped", "1: psql's \\pset: skipped"]);
    check("\\x \\\\ select 1;", &["1: psql's \\x: skipped", "1: select 1"]);
    check("\\set ON_ERROR_STOP on\nselect 1", &["1: psql's \\set: followed", "2: select 1"]);
    check("select 1 as a \\gset p_\nselect 2;", &["1: select 1 as a", "1: psql's \\gset: followed", "2: select 2"]);
    check("select 1\n\\p\n+ 2;", &["2: psql's \\p: skipped", "1: select 1\n\n+ 2"]);
    check("select 1 \\r\nselect 2;", &["1: psql's \\r: skipped", "2: select 2"]);
    check(
        "select 1\\; select 2;",
        &["1: select 1", "1: psql's \\;: skipped; the statements run one by one", "1: select 2"],
    );
    check("\\copy t from 'a;b' ;\nselect 1;", &["1: psql's \\copy: skipped; no row is loaded", "2: select 1"]);
    check("select 1;\n\\q\nselect 2;", &["1: select 1", "2: psql's \\q: the script ends here"]);
    check("\\echo 'it \\' is'\nselect 1;", &["1: psql's \\echo: skipped", "2: select 1"]);
    let text = "\\timing\nselect 1 \\gset\nselect 2;\n";
    let script = Script::parse(text).expect("a script");
    let again = Script::parse(&script.to_string()).expect("the same");
    let sql = |script: &Script| script.statements().map(|s| s.sql.clone()).collect::<Vec<_>>();
    assert_eq!(sql(&again), sql(&script));
}

#[test]
fn variables_of_psql_are_what_they_were_set_to() {
    let check = |text: &str, expected: &[&str]| {
        let script = Script::parse(text).expect(text);
        let statements: Vec<&str> = script.statements().map(|statement| statement.sql.as_str()).collect();
        assert_eq!(statements, expected, "{text}");
    };
    check(
        "\\set n 1000\nselect :n, ':n', a::text, :m, :'n' from t;",
        &["select 1000, ':n', a::text, :m, '1000' from t"],
    );
    check(
        "\\set t 'my table'\nselect * from :\"t\";\n\\unset t\nselect :t;",
        &["select * from \"my table\"", "select :t"],
    );
    check("\\set q 'select ''x'' as y'\n:q;", &["select 'x' as y"]);
    check("\\set a 2\n\\set b :a * 3\nselect :b;", &["select 2*3"]);
    check("select a[1:2];", &["select a[1:2]"]);
}
