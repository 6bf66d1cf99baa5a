//! `xact_desc` (src/backend/access/rmgrdesc/xactdesc.c).

use super::standby::invalidations;
use super::{relation_path, spaced};
use alloc::format;
use alloc::string::String;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::rec::xact::{
    Prepare, XACT_COMPLETION_APPLY_FEEDBACK, XACT_COMPLETION_FORCE_SYNC_COMMIT, XACT_COMPLETION_UPDATE_RELCACHE_FILE,
    XactEnd, XlXactAssignment, XlXactDbinfo, XlXactEnd, XlXactInvals, XlXactOrigin, XlXactPrepare, XlXactPrepare13,
    XlXactStatsItem, XlXactStatsItem15, stats_item_size,
};
use ffviz_format::wal::rec::{Cut, Part, TimestampTz};
use ffviz_format::wal::record_type::XactType;
use ffviz_format::wal::{DecodedRecord, RelFileLocator};

pub(super) fn describe(record: &DecodedRecord<'_>, of: XactType) -> String {
    let mut cut = Cut::new(record.main_data);
    match of {
        XactType::Commit | XactType::CommitPrepared => commit(record),
        XactType::Prepare => prepare(record),
        XactType::Abort | XactType::AbortPrepared => abort(record),
        XactType::Assignment => {
            let header = XlXactAssignment::new(cut.take(XlXactAssignment::SIZE).bytes);
            let subxacts = cut.array(usize::try_from(header.nsubxacts()).unwrap_or(0), 4);
            format!("xtop {}: subxacts:{}", header.xtop(), spaced(subxacts.values::<u32>()))
        }
        XactType::Invalidations if record.version.logs_invalidations() => {
            let count = XlXactInvals::new(cut.take(XlXactInvals::SIZE).bytes).nmsgs();
            invalidations(&cut.array(usize::try_from(count).unwrap_or(0), MESSAGE_SIZE), None)
        }
        // 13 has none
        XactType::Invalidations => String::new(),
    }
}

fn commit(record: &DecodedRecord<'_>) -> String {
    let end = XactEnd::new(record.main_data, record.info(), record.version, true);
    let has = |bit: u32| end.xinfo() & bit != 0;
    let dbinfo = XlXactDbinfo::new(end.dbinfo.bytes);
    let file = has(XACT_COMPLETION_UPDATE_RELCACHE_FILE).then(|| (dbinfo.dbId(), dbinfo.tsId()));
    let mut text = ended(&end);
    text += &relations(record, "rels", &end.rels.items);
    text += &subxacts(&end.subxacts.items);
    text += &stats(record, "", &end.stats.items);
    text += &invalidations(&end.msgs.items, file);
    if has(XACT_COMPLETION_APPLY_FEEDBACK) && record.version.describes_all_of_xact() {
        text += "; apply_feedback";
    }
    if has(XACT_COMPLETION_FORCE_SYNC_COMMIT) {
        text += "; sync";
    }
    text + &origin_of(record, &end)
}

fn abort(record: &DecodedRecord<'_>) -> String {
    let end = XactEnd::new(record.main_data, record.info(), record.version, false);
    let text = ended(&end) + &relations(record, "rels", &end.rels.items) + &subxacts(&end.subxacts.items);
    if !record.version.describes_all_of_xact() {
        return text;
    }
    text + &origin_of(record, &end) + &stats(record, "", &end.stats.items)
}

/// When, and which prepared transaction.
fn ended(end: &XactEnd<'_>) -> String {
    let time = XlXactEnd::new(end.time.bytes).xact_time().show();
    match u32::get(end.twophase_xid.bytes) {
        0 => time,
        xid => format!("{xid}: {time}"),
    }
}

fn prepare(record: &DecodedRecord<'_>) -> String {
    let parts = Prepare::new(record.main_data, record.version);
    let header = XlXactPrepare::new(parts.header.bytes);
    let old = XlXactPrepare13::new(parts.header.bytes);
    let is_old = !record.version.drops_stats_by_transaction();
    let gid = parts.gid.bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let mut text = format!("gid {}: {}", String::from_utf8_lossy(gid), header.prepared_at().show());
    text += &relations(record, "rels(commit)", &parts.commit_rels);
    text += &relations(record, "rels(abort)", &parts.abort_rels);
    text += &stats(record, "commit ", &parts.commit_stats);
    text += &stats(record, "abort ", &parts.abort_stats);
    text += &subxacts(&parts.subxacts);
    let makes_file = if is_old { old.initfileinval() } else { header.initfileinval() };
    // the tablespace is not in the record: PostgreSQL prints 0
    text += &invalidations(&parts.msgs, makes_file.then(|| (header.database(), 0)));
    let (lsn, time) = if is_old {
        (old.origin_lsn(), old.origin_timestamp())
    } else {
        (header.origin_lsn(), header.origin_timestamp())
    };
    match record.origin {
        Some(node) if node != 0 => text + &origin(node, lsn.0, time),
        _ => text,
    }
}

fn relations(record: &DecodedRecord<'_>, label: &str, rels: &Part<'_>) -> String {
    if rels.is_empty() {
        return String::new();
    }
    let paths = rels.values::<RelFileLocator>().into_iter().map(|rel| relation_path(rel, 0, record.version));
    format!("; {label}:{}", spaced(paths))
}

fn subxacts(part: &Part<'_>) -> String {
    if part.is_empty() { String::new() } else { format!("; subxacts:{}", spaced(part.values::<u32>())) }
}

fn stats(record: &DecodedRecord<'_>, label: &str, part: &Part<'_>) -> String {
    if part.is_empty() {
        return String::new();
    }
    let items = part.elements(stats_item_size(record.version)).map(|item| stats_item(item.bytes, record.version));
    format!("; {label}dropped stats:{}", spaced(items))
}

/// Kind, database and object of statistics.
pub(in super::super) fn stats_item(bytes: &[u8], version: PgVersion) -> String {
    if version.has_long_stats_ids() {
        let item = XlXactStatsItem::new(bytes);
        let object = u64::from(item.objid_hi()) << 32 | u64::from(item.objid_lo());
        return format!("{}/{}/{object}", item.kind(), item.dboid());
    }
    let item = XlXactStatsItem15::new(bytes);
    format!("{}/{}/{}", item.kind(), item.dboid(), item.objoid())
}

fn origin_of(record: &DecodedRecord<'_>, end: &XactEnd<'_>) -> String {
    if end.origin.is_empty() {
        return String::new();
    }
    let there = XlXactOrigin::new(end.origin.bytes);
    origin(record.origin.unwrap_or(0), there.origin_lsn().0, there.origin_timestamp())
}

fn origin(node: u16, lsn: Lsn, time: TimestampTz) -> String {
    format!("; origin: node {node}, lsn {lsn}, at {}", time.show())
}
