//! A server whose WAL is read without a screen: `ffviz wal`.

use super::inspect::Stretch;
use super::{Facts, Walinspect, Way, names};
use crate::connect::{Connector, Environment};
use crate::failure::Failure;
use crate::names as tables;
use crate::pages::Pace;
use crate::segments::files::Files;
use crate::segments::folder::Folder;
use crate::segments::names::Names;
use crate::segments::reading::{Format, Item, Reading};
use crate::session::Session;
use crate::wal::ServerFiles;
use ffviz_format::page::{Lsn, Oid};
use ffviz_format::wal::Segment;

/// A connection, and what is to be known of the server's WAL.
pub struct WalServer {
    session: Session,
    pace: Pace,
    /// database and host, in words
    pub place: String,
    /// where WAL stands
    pub facts: Facts,
    /// what its files are called
    pub names: Names,
    /// the tables that were named
    pub tables: Vec<Oid>,
}

/// A reading by one of the two ways.
#[derive(Debug)]
pub enum Records<'a> {
    /// of segments
    Segments(Box<Reading<'a>>),
    /// of what pg_walinspect tells
    Walinspect(Walinspect<'a>),
}

impl WalServer {
    /// Connects, and asks.
    ///
    /// # Errors
    /// A sentence.
    pub async fn connect(conninfo: &str, tables: &[String], pages_per_second: u32) -> Result<Self, Failure> {
        let mut connector = Connector::new(conninfo, Environment::of_process())?;
        let session = Session::open(&mut connector).await?;
        let facts = Facts::ask(&session).await?;
        let names = names(&session).await?;
        let mut found = Vec::new();
        for name in tables {
            found.extend(tables::find(&session, name, true, connector.dbname()).await?);
        }
        Ok(Self { session, pace: Pace::new(pages_per_second), place: connector.place(), facts, names, tables: found })
    }

    /// Where the oldest segment begins that is still there; nothing where the role may not list them.
    pub async fn oldest(&self) -> Option<Lsn> {
        let size = self.facts.segment_size;
        let end = Segment::of(self.facts.insert, self.facts.timeline, size);
        let rows = self.session.read("SELECT name FROM pg_ls_waldir()", &[]).await.ok()?;
        let names = rows.iter().filter_map(|row| row.try_get::<_, String>("name").ok());
        // files with higher numbers wait to be used again
        let segments =
            names.filter_map(|name| Segment::parse(&name, size)).filter(|segment| segment.number <= end.number);
        segments.map(|segment| segment.start()).min()
    }

    /// Reads from one position to another.
    ///
    /// # Errors
    /// A sentence, where the role may not, with what would allow it.
    pub async fn read(&mut self, from: Lsn, to: Lsn) -> Result<Records<'_>, Failure> {
        Records::of_server(&self.session, &mut self.pace, &self.facts, (from, to)).await
    }
}

impl<'a> Records<'a> {
    /// Of a server, from one position to another.
    ///
    /// # Errors
    /// A sentence, where the role may not, with what would allow it.
    pub async fn of_server(
        session: &'a Session,
        pace: &'a mut Pace,
        facts: &'a Facts,
        (from, to): (Lsn, Lsn),
    ) -> Result<Self, Failure> {
        match &facts.way {
            Way::Segments => {
                let mut files = Files { server: Some(ServerFiles { session, pace }), folder: None };
                let format = facts.format(facts.version, &mut files).await?;
                Ok(Self::Segments(Box::new(Reading::new(files, format, from, to))))
            }
            Way::Walinspect(schema) => {
                let stretch = Stretch { from, to, files: Vec::new() };
                Ok(Self::Walinspect(Walinspect::new(session, pace, schema, facts.version, stretch)))
            }
            Way::None(why) => Err(why.clone().into()),
        }
    }

    /// What comes next.
    ///
    /// # Errors
    /// What the server says; a sentence about a file.
    pub async fn next(&mut self) -> Result<Item, Failure> {
        match self {
            Self::Segments(reading) => reading.next().await,
            Self::Walinspect(told) => Ok(told.next().await?.map_or(Item::End(None), Item::Record)),
        }
    }

    /// Up to where records were read.
    #[must_use]
    pub fn position(&self) -> Lsn {
        match self {
            Self::Segments(reading) => reading.position(),
            Self::Walinspect(told) => told.position(),
        }
    }

    /// Of a folder.
    #[must_use]
    pub fn of_folder(folder: &'a mut Folder, format: Format, from: Lsn, to: Lsn) -> Self {
        let files = Files { server: None, folder: Some(folder) };
        Self::Segments(Box::new(Reading::new(files, format, from, to)))
    }
}
