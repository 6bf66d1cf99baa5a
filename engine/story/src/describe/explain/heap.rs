//! Block data and main data of Heap and Heap2 records.

use super::super::flags;
use super::super::lists::page_lists;
use super::super::words::{count, join};
use super::block::{bits, value};
use super::fields::Fields;
use super::xact::messages;
use alloc::format;
use ffviz_format::heap::infomask::{HEAP_HASNULL, HEAP_NATTS_MASK};
use ffviz_format::heap::{HeapTupleHeaderData, INFOMASK, INFOMASK2};
use ffviz_format::page::{Bit, layout};
use ffviz_format::wal::rec::heap::{
    XLH_DELETE_CONTAINS_OLD_KEY, XLH_DELETE_CONTAINS_OLD_TUPLE, XLH_UPDATE_CONTAINS_OLD_KEY,
    XLH_UPDATE_CONTAINS_OLD_TUPLE, XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD, XlHeapConfirm, XlHeapDelete,
    XlHeapHeader, XlHeapInplace, XlHeapInplace13, XlHeapInsert, XlHeapLock, XlHeapTruncate, XlHeapUpdate,
};
use ffviz_format::wal::rec::heap2::{
    LogicalRewriteMappingData, PageLists, XLHP_HAS_CONFLICT_HORIZON, XlHeapCleanupInfo, XlHeapFreezePage13,
    XlHeapFreezePage16, XlHeapFreezePlan, XlHeapFreezeTuple, XlHeapMultiInsert, XlHeapNewCid, XlHeapPrune,
    XlHeapPrune13, XlHeapPrune16, XlHeapRewriteMapping, XlHeapVacuum, XlHeapVisible, XlMultiInsertTuple,
    XlhpFreezePlans,
};
use ffviz_format::wal::rec::{Cut, Part};
use ffviz_format::wal::record_type::{Heap2Type, HeapType};
use ffviz_format::wal::{BlockRef, DecodedRecord};

/// Data of a Heap record's block.
pub(super) fn heap_data(record: &DecodedRecord<'_>, of: HeapType, block: &BlockRef<'_>, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(block.data);
    match of {
        HeapType::Insert => tuple(&mut cut, fields),
        HeapType::Update | HeapType::HotUpdate => {
            let flags = XlHeapUpdate::new(record.main_data).flags();
            for (flag, name, meaning) in [
                (
                    XLH_UPDATE_PREFIX_FROM_OLD,
                    "prefixlen",
                    "bytes at the start of the columns that are the old version's",
                ),
                (XLH_UPDATE_SUFFIX_FROM_OLD, "suffixlen", "bytes at the end of the columns that are the old version's"),
            ] {
                if flags & flag != 0 {
                    fields.value::<u16>(cut.take(2).at.start, name, meaning);
                }
            }
            tuple(&mut cut, fields);
        }
        _ => fields.data(&cut.rest(), "tuple data", "the row's columns as they are now"),
    }
}

/// `xl_heap_header` and what follows it to the end.
fn tuple(cut: &mut Cut<'_>, fields: &mut Fields<'_>) {
    let header = cut.take(XlHeapHeader::SIZE);
    let parsed = XlHeapHeader::new(header.bytes);
    fields.structure(header.at.start, header.bytes.len(), parsed.fields(0));
    tuple_flags(fields, parsed.t_infomask2(), parsed.t_infomask());
    body(&cut.rest(), parsed.t_infomask2(), parsed.t_infomask(), parsed.t_hoff(), fields);
}

/// Spells out the flag words of a tuple's header.
fn tuple_flags(fields: &mut Fields<'_>, infomask2: u16, infomask: u16) {
    fields.show("t_infomask2", format!("{infomask2:#06x}"));
    fields.mean("t_infomask2", |_| {
        format!("{}, and three flags", count(usize::from(infomask2 & HEAP_NATTS_MASK), "column"))
    });
    fields.spell("t_infomask2", infomask2, INFOMASK2);
    fields.show("t_infomask", format!("{infomask:#06x}"));
    fields.spell("t_infomask", infomask, INFOMASK);
}

/// A tuple from byte 23 on: null bitmap, alignment, columns.
fn body(part: &Part<'_>, infomask2: u16, infomask: u16, hoff: u8, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(part.bytes);
    let mut take = |size: usize| {
        let Part { bytes, at } = cut.take(size);
        Part { bytes, at: part.at.start + at.start..part.at.start + at.end }
    };
    let before_columns = usize::from(hoff).saturating_sub(HeapTupleHeaderData::SIZE);
    let natts = usize::from(infomask2 & HEAP_NATTS_MASK);
    let bitmap = if infomask & HEAP_HASNULL == 0 { 0 } else { natts.div_ceil(8).min(before_columns) };
    let nulls = take(bitmap);
    fields.push(nulls.at.clone(), "t_bits", bits(nulls.bytes), "null bitmap, a bit a column: 0 is NULL");
    fields.data(&take(before_columns - bitmap), "alignment", "up to t_hoff, where the columns begin");
    fields.data(&take(usize::MAX), "tuple data", "the columns");
}

/// Data of a Heap2 record's block.
pub(super) fn heap2_data(record: &DecodedRecord<'_>, of: Heap2Type, block: &BlockRef<'_>, fields: &mut Fields<'_>) {
    if of == Heap2Type::MultiInsert {
        return many(record, block, fields);
    }
    let lists = page_lists(record).filter(|_| block.id == 0);
    if let Some(lists) = lists {
        list_fields(record, &lists, fields);
    }
}

/// The tuples of a `MULTI_INSERT`, each at an even byte.
fn many(record: &DecodedRecord<'_>, block: &BlockRef<'_>, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(block.data);
    for _ in 0..XlHeapMultiInsert::new(record.main_data).ntuples() {
        let odd = cut.position() % 2;
        fields.data(&cut.take(odd), "alignment", "each tuple's header begins at an even byte");
        let header = cut.take(XlMultiInsertTuple::SIZE);
        if header.is_empty() {
            return;
        }
        let parsed = XlMultiInsertTuple::new(header.bytes);
        fields.structure(header.at.start, header.bytes.len(), parsed.fields(0));
        tuple_flags(fields, parsed.t_infomask2(), parsed.t_infomask());
        let rest = cut.take(usize::from(parsed.datalen()));
        body(&rest, parsed.t_infomask2(), parsed.t_infomask(), parsed.t_hoff(), fields);
    }
}

/// Pruning, vacuuming, freezing.
fn list_fields(record: &DecodedRecord<'_>, lists: &PageLists<'_>, fields: &mut Fields<'_>) {
    let counts = [
        ("nplans", "how many freeze plans follow"),
        ("ntargets", "how many redirections follow"),
        ("ntargets", "how many line pointers that are now dead follow"),
        ("ntargets", "how many line pointers that are now unused follow"),
    ];
    for (count, (name, meaning)) in lists.counts.iter().zip(counts) {
        if !count.is_empty() {
            fields.value::<u16>(count.at.start, name, meaning);
        }
        if count.bytes.len() == XlhpFreezePlans::SIZE {
            fields.value::<[u8; 2]>(count.at.start + 2, "padding", "alignment");
        }
    }
    let size = if record.version.shares_freeze_plans() { XlHeapFreezePlan::SIZE } else { XlHeapFreezeTuple::SIZE };
    for plan in lists.plans.elements(size) {
        let (specs, new, old) = (plan.at.start, XlHeapFreezePlan::new(plan.bytes), XlHeapFreezeTuple::new(plan.bytes));
        let (infomask2, infomask, freeze) = if record.version.shares_freeze_plans() {
            fields.structure(specs, plan.bytes.len(), new.fields(0));
            (new.t_infomask2(), new.t_infomask(), new.frzflags())
        } else {
            fields.structure(specs, plan.bytes.len(), old.fields(0));
            (old.t_infomask2(), old.t_infomask(), old.frzflags())
        };
        tuple_flags(fields, infomask2, infomask);
        fields.spell("frzflags", freeze, flags::FREEZE);
    }
    fields.numbers::<u32>(&lists.redirected, "redirected", "");
    let pairs = lists.redirected.values::<u32>();
    let pairs = join(pairs.iter().map(|pair| format!("{} → {}", pair & 0xFFFF, pair >> 16)), ", ");
    fields.show("redirected", pairs);
    fields
        .mean("redirected", |_| "line pointers that lead to another one now: the start of a HOT chain is gone".into());
    fields.numbers::<u16>(
        &lists.dead,
        "nowdead",
        "line pointers that are dead now: their tuples are gone, index entries still lead here",
    );
    fields.numbers::<u16>(
        &lists.unused,
        "nowunused",
        "line pointers that are unused now: the next tuple may take them",
    );
    fields.numbers::<u16>(&lists.frozen, "frz_offsets", "line pointers of the frozen tuples, plan by plan");
}

/// Adds a struct at the start of main data: its size, and the fields.
fn add(fields: &mut Fields<'_>, size: usize, of: layout::Fields) -> usize {
    fields.structure(0, size, of);
    size
}

/// Shows a flag word and spells it out.
fn flag(fields: &mut Fields<'_>, name: &str, word: u8, table: &[Bit]) {
    fields.show(name, format!("{word:#04x}"));
    fields.spell(name, word, table);
}

/// Main data of a Heap record.
pub(super) fn heap_main(record: &DecodedRecord<'_>, of: HeapType, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let mut cut = Cut::new(data);
    match of {
        HeapType::Insert => {
            let insert = XlHeapInsert::new(data);
            add(fields, XlHeapInsert::SIZE, insert.fields(0));
            flag(fields, "flags", insert.flags(), flags::INSERT);
        }
        HeapType::Delete => {
            let delete = XlHeapDelete::new(data);
            cut.take(add(fields, XlHeapDelete::SIZE, delete.fields(0)));
            flag(fields, "infobits_set", delete.infobits_set(), flags::INFOBITS);
            flag(fields, "flags", delete.flags(), flags::DELETE);
            if delete.flags() & (XLH_DELETE_CONTAINS_OLD_TUPLE | XLH_DELETE_CONTAINS_OLD_KEY) != 0 {
                tuple(&mut cut, fields);
            }
        }
        HeapType::Update | HeapType::HotUpdate => {
            let update = XlHeapUpdate::new(data);
            cut.take(add(fields, XlHeapUpdate::SIZE, update.fields(0)));
            flag(fields, "old_infobits_set", update.old_infobits_set(), flags::INFOBITS);
            flag(fields, "flags", update.flags(), flags::UPDATE);
            if update.flags() & (XLH_UPDATE_CONTAINS_OLD_TUPLE | XLH_UPDATE_CONTAINS_OLD_KEY) != 0 {
                tuple(&mut cut, fields);
            }
        }
        HeapType::Truncate => {
            let truncate = XlHeapTruncate::new(data);
            cut.take(add(fields, XlHeapTruncate::SIZE, truncate.fields(0)));
            flag(fields, "flags", truncate.flags(), flags::TRUNCATE);
            fields.numbers::<u32>(&cut.rest(), "relids", "the tables");
        }
        HeapType::Confirm => {
            add(fields, XlHeapConfirm::SIZE, XlHeapConfirm::new(data).fields(0));
        }
        HeapType::Lock => lock(record, fields),
        HeapType::Inplace if !record.version.inplace_sends_messages() => {
            add(fields, XlHeapInplace13::SIZE, XlHeapInplace13::new(data).fields(0));
        }
        HeapType::Inplace => {
            cut.take(add(fields, XlHeapInplace::SIZE, XlHeapInplace::new(data).fields(0)));
            messages(&cut.rest(), fields);
        }
    }
}

fn lock(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let lock = XlHeapLock::new(record.main_data);
    add(fields, XlHeapLock::SIZE, lock.fields(0));
    flag(fields, "infobits_set", lock.infobits_set(), flags::INFOBITS);
    flag(fields, "flags", lock.flags(), flags::LOCK);
}

/// Main data of a Heap2 record.
pub(super) fn heap2_main(record: &DecodedRecord<'_>, of: Heap2Type, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let mut cut = Cut::new(data);
    match of {
        Heap2Type::Prune if record.version.marks_catalogs() => {
            add(fields, XlHeapPrune16::SIZE, XlHeapPrune16::new(data).fields(0));
        }
        Heap2Type::Clean | Heap2Type::Prune => {
            add(fields, XlHeapPrune13::SIZE, XlHeapPrune13::new(data).fields(0));
        }
        Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan | Heap2Type::PruneVacuumCleanup => {
            prune_main(record, fields);
        }
        Heap2Type::Vacuum => {
            add(fields, XlHeapVacuum::SIZE, XlHeapVacuum::new(data).fields(0));
        }
        Heap2Type::FreezePage if record.version.shares_freeze_plans() => {
            add(fields, XlHeapFreezePage16::SIZE, XlHeapFreezePage16::new(data).fields(0));
        }
        Heap2Type::FreezePage => {
            add(fields, XlHeapFreezePage13::SIZE, XlHeapFreezePage13::new(data).fields(0));
        }
        Heap2Type::CleanupInfo => {
            add(fields, XlHeapCleanupInfo::SIZE, XlHeapCleanupInfo::new(data).fields(0));
        }
        Heap2Type::Visible => {
            let visible = XlHeapVisible::new(data);
            add(fields, XlHeapVisible::SIZE, visible.fields(0));
            flag(fields, "flags", visible.flags(), flags::VISIBLE);
        }
        Heap2Type::MultiInsert => {
            let insert = XlHeapMultiInsert::new(data);
            cut.take(add(fields, XlHeapMultiInsert::SIZE, insert.fields(0)));
            flag(fields, "flags", insert.flags(), flags::INSERT);
            fields.numbers::<u16>(&cut.rest(), "offsets", "line pointers of the tuples, in order");
        }
        Heap2Type::LockUpdated => lock(record, fields),
        Heap2Type::NewCid => {
            add(fields, XlHeapNewCid::SIZE, XlHeapNewCid::new(data).fields(0));
        }
        Heap2Type::Rewrite => {
            cut.take(add(fields, XlHeapRewriteMapping::SIZE, XlHeapRewriteMapping::new(data).fields(0)));
            for mapping in cut.rest().elements(LogicalRewriteMappingData::SIZE) {
                let of = LogicalRewriteMappingData::new(mapping.bytes).fields(0);
                fields.structure(mapping.at.start, mapping.bytes.len(), of);
            }
        }
    }
}

fn prune_main(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let prune = XlHeapPrune::new(data);
    let size = add(fields, XlHeapPrune::SIZE, prune.fields(0));
    flag(fields, "flags", prune.flags(), flags::PRUNE);
    if prune.flags() & XLHP_HAS_CONFLICT_HORIZON != 0 {
        let horizon = format!("{}", value::<u32>(data, size));
        let meaning = "snapshots older than this on a standby are in the way";
        fields.push(size..size + 4, "snapshotConflictHorizon", horizon, meaning);
    }
}
