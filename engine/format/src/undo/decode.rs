//! A page of the undo engine taken apart for views: which byte is whose, and every field with its meaning.

use super::layout::{
    ItemXactData, UNDO_DELETE, UNDO_HEADER_SIZE, UNDO_INSERT, UNDO_PAGE, UNDO_SLOTS_PAGE, UNDO_TABLE_PAGE, UNDO_UPDATE,
    UndoPageData, UndoRecordData, UndoRowHeaderData,
};
use super::page::{ItemXact, UndoPage};
use super::record::UndoRecord;
use super::row::{null_bitmap, row_is_deleted};
use crate::datum::{self, Attribute, Datum};
use crate::page::region::cover_claims;
use crate::page::{
    Anomaly, BlockNumber, Field, ItemIdData, LpFlags, OffsetNumber, Page, PageHeaderData, Region, RegionKind,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// A page taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPageContents {
    /// `pd_kind`
    pub kind: u16,
    /// the transaction items, from number 1
    pub xacts: Vec<ItemXact>,
    /// the line pointers, from number 1
    pub items: Vec<UndoItem>,
    /// every byte of the page
    pub regions: Vec<Region>,
    /// what cannot be
    pub anomalies: Vec<Anomaly>,
}

/// A line pointer, and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoItem {
    /// its number
    pub offset: OffsetNumber,
    /// the line pointer
    pub lp: ItemIdData,
    /// the row or undo record, where it lies within the page
    pub bytes: Option<Range<u16>>,
}

impl UndoPageContents {
    /// Takes a page apart.
    #[must_use]
    pub fn decode(page: &Page) -> Self {
        let view = UndoPage::of(page);
        let mut anomalies = page.header_anomalies();
        let kind = view.own().pd_kind();
        if !page.is_new() && !(UNDO_TABLE_PAGE..=UNDO_SLOTS_PAGE).contains(&kind) {
            let at = UndoPageData::bytes_of("pd_kind", PageHeaderData::SIZE as u16);
            anomalies.push(Anomaly::new(at, format!("pd_kind {kind} is none of 1 to 3")));
        }
        let items: Vec<UndoItem> = view.line_pointers().map(|(offset, lp)| item(view, offset, lp)).collect();
        for broken in items.iter().filter(|item| item.lp.lp_flags() == LpFlags::Normal && item.bytes.is_none()) {
            let at = view.lp_at(broken.offset);
            let text = format!("line pointer {} leads out of the page", broken.offset);
            anomalies.push(Anomaly::new(at..at.saturating_add(4), text));
        }
        let regions = regions(page, view, &items, &mut anomalies);
        Self { kind, xacts: view.xacts().map(|(_, xact)| xact).collect(), items, regions, anomalies }
    }

    /// A line pointer by its number.
    #[must_use]
    pub fn item(&self, n: OffsetNumber) -> Option<&UndoItem> {
        self.items.get(usize::from(n.0).checked_sub(1)?)
    }

    /// The page's kind in words.
    #[must_use]
    pub const fn kind_word(kind: u16) -> &'static str {
        match kind {
            UNDO_PAGE => "undo page",
            UNDO_SLOTS_PAGE => "transaction slots",
            _ => "page of an undo table",
        }
    }

    /// The fields of the page header, all 40 bytes.
    #[must_use]
    pub fn header_fields(page: &Page, block: BlockNumber) -> Vec<Field> {
        let mut fields = page.header_fields(block);
        let view = UndoPage::of(page);
        for field in &mut fields {
            if field.name == "pd_lower" {
                field.meaning = format!("end of {} line pointers, start of the hole", view.item_count());
            }
        }
        fields.extend(view.own().fields(PageHeaderData::SIZE as u16));
        fields
    }

    /// The fields of a transaction item.
    #[must_use]
    pub fn xact_fields(page: &Page, n: u16) -> Vec<Field> {
        let at = UndoPage::xact_at(n);
        ItemXactData::new(page.slice(at..at.saturating_add(ItemXactData::SIZE as u16))).fields(at)
    }

    /// The fields of what a line pointer leads to: an undo record, or a row with its columns.
    #[must_use]
    pub fn item_fields(&self, page: &Page, n: OffsetNumber, attributes: &[Attribute]) -> Vec<Field> {
        let Some(bytes) = self.item(n).and_then(|item| item.bytes.clone()) else { return Vec::new() };
        if self.kind == UNDO_PAGE { record_fields(page, bytes) } else { row_fields(page, bytes, attributes) }
    }

    /// The columns of a row: where each lies.
    #[must_use]
    pub fn columns(page: &Page, bytes: Range<u16>, attributes: &[Attribute]) -> Vec<Datum> {
        let row = page.slice(bytes.clone());
        let nulls = null_bitmap(row);
        let data = bytes.start.saturating_add(nulls.end as u16).min(bytes.end)..bytes.end;
        let natts = UndoRowHeaderData::new(row).ur_natts() & 0x07FF;
        datum::deform(page, data, row.get(nulls).unwrap_or(&[]), natts, attributes)
    }
}

fn item(view: UndoPage<'_>, offset: OffsetNumber, lp: ItemIdData) -> UndoItem {
    let bytes = view.item(offset).map(|_| lp.lp_off()..lp.lp_off() + lp.lp_len());
    UndoItem { offset, lp, bytes: bytes.filter(|bytes| !bytes.is_empty()) }
}

fn regions(page: &Page, view: UndoPage<'_>, items: &[UndoItem], anomalies: &mut Vec<Anomaly>) -> Vec<Region> {
    let mut claims = Vec::from([Region { bytes: 0..UNDO_HEADER_SIZE, kind: RegionKind::PageHeader }]);
    let sized = |at: u16, size: usize, kind| Region { bytes: at..at.saturating_add(size as u16), kind };
    let xacts = view.xacts().map(|(n, _)| n);
    claims.extend(xacts.map(|n| sized(UndoPage::xact_at(n), ItemXactData::SIZE, RegionKind::TransactionItem(n))));
    for item in items {
        claims.push(sized(view.lp_at(item.offset), ItemIdData::SIZE, RegionKind::LinePointer(item.offset)));
        let bytes = item.bytes.clone();
        claims.extend(bytes.map(|bytes| Region { bytes, kind: RegionKind::Tuple(item.offset) }));
    }
    cover_claims(page, claims, anomalies)
}

fn row_fields(page: &Page, bytes: Range<u16>, attributes: &[Attribute]) -> Vec<Field> {
    let row = page.slice(bytes.clone());
    let mut fields = UndoRowHeaderData::new(row).fields(bytes.start);
    for field in &mut fields {
        field.bytes.end = field.bytes.end.min(bytes.end);
        field.bytes.start = field.bytes.start.min(field.bytes.end);
        match field.name.as_str() {
            "ur_infomask" if row_is_deleted(row) => field.meaning = "the row is deleted".to_string(),
            "ur_xact" => field.meaning = xact_meaning(page, row),
            _ => {}
        }
    }
    let columns = UndoPageContents::columns(page, bytes, attributes);
    fields.extend(columns.iter().zip(attributes).map(|(datum, attribute)| datum.field(page, attribute)));
    fields
}

/// Who changed the row last, and where its old values are.
fn xact_meaning(page: &Page, row: &[u8]) -> String {
    let n = UndoRowHeaderData::new(row).ur_xact();
    match UndoPage::of(page).xact(n.into()) {
        None if n == 0 => "everybody sees the row as it is".to_string(),
        None => "no such transaction item".to_string(),
        Some(ItemXact { xid, undo }) if undo.is_none() => format!("last changed by transaction {xid}"),
        Some(ItemXact { xid, undo }) => {
            format!(
                "last changed by transaction {xid}: its old values begin at undo ({},{})",
                undo.block(),
                undo.item()
            )
        }
    }
}

fn record_fields(page: &Page, bytes: Range<u16>) -> Vec<Field> {
    let raw = page.slice(bytes.clone());
    let mut fields = UndoRecordData::new(raw).fields(bytes.start);
    fields.retain(|field| field.bytes.end <= bytes.end);
    for field in fields.iter_mut().filter(|field| field.name == "ud_type") {
        field.meaning = kind_words(raw.first().copied().unwrap_or(0)).to_string();
    }
    let Some(record) = UndoRecord::decode(raw) else { return fields };
    let mut at = bytes.start.saturating_add(UndoRecordData::SIZE as u16);
    for (n, piece) in record.values.pieces.iter().enumerate() {
        let mut head = 3;
        if piece.bytes.len() >= 255 {
            head = 5;
        }
        let value = at.saturating_add(head).min(bytes.end);
        let end = value.saturating_add(piece.bytes.len() as u16).min(bytes.end);
        let place = format!("byte {} of the row, {} bytes", piece.at, piece.bytes.len());
        fields.push(Field::new(&format!("place {}", n + 1), at.min(value)..value, place, "what it was, follows"));
        let hex: String = piece.bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let old = Field::new(&format!("old value {}", n + 1), value..end, hex, "as it was before the change");
        fields.push(Field { is_data: true, ..old });
        at = end;
    }
    fields
}

const fn kind_words(kind: u8) -> &'static str {
    match kind {
        UNDO_INSERT => "INSERT: to take it back, the row goes",
        UNDO_UPDATE => "UPDATE: to take it back, old values are put in their places",
        UNDO_DELETE => "DELETE: to take it back, the row counts again",
        _ => "none that there is",
    }
}
