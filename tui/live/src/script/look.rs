//! A look at all relations of a script after a statement: facts, and the pages that are others than before.
//!
//! ```text
//!  tables ──▶ facts (relations.sql) ──▶ a digest a page ──▶ pages whose digest is another, or that are not known
//!    └ held exclusively by another session: as they were
//! ```
//!
//! Relations that an open transaction made are seen by its own session only: it is asked itself then.

use crate::access::{Access, Way};
use crate::capture::{RELATIONS, relation};
use crate::failure::{Failure, Kind};
use crate::session::{Parameter, Session};
use crate::version::Sent;
use ffviz_format::page::{BlockNumber, ForkNumber, Oid, Page, PgVersion};
use ffviz_format::state::{PageId, Relation, State};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

/// What changes while it is looked at is looked at again, so often.
const ATTEMPTS: u32 = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(30);
/// Pages that one statement asks for.
const BATCH: usize = 256;

/// Who looks.
#[derive(Clone, Copy)]
pub enum Eyes<'a> {
    /// ffviz, in a transaction of its own
    Own(&'a Session),
    /// a session of the script, within its transaction
    Script(&'a Client),
}

impl Eyes<'_> {
    async fn read(self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Failure> {
        match self {
            Self::Own(session) => session.read(sql, parameters).await,
            Self::Script(client) => Ok(client.query_typed(sql, parameters).await?),
        }
    }
}

/// What is to be looked at, and what was seen.
pub struct Look {
    /// oid of the schema; 0: every schema of users
    schema: Oid,
    /// by what pages are read: by ffviz, and by sessions of the script
    ways: [Pages; 2],
    /// pages of a fork that are looked at, from its beginning
    most: u32,
    digests: BTreeMap<PageId, Vec<u8>>,
}

/// What gives pages: the ends of two queries.
struct Pages {
    digests: String,
    pages: String,
}

impl Pages {
    /// By `get_raw_page` of pageinspect in that schema, or by the wrapper.
    fn of(schema: Option<&str>, version: PgVersion) -> Self {
        let block = if version.has_wide_blocks() { "int8" } else { "int4" };
        let (all, one) = match schema {
            Some(schema) => {
                let raw = format!("{schema}.get_raw_page(format('%I.%I', n.nspname, c.relname), f.fork");
                (
                    format!(
                        "(SELECT b AS block, {raw}, b::{block}) AS page FROM generate_series(0::int8, f.blocks - 1) AS b)"
                    ),
                    format!("(SELECT f.at AS block, {raw}, f.at::{block}) AS page)"),
                )
            }
            None => {
                let raw = "ffviz.get_raw_pages(f.oid, f.fork, ARRAY";
                (format!("{raw}(SELECT generate_series(0::int8, f.blocks - 1)))"), format!("{raw}[f.at])"))
            }
        };
        Self {
            digests: include_str!("../sql/script/digests.sql").replace("LATERAL PAGES", &format!("LATERAL {all}")),
            pages: include_str!("../sql/script/pages.sql").replace("LATERAL PAGES", &format!("LATERAL {one}")),
        }
    }
}

impl Look {
    /// At a schema, or at all of them (0); `lent`: where sessions of the script find what pageinspect gives.
    #[must_use]
    pub fn new(access: &Access, schema: Oid, lent: &str, most: u32) -> Self {
        let version = access.server.version;
        let own = match access.way {
            Way::Wrapper => Pages::of(None, version),
            _ => Pages::of(Some(access.inspect.as_deref().unwrap_or("ffviz")), version),
        };
        let lent = if access.way == Way::Wrapper { Pages::of(None, version) } else { Pages::of(Some(lent), version) };
        Self { schema, ways: [own, lent], most, digests: BTreeMap::new() }
    }

    /// Adds to a state what there is; what cannot be seen is as it was before. With `hidden` that is also what is not
    /// there, since another transaction has made or dropped it and goes on.
    ///
    /// # Errors
    /// What the server says.
    pub async fn fill(
        &mut self,
        eyes: Eyes<'_>,
        state: &mut State,
        before: Option<&State>,
        hidden: bool,
    ) -> Result<(), Failure> {
        for attempt in 1.. {
            let mut fresh = State::empty(state.server.clone());
            match self.look(eyes, &mut fresh, before, hidden).await {
                Ok(()) => {
                    (state.relations, state.pages) = (fresh.relations, fresh.pages);
                    return Ok(());
                }
                // within the script's transaction nothing can be asked any more
                Err(failure) if matches!(eyes, Eyes::Script(_)) => return Err(failure),
                Err(failure) if matches!(failure.kind, Kind::Changed | Kind::Locked | Kind::Conflict) => {
                    if attempt >= ATTEMPTS {
                        return Err(failure);
                    }
                    tokio::time::sleep(BETWEEN_ATTEMPTS).await;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    async fn look(
        &mut self,
        eyes: Eyes<'_>,
        state: &mut State,
        before: Option<&State>,
        hidden: bool,
    ) -> Result<(), Failure> {
        let (mut tables, mut locked) = (Vec::new(), BTreeSet::new());
        for row in eyes.read(include_str!("../sql/script/tables.sql"), &[(&self.schema, Type::OID)]).await? {
            let oid: Oid = row.try_get("oid")?;
            if row.try_get("locked")? {
                locked.insert(oid);
            } else {
                tables.push(oid);
            }
        }
        for row in eyes.read(RELATIONS, &[(&tables, Type::OID_ARRAY)]).await? {
            let relation = relation(&row)?;
            state.relations.insert(relation.oid, Arc::new(relation));
        }
        let kept = kept(state, before, &locked, hidden);
        self.read_changed(eyes, state, before).await?;
        for (oid, relation) in kept {
            let pages = before.iter().flat_map(|before| pages_of(before, oid));
            state.pages.extend(pages.map(|(id, page)| (*id, page.clone())));
            state.relations.insert(oid, relation);
        }
        Ok(())
    }

    /// Reads the pages that are new or otherwise than before.
    async fn read_changed(&mut self, eyes: Eyes<'_>, state: &mut State, before: Option<&State>) -> Result<(), Failure> {
        let (mut oids, mut forks, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        for relation in state.relations.values() {
            for fork in FORKS.into_iter().filter(|fork| relation.blocks.of(*fork) > 0) {
                oids.push(relation.oid);
                forks.push(fork.name());
                blocks.push(i64::from(relation.blocks.of(fork).min(self.most)));
            }
        }
        if oids.is_empty() {
            return Ok(());
        }
        let parameters: [Parameter<'_>; 3] =
            [(&oids, Type::OID_ARRAY), (&forks, Type::TEXT_ARRAY), (&blocks, Type::INT8_ARRAY)];
        let mut changed = Vec::new();
        for row in eyes.read(&self.way(eyes).digests, &parameters).await? {
            let (id, digest) = (page_id(&row)?, row.try_get::<_, &[u8]>("digest")?);
            let known = before.and_then(|before| before.pages.get(&id)).filter(|_| is_same_file(state, before, id));
            match known.filter(|_| self.digests.get(&id).is_some_and(|then| then == digest)) {
                Some(page) => drop(state.pages.insert(id, page.clone())),
                None => changed.push(id),
            }
            self.digests.insert(id, digest.to_vec());
        }
        self.read(eyes, state, &changed).await
    }

    /// Reads these pages.
    ///
    /// # Errors
    /// What the server says.
    pub async fn read(&self, eyes: Eyes<'_>, state: &mut State, pages: &[PageId]) -> Result<(), Failure> {
        for batch in pages.chunks(BATCH) {
            let oids: Vec<Oid> = batch.iter().map(|id| id.relation).collect();
            let forks: Vec<&str> = batch.iter().map(|id| id.fork.name()).collect();
            let blocks: Vec<i64> = batch.iter().map(|id| i64::from(id.block)).collect();
            let parameters: [Parameter<'_>; 3] =
                [(&oids, Type::OID_ARRAY), (&forks, Type::TEXT_ARRAY), (&blocks, Type::INT8_ARRAY)];
            for row in eyes.read(&self.way(eyes).pages, &parameters).await? {
                state.pages.insert(page_id(&row)?, Page::new(row.try_get::<_, &[u8]>("page")?));
            }
        }
        Ok(())
    }

    const fn way(&self, eyes: Eyes<'_>) -> &Pages {
        let [own, lent] = &self.ways;
        match eyes {
            Eyes::Own(_) => own,
            Eyes::Script(_) => lent,
        }
    }
}

/// The relations that cannot be seen now, as they were: those of tables that are locked, and with `hidden` all.
fn kept(state: &State, before: Option<&State>, locked: &BTreeSet<Oid>, hidden: bool) -> BTreeMap<Oid, Arc<Relation>> {
    let Some(before) = before else { return BTreeMap::new() };
    let table = |relation: &Relation| {
        let owner = relation.table.unwrap_or(relation.oid);
        // the index of a TOAST table has a table that has a table
        before.relations.get(&owner).and_then(|owner| owner.table).unwrap_or(owner)
    };
    let unseen = before.relations.iter().filter(|(oid, _)| !state.relations.contains_key(*oid));
    let is_kept = |relation: &Relation| hidden || locked.contains(&table(relation));
    unseen.filter(|(_, relation)| is_kept(relation)).map(|(oid, relation)| (*oid, relation.clone())).collect()
}

fn pages_of(state: &State, relation: Oid) -> impl Iterator<Item = (&PageId, &Page)> {
    let first = PageId { relation, fork: ForkNumber::Main, block: 0 };
    let last = PageId { relation, fork: ForkNumber::Init, block: BlockNumber::MAX };
    state.pages.range(first..=last)
}

fn is_same_file(state: &State, before: Option<&State>, id: PageId) -> bool {
    let file = |state: &State| state.relations.get(&id.relation).map(|relation| relation.filenode);
    before.is_some_and(|before| file(before) == file(state))
}

fn page_id(row: &Row) -> Result<PageId, Failure> {
    let (fork, block): (&str, i64) = (row.try_get("fork")?, row.try_get("block")?);
    Ok(PageId {
        relation: row.try_get("oid")?,
        fork: FORKS.into_iter().find(|known| known.name() == fork).unwrap_or(ForkNumber::Main),
        block: BlockNumber::try_from(block).unwrap_or(BlockNumber::MAX),
    })
}
