//! Which sets of relations are joined, one after another: `join_search_one_level`, `make_join_rel`, `join_is_legal`,
//! `have_join_order_restriction` (src/backend/optimizer/path/joinrels.c), `build_joinrel_restrictlist`
//! (src/backend/optimizer/util/relnode.c).

use super::model::Model;
use super::paths::{Distinct, Pair};
use super::{Clause, JoinRel, Relids, Special, SpecialKind};
use crate::sql::plan::JoinSide;
use crate::version::SqlBehaviour;
use alloc::vec::Vec;

/// A join that may be made.
struct Legal<'a> {
    special: Option<&'a Special>,
    is_turned: bool,
}

impl Model {
    /// All relations together; `None`: not known how a server joins them.
    pub fn search(&self) -> Option<JoinRel> {
        self.specials.iter().filter(|it| it.kind == SpecialKind::Semi).for_each(|it| self.derive_for_semi(it));
        (0..self.bases.len()).for_each(|n| self.derive_for_indexes(n));
        let bases = (0..self.bases.len()).map(|n| self.base_rel(n)).collect::<Option<Vec<_>>>()?;
        let count = bases.len();
        let mut levels: Vec<Vec<JoinRel>> = Vec::from([bases]);
        for level in 2..=count {
            let mut found: Vec<JoinRel> = Vec::new();
            self.one_level(&levels, level, &mut found)?;
            found.iter_mut().for_each(JoinRel::choose);
            if found.is_empty() {
                return None;
            }
            levels.push(found);
        }
        levels.pop()?.pop()
    }

    /// Equalities of a semi join are made early, to find out whether its right side is unique
    /// (`reduce_unique_semijoins`).
    fn derive_for_semi(&self, special: &Special) {
        let right = &self.bases[special.right.trailing_zeros() as usize];
        if right.table.indexes.iter().any(|index| index.unique && index.immediate && index.predicate.is_empty()) {
            drop(self.equalities(special.min_left, special.right));
        }
    }

    fn one_level(&self, levels: &[Vec<JoinRel>], level: usize, found: &mut Vec<JoinRel>) -> Option<()> {
        for (n, old) in levels[level - 2].iter().enumerate() {
            let first = if level == 2 { n + 1 } else { 0 };
            let others = levels[0][first..].iter().filter(|other| other.rels & old.rels == 0);
            if self.joins_anything(old.rels) {
                for other in others.filter(|other| self.is_relevant(old.rels, other.rels)) {
                    self.make(old, other, found)?;
                }
            } else {
                for other in others {
                    self.make(old, other, found)?;
                }
            }
        }
        for small in 2..=level / 2 {
            let large = level - small;
            for (n, old) in levels[small - 1].iter().enumerate().filter(|(_, old)| self.joins_anything(old.rels)) {
                let first = if small == large { n + 1 } else { 0 };
                let others = levels[large - 1][first..].iter().filter(|other| other.rels & old.rels == 0);
                for other in others.filter(|other| self.is_relevant(old.rels, other.rels)) {
                    self.make(old, other, found)?;
                }
            }
        }
        if found.is_empty() {
            for (n, old) in levels[level - 2].iter().enumerate() {
                let first = if level == 2 { n + 1 } else { 0 };
                for other in levels[0][first..].iter().filter(|other| other.rels & old.rels == 0) {
                    self.make(old, other, found)?;
                }
            }
        }
        Some(())
    }

    fn joins_anything(&self, rels: Relids) -> bool {
        let of_class = self.classes.iter().any(|class| class.relids & rels != 0 && class.relids & !rels != 0);
        let of_clause = self.clauses.iter().any(|clause| clause.required & rels != 0 && clause.required & !rels != 0);
        of_class || of_clause || self.is_restricted(rels)
    }

    /// `has_join_restriction`
    fn is_restricted(&self, rels: Relids) -> bool {
        self.specials.iter().any(|special| {
            let both = special.min_left | special.right;
            both & !rels != 0 && both & rels != 0
        })
    }

    /// `have_relevant_joinclause`, `have_join_order_restriction`
    fn is_relevant(&self, one: Relids, other: Relids) -> bool {
        if self.has_clause(one, other) {
            return true;
        }
        let both = one | other;
        let is_wanted = self.specials.iter().any(|special| {
            let is_it = |left: Relids, right: Relids| special.min_left & !left == 0 && special.right & !right == 0;
            let overlaps = |rels: Relids| rels & one != 0 && rels & other != 0;
            is_it(one, other) || is_it(other, one) || overlaps(special.right) || overlaps(special.min_left)
        });
        let has_legal = |rels: Relids| {
            let others = (0..self.bases.len()).map(|n| 1 << n).filter(|other: &Relids| other & rels == 0);
            let mut others = others.filter(|other| self.has_clause(rels, *other));
            others.any(|other| self.legal(rels, other).is_some())
        };
        is_wanted && both != 0 && !has_legal(one) && !has_legal(other)
    }

    fn has_clause(&self, one: Relids, other: Relids) -> bool {
        let of_class = self.classes.iter().any(|class| class.relids & one != 0 && class.relids & other != 0);
        let of_clause = self.clauses.iter().any(|clause| clause.required & one != 0 && clause.required & other != 0);
        of_class || of_clause
    }

    /// `join_is_legal`
    fn legal(&self, one: Relids, other: Relids) -> Option<Legal<'_>> {
        let both = one | other;
        let mut found: Option<Legal<'_>> = None;
        let mut must_be_left = false;
        for special in &self.specials {
            let within = |left: Relids, rels: Relids| left & !rels == 0;
            let is_done = |rels: Relids| within(special.min_left, rels) && within(special.right, rels);
            if special.right & both == 0 || within(both, special.right) || is_done(one) || is_done(other) {
                continue;
            }
            let is_semi = special.kind == SpecialKind::Semi;
            let was_distinct = |rels: Relids| within(special.right, rels) && special.right != rels;
            if is_semi && (was_distinct(one) || was_distinct(other)) {
                continue;
            }
            let may_be_distinct = is_semi && !special.distinct.is_empty();
            let is_turned = if within(special.min_left, one) && within(special.right, other) {
                false
            } else if within(special.min_left, other) && within(special.right, one) {
                true
            } else if may_be_distinct && special.right == other {
                false
            } else if may_be_distinct && special.right == one {
                true
            } else {
                if one & special.right != 0 && other & special.right != 0 {
                    continue;
                }
                if special.kind != SpecialKind::Left || both & special.min_left != 0 {
                    return None;
                }
                must_be_left = true;
                continue;
            };
            if found.is_some() {
                return None;
            }
            found = Some(Legal { special: Some(special), is_turned });
        }
        let is_left = |legal: &Legal<'_>| legal.special.is_some_and(|it| it.kind == SpecialKind::Left);
        if must_be_left && !found.as_ref().is_some_and(is_left) {
            return None;
        }
        Some(found.unwrap_or(Legal { special: None, is_turned: false }))
    }

    /// `generate_join_implied_equalities`
    fn equalities(&self, outer: Relids, inner: Relids) -> Vec<Clause> {
        let mut all = Vec::new();
        for (number, class) in self.classes.iter().enumerate().filter(|(_, class)| !class.is_fixed) {
            let of = |rels: Relids| class.members.iter().copied().find(|slot| rels & 1 << self.rel_of(*slot) != 0);
            if let (Some(one), Some(other)) = (of(outer), of(inner)) {
                all.push(self.derived(number, one, other));
            }
        }
        all
    }

    /// `build_joinrel_restrictlist`
    fn clauses_of(&self, outer: Relids, inner: Relids) -> Vec<Clause> {
        let both = outer | inner;
        let is_here = |clause: &&Clause| {
            let needed = clause.required | clause.reads;
            needed & !both == 0 && needed & !outer != 0 && needed & !inner != 0
        };
        let mut all: Vec<Clause> = self.clauses.iter().filter(is_here).cloned().collect();
        all.extend(self.equalities(outer, inner));
        all
    }

    /// `make_join_rel`
    fn make(&self, one: &JoinRel, other: &JoinRel, found: &mut Vec<JoinRel>) -> Option<()> {
        let Some(Legal { special, is_turned }) = self.legal(one.rels, other.rels) else { return Some(()) };
        let (one, other) = if is_turned { (other, one) } else { (one, other) };
        let rels = one.rels | other.rels;
        // rows of the right side of an outer join that are joined with others before have ways that read the left side
        let is_early = |it: &Special| rels & it.right != 0 && rels & it.min_left == 0 && rels != it.right;
        if self.specials.iter().any(is_early) {
            return None;
        }
        let clauses = self.clauses_of(one.rels, other.rels);
        let is_whole = special.is_some_and(|it| it.min_left & !one.rels == 0);
        let at = found.iter().position(|rel| rel.rels == rels);
        let mut rel = match at {
            Some(at) => found[at].clone(),
            None => {
                let rows = self.join_rows([one, other], &clauses, special)?;
                JoinRel { rels, rows, width: self.width_of(rels), ways: Vec::new(), startup: None, total: None }
            }
        };
        let mut add = |outer: &JoinRel, inner: &JoinRel, kind: JoinSide, distinct: Distinct| {
            let pair = Pair { model: self, outer, inner, kind, distinct, special, clauses: &clauses };
            pair.add_to(&mut rel)
        };
        match special.map(|special| special.kind) {
            None => {
                add(one, other, JoinSide::Neither, Distinct::Neither)?;
                add(other, one, JoinSide::Neither, Distinct::Neither)?;
            }
            Some(SpecialKind::Left) if special.is_some_and(|special| special.full) => {
                add(one, other, JoinSide::Full, Distinct::Neither)?;
                add(other, one, JoinSide::Full, Distinct::Neither)?;
            }
            Some(SpecialKind::Left) => {
                add(one, other, JoinSide::Outer, Distinct::Neither)?;
                add(other, one, JoinSide::Inner, Distinct::Neither)?;
            }
            Some(SpecialKind::Semi) => {
                if is_whole {
                    add(one, other, JoinSide::Semi, Distinct::Neither)?;
                    if self.version().has_right_semi_joins() {
                        add(other, one, JoinSide::RightSemi, Distinct::Neither)?;
                    }
                }
                if special.is_some_and(|special| !special.distinct.is_empty()) {
                    add(one, other, JoinSide::Neither, Distinct::Inner)?;
                    add(other, one, JoinSide::Neither, Distinct::Outer)?;
                }
            }
            Some(SpecialKind::Anti) => {
                add(one, other, JoinSide::Anti, Distinct::Neither)?;
                if self.version().has_right_anti_joins() {
                    add(other, one, JoinSide::RightAnti, Distinct::Neither)?;
                }
            }
        }
        match at {
            Some(at) => found[at] = rel,
            None => found.push(rel),
        }
        Some(())
    }
}
