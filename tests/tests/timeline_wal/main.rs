//! Timelines by WAL record, on servers from 13 to 18: each state against what the server shows, each way through them,
//! and their recording.
//!
//! ```text
//! many captures   A ──WAL──▶ B ──WAL──▶ C ──WAL──▶ D      each replay is compared with the capture it leads to
//! two captures    A ───────────WAL───────────────▶ D      and the states within with B and C
//! ```

mod check;
mod crash;
mod odd;
mod race;
mod server;
mod words;
mod workload;

use ffviz_story::recording;
use ffviz_story::timeline::{Cause, How, Tally, Timeline};
use server::Server;
use std::collections::BTreeMap;

ffviz_tests::each_version!(by_record: super::steps_by_record);

fn steps_by_record(major: u32) {
    let mut server = Server::new(major);
    server.run(workload::BEFORE);
    server.checkpoint();
    let mut captures = vec![server.capture()];
    let mut timeline = Timeline::new(captures[0].state.clone(), None);
    for (label, sql) in workload::STATEMENTS {
        server.run(sql);
        let capture = server.capture();
        let wal = server.wal(captures.last().expect("one"), &capture);
        timeline.push_replayed(capture.state.clone(), Some(label.to_string()), wal);
        check::last_group(&timeline, &capture.state, label, major);
        captures.push(capture);
    }
    words::check(&mut timeline);
    check::walks(&mut timeline);
    check::round_trip(&timeline);
    let (first, last) = (&captures[0], captures.last().expect("one"));
    let mut whole = Timeline::new(first.state.clone(), None);
    whole.push_replayed(last.state.clone(), None, server.wal(first, last));
    let within = check::states_within(&mut whole, &captures);
    odd::check(&mut server, &captures);
    race::check(&mut server);
    print(major, &timeline, within);
}

fn print(major: u32, timeline: &Timeline, within: usize) {
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for n in 1..timeline.len() {
        let cause = match timeline.cause(n) {
            Some(Cause::Record(_)) => "records",
            Some(Cause::NotLogged) => "not logged",
            _ => "measured",
        };
        *causes.entry(cause).or_default() += 1;
    }
    let (mut compared, mut others) = (0, Tally::default());
    for group in timeline.groups() {
        if let How::Replayed { report, others: more, .. } = &group.how {
            compared += report.compared;
            others.records += more.records;
        }
    }
    let size = recording::save(timeline, None).len();
    println!(
        "PostgreSQL {major}: steps {causes:?}; {compared} pages equal to captures after replay, {within} more when all WAL was replayed \
         at once; {} records of others left out; recording of {size} bytes",
        others.records
    );
}
