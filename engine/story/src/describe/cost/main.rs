//! Why main data has as many bytes: which struct it is, and what stands behind it.

use super::super::words::{bytes, count};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::rec::xact::XactEnd;
use ffviz_format::wal::{DecodedRecord, Rmgr};

/// `header`: bytes of the short header before it.
pub(super) fn why(record: &DecodedRecord<'_>, header: u32) -> String {
    let length = record.main_data.len();
    let long = if header > 2 { ", 5 because the length is above 255" } else { "" };
    format!("{} and a header of {header}{long}: {}", bytes(length), contents(record))
}

fn contents(record: &DecodedRecord<'_>) -> String {
    let info = record.info();
    let text = match record.rmgr() {
        Rmgr::HEAP => heap(info),
        Rmgr::HEAP2 => super::super::lists::Heap2::of(record).contents(record.major),
        Rmgr::BTREE => btree(info),
        Rmgr::XLOG => xlog(info),
        Rmgr::TRANSACTION => return transaction(record),
        Rmgr::STANDBY => standby(info),
        Rmgr::STORAGE if info & 0xF0 == 0x20 => "the relation, how many blocks stay, and which forks are cut",
        Rmgr::STORAGE => "the new file and its fork",
        Rmgr::SEQUENCE => "the sequence, and its only row whole, so that replay writes the page anew",
        _ => "what the resource manager keeps besides pages",
    };
    text.to_string()
}

fn heap(info: u8) -> &'static str {
    match info & 0x70 {
        0x00 => "line pointer and flags; the tuple is with the block",
        0x10 => "who deletes, line pointer and flags; the tuple itself stays on the page, so its bytes are not needed",
        0x20 | 0x40 => "old and new line pointer, xmax and flags of the old version; the new version is with the block",
        0x30 => "the relations that TRUNCATE emptied, for logical decoding",
        0x50 => "line pointer of the insert that is final now",
        0x60 => "who locks, line pointer and flags",
        _ => "line pointer, and from 18 on messages for the caches of other servers",
    }
}

fn btree(info: u8) -> &'static str {
    match info & 0xF0 {
        0x00 | 0x10 | 0x20 | 0x50 => "line pointer of the new entry",
        0x30 | 0x40 => "level, where the page is cut, and where the new entry belongs",
        0x60 => "how many posting lists are made",
        0x70 => "how many entries go, and from which xid on a standby's snapshot is in the way",
        0x80 | 0x90 => "the siblings that are to be linked, and from when on the page may be recycled",
        0xA0 => "block and level of the new root",
        0xB0 => "the leaf, its siblings, and the downlink that goes",
        0xC0 => "how many entries go, and how many posting lists get shorter",
        0xD0 => "the page that is taken again, and from which xid on a standby's snapshot is in the way",
        _ => "nothing",
    }
}

fn xlog(info: u8) -> &'static str {
    match info & 0xF0 {
        0x00 | 0x10 => "the checkpoint: redo position, next xid and OID, oldest xid: what recovery starts from",
        0x30 => "OIDs below this one may be given out without a further record",
        0x50 => "where the backup began",
        0x60 => "settings that a standby has to follow",
        0x70 => "time and name of the restore point, always 64 bytes for the name",
        0x80 => "full_page_writes from here on",
        0x90 => "time, new and old timeline",
        0xD0 => "the record whose rest never came, and when that was found",
        0xE0 => "wal_level; the record's own place is the redo position",
        _ => "nothing",
    }
}

fn standby(info: u8) -> &'static str {
    match info & 0xF0 {
        0x00 => {
            "relations locked in AccessExclusiveLock mode, 12 bytes each: a standby's readers must not look at them"
        }
        0x10 => "the running transactions, 4 bytes each: a standby needs them for its first snapshot",
        _ => "messages for the caches of other servers, 16 bytes each",
    }
}

/// COMMIT and ABORT, by their optional parts.
fn transaction(record: &DecodedRecord<'_>) -> String {
    match record.info() & 0x70 {
        0x10 => {
            return "all that COMMIT PREPARED or ROLLBACK PREPARED will need: name, subtransactions, files, locks"
                .to_string();
        }
        0x50 => {
            return "the top-level transaction and its subtransactions, 4 bytes each, for a standby's snapshots"
                .to_string();
        }
        0x60 => return "messages for the caches, 16 bytes each, for logical decoding".to_string(),
        _ => {}
    }
    let is_commit = matches!(record.info() & 0x70, 0x00 | 0x30);
    let end = XactEnd::new(record.main_data, record.info(), record.major, is_commit);
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
