//! The cluster with what stands above it: expressions of the catalog, the sessions' generators.

use crate::cluster::Cluster;
use crate::datum::random::Random;
use crate::page::Oid;
use crate::sql::ast::{Expr, Set};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A cluster that statements are run on.
#[derive(Debug, Clone)]
pub struct Database {
    /// pages, WAL, transactions, catalog
    pub cluster: Cluster,
    /// expressions that hang on relations
    pub expressions: Expressions,
    /// ALTER SYSTEM since the last `pg_reload_conf()`
    pub(super) pending_settings: Vec<Set>,
    /// by session
    pub(super) sessions: BTreeMap<usize, SessionMemory>,
}

/// Expressions of the catalog (`pg_attrdef.adbin`, `pg_index.indexprs`, `indpred`), by the relation's oid; those of relations that are gone
/// may stay, since no oid comes twice.
#[derive(Debug, Clone, Default)]
pub struct Expressions {
    /// DEFAULT, by table and column
    pub defaults: BTreeMap<(Oid, u16), Expr>,
    /// keys of an index that are expressions, in their order
    pub keys: BTreeMap<Oid, Vec<Expr>>,
    /// WHERE of an index
    pub predicates: BTreeMap<Oid, Expr>,
}

/// What functions of a session remember.
#[derive(Debug, Clone)]
pub(super) struct SessionMemory {
    pub random: Random,
    /// `currval` by sequence
    pub currvals: BTreeMap<Oid, i64>,
}

impl Database {
    /// A cluster without expressions.
    #[must_use]
    pub fn new(cluster: Cluster) -> Self {
        Self { cluster, expressions: Expressions::default(), pending_settings: Vec::new(), sessions: BTreeMap::new() }
    }

    /// What the running session's functions remember. Its generator begins with a seed of its own: a server's begins with chance.
    pub(super) fn session(&mut self) -> &mut SessionMemory {
        let (me, major) = (self.cluster.pg.me, self.cluster.version().major());
        self.sessions
            .entry(me)
            .or_insert_with(|| SessionMemory { random: seeded(me, major), currvals: BTreeMap::new() })
    }
}

fn seeded(session: usize, major: u32) -> Random {
    let seed = 0.5 / (session as f64 + 1.0);
    Random::setseed(seed, major).unwrap_or(Random::Erand48(0))
}
