//! Random histories of a few small tables, and the plain list of states that a timeline of them stands for.

use ffviz_format::page::{ForkNumber, Page, PgVersion};
use ffviz_format::state::{AccessMethod, ForkBlocks, PageId, RelKind, Relation, Server, State};
use ffviz_story::timeline::Timeline;
use proptest::prelude::*;
use std::sync::Arc;

/// A table of that length.
pub fn relation(oid: u32, blocks: u32, filenode: u32) -> Relation {
    Relation {
        oid,
        schema: "public".into(),
        name: format!("t{oid}"),
        kind: RelKind::Table,
        am: AccessMethod::Heap,
        table: None,
        filenode,
        database: 0,
        tablespace: 0,
        fillfactor: None,
        blocks: ForkBlocks { main: blocks, ..ForkBlocks::default() },
        attributes: Vec::new(),
        index: None,
        stats: None,
    }
}

/// A page of its main fork.
pub fn id(oid: u32, block: u32) -> PageId {
    PageId { relation: oid, fork: ForkNumber::Main, block }
}

/// A server with small pages, and nothing on it.
pub fn empty() -> State {
    State::empty(Server { version: PgVersion(180_004), block_size: 1024, data_checksums: false, log_hints: false })
}

/// What may happen between two captures, and what a user may do.
#[derive(Debug, Clone)]
pub enum Op {
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

/// A random history.
pub fn ops() -> impl Strategy<Value = Vec<Op>> {
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

/// Plays a history; calls `check` after each operation with the list of states that the timeline stands for.
pub fn play(ops: &[Op], mut check: impl FnMut(&Timeline, &[State])) -> Timeline {
    let mut model = vec![empty()];
    let mut timeline = Timeline::new(empty(), None);
    let mut next = empty();
    for op in ops {
        match *op {
            Op::Push => {
                next.at = Some(model.len().to_string());
                timeline.push(next.clone(), Some(format!("step {}\n\"ü\"", model.len())));
                model.push(next.clone());
            }
            Op::Read { oid, block, byte } => {
                let last = model.last_mut().expect("a state");
                let page = Page::new(&[byte; 1024]);
                if last.relations.get(&oid).is_some_and(|r| block < r.blocks.main) {
                    let known = last.pages.get(&id(oid, block)).cloned();
                    let stale = timeline.add_pages([(id(oid, block), page.clone())]);
                    assert_eq!(!stale.is_empty(), known.as_ref().is_some_and(|known| *known != page));
                    last.pages.entry(id(oid, block)).or_insert(page);
                }
            }
            Op::Seek(to) => timeline.seek(to),
            _ => happen(&mut next, op),
        }
        check(&timeline, &model);
    }
    timeline
}
