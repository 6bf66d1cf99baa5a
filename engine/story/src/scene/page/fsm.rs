//! A page of the free space map: slots as rows; the tree of maxima above them is a region.

use super::{Sheet, anomaly_texts, columns, fact, raw};
use crate::scene::{Change, PageScene, PartId, Role, Row, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::fsm::{FsmPage, FsmTarget, category_bytes};
use ffviz_format::page::{BlockNumber, ForkNumber};

/// slots listed at most; the map shows the others
const SLOTS_SHOWN: usize = 512;

pub(super) fn scene(sheet: &Sheet<'_>) -> PageScene {
    let fsm = FsmPage::decode(sheet.page, sheet.id.block);
    let size = sheet.page.size();
    let used = used_slots(sheet, &fsm);
    let before = sheet.diff.before.map(|page| FsmPage::decode(page, sheet.id.block));
    let row = |(slot, category): (usize, u8)| {
        let then = before.as_ref().and_then(|before| before.slots().get(slot)).copied();
        let change = match then {
            Some(then) if then != category => Change::Modified,
            _ => sheet.whole_change(),
        };
        slot_row(&fsm, slot as u16, category, size, change)
    };
    let mut facts = Vec::from([
        fact("level", level_words(&fsm)),
        fact("greatest", category_words(fsm.root(), size)),
        fact("fp_next_slot", fsm.fp_next_slot.to_string()),
        fact("slots in use", words::thousands(used as u64)),
    ]);
    if used > SLOTS_SHOWN {
        facts.push(fact("listed", format!("the first {SLOTS_SHOWN}")));
    }
    facts.extend(sheet.header_facts());
    PageScene {
        id: sheet.id,
        title: sheet.title("page of the free space map"),
        facts,
        size,
        regions: sheet.regions(&fsm.regions, |region| {
            let (role, label) = raw::common(region);
            (role, None, label)
        }),
        columns: columns(&[("slot", true), ("stands for", false), ("category", true), ("free space", false)], &[]),
        rows: fsm.slots().iter().copied().enumerate().take(used.min(SLOTS_SHOWN)).map(row).collect(),
        links: Vec::new(),
        anomalies: anomaly_texts(&fsm.anomalies),
    }
}

/// The block that a slot stands for, as a part.
pub(crate) const fn target_block(target: FsmTarget) -> BlockNumber {
    match target {
        FsmTarget::Heap(block) | FsmTarget::Fsm(block) => block,
    }
}

fn slot_row(fsm: &FsmPage, slot: u16, category: u8, size: u16, change: Change) -> Row {
    let target = fsm.address.target(slot, size);
    let stands_for = match target {
        FsmTarget::Heap(block) => format!("block {block}"),
        FsmTarget::Fsm(block) => format!("map block {block}"),
    };
    Row {
        part: PartId::Block(target_block(target)),
        role: Role::Fsm,
        change,
        cells: Vec::from([slot.to_string(), stands_for, category.to_string(), category_words(category, size)]),
        chain: None,
    }
}

/// The slots that stand for a page that there is.
fn used_slots(sheet: &Sheet<'_>, fsm: &FsmPage) -> usize {
    let blocks = sheet.relation.blocks;
    let exists = |slot: usize| match fsm.address.target(slot as u16, sheet.page.size()) {
        FsmTarget::Heap(block) => block < blocks.of(ForkNumber::Main),
        FsmTarget::Fsm(block) => block < blocks.of(ForkNumber::Fsm),
    };
    let (mut low, mut high) = (0, fsm.slots().len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if exists(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

fn level_words(fsm: &FsmPage) -> String {
    match fsm.address.level {
        0 => "0: a slot a block of the relation".to_string(),
        2 => "2, the root: a slot a page of level 1".to_string(),
        level => format!("{level}: a slot a page of level {}", level - 1),
    }
}

/// What a category promises.
pub(crate) fn category_words(category: u8, size: u16) -> String {
    match category {
        0 => "no free space known".to_string(),
        _ => format!("{} or more free", words::bytes(u64::from(category_bytes(category, size)))),
    }
}
