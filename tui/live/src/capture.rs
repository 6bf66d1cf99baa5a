//! A capture: the facts of some tables with their indexes and TOAST tables, and those of their pages that tell most.
//!
//! ```text
//! table   vm and fsm (capped) ── a map of any size without reading the table
//!         the first pages, and those that were looked at
//! btree   metapage ─▶ root ─▶ level by level, leaves as far as the cap goes
//! TOAST   the first pages
//! ```

use super::access::Access;
use super::failure::{Failure, Kind};
use super::pages::{Pace, Reader};
use super::session::{Parameter, Session};
use ffviz_format::nbtree::{BtKind, BtPage, IndexTupleKind};
use ffviz_format::page::{BlockNumber, ForkNumber, Oid};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation, State};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::types::Type;

/// Asks for the facts of tables with what belongs to them; $1: their oids.
pub(crate) const RELATIONS: &str = include_str!("sql/relations.sql");

/// A relation that changes while it is read is read anew so often.
const ATTEMPTS: u32 = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(20);

/// A capture and what is to be said about it.
#[derive(Debug)]
pub struct Capture {
    /// what was read
    pub state: State,
    /// damaged pages; tables that are gone
    pub notes: Vec<String>,
}

/// Everything that is needed to read.
pub struct Source<'a> {
    /// the connection
    pub session: &'a Session,
    /// what can be done there
    pub access: &'a Access,
    /// how fast
    pub pace: &'a mut Pace,
    /// pages of a table that one capture reads at most; a quarter of each index
    pub pages: u32,
}

impl Source<'_> {
    /// Captures these tables; `looked_at` are pages to read besides the first ones.
    ///
    /// # Errors
    /// What the server says, as one sentence.
    pub async fn capture(
        &mut self,
        tables: &[Oid],
        looked_at: &BTreeSet<PageId>,
        previous: Option<&State>,
    ) -> Result<Capture, Failure> {
        let mut capture = Capture { state: self.access.moment(self.session).await?, notes: Vec::new() };
        for table in tables {
            self.add_table(*table, looked_at, previous, &mut capture).await?;
        }
        Ok(capture)
    }

    /// Reads only these pages, with the facts of their relations.
    ///
    /// # Errors
    /// What the server says, as one sentence.
    pub async fn read_pages(
        &mut self,
        table: Oid,
        wanted: &[PageId],
        previous: Option<&State>,
    ) -> Result<Capture, Failure> {
        let mut capture = Capture { state: self.access.moment(self.session).await?, notes: Vec::new() };
        for relation in self.relations(table).await? {
            let mut reader = Reader::new(self.session, self.access, self.pace, previous);
            for fork in [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init] {
                let of_fork = |id: &&PageId| id.relation == relation.oid && id.fork == fork;
                let blocks: Vec<_> = wanted.iter().filter(of_fork).map(|id| id.block).collect();
                reader.read(&relation, fork, &blocks, &mut capture.state).await?;
            }
            capture.notes.append(&mut reader.damaged);
            capture.state.relations.insert(relation.oid, Arc::new(relation));
        }
        Ok(capture)
    }

    /// Reads a table; anew when it changes under the reader.
    async fn add_table(
        &mut self,
        table: Oid,
        looked_at: &BTreeSet<PageId>,
        previous: Option<&State>,
        capture: &mut Capture,
    ) -> Result<(), Failure> {
        let mut name = format!("the table with oid {table}");
        for _ in 0..ATTEMPTS {
            let relations = self.relations(table).await?;
            let known = relations.iter().chain(previous.and_then(|state| state.relations.get(&table)).map(Arc::as_ref));
            name = known
                .filter(|relation| relation.oid == table)
                .map(|relation| relation.name.clone())
                .next()
                .unwrap_or(name);
            if relations.is_empty() {
                let sentence = format!("{name} was dropped; what was captured before stays");
                if previous.is_some_and(|state| state.relations.contains_key(&table)) {
                    capture.notes.push(sentence); // that it is gone is a step, too
                    return Ok(());
                }
                return Err(Failure::new(Kind::Changed, sentence));
            }
            let mut fresh = State::empty(self.access.server.clone());
            match self.fill(&relations, looked_at, previous, &mut fresh).await {
                Ok(mut notes) => {
                    capture.state.pages.append(&mut fresh.pages);
                    capture
                        .state
                        .relations
                        .extend(relations.into_iter().map(|relation| (relation.oid, Arc::new(relation))));
                    capture.notes.append(&mut notes);
                    return Ok(());
                }
                Err(failure) if failure.kind == Kind::Changed => tokio::time::sleep(BETWEEN_ATTEMPTS).await,
                Err(failure) => return Err(failure),
            }
        }
        let sentence = format!("{name} changes faster than it can be read; what was captured before stays: ask again");
        Err(Failure::new(Kind::Changed, sentence))
    }

    /// Facts of a table, its indexes and TOAST table; none when it was dropped.
    async fn relations(&self, table: Oid) -> Result<Vec<Relation>, Failure> {
        let tables: &[Oid] = &[table];
        let parameters: [Parameter<'_>; 1] = [(&tables, Type::OID_ARRAY)];
        let rows = self.session.read(RELATIONS, &parameters).await?;
        rows.iter().map(relation).collect()
    }

    /// Reads the pages of a table's relations.
    async fn fill(
        &mut self,
        relations: &[Relation],
        looked_at: &BTreeSet<PageId>,
        previous: Option<&State>,
        state: &mut State,
    ) -> Result<Vec<String>, Failure> {
        if self.access.refusal().is_some() {
            return Ok(Vec::new());
        }
        let most = self.pages.max(1);
        let mut reader = Reader::new(self.session, self.access, self.pace, previous);
        for relation in relations {
            let looked_at = |fork| {
                let own = move |id: &&PageId| id.relation == relation.oid && id.fork == fork;
                looked_at.iter().filter(own).map(|id| id.block).take(most as usize)
            };
            for fork in [ForkNumber::Vm, ForkNumber::Fsm, ForkNumber::Init] {
                let first = relation.blocks.of(fork).min(most);
                let blocks: Vec<_> = (0..first).chain(looked_at(fork).filter(|block| *block >= first)).collect();
                reader.read(relation, fork, &blocks, state).await?;
            }
            let cap = if matches!(relation.kind, RelKind::Table | RelKind::MaterializedView | RelKind::Sequence) {
                most
            } else {
                most.div_ceil(4)
            };
            if relation.am == AccessMethod::Btree && relation.blocks.main > cap {
                walk_btree(&mut reader, relation, cap, state).await?;
            } else {
                let blocks: Vec<_> = (0..relation.blocks.main.min(cap)).collect();
                reader.read(relation, ForkNumber::Main, &blocks, state).await?;
            }
            let unread = |block: &BlockNumber| !state.pages.contains_key(&main(relation, *block));
            let more: Vec<_> = looked_at(ForkNumber::Main).filter(unread).collect();
            reader.read(relation, ForkNumber::Main, &more, state).await?;
        }
        Ok(reader.damaged)
    }
}

/// A row of [`RELATIONS`].
///
/// # Errors
/// A sentence, where it is none.
pub(crate) fn relation(row: &tokio_postgres::Row) -> Result<Relation, Failure> {
    let text: &str = row.try_get("relation")?;
    serde_json::from_str(text)
        .map_err(|error| Failure::new(Kind::Other, format!("a catalog entry is not as expected: {error}")))
}

const fn main(relation: &Relation, block: BlockNumber) -> PageId {
    PageId { relation: relation.oid, fork: ForkNumber::Main, block }
}

/// Metapage, root, and level by level what hangs on it, until `cap` pages are read.
async fn walk_btree(reader: &mut Reader<'_>, index: &Relation, cap: u32, state: &mut State) -> Result<(), Failure> {
    const METAPAGE: BlockNumber = 0;
    reader.read(index, ForkNumber::Main, &[METAPAGE], state).await?;
    let page = |state: &State, block| {
        state.pages.get(&main(index, block)).map(|page| BtPage::decode(page, state.server.version))
    };
    let root = page(state, METAPAGE).and_then(|page| page.meta).map(|meta| meta.btm_root);
    let mut level: Vec<BlockNumber> = root.into_iter().filter(|root| *root != METAPAGE).collect();
    let mut left = cap.saturating_sub(1) as usize;
    while !level.is_empty() && left > 0 {
        level.truncate(left);
        left -= level.len();
        reader.read(index, ForkNumber::Main, &level, state).await?;
        let parents = level.iter().filter_map(|block| page(state, *block)).filter(|page| page.kind == BtKind::Internal);
        let next: Vec<_> = parents
            .flat_map(|page| downlinks(&page))
            .filter(|block| !state.pages.contains_key(&main(index, *block)))
            .collect();
        level = next;
    }
    Ok(())
}

fn downlinks(page: &BtPage) -> Vec<BlockNumber> {
    let child = |kind: &IndexTupleKind| match kind {
        IndexTupleKind::Downlink { child, .. } => Some(*child),
        _ => None,
    };
    page.items.iter().filter_map(|item| item.tuple.as_ref()).filter_map(|tuple| child(&tuple.kind)).collect()
}
