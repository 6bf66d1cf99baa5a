//! Records of the WAL as contrib/pg_walinspect/pg_walinspect.c shows them, from 15 on.
//!
//! ```text
//!  pg_get_wal_record_info(lsn)          the first record from there on
//!  pg_get_wal_records_info(from, to)    a row each record
//!  pg_get_wal_block_info(from, to)      a row each page that a record is about
//!  pg_get_wal_stats(from, to)           a row each resource manager, or each type of record
//! ```
//!
//! The simulator has the records of its own pages and transactions. A server has those of its catalogs too: what is
//! between two records may be more there.

use super::Rows;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array};
use ffviz_format::page::{BLCKSZ, Lsn};
use ffviz_format::wal::{BlockImage, BlockRef, Compression, DecodedRecord, Record, Rmgr};
use ffviz_story::describe::{block_refs, describe};

const TEXT: u32 = 25;
/// `RM_MAX_BUILTIN_ID`
const LAST_RMGR: u8 = 21;

pub(super) fn rows(db: &Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    let lsn = |n: usize| Lsn(args[n].integer().unwrap_or(0).cast_unsigned());
    let flag = |n: usize, default| args.get(n).map_or(default, |flag| *flag == Value::Bool(true));
    let current = db.wal_end();
    match name {
        "pg_get_wal_record_info" => {
            db.check_begun(lsn(0), "input")?;
            let record = db.records_from(lsn(0))?.next();
            let record = record.ok_or_else(|| SqlError::new("22023", format!("could not read WAL at {}", lsn(0))))?;
            Ok(Vec::from([db.decoded(record, |decoded| record_row(record, decoded))?]))
        }
        "pg_get_wal_records_info" => db.each_record(lsn(0), lsn(1), |record, of| Vec::from([record_row(record, of)])),
        "pg_get_wal_records_info_till_end_of_wal" => {
            db.each_record(lsn(0), current, |record, of| Vec::from([record_row(record, of)]))
        }
        "pg_get_wal_block_info" => {
            let shows_data = flag(2, true);
            db.each_record(lsn(0), lsn(1), |record, of| block_rows(record, of, shows_data))
        }
        "pg_get_wal_stats_till_end_of_wal" => db.wal_stats(lsn(0), current, flag(1, false)),
        _ => db.wal_stats(lsn(0), lsn(1), flag(2, false)),
    }
}

impl Database {
    /// `GetFlushRecPtr`, as far as commits and the WAL writer have brought it on a server soon.
    fn wal_end(&self) -> Lsn {
        self.cluster.pg.wal.position().insert_lsn()
    }

    /// Has the WAL come to a position that somebody asks for by that name?
    fn check_begun(&self, from: Lsn, what: &str) -> Result<(), SqlError> {
        let (current, is_strict) = (self.wal_end(), !self.cluster.version().has_walinspect_1_1());
        if from < current || from == current && !is_strict {
            return Ok(());
        }
        let (message, last) = if is_strict {
            (format!("cannot accept future {what} LSN"), "Last known")
        } else {
            (format!("WAL {what} LSN must be less than current LSN"), "Current")
        };
        let detail = format!("{last} WAL LSN on the database system is at {current}.");
        Err(SqlError::new("22023", message).with_detail(detail))
    }

    /// The records from a position on.
    fn records_from(&self, from: Lsn) -> Result<impl Iterator<Item = &Record>, SqlError> {
        let (wal, current) = (&self.cluster.pg.wal, self.wal_end());
        if !wal.keeps_all_since(from) {
            return Err(SqlError::new(
                NOT_SIMULATED,
                "WAL from before the script, or that is not kept, is not supported",
            ));
        }
        let records = wal.records();
        let mut records = records[records.partition_point(|record| record.start < from)..].iter().peekable();
        // the first record is looked for, whatever ends the range
        if records.peek().is_none_or(|record| record.end > current) {
            return Err(SqlError::new("XX000", format!("could not find a valid record after {from}")));
        }
        Ok(records)
    }

    /// The rows that become of the records from one position to another.
    fn each_record(
        &self,
        from: Lsn,
        to: Lsn,
        mut rows_of: impl FnMut(&Record, &DecodedRecord<'_>) -> Rows,
    ) -> Result<Rows, SqlError> {
        let current = self.wal_end();
        self.check_begun(from, "start")?;
        if !self.cluster.version().has_walinspect_1_1() && to != current {
            self.check_begun(to, "end")?;
        }
        if from > to {
            return Err(SqlError::new("22023", "WAL start LSN must be less than end LSN"));
        }
        let mut rows = Rows::new();
        for record in self.records_from(from)?.take_while(|record| record.end <= to.min(current)) {
            rows.extend(self.decoded(record, |decoded| rows_of(record, decoded))?);
        }
        Ok(rows)
    }

    fn decoded<T>(&self, record: &Record, look: impl FnOnce(&DecodedRecord<'_>) -> T) -> Result<T, SqlError> {
        record.lend().decoded(self.cluster.version(), look).map_err(|sentence| SqlError::new("XX000", sentence))
    }

    /// `GetWalStats`
    fn wal_stats(&self, from: Lsn, to: Lsn, per_record: bool) -> Result<Rows, SqlError> {
        let version = self.cluster.version();
        let mut found: BTreeMap<(Rmgr, u8), Sizes> = BTreeMap::new();
        if !per_record {
            found.extend((0..=LAST_RMGR).map(|id| ((Rmgr(id), 0), Sizes::default())));
        }
        self.each_record(from, to, |_, record| {
            let info = record.info() & if record.rmgr() == Rmgr::TRANSACTION { 0x70 } else { 0xF0 };
            let sizes = found.entry((record.rmgr(), if per_record { info } else { 0 })).or_default();
            sizes.add(Sizes { count: 1, records: record.tot_len() - record.fpi_len(), images: record.fpi_len() });
            Rows::new()
        })?;
        let mut total = Sizes::default();
        found.values().for_each(|sizes| total.add(*sizes));
        let named = |(rmgr, info): (Rmgr, u8)| match per_record {
            true => format!("{}/{}", rmgr.name(), rmgr.type_name(info, version)),
            false => rmgr.name(),
        };
        Ok(found.into_iter().map(|(kind, sizes)| sizes.row(&named(kind), total)).collect())
    }
}

/// `XLogRecStats`: how many records, and bytes of them without images, and of images.
#[derive(Debug, Clone, Copy, Default)]
struct Sizes {
    count: u32,
    records: u32,
    images: u32,
}

impl Sizes {
    const fn add(&mut self, other: Self) {
        self.count += other.count;
        self.records += other.records;
        self.images += other.images;
    }

    /// `FillXLogStatsRow`
    fn row(self, name: &str, total: Self) -> Vec<Value> {
        let pairs = [
            (self.count, total.count),
            (self.records, total.records),
            (self.images, total.images),
            (self.records + self.images, total.records + total.images),
        ];
        let mut row = Vec::from([Value::text(name)]);
        for (part, all) in pairs {
            let percentage = if all == 0 { 0.0 } else { 100.0 * f64::from(part) / f64::from(all) };
            row.extend([Value::Int8(part.into()), Value::Float8(percentage)]);
        }
        row
    }
}

const fn lsn(lsn: Lsn) -> Value {
    Value::Int8(lsn.0.cast_signed())
}

/// Text; 16 and later have NULL where there is none.
fn text_or_null(record: &DecodedRecord<'_>, text: &str) -> Value {
    if text.is_empty() && record.version.has_walinspect_1_1() { Value::Null } else { Value::text(text) }
}

/// `GetWALRecordInfo`
fn record_row(record: &Record, decoded: &DecodedRecord<'_>) -> Vec<Value> {
    let number = |length: usize| Value::Int4(length as i32);
    Vec::from([
        lsn(record.start),
        lsn(record.end),
        lsn(Lsn(record.header().xl_prev())),
        Value::Oid(decoded.xid()),
        Value::text(&decoded.rmgr().name()),
        Value::text(&decoded.type_name()),
        number(decoded.tot_len() as usize),
        number(decoded.main_data.len()),
        number(decoded.fpi_len() as usize),
        text_or_null(decoded, &describe(decoded)),
        text_or_null(decoded, &block_refs(decoded)),
    ])
}

/// `GetWALBlockInfo`
fn block_rows(record: &Record, decoded: &DecodedRecord<'_>, shows_data: bool) -> Rows {
    let row = record_row(record, decoded);
    decoded.blocks.iter().map(|block| block_row(&row, decoded, block, shows_data)).collect()
}

fn block_row(record: &[Value], decoded: &DecodedRecord<'_>, block: &BlockRef<'_>, shows_data: bool) -> Vec<Value> {
    let number = |length: usize| Value::Int4(length as i32);
    let (locator, image) = (block.tag.locator, block.image.as_ref());
    let data = |is_there: bool, bytes: &[u8]| {
        if shows_data && is_there { Value::Bytea(bytes.into()) } else { Value::Null }
    };
    let page = image.and_then(|_| decoded.restore(block, BLCKSZ).ok());
    let mut row = record[..3].to_vec();
    row.push(Value::Int2(block.id.into()));
    row.extend([locator.spc, locator.db, locator.rel].map(Value::Oid));
    row.extend([Value::Int2(block.tag.fork as i16), Value::Int8(block.tag.block.into())]);
    row.extend_from_slice(&record[3..8]);
    row.extend([
        number(if block.has_data { block.data.len() } else { 0 }),
        number(image.map_or(0, |image| image.bytes.len())),
        image.map_or(Value::Null, image_flags),
        record[9].clone(),
        data(block.has_data, block.data),
        data(page.is_some(), page.as_ref().map_or(&[], |page| page.bytes())),
    ]);
    row
}

/// `block_fpi_info`
fn image_flags(image: &BlockImage<'_>) -> Value {
    let flags = [
        (image.hole_length > 0, "HAS_HOLE"),
        (image.apply, "APPLY"),
        (image.compression == Some(Compression::Pglz), "COMPRESS_PGLZ"),
        (image.compression == Some(Compression::Lz4), "COMPRESS_LZ4"),
        (image.compression == Some(Compression::Zstd), "COMPRESS_ZSTD"),
    ];
    let set = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| Value::text(name));
    make_array(TEXT, &set.collect::<Vec<_>>())
}
