//! Pages of the visibility map and the free space map as panels: the blocks whose entries changed, before and after.

use super::panel::{Band, Fate, Panel, PanelLine};
use crate::scene::page::{category_words, target_block, vm_role};
use crate::scene::{Look, PartId, Role, words};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::fsm::FsmPage;
use ffviz_format::page::vm::{VmBits, VmPage};
use ffviz_format::page::{BlockNumber, ForkNumber, Page};
use ffviz_format::state::PageId;

/// The panel of a map's page.
pub(super) fn panel(look: &Look<'_>, id: PageId) -> Option<Panel> {
    let relation = look.relation(id.relation)?;
    let change = look.change(id);
    let after = change.map_or(look.page(id), |change| change.after.as_ref())?;
    let before = change.map_or(Some(after), |change| change.before.as_ref());
    let is_vm = id.fork == ForkNumber::Vm;
    let bands = if is_vm { visibility(before, after, id) } else { free_space(before, after, id) };
    let mut panel = Panel {
        page: Some(id),
        title: words::relation_fork(relation, id.fork),
        status: String::from(if before.is_none() { "NEW page" } else { "" }),
        is_new: before.is_none(),
        row: 0,
        mark: None,
        lines: bands.into_iter().map(PanelLine::Band).collect(),
        goals: Vec::new(),
        tags: Vec::new(),
    };
    if panel.lines.is_empty() {
        panel.lines.push(PanelLine::Free(String::from("no entry of a block changed")));
    }
    super::abridge::panel(&mut panel, "block");
    Some(panel)
}

fn band(block: BlockNumber, text: String, tag: String, role: Role) -> Band {
    Band {
        part: PartId::Block(block),
        label: String::new(),
        text,
        values: Vec::new(),
        leads: String::new(),
        tag,
        role,
        fate: Fate::Changed,
        goal: None,
        bytes: 8,
        mark: None,
    }
}

fn visibility(before: Option<&Page>, after: &Page, id: PageId) -> Vec<Band> {
    let now = VmPage::decode(after, id.block);
    let then = before.map(|page| VmPage::decode(page, id.block));
    let state = |bits: VmBits| match bits {
        VmBits { all_frozen: true, .. } => "all-frozen",
        VmBits { all_visible: true, .. } => "all-visible",
        VmBits { .. } => "not all-visible",
    };
    let band = |block: BlockNumber| {
        let is = now.bits(block)?;
        let was = then.as_ref().and_then(|then| then.bits(block)).unwrap_or_default();
        let tag = format!("{} → {}", state(was), state(is));
        (was != is).then(|| band(block, format!("block {block}"), tag, vm_role(is)))
    };
    now.blocks().filter_map(band).collect()
}

fn free_space(before: Option<&Page>, after: &Page, id: PageId) -> Vec<Band> {
    let now = FsmPage::decode(after, id.block);
    let then = before.map(|page| FsmPage::decode(page, id.block));
    let size = after.size();
    let band = |(slot, is): (usize, u8)| {
        let was = then.as_ref().and_then(|then| then.slots().get(slot)).copied().unwrap_or(0);
        let block = target_block(now.address.target(slot as u16, size));
        let what = if now.address.level == 0 { "block" } else { "map block" };
        let text = format!("{what} {block}: {}", category_words(is, size));
        (was != is).then(|| band(block, text, format!("category {was} → {is}"), Role::Fsm))
    };
    now.slots().iter().copied().enumerate().filter_map(band).collect()
}
