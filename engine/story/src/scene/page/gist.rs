//! A page of a GiST index: line pointers, index tuples with the rows that they lead to, the special space.

use super::raw::nothing;
use super::{Sheet, anomaly_texts, fact};
use crate::scene::{PageScene, PartRegion, Role, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::gist::{F_LEAF, gist_flags, gist_opaque};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ItemIdData, ItemPointer, LpFlags, OffsetNumber, PageHeaderData, RegionKind};

/// The scene of a GiST page.
pub(super) fn scene(sheet: &Sheet<'_>) -> PageScene {
    let page = sheet.page;
    let flags = gist_opaque(page).map_or(0, |opaque| opaque.flags());
    let names = gist_flags(flags).join(", ");
    let mut parts = Vec::from([(
        RegionKind::PageHeader,
        0..PageHeaderData::SIZE as u16,
        Role::PageHeader,
        "PageHeaderData".to_string(),
    )]);
    let (lower, upper, special) = (page.header().pd_lower(), page.header().pd_upper(), page.special_start());
    for n in 1..=page.item_count() {
        let at = PageHeaderData::SIZE as u16 + (n - 1) * ItemIdData::SIZE as u16;
        parts.push((
            RegionKind::LinePointer(OffsetNumber(n)),
            at..at + ItemIdData::SIZE as u16,
            Role::LpNormal,
            format!("line pointer {n}"),
        ));
    }
    if lower < upper {
        parts.push((RegionKind::Hole, lower..upper, Role::Free, "hole between pd_lower and pd_upper".to_string()));
    }
    let mut items: Vec<(u16, ItemIdData)> =
        (1..=page.item_count()).filter_map(|n| Some((n, page.item_id(OffsetNumber(n))?))).collect();
    items.sort_by_key(|(_, lp)| lp.lp_off());
    let mut at = upper;
    for (n, lp) in items {
        let bytes = lp.lp_off()..lp.lp_off().saturating_add(lp.lp_len());
        if bytes.start < at || bytes.end > special || bytes.is_empty() {
            continue;
        }
        if bytes.start > at {
            parts.push((
                RegionKind::Residue(at),
                at..bytes.start,
                Role::Residue,
                "no line pointer leads here".to_string(),
            ));
        }
        at = bytes.end;
        let role = if lp.lp_flags() == LpFlags::Dead { Role::IndexKilled } else { Role::IndexTuple };
        parts.push((RegionKind::Tuple(OffsetNumber(n)), bytes.clone(), role, leads_to(page.slice(bytes), flags, n)));
    }
    if at < special {
        parts.push((RegionKind::Residue(at), at..special, Role::Residue, "no line pointer leads here".to_string()));
    }
    parts.push((RegionKind::Special, special..page.size(), Role::Special, format!("special space: {names}")));
    let mut facts = sheet.space_facts();
    facts.extend(sheet.header_facts());
    facts.push(fact("flags", if names.is_empty() { "none".to_string() } else { names }));
    PageScene {
        title: sheet.title(if flags & F_LEAF != 0 { "GiST leaf" } else { "GiST page" }),
        facts,
        size: page.size(),
        regions: parts.into_iter().map(|part| region(sheet, part)).collect(),
        anomalies: anomaly_texts(&page.header_anomalies()),
        ..nothing(sheet.look, sheet.id, "")
    }
}

/// What an index tuple leads to: a row, or a page below.
fn leads_to(tuple: &[u8], flags: u16, n: u16) -> String {
    let Some(tid) = tuple.get(..ItemPointer::SIZE).map(ItemPointer::get) else { return format!("item {n}") };
    match flags & F_LEAF {
        0 => format!("item {n}: to block {}", tid.block),
        _ => format!("item {n}: to row {tid}"),
    }
}

fn region(sheet: &Sheet<'_>, (kind, bytes, role, label): (RegionKind, Range<u16>, Role, String)) -> PartRegion {
    PartRegion {
        part: kind.into(),
        change: sheet.diff.change(&bytes),
        changed: sheet.diff.within(&bytes),
        role,
        label: format!("{label}, {}", words::bytes(u64::from(bytes.end - bytes.start))),
        bytes,
    }
}
