//! A statement that is run more than once, and the plan that is kept (`GetCachedPlan`, `choose_custom_plan`,
//! src/backend/utils/cache/plancache.c).
//!
//! ```text
//!  execution  1 2 3 4 5    planned each time for the values that are given: a custom plan, at its cost and what planning costs
//!             6 …          planned once for any values: the generic plan, kept if it costs less than those did on average
//!  without parameters      the generic plan from the first execution on
//! ```

use crate::cluster::pg_class::ClassStats;
use crate::sql::StatementError;
use crate::sql::ast::Statement;
use crate::sql::expr::{Column, VariableRow};
use crate::sql::plan::{Given, Plan, plan};
use crate::sql::tcop::Database;
use crate::storage::{PlanCacheMode, RelationData};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::{Oid, TransactionId};

/// Custom plans that are made before a generic one is tried.
const CUSTOM_PLANS: u32 = 5;

/// A statement, and what is known of its plans (`CachedPlanSource`).
#[derive(Debug, Clone)]
pub(in crate::sql) struct PlanSource {
    statement: Statement,
    /// types of its parameters
    types: Vec<Oid>,
    /// names of the first of them
    variables: Vec<String>,
    /// rows among them
    rows: Vec<VariableRow>,
    /// transition tables
    tables: Vec<(String, Vec<Column>)>,
    /// does a column stand before one of its name?
    columns_first: bool,
    /// does it name any of them? Known once it has been planned
    has_parameters: bool,
    num_custom_plans: u32,
    num_generic_plans: u32,
    total_custom_cost: f64,
    /// of the generic plan that was made last
    generic_cost: Option<f64>,
    /// `gplan`
    generic: Option<Plan>,
    /// the relations that its plan names, as they were
    relations: Vec<Known>,
}

/// A relation as it was when a plan was made from it.
#[derive(Debug, Clone)]
struct Known {
    data: Arc<RelationData>,
    stats: ClassStats,
    /// `saved_xmin`: `TransactionXmin`, where that of the plan cannot use an index that a later one may
    xmin: Option<TransactionId>,
}

impl PlanSource {
    /// A statement that has not been planned yet.
    pub const fn new(statement: Statement, types: Vec<Oid>, variables: Vec<String>) -> Self {
        Self {
            statement,
            types,
            variables,
            rows: Vec::new(),
            tables: Vec::new(),
            columns_first: false,
            has_parameters: true,
            num_custom_plans: 0,
            num_generic_plans: 0,
            total_custom_cost: 0.0,
            generic_cost: None,
            generic: None,
            relations: Vec::new(),
        }
    }

    /// The same, of a function in SQL.
    pub fn of_sql(statement: Statement, types: Vec<Oid>, variables: Vec<String>) -> Self {
        Self { columns_first: true, ..Self::new(statement, types, variables) }
    }

    /// The same with rows among the variables.
    pub fn of_rows(
        statement: Statement,
        types: Vec<Oid>,
        variables: Vec<String>,
        rows: Vec<VariableRow>,
        tables: Vec<(String, Vec<Column>)>,
    ) -> Self {
        Self { rows, tables, ..Self::new(statement, types, variables) }
    }

    /// Its plan for any values.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan_for_any(&mut self, db: &mut Database) -> Result<Option<Plan>, StatementError> {
        self.make(db, &[])
    }

    /// `GetCachedPlan`: the plan to be run with these values; `None` of a statement that is not planned.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan(&mut self, db: &mut Database, values: &[Value]) -> Result<Option<Plan>, StatementError> {
        if !self.is_valid(db) {
            self.generic = None;
        }
        let mode = db.cluster.pg.backend().settings.plan_cache_mode;
        if !self.prefers_custom(mode) {
            if self.generic.is_none() {
                self.make_generic(db)?;
            }
            if !self.prefers_custom(mode) {
                self.num_generic_plans = self.num_generic_plans.saturating_add(1);
                return Ok(self.generic.clone());
            }
        }
        let Some(custom) = self.make(db, values)? else { return Ok(None) };
        if self.has_parameters {
            self.num_custom_plans = self.num_custom_plans.saturating_add(1);
            self.total_custom_cost += custom.total_cost(db) + custom.planning_cost();
        } else {
            self.generic = Some(custom.clone());
            self.num_generic_plans = self.num_generic_plans.saturating_add(1);
        }
        Ok(Some(custom))
    }

    /// How many generic and custom plans were used.
    pub const fn plans(&self) -> (u32, u32) {
        (self.num_generic_plans, self.num_custom_plans)
    }

    /// `choose_custom_plan`
    fn prefers_custom(&self, mode: PlanCacheMode) -> bool {
        let average = || self.total_custom_cost / f64::from(self.num_custom_plans);
        let is_dear = || self.generic_cost.is_some_and(|generic| generic >= average());
        self.has_parameters
            && match mode {
                PlanCacheMode::ForceGeneric => false,
                PlanCacheMode::ForceCustom => true,
                PlanCacheMode::Auto => self.num_custom_plans < CUSTOM_PLANS || is_dear(),
            }
    }

    /// `BuildCachedPlan` for any values.
    fn make_generic(&mut self, db: &mut Database) -> Result<(), StatementError> {
        self.generic = self.make(db, &[])?;
        self.generic_cost = self.generic.as_ref().map(|plan| plan.total_cost(db));
        Ok(())
    }

    fn make(&mut self, db: &mut Database, values: &[Value]) -> Result<Option<Plan>, StatementError> {
        let mut given = Given {
            params: self.types.clone(),
            variables: self.variables.clone(),
            rows: self.rows.clone(),
            tables: self.tables.clone(),
            columns_first: self.columns_first,
            values: values.into(),
            ..Given::default()
        };
        let made = plan(&self.statement, db, &mut given)?;
        self.has_parameters = given.is_used;
        let relations = made.as_ref().map_or_else(Vec::new, Plan::relations);
        self.relations = relations.into_iter().filter_map(|oid| Known::of(db, oid)).collect();
        Ok(made)
    }

    /// Has nothing been heard of its relations since it was planned (`PlanCacheRelCallback`)?
    pub fn is_valid(&self, db: &Database) -> bool {
        self.relations.iter().all(|known| Known::of(db, known.data.oid).is_some_and(|now| known.is_same(&now)))
    }
}

impl Known {
    fn of(db: &Database, oid: Oid) -> Option<Self> {
        let data = db.cluster.pg.relations.get(&oid)?;
        let is_transient = data.indexes.iter().any(|index| !db.is_usable(*index));
        let xmin = is_transient.then(|| db.cluster.pg.transaction_xmin());
        Some(Self { data: data.clone(), stats: db.cluster.known_stats(oid), xmin })
    }

    fn is_same(&self, now: &Self) -> bool {
        Arc::ptr_eq(&self.data, &now.data) && self.stats == now.stats && self.xmin == now.xmin
    }
}
