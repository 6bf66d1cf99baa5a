//! What stands above the joins: in which order rows are wanted, and which way gives them so for least
//! (`create_ordered_paths`, src/backend/optimizer/plan/planner.c); the way as a plan (`create_join_plan`,
//! src/backend/optimizer/plan/createplan.c).

use super::model::{Model, TOP};
use super::paths::kept;
use super::{Clause, JoinRel, JoinWay, PathKey, SpecialKind, Way, WayNode};
use crate::sql::StatementError;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SYSTEM, SortKey, Typed};
use crate::sql::plan::cost::{incremental_sort, sort};
use crate::sql::plan::from::From;
use crate::sql::plan::join::{Planned, bounds};
use crate::sql::plan::path::{Kept, Path, add_path};
use crate::sql::plan::query::{Wanted, limited};
use crate::sql::plan::select::limit_and_offset;
use crate::sql::plan::size::{WORK_MEM, byte_size};
use crate::sql::plan::statement::Planner;
use crate::sql::plan::upper::upper_of_join;
use crate::sql::plan::{
    Between, Cost, JoinDistinct, JoinInput, JoinNode, JoinPlan, JoinSource, JoinTable, Method, SelectPlan, Upper,
};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A way with what is done above it.
struct End {
    way: Arc<Way>,
    price: (u32, Cost),
    presorted: usize,
    groups: f64,
}

impl Kept for End {
    fn price(&self) -> (u32, Cost) {
        self.price
    }

    fn order(&self, _: &Self) -> Option<Ordering> {
        Some(Ordering::Equal)
    }
}

/// What is wanted of the rows.
struct Above {
    keys: Vec<SortKey>,
    limit: Option<(f64, f64)>,
    /// are its rows what is sorted?
    sorts: bool,
}

impl Planner<'_> {
    /// The plan of the query's joins; `written`: all conditions as they were written.
    pub(in crate::sql::plan) fn joins_of(
        &mut self,
        plan: &SelectPlan,
        from: &From,
        written: &[Typed],
    ) -> Result<Option<Planned>, StatementError> {
        let is_run = self.plans_joins && self.fraction.is_none() && !from.is_turned;
        if !self.given.explains && !is_run {
            return Ok(None);
        }
        let settings = (self.catalog.scans(), self.catalog.input());
        let Some(mut model) = Model::of(plan, from, written, settings) else { return Ok(None) };
        if !model.is_plain() {
            return Ok(None);
        }
        self.look_at_ends(&mut model)?;
        Ok(model.planned(plan))
    }

    /// The tables with the ends of their indexes, as far as they are asked for.
    fn look_at_ends(&mut self, model: &mut Model) -> Result<(), StatementError> {
        let mut asked: Vec<Vec<Typed>> = model.bases.iter().map(|base| base.clauses.clone()).collect();
        let mut ask = |one: u16, other: u16| {
            let local = |slot: u16| {
                let base = &model.bases[model.rel_of(slot)];
                (base, Typed { node: Node::Slot(slot - base.start), ty: model.column(slot).ty })
            };
            let ((_, key), (base, other_key)) = (local(one), local(other));
            asked[model.rel_of(one)].extend(bounds(&base.table, &other_key, &key));
        };
        for class in model.classes.iter().filter(|class| !class.is_fixed) {
            for one in &class.members {
                class.members.iter().filter(|other| *other != one).for_each(|other| ask(*one, *other));
            }
        }
        for (one, other, _) in model.clauses.iter().filter_map(|clause| clause.pair) {
            ask(one, other);
            ask(other, one);
        }
        for (n, asked) in asked.iter().enumerate() {
            let table = self.with_ends(&model.bases[n].table, asked)?.into_owned();
            model.bases[n].table = table;
        }
        Ok(())
    }
}

impl Model {
    /// Is there nothing that a server leaves out, or finds out besides?
    fn is_plain(&self) -> bool {
        let is_fixed = |slot: u16| {
            let base = &self.bases[self.rel_of(slot)];
            let column = Typed { node: Node::Slot(slot - base.start), ..self.column(slot) };
            base.clauses.iter().any(|clause| crate::sql::plan::path::fixes(clause, &column))
        };
        let is_whole =
            self.classes.iter().all(|class| !class.is_fixed || class.members.iter().all(|slot| is_fixed(*slot)));
        let own = self.clauses.iter().filter(|clause| clause.own.is_some());
        let is_open = own.filter_map(|clause| clause.pair).all(|(one, other, _)| {
            let of_class = |slot: u16| self.classes.iter().any(|class| class.is_fixed && class.members.contains(&slot));
            !is_fixed(one) && !is_fixed(other) && !of_class(one) && !of_class(other)
        });
        // a table that is joined with itself by its key, and one of an outer join that nobody reads, are left out
        let is_self = |class: &super::Class| {
            let key = |slot: &u16| (self.bases[self.rel_of(*slot)].table.oid, self.local(*slot));
            class
                .members
                .iter()
                .enumerate()
                .any(|(n, one)| class.members[..n].iter().any(|other| key(one) == key(other)))
        };
        let has_one = |class: &super::Class| {
            class
                .members
                .iter()
                .enumerate()
                .all(|(n, one)| class.members[..n].iter().all(|other| self.rel_of(*one) != self.rel_of(*other)))
        };
        let is_needed = |special: &super::Special| {
            let n = special.right.trailing_zeros() as usize;
            let base = &self.bases[n];
            let within = special.min_left | special.right;
            special.kind != SpecialKind::Left
                || !base.table.indexes.iter().any(|index| index.unique)
                || self.needed.iter().any(|(slot, relids)| self.rel_of(*slot) == n && relids & (TOP | !within) != 0)
        };
        is_whole
            && is_open
            && self.classes.iter().all(|class| has_one(class) && !is_self(class))
            && self.specials.iter().all(is_needed)
    }

    fn planned(&mut self, plan: &SelectPlan) -> Option<Planned> {
        let above = self.above(plan)?;
        self.order = above
            .keys
            .iter()
            .map(|key| PathKey {
                class: self.class_of(slot_of(&key.expr).unwrap_or(u16::MAX)),
                descending: key.descending,
                nulls_first: key.nulls_first,
            })
            .collect();
        let rel = self.search()?;
        let (way, presorted, groups) = self.best(&rel, &above)?;
        let WayNode::Join(join) = &way.node else { return None };
        let tables: Arc<[JoinTable]> = self
            .bases
            .iter()
            .map(|base| JoinTable { oid: base.table.oid, name: base.name.clone(), start: base.start })
            .collect();
        let join = JoinPlan { groups, ..self.plan_of(&way, join, &tables)? };
        let keys = if presorted == above.keys.len() { Vec::new() } else { above.keys };
        let sort = above.sorts.then_some((keys, presorted));
        let upper = if plan.is_general() { self.upper(plan, &join, above.limit) } else { None };
        Some(Planned { join, sort, upper })
    }

    fn above(&self, plan: &SelectPlan) -> Option<Above> {
        if plan.locking.is_some() || !plan.windows.is_empty() {
            return None;
        }
        let (is_whole, limit) = (plan.limit.is_none() && plan.offset.is_none(), limit_and_offset(plan));
        let is_known = limit.is_some_and(|(count, _)| count >= 0.0);
        let limit = limit.filter(|_| !is_whole);
        if !is_whole && !is_known {
            return None;
        }
        if plan.is_general() || !plan.aggregates.is_empty() {
            let is_known = is_whole || plan.is_general();
            return (is_known && self.orders_nothing(plan)).then_some(Above { keys: Vec::new(), limit, sorts: false });
        }
        if plan.targets.iter().any(|target| target.value.expr().is_none()) {
            return None;
        }
        let mut keys: Vec<SortKey> = Vec::new();
        for key in &plan.sort {
            let slot = slot_of(&key.expr)?;
            let class = self.class_of(slot);
            let is_same = |known: &SortKey| slot_of(&known.expr).is_some_and(|slot| self.class_of(slot) == class);
            let is_join = class < self.classes.len()
                || self
                    .clauses
                    .iter()
                    .any(|clause| clause.pair.is_some_and(|(one, other, _)| one == slot || other == slot));
            // merge joins may be done the other way round then
            if is_join && (key.descending || key.nulls_first) {
                return None;
            }
            let base = &self.bases[self.rel_of(slot)];
            let column = Typed { node: Node::Slot(slot - base.start), ty: key.expr.ty };
            let is_fixed = base.clauses.iter().any(|clause| crate::sql::plan::path::fixes(clause, &column));
            if !is_fixed && !keys.iter().any(is_same) {
                keys.push(key.clone());
            }
        }
        Some(Above { keys, limit, sorts: true })
    }

    /// Of rows that are grouped: is there no index and no merge join that gives them in an order that helps?
    fn orders_nothing(&self, plan: &SelectPlan) -> bool {
        let outputs = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
        let of_aggregates =
            plan.aggregates.iter().flat_map(|aggregate| aggregate.order.iter().chain(&plan.aggregate_order));
        let keys = plan.sort.iter().chain(of_aggregates).map(|key| &key.expr);
        let all = keys.chain(&plan.group).chain(plan.distinct.iter().flatten()).chain(outputs);
        let mut slots = Vec::new();
        all.for_each(|expr| expr.slots(&mut slots));
        slots.into_iter().all(|slot| {
            let base = &self.bases[self.rel_of(slot)];
            let is_it = |node: &Node| *node == Node::Slot(slot - base.start);
            let leads =
                base.table.indexes.iter().any(|index| index.keys.first().is_some_and(|key| key.expr.any(&is_it)));
            let joins = self.class_of(slot) < self.classes.len()
                || self
                    .clauses
                    .iter()
                    .filter_map(|clause| clause.pair)
                    .any(|(one, other, _)| one == slot || other == slot);
            !leads && !joins
        })
    }

    /// The way that gives the rows for least, how many keys it has sorted, and how many values these have.
    fn best(&self, rel: &JoinRel, above: &Above) -> Option<(Arc<Way>, usize, f64)> {
        let cheapest = rel.total.as_ref()?;
        let mut ends: Vec<End> = Vec::new();
        for way in rel.ways.iter().filter(|way| way.params == 0) {
            let is_cheapest = Arc::ptr_eq(way, cheapest);
            for end in self.ends(way, is_cheapest, above)? {
                add_path(&mut ends, end, above.limit.is_some());
            }
        }
        let key = |end: &End| (end.price.0, end.price.1.total, end.price.1.startup);
        let best = ends.into_iter().reduce(|best, next| if key(&next) < key(&best) { next } else { best })?;
        Some((best.way, best.presorted, best.groups))
    }

    /// As it is, sorted, sorted within groups, or left out.
    fn ends(&self, way: &Arc<Way>, is_cheapest: bool, above: &Above) -> Option<Vec<End>> {
        let presorted = way.keys.iter().zip(&self.order).take_while(|(key, wanted)| key == wanted).count();
        let end = |cost: Cost, presorted: usize, groups: f64| {
            let cost = above.limit.filter(|_| above.sorts).map_or(cost, |limit| limited(cost, way.rows, limit).0);
            End { way: way.clone(), price: (way.disabled, cost), presorted, groups }
        };
        if presorted == above.keys.len() {
            return Some(Vec::from([end(way.cost, presorted, 0.0)]));
        }
        if byte_size(way.rows, way.width) > WORK_MEM || !self.enabled.sort {
            return None;
        }
        let bound = above.limit.map(|(count, offset)| count + offset);
        let mut all = Vec::new();
        let by_groups = presorted > 0 && self.enabled.incremental_sort;
        if is_cheapest && !(by_groups && self.version().sorts_within_groups_only()) {
            all.push(end(sort(way.cost, way.rows, bound), 0, 0.0));
        }
        if by_groups {
            let slots = above.keys[..presorted].iter().map(|key| slot_of(&key.expr)).collect::<Option<Vec<_>>>()?;
            let (groups, _) = self.values(&slots, way.rows)?;
            let cost = incremental_sort(way.cost, way.rows, groups, bound, self.input.major);
            all.push(end(cost, presorted, groups));
        }
        Some(all)
    }

    /// The nodes above the join where rows are grouped; `None`: not known what decides.
    fn upper(&self, plan: &SelectPlan, join: &JoinPlan, limit: Option<(f64, f64)>) -> Option<Upper> {
        let targets = plan.targets.iter().filter_map(|target| target.value.expr()).filter(|_| plan.distinct.is_some());
        let keys: Vec<&Typed> = plan.group.iter().chain(plan.distinct.iter().flatten()).chain(targets).collect();
        let mut slots = Vec::new();
        keys.iter().for_each(|key| plan.over_rows(key).slots(&mut slots));
        let n = self.rel_of(*slots.first()?);
        let base = &self.bases[n];
        let is_fixed = |expr: &&Typed| {
            let Some(slot) = slot_of(expr) else { return false };
            let column = Typed { node: Node::Slot(slot - base.start), ty: expr.ty };
            base.clauses.iter().any(|clause| crate::sql::plan::path::fixes(clause, &column))
        };
        if slots.iter().any(|slot| self.rel_of(*slot) != n) || keys.iter().any(is_fixed) {
            return None;
        }
        let table = self.as_one(n)?;
        let wanted = Wanted {
            table: &table,
            clauses: Vec::new(),
            needed: None,
            system: false,
            order: Vec::new(),
            limit: Some(limit.unwrap_or((f64::MAX, 0.0))).filter(|_| limit.is_some()),
            fraction: None,
            locks: false,
            enabled: self.enabled,
            input: self.input,
            looked_up: None,
        };
        let scan = Path { method: Method::Seq, cost: join.cost, ordered: 0, disabled: 0, rows: join.rows };
        upper_of_join(&wanted, plan, (base.tuples, base.rows), scan)
    }

    /// All tables as one whose columns are where they are in the row, with the indexes of the one with this number.
    fn as_one(&self, n: usize) -> Option<TableInfo> {
        if !self.bases[n].table.extended.is_empty() {
            return None;
        }
        let mut one = TableInfo { stats: Vec::new(), columns: Vec::new(), ..self.bases[n].table.clone() };
        for base in &self.bases {
            let filling = base.table.columns.last()?.clone();
            one.columns.resize(usize::from(base.start), filling);
            one.columns.extend(base.table.columns.iter().cloned());
            let moved = base.table.stats.iter().filter_map(|(node, stats)| match node {
                Node::Slot(slot) => Some((Node::Slot(slot + base.start), stats.clone())),
                _ => None,
            });
            one.stats.extend(moved);
        }
        let start = self.bases[n].start;
        for key in one.indexes.iter_mut().flat_map(|index| &mut index.keys) {
            let Node::Slot(slot) = key.expr.node else { return None };
            key.expr.node = Node::Slot(slot + start);
        }
        Some(one)
    }

    fn plan_of(&self, way: &Way, join: &JoinWay, tables: &Arc<[JoinTable]>) -> Option<JoinPlan> {
        let exprs = |clauses: &[Clause]| clauses.iter().map(|clause| clause.expr.clone()).collect::<Vec<Typed>>();
        let keys = join.keys.iter().map(|key| match &key.expr.node {
            Node::Binary(_, operands) => Some((operands.0.clone(), operands.1.clone())),
            _ => None,
        });
        let [outer, inner] = &join.sides;
        let [mut one, mut other] = [self.input_of(outer, tables)?, self.input_of(inner, tables)?];
        if let Some(cost) = join.sorts[0] {
            one.between = Between::Sort(cost);
        }
        if let Some(cost) = join.sorts[1] {
            other.between = Between::Sort(cost);
        } else if join.keeps_inner {
            other.between = Between::Materialize(kept(inner));
        } else if join.node == JoinNode::Hash {
            other.between = Between::Hash;
        }
        let last = self.bases.last()?;
        Some(JoinPlan {
            tables: tables.clone(),
            width: usize::from(last.start) + last.table.columns.len() + SYSTEM.len(),
            kind: join.kind,
            node: join.node,
            inputs: [one, other],
            keys: keys.collect::<Option<Vec<_>>>()?,
            others: exprs(&join.others),
            cost: way.cost,
            rows: way.rows,
            row_width: way.width,
            groups: 0.0,
            is_estimated: true,
            filter: exprs(&join.above),
            disabled: join.is_disabled,
            is_unique: join.is_unique,
            skips_marks: join.skips_marks,
            looks_up: inner.params & outer.rels != 0,
        })
    }

    fn input_of(&self, way: &Way, tables: &Arc<[JoinTable]>) -> Option<JoinInput> {
        let source = |source| JoinInput {
            source,
            width: way.width,
            columns: self.columns_of(way.rels),
            rows: way.rows,
            distinct: None,
            between: Between::Nothing,
            cached: Vec::new(),
        };
        Some(match &way.node {
            WayNode::Scan(n, path, reads) => {
                source(JoinSource::Scan(*n, Arc::new(self.scan_of(*n, path.clone(), reads))))
            }
            WayNode::Join(join) => source(JoinSource::Join(Arc::new(self.plan_of(way, join, tables)?))),
            WayNode::Material(below) => {
                JoinInput { between: Between::Materialize(way.cost), ..self.input_of(below, tables)? }
            }
            WayNode::Memoize(below, slots) => JoinInput {
                between: Between::Memoize(way.cost),
                cached: slots.iter().map(|slot| self.column(*slot)).collect(),
                ..self.input_of(below, tables)?
            },
            WayNode::Same(below) => self.input_of(below, tables)?,
            WayNode::Unique(below, slots, hashed) => {
                let columns = slots.iter().map(|slot| self.column(*slot)).collect();
                let sorted = self.sorted(below, crate::sql::plan::join::Part::WHOLE, true)?.1;
                let sort = sorted.filter(|_| !hashed);
                let distinct = JoinDistinct { columns, sort, cost: way.cost, rows: way.rows };
                let below = self.input_of(below, tables)?;
                JoinInput { distinct: Some(distinct), rows: way.rows, ..below }
            }
        })
    }
}

fn slot_of(expr: &Typed) -> Option<u16> {
    if let Node::Slot(slot) = expr.node { Some(slot) } else { None }
}
