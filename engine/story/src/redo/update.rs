//! Redo of UPDATE and HOT_UPDATE (`heap_xlog_update`).
//!
//! ```text
//!  old version      ├ header ┼ bitmap ┼═ prefix ═┼ … ┼═ suffix ═┤       on the page, when both versions are
//!  in the record             ├ bitmap ┼ middle ┤
//!  new version      ├ header ┼ bitmap ┼═ prefix ═┼ middle ┼═ suffix ═┤
//! ```

use super::Redo;
use super::tuple::{Place, forget_command, new_header, set_all_visible, set_hot_updated, set_infobits, tuple};
use alloc::string::String;
use core::ops::Range;
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData, heap_free_space};
use ffviz_format::page::maps::VISIBILITYMAP_VALID_BITS;
use ffviz_format::page::{HeaderMut, ItemPointer, OffsetNumber, Page, TransactionId};
use ffviz_format::wal::BlockRef;
use ffviz_format::wal::rec::Cut;
use ffviz_format::wal::rec::heap::{
    ALL_VISIBLE_CLEARED, XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD, XlHeapHeader, XlHeapUpdate,
};

/// `XLH_UPDATE_NEW_ALL_VISIBLE_CLEARED`
const NEW_ALL_VISIBLE_CLEARED: u8 = 0x02;
/// The record at work.
struct Update<'a> {
    main: XlHeapUpdate<'a>,
    xid: TransactionId,
    /// where the new version is
    new: ItemPointer,
    hot: bool,
}

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, hot: bool) {
    let Some(main) = redo.main_data(XlHeapUpdate::SIZE).map(XlHeapUpdate::new) else { return };
    let Some(block) = redo.block(0) else { return };
    let new = ItemPointer { block: block.tag.block, offset: OffsetNumber(main.new_offnum()) };
    let (update, flags) = (Update { main, xid: redo.record.xid(), new, hot }, main.flags());
    let mut free = None;
    let same_page = redo.block(1).is_none();
    if same_page {
        redo.edit(0, |page, block| {
            let old = update.old(page, block)?;
            update.add(page, block, Some(&old))?;
            update.end_old(page, old);
            // after a HOT update pruning will make the room again
            free = (!hot).then(|| heap_free_space(page));
            Ok(())
        });
    } else {
        redo.change_or_init(|page, block| {
            update.add(page, block, None)?;
            free = (!hot).then(|| heap_free_space(page));
            Ok(())
        });
        redo.edit(1, |page, block| {
            let old = update.old(page, block)?;
            update.end_old(page, old);
            Ok(())
        });
    }
    let old: &[u8] = if same_page { &[0] } else { &[1] };
    match (flags & ALL_VISIBLE_CLEARED != 0, flags & NEW_ALL_VISIBLE_CLEARED != 0) {
        (true, true) if !same_page => redo.clear_vm(true, &[0, 1], VISIBILITYMAP_VALID_BITS),
        (false, true) => redo.clear_vm(true, &[0], VISIBILITYMAP_VALID_BITS),
        (old_cleared, _) => redo.clear_vm(old_cleared, old, VISIBILITYMAP_VALID_BITS),
    }
    redo.note_low_space(0, free);
}

impl Update<'_> {
    /// The old version.
    fn old(&self, page: &Page, block: &BlockRef<'_>) -> Result<HeapTuple, String> {
        tuple(page, block.tag.block, OffsetNumber(self.main.old_offnum()))
    }

    /// The old version ends.
    fn end_old(&self, page: &mut Page, mut old: HeapTuple) {
        set_infobits(&mut old, self.main.old_infobits_set());
        set_hot_updated(&mut old, self.hot);
        old.t_xmax = self.main.old_xmax();
        forget_command(&mut old);
        old.t_ctid = self.new;
        old.write(page);
        HeaderMut::of(page).set_prunable(self.xid);
        if self.main.flags() & ALL_VISIBLE_CLEARED != 0 {
            set_all_visible(page, false);
        }
    }

    /// The new version is put on its page. `old` is there where it lies on the same page.
    fn add(&self, page: &mut Page, block: &BlockRef<'_>, old: Option<&HeapTuple>) -> Result<(), String> {
        let new = self.new_version(block.data, old)?;
        page.add_item_with(new.length(), self.new.offset, true, |bytes, to| new.write(bytes, to))?;
        if self.main.flags() & NEW_ALL_VISIBLE_CLEARED != 0 {
            set_all_visible(page, false);
        }
        Ok(())
    }

    /// What the new version is put together from.
    fn new_version<'a>(&self, data: &'a [u8], old: Option<&HeapTuple>) -> Result<NewVersion<'a>, String> {
        let mut cut = Cut::new(data);
        let mut from_old = |flag: u8| if self.main.flags() & flag == 0 { 0 } else { cut.value::<u16>() };
        let (prefix, suffix) = (from_old(XLH_UPDATE_PREFIX_FROM_OLD), from_old(XLH_UPDATE_SUFFIX_FROM_OLD));
        let new = cut.take(XlHeapHeader::SIZE).bytes;
        if new.len() < XlHeapHeader::SIZE {
            return Err(String::from("the record has no tuple"));
        }
        let (new, rest) = (XlHeapHeader::new(new), cut.rest().bytes);
        let header = new_header(new, self.new, self.xid, self.main.new_xmax()).header();
        if prefix == 0 && suffix == 0 {
            return Ok(NewVersion { header, bitmap: &[], prefix: 0..0, middle: rest, suffix: 0..0 });
        }
        let old = old.ok_or("the old version, which the new one needs, lies on another page")?;
        let of_old = old.data();
        if prefix > of_old.len() as u16 || suffix > of_old.end - old.bytes.start {
            return Err(String::from("the old version is too short for what the new one takes from it"));
        }
        // with a prefix, null bitmap and padding come before it
        let bitmap = if prefix == 0 { 0 } else { usize::from(new.t_hoff()).saturating_sub(HeapTupleHeaderData::SIZE) };
        let (bitmap, middle) = rest.split_at_checked(bitmap).ok_or("the record is too short for the null bitmap")?;
        let (prefix, suffix) = (of_old.start..of_old.start + prefix, of_old.end - suffix..of_old.end);
        Ok(NewVersion { header, bitmap, prefix, middle, suffix })
    }
}

/// A version that takes its beginning and its end from where they lie on the page.
struct NewVersion<'a> {
    header: [u8; HeapTupleHeaderData::SIZE],
    bitmap: &'a [u8],
    prefix: Range<u16>,
    middle: &'a [u8],
    suffix: Range<u16>,
}

impl NewVersion<'_> {
    /// Its bytes.
    const fn length(&self) -> usize {
        let from_old = self.prefix.end - self.prefix.start + self.suffix.end - self.suffix.start;
        self.header.len() + self.bitmap.len() + self.middle.len() + from_old as usize
    }

    /// Writes it to its place on the page.
    fn write(&self, bytes: &mut [u8], to: usize) {
        let mut place = Place { bytes, at: to };
        place.put(&self.header);
        place.put(self.bitmap);
        place.copy(&self.prefix);
        place.put(self.middle);
        place.copy(&self.suffix);
    }
}
