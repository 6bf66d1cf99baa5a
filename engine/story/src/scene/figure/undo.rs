//! A page of the undo engine as a panel: its transaction items, then rows or undo records as they lie.

use super::panel::{Band, Chip, Fate, Goal, Panel, PanelLine};
use super::values;
use crate::scene::page::lp_role;
use crate::scene::{Look, PartId, Role, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{ItemPointer, OffsetNumber, Page, RegionKind};
use ffviz_format::state::{PageId, Relation};
use ffviz_format::undo::{
    UNDO_DELETE, UNDO_INSERT, UNDO_PAGE, UNDO_SLOTS_PAGE, UndoItem, UndoPageContents, UndoRecord, row_is_deleted,
    row_xact,
};

/// A page taken apart.
struct Side<'a> {
    page: &'a Page,
    contents: UndoPageContents,
}

impl<'a> Side<'a> {
    fn of(page: &'a Page) -> Self {
        Self { page, contents: UndoPageContents::decode(page) }
    }

    fn item(&self, n: OffsetNumber) -> Option<&[u8]> {
        let bytes = self.contents.item(n)?.bytes.clone()?;
        Some(self.page.slice(bytes))
    }
}

/// The panel of a page that changed from one to the other.
pub(super) fn panel(
    look: &Look<'_>,
    id: PageId,
    relation: &Relation,
    before: Option<&Page>,
    after: Option<&Page>,
) -> Option<Panel> {
    let is = Side::of(after?);
    let is_new = before.is_none_or(Page::is_new);
    // an undo page that is used again is another transaction's, and nothing of the one before
    let owner = |side: &Side<'_>| side.contents.xacts.first().map(|xact| xact.xid);
    let is_same = |was: &Side<'_>| is.contents.kind != UNDO_PAGE || owner(was) == owner(&is);
    let was = before.map(Side::of).filter(is_same);
    let mut lines = Vec::from([PanelLine::Chips(chips(was.as_ref(), &is).into_iter().map(Some).collect())]);
    lines.extend(xacts(was.as_ref(), &is).into_iter().map(PanelLine::Band));
    lines.push(PanelLine::Free(format!("free space {}", words::bytes(is.page.free().into()))));
    let mut items: Vec<&UndoItem> = is.contents.items.iter().filter(|item| item.bytes.is_some()).collect();
    items.sort_unstable_by_key(|item| item.lp.lp_off());
    lines.extend(items.iter().map(|item| PanelLine::Band(band(look, relation, was.as_ref(), &is, item, id))));
    let mut panel = Panel {
        page: Some(id),
        title: format!("{} · block {}", words::relation_fork(relation, id.fork), id.block),
        status: status(before, is.page, is_new),
        is_new,
        row: 0,
        mark: None,
        lines,
        goals: Vec::new(),
        tags: Vec::new(),
    };
    let thing = if is.contents.kind == UNDO_PAGE { "record" } else { "row" };
    super::abridge::panel(&mut panel, thing);
    Some(panel)
}

fn status(before: Option<&Page>, after: &Page, is_new: bool) -> String {
    let is = u64::from(after.free());
    match before.map(|page| u64::from(page.free())) {
        _ if is_new => "NEW page".to_string(),
        Some(was) if was != is => format!("free {} → {}", words::thousands(was), words::thousands(is)),
        _ => format!("free {}", words::thousands(is)),
    }
}

fn chips(was: Option<&Side<'_>>, is: &Side<'_>) -> Vec<Chip> {
    let chip = |item: &UndoItem| Chip {
        part: PartId::Region(RegionKind::LinePointer(item.offset)),
        text: item.offset.to_string(),
        role: lp_role(item.lp.lp_flags()),
        target: None,
        fate: match was.and_then(|was| was.contents.item(item.offset)) {
            None => Fate::New,
            Some(old) if old.lp.lp_flags() != item.lp.lp_flags() => Fate::Changed,
            Some(_) => Fate::Same,
        },
        also: Vec::new(),
        mark: None,
    };
    is.contents.items.iter().map(chip).collect()
}

/// The transaction items.
fn xacts(was: Option<&Side<'_>>, is: &Side<'_>) -> Vec<Band> {
    let mut bands = Vec::new();
    for (n, xact) in (1_u16..).zip(&is.contents.xacts) {
        let old = was.and_then(|was| was.contents.xacts.get(usize::from(n) - 1));
        let fate = match old {
            None => Fate::New,
            Some(old) if old != xact => Fate::Changed,
            Some(_) => Fate::Same,
        };
        let leads = if xact.undo.is_none() {
            String::new()
        } else {
            format!("→ undo ({},{})", xact.undo.block(), xact.undo.item())
        };
        let text = if xact.xid == 0 { "free".to_string() } else { format!("transaction {}", xact.xid) };
        let label = match is.contents.kind {
            UNDO_PAGE => "owner".to_string(),
            UNDO_SLOTS_PAGE => format!("slot {n}"),
            _ => format!("item {n}"),
        };
        let (part, role) = (PartId::Region(RegionKind::TransactionItem(n)), Role::TransactionItem);
        bands.push(Band {
            part,
            label,
            text,
            values: Vec::new(),
            leads,
            tag: String::new(),
            role,
            fate,
            goal: None,
            bytes: 24,
            mark: None,
        });
    }
    bands
}

fn band(
    look: &Look<'_>,
    relation: &Relation,
    was: Option<&Side<'_>>,
    is: &Side<'_>,
    item: &UndoItem,
    id: PageId,
) -> Band {
    let (n, new) = (item.offset, is.item(item.offset).unwrap_or(&[]));
    let old = was.filter(|was| was.contents.kind == is.contents.kind).and_then(|was| was.item(n));
    let record = UndoRecord::decode(new).filter(|_| is.contents.kind == UNDO_PAGE);
    let (fate, tag) = match old {
        None => (Fate::New, "NEW"),
        Some(old) if old.get(..4) == new.get(..4) && old.get(5..) == new.get(5..) => (Fate::Same, ""),
        Some(old) if row_is_deleted(new) && !row_is_deleted(old) => (Fate::Changed, "deleted"),
        Some(_) => (Fate::Changed, "in place"),
    };
    let (values, role, goal) = match &record {
        Some(_) => (Vec::new(), Role::UndoRecord, None),
        None => {
            let columns =
                item.bytes.clone().map(|bytes| UndoPageContents::columns(is.page, bytes, &relation.attributes));
            let role = if row_is_deleted(new) { Role::TupleDeleted } else { Role::TupleLive };
            let row = values::columns(look, relation, is.page, &columns.unwrap_or_default());
            (values::told(&[row]).remove(0), role, Some(Goal::Row(ItemPointer { block: id.block, offset: n })))
        }
    };
    let xact = row_xact(new);
    let leads = if record.is_none() && xact > 0 { format!("→ item {xact}") } else { String::new() };
    let mut band = Band {
        part: PartId::Region(RegionKind::Tuple(n)),
        label: n.to_string(),
        text: record.as_ref().map_or_else(String::new, |record| record_words(look, record)),
        values: Vec::new(),
        leads,
        tag: tag.to_string(),
        role,
        fate,
        goal,
        bytes: new.len() as u16,
        mark: None,
    };
    if record.is_none() {
        band.tell(values);
    }
    band
}

/// What an undo record keeps.
fn record_words(look: &Look<'_>, record: &UndoRecord) -> String {
    let tid = ItemPointer { block: record.block, offset: record.offset };
    match record.kind {
        UNDO_INSERT => format!("no row {tid} before"),
        UNDO_DELETE => format!("row {tid} was not deleted"),
        _ if look.redact => format!("old values of row {tid}"),
        _ => {
            let bytes: usize = record.values.pieces.iter().map(|piece| piece.bytes.len()).sum();
            format!("old values of row {tid}, {}", words::bytes(bytes as u64))
        }
    }
}
