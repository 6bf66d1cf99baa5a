//! Joins as EXPLAIN prints them (`ExplainNode`, src/backend/commands/explain.c).

use super::actual::{Actual, Way};
use super::figures::{Figures, target_cost};
use super::format::Shape;
use super::upper::direction;
use super::{Explained, Told, Tree, joined, read_slots};
use crate::cluster::ddl::quote_identifier;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::cost;
use crate::sql::plan::select::limit_and_offset;
use crate::sql::plan::size::{typavgwidth, width_of};
use crate::sql::plan::{
    Between, Cost, JoinDistinct, JoinInput, JoinNode, JoinPlan, JoinSide, JoinSource, SelectPlan, SortTarget, Source,
    SourceRows,
};
use crate::sql::ruleutils::{Names, Prefixed, comparison, rule};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Names of the columns of all tables, behind those of the tables.
struct OfAll<'a> {
    tables: &'a [TableInfo],
    join: &'a JoinPlan,
    plans: &'a dyn Names,
}

impl OfAll<'_> {
    /// The table of a slot, and the slot there.
    fn place(&self, slot: u16) -> Option<(&TableInfo, &str, u16)> {
        let n = self.join.table_of(slot);
        let known = self.join.tables.get(n)?;
        Some((self.tables.get(n)?, &known.name, slot - known.start))
    }

    fn width(&self, expr: &Typed) -> Option<u32> {
        let Node::Slot(slot) = expr.node else { return Some(typavgwidth(expr.ty)) };
        let (table, _, slot) = self.place(slot)?;
        Some(width_of(&Typed { node: Node::Slot(slot), ty: expr.ty }, table))
    }
}

impl Names for OfAll<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        let (table, name, slot) = self.place(slot)?;
        Prefixed(table, name).column(slot, ty)
    }

    fn is_of_domain(&self, slot: u16) -> bool {
        self.place(slot).is_some_and(|(table, _, slot)| table.is_of_domain(slot))
    }

    fn outer(&self, level: u16, slot: u16, ty: SqlType) -> Option<String> {
        self.plans.outer(level, slot, ty)
    }
}

/// Names of the columns of the outer side's tables, whose row a scan reads.
struct OfOuter<'a>(&'a OfAll<'a>);

impl Names for OfOuter<'_> {
    fn column(&self, _: u16, _: SqlType) -> Option<String> {
        None
    }

    fn outer(&self, level: u16, slot: u16, ty: SqlType) -> Option<String> {
        if level == 1 { self.0.column(slot, ty) } else { None }
    }
}

impl Explained<'_> {
    /// A query of several tables.
    pub(super) fn joined_rows(&self, select: &SelectPlan, join: &JoinPlan) -> Option<Tree> {
        // what the columns of such a query are made of is not told
        if select.sources.iter().any(|source| {
            source.types.len() > 1 && source.semi.is_some() && !matches!(source.rows, SourceRows::Table(_))
        }) {
            return None;
        }
        if let Some(upper) =
            select.upper.as_ref().filter(|_| self.schema.is_none() && self.tables.len() == join.tables.len())
        {
            let names = OfAll { tables: self.tables, join, plans: self };
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
        if !is_simple || self.tables.len() != join.tables.len() || outputs.iter().any(|expr| has_query(expr)) {
            return None;
        }
        let names = OfAll { tables: self.tables, join, plans: self };
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
        let tree = Tree::over("Aggregate", tree).costing(figures).counted(Actual::Rows(1));
        Some(tree.shaped(Shape::aggregate("Plain")))
    }

    /// The rows of a join that are changed, with what they are tried again by.
    pub(super) fn changed_rows(&self, select: &SelectPlan) -> Option<Tree> {
        let tree = self.select(select)?;
        let beside = select.join.as_ref().map_or(0, |join| join.beside);
        let figures = tree.figures.map(|figures| Figures { width: figures.width + beside, ..figures });
        Some(tree.costing(figures))
    }

    /// Sort, or Incremental Sort, of its rows.
    fn sorted_join(&self, tree: Tree, select: &SelectPlan, join: &JoinPlan, names: &OfAll<'_>) -> Option<Tree> {
        let is_simple = |expr: &Typed| matches!(expr.node, Node::Slot(_) | Node::Const(_));
        let outputs = select.targets.iter().filter_map(|target| target.value.expr());
        let places = select.sort_targets(self.major);
        if places.iter().zip(outputs).any(|(place, expr)| *place == SortTarget::Above && !is_simple(expr)) {
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
        let key = |key: &SortKey| sorted_by(&key.expr, names);
        let directed = |it: &SortKey| Some(key(it)? + direction(it));
        tree.tell_all("Sort Key", keys.iter().map(directed).collect::<Option<Vec<_>>>()?);
        if presorted > 0 {
            tree.tell_all("Presorted Key", keys[..presorted].iter().map(key).collect::<Option<Vec<_>>>()?);
            return Some(tree);
        }
        Some(tree.counted(Actual::Sort(bound.map_or(u64::MAX, |bound| bound as u64))))
    }

    fn join(&self, join: &JoinPlan, names: &OfAll<'_>) -> Option<Tree> {
        let (node, condition) = match join.node {
            JoinNode::Nested => ("Nested Loop", None),
            JoinNode::Merge => ("Merge", Some("Merge Cond")),
            JoinNode::Hash => ("Hash", Some("Hash Cond")),
        };
        let kind = match join.kind {
            JoinSide::Neither => "Inner",
            JoinSide::Outer => "Left",
            JoinSide::Inner => "Right",
            JoinSide::Full => "Full",
            JoinSide::Semi => "Semi",
            JoinSide::Anti => "Anti",
            JoinSide::RightSemi => "Right Semi",
            JoinSide::RightAnti => "Right Anti",
        };
        let line = match join.kind {
            JoinSide::Neither if join.node == JoinNode::Nested => node.to_string(),
            JoinSide::Neither => format!("{node} Join"),
            _ => format!("{node} {kind} Join"),
        };
        let shape = Shape::of(match join.node {
            JoinNode::Nested => "Nested Loop",
            JoinNode::Merge => "Merge Join",
            JoinNode::Hash => "Hash Join",
        });
        let shape = Shape { after: Vec::from([("Join Type", kind.to_string())]), ..shape };
        let mut tree = Tree::new(line).counted(Actual::Join).shaped(shape);
        tree.told.extend(self.disabled(!join.disabled));
        tree.told.push(Told::Flag("Inner Unique", join.is_unique));
        let [outer, inner] = &join.inputs;
        let of_outer = outer.tables();
        let is_outer = |expr: &Typed| join.is_of(&of_outer, expr);
        let equality = |(left, right): &(Typed, Typed)| {
            let (left, right) = if is_outer(left) { (left, right) } else { (right, left) };
            Some(comparison(BinaryOp::Eq, &rule(left, names)?, &rule(right, names)?))
        };
        let keys = join.keys.iter().map(equality).collect::<Option<Vec<String>>>()?;
        if let Some(condition) = condition {
            let is_one = keys.len() == 1;
            let all = keys.join(" AND ");
            tree.tell(condition, if is_one { all } else { format!("({all})") });
        }
        if !join.others.is_empty() {
            tree.tell("Join Filter", joined(&join.others.iter().collect::<Vec<_>>(), " AND ", names)?);
        }
        if !join.filter.is_empty() {
            tree.tell("Filter", joined(&join.filter.iter().collect::<Vec<_>>(), " AND ", names)?);
        }
        let reads = |side: usize| side == 1 && join.looks_up;
        tree.below = Vec::from([self.input(outer, (0, reads(0)), names)?, self.input(inner, (1, reads(1)), names)?]);
        let keys = |side: usize| {
            let texts = join.keys_of(side).iter().map(|key| sorted_by(key, names)).collect::<Option<Vec<_>>>()?;
            let mut all: Vec<String> = Vec::new();
            texts.into_iter().for_each(|text| {
                if !all.contains(&text) {
                    all.push(text)
                }
            });
            Some(all)
        };
        for (side, below) in tree.below.iter_mut().enumerate() {
            if matches!(join.inputs[side].between, Between::Sort(_)) {
                below.tell_all("Sort Key", keys(side)?);
            }
        }
        Some(tree)
    }

    /// One side; does it read the outer row?
    fn input(&self, input: &JoinInput, (side, reads): (usize, bool), names: &OfAll<'_>) -> Option<Tree> {
        let outer = OfOuter(names);
        let around: Option<&dyn Names> = if reads { Some(&outer) } else { None };
        let mut tree = match &input.source {
            JoinSource::Join(join) => {
                let tree = self.join(join, names)?.counted(Actual::SideJoin(side));
                let (cost, rows, width) = (join.cost, join.rows, join.row_width);
                tree.costing(Some(Figures { cost, rows, width }))
            }
            JoinSource::Scan(n, scan) => {
                let (table, known) = (self.tables.get(*n)?, names.join.tables.get(*n)?);
                let one = Explained { table: Some(table), alias: Some(&known.name), around, ..*self };
                let tree = one.scan(scan, false)?;
                let figures = tree.figures.map(|figures| Figures { width: input.width, ..figures });
                tree.costing(figures).counted(Actual::SideScan(side, Way::of(scan)))
            }
            JoinSource::Rows(n, plan, cost) => {
                let tree = match &plan.sources[..] {
                    [Source { rows: SourceRows::Values(_), filter, .. }] if filter.is_empty() => {
                        Tree::new("Values Scan on \"*VALUES*\"")
                    }
                    [Source { rows: SourceRows::Common(_) | SourceRows::Values(_), .. }] => return None,
                    [Source { rows: SourceRows::Series(series), filter, .. }] if filter.is_empty() => {
                        function_scan(series.name(), &names.join.tables.get(*n)?.name)
                    }
                    [Source { rows: SourceRows::Function(function, _), filter, .. }] if filter.is_empty() => {
                        function_scan(function, &names.join.tables.get(*n)?.name)
                    }
                    _ => {
                        let name = quote_identifier(&names.join.tables.get(*n)?.name);
                        Tree::over(&format!("Subquery Scan on {name}"), self.nested(plan, false)?)
                    }
                };
                tree.costing(Some(Figures { cost: *cost, rows: input.rows, width: input.width }))
            }
        };
        if let Some(distinct) = &input.distinct {
            tree = self.distinct(tree, distinct, side, names)?;
        }
        let figures = tree.figures;
        let above = |cost: Cost| figures.map(|figures| Figures { cost, ..figures });
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
                sort
            }
            Between::Memoize(cost) => {
                let mut memoize = Tree::over("Memoize", tree).costing(above(cost));
                let keys = input.cached.iter().map(|key| rule(key, names)).collect::<Option<Vec<String>>>()?;
                memoize.tell("Cache Key", keys.join(", "));
                memoize.tell("Cache Mode", "logical".to_string());
                memoize
            }
        };
        Some(tree.counted(Actual::Side(side)))
    }

    /// Rows that are made distinct: HashAggregate, or Unique of a Sort.
    fn distinct(&self, below: Tree, distinct: &JoinDistinct, side: usize, names: &OfAll<'_>) -> Option<Tree> {
        let keys = distinct.columns.iter().map(|key| rule(key, names)).collect::<Option<Vec<String>>>()?;
        let figures = below.figures.map(|figures| Figures { cost: distinct.cost, rows: distinct.rows, ..figures });
        let Some(cost) = distinct.sort else {
            let mut tree = Tree::over("HashAggregate", below).costing(figures).shaped(Shape::aggregate("Hashed"));
            tree.tell_all("Group Key", keys);
            return Some(tree.counted(Actual::SideDistinct(side)));
        };
        let sorted = below.figures.map(|figures| Figures { cost, ..figures });
        let mut sort = Tree::over("Sort", below).costing(sorted);
        sort.tell_all("Sort Key", keys);
        Some(Tree::over("Unique", sort).costing(figures))
    }
}

/// What rows are sorted by: what is computed below stands in parentheses.
fn sorted_by(key: &Typed, names: &OfAll<'_>) -> Option<String> {
    let text = rule(key, names)?;
    Some(if matches!(key.node, Node::Slot(_)) { text } else { format!("({text})") })
}

fn has_query(expr: &Typed) -> bool {
    expr.any(&|node| matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..)))
}

/// The join with these computed of each row.
fn projected(join: &JoinPlan, names: &OfAll<'_>, exprs: &[&Typed], major: u32) -> Option<Figures> {
    let each = target_cost(exprs, major)?;
    let Cost { startup, total } = join.cost;
    let cost = Cost { startup: startup + each.startup, total: total + each.startup + each.total * join.rows };
    let width = exprs.iter().map(|expr| names.width(expr)).sum::<Option<u32>>()?;
    Some(Figures { cost, rows: join.rows, width })
}

fn function_scan(function: &str, alias: &str) -> Tree {
    let shown = if alias == function { String::new() } else { format!(" {}", quote_identifier(alias)) };
    let after = Vec::from([("Function Name", function.to_string()), ("Alias", alias.to_string())]);
    let tree = Tree::new(format!("Function Scan on {}{shown}", quote_identifier(function)));
    tree.shaped(Shape { after, ..Shape::of("Function Scan") })
}
