//! Main data of Transaction records, and invalidation messages.

use super::super::desc::{message, relation_path, stats_item};
use super::super::flags;
use super::fields::Fields;
use alloc::format;
use alloc::string::String;
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::rec::xact::{
    List, Prepare, XactEnd, XlXactAssignment, XlXactDbinfo, XlXactEnd, XlXactInvals, XlXactOrigin, XlXactPrepare,
    XlXactPrepare13, XlXactXinfo, stats_item_size,
};
use ffviz_format::wal::rec::{Cut, Part};
use ffviz_format::wal::record_type::XactType;
use ffviz_format::wal::{DecodedRecord, RelFileLocator};

pub(super) fn main(record: &DecodedRecord<'_>, of: XactType, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(record.main_data);
    match of {
        XactType::Commit | XactType::CommitPrepared => end(record, true, fields),
        XactType::Abort | XactType::AbortPrepared => end(record, false, fields),
        XactType::Prepare => prepare(record, fields),
        XactType::Assignment => {
            let header = cut.take(XlXactAssignment::SIZE);
            fields.structure(0, header.bytes.len(), XlXactAssignment::new(header.bytes).fields(0));
            fields.numbers::<u32>(&cut.rest(), "xsub", "the subtransactions");
        }
        XactType::Invalidations => {
            let header = cut.take(XlXactInvals::SIZE);
            fields.structure(0, header.bytes.len(), XlXactInvals::new(header.bytes).fields(0));
            messages(&cut.rest(), fields);
        }
    }
}

/// COMMIT and ABORT.
fn end(record: &DecodedRecord<'_>, is_commit: bool, fields: &mut Fields<'_>) {
    let end = XactEnd::new(record.main_data, record.info(), record.version, is_commit);
    fields.structure(0, end.time.bytes.len(), XlXactEnd::new(end.time.bytes).fields(0));
    let xinfo = end.xinfo();
    fields.structure(end.xinfo.at.start, end.xinfo.bytes.len(), XlXactXinfo::new(end.xinfo.bytes).fields(0));
    fields.show("xinfo", format!("{xinfo:#010x}"));
    fields.spell("xinfo", xinfo, flags::XINFO);
    fields.structure(end.dbinfo.at.start, end.dbinfo.bytes.len(), XlXactDbinfo::new(end.dbinfo.bytes).fields(0));
    let mut number = |list: &List<'_>, name: &str, meaning: &str| {
        if !list.count.is_empty() {
            fields.value::<i32>(list.count.at.start, name, meaning);
        }
    };
    number(&end.subxacts, "nsubxacts", "how many subtransactions end with it");
    number(&end.rels, "nrels", "how many files go");
    number(&end.stats, "nitems", "how many statistics go");
    number(&end.msgs, "nmsgs", "how many messages for the caches of other servers");
    fields.numbers::<u32>(&end.subxacts.items, "subxacts", "subtransactions that end with it");
    files(record, &end.rels.items, "the file goes", fields);
    stats(record, &end.stats.items, fields);
    messages(&end.msgs.items, fields);
    fields.numbers::<u32>(&end.twophase_xid, "xid", "the prepared transaction");
    gid(&end.gid, fields);
    fields.structure(end.origin.at.start, end.origin.bytes.len(), XlXactOrigin::new(end.origin.bytes).fields(0));
}

fn prepare(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let parts = Prepare::new(record.main_data, record.version);
    let header = parts.header.bytes;
    if !record.version.drops_stats_by_transaction() {
        fields.structure(0, header.len(), XlXactPrepare13::new(header).fields(0));
    } else {
        fields.structure(0, header.len(), XlXactPrepare::new(header).fields(0));
    }
    gid(&parts.gid, fields);
    fields.numbers::<u32>(&parts.subxacts, "subxacts", "subtransactions that end with it");
    files(record, &parts.commit_rels, "a commit removes the file", fields);
    files(record, &parts.abort_rels, "an abort removes the file", fields);
    stats(record, &parts.commit_stats, fields);
    stats(record, &parts.abort_stats, fields);
    messages(&parts.msgs, fields);
    for part in
        [&parts.gid, &parts.subxacts, &parts.commit_rels, &parts.abort_rels, &parts.commit_stats, &parts.abort_stats]
    {
        let end = part.at.end;
        let gap = Part {
            bytes: record.main_data.get(end..end.next_multiple_of(8)).unwrap_or(&[]),
            at: end..end.next_multiple_of(8),
        };
        fields.data(&gap, "alignment", "each part begins at a multiple of 8 bytes");
    }
    fields.data(&parts.rest, "state", "what resource managers keep of the transaction: its locks and the like");
}

fn gid(part: &Part<'_>, fields: &mut Fields<'_>) {
    let name = part.bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let name = String::from_utf8_lossy(name).into_owned();
    fields.push(part.at.clone(), "gid", name, "the prepared transaction's name, with a zero behind it");
    fields.hide("gid");
}

fn files(record: &DecodedRecord<'_>, part: &Part<'_>, meaning: &str, fields: &mut Fields<'_>) {
    for (locator, item) in part.values::<RelFileLocator>().into_iter().zip(part.elements(12)) {
        fields.push(item.at, "locator", relation_path(locator, 0, record.version), meaning);
    }
}

fn stats(record: &DecodedRecord<'_>, part: &Part<'_>, fields: &mut Fields<'_>) {
    for item in part.elements(stats_item_size(record.version)) {
        fields.push(
            item.at,
            "stats",
            stats_item(item.bytes, record.version),
            "statistics that go: kind, database, object",
        );
    }
}

/// Messages for the caches of other servers, 16 bytes each.
pub(super) fn messages(part: &Part<'_>, fields: &mut Fields<'_>) {
    for item in part.elements(MESSAGE_SIZE) {
        fields.push(
            item.at,
            "msgs",
            message(item.bytes),
            "what other backends, and standbys, have to drop from their caches",
        );
    }
}
