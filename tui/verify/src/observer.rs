//! What a server shows of a script's relations between two statements: counters, lengths of files, pages. It changes
//! nothing of them.

use ffviz_format::page::{BlockNumber, ForkNumber, ItemIdData, LpFlags, Oid, Page, TransactionId};
use ffviz_live::Failure;
use ffviz_live::script::COUNTERS;
use ffviz_simulator::sql::trace::{Counters, ForkTrace, PageTrace};
use ffviz_simulator::storage::MultiXactId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row, Statement};

/// Where a tuple says how long its header is.
const T_HOFF: usize = 22;

/// All relations of a script, by OID.
#[derive(Debug, Clone, Default)]
pub struct Files {
    relations: BTreeMap<Oid, File>,
    /// views, which have no file
    views: BTreeSet<Oid>,
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

/// Whoever looks: at counters, and at all pages of a schema's relations. What is asked twice a statement is planned
/// once.
pub struct Observer {
    client: Arc<Client>,
    counters: Statement,
    pages: Statement,
    /// the text of `pages`, for sessions that alone see their relations
    sql: String,
    schema: Oid,
}

impl Observer {
    /// On that connection, about the relations of a schema; `extension` is where pageinspect is, quoted.
    ///
    /// # Errors
    /// What the server says.
    pub async fn new(client: Arc<Client>, extension: &str, wide_blocks: bool, schema: Oid) -> Result<Self, Failure> {
        // reading a relation that somebody holds exclusively would wait
        const SETTINGS: &str = "SET search_path = pg_catalog, pg_temp; SET statement_timeout = '10s'; SET lock_timeout = '300ms'; \
            SET max_parallel_workers_per_gather = 0; SET jit = off; SET plan_cache_mode = force_generic_plan";
        client.batch_execute(SETTINGS).await?;
        let block = if wide_blocks { "int8" } else { "int4" };
        let sql = include_str!("sql/pages.sql").replace("EXTENSION", extension).replace("BLOCK", block);
        let counters = client.prepare(COUNTERS).await?;
        let pages = client.prepare_typed(&sql, &[Type::OID]).await?;
        Ok(Self { client, counters, pages, sql, schema })
    }

    /// Where the counters stand: the next transaction id and `MultiXact`, and where the next record starts.
    ///
    /// # Errors
    /// What the server says.
    pub async fn counters(&self) -> Result<Counters, Failure> {
        let row = self.client.query_one(&self.counters, &[]).await?;
        let (xid, multi): (i64, i32) = (row.try_get("xid")?, row.try_get("multi")?);
        let lsn = row.try_get::<_, &str>("lsn")?.parse()?;
        Ok(Counters {
            lsn,
            xid: xid as TransactionId,
            oid: None,
            multi: multi as MultiXactId,
            quiet: true,
            catalog_first: false,
        })
    }

    /// Is all WAL on disk?
    ///
    /// # Errors
    /// What the server says.
    pub async fn is_flushed(&self) -> Result<bool, Failure> {
        let sql = "SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()";
        let rows = self.client.query_typed(sql, &[]).await?;
        Ok(rows.first().is_none_or(|row| row.get(0)))
    }

    /// Lengths and pages of all forks.
    ///
    /// # Errors
    /// What the server says.
    pub async fn files(&self) -> Result<Files, Failure> {
        Files::of(&self.client.query(&self.pages, &[&self.schema]).await?)
    }

    /// The same as a session sees it that alone sees its relations.
    ///
    /// # Errors
    /// What the server says.
    pub async fn files_within(&self, client: &Client) -> Result<Files, Failure> {
        Files::of(&client.query_typed(&self.sql, &[(&self.schema, Type::OID)]).await?)
    }
}

impl Files {
    fn of(rows: &[Row]) -> Result<Self, Failure> {
        let mut files = Self::default();
        for row in rows {
            let Some(name) = row.try_get::<_, Option<String>>("name")? else {
                files.views.insert(row.try_get("oid")?);
                continue;
            };
            let file = files.relations.entry(row.try_get("oid")?).or_default();
            file.name = name;
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

    /// Takes over what could not be seen this time: relations that are locked, and with `hidden` those that are not
    /// there, since another transaction has made or dropped them and goes on.
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

    /// The least OID that is new: of a relation or view that there was not before, or of a new file of one. A file that
    /// a rollback brings back is older than others.
    pub fn first_new_oid(&self, before: &Self) -> Option<Oid> {
        let known = before.relations.iter().flat_map(|(oid, file)| [*oid, file.filenode]);
        let last = known.max().unwrap_or(0);
        let files = self.relations.values().map(|file| file.filenode).filter(|filenode| *filenode > last);
        let relations = self.relations.keys().copied().filter(|oid| !before.relations.contains_key(oid));
        let views = self.views.difference(&before.views).copied();
        relations.chain(files).chain(views).min()
    }

    /// The values in TOAST tables that there were not before.
    #[must_use]
    pub fn new_values(&self, before: &Self) -> BTreeSet<Oid> {
        let mut new = BTreeSet::new();
        for (oid, file) in self.relations.iter().filter(|(_, file)| file.name.ends_with(".toast")) {
            let before = before.relations.get(oid);
            let (old, other) = (
                before.filter(|known| known.filenode == file.filenode),
                before.filter(|known| known.filenode != file.filenode),
            );
            // VACUUM FULL brings values along into a new file
            let moved: BTreeSet<Oid> =
                other.iter().flat_map(|known| known.pages.values()).flat_map(chunk_ids).collect();
            for (at, page) in file.pages.iter().filter(|((fork, _), _)| *fork == ForkNumber::Main) {
                let known = old.and_then(|old| old.pages.get(at));
                if known != Some(page) {
                    let known = known.map(chunk_ids).unwrap_or_default();
                    new.extend(chunk_ids(page).difference(&known).filter(|id| !moved.contains(id)));
                }
            }
        }
        new
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

/// `chunk_id` of the rows of a TOAST table's page: their first column, which is never NULL.
fn chunk_ids(page: &Page) -> BTreeSet<Oid> {
    let tuples = page.line_pointers().filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal);
    let id = |lp: ItemIdData| {
        let at = usize::from(lp.lp_off());
        let data = at + usize::from(*page.bytes().get(at + T_HOFF)?);
        Some(Oid::from_le_bytes(page.bytes().get(data..data + 4)?.try_into().ok()?))
    };
    tuples.filter_map(|(_, lp)| id(lp)).collect()
}
