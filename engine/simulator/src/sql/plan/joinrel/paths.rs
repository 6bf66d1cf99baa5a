//! The ways to join two sets of relations: `add_paths_to_joinrel`, `sort_inner_and_outer`, `match_unsorted_outer`,
//! `hash_inner_and_outer` (src/backend/optimizer/path/joinpath.c).

use super::estimate::{Matches, Part};
use super::model::Model;
use super::{Clause, JoinRel, JoinWay, PathKey, Relids, Special, SpecialKind, Way, WayNode};
use crate::sql::expr::Node;
use crate::sql::expr::pg_catalog::has_hash;
use crate::sql::plan::cost::CPU_OPERATOR;
use crate::sql::plan::{Cost, JoinNode, JoinSide};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Which side is made distinct first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Distinct {
    Neither,
    Outer,
    Inner,
}

/// Two sets of relations that are joined in this order.
pub(super) struct Pair<'a> {
    pub model: &'a Model,
    pub outer: &'a JoinRel,
    pub inner: &'a JoinRel,
    pub kind: JoinSide,
    pub distinct: Distinct,
    pub special: Option<&'a Special>,
    /// what is asked of the join
    pub clauses: &'a [Clause],
}

/// What is found out of them once.
struct Known {
    /// has a row of the outer side one partner at most?
    unique: bool,
    matches: Option<Matches>,
    /// equalities that may be merged or hashed
    keys: Vec<Clause>,
}

impl Pair<'_> {
    /// All of them.
    pub fn add_to(&self, rel: &mut JoinRel) -> Option<()> {
        let is_semi = matches!(self.kind, JoinSide::Semi | JoinSide::Anti);
        let unique = match self.distinct {
            Distinct::Inner => self.special.is_some_and(|special| special.min_left & !self.outer.rels == 0),
            _ if is_semi => false,
            _ => self.is_unique(),
        };
        let keys: Vec<Clause> = self.clauses.iter().filter(|clause| self.is_key(clause)).cloned().collect();
        let matches = match is_semi || unique {
            true => Some(self.model.matches(self.inner, self.clauses, self.special)?),
            false => None,
        };
        let known = Known { unique, matches, keys };
        let merges = self.model.enabled.mergejoin;
        if !known.keys.is_empty() && merges && self.kind != JoinSide::RightSemi {
            self.sort_both(rel, &known)?;
        }
        if self.kind != JoinSide::RightSemi {
            self.match_outer(rel, &known, merges)?;
        }
        if !known.keys.is_empty() && self.model.enabled.hashjoin {
            self.hash(rel, &known)?;
        }
        Some(())
    }

    fn is_outer_join(&self) -> bool {
        !matches!(self.kind, JoinSide::Neither | JoinSide::Semi | JoinSide::RightSemi)
    }

    /// May rows be merged and hashed by it?
    fn is_key(&self, clause: &Clause) -> bool {
        let Some((one, other, _)) = clause.pair else { return false };
        let rels = (1 << self.model.rel_of(one), 1 << self.model.rel_of(other));
        let fits = |(one, other): (Relids, Relids)| one & !self.outer.rels == 0 && other & !self.inner.rels == 0;
        (fits(rels) || fits((rels.1, rels.0))) && (!self.is_outer_join() || clause.own.is_some())
    }

    /// The columns of a key on the outer side, and on the inner one.
    fn sides(&self, clause: &Clause) -> (u16, u16) {
        let (one, other) = clause.pair.map_or((0, 0), |(one, other, _)| (one, other));
        if self.outer.rels & 1 << self.model.rel_of(one) != 0 { (one, other) } else { (other, one) }
    }

    /// `innerrel_is_unique`: of one relation, by a unique index.
    fn is_unique(&self) -> bool {
        if self.clauses.is_empty() {
            return false;
        }
        let keys = self.clauses.iter().filter(|clause| self.is_key(clause));
        let known: Vec<u16> = keys.map(|clause| self.sides(clause).1).collect();
        let rels = self.inner.rels;
        rels.count_ones() == 1 && self.model.is_unique_in(rels.trailing_zeros() as usize, &known)
    }

    fn fits_together(&self, outer: &Way, inner: &Way) -> bool {
        outer.params == 0 && inner.params == 0
    }

    /// The cheapest way of a side, made distinct where it is to be.
    fn distinct_of(&self, way: &Arc<Way>) -> Option<Arc<Way>> {
        let special = self.special?;
        if self.model.is_unique_in(special.right.trailing_zeros() as usize, &special.distinct) {
            return Some(Arc::new(Way { node: WayNode::Same(way.clone()), ..Way::clone(way) }));
        }
        let (cost, rows, hashed) = self.model.unique(way, &special.distinct)?;
        let node = WayNode::Unique(way.clone(), special.distinct.clone(), hashed);
        Some(Arc::new(Way { node, cost, rows, keys: Vec::new(), ..Way::clone(way) }))
    }

    /// `build_join_pathkeys`
    fn keys_above(&self, rel: &JoinRel, keys: &[PathKey]) -> Vec<PathKey> {
        match self.kind {
            JoinSide::Inner | JoinSide::Full | JoinSide::RightAnti | JoinSide::RightSemi => Vec::new(),
            _ => self.model.useful(keys.to_vec(), rel.rels),
        }
    }

    /// `sort_inner_and_outer`
    fn sort_both(&self, rel: &mut JoinRel, known: &Known) -> Option<()> {
        let (outer, inner) = self.cheapest()?;
        let key_of = |clause: &Clause| {
            let class = self.model.class_of(self.sides(clause).0);
            PathKey { class, descending: false, nulls_first: false }
        };
        let mut all: Vec<PathKey> = Vec::new();
        for clause in &known.keys {
            let key = key_of(clause);
            if !all.contains(&key) {
                all.push(key);
            }
        }
        if all.len() > 1 {
            all = self.in_order(all, known.keys.len(), rel.rels);
        }
        for n in 0..all.len() {
            let mut keys = all.clone();
            let first = keys.remove(n);
            keys.insert(0, first);
            let clauses: Vec<Clause> = keys
                .iter()
                .flat_map(|key| known.keys.iter().filter(|clause| key_of(clause) == *key).cloned())
                .collect();
            self.merge(rel, known, (&outer, &inner), (&keys, clauses))?;
        }
        Some(())
    }

    /// In which order several keys are tried (`select_outer_pathkeys_for_merge`): as the query wants its rows, if it
    /// wants them by these; then those first that join most of what is not joined yet.
    fn in_order(&self, mut left: Vec<PathKey>, clauses: usize, rels: Relids) -> Vec<PathKey> {
        let wanted = &self.model.order;
        let is_one = |key: &&PathKey| left.iter().any(|one| one.class == key.class);
        let matches = wanted.iter().take_while(is_one).count();
        let mut all = match matches == wanted.len() {
            true => wanted.clone(),
            false if matches == clauses && self.model.version().merges_by_prefix() => {
                return wanted[..matches].to_vec();
            }
            false => Vec::new(),
        };
        left.retain(|key| !all.iter().any(|known| known.class == key.class));
        let partners = |key: &PathKey| {
            let class = self.model.classes.get(key.class);
            let is_further = |slot: &&u16| rels & 1 << self.model.rel_of(**slot) == 0;
            class.map_or(0, |class| class.members.iter().filter(is_further).count())
        };
        // of those with as many the first one: the sort is stable
        left.sort_by_key(|key| core::cmp::Reverse(partners(key)));
        all.extend(left);
        all
    }

    /// The equalities that an order serves (`find_mergeclauses_for_outer_pathkeys`).
    fn served(&self, keys: &[PathKey], known: &Known) -> Vec<Clause> {
        let mut found: Vec<Clause> = Vec::new();
        for key in keys {
            let before = found.len();
            let of_key = known.keys.iter().filter(|clause| self.model.class_of(self.sides(clause).0) == key.class);
            found.extend(of_key.cloned());
            if found.len() == before {
                break;
            }
        }
        found
    }

    /// `try_mergejoin_path`; `order`: what both sides are sorted by where they are not yet.
    fn merge(
        &self,
        rel: &mut JoinRel,
        known: &Known,
        (outer, inner): (&Arc<Way>, &Arc<Way>),
        (order, keys): (&[PathKey], Vec<Clause>),
    ) -> Option<()> {
        if !self.fits_together(outer, inner) {
            return Some(());
        }
        let inner_order: Vec<PathKey> = {
            let mut all: Vec<PathKey> = Vec::new();
            for clause in &keys {
                let class = self.model.class_of(self.sides(clause).1);
                let like = order.iter().find(|key| key.class == self.model.class_of(self.sides(clause).0))?;
                if !all.iter().any(|key| key.class == class) {
                    all.push(PathKey { class, ..*like });
                }
            }
            all
        };
        let sorts_outer = !outer.keys.starts_with(order);
        let sorts_inner = !inner.keys.starts_with(&inner_order);
        // rows that have the order of the first keys are sorted within groups from 18 on
        if sorts_outer && outer.keys.first() == order.first() && self.model.version().counts_disabled_nodes() {
            return None;
        }
        if keys.len() > 1 && order.iter().any(|key| key.descending || key.nulls_first) {
            return None;
        }
        let first = self.sides(keys.first()?);
        let mut parts = self.model.parts(first.0, first.1);
        match self.kind {
            JoinSide::Outer | JoinSide::Anti => parts.0 = Part::WHOLE,
            JoinSide::Inner | JoinSide::RightAnti => parts.1 = Part::WHOLE,
            JoinSide::Full => parts = (Part::WHOLE, Part::WHOLE),
            _ => {}
        }
        let (one, above) = self.model.sorted(outer, parts.0, sorts_outer)?;
        let (other, inner_above) = self.model.sorted(inner, parts.1, sorts_inner)?;
        let rest: Vec<&Clause> = self.clauses.iter().filter(|clause| !keys.contains(clause)).collect();
        let is_once = known.unique || matches!(self.kind, JoinSide::Semi | JoinSide::Anti);
        let skips_marks = is_once && rest.is_empty();
        let is_distinct = matches!(outer.node, WayNode::Unique(..) | WayNode::Same(_));
        let (cost, keeps_inner) = self.model.merge((&one, &other), (&keys, &rest), skips_marks, is_distinct)?;
        // what is kept of rows that are sorted is told in a node of its own above the sort
        if keeps_inner && sorts_inner {
            return None;
        }
        let counts = self.model.version().counts_disabled_nodes();
        let sorts =
            if self.model.enabled.sort || !counts { 0 } else { u32::from(sorts_outer) + u32::from(sorts_inner) };
        let way = self.way(JoinNode::Merge, known, (outer, inner), (keys, &rest));
        let way = JoinWay { sorts: [above, inner_above], keeps_inner, skips_marks, ..way };
        let keys = if sorts_outer { order.to_vec() } else { outer.keys.clone() };
        self.add(rel, way, cost, (sorts, 0), &keys);
        Some(())
    }

    /// The way with these keys; what is left is asked of pairs, or of the rows of an outer join.
    fn way(
        &self,
        node: JoinNode,
        known: &Known,
        (outer, inner): (&Arc<Way>, &Arc<Way>),
        (keys, rest): (Vec<Clause>, &[&Clause]),
    ) -> JoinWay {
        let is_own = |clause: &Clause| !self.is_outer_join() || clause.own.is_some();
        let (others, above) = rest.iter().copied().cloned().partition(is_own);
        JoinWay {
            node,
            kind: self.kind,
            sides: [outer.clone(), inner.clone()],
            keys,
            others,
            above,
            sorts: [None, None],
            keeps_inner: false,
            is_unique: known.unique,
            skips_marks: false,
            is_disabled: false,
        }
    }

    fn add(&self, rel: &mut JoinRel, way: JoinWay, cost: Cost, (disabled, params): (u32, Relids), keys: &[PathKey]) {
        let below: u32 = way.sides.iter().map(|side| side.disabled).sum();
        let keys = self.keys_above(rel, keys);
        let new = Way {
            rels: rel.rels,
            params,
            cost,
            rows: rel.rows,
            width: rel.width,
            disabled: below + disabled,
            keys,
            node: WayNode::Join(Arc::new(way)),
        };
        self.model.add(rel, new);
    }

    /// `match_unsorted_outer`
    fn match_outer(&self, rel: &mut JoinRel, known: &Known, merges: bool) -> Option<()> {
        let nests = !matches!(self.kind, JoinSide::Inner | JoinSide::Full | JoinSide::RightAnti);
        let mut whole = self.inner.total.clone()?;
        if self.distinct == Distinct::Inner {
            whole = self.distinct_of(&whole)?;
        }
        let kept = match &whole.node {
            _ if self.distinct == Distinct::Inner || !nests || !self.model.enabled.material => None,
            WayNode::Scan(n, ..) if self.model.bases[*n].source.as_ref().is_some_and(|it| it.again.is_some()) => None,
            _ => {
                let cost = super::cost::material(&whole)?;
                let node = WayNode::Material(whole.clone());
                Some(Arc::new(Way { node, cost, keys: whole.keys.clone(), ..Way::clone(&whole) }))
            }
        };
        for outer in &self.outer.ways {
            if outer.params & self.inner.rels != 0 {
                continue;
            }
            let mut outer = outer.clone();
            if self.distinct == Distinct::Outer {
                if !self.outer.total.as_ref().is_some_and(|total| Arc::ptr_eq(total, &outer)) {
                    continue;
                }
                outer = self.distinct_of(&outer)?;
            }
            if self.distinct == Distinct::Inner {
                self.nested(rel, known, &outer, &whole)?;
            } else if nests {
                let inners: Vec<Arc<Way>> = self.inner.parameterized().cloned().collect();
                for inner in &inners {
                    self.nested(rel, known, &outer, inner)?;
                    if let Some(memoized) = self.memoized(known, &outer, inner)? {
                        self.nested(rel, known, &outer, &Arc::new(memoized))?;
                    }
                }
                if let Some(kept) = &kept {
                    self.nested(rel, known, &outer, kept)?;
                }
            }
            if self.distinct != Distinct::Outer && merges {
                self.merge_in_order(rel, known, &outer, &whole)?;
            }
        }
        Some(())
    }

    /// `generate_mergejoin_paths`
    fn merge_in_order(&self, rel: &mut JoinRel, known: &Known, outer: &Arc<Way>, whole: &Arc<Way>) -> Option<()> {
        let keys = self.served(&outer.keys, known);
        let needs_all = matches!(self.kind, JoinSide::Inner | JoinSide::Full | JoinSide::RightAnti);
        if keys.is_empty() || needs_all && keys.len() != known.keys.len() {
            return Some(());
        }
        let mut order: Vec<PathKey> = Vec::new();
        for key in &outer.keys {
            if keys.iter().any(|clause| self.model.class_of(self.sides(clause).0) == key.class) {
                order.push(*key);
            }
        }
        self.merge(rel, known, (outer, whole), (&order, keys.clone()))?;
        if self.distinct == Distinct::Inner {
            return Some(());
        }
        let mut wanted: Vec<PathKey> = Vec::new();
        for clause in &keys {
            let (outer, inner) = self.sides(clause);
            let like = order.iter().find(|key| key.class == self.model.class_of(outer))?;
            let class = self.model.class_of(inner);
            if !wanted.iter().any(|key| key.class == class) {
                wanted.push(PathKey { class, ..*like });
            }
        }
        let before = whole.keys.starts_with(&wanted).then_some(whole);
        let (mut total, mut startup) = (before, before);
        // what has the order of the first of them only may serve too
        for count in (1..=wanted.len()).rev() {
            let trial = &wanted[..count];
            let served = |clause: &&Clause| {
                let class = self.model.class_of(self.sides(clause).1);
                trial.iter().any(|key| key.class == class)
            };
            let clauses: Vec<Clause> = keys.iter().filter(served).cloned().collect();
            let ordered = |way: &&Arc<Way>| way.params == 0 && way.keys.starts_with(trial);
            let least = |price: fn(&Way) -> (u32, f64, f64), known: Option<&Arc<Way>>| {
                let all = self.inner.ways.iter().filter(ordered);
                let best = all.reduce(|best, next| if price(next) < price(best) { next } else { best });
                best.filter(|best| known.is_none_or(|known| price(best) < price(known)))
            };
            if let Some(inner) = least(Way::by_total, total) {
                self.merge(rel, known, (outer, inner), (&order, clauses.clone()))?;
                total = Some(inner);
            }
            if let Some(inner) = least(Way::by_startup, startup) {
                if !total.is_some_and(|total| Arc::ptr_eq(total, inner)) {
                    self.merge(rel, known, (outer, inner), (&order, clauses))?;
                }
                startup = Some(inner);
            }
            if needs_all {
                break;
            }
        }
        Some(())
    }

    /// `try_nestloop_path`
    fn nested(&self, rel: &mut JoinRel, known: &Known, outer: &Arc<Way>, inner: &Arc<Way>) -> Option<()> {
        let params = (outer.params | inner.params & !outer.rels) & !self.inner.rels;
        if params != 0 {
            // rows that a row further out decides as well: only where the inner side reads both
            let is_star = inner.params & self.outer.rels != 0 && inner.params & !self.outer.rels != 0;
            return if is_star { None } else { Some(()) };
        }
        // what the inner side is asked is not asked of the pair
        let inside = inner.rels | inner.params;
        let is_asked = |clause: &&Clause| {
            let is_moved =
                inner.params & self.outer.rels != 0 && clause.reads & !inside == 0 && self.is_movable(clause);
            !is_moved
        };
        let asked: Vec<&Clause> = self.clauses.iter().filter(is_asked).collect();
        let cost = self.model.nested(outer, inner, known.matches, &asked)?;
        let counts = self.model.version().counts_disabled_nodes();
        let is_disabled = !self.model.enabled.nestloop;
        let more = if is_disabled && !counts { super::cost::DISABLED } else { 0.0 };
        let cost = Cost { startup: cost.startup + more, total: cost.total + more };
        let way = self.way(JoinNode::Nested, known, (outer, inner), (Vec::new(), &asked));
        let way = JoinWay { is_disabled, ..way };
        self.add(rel, way, cost, (u32::from(is_disabled && counts), 0), &outer.keys.clone());
        Some(())
    }

    fn is_movable(&self, clause: &Clause) -> bool {
        clause.class.is_some()
            || clause.own.is_some()
            || !self.model.specials.iter().any(|it| it.kind == SpecialKind::Left && it.right & clause.reads != 0)
    }

    /// `get_memoize_path`
    fn memoized(&self, known: &Known, outer: &Way, inner: &Arc<Way>) -> Option<Option<Way>> {
        let WayNode::Scan(n, _, reads) = &inner.node else { return Some(None) };
        let is_once = matches!(self.kind, JoinSide::Semi | JoinSide::Anti);
        let enabled = self.model.version().has_memoize() && self.model.enabled.memoize;
        if !enabled
            || self.outer.rows < 2.0
            || reads.is_empty()
            || inner.params & !self.outer.rels != 0
            || !known.unique && is_once
            || known.unique && reads.len() < self.clauses.len()
        {
            return Some(None);
        }
        let mut slots: Vec<u16> = Vec::new();
        for clause in reads {
            let mut all = Vec::new();
            clause.expr.slots(&mut all);
            all.retain(|slot| self.model.rel_of(*slot) != *n && !slots.contains(slot));
            slots.extend(all);
        }
        let (cost, _) = self.model.memoized(inner, &slots, outer)?;
        let node = WayNode::Memoize(inner.clone(), slots);
        Some(Some(Way { node, cost, ..Way::clone(inner) }))
    }

    /// The cheapest ways of both sides, one of them made distinct where it is to be.
    fn cheapest(&self) -> Option<(Arc<Way>, Arc<Way>)> {
        let (outer, inner) = (self.outer.total.clone()?, self.inner.total.clone()?);
        Some(match self.distinct {
            Distinct::Neither => (outer, inner),
            Distinct::Outer => (self.distinct_of(&outer)?, inner),
            Distinct::Inner => (outer, self.distinct_of(&inner)?),
        })
    }

    /// `hash_inner_and_outer`
    fn hash(&self, rel: &mut JoinRel, known: &Known) -> Option<()> {
        let is_hashed = |clause: &Clause| match &clause.expr.node {
            Node::Binary(_, operands) => has_hash(operands.0.ty.oid),
            _ => true,
        };
        if !known.keys.iter().all(is_hashed) {
            return Some(());
        }
        let (outer, inner) = self.cheapest()?;
        let startup = self.outer.startup.as_ref()?;
        let is_other = !self.outer.total.as_ref().is_some_and(|total| Arc::ptr_eq(total, startup));
        if self.distinct == Distinct::Neither && is_other {
            self.hash_of(rel, known, startup, &inner)?;
        }
        self.hash_of(rel, known, &outer, &inner)?;
        if self.distinct == Distinct::Inner && is_other {
            self.hash_of(rel, known, startup, &inner)?;
        }
        Some(())
    }

    fn hash_of(&self, rel: &mut JoinRel, known: &Known, outer: &Arc<Way>, inner: &Arc<Way>) -> Option<()> {
        let rest: Vec<&Clause> = self.clauses.iter().filter(|clause| !known.keys.contains(clause)).collect();
        let is_anti = self.kind == JoinSide::Anti;
        let cost = self.model.hash([outer, inner], (&known.keys, &rest), known.matches, is_anti)?;
        let way = self.way(JoinNode::Hash, known, (outer, inner), (known.keys.clone(), &rest));
        self.add(rel, way, cost, (0, 0), &[]);
        Some(())
    }
}

/// What keeping rows costs that a merge join goes back to (`create_mergejoin_plan`).
pub(super) fn kept(way: &Way) -> Cost {
    Cost { total: way.cost.total + CPU_OPERATOR * way.rows, ..way.cost }
}
