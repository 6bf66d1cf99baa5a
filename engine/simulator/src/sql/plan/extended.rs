//! What is known of several columns together, asked for the share of rows that conditions leave
//! (`statext_mcv_clauselist_selectivity`, src/backend/statistics/extended_stats.c; `mcv_get_match_bitmap`, mcv.c;
//! `dependencies_clauselist_selectivity`, dependencies.c) and for the number of groups
//! (`estimate_multivariate_ndistinct`, src/backend/utils/adt/selfuncs.c).

use super::selectivity::{Selectivity, is_integer, order};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{ExtendedStats, TableInfo};
use crate::sql::expr::{Node, Typed, satisfies};
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// A condition on one column.
struct Simple<'a> {
    attnum: u16,
    column: &'a Typed,
    asks: Asks<'a>,
}

/// What it asks.
enum Asks<'a> {
    Compare(BinaryOp, &'a Typed),
    /// = ANY, or <> ALL
    Any(&'a [Typed], bool),
    /// IS NULL, or IS NOT NULL
    Null(bool),
    /// the column itself, or its opposite
    Truth(bool),
}

impl<'a> Simple<'a> {
    fn of(clause: &'a Typed) -> Option<Self> {
        let (column, asks) = match &clause.node {
            Node::Binary(op, operands) if op.is_comparison() => {
                let (left, right) = (&operands.0, &operands.1);
                match (left.is_pseudo_constant(), right.is_pseudo_constant()) {
                    (false, true) => (left, Asks::Compare(*op, right)),
                    (true, false) => (right, Asks::Compare(op.commutator(), left)),
                    _ => return None,
                }
            }
            Node::AnyOf(left, list, negated) => (&**left, Asks::Any(list, *negated)),
            Node::IsNull(inner, negated) => (&**inner, Asks::Null(*negated)),
            Node::Not(inner) => (&**inner, Asks::Truth(false)),
            _ => (clause, Asks::Truth(true)),
        };
        let Node::Slot(slot) = column.node else { return None };
        Some(Self { attnum: slot + 1, column, asks })
    }

    /// `dependency_is_compatible_clause`
    fn is_equality(&self) -> bool {
        match self.asks {
            Asks::Compare(op, _) => op == BinaryOp::Eq,
            Asks::Any(list, negated) => !negated && list.iter().all(Typed::is_pseudo_constant),
            Asks::Truth(_) => true,
            Asks::Null(_) => false,
        }
    }

    /// `statext_is_compatible_clause`: are the values known?
    fn is_known(&self) -> bool {
        match self.asks {
            Asks::Compare(_, value) => matches!(value.node, Node::Const(_)),
            Asks::Any(list, _) => list.iter().all(|value| matches!(value.node, Node::Const(_))),
            Asks::Null(_) | Asks::Truth(_) => true,
        }
    }

    /// Are its values compared as those of the column are?
    fn is_comparable(&self) -> bool {
        let is_same =
            |value: &Typed| value.ty.oid == self.column.ty.oid || is_integer(value) && is_integer(self.column);
        match self.asks {
            Asks::Compare(_, value) => is_same(value),
            Asks::Any(list, _) => list.iter().all(is_same),
            Asks::Null(_) | Asks::Truth(_) => true,
        }
    }

    /// Does a value satisfy it?
    fn holds(&self, value: &Value) -> bool {
        let compares = |op, other: &Typed| match &other.node {
            Node::Const(other) if !other.is_null() => satisfies(op, order(self.column, value, other)),
            _ => false,
        };
        match self.asks {
            Asks::Null(negated) => value.is_null() != negated,
            _ if value.is_null() => false,
            Asks::Compare(op, other) => compares(op, other),
            Asks::Any(list, false) => list.iter().any(|other| compares(BinaryOp::Eq, other)),
            Asks::Any(list, true) => list.iter().all(|other| compares(BinaryOp::Ne, other)),
            Asks::Truth(is_true) => *value == Value::Bool(is_true),
        }
    }
}

/// Is it known what statistics of several columns say of these conditions? Not of those that are made of others.
pub(super) fn is_estimated(table: &TableInfo, clauses: &[Typed]) -> bool {
    let mut slots = Vec::new();
    clauses.iter().for_each(|clause| clause.slots(&mut slots));
    let is_asked = |columns: &[u16]| columns.iter().filter(|attnum| slots.contains(&(**attnum - 1))).count() > 1;
    let concerned = table.extended.iter().filter(|stats| is_asked(&stats.columns));
    let columns: Vec<u16> = concerned.flat_map(|stats| stats.columns.iter().copied()).collect();
    clauses.iter().all(|clause| {
        let mut slots = Vec::new();
        clause.slots(&mut slots);
        let is_far = !slots.iter().any(|slot| columns.contains(&(slot + 1)));
        is_far || Simple::of(clause).is_some_and(|simple| simple.is_comparable()) || is_of_other(clause)
    })
}

/// Does it compare with a row of another table, so that nothing is asked?
fn is_of_other(clause: &Typed) -> bool {
    clause.any(&|node| matches!(node, Node::Outer(..)))
}

impl Selectivity<'_> {
    /// `statext_clauselist_selectivity`: the share that some of the conditions leave, and the others.
    pub(super) fn together<'c>(&self, clauses: &[&'c Typed]) -> (f64, Vec<&'c Typed>) {
        if clauses.len() < 2 || self.table.extended.is_empty() || clauses.iter().any(|clause| is_of_other(clause)) {
            return (1.0, clauses.to_vec());
        }
        let mut open: Vec<Option<&'c Typed>> = clauses.iter().copied().map(Some).collect();
        let share = self.by_common_rows(&mut open) * self.by_dependencies(&mut open);
        (share, open.into_iter().flatten().collect())
    }

    /// By the most common rows, object by object, the one that is about most of the columns first.
    fn by_common_rows(&self, open: &mut [Option<&Typed>]) -> f64 {
        let mut share = 1.0;
        while let Some(stats) = self.best_common_rows(open) {
            let is_taken = |clause: &&Typed| {
                Simple::of(clause).is_some_and(|it| it.is_known() && stats.columns.contains(&it.attnum))
            };
            let taken: Vec<&Typed> =
                open.iter_mut().filter_map(|clause| clause.take_if(|it| is_taken(&&**it))).collect();
            let simple = self.independent(1.0, &taken);
            share *= of_common_rows(stats, &taken, simple);
        }
        share
    }

    /// `choose_best_statistics`
    fn best_common_rows(&self, open: &[Option<&Typed>]) -> Option<&ExtendedStats> {
        let simple = open.iter().flatten().filter_map(|clause| Simple::of(clause)).filter(Simple::is_known);
        let asked: Vec<u16> = simple.map(|it| it.attnum).collect();
        let mut best: Option<(usize, &ExtendedStats)> = None;
        for stats in self.table.extended.iter().filter(|stats| !stats.most_common.is_empty()) {
            let matched = stats.columns.iter().filter(|attnum| asked.contains(attnum)).count();
            let is_better = match best {
                None => matched >= 2,
                Some((most, known)) => matched > most || matched == most && stats.columns.len() < known.columns.len(),
            };
            if is_better {
                best = Some((matched, stats));
            }
        }
        best.map(|(_, stats)| stats)
    }

    /// By columns that follow from others.
    fn by_dependencies(&self, open: &mut [Option<&Typed>]) -> f64 {
        let attnum_of = |clause: &Option<&Typed>| {
            let simple = clause.and_then(Simple::of)?;
            simple.is_equality().then_some(simple.attnum)
        };
        let attnums: Vec<Option<u16>> = open.iter().map(attnum_of).collect();
        let mut asked: Vec<u16> = attnums.iter().flatten().copied().collect();
        asked.sort_unstable();
        asked.dedup();
        let applied = self.strongest(asked);
        let mut columns: Vec<u16> = applied.iter().flat_map(|(columns, _)| columns.iter().copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut shares: Vec<f64> = Vec::new();
        for column in &columns {
            let of_it = open.iter_mut().zip(&attnums).filter(|(_, attnum)| *attnum == &Some(*column));
            let of_it: Vec<&Typed> = of_it.filter_map(|(clause, _)| clause.take()).collect();
            shares.push(self.independent(1.0, &of_it));
        }
        let place = |attnum: &u16| columns.iter().position(|column| column == attnum).unwrap_or(0);
        // of a chain the later links come first
        for (attributes, degree) in applied.iter().rev() {
            let Some((implied, implying)) = attributes.split_last() else { continue };
            let given: f64 = implying.iter().map(|attnum| shares[place(attnum)]).product();
            let share = &mut shares[place(implied)];
            let dependent = if given <= *share { *degree } else { degree * *share / given };
            *share = dependent + (1.0 - degree) * *share;
        }
        shares.iter().product::<f64>().clamp(0.0, 1.0)
    }

    /// `find_strongest_dependency`, again and again: of those whose columns are all asked for the widest, and of these
    /// the strongest.
    fn strongest(&self, mut asked: Vec<u16>) -> Vec<&(Vec<u16>, f64)> {
        let is_about =
            |stats: &&ExtendedStats| stats.columns.iter().filter(|attnum| asked.contains(attnum)).count() > 1;
        let all = self.table.extended.iter().map(|stats| &**stats).filter(is_about);
        let all: Vec<&(Vec<u16>, f64)> = all.flat_map(|stats| &stats.dependencies).collect();
        let mut applied = Vec::new();
        loop {
            let matched = all.iter().copied().filter(|(columns, _)| columns.iter().all(|it| asked.contains(it)));
            let strongest = matched.reduce(|best, next| {
                let is_weaker = next.0.len() < best.0.len() || next.0.len() == best.0.len() && best.1 > next.1;
                if is_weaker { best } else { next }
            });
            let Some(strongest) = strongest else { return applied };
            applied.push(strongest);
            asked.retain(|attnum| strongest.0.last() != Some(attnum));
        }
    }

    /// How many sets of values some of these columns have, and which these are.
    pub(super) fn distinct_together(&self, columns: &[&Typed]) -> Option<(f64, Vec<u16>)> {
        let attnum = |expr: &&Typed| if let Node::Slot(slot) = expr.node { Some(slot + 1) } else { None };
        let attnums: Vec<u16> = columns.iter().filter_map(attnum).collect();
        let mut best: Option<(&ExtendedStats, Vec<u16>)> = None;
        for stats in self.table.extended.iter().filter(|stats| !stats.ndistinct.is_empty()) {
            let shared: Vec<u16> = stats.columns.iter().copied().filter(|it| attnums.contains(it)).collect();
            if shared.len() > best.as_ref().map_or(1, |(_, most)| most.len()) {
                best = Some((stats, shared));
            }
        }
        let (stats, shared) = best?;
        let item = stats.ndistinct.iter().find(|(columns, _)| *columns == shared)?;
        Some((item.1, shared))
    }
}

/// `mcv_clauselist_selectivity`, `mcv_combine_selectivities`; `simple`: what they leave as far as each column tells.
fn of_common_rows(stats: &ExtendedStats, clauses: &[&Typed], simple: f64) -> f64 {
    let tests: Vec<Simple<'_>> = clauses.iter().filter_map(|clause| Simple::of(clause)).collect();
    let (mut share, mut base, mut total) = (0.0, 0.0, 0.0);
    for row in &stats.most_common {
        total += row.frequency;
        let value = |attnum: u16| stats.columns.iter().position(|it| *it == attnum).and_then(|n| row.values.get(n));
        if tests.iter().all(|test| value(test.attnum).is_some_and(|value| test.holds(value))) {
            share += row.frequency;
            base += row.base_frequency;
        }
    }
    let others = (simple - base).clamp(0.0, 1.0).min(1.0 - total);
    (share + others).clamp(0.0, 1.0)
}
