//! The ways to read one relation, alone and for each row of another one (`create_index_paths`,
//! src/backend/optimizer/path/indxpath.c; `build_index_pathkeys`, `truncate_useless_pathkeys`,
//! src/backend/optimizer/path/pathkeys.c), and which of several ways are kept (`add_path`).

use super::model::{Base, Model};
use super::{Clause, JoinRel, PathKey, Relids, SpecialKind, Way, WayNode};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::IndexInfo;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::path::{Costs, FUZZ, LookedUp, Path, TIE, compare, fixes};
use crate::sql::plan::query::Wanted;
use crate::sql::plan::{Cost, Method, Scan};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::SqlType;

impl Model {
    /// A relation alone.
    pub fn base_rel(&self, n: usize) -> Option<JoinRel> {
        let base = &self.bases[n];
        let rels = 1 << n;
        let width = self.width_of(rels);
        let mut rel = JoinRel { rels, rows: base.rows, width, ways: Vec::new(), startup: None, total: None };
        self.add_scans(&mut rel, n);
        for other in (0..self.bases.len()).filter(|other| *other != n) {
            self.add_lookups(&mut rel, n, other)?;
        }
        rel.choose();
        Some(rel)
    }

    fn wanted<'a>(&'a self, base: &'a Base, order: Vec<SortKey>, clauses: Vec<Typed>) -> Wanted<'a> {
        let columns = base.table.columns.len();
        Wanted {
            table: &base.table,
            clauses,
            needed: Some(base.needed.clone()),
            system: base.needed.iter().any(|slot| usize::from(*slot) >= columns),
            order,
            limit: self.is_limited.then_some((-1.0, 0.0)),
            fraction: None,
            locks: false,
            enabled: self.enabled,
            input: self.input,
            looked_up: None,
        }
    }

    /// Scans in each order that may help.
    fn add_scans(&self, rel: &mut JoinRel, n: usize) {
        let base = &self.bases[n];
        let ascending = |slot: u16| SortKey {
            expr: Typed { node: Node::Slot(slot), ..self.column(base.start + slot) },
            descending: false,
            nulls_first: false,
        };
        let mut orders: Vec<Vec<SortKey>> = Vec::from([Vec::new()]);
        let mut leading: Vec<u16> = Vec::new();
        for key in base.table.indexes.iter().flat_map(|index| &index.keys) {
            if let Node::Slot(slot) = key.expr.node
                && !leading.contains(&slot)
            {
                leading.push(slot);
                orders.push(Vec::from([ascending(slot)]));
            }
        }
        let local = |key: &PathKey| {
            let slot = self.slots_of(key.class).into_iter().find(|slot| self.rel_of(*slot) == n)?;
            let slot = slot.checked_sub(base.start).filter(|slot| usize::from(*slot) < base.slots())?;
            Some(SortKey { descending: key.descending, nulls_first: key.nulls_first, ..ascending(slot) })
        };
        orders.push(self.order.iter().map_while(local).collect());
        let mut found: Vec<Path> = Vec::new();
        if let Some(rows) = &base.source {
            let each = crate::sql::plan::cost::quals(&base.clauses, self.input.major);
            let cost = Cost {
                startup: rows.cost.startup + each.startup,
                total: rows.cost.total + each.startup + each.total * rows.count,
            };
            orders.clear();
            found.push(Path { method: Method::Seq, cost, ordered: 0, disabled: 0, rows: base.rows });
        }
        for order in orders {
            for path in self.wanted(base, order, base.clauses.clone()).scans() {
                if !found.iter().any(|known| known.method == path.method) {
                    found.push(path);
                }
            }
        }
        found.sort_by(|one, other| {
            (one.disabled, one.cost.total)
                .partial_cmp(&(other.disabled, other.cost.total))
                .unwrap_or(core::cmp::Ordering::Equal)
        });
        for path in found {
            let keys = self.useful(self.keys_of(n, &path.method), rel.rels);
            let way = Way {
                rels: rel.rels,
                params: 0,
                cost: path.cost,
                rows: path.rows,
                width: rel.width,
                disabled: path.disabled,
                keys,
                node: WayNode::Scan(n, path, Vec::new()),
            };
            self.add(rel, way);
        }
    }

    /// The columns of a class.
    pub fn slots_of(&self, class: usize) -> Vec<u16> {
        match self.classes.get(class) {
            Some(class) => class.members.clone(),
            None => Vec::from([(class - self.classes.len()) as u16]),
        }
    }

    /// `build_index_pathkeys`
    fn keys_of(&self, n: usize, method: &Method) -> Vec<PathKey> {
        let base = &self.bases[n];
        let Method::Index(scan) = method else { return Vec::new() };
        let Some(index) = base.table.index(scan.index).filter(|it| it.gist.is_none() && it.brin.is_none()) else {
            return Vec::new();
        };
        let mut keys: Vec<PathKey> = Vec::new();
        for key in &index.keys {
            let Node::Slot(slot) = key.expr.node else { break };
            if base.clauses.iter().any(|clause| fixes(clause, &key.expr)) {
                continue;
            }
            if key.pattern {
                break;
            }
            let class = self.class_of(base.start + slot);
            if !keys.iter().any(|known| known.class == class) {
                let (descending, nulls_first) = (key.descending != scan.backward, key.nulls_first != scan.backward);
                keys.push(PathKey { class, descending, nulls_first });
            }
        }
        keys
    }

    /// `truncate_useless_pathkeys`
    pub fn useful(&self, mut keys: Vec<PathKey>, rels: Relids) -> Vec<PathKey> {
        let ordering = keys.iter().zip(&self.order).take_while(|(key, wanted)| key == wanted).count();
        let merges = |key: &&PathKey| {
            let wanted = self.order.iter().find(|wanted| wanted.class == key.class);
            let is_turned = wanted.map_or(key.descending, |wanted| wanted.descending != key.descending);
            !is_turned && self.joins_further(key.class, rels)
        };
        let merging = keys.iter().take_while(merges).count();
        keys.truncate(ordering.max(merging));
        keys
    }

    /// `eclass_useful_for_merging`, or a condition of an outer join over that column.
    fn joins_further(&self, class: usize, rels: Relids) -> bool {
        if let Some(class) = self.classes.get(class) {
            return !class.is_fixed && class.relids & !rels != 0 || self.own_joins(&class.members, rels);
        }
        self.own_joins(&self.slots_of(class), rels)
    }

    fn own_joins(&self, slots: &[u16], rels: Relids) -> bool {
        self.clauses.iter().any(|clause| {
            let is_side = |(one, other, _): (u16, u16, SqlType)| slots.contains(&one) || slots.contains(&other);
            clause.required & !rels != 0 && clause.pair.is_some_and(is_side)
        })
    }

    /// The equality of a class between two columns, as it was made first (`create_join_clause`).
    pub fn derived(&self, class: usize, one: u16, other: u16) -> Clause {
        let mut known = self.derived.borrow_mut();
        let commutes = self.version().takes_commuted_clauses();
        let at = known
            .iter()
            .find(|(left, right)| (*left, *right) == (one, other) || commutes && (*left, *right) == (other, one));
        let (left, right) = at.copied().unwrap_or_else(|| {
            known.push((one, other));
            (one, other)
        });
        let node = Node::Binary(BinaryOp::Eq, Box::new((self.column(left), self.column(right))));
        let reads = 1 << self.rel_of(left) | 1 << self.rel_of(right);
        Clause {
            expr: Typed { node, ty: SqlType::BOOL },
            pair: Some((left, right, self.column(left).ty)),
            reads,
            required: reads,
            own: None,
            class: Some(class),
        }
    }

    /// Equalities that indexes of a relation may be asked are made before those of joins.
    pub fn derive_for_indexes(&self, n: usize) {
        let base = &self.bases[n];
        for key in base.table.indexes.iter().flat_map(|index| &index.keys) {
            let Node::Slot(slot) = key.expr.node else { continue };
            let slot = base.start + slot;
            for (number, class) in self.classes.iter().enumerate() {
                if !class.is_fixed && class.members.contains(&slot) {
                    let others = class.members.iter().filter(|other| self.rel_of(**other) != n);
                    others.for_each(|other| drop(self.derived(number, slot, *other)));
                }
            }
        }
    }

    /// What rows of a relation can be asked where the row of another one is known (`get_baserel_parampathinfo`).
    fn movable(&self, n: usize, other: usize) -> Vec<Clause> {
        let base = &self.bases[n];
        let both = 1 << n | 1 << other;
        let is_movable = |clause: &&Clause| {
            let reads_both = clause.reads == both;
            let of_outer = clause.own.is_some_and(|own| self.specials[own].right & 1 << n == 0);
            let is_nullable = clause.own.is_none()
                && self.specials.iter().any(|it| it.kind == SpecialKind::Left && it.right & clause.reads != 0);
            reads_both && !of_outer && !is_nullable
        };
        let mut all: Vec<Clause> = self.clauses.iter().filter(is_movable).cloned().collect();
        for (number, class) in self.classes.iter().enumerate().filter(|(_, class)| !class.is_fixed) {
            let of = |n: usize| class.members.iter().copied().find(|slot| self.rel_of(*slot) == n);
            if let (Some(own), Some(further)) = (of(n), of(other)) {
                // an index is asked for its column first
                let is_key = base
                    .table
                    .indexes
                    .iter()
                    .flat_map(|index| &index.keys)
                    .any(|key| key.expr.node == self.local_column(own).node);
                let (one, two) = if is_key { (own, further) } else { (further, own) };
                all.push(self.derived(number, one, two));
            }
        }
        all
    }

    /// Is there an index that may be asked for a row of the other one (`consider_index_join_clauses`)?
    fn looks_up(&self, n: usize, other: usize) -> bool {
        let base = &self.bases[n];
        let both = 1 << n | 1 << other;
        let is_asked = |slot: u16| {
            let class = self.classes.iter().find(|class| !class.is_fixed && class.members.contains(&slot));
            let by_clause = |clause: &Clause| {
                let mut slots = Vec::new();
                clause.expr.slots(&mut slots);
                clause.reads == both && slots.contains(&slot)
            };
            class.is_some_and(|class| class.relids & 1 << other != 0) || self.clauses.iter().any(by_clause)
        };
        base.table.indexes.iter().flat_map(|index| &index.keys).any(|key| {
            let mut slots = Vec::new();
            key.expr.slots(&mut slots);
            slots.into_iter().any(|slot| is_asked(base.start + slot))
        })
    }

    /// The scan, of which these are asked besides.
    pub fn scan_of(&self, n: usize, path: Path, reads: &[Clause]) -> Scan {
        self.wanted(&self.bases[n], Vec::new(), self.asked(n, reads)).scan_of(path)
    }

    fn asked(&self, n: usize, reads: &[Clause]) -> Vec<Typed> {
        let read = |clause: &Clause| shift_own(clause.expr.clone(), self, n);
        reads.iter().map(read).chain(self.bases[n].clauses.iter().cloned()).collect()
    }

    /// Scans of the relation for a row of another one.
    fn add_lookups(&self, rel: &mut JoinRel, n: usize, other: usize) -> Option<()> {
        if !self.looks_up(n, other) {
            return Some(());
        }
        let base = &self.bases[n];
        let reads = self.movable(n, other);
        if reads.is_empty() {
            return Some(());
        }
        self.check_several(n, &reads)?;
        let mut wanted = self.wanted(base, Vec::new(), self.asked(n, &reads));
        let is_semi = self.specials.iter().any(|it| it.kind != SpecialKind::Left && it.right == rel.rels);
        wanted.limit = None;
        wanted.fraction = is_semi.then_some(1.0);
        wanted.looked_up = Some(LookedUp { clauses: reads.len(), loops: self.loops(n, other)? });
        for path in wanted.scans() {
            let way = Way {
                rels: rel.rels,
                params: 1 << other,
                cost: path.cost,
                rows: path.rows.min(rel.rows),
                width: rel.width,
                disabled: path.disabled,
                keys: Vec::new(),
                node: WayNode::Scan(n, path, reads.clone()),
            };
            self.add(rel, way);
        }
        Some(())
    }

    /// An index that is asked for columns of two other relations together is a way that is not looked for.
    fn check_several(&self, n: usize, reads: &[Clause]) -> Option<()> {
        let base = &self.bases[n];
        let of_one: Relids = reads.iter().fold(0, |all, clause| all | clause.reads);
        let others = |index: &IndexInfo| {
            let others = index.keys.iter().filter_map(|key| match key.expr.node {
                Node::Slot(slot) => Some(base.start + slot),
                _ => None,
            });
            let mut rels: Relids = 0;
            for slot in others {
                let class = self.classes.iter().find(|class| class.members.contains(&slot) && !class.is_fixed);
                rels |= class.map_or(0, |class| class.relids);
                for clause in &self.clauses {
                    let is_side = clause.pair.is_some_and(|(one, other, _)| one == slot || other == slot);
                    rels |= if is_side { clause.reads } else { 0 };
                }
            }
            rels
        };
        let is_one = |index: &IndexInfo| index.keys.len() == 1 || (others(index) & !(1 << n) & !of_one) == 0;
        base.table.indexes.iter().all(is_one).then_some(())
    }

    /// `get_loop_count`
    fn loops(&self, n: usize, other: usize) -> Option<f64> {
        let mut rows = self.bases[other].rows;
        for special in &self.specials {
            if special.kind == SpecialKind::Semi && special.right == 1 << other && (special.right - 1) & 1 << n != 0 {
                let values = match &special.distinct[..] {
                    [] => return None,
                    slots => self.values(slots, rows)?.0,
                };
                rows = rows.min(values);
            }
        }
        Some(rows)
    }

    /// `add_path`
    pub fn add(&self, rel: &mut JoinRel, new: Way) {
        let starts = |way: &Way| {
            if way.params == 0 {
                return self.is_limited;
            }
            self.specials.iter().any(|it| it.kind != SpecialKind::Left && it.right == rel.rels)
        };
        let new_starts = starts(&new);
        let mut is_kept = true;
        let mut at = 0;
        let mut kept: Vec<Arc<Way>> = Vec::with_capacity(rel.ways.len() + 1);
        for old in &rel.ways {
            if !is_kept {
                kept.push(old.clone());
                continue;
            }
            let (drops_old, drops_new) = weighed(&new, old, (new_starts, starts(old)));
            is_kept &= !drops_new;
            if !drops_old {
                kept.push(old.clone());
                if (new.disabled, new.cost.total) >= (old.disabled, old.cost.total) {
                    at = kept.len();
                }
            }
        }
        if is_kept {
            kept.insert(at.min(kept.len()), Arc::new(new));
        }
        rel.ways = kept;
    }
}

/// Is the old way, or the new one, worth nothing beside the other?
fn weighed(new: &Way, old: &Way, starts: (bool, bool)) -> (bool, bool) {
    let costs = compare(new.price(), old.price(), FUZZ, starts);
    let keys = |way: &Way| if way.params == 0 { way.keys.clone() } else { Vec::new() };
    let (new_keys, old_keys) = (keys(new), keys(old));
    let (new_serves, old_serves) = (new_keys.starts_with(&old_keys), old_keys.starts_with(&new_keys));
    if costs == Costs::Different || !new_serves && !old_serves {
        return (false, false);
    }
    let new_fits = new.params & !old.params == 0 && new.rows <= old.rows;
    let old_fits = old.params & !new.params == 0 && new.rows >= old.rows;
    match costs {
        Costs::Better => (new_serves && new_fits, false),
        Costs::Worse => (false, old_serves && old_fits),
        _ if new_serves && !old_serves => (new_fits, false),
        _ if old_serves && !new_serves => (false, old_fits),
        _ if new.params == old.params && new.rows == old.rows => {
            let is_better = compare(new.price(), old.price(), TIE, starts) == Costs::Better;
            (is_better, !is_better)
        }
        _ if new.params == old.params => (new.rows < old.rows, new.rows > old.rows),
        _ => (new_fits, !new_fits && old_fits),
    }
}

/// Columns of the relation as those of its rows.
fn shift_own(expr: Typed, model: &Model, n: usize) -> Typed {
    match expr.node {
        Node::Slot(slot) if model.rel_of(slot) == n => {
            Typed { node: Node::Slot(slot - model.bases[n].start), ty: expr.ty }
        }
        Node::Slot(slot) => Typed { node: Node::Outer(1, slot), ty: expr.ty },
        _ => {
            let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(shift_own(child, model, n)));
            expr
        }
    }
}
