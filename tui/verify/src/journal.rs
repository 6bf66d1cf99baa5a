//! The WAL of a run, read when the run is over: a record belongs to the line between whose positions it starts.
//!
//! ```text
//!  statement 1     looks at pages    statement 2
//!  ├──records──┤        ·           ├──records──┤────▶ WAL
//!  start      end                   start      end
//! ```
//!
//! It cannot be read at once: what an open transaction has written may still be in memory only.
//!
//! Nor may it be flushed for that: what would flush it uses up a transaction id.

use ffviz_format::page::{Lsn, Oid, PgVersion};
use ffviz_format::wal::{DecodedRecord, Record, RelFileLocator, Rmgr};
use ffviz_live::Failure;
use ffviz_live::pages::Pace;
use ffviz_live::segments::files::Files;
use ffviz_live::segments::reading::{Item, Reading};
use ffviz_live::session::Session;
use ffviz_live::wal::{Facts, ServerFiles, Way};
use ffviz_simulator::sql::trace::{TraceLine, WalTrace, is_end, is_listed};
use std::collections::{BTreeMap, BTreeSet};

/// Where the lines of a trace have their records, and what files are called.
#[derive(Debug, Default)]
pub struct Journal {
    /// a span for each line whose records were not read yet: the line's place in the trace, start and end
    spans: Vec<(usize, Lsn, Lsn)>,
    /// names by the number of the file, each with the line from which on it holds
    names: BTreeMap<Oid, Vec<(usize, String)>>,
    /// files of catalogs with numbers as those of users: VACUUM FULL and REINDEX give them such
    catalogs: BTreeSet<Oid>,
    /// OID of the database
    database: Oid,
    /// records about other clients' relations, as sentences
    pub foreign: Vec<String>,
}

impl Journal {
    /// An empty one for relations of that database.
    #[must_use]
    pub fn new(database: Oid) -> Self {
        Self { database, ..Self::default() }
    }

    /// Notes where a line's records are.
    pub fn span(&mut self, line: usize, start: Lsn, end: Lsn) {
        self.spans.push((line, start, end));
    }

    /// Learns names, as they are from a line of the trace on.
    pub fn learn<'a>(&mut self, line: usize, names: impl Iterator<Item = (Oid, &'a str)>) {
        for (file, name) in names {
            let known = self.names.entry(file).or_default();
            if known.last().is_none_or(|(_, last)| last != name) {
                known.push((line, name.to_owned()));
            }
        }
    }

    /// Learns which files are catalogs'.
    ///
    /// # Errors
    /// What the server says.
    pub async fn learn_catalogs(&mut self, session: &Session) -> Result<(), Failure> {
        let rows = session.read(include_str!("sql/catalogs.sql"), &[]).await?;
        for row in &rows {
            self.catalogs.insert(row.try_get("file")?);
        }
        Ok(())
    }

    /// The relation's name at a line: a name that it got later is none of it.
    fn name(&self, locator: RelFileLocator, line: Option<usize>) -> Option<String> {
        let known = self.names.get(&locator.rel).filter(|_| locator.db == self.database)?;
        let then = known.iter().rev().find(|(from, _)| line.is_none_or(|line| *from <= line));
        then.or(known.first()).map(|(_, name)| name.clone())
    }

    fn is_of_catalog(&self, decoded: &DecodedRecord<'_>) -> bool {
        decoded.blocks.first().is_some_and(|block| self.catalogs.contains(&block.tag.locator.rel))
    }

    /// Reads the records of all spans into their lines. Everything must be on disk.
    ///
    /// # Errors
    /// What the server says; a sentence where WAL ends too early.
    pub async fn read(&mut self, session: &Session, pace: &mut Pace, lines: &mut [TraceLine]) -> Result<(), Failure> {
        let spans = std::mem::take(&mut self.spans);
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return Ok(()) };
        let facts = Facts::ask(session).await?;
        if let Way::None(why) = &facts.way {
            return Err(why.clone().into());
        }
        let mut files = Files { server: Some(ServerFiles { session, pace }), folder: None };
        let format = facts.format(facts.version, &mut files).await?;
        let mut reading = Reading::new(files, format, first.1, last.2);
        self.learn_catalogs(session).await?;
        let mut at = 0;
        loop {
            let record = match reading.next().await? {
                Item::Record(record) => record,
                Item::End(None) => return Ok(()),
                Item::End(Some(stop)) => return Err(stop.why.into()),
            };
            while spans.get(at).is_some_and(|span| record.start >= span.2) {
                at += 1;
            }
            let number = spans.get(at).filter(|span| record.start >= span.1).map(|span| span.0);
            let line = number.and_then(|number| lines.get_mut(number));
            self.take(&record, facts.version, number, line)?;
        }
    }

    /// Puts a record where it belongs.
    fn take(
        &mut self,
        record: &Record,
        version: PgVersion,
        number: Option<usize>,
        line: Option<&mut TraceLine>,
    ) -> Result<(), Failure> {
        let decoded = record.decode(version).map_err(|why| format!("the record at {}: {why}", record.start))?;
        if is_end(&decoded) {
            if let Some(TraceLine::Statement(statement)) = line {
                statement.ends.push(WalTrace::of(record, version, |_| None)?);
            }
            return Ok(());
        }
        if !is_listed(&decoded) || self.is_of_catalog(&decoded) {
            if let (Some(TraceLine::Statement(statement)), true) = (line, decoded.rmgr() != Rmgr::TRANSACTION)
                && let Some(start) = &mut statement.start
            {
                start.quiet = false;
                start.catalog_first |= statement.wal.is_empty() && is_of_reading(&decoded);
            }
            return Ok(());
        }
        let trace = WalTrace::of(record, version, |locator| self.name(locator, number))?;
        let elsewhere = decoded.blocks.iter().find(|block| block.tag.locator.db != self.database);
        if let Some(block) = elsewhere {
            self.foreign.push(format!("{}/{} about {} at {}", trace.rmgr, trace.kind, block.tag, record.start));
            return Ok(());
        }
        match line {
            Some(TraceLine::Statement(statement)) => statement.wal.push(trace),
            Some(TraceLine::Directive(directive)) => directive.wal.push(trace),
            Some(TraceLine::Resumed(_)) | None => {
                self.foreign.push(format!("{}/{} between two statements at {}", trace.rmgr, trace.kind, record.start));
            }
        }
        Ok(())
    }
}

/// Does reading write such a record: on-access pruning, and images for hint bits?
fn is_of_reading(decoded: &DecodedRecord<'_>) -> bool {
    matches!(decoded.type_name().as_str(), "CLEAN" | "PRUNE" | "PRUNE_ON_ACCESS" | "FPI_FOR_HINT")
}
