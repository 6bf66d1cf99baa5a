//! The timeline against the plain list of states that it stands for: random histories, random walks; and its cost on a
//! long one.

mod histories;

use ffviz_format::page::{Page, PgVersion};
use ffviz_format::state::{PageId, Server, State};
use ffviz_story::timeline::Timeline;
use histories::{id, ops, play, relation};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Was the page in the file, read or not?
fn in_file(state: &State, other: &State, id: PageId) -> bool {
    match (state.relations.get(&id.relation), other.relations.get(&id.relation)) {
        (Some(a), Some(b)) => a.filenode == b.filenode && id.block < a.blocks.main,
        _ => false,
    }
}

/// The step is all that changed, and nothing else.
fn check_step(timeline: &Timeline, before: &State, after: &State) {
    let ids: BTreeSet<PageId> = before.pages.keys().chain(after.pages.keys()).copied().collect();
    for id in ids {
        let (old, new) = (before.pages.get(&id), after.pages.get(&id));
        let changed = match (old, new) {
            (Some(old), Some(new)) => old != new,
            (None, _) => !in_file(before, after, id),
            (_, None) => !in_file(after, before, id),
        };
        assert_eq!(timeline.previous(id), old);
        let change = timeline.change(id);
        assert_eq!(change.is_some(), changed, "{id}");
        if let Some(change) = change {
            assert_eq!((change.before.as_ref(), change.after.as_ref()), (old, new));
        }
        if let (Some(old), Some(new)) = (old, new) {
            let said: BTreeSet<u16> = timeline.changed(id).into_iter().flatten().collect();
            let real = (0..1024u16).filter(|&at| old.bytes()[usize::from(at)] != new.bytes()[usize::from(at)]);
            assert_eq!(said, real.collect());
        }
    }
    for oid in 1..4 {
        let (old, new) = (before.relations.get(&oid), after.relations.get(&oid));
        let change = timeline.step().relations.iter().find(|change| change.oid == oid);
        assert_eq!(change.map(|c| (c.before.as_ref(), c.after.as_ref())), (old != new).then_some((old, new)));
    }
}

fn check(timeline: &Timeline, model: &[State]) {
    let at = timeline.current();
    assert_eq!(timeline.len(), model.len());
    assert_eq!(timeline.state(), &model[at]);
    assert_eq!(timeline.last(), &model[model.len() - 1]);
    assert_eq!(timeline.before(), at.checked_sub(1).map(|before| &model[before]));
    if at == 0 {
        assert!(timeline.step().pages.is_empty() && timeline.step().relations.is_empty());
    } else {
        check_step(timeline, &model[at - 1], &model[at]);
    }
}

#[test]
fn is_the_list_of_states() {
    let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    let checks = Cell::new(0);
    let run = TestRunner::new(config).run(&ops(), |ops| {
        let mut model = Vec::new();
        let mut timeline = play(&ops, |timeline, states| {
            check(timeline, states);
            model = states.to_vec();
        });
        for at in (0..model.len()).rev() {
            timeline.seek(at);
            check(&timeline, &model);
        }
        prop_assert_eq!(timeline.label(model.len()), None);
        checks.set(checks.get() + ops.len() + model.len());
        Ok(())
    });
    println!("{} states of 500 histories compared", checks.get());
    run.unwrap_or_else(|error| panic!("{error}"));
}

/// A table of 1,000 pages, 100,000 steps; each changes a line pointer, a tuple and the header of one or two pages.
#[test]
#[ignore = "takes a while; run with --release"]
fn long_timeline_is_fast_and_small() {
    let mut state =
        State::empty(Server { version: PgVersion(180_004), block_size: 8192, data_checksums: false, log_hints: false });
    state.relations.insert(1, Arc::new(relation(1, 1000, 1)));
    (0..1000).for_each(|block| drop(state.pages.insert(id(1, block), Page::new(&[0; 8192]))));
    let mut timeline = Timeline::new(state.clone(), None);
    let mut seed = 1u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let begun = Instant::now();
    for _ in 0..100_000 {
        for _ in 0..=random(2) {
            let page = id(1, random(1000) as u32);
            let mut bytes = state.pages[&page].bytes().to_vec();
            let tuple = 4000 + 64 * random(60) as usize;
            for range in [0..24, 24 + tuple / 16..28 + tuple / 16, tuple..tuple + 64] {
                bytes[range].iter_mut().for_each(|b| *b = random(256) as u8);
            }
            state.pages.insert(page, Page::new(&bytes));
        }
        timeline.push(state.clone(), None);
    }
    println!("push: {:?} a step", begun.elapsed() / 100_000);
    let jumps = seeks(&mut timeline, || random(100_001) as usize);
    println!("jump: {:?} half of the time, {:?} 99 of 100", jumps.0, jumps.1);
    timeline.seek(50_000);
    let mut to = 50_000;
    let forward = seeks(&mut timeline, || {
        to += 1;
        to
    });
    let back = seeks(&mut timeline, || {
        to -= 1;
        to
    });
    println!("step: forward {:?}, {:?} 99 of 100; back {:?}, {:?}", forward.0, forward.1, back.0, back.1);
    let memory = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", memory.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown"));
    assert!(jumps.1 < Duration::from_millis(50) && forward.1.max(back.1) < Duration::from_millis(1));
}

/// Median and 99th percentile of 1,000 seeks; the rest is the machine's other work.
fn seeks(timeline: &mut Timeline, mut to: impl FnMut() -> usize) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..1000)
        .map(|_| {
            let (to, begun) = (to(), Instant::now());
            timeline.seek(to);
            begun.elapsed()
        })
        .collect();
    times.sort();
    (times[500], times[990])
}
