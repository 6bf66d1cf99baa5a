//! What a script did on a server as the lines of `ffviz sim --format jsonl`.

use super::COUNTERS;
use super::ended::Ended;
use crate::failure::Failure;
use ffviz_format::page::{ForkNumber, Oid, TransactionId};
use ffviz_format::state::{RelKind, State};
use ffviz_format::wal::RelFileLocator;
use ffviz_simulator::sql::script::Statement;
use ffviz_simulator::sql::trace::{
    ForkTrace, PageTrace, ResumedTrace, StatementTrace, TraceLine, WalTrace, is_end, is_listed, toast_index_name,
    toast_name,
};
use ffviz_story::timeline::WalBetween;
use tokio_postgres::Client;

/// Makes the lines.
#[derive(Default)]
pub struct Tracer {
    /// those of statements that ended
    pub lines: Vec<TraceLine>,
    open: StatementTrace,
}

impl Tracer {
    /// A statement begins.
    ///
    /// # Errors
    /// What the server says.
    pub async fn begin(&mut self, statement: &Statement, admin: &Client) -> Result<(), Failure> {
        self.open = StatementTrace {
            n: statement.n,
            session: statement.session.clone(),
            sql: statement.sql.clone(),
            xid0: next_xid(admin).await?,
            ..StatementTrace::default()
        };
        Ok(())
    }

    /// It has come to its end, or waits.
    pub fn ended(&mut self, ended: &Ended) {
        let open = &mut self.open;
        (open.status, open.result, open.waiting) = (ended.status.clone(), ended.result.clone(), ended.waiting);
        open.skipped = ended.skipped;
        if let Some(error) = &ended.error {
            (open.error, open.detail) = (Some(error.message.clone()), error.detail.clone());
            (open.hint, open.position) = (error.hint.clone(), error.position.map(|position| position as u32));
            open.sqlstate.clone_from(&error.sqlstate);
        }
    }

    /// What it left: the states before and after it, the WAL between them, and what went on by it.
    ///
    /// # Errors
    /// What the server says; a record that cannot be read.
    pub async fn end(
        &mut self,
        before: &State,
        after: &State,
        wal: Option<&WalBetween>,
        went_on: Vec<ResumedTrace>,
        admin: &Client,
    ) -> Result<(), Failure> {
        let mut trace = std::mem::take(&mut self.open);
        // an id that is not seen any more was used all the same
        trace.xid1 = next_xid(admin).await?.max(trace.xid0);
        trace.pages = pages(before, after);
        trace.forks = forks(before, after);
        let version = after.server.version;
        for record in wal.into_iter().flat_map(|wal| &wal.records) {
            let Ok(decoded) = record.decode(version) else { continue };
            let listed = [(is_listed(&decoded), &mut trace.wal), (is_end(&decoded), &mut trace.ends)];
            for (_, list) in listed.into_iter().filter(|(is_wanted, _)| *is_wanted) {
                list.push(WalTrace::of(record, version, |file| of_file(before, after, file))?);
            }
        }
        self.lines.push(TraceLine::Statement(trace));
        self.lines.extend(went_on.into_iter().map(TraceLine::Resumed));
        Ok(())
    }
}

async fn next_xid(admin: &Client) -> Result<TransactionId, Failure> {
    let rows = admin.query_typed(COUNTERS, &[]).await?;
    Ok(rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>("xid"))? as TransactionId)
}

/// The pages that are new or otherwise than before.
fn pages(before: &State, after: &State) -> Vec<PageTrace> {
    let changed = after.pages.iter().filter(|(id, page)| before.pages.get(id) != Some(page));
    let page = |(id, page): (&ffviz_format::state::PageId, &ffviz_format::page::Page)| PageTrace {
        rel: name(after, id.relation),
        fork: id.fork,
        blk: id.block,
        page: page.clone(),
    };
    changed.map(page).collect()
}

/// The forks whose lengths changed; those of dropped relations have no blocks.
fn forks(before: &State, after: &State) -> Vec<ForkTrace> {
    const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];
    let blocks = |state: &State, oid: Oid, fork| state.relations.get(&oid).map_or(0, |it| it.blocks.of(fork));
    let gone = before.relations.keys().filter(|oid| !after.relations.contains_key(oid));
    let all = after.relations.keys().chain(gone).flat_map(|oid| FORKS.map(|fork| (*oid, fork)));
    let changed = all.filter(|(oid, fork)| blocks(before, *oid, *fork) != blocks(after, *oid, *fork));
    changed
        .map(|(oid, fork)| {
            let rel = name(after, oid).or_else(|| name(before, oid));
            ForkTrace { rel, fork, blocks: blocks(after, oid, fork) }
        })
        .collect()
}

/// What a trace calls a relation.
fn name(state: &State, oid: Oid) -> Option<String> {
    let relation = state.relations.get(&oid)?;
    let table = relation.table.and_then(|table| state.relations.get(&table));
    Some(match (relation.kind, table) {
        (RelKind::Toast, Some(table)) => toast_name(&table.told()),
        (RelKind::Index, Some(toast)) if toast.kind == RelKind::Toast => {
            let table = toast.table.and_then(|table| state.relations.get(&table));
            toast_index_name(&table?.told())
        }
        _ => relation.told().into_owned(),
    })
}

fn of_file(before: &State, after: &State, file: RelFileLocator) -> Option<String> {
    let of = |state: &State| {
        let relation = state.relations.values().find(|relation| relation.is_file(file))?;
        name(state, relation.oid)
    };
    of(after).or_else(|| of(before))
}
