//! Two pages that should be equal, compared under the mask; where they differ, and what kinds of pages there are.

use ffviz_format::page::{ForkNumber, Page, PageKind};
use ffviz_format::wal::{BlockTag, Rmgr};
use ffviz_story::redo::{PageShape, mask};
use std::fmt::Write;

/// How the page of a record is to be masked.
pub fn shape_of(rmgr: Rmgr, tag: BlockTag, page: &Page) -> PageShape {
    match (tag.fork, rmgr) {
        (ForkNumber::Vm, _) => PageShape::Vm,
        (ForkNumber::Main, Rmgr::HEAP | Rmgr::HEAP2) => PageShape::Heap,
        (ForkNumber::Main, Rmgr::BTREE) => PageShape::Btree,
        (ForkNumber::Main, Rmgr::SEQUENCE) => PageShape::Sequence,
        (ForkNumber::Main, _) => match page.kind() {
            PageKind::Heap => PageShape::Heap,
            PageKind::Btree => PageShape::Btree,
            PageKind::Sequence => PageShape::Sequence,
            _ => PageShape::Other,
        },
        _ => PageShape::Other,
    }
}

/// Where the masked pages differ, in words; `None`: they are equal.
pub fn difference(ours: &Page, server: &Page, shape: PageShape, block: u32) -> Option<String> {
    let (a, b) = (mask(ours, shape, block), mask(server, shape, block));
    if a == b {
        return None;
    }
    let differs = |at: &usize| a.bytes()[*at] != b.bytes()[*at];
    let places: Vec<usize> = (0..a.bytes().len().min(b.bytes().len())).filter(differs).collect();
    let mut text = format!("{} bytes differ:", places.len());
    for run in places.chunk_by(|one, next| next - one < 4).take(6) {
        let (from, to) = (run[0], run[run.len() - 1] + 1);
        let shown = to.min(from + 16);
        let _ = write!(text, " [{from}..{to}] {} ours, {} server;", hex(&a, from..shown), hex(&b, from..shown));
    }
    Some(text)
}

fn hex(page: &Page, range: std::ops::Range<usize>) -> String {
    page.bytes()[range].iter().map(|byte| format!("{byte:02x}")).collect()
}
