//! `heap_desc` (src/backend/access/rmgrdesc/heapdesc.c).

use super::super::flags;
use super::standby::invalidations;
use super::{has_keys, list, spaced};
use alloc::format;
use alloc::string::String;
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::Cut;
use ffviz_format::wal::rec::heap::{
    XlHeapConfirm, XlHeapDelete, XlHeapInplace, XlHeapInsert, XlHeapLock, XlHeapTruncate, XlHeapUpdate,
};
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::record_type::HeapType;

pub(super) fn describe(record: &DecodedRecord<'_>, of: HeapType) -> String {
    match of {
        HeapType::Insert => insert(record),
        HeapType::Delete => delete(record),
        HeapType::Update | HeapType::HotUpdate => update(record),
        HeapType::Truncate => truncate(record),
        HeapType::Confirm => off(record, XlHeapConfirm::new(record.main_data).offnum()),
        HeapType::Lock if has_keys(record) => lock(record, "xmax"),
        HeapType::Lock => lock(record, "xid"),
        HeapType::Inplace => inplace(record),
    }
}

fn off(record: &DecodedRecord<'_>, offnum: u16) -> String {
    if has_keys(record) { format!("off: {offnum}") } else { format!("off {offnum}") }
}

fn insert(record: &DecodedRecord<'_>) -> String {
    let insert = XlHeapInsert::new(record.main_data);
    let (off, flags) = (insert.offnum(), insert.flags());
    if has_keys(record) {
        format!("off: {off}, flags: 0x{flags:02X}")
    } else {
        format!("off {off} flags 0x{flags:02X}")
    }
}

fn delete(record: &DecodedRecord<'_>) -> String {
    let delete = XlHeapDelete::new(record.main_data);
    let (xmax, off, flags) = (delete.xmax(), delete.offnum(), delete.flags());
    let bits = infobits(record, "infobits", delete.infobits_set());
    if has_keys(record) {
        format!("xmax: {xmax}, off: {off}, {bits}, flags: 0x{flags:02X}")
    } else {
        format!("off {off} flags 0x{flags:02X} {bits}")
    }
}

fn update(record: &DecodedRecord<'_>) -> String {
    let update = XlHeapUpdate::new(record.main_data);
    let (old_xmax, old, flags) = (update.old_xmax(), update.old_offnum(), update.flags());
    let (new_xmax, new) = (update.new_xmax(), update.new_offnum());
    let bits = infobits(record, "old_infobits", update.old_infobits_set());
    if has_keys(record) {
        format!(
            "old_xmax: {old_xmax}, old_off: {old}, {bits}, flags: 0x{flags:02X}, new_xmax: {new_xmax}, new_off: {new}"
        )
    } else {
        format!("off {old} xmax {old_xmax} flags 0x{flags:02X} {bits}; new off {new} xmax {new_xmax}")
    }
}

/// LOCK and `LOCK_UPDATED`; before 16 the two call the transaction by different names.
pub(super) fn lock(record: &DecodedRecord<'_>, old_label: &str) -> String {
    let lock = XlHeapLock::new(record.main_data);
    let (xmax, off, flags) = (lock.xmax(), lock.offnum(), lock.flags());
    let bits = infobits(record, "infobits", lock.infobits_set());
    if has_keys(record) {
        format!("xmax: {xmax}, off: {off}, {bits}, flags: 0x{flags:02X}")
    } else {
        format!("off {off}: {old_label} {xmax}: flags 0x{flags:02X} {bits}")
    }
}

fn truncate(record: &DecodedRecord<'_>) -> String {
    let mut cut = Cut::new(record.main_data);
    let truncate = XlHeapTruncate::new(cut.take(XlHeapTruncate::SIZE).bytes);
    let count = truncate.nrelids();
    let relids = cut.array(count as usize, 4).values::<u32>();
    let set = flags::TRUNCATE.iter().filter(|bit| u32::from(truncate.flags()) & bit.mask != 0);
    let names = set.map(|bit| bit.name.trim_start_matches("XLH_TRUNCATE_"));
    if has_keys(record) {
        return format!("flags: {}, nrelids: {count}, relids: {}", list(names), list(relids));
    }
    let words: String = names.map(|name| name.to_ascii_lowercase() + " ").collect();
    format!("{words}nrelids {count} relids{}", spaced(relids))
}

fn inplace(record: &DecodedRecord<'_>) -> String {
    let mut cut = Cut::new(record.main_data);
    let inplace = XlHeapInplace::new(cut.take(XlHeapInplace::SIZE).bytes);
    let text = off(record, inplace.offnum());
    if !record.version.inplace_sends_messages() {
        return text;
    }
    let messages = cut.array(usize::try_from(inplace.nmsgs()).unwrap_or(0), MESSAGE_SIZE);
    let file = inplace.relcacheInitFileInval().then(|| (inplace.dbId(), inplace.tsId()));
    text + &invalidations(&messages, file)
}

/// What `t_xmax` does to the tuple: `infobits_desc`, before 16 `out_infobits`.
fn infobits(record: &DecodedRecord<'_>, key: &str, bits: u8) -> String {
    let set = flags::INFOBITS.iter().filter(|bit| u32::from(bits) & bit.mask != 0);
    let names = set.map(|bit| bit.name.trim_start_matches("XLHL_").trim_start_matches("XMAX_"));
    if has_keys(record) {
        return format!("{key}: {}", list(names));
    }
    names.map(|name| format!("{name} ")).collect()
}
