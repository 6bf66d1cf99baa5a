//! The timeline against the plain list of states that it stands for: random histories, random walks; and its cost on a long one.

use ffviz_engine::page::{Page, PgVersion};
use ffviz_engine::storage::{AccessMethod, ForkBlocks, ForkNumber, PageId, RelKind, Relation, Server, State};
use ffviz_engine::timeline::Timeline;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn relation(oid: u32, blocks: u32, filenode: u32) -> Relation {
    Relation {
        oid,
        schema: "public".into(),
        name: format!("t{oid}"),
        kind: RelKind::Table,
        am: AccessMethod::Heap,
        table: None,
        filenode,
        fillfactor: None,
        blocks: ForkBlocks { main: blocks, ..ForkBlocks::default() },
        attributes: Vec::new(),
        index: None,
        stats: None,
    }
}

fn id(oid: u32, block: u32) -> PageId {
    PageId { relation: oid, fork: ForkNumber::Main, block }
}

fn empty() -> State {
    State::empty(Server { version: PgVersion(180_004), block_size: 1024, data_checksums: false })
}

/// What may happen between two captures, and what a user may do.
#[derive(Debug, Clone)]
enum Op {
    /// write a byte to a run of a page; the page becomes known
    Write { oid: u32, block: u32, at: u16, len: u16, byte: u8 },
    /// another length and filenode; 0 blocks and filenode 0 drop it
    Resize { oid: u32, blocks: u32, filenode: u32 },
    /// the next capture does not have the page
    Forget { oid: u32, block: u32 },
    /// a capture
    Push,
    /// a page is read later
    Read { oid: u32, block: u32, byte: u8 },
    /// go there
    Seek(usize),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        6 => (1..4u32, 0..4u32, 0..1024u16, 1..300u16, any::<u8>())
            .prop_map(|(oid, block, at, len, byte)| Op::Write { oid, block, at, len, byte }),
        2 => (1..4u32, 0..5u32, 0..3u32).prop_map(|(oid, blocks, filenode)| Op::Resize { oid, blocks, filenode }),
        1 => (1..4u32, 0..4u32).prop_map(|(oid, block)| Op::Forget { oid, block }),
        5 => Just(Op::Push),
        2 => (1..4u32, 0..4u32, 0..3u8).prop_map(|(oid, block, byte)| Op::Read { oid, block, byte }),
        4 => (0..60usize).prop_map(Op::Seek),
    ];
    prop::collection::vec(op, 1..120)
}

/// Changes the state that will be captured next.
fn happen(state: &mut State, op: &Op) {
    let length = |state: &State, oid| state.relations.get(&oid).map_or(0, |r| r.blocks.main);
    match *op {
        Op::Write { oid, block, at, len, byte } if block < length(state, oid) => {
            let mut bytes = state.pages.get(&id(oid, block)).map_or(vec![0; 1024], |page| page.bytes().to_vec());
            bytes.iter_mut().skip(at.into()).take(len.into()).for_each(|b| *b = byte);
            state.pages.insert(id(oid, block), Page::new(&bytes));
        }
        Op::Resize { oid, blocks, filenode } => {
            if blocks + filenode == 0 {
                state.relations.remove(&oid);
            } else {
                state.relations.insert(oid, Arc::new(relation(oid, blocks, filenode)));
            }
            let blocks = length(state, oid);
            state.pages.retain(|id, _| id.relation != oid || id.block < blocks);
        }
        Op::Forget { oid, block } => {
            state.pages.remove(&id(oid, block));
        }
        _ => {}
    }
}

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
        let mut model = vec![empty()];
        let mut timeline = Timeline::new(empty(), None);
        let mut next = empty();
        for op in &ops {
            match *op {
                Op::Push => {
                    next.at = Some(model.len().to_string());
                    timeline.push(next.clone(), Some(format!("step {}", model.len())));
                    model.push(next.clone());
                }
                Op::Read { oid, block, byte } => {
                    let last = model.last_mut().expect("a state");
                    let page = Page::new(&[byte; 1024]);
                    if last.relations.get(&oid).is_some_and(|r| block < r.blocks.main) {
                        let known = last.pages.get(&id(oid, block)).cloned();
                        let stale = timeline.add_pages([(id(oid, block), page.clone())]);
                        prop_assert_eq!(!stale.is_empty(), known.as_ref().is_some_and(|known| *known != page));
                        last.pages.entry(id(oid, block)).or_insert(page);
                    }
                }
                Op::Seek(to) => timeline.seek(to),
                _ => happen(&mut next, op),
            }
            check(&timeline, &model);
        }
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
    let mut state = State::empty(Server { version: PgVersion(180_004), block_size: 8192, data_checksums: false });
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
