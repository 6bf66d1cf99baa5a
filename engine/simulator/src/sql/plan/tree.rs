//! A plan as EXPLAIN (COSTS OFF) prints it (`ExplainNode`, src/backend/commands/explain.c).
//!
//! ```text
//!  Limit
//!    ->  Index Scan using t_pkey on t
//!          Index Cond: (a > 5)
//!          Filter: (b = 7)
//! ```
//!
//! What is not printed for certain as the server does is refused.

mod scan;

use super::{DeletePlan, Extreme, InsertRows, Method, Plan, SelectPlan, SortTarget, UpdatePlan};
use crate::cluster::ddl::quote_identifier;
use crate::sql::catalog::{EnabledScans, TableInfo};
use crate::sql::expr::{Node, SortKey, Typed, rule};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::PgVersion;

/// What is printed depends on, besides the plan.
#[derive(Clone, Copy)]
pub struct Explained<'a> {
    /// the table that is scanned, where there is one
    pub table: Option<&'a TableInfo>,
    /// the name that the statement gives it
    pub alias: Option<&'a str>,
    /// ON CONFLICT, and whether it names the columns of an index
    pub conflict: Option<bool>,
    /// the server's version
    pub major: u32,
    /// what is not switched off; from 18 on a node that is says so
    pub enabled: EnabledScans,
}

/// A node, with what is told of it.
struct Tree {
    line: String,
    told: Vec<String>,
    /// queries that are run once, each with its name (`ExplainSubPlans`)
    init: Vec<(String, Self)>,
    below: Vec<Self>,
}

impl Tree {
    fn new(line: impl Into<String>) -> Self {
        Self { line: line.into(), told: Vec::new(), init: Vec::new(), below: Vec::new() }
    }

    fn over(line: &str, below: Self) -> Self {
        Self { below: Vec::from([below]), ..Self::new(line) }
    }

    fn tell(&mut self, name: &str, text: String) {
        self.told.push(format!("{name}: {text}"));
    }

    /// The lines of the node, and what stands below it `indent` deep.
    fn print(&self, indent: usize, lines: &mut Vec<String>) {
        const STEP: usize = 2;
        const ARROW: usize = 4;
        lines.extend(self.told.iter().map(|told| format!("{:indent$}{told}", "")));
        for (name, init) in &self.init {
            lines.push(format!("{:indent$}{name}", ""));
            lines.push(format!("{:1$}->  {2}", "", indent + STEP, init.line));
            init.print(indent + STEP + ARROW + STEP, lines);
        }
        for below in &self.below {
            lines.push(format!("{:indent$}->  {1}", "", below.line));
            below.print(indent + ARROW + STEP, lines);
        }
    }
}

impl Explained<'_> {
    /// The lines; `None` where there is something in the plan that is not printed here.
    #[must_use]
    pub fn lines(&self, plan: &Plan) -> Option<Vec<String>> {
        let tree = self.plan(plan)?;
        let mut lines = Vec::from([tree.line.clone()]);
        tree.print(2, &mut lines);
        Some(lines)
    }

    fn plan(&self, plan: &Plan) -> Option<Tree> {
        match plan {
            Plan::Update(UpdatePlan { joined: Some(_), .. }) | Plan::Delete(DeletePlan { joined: Some(_), .. }) => None,
            Plan::Merge(_) | Plan::With(_) => None,
            Plan::Select(select) => self.select(select),
            Plan::Update(update) => {
                Some(Tree::over(&self.named("Update on", &update.scan.name), self.scan(&update.scan, true)?))
            }
            Plan::Delete(delete) => {
                Some(Tree::over(&self.named("Delete on", &delete.scan.name), self.scan(&delete.scan, true)?))
            }
            Plan::Insert(insert) => {
                let source = match &insert.source {
                    InsertRows::Values(rows) if rows.len() == 1 => "Result",
                    InsertRows::Values(_) => "Values Scan on \"*VALUES*\"",
                    InsertRows::Select(..) => return None,
                };
                let mut tree = Tree::over(&self.named("Insert on", &insert.name), Tree::new(source));
                if let Some(conflict) = &insert.on_conflict {
                    let update = conflict.update.as_ref();
                    if update.is_some_and(|(_, filter)| !filter.is_empty()) {
                        return None;
                    }
                    tree.tell("Conflict Resolution", if update.is_some() { "UPDATE" } else { "NOTHING" }.to_string());
                    if self.conflict? {
                        let name = |oid: &_| self.table?.indexes.iter().find(|index| index.oid == *oid);
                        let names = conflict.indexes.iter().map(|oid| Some(quote_identifier(&name(oid)?.name)));
                        tree.tell("Conflict Arbiter Indexes", names.collect::<Option<Vec<_>>>()?.join(", "));
                    }
                }
                Some(tree)
            }
        }
    }

    /// `ExplainTargetRel`
    fn named(&self, node: &str, table: &str) -> String {
        let alias = self.alias.filter(|alias| *alias != table).map(quote_identifier);
        let alias = alias.map_or_else(String::new, |alias| format!(" {alias}"));
        format!("{node} {}{alias}", quote_identifier(table))
    }

    fn select(&self, select: &SelectPlan) -> Option<Tree> {
        let targets = select.sort_targets(self.major);
        let postponed = select.targets.iter().zip(targets).any(|(target, place)| {
            let is_simple = |expr: &Typed| matches!(expr.node, Node::Slot(_) | Node::Const(_));
            place == SortTarget::Above && !target.value.expr().is_some_and(is_simple)
        });
        let has_series = select.targets.iter().any(|target| target.value.expr().is_none());
        if !select.sources.is_empty() || has_series || select.is_general() {
            return None;
        }
        let mut tree = match &select.scan {
            _ if !select.extremes.is_empty() => self.extremes(&select.extremes)?,
            Some(scan) => self.scan(scan, select.locking.is_some())?,
            None => match &select.filter[..] {
                [] => Tree::new("Result"),
                [Typed { node: Node::Const(Value::Bool(false)), .. }] => nothing(),
                _ => return None,
            },
        };
        if !select.aggregates.is_empty() && select.extremes.is_empty() {
            if !select.aggregate_order.is_empty() {
                tree = self.sorted(tree, &select.aggregate_order, select.presorted)?;
            }
            tree = Tree::over("Aggregate", tree);
        }
        if !select.sort.is_empty() {
            if postponed || !select.aggregates.is_empty() {
                return None;
            }
            tree = self.sorted(tree, &select.sort, select.presorted)?;
        }
        if select.locking.is_some() {
            tree = Tree::over("LockRows", tree);
        }
        let limits = |count: &Option<Typed>, none: &[Value]| {
            count.as_ref().is_some_and(|count| !matches!(&count.node, Node::Const(value) if none.contains(value)))
        };
        if limits(&select.limit, &[Value::Null]) || limits(&select.offset, &[Value::Null, Value::Int8(0)]) {
            // the queries run once belong to the uppermost node (`SS_attach_initplans`)
            let init = core::mem::take(&mut tree.init);
            tree = Tree { init, ..Tree::over("Limit", tree) };
        }
        Some(tree)
    }

    /// Sort, or Incremental Sort of rows that have the order of the first keys.
    fn sorted(&self, below: Tree, keys: &[SortKey], presorted: usize) -> Option<Tree> {
        let mut tree = Tree::over(if presorted > 0 { "Incremental Sort" } else { "Sort" }, below);
        tree.told.extend(self.disabled(self.enabled.sort || presorted > 0));
        tree.tell("Sort Key", self.sort_keys(keys, true)?);
        if presorted > 0 {
            tree.tell("Presorted Key", self.sort_keys(&keys[..presorted], false)?);
        }
        Some(tree)
    }

    /// min and max, a query each, whose tables have names of their own (`set_rtable_names`).
    fn extremes(&self, extremes: &[Extreme]) -> Option<Tree> {
        let mut tree = Tree::new("Result");
        for (n, extreme) in extremes.iter().enumerate() {
            let name = self.alias.unwrap_or(&extreme.scan.name);
            let name = if n == 0 { name.to_string() } else { format!("{name}_{n}") };
            let is_told = !PgVersion::of_major(self.major).leaves_init_parameters_out();
            let returns = if is_told { format!(" (returns ${n})") } else { String::new() };
            let one = Explained { alias: Some(&name), ..*self };
            let below = Tree::over("Limit", one.scan(&extreme.scan, false)?);
            tree.init.push((format!("InitPlan {}{returns}", n + 1), below));
        }
        Some(tree)
    }

    /// `show_sort_group_keys`: what is computed below stands in parentheses.
    fn sort_keys(&self, keys: &[SortKey], with_order: bool) -> Option<String> {
        let key = |key: &SortKey| {
            let text = rule(&key.expr, self.table?)?;
            let text = if matches!(key.expr.node, Node::Slot(_)) { text } else { format!("({text})") };
            let order = match (key.descending, key.nulls_first) {
                (false, true) => " NULLS FIRST",
                (true, true) => " DESC",
                (true, false) => " DESC NULLS LAST",
                (false, false) => "",
            };
            Some(if with_order { text + order } else { text })
        };
        keys.iter().map(key).collect::<Option<Vec<_>>>().map(|keys| keys.join(", "))
    }

    /// `plan_is_disabled`
    fn disabled(&self, is_enabled: bool) -> Option<String> {
        (PgVersion::of_major(self.major).counts_disabled_nodes() && !is_enabled).then(|| "Disabled: true".to_string())
    }
}

impl EnabledScans {
    const fn allows(self, method: &Method) -> bool {
        match method {
            Method::Nothing => true,
            Method::Seq => self.seqscan,
            Method::Index(_) => self.indexscan,
            Method::Bitmap(_) => self.bitmapscan,
            Method::Tid(_) | Method::TidRange(_) => self.tidscan,
        }
    }
}

/// Where no row can satisfy the condition.
fn nothing() -> Tree {
    Tree { told: Vec::from(["One-Time Filter: false".to_string()]), ..Tree::new("Result") }
}

/// Conditions, in parentheses where there are several.
fn joined(clauses: &[&Typed], word: &str, table: &TableInfo) -> Option<String> {
    let parts = clauses.iter().map(|clause| rule(clause, table)).collect::<Option<Vec<_>>>()?;
    Some(if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(word)) })
}
