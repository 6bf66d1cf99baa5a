//! Records as `pg_walinspect` tells them (PostgreSQL 15 and newer): what each is about and how long it is, without its main data. They can
//! be listed and counted, not replayed.

use crate::attach::failure::Failure;
use crate::attach::pages::Pace;
use crate::attach::session::{Parameter, Session};
use crate::wal::entry::{Entry, parse_block_refs};
use ffviz_engine::page::Lsn;
use ffviz_engine::storage::State;
use ffviz_engine::wal::XLOG_BLCKSZ;
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

/// A reading by `pg_get_wal_records_info`.
pub struct Walinspect<'a> {
    session: &'a Session,
    pace: &'a mut Pace,
    sql: String,
    at: Lsn,
    to: Lsn,
    piece: u64,
    entries: VecDeque<Entry>,
}

impl fmt::Debug for Walinspect<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walinspect").field("at", &self.at).field("to", &self.to).finish_non_exhaustive()
    }
}

impl<'a> Walinspect<'a> {
    /// From one position to another, which must be on disk; `schema` is where the extension is.
    #[must_use]
    pub fn new(session: &'a Session, pace: &'a mut Pace, schema: &Schema, from: Lsn, to: Lsn) -> Self {
        let sql = if schema.tells_blocks {
            include_str!("../sql/wal_records_blocks.sql")
        } else {
            include_str!("../sql/wal_records.sql")
        };
        let sql = sql.replace("SCHEMA", &schema.name);
        Self { session, pace, sql, at: from, to, piece: PIECE, entries: VecDeque::new() }
    }

    /// Up to where records were told.
    #[must_use]
    pub const fn position(&self) -> Lsn {
        self.at
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// What the server says.
    pub async fn next(&mut self) -> Result<Option<Entry>, Failure> {
        loop {
            if let Some(entry) = self.entries.pop_front() {
                self.at = entry.end;
                return Ok(Some(entry));
            }
            if self.at >= self.to {
                return Ok(None);
            }
            let end = Lsn(self.at.0.saturating_add(self.piece)).min(self.to);
            self.entries = self.ask(end).await?.into();
            if self.entries.is_empty() && end == self.to {
                return Ok(None);
            }
            self.piece = if self.entries.is_empty() { self.piece.saturating_mul(2) } else { PIECE };
        }
    }

    async fn ask(&mut self, end: Lsn) -> Result<Vec<Entry>, Failure> {
        let length = end.0.saturating_sub(self.at.0);
        self.pace.wait(length.div_ceil(u64::from(XLOG_BLCKSZ)) as usize).await;
        let (from, to) = (self.at.to_string(), end.to_string());
        let parameters: [Parameter<'_>; 2] = [(&from, Type::TEXT), (&to, Type::TEXT)];
        match self.session.read(&self.sql, &parameters).await {
            Ok(rows) => rows.iter().map(entry).collect(),
            // "could not find a valid record after …": none begins in what is left
            Err(failure) if failure.sentence.contains("could not find a valid record") => Ok(Vec::new()),
            Err(failure) => Err(failure),
        }
    }
}

fn entry(row: &Row) -> Result<Entry, Failure> {
    let text = |column: &str| Ok::<String, Failure>(row.try_get::<_, Option<String>>(column)?.unwrap_or_default());
    let number = |column: &str| Ok::<u32, Failure>(u32::try_from(row.try_get::<_, i64>(column)?).unwrap_or_default());
    let mut blocks = parse_block_refs(&text("block_ref")?);
    let images = number("images")?;
    let mut with_image = blocks.iter_mut().filter(|block| block.has_image);
    if let (Some(only), None) = (with_image.next(), with_image.next()) {
        only.image = images;
    }
    Ok(Entry {
        start: text("start")?.parse().unwrap_or_default(),
        end: text("end")?.parse().unwrap_or_default(),
        xid: text("xid")?.parse().unwrap_or_default(),
        rmgr: text("rmgr")?,
        kind: text("type")?,
        length: number("length")?,
        images,
        data: row.try_get::<_, Option<i64>>("data")?.and_then(|data| u32::try_from(data).ok()),
        blocks,
        headline: String::new(),
        description: text("description")?,
    })
}

/// What pg_walinspect tells of the tables of two captures: `12 records about these tables (10 Heap/HOT_UPDATE, …; 1240 bytes)`.
///
/// # Errors
/// What the server says.
pub async fn summary(mut records: Walinspect<'_>, before: &State, after: &State) -> Result<(String, Lsn), Failure> {
    let relations: Vec<_> = before.relations.values().chain(after.relations.values()).collect();
    let (mut kinds, mut bytes, mut count) = (Vec::<(String, u64)>::new(), 0, 0);
    while let Some(entry) = records.next().await? {
        if !entry.blocks.iter().any(|block| relations.iter().any(|relation| relation.is_file(block.tag.locator))) {
            continue;
        }
        (count, bytes) = (count + 1, bytes + u64::from(entry.length));
        let name = entry.type_name();
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, n)) => *n += 1,
            None => kinds.push((name, 1)),
        }
    }
    kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let list: Vec<String> = kinds.iter().map(|(name, n)| format!("{n} {name}")).collect();
    let told = if count == 0 {
        "no record about these tables".to_owned()
    } else {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} record{plural} about these tables, {bytes} bytes: {}", list.join(", "))
    };
    Ok((told, records.position()))
}
