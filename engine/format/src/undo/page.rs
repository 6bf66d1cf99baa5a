//! A page of the undo engine: its transaction items, line pointers and items, to read and to change.
//!
//! What a damaged record asks for may be impossible: then nothing is written, and a sentence says why.

use super::layout::{
    ItemXactData, UNDO_DELETE, UNDO_HEADER_SIZE, UNDO_INSERT, UNDO_TABLE_PAGE, UndoPageData, UndoRecPtr,
};
use super::record::Pieces;
use super::row::{row_xact, set_row_deleted, set_row_xact};
use crate::page::{BlockNumber, ItemIdData, LpFlags, OffsetNumber, Page, PageHeaderData, TransactionId};
use crate::wal::rec::FullTransactionId;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const XACT: u16 = ItemXactData::SIZE as u16;
const LP: u16 = ItemIdData::SIZE as u16;
/// Where [`UndoPageData`] begins.
const OWN: u16 = PageHeaderData::SIZE as u16;

/// A transaction item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ItemXact {
    /// the transaction, 0 for none
    pub xid: TransactionId,
    /// its newest undo record about the page
    pub undo: UndoRecPtr,
}

/// How a change of a row comes by its transaction item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XactChange {
    /// the transaction has the item already
    Kept,
    /// it takes one of a transaction that everybody sees: that one's rows name no item any more
    Reused,
    /// the page gets one more
    Added,
}

/// A page to read.
#[derive(Debug, Clone, Copy)]
pub struct UndoPage<'a> {
    page: &'a Page,
}

impl<'a> UndoPage<'a> {
    /// Looks at a page.
    #[must_use]
    pub const fn of(page: &'a Page) -> Self {
        Self { page }
    }

    /// The header behind `PageHeaderData`.
    #[must_use]
    pub fn own(&self) -> UndoPageData<'a> {
        UndoPageData::new(self.page.slice(OWN..UNDO_HEADER_SIZE))
    }

    /// Number of transaction items, as far as they lie within the page.
    #[must_use]
    pub fn xact_count(&self) -> u16 {
        let room = self.page.special_start().saturating_sub(UNDO_HEADER_SIZE) / XACT;
        self.own().pd_nxacts().min(room)
    }

    /// Where a transaction item lies.
    #[must_use]
    pub const fn xact_at(n: u16) -> u16 {
        UNDO_HEADER_SIZE.saturating_add(n.saturating_sub(1).saturating_mul(XACT))
    }

    /// The transaction item of a number, from 1.
    #[must_use]
    pub fn xact(&self, n: u16) -> Option<ItemXact> {
        if n == 0 || n > self.xact_count() {
            return None;
        }
        let at = Self::xact_at(n);
        let item = ItemXactData::new(self.page.slice(at..at.saturating_add(XACT)));
        Some(ItemXact { xid: item.ix_xid().0 as TransactionId, undo: item.ix_undo() })
    }

    /// All transaction items, with their numbers.
    pub fn xacts(self) -> impl Iterator<Item = (u16, ItemXact)> + use<'a> {
        (1..=self.xact_count()).filter_map(move |n| Some((n, self.xact(n)?)))
    }

    /// Where the line pointers begin.
    #[must_use]
    pub fn first_line_pointer(&self) -> u16 {
        Self::xact_at(self.xact_count() + 1)
    }

    /// Number of line pointers, as far as they lie within the page.
    #[must_use]
    pub fn item_count(&self) -> u16 {
        let lower = self.page.header().pd_lower().min(self.page.special_start());
        lower.saturating_sub(self.first_line_pointer()) / LP
    }

    /// Where the line pointer of a number lies.
    #[must_use]
    pub fn lp_at(&self, n: OffsetNumber) -> u16 {
        self.first_line_pointer().saturating_add(n.0.saturating_sub(1).saturating_mul(LP))
    }

    /// The line pointer of a number, from 1.
    #[must_use]
    pub fn lp(&self, n: OffsetNumber) -> Option<ItemIdData> {
        if n.0 == 0 || n.0 > self.item_count() {
            return None;
        }
        let at = self.lp_at(n);
        self.page.slice(at..at.saturating_add(LP)).first_chunk().map(|word| ItemIdData::from(*word))
    }

    /// All line pointers, with their numbers.
    pub fn line_pointers(self) -> impl Iterator<Item = (OffsetNumber, ItemIdData)> + use<'a> {
        (1..=self.item_count()).filter_map(move |n| Some((OffsetNumber(n), self.lp(OffsetNumber(n))?)))
    }

    /// The bytes of a row or an undo record; `None` where there is none, or it does not lie within the page.
    #[must_use]
    pub fn item(&self, n: OffsetNumber) -> Option<&'a [u8]> {
        let lp = self.lp(n).filter(|lp| lp.lp_flags() == LpFlags::Normal)?;
        let (start, end) = (lp.lp_off(), lp.lp_off().checked_add(lp.lp_len())?);
        let is_within = start >= self.first_line_pointer() && end <= self.page.special_start();
        is_within.then(|| self.page.slice(start..end))
    }

    /// Bytes that a row, or an undo record, may take with its line pointer.
    #[must_use]
    pub fn free(&self) -> u16 {
        let header = self.page.header();
        header.pd_upper().saturating_sub(header.pd_lower())
    }

    /// Bytes from the item's start to the next one, all of which it may take.
    fn slot(&self, lp: ItemIdData) -> u16 {
        let later = self.line_pointers().map(|(_, other)| other);
        let later = later.filter(|other| other.is_stored() && other.lp_off() > lp.lp_off()).map(ItemIdData::lp_off);
        later.min().unwrap_or(self.page.special_start()).saturating_sub(lp.lp_off())
    }

    /// Are `pd_lower` and `pd_upper` where they can be?
    fn check(&self) -> Result<(u16, u16), String> {
        let (lower, upper) = (self.page.header().pd_lower(), self.page.header().pd_upper());
        if lower < self.first_line_pointer() || lower > upper || upper > self.page.special_start() {
            return Err(format!("corrupted page pointers: lower = {lower}, upper = {upper}"));
        }
        Ok((lower, upper))
    }

    /// An empty page; `prev`: of undo records the page before it.
    #[must_use]
    pub fn init(size: u16, kind: u16, prev: BlockNumber) -> Page {
        let mut page = Page::init(size, 0);
        page.set_pd_lower(UNDO_HEADER_SIZE);
        page.write_bytes(OWN, &UndoPageData::make(kind, 0, prev));
        page
    }

    /// An empty page of undo records of one transaction.
    #[must_use]
    pub fn init_owned(size: u16, kind: u16, prev: BlockNumber, owner: TransactionId) -> Page {
        let mut page = Self::init(size, kind, prev);
        // an empty page has room for one
        let _ = Self::add_xact(&mut page, ItemXact { xid: owner, undo: UndoRecPtr::NONE });
        page
    }

    /// An empty page of a table.
    #[must_use]
    pub fn init_table(size: u16) -> Page {
        Self::init(size, UNDO_TABLE_PAGE, 0)
    }

    /// Writes a transaction item that is there.
    pub fn set_xact(page: &mut Page, n: u16, item: ItemXact) {
        let bytes = ItemXactData::make(FullTransactionId(item.xid.into()), item.undo);
        page.write_bytes(Self::xact_at(n), &bytes);
    }

    /// One transaction item more: the line pointers move up. Gives its number.
    ///
    /// # Errors
    /// A sentence, where there is no room.
    pub fn add_xact(page: &mut Page, item: ItemXact) -> Result<u16, String> {
        let view = UndoPage::of(page);
        let (lower, upper) = view.check()?;
        if lower.saturating_add(XACT) > upper {
            return Err(format!("a transaction item does not fit between {lower} and {upper}"));
        }
        let (n, first) = (view.xact_count() + 1, view.first_line_pointer());
        let bytes = page.bytes_mut();
        bytes.copy_within(usize::from(first)..usize::from(lower), usize::from(first + XACT));
        page.set_pd_lower(lower + XACT);
        page.write(OWN + 2, &n);
        Self::set_xact(page, n, item);
        Ok(n)
    }

    /// Writes a slot of the segment: one that is there, or the next one.
    ///
    /// # Errors
    /// A sentence, where it is neither, or there is no room.
    pub fn put_slot(page: &mut Page, n: u16, item: ItemXact) -> Result<(), String> {
        let is_next = n == UndoPage::of(page).xact_count() + 1;
        Self::take_xact(page, n, if is_next { XactChange::Added } else { XactChange::Kept }, item)
    }

    /// Gives a change its transaction item.
    ///
    /// # Errors
    /// A sentence, where it cannot be that one.
    pub fn take_xact(page: &mut Page, n: u16, how: XactChange, item: ItemXact) -> Result<(), String> {
        let count = UndoPage::of(page).xact_count();
        match how {
            XactChange::Added if n == count + 1 => return Self::add_xact(page, item).map(drop),
            XactChange::Kept | XactChange::Reused if (1..=count).contains(&n) => {}
            _ => return Err(format!("transaction item {n} is none of {count}")),
        }
        if how == XactChange::Reused {
            let view = UndoPage::of(page);
            let is_of_it = |lp: &OffsetNumber| view.item(*lp).is_some_and(|row| u16::from(row_xact(row)) == n);
            let rows: Vec<OffsetNumber> = view.line_pointers().map(|(lp, _)| lp).filter(is_of_it).collect();
            for row in rows {
                Self::edit_item(page, row, |row| set_row_xact(row, 0));
            }
        }
        Self::set_xact(page, n, item);
        Ok(())
    }

    /// Changes bytes of an item where it stands.
    pub fn edit_item(page: &mut Page, n: OffsetNumber, edit: impl FnOnce(&mut [u8])) {
        let Some(lp) = UndoPage::of(page).lp(n) else { return };
        let (start, end) = (usize::from(lp.lp_off()), usize::from(lp.lp_off()) + usize::from(lp.lp_len()));
        if let Some(bytes) = page.bytes_mut().get_mut(start..end) {
            edit(bytes);
        }
    }

    /// One item more behind the others. Gives its number.
    ///
    /// # Errors
    /// A sentence, where there is no room.
    pub fn add_item(page: &mut Page, item: &[u8]) -> Result<OffsetNumber, String> {
        let view = UndoPage::of(page);
        let ((lower, upper), n) = (view.check()?, OffsetNumber(view.item_count() + 1));
        let length = u16::try_from(item.len()).unwrap_or(u16::MAX);
        let start = upper.checked_sub(length).filter(|start| *start >= lower.saturating_add(LP));
        let start =
            start.ok_or_else(|| format!("an item of {length} bytes does not fit between {lower} and {upper}"))?;
        page.write(lower, &ItemIdData::normal(start, length).0);
        page.write_bytes(start, item);
        page.set_pd_lower(lower + LP);
        page.set_pd_upper(start);
        Ok(n)
    }

    /// Would an item of that length fit in the place of this one, or elsewhere on the page beside so many bytes more?
    ///
    /// # Errors
    /// A sentence that says why not.
    pub fn has_room_for(page: &Page, n: OffsetNumber, length: usize, more: u16) -> Result<(), String> {
        let (_, upper) = place(page, n, length)?;
        let room = upper.saturating_sub(page.header().pd_lower());
        if room < more { Err(format!("{more} bytes do not fit into {room}")) } else { Ok(()) }
    }

    /// Writes an item anew: where it stands if it fits there, else in the hole, where its line pointer leads then.
    ///
    /// # Errors
    /// A sentence, where there is no such item or no room.
    pub fn write_item(page: &mut Page, n: OffsetNumber, item: &[u8]) -> Result<(), String> {
        let (start, upper) = place(page, n, item.len())?;
        let at = UndoPage::of(page).lp_at(n);
        page.write(at, &ItemIdData::normal(start, item.len() as u16).0);
        page.write_bytes(start, item);
        page.set_pd_upper(upper);
        Ok(())
    }

    /// Takes back a change: of its kind, of that row, with these old values. The transaction's item, by its number, has
    /// the record before this one from then on, or is free; the row names `old_xact`.
    ///
    /// # Errors
    /// A sentence, where the row is not what it was after the change.
    pub fn take_back(
        page: &mut Page,
        kind: u8,
        n: OffsetNumber,
        values: &Pieces,
        xact: u16,
        prev: UndoRecPtr,
        old_xact: u8,
    ) -> Result<(), String> {
        let mut row = UndoPage::of(page).item(n).ok_or_else(|| no_such(n))?.to_vec();
        let item = UndoPage::of(page).xact(xact).ok_or_else(|| format!("there is no transaction item {xact}"))?;
        match kind {
            UNDO_INSERT => Self::remove_item(page, n)?,
            _ => {
                values.apply(&mut row)?;
                if kind == UNDO_DELETE {
                    set_row_deleted(&mut row, false);
                }
                set_row_xact(&mut row, old_xact);
                Self::write_item(page, n, &row)?;
            }
        }
        let is_free = prev.is_none();
        Self::set_xact(page, xact, if is_free { ItemXact::default() } else { ItemXact { undo: prev, ..item } });
        Ok(())
    }

    /// The row is gone for good: no version of it is left.
    ///
    /// # Errors
    /// A sentence, where there is no such row.
    pub fn remove_item(page: &mut Page, n: OffsetNumber) -> Result<(), String> {
        let view = UndoPage::of(page);
        view.lp(n).ok_or_else(|| no_such(n))?;
        let at = view.lp_at(n);
        page.write(at, &ItemIdData::DEAD.0);
        Ok(())
    }
}

/// Where an item of that length comes to lie, and `pd_upper` then.
fn place(page: &Page, n: OffsetNumber, length: usize) -> Result<(u16, u16), String> {
    let view = UndoPage::of(page);
    let (lower, upper) = view.check()?;
    let lp = view.lp(n).filter(|_| view.item(n).is_some()).ok_or_else(|| no_such(n))?;
    if length <= usize::from(lp.lp_len()) || length <= usize::from(view.slot(lp)) {
        return Ok((lp.lp_off(), upper));
    }
    let start = u16::try_from(length).ok().and_then(|length| upper.checked_sub(length));
    match start.filter(|start| *start >= lower) {
        Some(start) => Ok((start, start)),
        None => Err("the row does not fit on its page any more".to_string()),
    }
}

fn no_such(n: OffsetNumber) -> String {
    format!("line pointer {n} leads to no item")
}
