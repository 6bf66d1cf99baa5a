//! Pages without a reader: not there, not read, all zero, without a header, or of an access method that ffviz shows
//! as bytes only.

use super::{Sheet, anomaly_texts, columns, fact};
use crate::scene::look::Look;
use crate::scene::{Change, Fact, PageScene, PartId, PartRegion, Role, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::{Region, RegionKind};
use ffviz_format::state::{AccessMethod, PageId};

/// A page that cannot be shown, and why.
pub(super) fn nothing(look: &Look<'_>, id: PageId, why: &str) -> PageScene {
    let size = look.state.server.block_size;
    let name = words::page(look.relation(id.relation).map(AsRef::as_ref), id);
    let whole = PartRegion {
        part: PartId::Bytes(0),
        bytes: 0..size,
        role: Role::BlockUnknown,
        change: Change::Same,
        changed: Vec::new(),
        label: why.to_string(),
    };
    PageScene {
        id,
        title: format!("{name} · {why}"),
        facts: Vec::new(),
        size,
        regions: Vec::from([whole]),
        columns: Vec::new(),
        rows: Vec::new(),
        links: Vec::new(),
        anomalies: Vec::new(),
    }
}

/// A page of zeros: the relation was extended, and nothing written yet.
pub(super) fn new(sheet: &Sheet<'_>) -> PageScene {
    let bytes = 0..sheet.page.size();
    let region = PartRegion {
        part: PartId::Region(RegionKind::New),
        role: Role::New,
        change: sheet.diff.change(&bytes),
        changed: Vec::new(),
        label: "never written: all bytes are zero".to_string(),
        bytes,
    };
    let facts = Vec::from([fact("contents", "none: the relation was extended by this page, and nothing written yet")]);
    let title = sheet.title("never written");
    PageScene {
        title,
        facts,
        size: sheet.page.size(),
        regions: Vec::from([region]),
        ..nothing(sheet.look, sheet.id, "")
    }
}

/// A page whose header says that it is new, and that is not empty: nothing leads to what is in it.
pub(super) fn invalid(sheet: &Sheet<'_>) -> PageScene {
    let size = sheet.page.size();
    let header = 24.min(size);
    let parts = [
        (PartId::Region(RegionKind::PageHeader), 0..header, Role::PageHeader, "PageHeaderData"),
        (PartId::Bytes(header), header..size, Role::Bytes, "the header does not say what is here"),
    ];
    of_parts(sheet, "invalid page", sheet.header_facts(), &parts)
}

/// A page of another access method: the standard header, the hole, and bytes.
pub(super) fn other(sheet: &Sheet<'_>) -> PageScene {
    let method = match &sheet.relation.am {
        AccessMethod::Other(name) => name.as_str(),
        _ => "unknown",
    };
    let header = sheet.page.header();
    let size = sheet.page.size();
    let lower = header.pd_lower().clamp(24.min(size), size);
    let upper = header.pd_upper().clamp(lower, size);
    let special = header.pd_special().clamp(upper, size);
    let bytes = |range: Range<u16>| (PartId::Bytes(range.start), range, Role::Bytes, "not taken apart");
    let parts = [
        (PartId::Region(RegionKind::PageHeader), 0..24.min(size), Role::PageHeader, "PageHeaderData"),
        bytes(24.min(size)..lower),
        (PartId::Region(RegionKind::Hole), lower..upper, Role::Free, "hole between pd_lower and pd_upper"),
        bytes(upper..special),
        (PartId::Region(RegionKind::Special), special..size, Role::Special, "special space"),
    ];
    let mut facts = sheet.space_facts();
    facts.extend(sheet.header_facts());
    facts.push(fact("access method", format!("{method}: shown as bytes only")));
    of_parts(sheet, &format!("{method} page"), facts, &parts)
}

/// A page of a few parts and no rows; parts without bytes are left out.
fn of_parts(sheet: &Sheet<'_>, kind: &str, facts: Vec<Fact>, parts: &[RawPart]) -> PageScene {
    let draw = |(part, bytes, role, label): &RawPart| PartRegion {
        part: *part,
        change: sheet.diff.change(bytes),
        changed: sheet.diff.within(bytes),
        role: *role,
        label: format!("{label}, {}", words::bytes(u64::from(bytes.end - bytes.start))),
        bytes: bytes.clone(),
    };
    PageScene {
        id: sheet.id,
        title: sheet.title(kind),
        facts,
        size: sheet.page.size(),
        regions: parts.iter().filter(|part| !part.1.is_empty()).map(draw).collect(),
        columns: columns(&[], &[]),
        rows: Vec::new(),
        links: Vec::new(),
        anomalies: anomaly_texts(&sheet.page.header_anomalies()),
    }
}

/// What it is, where, drawn as what, and in which words.
type RawPart = (PartId, Range<u16>, Role, &'static str);

/// The words for a region that is the same on every kind of page.
pub(super) fn common(region: &Region) -> (Role, String) {
    let length = words::bytes(u64::from(region.bytes.end - region.bytes.start));
    let (role, what) = match region.kind {
        RegionKind::PageHeader => (Role::PageHeader, "PageHeaderData".to_string()),
        RegionKind::LinePointer(n) => (Role::LpNormal, format!("line pointer {n}")),
        RegionKind::TransactionItem(n) => (Role::TransactionItem, format!("transaction item {n}")),
        RegionKind::Hole => (Role::Free, "hole between pd_lower and pd_upper".to_string()),
        RegionKind::Tuple(n) => (Role::TupleLive, format!("tuple of line pointer {n}")),
        RegionKind::Padding(n) => (Role::Padding, format!("alignment after the tuple of line pointer {n}")),
        RegionKind::Special => (Role::Special, "special space".to_string()),
        RegionKind::Meta => (Role::Meta, "contents of the metapage".to_string()),
        RegionKind::FsmNextSlot => (Role::Special, "fp_next_slot".to_string()),
        RegionKind::FsmInner => (Role::Fsm, "upper nodes of the tree".to_string()),
        RegionKind::FsmLeaf => (Role::Fsm, "leaf nodes: one byte a block".to_string()),
        RegionKind::VmBits => (Role::Vm, "two bits a heap block".to_string()),
        RegionKind::Residue(_) => (Role::Residue, "residue that no line pointer leads to".to_string()),
        RegionKind::New => (Role::New, "never written".to_string()),
    };
    (role, format!("{what}, {length}"))
}
