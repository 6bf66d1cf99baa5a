//! What a run tells where the bytes alone would tell a wrong story.

use super::{RunOptions, Simulator};
use crate::page::PgVersion;
use crate::sql::script::Script;
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
