//! A crash of a server that tells of no steps itself: its files as the crash left them, and the WAL that recovery
//! replays over them. The simulator plays the server; its own steps are not looked at.

use ffviz_format::page::PgVersion;
use ffviz_format::state::State;
use ffviz_simulator::sql::run::{Play, RunOptions};
use ffviz_story::timeline::{Cause, How, Played, Timeline, Unlogged, WalBetween};

const SCRIPT: &str = "create table t (id int primary key, n int);
insert into t select i, i from generate_series(1, 200) i;
checkpoint;
update t set n = 0 where id = 1;
--@ crash torn t 0 4096
";

fn state(timeline: &Timeline, n: usize) -> State {
    let mut timeline = timeline.clone();
    timeline.seek(n);
    timeline.state().clone()
}

#[test]
fn recovery_is_replayed_over_what_the_crash_left() {
    let mut play = Play::new(SCRIPT.to_owned(), &RunOptions::new(PgVersion::of_major(18))).expect("a script");
    while play.next() {}
    let told = play.finish().timeline;
    let is_crash = |n: &usize| matches!(told.cause(*n), Some(Cause::Unlogged(Unlogged::Crash)));
    let crash = (0..told.len()).rfind(is_crash).expect("a crash");
    let update =
        told.groups().iter().rfind(|group| group.label.as_deref().is_some_and(|sql| sql.starts_with("update")));
    let records: Vec<_> = update.expect("the UPDATE").states.clone().filter_map(|n| told.record(n).cloned()).collect();
    let first = (0..told.len()).find(is_crash).expect("a crash");
    let mut timeline = Timeline::new(state(&told, first - 1), None);
    let (disk, last) = (state(&told, crash), told.last().clone());
    assert_ne!(disk.pages, last.pages, "the crash tears a page");
    let wal = WalBetween { records: records.clone(), ..WalBetween::default() };
    timeline.push_crashed(&disk, &last, Some(String::from("--@ crash")), wal, Played::default());
    let group = timeline.groups().last().expect("one");
    let How::Replayed { report, .. } = &group.how else { panic!("{:?}", group.how) };
    assert_eq!((report.differing.len(), &report.measured, report.records), (0, &None, records.len()), "{report:?}");
    assert!(matches!(timeline.cause(group.states.start), Some(Cause::Unlogged(Unlogged::Crash))));
    assert_eq!(timeline.last().pages, last.pages);
}
