//! A join of two tables as EXPLAIN prints it (`ExplainNode`, src/backend/commands/explain.c).

use super::actual::{Actual, Way};
use super::figures::{Figures, target_cost};
use super::upper::direction;
use super::{Explained, Tree, joined, read_slots};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::rule::{Names, Prefixed, comparison};
use crate::sql::expr::{Node, SortKey, Typed, rule};
use crate::sql::plan::cost;
use crate::sql::plan::select::limit_and_offset;
use crate::sql::plan::size::{typavgwidth, width_of};
use crate::sql::plan::{Between, Cost, JoinInput, JoinNode, JoinPlan, JoinSide, SelectPlan};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Names of the columns of both tables, behind those of the tables.
struct OfBoth<'a> {
    tables: &'a [TableInfo],
    join: &'a JoinPlan,
}

impl OfBoth<'_> {
    /// The table of a slot, and the slot there.
    fn place(&self, slot: u16) -> Option<(&TableInfo, &str, u16)> {
        let (n, slot) = slot.checked_sub(self.join.first).map_or((0, slot), |slot| (1, slot));
        Some((self.tables.get(n)?, &self.join.tables[n].1, slot))
    }

    fn width(&self, expr: &Typed) -> Option<u32> {
        let Node::Slot(slot) = expr.node else { return Some(typavgwidth(expr.ty)) };
        let (table, _, slot) = self.place(slot)?;
        Some(width_of(&Typed { node: Node::Slot(slot), ty: expr.ty }, table))
    }
}

impl Names for OfBoth<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        let (table, name, slot) = self.place(slot)?;
        Prefixed(table, name).column(slot, ty)
    }

    fn is_of_domain(&self, slot: u16) -> bool {
        self.place(slot).is_some_and(|(table, _, slot)| table.is_of_domain(slot))
    }
}

/// Names of the columns of the other table, whose row a scan reads.
struct OfOther<'a>(Prefixed<'a>);

impl Names for OfOther<'_> {
    fn column(&self, _: u16, _: SqlType) -> Option<String> {
        None
    }

    fn outer(&self, level: u16, slot: u16, ty: SqlType) -> Option<String> {
        if level == 1 { self.0.column(slot, ty) } else { None }
    }
}

impl Explained<'_> {
    /// A query of two tables; what stands above the join is an aggregate of all rows at most.
    pub(super) fn joined_rows(&self, select: &SelectPlan, join: &JoinPlan) -> Option<Tree> {
        if let Some(upper) = select.upper.as_ref().filter(|_| self.schema.is_none() && self.tables.len() == 2) {
            let names = OfBoth { tables: self.tables, join };
            let reads: Vec<&Typed> = upper.input.iter().collect();
            let tree = self.join(join, &names)?.costing(projected(join, &names, &reads, self.major));
            return self.above_join(tree, select, upper, &names);
        }
        let is_plain = select.sort.is_empty() && select.limit.is_none() && select.offset.is_none();
        let is_simple = (is_plain || select.aggregates.is_empty())
            && select.locking.is_none()
            && select.aggregate_order.is_empty()
            && !select.is_general()
            && self.schema.is_none();
        let outputs = select.targets.iter().map(|target| target.value.expr()).collect::<Option<Vec<_>>>()?;
        if !is_simple || self.tables.len() != 2 || outputs.iter().any(|expr| has_query(expr)) {
            return None;
        }
        let names = OfBoth { tables: self.tables, join };
        let tree = self.join(join, &names)?;
        if select.aggregates.is_empty() {
            let all: Vec<&Typed> = outputs.iter().copied().chain(&select.junk).collect();
            let tree = tree.costing(projected(join, &names, &all, self.major));
            let tree = if select.sort.is_empty() { tree } else { self.sorted_join(tree, select, join, &names)? };
            return self.limit(tree, select, &Some);
        }
        let slots = read_slots(select);
        let tree = tree.costing(projected(join, &names, &slots.iter().collect::<Vec<_>>(), self.major));
        let figures = self.aggregated(tree.figures, select);
        Some(Tree::over("Aggregate", tree).costing(figures).counted(Actual::Rows(1)))
    }

    /// Sort, or Incremental Sort, of its rows.
    fn sorted_join(&self, tree: Tree, select: &SelectPlan, join: &JoinPlan, names: &OfBoth<'_>) -> Option<Tree> {
        let is_simple = |expr: &Typed| matches!(expr.node, Node::Slot(_) | Node::Const(_));
        let outputs = select.targets.iter().filter_map(|target| target.value.expr());
        if !outputs.chain(&select.junk).all(is_simple) {
            return None;
        }
        let (keys, presorted) = (&select.sort, select.presorted);
        let bound = limit_and_offset(select).filter(|(count, _)| *count >= 0.0).map(|(count, skip)| count + skip);
        let figures = tree.figures.and_then(|below| {
            let costs = self.tables.first()?.page_costs;
            let cost = match presorted {
                0 => cost::sort_of_width(below.cost, below.rows, below.width, bound, costs)?,
                _ => cost::incremental_sort(below.cost, below.rows, join.groups, bound, self.major),
            };
            Some(Figures { cost, ..below })
        });
        let mut tree = Tree::over(if presorted > 0 { "Incremental Sort" } else { "Sort" }, tree).costing(figures);
        let key = |key: &SortKey| rule(&key.expr, names);
        let directed = |it: &SortKey| Some(key(it)? + direction(it));
        tree.tell_all("Sort Key", keys.iter().map(directed).collect::<Option<Vec<_>>>()?);
        if presorted > 0 {
            tree.tell_all("Presorted Key", keys[..presorted].iter().map(key).collect::<Option<Vec<_>>>()?);
            return Some(tree);
        }
        Some(tree.counted(Actual::Sort(bound.map_or(u64::MAX, |bound| bound as u64))))
    }

    fn join(&self, join: &JoinPlan, names: &OfBoth<'_>) -> Option<Tree> {
        let (node, condition) = match join.node {
            JoinNode::Nested => ("Nested Loop", "Join Filter"),
            JoinNode::Merge => ("Merge", "Merge Cond"),
            JoinNode::Hash => ("Hash", "Hash Cond"),
        };
        let kind = match join.kind {
            JoinSide::Neither if join.node == JoinNode::Nested => "",
            JoinSide::Neither => " Join",
            JoinSide::Outer => " Left Join",
            JoinSide::Inner => " Right Join",
        };
        let mut tree = Tree::new(format!("{node}{kind}")).counted(Actual::Join);
        tree.told.extend(self.disabled(!join.disabled));
        let [outer, inner] = &join.inputs;
        let looks_up = join.looks_up();
        if let Some((left, right)) = join.clause.as_ref().filter(|_| !looks_up) {
            let is_second = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if slot >= join.first);
            let is_turned = join.node != JoinNode::Nested && is_second(left) != (outer.table == 1);
            let (left, right) = if is_turned { (right, left) } else { (left, right) };
            tree.tell(condition, comparison(BinaryOp::Eq, &rule(left, names)?, &rule(right, names)?));
        }
        if !join.filter.is_empty() {
            tree.tell("Filter", joined(&join.filter.iter().collect::<Vec<_>>(), " AND ", names)?);
        }
        let around = looks_up.then_some(outer.table);
        tree.below =
            Vec::from([self.input(outer, join, (0, None), names)?, self.input(inner, join, (1, around), names)?]);
        Some(tree)
    }

    /// One side; `around`: the table whose row it reads.
    fn input(
        &self,
        input: &JoinInput,
        join: &JoinPlan,
        (side, around): (usize, Option<usize>),
        names: &OfBoth<'_>,
    ) -> Option<Tree> {
        let name = |table: usize| join.tables[table].1.as_str();
        let table = self.tables.get(input.table)?;
        let around = around.and_then(|n| Some(OfOther(Prefixed(self.tables.get(n)?, name(n)))));
        let around = around.as_ref().map(|names| -> &dyn Names { names });
        let one = Explained { table: Some(table), alias: Some(name(input.table)), around, ..*self };
        let tree = one.scan(&input.scan, false)?;
        let figures = tree.figures.map(|figures| Figures { width: input.width, ..figures });
        let tree = tree.costing(figures).counted(Actual::SideScan(side, Way::of(&input.scan)));
        let above = |cost: Cost| figures.map(|figures| Figures { cost, ..figures });
        let key = |table: usize| {
            let (left, right) = join.clause.as_ref()?;
            let is_second = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if slot >= join.first);
            rule(if is_second(left) == (table == 1) { left } else { right }, names)
        };
        let tree = match input.between {
            Between::Nothing => return Some(tree),
            Between::Hash => {
                let total = figures.map_or(0.0, |figures| figures.cost.total);
                Tree::over("Hash", tree).costing(above(Cost { startup: total, total }))
            }
            Between::Materialize(cost) => Tree::over("Materialize", tree).costing(above(cost)),
            Between::Sort(cost) => {
                let mut sort = Tree::over("Sort", tree).costing(above(cost));
                sort.told.extend(self.disabled(self.enabled.sort));
                sort.tell_all("Sort Key", Vec::from([key(input.table)?]));
                sort
            }
            Between::Memoize(cost) => {
                let mut memoize = Tree::over("Memoize", tree).costing(above(cost));
                memoize.tell("Cache Key", key(1 - input.table)?);
                memoize.tell("Cache Mode", "logical".to_string());
                memoize
            }
        };
        Some(tree.counted(Actual::Side(side)))
    }
}

fn has_query(expr: &Typed) -> bool {
    expr.any(&|node| matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..)))
}

/// The join with these computed of each row.
fn projected(join: &JoinPlan, names: &OfBoth<'_>, exprs: &[&Typed], major: u32) -> Option<Figures> {
    let each = target_cost(exprs, major).filter(|_| join.is_estimated)?;
    let Cost { startup, total } = join.cost;
    let cost = Cost { startup: startup + each.startup, total: total + each.startup + each.total * join.rows };
    let width = exprs.iter().map(|expr| names.width(expr)).sum::<Option<u32>>()?;
    Some(Figures { cost, rows: join.rows, width })
}
