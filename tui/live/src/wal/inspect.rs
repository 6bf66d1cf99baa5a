//! Records as `pg_walinspect` tells them (PostgreSQL 15 and newer), rebuilt as far as what it tells goes.
//!
//! ```text
//!  pg_get_wal_records_info   type, lengths, block references, description ─┐
//!  pg_get_wal_block_info     (16+) block data, pages of images ────────────┴─▶ rebuild ──▶ Record
//! ```

use crate::failure::{Failure, Kind};
use crate::pages::Pace;
use crate::session::{Parameter, Session};
use ffviz_format::page::{Lsn, Page, PgVersion};
use ffviz_format::wal::{Record, XLOG_BLCKSZ};
use ffviz_story::rebuild::{Data, Told, parse_block_refs, rebuild};
use std::collections::VecDeque;
use std::fmt;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

/// WAL that one statement looks at; it doubles where no record ends in it.
const PIECE: u64 = 1 << 20;

/// Where the extension is, and what it can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// quoted
    pub name: String,
    /// has it `pg_get_wal_block_info` (1.1, with 16)?
    pub tells_blocks: bool,
}

impl Schema {
    /// The statement about records.
    #[must_use]
    pub fn records_sql(&self) -> String {
        include_str!("../sql/wal_records.sql").replace("SCHEMA", &self.name)
    }

    /// The statement about block references, from 16 on.
    #[must_use]
    pub fn blocks_sql(&self) -> Option<String> {
        self.tells_blocks.then(|| include_str!("../sql/wal_blocks.sql").replace("SCHEMA", &self.name))
    }
}

/// From where to where WAL is wanted, and of which files all that is told.
#[derive(Debug, Clone)]
pub struct Stretch {
    /// from here
    pub from: Lsn,
    /// up to here, which must be on disk
    pub to: Lsn,
    /// numbers of the files whose block data and images are wanted
    pub files: Vec<i64>,
}

/// A reading by `pg_get_wal_records_info`.
pub struct Walinspect<'a> {
    session: &'a Session,
    pace: &'a mut Pace,
    version: PgVersion,
    records_sql: String,
    blocks_sql: Option<String>,
    stretch: Stretch,
    piece: u64,
    records: VecDeque<Record>,
}

impl fmt::Debug for Walinspect<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walinspect").field("stretch", &self.stretch).finish_non_exhaustive()
    }
}

impl<'a> Walinspect<'a> {
    /// Of a server of that version; `schema` is where the extension is.
    #[must_use]
    pub fn new(
        session: &'a Session,
        pace: &'a mut Pace,
        schema: &Schema,
        version: PgVersion,
        stretch: Stretch,
    ) -> Self {
        let (records_sql, blocks_sql) = (schema.records_sql(), schema.blocks_sql());
        Self { session, pace, version, records_sql, blocks_sql, stretch, piece: PIECE, records: VecDeque::new() }
    }

    /// Up to where records were told.
    #[must_use]
    pub const fn position(&self) -> Lsn {
        self.stretch.from
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// What the server says; a sentence where what it tells of a record cannot be.
    pub async fn next(&mut self) -> Result<Option<Record>, Failure> {
        loop {
            if let Some(record) = self.records.pop_front() {
                self.stretch.from = record.end;
                return Ok(Some(record));
            }
            let Stretch { from, to, .. } = self.stretch;
            if from >= to {
                return Ok(None);
            }
            let end = Lsn(from.0.saturating_add(self.piece)).min(to);
            self.records = self.ask(from, end).await?.into();
            if self.records.is_empty() && end == to {
                return Ok(None);
            }
            self.piece = if self.records.is_empty() { self.piece.saturating_mul(2) } else { PIECE };
        }
    }

    /// The records of a piece.
    async fn ask(&mut self, from: Lsn, end: Lsn) -> Result<Vec<Record>, Failure> {
        let length = end.0.saturating_sub(from.0);
        self.pace.wait(length.div_ceil(u64::from(XLOG_BLCKSZ)) as usize).await;
        let (from, to) = (from.to_string(), end.to_string());
        let (from, to): (Parameter<'_>, Parameter<'_>) = ((&from, Type::TEXT), (&to, Type::TEXT));
        let rows = match self.session.read(&self.records_sql, &[from.clone(), to.clone()]).await {
            Ok(rows) => rows,
            // "could not find a valid record after …": none begins in what is left
            Err(failure) if failure.sentence.contains("could not find a valid record") => return Ok(Vec::new()),
            Err(failure) => return Err(failure),
        };
        let mut told = rows.iter().map(record).collect::<Result<Vec<Told>, Failure>>()?;
        if let Some(sql) = &self.blocks_sql {
            let files: Parameter<'_> = (&self.stretch.files, Type::INT8_ARRAY);
            let rows = self.session.read(sql, &[from, to, files]).await?;
            add_blocks(&mut told, &rows)?;
        }
        let rebuild = |told: &Told| {
            let damaged = |why| {
                Failure::new(Kind::Other, format!("what pg_walinspect tells of the record at {}: {why}", told.start))
            };
            rebuild(told, self.version).map_err(damaged)
        };
        told.iter().map(rebuild).collect()
    }
}

/// A row of the statement about records.
///
/// # Errors
/// What the server says.
pub fn record(row: &Row) -> Result<Told, Failure> {
    let text = |column: &str| Ok::<String, Failure>(row.try_get::<_, Option<String>>(column)?.unwrap_or_default());
    let lsn = |column: &str| Ok::<Lsn, Failure>(text(column)?.parse().unwrap_or_default());
    let number = |column: &str| Ok::<u32, Failure>(u32::try_from(row.try_get::<_, i64>(column)?).unwrap_or_default());
    Ok(Told {
        start: lsn("start")?,
        end: lsn("end")?,
        prev: lsn("prev")?,
        xid: text("xid")?.parse().unwrap_or_default(),
        rmgr: text("rmgr")?,
        kind: text("type")?,
        length: number("length")?,
        main_data_length: number("main")?,
        description: text("description")?,
        blocks: parse_block_refs(&text("block_ref")?),
    })
}

/// Adds to records in their order what the statement about block references tells.
///
/// # Errors
/// What the server says.
pub fn add_blocks(told: &mut [Told], rows: &[Row]) -> Result<(), Failure> {
    for row in rows {
        let start: Lsn = row.try_get::<_, String>("start")?.parse().unwrap_or_default();
        let (id, length): (i32, i64) = (row.try_get("id")?, row.try_get("length")?);
        let Ok(at) = told.binary_search_by_key(&start, |told| told.start) else { continue };
        let Some(block) = told[at].blocks.iter_mut().find(|block| i32::from(block.id) == id) else { continue };
        let data: Option<Vec<u8>> = row.try_get("data")?;
        block.data = match data {
            _ if !row.try_get::<_, bool>("wanted")? => Data::Length(u32::try_from(length).unwrap_or_default()),
            data => Data::Bytes(data.unwrap_or_default()),
        };
        let page: Option<&[u8]> = row.try_get("page")?;
        if let (Some(image), Some(page)) = (&mut block.image, page) {
            image.page = Some(Page::new(page));
        }
    }
    Ok(())
}
