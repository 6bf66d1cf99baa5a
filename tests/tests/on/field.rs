//! Scripts as people type them, most of which the simulator refuses in part: on a server each of their statements runs.

use super::{decoys, errors, on};
use ffviz_story::timeline::How;
use ffviz_tests::servers::{MAJORS, url};
use std::fs;
use std::path::Path;

/// A sample of what the simulator does not know: money, labs in functions, jsonb, BRIN, CLUSTER, MERGE,
/// procedures, psql's commands, pg_dump, a trigram of settings.
const SAMPLE: [&str; 14] = [
    "01-mvcc-account-money",
    "11-pgbench-init",
    "19-pgstattuple",
    "22-psql-meta",
    "25-func-heap-page",
    "26-func-simple-sql",
    "27-brin",
    "39-queue-skip-locked",
    "47-partition",
    "49-cluster-copyfreeze",
    "50-concurrently",
    "57-deadlock",
    "61-jsonb-gin-like",
    "67-cte-window-lateral",
];

/// What stays wrong however often it is asked: errors that are PostgreSQL's own, by the script.
const WITH_ERRORS: [&str; 25] = [
    "113-insert-returning-ctid",
    "122-insert-values-ragged",
    "123-two-primary-keys",
    "125-index-on-random",
    "126-fk-type-mismatch",
    "127-fewer-expressions",
    "34-wal-funcs",
    "35-wal-funcs-nogset",
    "46-generated-identity-check",
    "55-repeatable-read-serialization",
    "57-deadlock",
    "58-select-for-update-nowait",
    "71-nulls-not-distinct",
    "75-unique-nulls-in-table",
    "83-settings",
    "85-error-cases",
    "86-set-common",
    "90-parse-valid2",
    "95-touch-existing",
    "98-shell",
    "98-transcript",
    "98-unfinished",
    "98-unterm",
    "99-pg-dump",
    "66-quoted-unicode-comments",
];

/// Plays a script; gives how many statements it has, and how many of them were replayed from WAL.
fn check(major: u32, file: &Path) -> (usize, usize) {
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = fs::read_to_string(file).expect("a script");
    let played = match on(&url(major, "postgres"), text.trim_start_matches('\u{FEFF}')) {
        Ok(played) => played,
        Err(why) => {
            assert!(name == "45-torn-crash" && why.contains("--@ crash"), "{major} {name}: {why}");
            return (0, 0);
        }
    };
    assert_eq!(played.stopped, None, "{major} {name}");
    // CHECKPOINT and the like, which the fence keeps back
    let errors: Vec<_> = errors(&played).into_iter().filter(|(_, error)| !error.starts_with("not sent: ")).collect();
    let is_new_syntax = major < 17
        && errors.iter().all(|(_, error)| error.contains("syntax error") || error.contains("does not exist"));
    assert!(errors.is_empty() || is_new_syntax || WITH_ERRORS.contains(&name.as_str()), "{major} {name}: {errors:?}");
    let is_ours = |why: &str| why.contains("permission denied for") && !why.contains("pg_switch_wal");
    assert!(!errors.iter().any(|(_, error)| is_ours(error)), "{major} {name}: {errors:?}");
    let mut replayed = 0;
    for group in played.timeline.groups() {
        if let How::Replayed { report, .. } = &group.how {
            assert_eq!(report.differing, [], "{major} {name}: {:?}: {report:?}", group.label);
            replayed += usize::from(report.records > 0);
        }
    }
    (played.lines.len(), replayed)
}

#[test]
fn a_sample_plays() {
    for (major, begin) in [(13, 0), (18, 1)] {
        let (mut statements, mut replayed) = (0, 0);
        // what one version does not play the other does
        for name in SAMPLE.iter().skip(begin).step_by(2) {
            let file = decoys::field().into_iter().find(|path| path.ends_with(format!("{name}.sql"))).expect(name);
            let (all, with_wal) = check(major, &file);
            (statements, replayed) = (statements + all, replayed + with_wal);
        }
        println!("{major}: {statements} statements, {replayed} of them with records");
        assert!(statements > 30 && replayed > 15, "{major}");
    }
}

#[test]
#[ignore = "some ten minutes: every script as people type them on six versions"]
fn all_of_them_play() {
    let majors =
        std::env::var("FFVIZ_MAJOR").ok().and_then(|text| text.parse().ok()).map_or(MAJORS.to_vec(), |it| vec![it]);
    for major in majors {
        let (mut scripts, mut statements, mut replayed) = (0, 0, 0);
        for file in decoys::field().into_iter().filter(|path| !path.ends_with("98-latin1.sql")) {
            let (all, with_wal) = check(major, &file);
            (scripts, statements, replayed) = (scripts + 1, statements + all, replayed + with_wal);
        }
        println!("{major}: {scripts} scripts, {statements} statements, {replayed} of them with records");
    }
}
