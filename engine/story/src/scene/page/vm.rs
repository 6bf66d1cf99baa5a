//! A page of the visibility map: two bits a heap block. Runs of blocks with the same bits are one row.

use super::{Sheet, anomaly_texts, columns, fact, raw};
use crate::scene::{Change, PageScene, PartId, Role, Row, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::vm::{VmBits, VmPage};
use ffviz_format::page::{BlockNumber, ForkNumber};

/// up to that many blocks each has a row of its own
const SINGLE_ROWS: u32 = 64;
/// rows at most
const ROWS_SHOWN: usize = 512;

pub(super) fn scene(sheet: &Sheet<'_>) -> PageScene {
    let vm = VmPage::decode(sheet.page, sheet.id.block);
    let before = sheet.diff.before.map(|page| VmPage::decode(page, sheet.id.block));
    let all = vm.blocks();
    let blocks = all.start..all.end.min(sheet.relation.blocks.of(ForkNumber::Main)).max(all.start);
    let state = |block: BlockNumber| {
        let (bits, then) = (vm.bits(block), before.as_ref().map(|before| before.bits(block)));
        (bits.unwrap_or_default(), then.is_some_and(|then| then != bits))
    };
    let runs = runs(&blocks, state);
    let rows =
        runs.iter().take(ROWS_SHOWN).map(|(blocks, (bits, changed))| row(sheet, blocks, *bits, *changed)).collect();
    let (visible, frozen) = vm.counts();
    let mut facts = Vec::from([
        fact("heap blocks", words::thousands(u64::from(blocks.end - blocks.start))),
        fact("all-visible", words::thousands(visible.into())),
        fact("all-frozen", words::thousands(frozen.into())),
    ]);
    if runs.len() > ROWS_SHOWN {
        facts.push(fact("listed", format!("the first {ROWS_SHOWN} of {} runs", runs.len())));
    }
    facts.extend(sheet.header_facts());
    PageScene {
        id: sheet.id,
        title: sheet.title("page of the visibility map"),
        facts,
        size: sheet.page.size(),
        regions: sheet.regions(&vm.regions, |region| {
            let (role, label) = raw::common(region);
            (role, None, label)
        }),
        columns: columns(&[("heap blocks", false), ("all-visible", false), ("all-frozen", false)], &[]),
        rows,
        links: Vec::new(),
        anomalies: anomaly_texts(&vm.anomalies),
    }
}

/// Blocks that follow one another and have the same state; single ones where there are few.
fn runs<T: PartialEq>(blocks: &Range<BlockNumber>, state: impl Fn(BlockNumber) -> T) -> Vec<(Range<BlockNumber>, T)> {
    let single = blocks.end - blocks.start <= SINGLE_ROWS;
    let mut runs: Vec<(Range<BlockNumber>, T)> = Vec::new();
    for block in blocks.clone() {
        let here = state(block);
        match runs.last_mut() {
            Some((run, state)) if !single && *state == here => run.end = block + 1,
            _ => runs.push((block..block + 1, here)),
        }
    }
    runs
}

fn row(sheet: &Sheet<'_>, blocks: &Range<BlockNumber>, bits: VmBits, changed: bool) -> Row {
    let name = if blocks.end - blocks.start == 1 {
        format!("block {}", blocks.start)
    } else {
        format!("blocks {} to {}", words::thousands(blocks.start.into()), words::thousands((blocks.end - 1).into()))
    };
    let yes = |set: bool| String::from(if set { "yes" } else { "no" });
    Row {
        part: PartId::Block(blocks.start),
        role: role(bits),
        change: if changed { Change::Modified } else { sheet.whole_change() },
        cells: Vec::from([name.to_string(), yes(bits.all_visible), yes(bits.all_frozen)]),
        chain: None,
    }
}

/// What the bits make of a block.
pub(crate) const fn role(bits: VmBits) -> Role {
    match bits {
        VmBits { all_frozen: true, .. } => Role::BlockAllFrozen,
        VmBits { all_visible: true, .. } => Role::BlockAllVisible,
        VmBits { .. } => Role::Block,
    }
}
