//! Main data of Heap and Heap2 records (`heap_desc`, `heap2_desc`, src/backend/access/rmgrdesc/heapdesc.c), read back.

use super::main_data::Main;
use super::words::{Words, leading};
use super::{Told, xact};
use ffviz_format::page::{ItemPointer, OffsetNumber, PgVersion};
use ffviz_format::wal::rec::heap::{
    XlHeapConfirm, XlHeapDelete, XlHeapInplace, XlHeapInsert, XlHeapLock, XlHeapUpdate,
};
use ffviz_format::wal::rec::heap2::{
    XLHP_CLEANUP_LOCK, XLHP_HAS_CONFLICT_HORIZON, XLHP_HAS_DEAD_ITEMS, XLHP_HAS_FREEZE_PLANS,
    XLHP_HAS_NOW_UNUSED_ITEMS, XLHP_HAS_REDIRECTIONS, XLHP_IS_CATALOG_REL, XlHeapFreezePage13, XlHeapFreezePage16,
    XlHeapMultiInsert, XlHeapPrune, XlHeapPrune13, XlHeapPrune16, XlHeapVacuum, XlHeapVisible,
};
use ffviz_format::wal::record_type::{Heap2Type, HeapType};

/// Heap
pub(super) fn heap(told: &Told, of: HeapType, version: PgVersion) -> Option<Main> {
    let words = Words(&told.description);
    match of {
        HeapType::Insert => {
            Some(Main::default().put(&XlHeapInsert::make(words.number("off")?, words.number("flags")?)))
        }
        HeapType::Delete => delete(told, version),
        HeapType::Update | HeapType::HotUpdate => update(words, version),
        HeapType::Confirm => Some(Main::default().put(&XlHeapConfirm::make(words.number("off")?))),
        HeapType::Lock => lock(words, version),
        HeapType::Inplace => inplace(words, version),
        HeapType::Truncate => None,
    }
}

/// Before 16 xmax is not told: it is the record's transaction, unless it is a multixact. An old tuple for logical
/// decoding may follow, which
/// redo does not read.
fn delete(told: &Told, version: PgVersion) -> Option<Main> {
    const IS_MULTI: u8 = 1;
    let words = Words(&told.description);
    let (off, flags) = (words.number("off")?, words.number("flags")?);
    let bits = words.infobits("infobits", version)?;
    let (xmax, is_told) = match words.number("xmax") {
        Some(xmax) => (xmax, true),
        None => (told.xid, bits & IS_MULTI == 0),
    };
    let made = XlHeapDelete::make(xmax, off, bits, flags);
    Some(if is_told { Main::default().put(&made) } else { Main::default().skip(4).all(&made[4..]).lacking() })
}

fn update(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let flags = words.number("flags")?;
    let made = if version.describes_by_keys() {
        let bits = words.infobits("old_infobits", version)?;
        let (old_xmax, old_off) = (words.number("old_xmax")?, words.number("old_off")?);
        XlHeapUpdate::make(old_xmax, old_off, bits, flags, words.number("new_xmax")?, words.number("new_off")?)
    } else {
        let new = words.from("new")?;
        let bits = words.infobits("", version)?;
        XlHeapUpdate::make(
            words.number("xmax")?,
            words.number("off")?,
            bits,
            flags,
            new.number("xmax")?,
            new.number("off")?,
        )
    };
    Some(Main::default().put(&made))
}

/// LOCK and `LOCK_UPDATED`
fn lock(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let xmax = words.number("xmax").or_else(|| words.number("xid"))?;
    let bits = words.infobits("infobits", version)?;
    Some(Main::default().put(&XlHeapLock::make(xmax, words.number("off")?, bits, words.number("flags")?)))
}

/// From 18 on invalidation messages follow, which redo of pages does not read.
fn inplace(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let off: u16 = words.number("off")?;
    let main = Main::default().put(&off);
    if !version.inplace_sends_messages() {
        return Some(main);
    }
    let messages = words.from("inval msgs:").map_or(0, |list| xact::message_count(list.0));
    let file = words.from("relcache init file inval dbid");
    let made = XlHeapInplace::make(
        off,
        file.and_then(|file| leading(file.0)).unwrap_or(0),
        words.number("tsid").unwrap_or(0),
        file.is_some(),
        messages,
    );
    let main = if file.is_some() {
        Main::default().all(&made[..2]).skip(2).all(&made[4..13])
    } else {
        Main::default().all(&made[..2]).skip(10).all(&made[12..13])
    };
    let main = main.skip(3).all(&made[16..]);
    match words.from("inval msgs:") {
        Some(list) => xact::messages(main, list.0),
        None => Some(main),
    }
}

/// Heap2
pub(super) fn heap2(told: &Told, of: Heap2Type, version: PgVersion) -> Option<Main> {
    let words = Words(&told.description);
    match of {
        Heap2Type::Prune => prune(words, version),
        Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan => prune_and_freeze(told, XLHP_CLEANUP_LOCK),
        Heap2Type::PruneVacuumCleanup => prune_and_freeze(told, 0),
        Heap2Type::Vacuum => Some(Main::default().put(&XlHeapVacuum::make(words.number("nunused")?))),
        Heap2Type::FreezePage => freeze_page(words, version),
        Heap2Type::Visible => {
            let xid = words.number("snapshotConflictHorizon").or_else(|| words.number("cutoff xid"))?;
            Some(Main::default().put(&XlHeapVisible::make(xid, words.number("flags")?)))
        }
        Heap2Type::MultiInsert => multi_insert(told, version),
        Heap2Type::LockUpdated => lock(words, version),
        Heap2Type::NewCid => new_cid(words),
        Heap2Type::Rewrite | Heap2Type::Clean | Heap2Type::CleanupInfo => None,
    }
}

fn prune(words: Words<'_>, version: PgVersion) -> Option<Main> {
    let (redirected, dead) = (words.number("nredirected")?, words.number("ndead")?);
    Some(if version.describes_by_keys() {
        // isCatalogRel is not told
        let made = XlHeapPrune16::make(words.number("snapshotConflictHorizon")?, redirected, dead, false);
        Main::default().all(&made[..8]).skip(1)
    } else {
        Main::default().put(&XlHeapPrune13::make(words.number("latestRemovedXid")?, redirected, dead))
    })
}

/// Which lists there are is told where the record has them; an image stands for them. All but VACUUM's second pass
/// need a
/// cleanup lock.
fn prune_and_freeze(told: &Told, lock: u8) -> Option<Main> {
    let words = Words(&told.description);
    let has = |key: &str, flag: u8| if words.number::<u32>(key).is_some_and(|n| n > 0) { flag } else { 0 };
    let horizon: Option<u32> = words.number("snapshotConflictHorizon");
    let flags = has("nplans", XLHP_HAS_FREEZE_PLANS)
        | has("nredirected", XLHP_HAS_REDIRECTIONS)
        | has("ndead", XLHP_HAS_DEAD_ITEMS)
        | has("nunused", XLHP_HAS_NOW_UNUSED_ITEMS)
        | if words.truth("isCatalogRel")? { XLHP_IS_CATALOG_REL } else { 0 }
        | if horizon.is_some() { XLHP_HAS_CONFLICT_HORIZON } else { 0 }
        | lock;
    let made = XlHeapPrune::make(0, flags);
    let main = if told.has_data(0) { Main::default().skip(1).put(&made[1]) } else { partly(&made) };
    Some(match horizon {
        Some(horizon) => main.put(&horizon),
        None => main,
    })
}

/// The flags are told but for the lists, and `reason` is not.
fn partly(made: &[u8; XlHeapPrune::SIZE]) -> Main {
    let mut main = Main::default().put(made);
    main.untold.push(0..XlHeapPrune::SIZE);
    main
}

fn freeze_page(words: Words<'_>, version: PgVersion) -> Option<Main> {
    Some(if version.describes_by_keys() {
        // isCatalogRel is not told
        let made = XlHeapFreezePage16::make(words.number("snapshotConflictHorizon")?, words.number("nplans")?, false);
        Main::default().all(&made[..6]).skip(1)
    } else {
        Main::default().put(&XlHeapFreezePage13::make(words.number("cutoff xid")?, words.number("ntuples")?))
    })
}

/// Line pointers are told from 16 on; they are in the record where the page is not new, also beside an image,
/// which stands for them.
fn multi_insert(told: &Told, version: PgVersion) -> Option<Main> {
    let words = Words(&told.description);
    let ntuples = if version.describes_by_keys() { words.number("ntuples")? } else { leading(words.0)? };
    let made = XlHeapMultiInsert::make(words.number("flags")?, ntuples);
    // alignment is as it happens to be
    let main = Main::default().put(&made[0]).skip(1).all(&made[2..]);
    Some(match words.list::<u16>("offsets") {
        Some(offsets) => main.all(&offsets),
        None => main,
    })
}

/// For logical decoding: redo does nothing. The top-level transaction is not told.
fn new_cid(words: Words<'_>) -> Option<Main> {
    let (block, offset) = words.after("tid")?.split_once('/')?;
    let tid = ItemPointer { block: leading(block)?, offset: OffsetNumber(leading(offset)?) };
    let commands = [words.number("cmin")?, words.number("cmax")?, words.number("combo")?];
    Some(Main::default().skip(4).all::<u32>(&commands).put(&words.locator("rel")?).put(&tid))
}
