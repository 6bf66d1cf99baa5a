//! The cluster with what stands above it: expressions of the catalog, the sessions' generators.

use crate::cluster::pg_class::ExprId;
use crate::cluster::{Cluster, Torn};
use crate::sql::ast::{Expr, ExprNode, Set};
use crate::sql::catalog::{SqlFunction, View};
use crate::sql::commands::deferred::{Due, Later};
use crate::sql::commands::foreign_key::CheckKey;
use crate::sql::commands::portal::Portal;
use crate::sql::commands::prepared::PreparedStatement;
use crate::sql::executor::plan_source::PlanSource;
use crate::sql::executor::running::Running;
use crate::sql::plpgsql::Site;
use crate::storage::{FileId, RelationData};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::random::Random;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// A cluster that statements are run on.
#[derive(Debug, Clone)]
pub struct Database {
    /// pages, WAL, transactions, catalog
    pub cluster: Cluster,
    /// expressions that hang on relations
    pub expressions: Expressions,
    /// queries of views; those of what is gone may stay, since no number comes twice
    pub(in crate::sql) views: Vec<Arc<View>>,
    /// functions in SQL, likewise
    pub(in crate::sql) functions: Vec<Arc<SqlFunction>>,
    /// ALTER SYSTEM since the last `pg_reload_conf()`
    pub(in crate::sql) pending_settings: Vec<Set>,
    /// values of the variables of PL/pgSQL
    pub(in crate::sql) params: Vec<Value>,
    /// the statement that runs
    pub(in crate::sql) running: Running,
    /// extensions that are there
    pub(in crate::sql) extensions: BTreeSet<&'static str>,
    /// by number of the backend
    pub(in crate::sql) sessions: BTreeMap<usize, SessionMemory>,
    /// has a VACUUM of all tables run, after which nobody knows the oldest transaction id of the catalogs?
    pub(in crate::sql) vacuumed_all: bool,
    /// tables whose rows statements have named as a type
    pub(in crate::sql) named_rows: BTreeSet<Oid>,
    /// what is to be said of the statement that runs, a phrase each
    pub notes: Vec<String>,
}

/// Expressions of the catalog (`pg_attrdef.adbin`, `pg_constraint.conbin`, `pg_index.indexprs`, `indpred`). Those of
/// what is gone may stay, since no number comes twice, nor an oid.
#[derive(Debug, Clone, Default)]
pub struct Expressions {
    /// by [`ExprId`]
    kept: Vec<Arc<StoredExpr>>,
    /// keys of an index that are expressions, by index and key from 0
    pub keys: BTreeMap<(Oid, u16), ExprId>,
    /// WHERE of an index
    pub predicates: BTreeMap<Oid, ExprId>,
}

/// An expression, with the names that its table's columns had when it was written: they may be called otherwise by now.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredExpr {
    /// as it was written
    pub expr: Expr,
    /// by `attnum`
    pub columns: Vec<String>,
}

impl Expressions {
    /// Keeps one, over the columns of a table or over none.
    pub fn keep(&mut self, expr: &Expr, table: Option<&RelationData>) -> ExprId {
        let columns =
            table.iter().flat_map(|table| table.desc.attributes()).map(|column| column.name.clone()).collect();
        self.keep_over(expr, columns)
    }

    /// The same, over columns of these names.
    pub fn keep_over(&mut self, expr: &Expr, columns: Vec<String>) -> ExprId {
        self.kept.push(Arc::new(StoredExpr { expr: expr.clone(), columns }));
        ExprId(self.kept.len() as u32 - 1)
    }

    /// Does one of them call the function of that name? Those of what is gone too.
    #[must_use]
    pub fn call(&self, function: &str) -> bool {
        let is_call = |expr: &Expr| matches!(&expr.node, ExprNode::Function { name, .. } if name == function);
        let calls = |stored: &Arc<StoredExpr>| {
            let (mut expr, mut found) = (stored.expr.clone(), false);
            expr.visit_mut(&mut |part| found |= is_call(part));
            found
        };
        self.kept.iter().any(calls)
    }

    /// Does one of them cast to the domain? Those of what is gone too.
    #[must_use]
    pub fn cast_to(&self, domain: Oid) -> bool {
        let casts = |stored: &Arc<StoredExpr>| {
            let (mut expr, mut found) = (stored.expr.clone(), false);
            expr.visit_mut(&mut |part| found |= matches!(part.node, ExprNode::Domain(_, _, to) if to == domain));
            found
        };
        self.kept.iter().any(casts)
    }

    /// The expression of that number.
    #[must_use]
    pub fn get(&self, id: ExprId) -> Option<&Arc<StoredExpr>> {
        self.kept.get(id.0 as usize)
    }
}

/// What is remembered of a session.
#[derive(Debug, Clone)]
pub(in crate::sql) struct SessionMemory {
    pub random: Random,
    /// `pg_global_prng_state`: chance that no statement can seed
    pub global_random: Random,
    /// sequences that it has used
    pub sequences: BTreeMap<Oid, SequenceMemory>,
    /// that of the last `nextval`
    pub last_sequence: Option<Oid>,
    /// names of settings with a point that it has set once
    pub placeholders: BTreeSet<String>,
    /// when its transaction began: `now()`
    pub xact_start: i64,
    /// PREPARE, by name
    pub prepared: BTreeMap<String, PreparedStatement>,
    /// queries of cursors, by name; which of them are open says the cluster
    pub portals: BTreeMap<String, Portal>,
    /// what is kept of the statements of functions in PL/pgSQL, by their numbers and the tables that they are triggers
    /// of
    pub routines: BTreeMap<(u32, Oid), Vec<Site>>,
    /// how many functions are within one another
    pub depth: usize,
    /// how many cursors without a name there were (`unnamed_portal_count`)
    pub unnamed_portals: u32,
    /// SQLSTATEs that nothing but the script has
    pub sqlstates: BTreeMap<String, &'static str>,
    /// of those, how many are of triggers (`MyTriggerDepth`)
    pub trigger_depth: i32,
    /// `ri_query_cache`: queries that foreign keys are checked with
    pub checks: BTreeMap<CheckKey, PlanSource>,
    /// checks that are put off, by the number that the cluster knows them by
    pub deferred: BTreeMap<u64, Later>,
    /// those of them that are being made
    pub due: Due,
    /// does the transaction commit, so that nothing is put off any more?
    pub fires_all: bool,
}

/// What is remembered of a sequence (`SeqTableData`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::sql) struct SequenceMemory {
    /// its file, when values were fetched
    pub file: Option<FileId>,
    /// `currval`
    pub last: Option<i64>,
    /// the last of the values that were fetched
    pub cached: Option<i64>,
    pub increment: i64,
}

impl Database {
    /// A cluster without expressions.
    #[must_use]
    pub fn new(cluster: Cluster) -> Self {
        let (expressions, sessions) = (Expressions::default(), BTreeMap::new());
        Self {
            cluster,
            expressions,
            views: Vec::new(),
            functions: Vec::new(),
            pending_settings: Vec::new(),
            params: Vec::new(),
            running: Running::default(),
            extensions: BTreeSet::new(),
            sessions,
            vacuumed_all: false,
            named_rows: BTreeSet::new(),
            notes: Vec::new(),
        }
    }

    /// Are there functions in SQL, whose statements take locks that nobody notes?
    #[must_use]
    pub(in crate::sql) fn has_sql_functions(&self) -> bool {
        let there = self.cluster.catalog.functions().filter_map(|number| self.functions.get(number as usize));
        there.map(|function| &function.body).any(|body| !body.is_block())
    }

    /// What is remembered of the running session.
    pub(in crate::sql) fn session(&mut self) -> &mut SessionMemory {
        let (me, major, clock) = (self.cluster.pg.me, self.cluster.version().major(), self.cluster.clock);
        self.sessions.entry(me).or_insert_with(|| SessionMemory::new(me, major, clock))
    }

    /// The power fails, and the server starts again: what sessions remembered is gone, what ALTER SYSTEM set is read.
    ///
    /// # Errors
    /// As [`Cluster::crash`].
    pub fn crash(&mut self, torn: Option<Torn>) -> Result<(), SqlError> {
        self.cluster.crash(torn)?;
        self.sessions.clear();
        let pending = core::mem::take(&mut self.pending_settings);
        self.apply_settings(pending);
        Ok(())
    }

    /// What ALTER SYSTEM has set takes effect. The values were tried when it was run.
    pub(super) fn apply_settings(&mut self, settings: Vec<Set>) {
        for set in settings {
            if let Some(name) = &set.name {
                let _ = crate::sql::guc::server_setting(&mut self.cluster.pg, name, set.value.as_deref());
            }
        }
    }

    /// Does something with these values for `$1`, `$2` …
    pub(in crate::sql) fn with_params<T>(&mut self, params: &[Value], work: impl FnOnce(&mut Self) -> T) -> T {
        self.params.extend_from_slice(params);
        let done = work(self);
        self.params.clear();
        done
    }

    /// A statement of the running session begins: where it begins a transaction too, that is the time of `now()`.
    pub fn note_time(&mut self) {
        if self.cluster.pg.backend().xact.is_none() {
            let clock = self.cluster.clock;
            self.session().xact_start = clock;
        }
    }
}
