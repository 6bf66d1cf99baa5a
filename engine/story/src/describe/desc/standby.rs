//! `standby_desc` and `standby_desc_invalidations` (src/backend/access/rmgrdesc/standbydesc.c).

use super::spaced;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::standby::{
    MESSAGE_SIZE, SharedInvalidationMessage, XlInvalidations, XlRunningXacts, XlStandbyLock, XlStandbyLocks,
};
use ffviz_format::wal::rec::{Cut, Part};
use ffviz_format::wal::record_type::StandbyType;

pub(super) fn describe(record: &DecodedRecord<'_>, of: StandbyType) -> String {
    let mut cut = Cut::new(record.main_data);
    match of {
        StandbyType::Lock => {
            let count = XlStandbyLocks::new(cut.take(XlStandbyLocks::SIZE).bytes).nlocks();
            let locks = cut.array(usize::try_from(count).unwrap_or(0), XlStandbyLock::SIZE);
            let locks = locks.elements(XlStandbyLock::SIZE).map(|lock| {
                let lock = XlStandbyLock::new(lock.bytes);
                format!("xid {} db {} rel {} ", lock.xid(), lock.dbOid(), lock.relOid())
            });
            locks.collect()
        }
        StandbyType::RunningXacts => running_xacts(record, &mut cut),
        StandbyType::Invalidations => {
            let header = XlInvalidations::new(cut.take(XlInvalidations::SIZE).bytes);
            let messages = cut.array(usize::try_from(header.nmsgs()).unwrap_or(0), MESSAGE_SIZE);
            let file = header.relcacheInitFileInval().then(|| (header.dbId(), header.tsId()));
            invalidations(&messages, file)
        }
    }
}

fn running_xacts(record: &DecodedRecord<'_>, cut: &mut Cut<'_>) -> String {
    let running = XlRunningXacts::new(cut.take(XlRunningXacts::SIZE).bytes);
    let (next, latest, oldest) = (running.nextXid(), running.latestCompletedXid(), running.oldestRunningXid());
    let mut text = format!("nextXid {next} latestCompletedXid {latest} oldestRunningXid {oldest}");
    let mut xids = |count: i32, what: &str| {
        let xids = cut.array(usize::try_from(count).unwrap_or(0), 4);
        if count > 0 { format!("; {count} {what}:{}", spaced(xids.values::<u32>())) } else { String::new() }
    };
    let (xacts, subxacts) = (xids(running.xcnt(), "xacts"), xids(running.subxcnt(), "subxacts"));
    text += &xacts;
    if running.subxid_overflow() {
        text += if record.version.describes_by_keys() { "; subxid overflowed" } else { "; subxid ovf" };
    }
    if record.version.describes_by_keys() { text + &subxacts } else { text }
}

/// What other servers have to drop from their caches; `file` is database and tablespace of a relation cache file that
/// is to be made anew.
pub(super) fn invalidations(messages: &Part<'_>, file: Option<(u32, u32)>) -> String {
    if messages.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    if let Some((database, tablespace)) = file {
        text = format!("; relcache init file inval dbid {database} tsid {tablespace}");
    }
    text + "; inval msgs:" + &spaced(messages.elements(MESSAGE_SIZE).map(|bytes| message(bytes.bytes)))
}

/// One message.
pub(in super::super) fn message(bytes: &[u8]) -> String {
    let message = SharedInvalidationMessage::new(bytes);
    let (database, what) = (message.dbId(), message.what());
    match message.id() as i8 {
        id @ 0.. => format!("catcache {id}"),
        -1 => format!("catalog {what}"),
        -2 => format!("relcache {what}"),
        -3 => "smgr".to_string(),
        -4 => format!("relmap db {database}"),
        -5 => format!("snapshot {what}"),
        -6 => format!("relsync {what}"),
        id => format!("unrecognized id {id}"),
    }
}
