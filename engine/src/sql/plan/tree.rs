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

use super::{Bitmap, IndexScan, InsertRows, Method, Plan, Scan, SelectPlan, SortTarget};
use crate::cluster::ddl::quote_identifier;
use crate::datum::Value;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{EnabledScans, IndexInfo, TableInfo};
use crate::sql::expr::{Node, SortKey, Typed, rule};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What is printed depends on, besides the plan.
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
    below: Option<Box<Self>>,
}

impl Tree {
    fn new(line: impl Into<String>) -> Self {
        Self { line: line.into(), told: Vec::new(), below: None }
    }

    fn over(line: &str, below: Self) -> Self {
        Self { below: Some(Box::new(below)), ..Self::new(line) }
    }

    fn tell(&mut self, name: &str, text: String) {
        self.told.push(format!("{name}: {text}"));
    }

    fn print(&self, depth: usize, lines: &mut Vec<String>) {
        const STEP: usize = 6;
        lines.push(match depth {
            0 => self.line.clone(),
            _ => format!("{:1$}->  {2}", "", STEP * (depth - 1) + 2, self.line),
        });
        lines.extend(self.told.iter().map(|told| format!("{:1$}{told}", "", STEP * depth + 2)));
        self.below.iter().for_each(|below| below.print(depth + 1, lines));
    }
}

impl Explained<'_> {
    /// The lines; `None` where there is something in the plan that is not printed here.
    #[must_use]
    pub fn lines(&self, plan: &Plan) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        self.plan(plan)?.print(0, &mut lines);
        Some(lines)
    }

    fn plan(&self, plan: &Plan) -> Option<Tree> {
        match plan {
            Plan::Select(select) => self.select(select),
            Plan::Update(update) => {
                Some(Tree::over(&self.named("Update on", &update.scan.name), self.scan(&update.scan)?))
            }
            Plan::Delete(delete) => {
                Some(Tree::over(&self.named("Delete on", &delete.scan.name), self.scan(&delete.scan)?))
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
        let is_ordered = select.aggregates.iter().any(|aggregate| !aggregate.order.is_empty());
        if !select.series.is_empty() || !select.extremes.is_empty() || has_series || is_ordered {
            return None;
        }
        let mut tree = match &select.scan {
            Some(scan) => self.scan(scan)?,
            None => match &select.filter[..] {
                [] => Tree::new("Result"),
                [Typed { node: Node::Const(Value::Bool(false)), .. }] => nothing(),
                _ => return None,
            },
        };
        if !select.aggregates.is_empty() {
            tree = Tree::over("Aggregate", tree);
        }
        if !select.sort.is_empty() {
            if postponed || !select.aggregates.is_empty() {
                return None;
            }
            tree = Tree::over(if select.presorted > 0 { "Incremental Sort" } else { "Sort" }, tree);
            tree.told.extend(self.disabled(self.enabled.sort || select.presorted > 0));
            tree.tell("Sort Key", self.sort_keys(&select.sort, true)?);
            if select.presorted > 0 {
                tree.tell("Presorted Key", self.sort_keys(&select.sort[..select.presorted], false)?);
            }
        }
        if select.locking.is_some() {
            tree = Tree::over("LockRows", tree);
        }
        let limits = |count: &Option<Typed>, none: &[Value]| {
            count.as_ref().is_some_and(|count| !matches!(&count.node, Node::Const(value) if none.contains(value)))
        };
        if limits(&select.limit, &[Value::Null]) || limits(&select.offset, &[Value::Null, Value::Int8(0)]) {
            tree = Tree::over("Limit", tree);
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
        (self.major >= 18 && !is_enabled).then(|| "Disabled: true".to_string())
    }

    fn scan(&self, scan: &Scan) -> Option<Tree> {
        let table = self.table?;
        let mut taken: Vec<usize> = Vec::new();
        let mut tree = Tree::new(self.named(&format!("{} on", scan.method.node()), &scan.name));
        match &scan.method {
            Method::Nothing => return Some(nothing()),
            Method::Seq => {}
            Method::Tid(tids) => {
                let is_or = tids.quals.len() > 1;
                let conditions: Vec<&Typed> = tids.quals.iter().collect();
                tree.tell("TID Cond", joined(&conditions, if is_or { " OR " } else { " AND " }, table)?);
                let is_same = |clause: &Typed| matches!(&clause.node, Node::Or(arms) if *arms == tids.quals);
                taken.extend(Some(tids.taken).filter(|taken| !is_or || is_same(&scan.filter[*taken])));
            }
            Method::TidRange(range) => {
                taken.extend(range.bounds.iter().map(|bound| bound.taken));
                let conditions: Vec<&Typed> = taken.iter().map(|taken| &scan.filter[*taken]).collect();
                tree.tell("TID Cond", joined(&conditions, " AND ", table)?);
            }
            Method::Index(index) => {
                tree.told.extend(index_cond(index, scan, table)?);
                taken.clone_from(&index.taken);
            }
            Method::Bitmap(Bitmap::Index(index)) => {
                let mut below = Tree::new(index.bitmap_node());
                below.told.extend(index_cond(index, scan, table)?);
                tree.below = Some(Box::new(below));
                let conditions: Vec<&Typed> = index.taken.iter().map(|taken| &scan.filter[*taken]).collect();
                tree.tell("Recheck Cond", joined(&conditions, " AND ", table)?);
                taken.clone_from(&index.taken);
            }
            Method::Bitmap(_) => return None,
        }
        tree.told.splice(..0, self.disabled(self.enabled.allows(&scan.method)));
        let left: Vec<&Typed> = scan.left(&taken).collect();
        if !left.is_empty() {
            tree.tell("Filter", joined(&left, " AND ", table)?);
        }
        Some(tree)
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

/// What the index is asked for, with its key on the left. Not of partial indexes, whose conditions leave others out.
fn index_cond(scan: &IndexScan, of: &Scan, table: &TableInfo) -> Option<Option<String>> {
    let index =
        table.indexes.iter().find(|index| index.oid == scan.index).filter(|index| index.predicate.is_empty())?;
    if scan.keys.len() != scan.taken.len() {
        return None;
    }
    let conditions = scan.keys.iter().zip(&scan.taken);
    let conditions = conditions.map(|(key, taken)| on_key(index, key.column, &of.filter[*taken], table));
    let conditions = conditions.collect::<Option<Vec<_>>>()?;
    Some(match &conditions[..] {
        [] => None,
        [one] => Some(format!("Index Cond: {one}")),
        several => Some(format!("Index Cond: ({})", several.join(" AND "))),
    })
}

fn on_key(index: &IndexInfo, column: u16, clause: &Typed, table: &TableInfo) -> Option<String> {
    let key = &index.keys.get(usize::from(column))?.expr;
    match &clause.node {
        Node::Binary(op, operands) if operands.0.node != key.node => {
            let (left, right) = (rule(&operands.1, table)?, rule(&operands.0, table)?);
            Some(rule::comparison(op.commutator(), &left, &right))
        }
        Node::Or(_) => None,
        Node::Slot(_) => Some(rule::comparison(BinaryOp::Eq, &rule(clause, table)?, "true")),
        Node::Not(inner) => Some(rule::comparison(BinaryOp::Eq, &rule(inner, table)?, "false")),
        _ => rule(clause, table),
    }
}
