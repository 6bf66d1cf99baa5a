//! Why main data has as many bytes: which struct it is, and what stands behind it.

use super::super::words::{bytes, count};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::rec::xact::XactEnd;
use ffviz_format::wal::record_type::{
    BtreeType, Heap2Type, HeapType, SeqType, SmgrType, StandbyType, XactType, XlogType,
};
use ffviz_format::wal::{DecodedRecord, RecordType};

/// `header`: bytes of the short header before it.
pub(super) fn why(record: &DecodedRecord<'_>, header: u32) -> String {
    let length = record.main_data.len();
    let long = if header > 2 { ", 5 because the length is above 255" } else { "" };
    format!("{} and a header of {header}{long}: {}", bytes(length), contents(record))
}

fn contents(record: &DecodedRecord<'_>) -> String {
    let text = match record.record_type() {
        RecordType::Heap(of) => heap(of),
        RecordType::Heap2(of) => heap2(of),
        RecordType::Btree(of) => btree(of),
        RecordType::Xlog(of) => xlog(of),
        RecordType::Xact(of) => return transaction(record, of),
        RecordType::Standby(of) => standby(of),
        RecordType::Smgr(SmgrType::Truncate) => "the relation, how many blocks stay, and which forks are cut",
        RecordType::Smgr(SmgrType::Create) => "the new file and its fork",
        RecordType::Seq(SeqType::Log) => "the sequence, and its only row whole, so that replay writes the page anew",
        RecordType::MultiXact(_) | RecordType::Undo(_) | RecordType::Other(_) => {
            "what the resource manager keeps besides pages"
        }
    };
    text.to_string()
}

fn heap(of: HeapType) -> &'static str {
    match of {
        HeapType::Insert => "line pointer and flags; the tuple is with the block",
        HeapType::Delete => {
            "who deletes, line pointer and flags; the tuple itself stays on the page, so its bytes are not needed"
        }
        HeapType::Update | HeapType::HotUpdate => {
            "old and new line pointer, xmax and flags of the old version; the new version is with the block"
        }
        HeapType::Truncate => "the relations that TRUNCATE emptied, for logical decoding",
        HeapType::Confirm => "line pointer of the insert that is final now",
        HeapType::Lock => "who locks, line pointer and flags",
        HeapType::Inplace => "line pointer, and from 18 on messages for the caches of other servers",
    }
}

const fn heap2(of: Heap2Type) -> &'static str {
    match of {
        Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan | Heap2Type::PruneVacuumCleanup => {
            "which lists are with the block, and from which xid on a standby's snapshot is in the way"
        }
        Heap2Type::Clean | Heap2Type::Prune => {
            "how long the lists are, and from which xid on a standby's snapshot is in the way"
        }
        Heap2Type::Vacuum => "how many line pointers become unused",
        Heap2Type::FreezePage => "how many tuples or plans, and up to which xid is frozen",
        Heap2Type::CleanupInfo => "the table, and from which xid on a standby's snapshot is in the way",
        Heap2Type::Visible => "the visibility map's bits, and from which xid on a standby's snapshot is in the way",
        Heap2Type::MultiInsert => {
            "flags and number of tuples; line pointers only where the page is not new, 2 bytes each"
        }
        Heap2Type::LockUpdated => "who locks, line pointer and flags",
        Heap2Type::NewCid => "a catalog row and its command ids, for logical decoding",
        Heap2Type::Rewrite => "where rows of a rewritten catalog went, for logical decoding",
    }
}

fn btree(of: BtreeType) -> &'static str {
    match of {
        BtreeType::InsertLeaf | BtreeType::InsertUpper | BtreeType::InsertMeta | BtreeType::InsertPost => {
            "line pointer of the new entry"
        }
        BtreeType::SplitL | BtreeType::SplitR => "level, where the page is cut, and where the new entry belongs",
        BtreeType::Dedup => "how many posting lists are made",
        BtreeType::Delete => "how many entries go, and from which xid on a standby's snapshot is in the way",
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta => {
            "the siblings that are to be linked, and from when on the page may be recycled"
        }
        BtreeType::Newroot => "block and level of the new root",
        BtreeType::MarkPageHalfdead => "the leaf, its siblings, and the downlink that goes",
        BtreeType::Vacuum => "how many entries go, and how many posting lists get shorter",
        BtreeType::ReusePage => {
            "the page that is taken again, and from which xid on a standby's snapshot is in the way"
        }
        BtreeType::MetaCleanup => "nothing",
    }
}

fn xlog(of: XlogType) -> &'static str {
    match of {
        XlogType::CheckpointShutdown | XlogType::CheckpointOnline => {
            "the checkpoint: redo position, next xid and OID, oldest xid: what recovery starts from"
        }
        XlogType::NextOid => "OIDs below this one may be given out without a further record",
        XlogType::BackupEnd => "where the backup began",
        XlogType::ParameterChange => "settings that a standby has to follow",
        XlogType::RestorePoint => "time and name of the restore point, always 64 bytes for the name",
        XlogType::FpwChange => "full_page_writes from here on",
        XlogType::EndOfRecovery => "time, new and old timeline",
        XlogType::OverwriteContrecord => "the record whose rest never came, and when that was found",
        XlogType::CheckpointRedo => "wal_level; the record's own place is the redo position",
        XlogType::Noop | XlogType::Switch | XlogType::FpiForHint | XlogType::Fpi => "nothing",
    }
}

fn standby(of: StandbyType) -> &'static str {
    match of {
        StandbyType::Lock => {
            "relations locked in AccessExclusiveLock mode, 12 bytes each: a standby's readers must not look at them"
        }
        StandbyType::RunningXacts => {
            "the running transactions, 4 bytes each: a standby needs them for its first snapshot"
        }
        StandbyType::Invalidations => "messages for the caches of other servers, 16 bytes each",
    }
}

/// COMMIT and ABORT, by their optional parts.
fn transaction(record: &DecodedRecord<'_>, of: XactType) -> String {
    match of {
        XactType::Prepare => {
            return "all that COMMIT PREPARED or ROLLBACK PREPARED will need: name, subtransactions, files, locks"
                .to_string();
        }
        XactType::Assignment => {
            return "the top-level transaction and its subtransactions, 4 bytes each, for a standby's snapshots"
                .to_string();
        }
        XactType::Invalidations => return "messages for the caches, 16 bytes each, for logical decoding".to_string(),
        XactType::Commit | XactType::CommitPrepared | XactType::Abort | XactType::AbortPrepared => {}
    }
    let end = XactEnd::new(record.main_data, record.info(), record.version, of.commits());
    let mut text = "the time, 8 bytes".to_string();
    let mut add = |size: usize, what: String| {
        if size > 0 {
            text += &format!("; {what}, {size}");
        }
    };
    let list = |list: &ffviz_format::wal::rec::xact::List<'_>| list.count.bytes.len() + list.items.bytes.len();
    add(end.xinfo.bytes.len(), "which parts follow".to_string());
    add(end.dbinfo.bytes.len(), "database and tablespace".to_string());
    add(list(&end.subxacts), count(end.subxacts.items.bytes.len() / 4, "subtransaction"));
    add(list(&end.rels), count(end.rels.items.bytes.len() / 12, "file") + " that go");
    add(list(&end.stats), "statistics that go".to_string());
    add(
        list(&end.msgs),
        count(end.msgs.items.bytes.len() / MESSAGE_SIZE, "message") + " for the caches of other servers",
    );
    add(end.twophase_xid.bytes.len() + end.gid.bytes.len(), "the prepared transaction".to_string());
    add(end.origin.bytes.len(), "where it committed first".to_string());
    text
}
