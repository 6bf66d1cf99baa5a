//! What stands above the joins: in which order rows are wanted, and which way gives them so for least
//! (`create_ordered_paths`, src/backend/optimizer/plan/planner.c).

use super::model::{Model, TOP};
use super::plan::Planned;
use super::rows::Find;
use super::selfuncs::bounds;
use super::{JoinRel, PathKey, SpecialKind, Way, WayNode};
use crate::sql::StatementError;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::cost::{incremental_sort, sort};
use crate::sql::plan::from::From;
use crate::sql::plan::path::{Kept, add_path};
use crate::sql::plan::query::limited;
use crate::sql::plan::select::limit_and_offset;
use crate::sql::plan::size::{WORK_MEM, byte_size, typavgwidth};
use crate::sql::plan::source::{Semi, Source};
use crate::sql::plan::statement::Planner;
use crate::sql::plan::upper_keys::query_order;
use crate::sql::plan::{Cost, JoinPlan, JoinTable, SelectPlan};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::SqlType;

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
    /// are they grouped, or made distinct?
    groups: bool,
}

impl Planner<'_> {
    /// The plan of the query's joins; `written`: all conditions as they were written.
    pub(in crate::sql::plan) fn joins_of(
        &mut self,
        plan: &SelectPlan,
        from: &From,
        written: &[Typed],
    ) -> Result<Option<Planned>, StatementError> {
        let is_run = self.plans_joins && self.fraction.is_none();
        if !self.given.explains && !is_run {
            return Ok(None);
        }
        let settings = (self.catalog.scans(), self.catalog.input());
        let catalog = &*self.catalog;
        let find = |table| catalog.table_of(table);
        let changes = (&find as &Find<'_>, self.changes_rows);
        let Some(mut model) = Model::of(plan, from, written, settings, changes) else { return Ok(None) };
        if !model.is_plain() {
            return Ok(None);
        }
        // a FULL JOIN reads all of both sides
        if !model.specials.iter().any(|special| special.full) {
            self.look_at_ends(&mut model)?;
        }
        let is_inner = |source: &Source| !source.keeps_left && source.semi != Some(Semi::HasNot);
        let on = plan.sources.iter().filter(|source| source.semi.is_some()).flat_map(|source| &source.on);
        let all = plan.sources.iter().all(is_inner).then(|| written.iter().chain(on).cloned().collect());
        Ok(model.planned(plan).map(|planned| Planned { join: JoinPlan { written: all, ..planned.join }, ..planned }))
    }

    /// The tables with the ends of their indexes, as far as they are asked for.
    fn look_at_ends(&mut self, model: &mut Model) -> Result<(), StatementError> {
        let mut asked: Vec<Vec<Typed>> = model.bases.iter().map(|base| base.clauses.clone()).collect();
        let mut ask = |one: u16, other: u16| {
            let local = |slot: u16| (&model.bases[model.rel_of(slot)], model.local_column(slot));
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
        let is_fixed = |slot: u16| self.is_fixed(slot);
        let is_whole =
            self.classes.iter().all(|class| !class.is_fixed || class.members.iter().all(|slot| is_fixed(*slot)));
        let own = self.clauses.iter().filter(|clause| clause.own.is_some());
        let is_open = own.filter_map(|clause| clause.pair).all(|(one, other, _)| {
            let of_class = |slot: u16| self.classes.iter().any(|class| class.is_fixed && class.members.contains(&slot));
            !is_fixed(one) && !is_fixed(other) && !of_class(one) && !of_class(other)
        });
        // a table that is joined with itself by its key, and one of an outer join that nobody reads, are left out
        let is_self = |class: &super::Class| {
            let base = |slot: u16| &self.bases[self.rel_of(slot)];
            let key = |slot: &u16| (base(*slot).table.oid, self.local_column(*slot).node);
            // the table that is changed is never left out
            let is_left = |slot: u16| base(slot).source.is_none() && self.changed != Some(self.rel_of(slot));
            let is_same = |one: u16, other: u16| key(&one) == key(&other) && is_left(one) && is_left(other);
            let has_same = |n: usize, one: &u16| class.members[..n].iter().any(|other| is_same(*one, *other));
            class.members.iter().enumerate().any(|(n, one)| has_same(n, one) && self.is_unique(*one))
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
            let within = special.min_left | special.right;
            let own = self.clauses.iter().filter(|clause| clause.own.is_some() && clause.required == within);
            let known = own.filter_map(|clause| clause.pair).flat_map(|(one, other, _)| [one, other]);
            special.full
                || special.kind != SpecialKind::Left
                || self.changed.is_some()
                || !self.is_unique_in(n, &known.collect::<Vec<_>>())
                || self.needed.iter().any(|(slot, relids)| self.rel_of(*slot) == n && relids & (TOP | !within) != 0)
                || self.clauses.iter().any(|clause| clause.own.is_none() && clause.reads & 1 << n != 0)
        };
        is_whole
            && is_open
            && self.classes.iter().all(|class| has_one(class) && !is_self(class))
            && self.specials.iter().all(is_needed)
    }

    fn planned(&mut self, plan: &SelectPlan) -> Option<Planned> {
        let above = self.above(plan)?;
        // in the order of an expression nothing is read
        let key = |key: &SortKey| {
            let class = self.class_of(slot_of(&key.expr)?);
            Some(PathKey { class, descending: key.descending, nulls_first: key.nulls_first })
        };
        self.order = above.keys.iter().map_while(key).collect();
        let rel = self.search()?;
        let grouped = if above.groups { self.grouped(plan, &rel, &above.keys, above.limit) } else { None };
        if above.groups && grouped.is_none() && !above.keys.is_empty() {
            return None;
        }
        let (way, presorted, groups, upper) = match grouped {
            Some((way, upper)) => (way, 0, 0.0, Some(upper)),
            None => {
                let (way, presorted, groups) = self.best(&rel, &above)?;
                (way, presorted, groups, None)
            }
        };
        let WayNode::Join(join) = &way.node else { return None };
        let tables: Arc<[JoinTable]> = self
            .bases
            .iter()
            .map(|base| JoinTable {
                oid: base.table.oid,
                name: base.shown().into(),
                start: base.start,
                rows: base.source.is_some().then(|| Arc::new(base.table.clone())),
            })
            .collect();
        let places = self.changed.map_or(0, |_| self.bases.iter().filter(|base| base.source.is_none()).count() - 1);
        let beside = places as u32 * typavgwidth(SqlType::TID) + self.whole_width(rel.rels);
        let join = JoinPlan { groups, beside, ..self.plan_of(&way, join, &tables)? };
        let keys = if presorted == above.keys.len() { Vec::new() } else { above.keys };
        let sort = above.sorts.then_some((keys, presorted));
        Some(Planned { join, sort, upper })
    }

    fn above(&self, plan: &SelectPlan) -> Option<Above> {
        if plan.locking.is_some() {
            return None;
        }
        let (is_whole, limit) = (plan.limit.is_none() && plan.offset.is_none(), limit_and_offset(plan));
        let is_known = limit.is_some_and(|(count, _)| count >= 0.0);
        let limit = limit.filter(|_| !is_whole);
        if !is_whole && !is_known {
            return None;
        }
        let above = |keys: Vec<SortKey>, sorts: bool, groups: bool| Above { keys, limit, sorts, groups };
        if plan.is_general() {
            let keys = if self.orders_nothing(plan) { Vec::new() } else { query_order(plan, &[], self.input.major) };
            return (!self.is_turned(&keys)).then(|| above(keys, false, true));
        }
        if !plan.aggregates.is_empty() {
            return (is_whole && self.orders_nothing(plan)).then(|| above(Vec::new(), false, false));
        }
        if plan.targets.iter().any(|target| target.value.expr().is_none()) {
            return None;
        }
        let mut keys: Vec<SortKey> = Vec::new();
        for key in &plan.sort {
            let class = slot_of(&key.expr).map(|slot| self.class_of(slot));
            let is_same = |known: &SortKey| match class {
                Some(class) => slot_of(&known.expr).is_some_and(|slot| self.class_of(slot) == class),
                None => known.expr.node == key.expr.node,
            };
            let is_fixed = slot_of(&key.expr).is_some_and(|slot| self.is_fixed(slot));
            if !is_fixed && !keys.iter().any(is_same) {
                keys.push(key.clone());
            }
        }
        (!self.is_turned(&keys)).then(|| above(keys, true, false))
    }

    /// May merge joins be done the other way round, for that order?
    fn is_turned(&self, keys: &[SortKey]) -> bool {
        let is_join = |key: &SortKey| slot_of(&key.expr).is_some_and(|slot| self.joins(slot));
        keys.first().is_some_and(is_join) && keys.iter().any(|key| is_join(key) && (key.descending || key.nulls_first))
    }

    /// Is the column equal to one of another relation?
    pub fn joins(&self, slot: u16) -> bool {
        let mut pairs = self.clauses.iter().filter_map(|clause| clause.pair);
        self.class_of(slot) < self.classes.len() || pairs.any(|(one, other, _)| one == slot || other == slot)
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
}

/// The column that it is.
pub(super) fn slot_of(expr: &Typed) -> Option<u16> {
    if let Node::Slot(slot) = expr.node { Some(slot) } else { None }
}
