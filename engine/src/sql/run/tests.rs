//! What a run tells where the bytes alone would tell a wrong story.

use super::{RunOptions, Simulator};
use crate::page::{Lsn, PgVersion};
use crate::sql::script::Script;
use crate::sql::trace::TraceLine;
use alloc::string::String;
use alloc::vec::Vec;

/// Everything that each step tells.
fn told(script: &str) -> Vec<String> {
    let script = Script::parse(script).expect("a script");
    let version = PgVersion(180_004);
    let (mut timeline, _) = Simulator::timeline(&script, &RunOptions::new(version)).expect("a run");
    let mut told = Vec::new();
    for state in 0..timeline.len() {
        timeline.seek(state);
        told.extend(timeline.explain().events.into_iter().map(|event| event.what));
    }
    told
}

const TORN: &str = "create table t (a int, b char(300));
    insert into t select g, 'x' from generate_series(1, 13) g;
    checkpoint;
    update t set b = 'y' where a = 1;
    --@ crash torn t 0 4096
    select 1;";

#[test]
fn a_torn_page_was_not_pruned() {
    let told = told(TORN);
    let has = |what: &str| told.iter().any(|event| event == what);
    assert!(has("block 0 is torn: old from byte 4,096 on"), "{told:#?}");
    assert!(has("block 0 is the record's image now"), "{told:#?}");
    assert!(!told.iter().any(|event| event.contains("pruned")), "{told:#?}");
}

#[test]
fn a_page_that_was_not_written_is_as_it_was() {
    let told = told(&TORN.replace(" torn t 0 4096", ""));
    assert!(told.iter().any(|event| event == "block 0 as last written"), "{told:#?}");
    assert!(!told.iter().any(|event| event.contains("pruned") || event.contains("image now")), "{told:#?}");
}

#[test]
fn the_first_record_goes_where_the_script_says_and_none_goes_back() {
    let text = "--@ lsn 0/14EC028\ncreate table t (a int);\ninsert into t values (1);\n--@ lsn 0/14EC028\ninsert into t values (2);";
    let script = Script::parse(text).expect("a script");
    let mut simulator = Simulator::new(&RunOptions::new(PgVersion(180_004)), true, false).expect("a server");
    let lines: Vec<TraceLine> = script.items.iter().flat_map(|item| simulator.item(item).lines).collect();
    let statements =
        lines.iter().filter_map(|line| if let TraceLine::Statement(line) = line { Some(line) } else { None });
    let starts: Vec<Lsn> =
        statements.flat_map(|line| line.wal.iter().filter_map(|wal| Some(wal.record.as_ref()?.start))).collect();
    assert!(starts.first().is_some_and(|first| (0x14E_C028..0x14F_0000).contains(&first.0)), "{starts:?}");
    assert!(starts.is_sorted() && starts.len() == 2, "{starts:?}");
}
