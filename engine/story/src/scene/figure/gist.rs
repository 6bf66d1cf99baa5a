//! A page of a GiST index: its items, and the rows or pages that they lead to. What their keys say is the operator
//! class' own, and not told.
//!
//! ```text
//! │①▌ ■  item 2 → (0,2)                  NEW│
//! ```

use super::panel::{Band, Fate, Goal, PanelLine};
use crate::scene::{PartId, Role};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::gist::{F_LEAF, gist_items, gist_opaque};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ItemPointer, OffsetNumber, Page, RegionKind};

/// The items of a page, with those that it had before; `None`: it is no such page.
pub(super) fn lines(before: Option<&Page>, after: Option<&Page>) -> Option<Vec<PanelLine>> {
    let opaque = gist_opaque(after.or(before)?)?;
    let is_leaf = opaque.flags() & F_LEAF != 0;
    let items = |page: Option<&Page>| -> Vec<(OffsetNumber, Vec<u8>)> {
        let all = page.map(gist_items).unwrap_or_default();
        all.into_iter().map(|(n, bytes)| (n, bytes.to_vec())).collect()
    };
    let (was, is) = (items(before), items(after));
    let has = |list: &[(OffsetNumber, Vec<u8>)], bytes: &[u8]| list.iter().any(|(_, other)| other == bytes);
    let mut bands: Vec<Band> = was
        .iter()
        .filter(|(_, bytes)| !has(&is, bytes))
        .map(|(n, bytes)| band(*n, bytes, is_leaf, Fate::Gone))
        .collect();
    bands.extend(is.iter().map(|(n, bytes)| {
        let fate = if has(&was, bytes) { Fate::Same } else { Fate::New };
        band(*n, bytes, is_leaf, fate)
    }));
    if bands.is_empty() {
        return Some(Vec::from([PanelLine::Free(String::from("no entries"))]));
    }
    Some(bands.into_iter().map(PanelLine::Band).collect())
}

fn band(n: OffsetNumber, bytes: &[u8], is_leaf: bool, fate: Fate) -> Band {
    let tid = ItemPointer::get(bytes);
    let (leads, goal) = match is_leaf {
        true => (format!("→ {tid}"), Goal::Row(tid)),
        false => (format!("→ block {}", tid.block), Goal::Child(tid.block)),
    };
    let tag = if fate == Fate::Gone { String::from(fate.word()) } else { String::new() };
    Band {
        part: PartId::Region(RegionKind::Tuple(n)),
        label: String::new(),
        text: format!("item {n}"),
        values: Vec::new(),
        leads,
        tag,
        role: Role::IndexTuple,
        fate,
        goal: Some(goal),
        bytes: bytes.len() as u16,
        mark: None,
    }
}
