//! What a server shows of a script's relations between two statements: counters, lengths of files, pages. It changes nothing of them.

use crate::attach::Failure;
use crate::attach::session::{Parameter, Session};
use ffviz_engine::page::{BlockNumber, ForkNumber, Oid, Page, TransactionId};
use ffviz_engine::sql::trace::{Counters, ForkTrace, PageTrace};
use ffviz_engine::storage::MultiXactId;
use std::collections::BTreeMap;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

/// All relations of a script, by OID.
#[derive(Debug, Clone, Default)]
pub struct Files {
    relations: BTreeMap<Oid, File>,
}

/// A relation's files.
#[derive(Debug, Clone, Default)]
struct File {
    name: String,
    filenode: Oid,
    blocks: BTreeMap<ForkNumber, BlockNumber>,
    pages: BTreeMap<(ForkNumber, BlockNumber), Page>,
    /// could it not be read, as a session holds it exclusively?
    is_locked: bool,
}

/// The statement that reads everything.
#[derive(Debug, Clone)]
pub struct PagesQuery {
    sql: String,
    schema: Oid,
}

impl PagesQuery {
    /// Reads the relations of a schema; `extension` is where pageinspect is, quoted.
    #[must_use]
    pub fn new(extension: &str, wide_blocks: bool, schema: Oid) -> Self {
        let block = if wide_blocks { "int8" } else { "int4" };
        Self { sql: include_str!("sql/pages.sql").replace("EXTENSION", extension).replace("BLOCK", block), schema }
    }

    /// Reads, in a transaction of its own.
    ///
    /// # Errors
    /// What the server says.
    pub async fn read(&self, session: &Session) -> Result<Files, Failure> {
        let parameters: [Parameter<'_>; 1] = [(&self.schema, Type::OID)];
        Files::of(&session.read(&self.sql, &parameters).await?)
    }

    /// Reads within the transaction of a session that alone sees its relations.
    ///
    /// # Errors
    /// What the server says.
    pub async fn read_within(&self, client: &tokio_postgres::Client) -> Result<Files, Failure> {
        Files::of(&client.query_typed(&self.sql, &[(&self.schema, Type::OID)]).await?)
    }
}

impl Files {
    fn of(rows: &[Row]) -> Result<Self, Failure> {
        let mut files = Self::default();
        for row in rows {
            let file = files.relations.entry(row.try_get("oid")?).or_default();
            file.name = row.try_get("name")?;
            file.filenode = row.try_get::<_, Option<Oid>>("filenode")?.unwrap_or_default();
            let fork = fork_of(row.try_get("fork")?);
            let Some(blocks) = row.try_get::<_, Option<i64>>("blocks")? else {
                file.is_locked = true;
                continue;
            };
            file.blocks.insert(fork, block_number(blocks));
            if let (Some(block), Some(bytes)) =
                (row.try_get::<_, Option<i64>>("block")?, row.try_get::<_, Option<&[u8]>>("page")?)
            {
                file.pages.insert((fork, block_number(block)), Page::new(bytes));
            }
        }
        Ok(files)
    }

    /// Takes over what could not be seen this time: relations that are locked, and with `hidden` those that are not there, since another
    /// transaction has made or dropped them and goes on.
    pub fn complete(&mut self, before: &Self, hidden: bool) {
        for (oid, known) in &before.relations {
            match self.relations.get_mut(oid) {
                Some(file) if file.is_locked => *file = known.clone(),
                None if hidden => drop(self.relations.insert(*oid, known.clone())),
                _ => {}
            }
        }
        self.relations.retain(|_, file| !file.is_locked);
        for (oid, file) in &mut self.relations {
            let Some(known) = before.relations.get(oid).filter(|known| known.filenode == file.filenode) else {
                continue;
            };
            for (at, page) in &mut file.pages {
                // equal pages share their memory
                if let Some(same) = known.pages.get(at).filter(|same| *same == page) {
                    *page = same.clone();
                }
            }
        }
    }

    /// The pages that are new or otherwise than before.
    #[must_use]
    pub fn changed_pages(&self, before: &Self) -> Vec<PageTrace> {
        let mut changed = Vec::new();
        for (oid, file) in &self.relations {
            let known = before.relations.get(oid).filter(|known| known.filenode == file.filenode);
            for (at, page) in &file.pages {
                if known.and_then(|known| known.pages.get(at)) != Some(page) {
                    let rel = Some(file.name.clone());
                    changed.push(PageTrace { rel, fork: at.0, blk: at.1, page: page.clone() });
                }
            }
        }
        changed
    }

    /// The forks that are longer or shorter than before; those of dropped relations have no blocks.
    #[must_use]
    pub fn changed_forks(&self, before: &Self) -> Vec<ForkTrace> {
        let mut changed = Vec::new();
        let fork = |file: &File, fork, blocks| ForkTrace { rel: Some(file.name.clone()), fork, blocks };
        for (oid, file) in &self.relations {
            let known =
                |at| before.relations.get(oid).and_then(|known| known.blocks.get(at)).copied().unwrap_or_default();
            let other = file.blocks.iter().filter(|(at, blocks)| known(*at) != **blocks);
            changed.extend(other.map(|(at, blocks)| fork(file, *at, *blocks)));
        }
        for (_, file) in before.relations.iter().filter(|(oid, _)| !self.relations.contains_key(oid)) {
            changed.extend(file.blocks.iter().filter(|(_, blocks)| **blocks > 0).map(|(at, _)| fork(file, *at, 0)));
        }
        changed
    }

    /// The relations that there were not before.
    pub fn new_relations<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = Oid> + 'a {
        self.relations.keys().copied().filter(|oid| !before.relations.contains_key(oid))
    }

    /// Names of files.
    pub fn names(&self) -> impl Iterator<Item = (Oid, &str)> {
        self.relations.values().map(|file| (file.filenode, file.name.as_str()))
    }

    /// A relation's OID and a page of its main fork.
    #[must_use]
    pub fn page(&self, name: &str, block: BlockNumber) -> Option<(Oid, &Page)> {
        let (oid, file) = self.relations.iter().find(|(_, file)| file.name == name)?;
        Some((*oid, file.pages.get(&(ForkNumber::Main, block))?))
    }
}

fn block_number(number: i64) -> BlockNumber {
    BlockNumber::try_from(number).unwrap_or(BlockNumber::MAX)
}

fn fork_of(name: &str) -> ForkNumber {
    (0..4).filter_map(ForkNumber::of_number).find(|fork| fork.name() == name).unwrap_or(ForkNumber::Main)
}

/// Where the counters stand: the next transaction id and `MultiXact`, and where the next record starts.
///
/// # Errors
/// What the server says.
pub async fn counters(session: &Session) -> Result<Counters, Failure> {
    let rows = session.read(include_str!("sql/counters.sql"), &[]).await?;
    let row = rows.first().ok_or_else(|| Failure::from("the server tells no counters".to_owned()))?;
    let xid: i64 = row.try_get("xid")?;
    let lsn: &str = row.try_get("lsn")?;
    let multi: i32 = row.try_get("multi")?;
    Ok(Counters { lsn: lsn.parse()?, xid: xid as TransactionId, oid: None, multi: multi as MultiXactId, quiet: true })
}

/// Those of the sessions that wait for a lock of another of them.
///
/// # Errors
/// What the server says.
pub async fn blocked(session: &Session, pids: &[i32]) -> Result<Vec<i32>, Failure> {
    let parameters: [Parameter<'_>; 1] = [(&pids, Type::INT4_ARRAY)];
    let rows = session.read(include_str!("sql/blocked.sql"), &parameters).await?;
    rows.iter().map(|row| Ok(row.try_get("pid")?)).collect()
}
