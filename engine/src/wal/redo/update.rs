//! Redo of UPDATE and HOT_UPDATE (`heap_xlog_update`).
//!
//! ```text
//!  old version      ├ header ┼ bitmap ┼═ prefix ═┼ … ┼═ suffix ═┤       on the page, when both versions are
//!  in the record             ├ bitmap ┼ middle ┤
//!  new version      ├ header ┼ bitmap ┼═ prefix ═┼ middle ┼═ suffix ═┤
//! ```

use super::Redo;
use super::heap::ALL_VISIBLE_CLEARED;
use super::tuple::{
    NewHeader, at, forget_command, item, set_all_visible, set_hot_updated, set_infobits, set_prunable, tuple,
};
use crate::heap::{HeapTuple, HeapTupleHeaderData, heap_free_space};
use crate::page::maps::VISIBILITYMAP_VALID_BITS;
use crate::page::{ItemPointer, OffsetNumber, Page, TransactionId};
use crate::wal::BlockRef;
use alloc::string::String;
use alloc::vec::Vec;

/// `XLH_UPDATE_NEW_ALL_VISIBLE_CLEARED`
const NEW_ALL_VISIBLE_CLEARED: u8 = 0x02;
/// `XLH_UPDATE_PREFIX_FROM_OLD`
const PREFIX_FROM_OLD: u8 = 0x20;
/// `XLH_UPDATE_SUFFIX_FROM_OLD`
const SUFFIX_FROM_OLD: u8 = 0x40;

/// `xl_heap_update`
struct Update {
    xid: TransactionId,
    old_xmax: TransactionId,
    old_offnum: OffsetNumber,
    old_infobits: u8,
    flags: u8,
    new_xmax: TransactionId,
    /// where the new version is
    new: ItemPointer,
    hot: bool,
}

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, hot: bool) {
    let Some(main) = redo.main_data(14) else { return };
    let Some(block) = redo.block(0) else { return };
    let update = Update {
        xid: redo.record.xid(),
        old_xmax: at(main, 0),
        old_offnum: OffsetNumber(at(main, 4)),
        old_infobits: at(main, 6),
        flags: at(main, 7),
        new_xmax: at(main, 8),
        new: ItemPointer { block: block.tag.block, offset: OffsetNumber(at(main, 12)) },
        hot,
    };
    let mut free = None;
    let same_page = redo.block(1).is_none();
    if same_page {
        redo.edit(0, |page, block| {
            let old = tuple(page, block.tag.block, update.old_offnum)?;
            update.add(page, block, Some(&old))?;
            update.end_old(page, old);
            free = Some(heap_free_space(page));
            Ok(())
        });
    } else {
        redo.change_or_init(|page, block| {
            update.add(page, block, None)?;
            free = Some(heap_free_space(page));
            Ok(())
        });
        redo.edit(1, |page, block| {
            let old = tuple(page, block.tag.block, update.old_offnum)?;
            update.end_old(page, old);
            Ok(())
        });
    }
    let old: &[u8] = if same_page { &[0] } else { &[1] };
    match (update.flags & ALL_VISIBLE_CLEARED != 0, update.flags & NEW_ALL_VISIBLE_CLEARED != 0) {
        (true, true) if !same_page => redo.clear_vm(true, &[0, 1], VISIBILITYMAP_VALID_BITS),
        (false, true) => redo.clear_vm(true, &[0], VISIBILITYMAP_VALID_BITS),
        (old_cleared, _) => redo.clear_vm(old_cleared, old, VISIBILITYMAP_VALID_BITS),
    }
    // after a HOT update pruning will make the room again
    redo.note_low_space(0, free.filter(|_| !hot));
}

impl Update {
    /// The old version ends.
    fn end_old(&self, page: &mut Page, mut old: HeapTuple) {
        set_infobits(&mut old, self.old_infobits);
        set_hot_updated(&mut old, self.hot);
        old.t_xmax = self.old_xmax;
        forget_command(&mut old);
        old.t_ctid = self.new;
        old.write(page);
        set_prunable(page, self.xid);
        if self.flags & ALL_VISIBLE_CLEARED != 0 {
            set_all_visible(page, false);
        }
    }

    /// The new version is put on its page. `old` is there where it lies on the same page.
    fn add(&self, page: &mut Page, block: &BlockRef<'_>, old: Option<&HeapTuple>) -> Result<(), String> {
        let item = self.new_version(page, block.data, old)?;
        page.add_item(&item, self.new.offset, true)?;
        if self.flags & NEW_ALL_VISIBLE_CLEARED != 0 {
            set_all_visible(page, false);
        }
        Ok(())
    }

    /// Puts the new version together.
    fn new_version(&self, page: &Page, data: &[u8], old: Option<&HeapTuple>) -> Result<Vec<u8>, String> {
        let (prefix_at, suffix_at) = (0, if self.flags & PREFIX_FROM_OLD == 0 { 0 } else { 2 });
        let header_at = if self.flags & SUFFIX_FROM_OLD == 0 { suffix_at } else { suffix_at + 2 };
        let prefix: u16 = if suffix_at == prefix_at { 0 } else { at(data, prefix_at) };
        let suffix: u16 = if header_at == suffix_at { 0 } else { at(data, suffix_at) };
        let rest = data.get(header_at + NewHeader::SIZE..).ok_or("the record has no tuple")?;
        let new = NewHeader::read(&data[header_at..]);
        let header = new.tuple(self.new, self.xid, self.new_xmax);
        if prefix == 0 && suffix == 0 {
            return Ok(item(&header, &[rest]));
        }
        let old = old.ok_or("the old version, which the new one needs, lies on another page")?;
        let of_old = old.data();
        if prefix > of_old.len() as u16 || suffix > of_old.end - old.bytes.start {
            return Err(String::from("the old version is too short for what the new one takes from it"));
        }
        // with a prefix, null bitmap and padding come before it
        let bitmap = if prefix == 0 { 0 } else { usize::from(new.t_hoff).saturating_sub(HeapTupleHeaderData::SIZE) };
        let (bitmap, middle) = rest.split_at_checked(bitmap).ok_or("the record is too short for the null bitmap")?;
        let prefix = page.slice(of_old.start..of_old.start + prefix);
        let suffix = page.slice(of_old.end - suffix..of_old.end);
        Ok(item(&header, &[bitmap, prefix, middle, suffix]))
    }
}
