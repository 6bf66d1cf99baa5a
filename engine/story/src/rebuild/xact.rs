//! Main data of COMMIT and ABORT, and lists of invalidation messages (`xact_desc`, `standby_desc_invalidations`), read
//! back.
//!
//! ```text
//!  734: 2026-05-01 10:00:00.5+00; rels: base/5/16390; subxacts: 735 736; inval msgs: catcache 55 relcache 16384; sync
//!  prepared  time               each a part of the record, in the record's order
//! ```

use super::Told;
use super::main_data::Main;
use super::words::{Words, leading};
use super::xlog::file;
use alloc::vec::Vec;
use ffviz_format::page::Lsn;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::rec::standby::SharedInvalidationMessage;
use ffviz_format::wal::rec::xact::{
    XACT_COMPLETION_APPLY_FEEDBACK, XACT_COMPLETION_FORCE_SYNC_COMMIT, XACT_COMPLETION_UPDATE_RELCACHE_FILE,
    XACT_XINFO_HAS_DBINFO, XACT_XINFO_HAS_DROPPED_STATS, XACT_XINFO_HAS_GID, XACT_XINFO_HAS_INVALS,
    XACT_XINFO_HAS_ORIGIN, XACT_XINFO_HAS_RELFILELOCATORS, XACT_XINFO_HAS_SUBXACTS, XACT_XINFO_HAS_TWOPHASE,
    XLOG_XACT_HAS_INFO, XlXactDbinfo, XlXactEnd, XlXactOrigin, XlXactStatsItem, XlXactStatsItem15,
};
use ffviz_format::wal::rec::{TimestampTz, XLogRecPtr};
use ffviz_format::wal::record_type::XactType;
use ffviz_format::wal::{RelFileLocator, XLR_SPECIAL_REL_UPDATE};

/// Transaction
pub(super) fn end(told: &Told, of: XactType, version: PgVersion) -> Option<Main> {
    if !of.commits() && !of.aborts() {
        return None;
    }
    let mut parts = told.description.split("; ");
    let first = parts.next()?;
    let (prepared, time) = first.split_once(": ").map_or((None, first), |(xid, time)| (leading::<u32>(xid), time));
    let time = Main::default().put(&XlXactEnd::make(TimestampTz(ffviz_format::datum::timestamptz_in(time)?)));
    if told.main_data_length as usize == XlXactEnd::SIZE {
        return Some(time);
    }
    let mut end = End { has_long_ids: version.has_long_stats_ids(), prepared, ..End::default() };
    parts.try_for_each(|part| end.part(part))?;
    end.main(time, told.main_data_length as usize)
}

/// The parts behind the time.
#[derive(Default)]
struct End<'a> {
    /// have the objects of statistics numbers of 64 bits?
    has_long_ids: bool,
    prepared: Option<u32>,
    xinfo: u32,
    subxacts: Vec<u32>,
    rels: Vec<RelFileLocator>,
    stats: &'a str,
    messages: &'a str,
    /// database and tablespace
    dbinfo: Option<(u32, u32)>,
    origin: Option<Origin>,
}

struct Origin {
    node: u16,
    lsn: Lsn,
    at: TimestampTz,
}

impl<'a> End<'a> {
    fn part(&mut self, part: &'a str) -> Option<()> {
        let (key, value) = part.split_once(':').unwrap_or((part, ""));
        match key {
            "rels" => self.rels = value.split_whitespace().map(|path| Some(file(path)?.0)).collect::<Option<_>>()?,
            "subxacts" => {
                self.subxacts = value.split_whitespace().map(|xid| xid.parse().ok()).collect::<Option<_>>()?
            }
            "dropped stats" => self.stats = value,
            "inval msgs" => self.messages = value,
            "apply_feedback" => self.xinfo |= XACT_COMPLETION_APPLY_FEEDBACK,
            "sync" => self.xinfo |= XACT_COMPLETION_FORCE_SYNC_COMMIT,
            "origin" => self.origin = Some(Origin::read(Words(value))?),
            _ => {
                let words = Words(part.strip_prefix("relcache init file inval ")?);
                self.dbinfo = Some((words.number("dbid")?, words.number("tsid")?));
                self.xinfo |= XACT_COMPLETION_UPDATE_RELCACHE_FILE;
            }
        }
        Some(())
    }

    /// In the record's order. Whether there is a database is told by the length.
    fn main(self, time: Main, length: usize) -> Option<Main> {
        let mut rest = Main::default();
        let mut xinfo = self.xinfo;
        if !self.subxacts.is_empty() {
            xinfo |= XACT_XINFO_HAS_SUBXACTS;
            rest = rest.put(&(self.subxacts.len() as i32)).all(&self.subxacts);
        }
        if !self.rels.is_empty() {
            xinfo |= XACT_XINFO_HAS_RELFILELOCATORS;
            rest = rest.put(&(self.rels.len() as i32)).all(&self.rels);
        }
        if !self.stats.is_empty() {
            xinfo |= XACT_XINFO_HAS_DROPPED_STATS;
            rest = stats(rest, self.stats, self.has_long_ids)?;
        }
        if !self.messages.is_empty() {
            xinfo |= XACT_XINFO_HAS_INVALS;
            rest = messages(rest.put(&message_count(self.messages)), self.messages)?;
        }
        if let Some(xid) = self.prepared {
            xinfo |= XACT_XINFO_HAS_TWOPHASE;
            rest = rest.put(&xid);
        }
        if let Some(origin) = &self.origin {
            xinfo |= XACT_XINFO_HAS_ORIGIN;
            rest = rest.put(&XlXactOrigin::make(XLogRecPtr(origin.lsn), origin.at));
        }
        let left = length.checked_sub(XlXactEnd::SIZE + size_of::<u32>() + rest.bytes.len())?;
        let has_database = left >= XlXactDbinfo::SIZE;
        if has_database {
            xinfo |= XACT_XINFO_HAS_DBINFO;
        }
        match left.saturating_sub(XlXactDbinfo::SIZE) {
            0 if has_database || left == 0 => {}
            // the name of the prepared transaction, which ends the record where there is no origin
            gid if self.prepared.is_some() && self.origin.is_none() && gid > 0 => {
                xinfo |= XACT_XINFO_HAS_GID;
                rest = rest.skip(gid);
            }
            _ => return None,
        }
        // XACT_XINFO_HAS_AE_LOCKS, a bit of the first byte, is not told
        let xinfo = xinfo.to_le_bytes();
        let mut main = time.all(&xinfo);
        main.untold.push(XlXactEnd::SIZE..XlXactEnd::SIZE + 1);
        main = match self.dbinfo {
            Some((database, tablespace)) => main.put(&XlXactDbinfo::make(database, tablespace)),
            None if has_database => main.skip(XlXactDbinfo::SIZE),
            None => main,
        };
        let at = main.bytes.len();
        main.untold.extend(rest.untold.iter().map(|range| at + range.start..at + range.end));
        main.bytes.extend(rest.bytes);
        main.info = XLOG_XACT_HAS_INFO | if self.rels.is_empty() { 0 } else { XLR_SPECIAL_REL_UPDATE };
        main.origin = self.origin.map(|origin| origin.node);
        Some(main)
    }
}

impl Origin {
    fn read(words: Words<'_>) -> Option<Self> {
        Some(Self {
            node: words.number("node")?,
            lsn: words.after("lsn")?.split(',').next()?.parse().ok()?,
            at: TimestampTz(ffviz_format::datum::timestamptz_in(words.after("at")?)?),
        })
    }
}

/// Kind, database and object each.
fn stats(main: Main, items: &str, has_long_ids: bool) -> Option<Main> {
    let count = items.split_whitespace().count() as i32;
    items.split_whitespace().try_fold(main.put(&count), |main, item| {
        let mut numbers = item.split('/').map(|number| number.parse::<u64>().ok());
        let mut number = || numbers.next()?;
        let (kind, database, object) = (number()? as i32, number()? as u32, number()?);
        let (low, high) = (object as u32, (object >> 32) as u32);
        Some(if has_long_ids {
            main.put(&XlXactStatsItem::make(kind, database, low, high))
        } else {
            main.put(&XlXactStatsItem15::make(kind, database, low))
        })
    })
}

/// How many messages a list has.
pub(super) fn message_count(list: &str) -> i32 {
    each(list).count() as i32
}

/// The words of each message: `catcache 55`, `smgr`, `relmap db 5`.
fn each(list: &str) -> impl Iterator<Item = &str> {
    let list = list.split(';').next().unwrap_or("").trim();
    let starts = list.match_indices(|c: char| c.is_ascii_alphabetic()).map(|(at, _)| at);
    let is_start = |at: &usize| {
        list[..*at].ends_with(' ') && !list[..*at].ends_with("relmap ") && !list[..*at].ends_with("unrecognized ")
    };
    let mut bounds: Vec<usize> =
        core::iter::once(0).filter(|_| !list.is_empty()).chain(starts.filter(is_start)).collect();
    bounds.push(list.len());
    (1..bounds.len()).map(move |n| list[bounds[n - 1]..bounds[n]].trim())
}

/// Invalidation messages: of each its sort, and its object, unless that is a hash value.
pub(super) fn messages(main: Main, list: &str) -> Option<Main> {
    each(list).try_fold(main, |main, text| {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let number = rest.rsplit(' ').next().and_then(leading::<u32>);
        let id: i8 = match name {
            "catcache" => i8::try_from(number?).ok()?,
            "catalog" => -1,
            "relcache" => -2,
            "smgr" => -3,
            "relmap" => -4,
            "snapshot" => -5,
            "relsync" => -6,
            _ => return None,
        };
        let (database, what) = match id {
            0.. | -3 => (None, None),
            -4 => (number, None),
            _ => (None, Some(number?)),
        };
        let made = SharedInvalidationMessage::make(id as u8, [0; 3], database.unwrap_or(0), what.unwrap_or(0), 0);
        let main = main.put(&made[0]).skip(3);
        let main = if database.is_some() { main.all(&made[4..8]) } else { main.skip(4) };
        let main = if what.is_some() { main.all(&made[8..12]) } else { main.skip(4) };
        Some(main.skip(4))
    })
}
