//! Queries within expressions: EXISTS, IN, ANY and ALL, a single value, ARRAY (`transformSubLink`,
//! src/backend/parser/parse_expr.c; src/backend/executor/nodeSubplan.c).

use super::analyze::{Analyzer, truth};
use super::eval::{Env, Scope, decide};
use super::{Node, Typed};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, QueryKind, Select};
use crate::sql::plan::SelectPlan;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{SqlType, Value, array_of};

/// Plans a query that stands within another.
pub trait QueryPlanner {
    /// Its plan.
    ///
    /// # Errors
    /// As those of any query.
    fn plan(&mut self, select: &Select) -> core::result::Result<PlannedQuery, StatementError>;
}

/// A query within another.
pub struct PlannedQuery {
    /// how its rows are found
    pub plan: Arc<SelectPlan>,
    /// the columns of the queries around that it reads, as the query around it names them
    pub reads: Vec<Typed>,
}

/// A query in place of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct SubPlan {
    /// what is asked of its rows
    pub kind: SubPlanKind,
    /// how they are found
    pub plan: Arc<SelectPlan>,
    /// what is asked of each, as [`Node::CaseTest`]
    pub test: Option<Typed>,
    /// columns of the queries around that it reads
    pub reads: Vec<Typed>,
}

/// `SubLinkType`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubPlanKind {
    /// are there any?
    Exists,
    /// the value of the only one
    Scalar,
    /// all as an array
    Array,
    /// does one satisfy the test?
    Any,
    /// do all?
    All,
}

impl Analyzer<'_> {
    pub(super) fn query(&mut self, kind: &QueryKind, select: &Select) -> core::result::Result<Typed, StatementError> {
        let Some(planner) = self.planner.as_mut() else {
            let message = alloc::format!("cannot use subquery in {}", self.clause);
            return Err(StatementError::server("0A000", message));
        };
        let PlannedQuery { plan, reads } = planner.plan(select)?;
        // what is read further out is read by this query too
        self.reads.extend(reads.iter().filter_map(|read| match read.node {
            Node::Outer(level, slot) => Some((level, slot, read.ty)),
            _ => None,
        }));
        let sub = |kind, test| Node::Query(Arc::new(SubPlan { kind, plan: plan.clone(), test, reads: reads.clone() }));
        if let QueryKind::Any(left, _) | QueryKind::All(left, _) = kind
            && let ExprNode::Row(values) = &left.node
            && values.len() > plan.targets.len()
        {
            return Err(StatementError::server("42601", "subquery has too few columns"));
        }
        if matches!(kind, QueryKind::Exists) {
            return Ok(truth(sub(SubPlanKind::Exists, None)));
        }
        let [output] = &plan.targets[..] else {
            let message = match kind {
                QueryKind::Any(left, _) | QueryKind::All(left, _) if is_row_of(left, plan.targets.len()) => {
                    let message = "a row compared with the rows of a query is not supported; write EXISTS, with an \
                        equality for each column";
                    return Err(StatementError::unsupported(message, None));
                }
                QueryKind::Any(..) | QueryKind::All(..) => "subquery has too many columns",
                _ => "subquery must return only one column",
            };
            return Err(StatementError::server("42601", message));
        };
        let ty = output.value.ty();
        match kind {
            QueryKind::Exists => Ok(truth(sub(SubPlanKind::Exists, None))),
            QueryKind::Scalar => Ok(Typed { node: sub(SubPlanKind::Scalar, None), ty }),
            QueryKind::Array => {
                let array = array_of(ty.oid).ok_or_else(|| {
                    StatementError::unsupported(alloc::format!("an array of {} is not supported", ty.name()), None)
                })?;
                Ok(Typed { node: sub(SubPlanKind::Array, None), ty: SqlType::plain(array) })
            }
            QueryKind::Any(left, op) | QueryKind::All(left, op) => {
                let left = self.expr(left)?;
                let test = self.named_operator(op, left, Typed { node: Node::CaseTest, ty })?;
                let kind = if matches!(kind, QueryKind::Any(..)) { SubPlanKind::Any } else { SubPlanKind::All };
                Ok(truth(sub(kind, Some(test))))
            }
        }
    }
}

/// Is it `(a, b)`, of so many values?
fn is_row_of(expr: &Expr, count: usize) -> bool {
    matches!(&expr.node, ExprNode::Row(values) if values.len() == count)
}

impl SubPlan {
    /// Does it give the same whatever row is at hand?
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.reads.is_empty()
    }

    /// Is it run once, before all else (an InitPlan)?
    #[must_use]
    pub fn is_init(&self) -> bool {
        self.is_constant() && !matches!(self.kind, SubPlanKind::Any | SubPlanKind::All)
    }

    pub(super) fn eval(self: &Arc<Self>, env: &mut Env<'_>) -> Result<Value> {
        let most = match self.kind {
            SubPlanKind::Exists => Some(1),
            SubPlanKind::Scalar => Some(2),
            _ => None,
        };
        let scope = Scope { slots: env.slots, params: env.params, outer: env.outer };
        let rows = env.context.query(self, scope, most)?;
        let first = |row: &Vec<Value>| row.first().cloned().unwrap_or(Value::Null);
        match (self.kind, &self.test) {
            (SubPlanKind::Exists, _) => Ok(Value::Bool(!rows.is_empty())),
            (SubPlanKind::Scalar, _) if rows.len() > 1 => {
                Err(SqlError::new("21000", "more than one row returned by a subquery used as an expression"))
            }
            (SubPlanKind::Scalar, _) => Ok(rows.first().map_or(Value::Null, first)),
            (SubPlanKind::Any | SubPlanKind::All, Some(test)) => {
                decide(rows.iter().map(first).collect::<Vec<_>>(), test, self.kind == SubPlanKind::All, env)
            }
            _ => {
                let element = self.plan.targets.first().map_or(25, |target| target.value.ty().oid);
                Ok(ffviz_format::datum::make_array(element, &rows.iter().map(first).collect::<Vec<_>>()))
            }
        }
    }
}
