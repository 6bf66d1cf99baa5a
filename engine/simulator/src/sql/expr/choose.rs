//! Which operator or function of a name is meant: `oper`, `func_select_candidate`, `select_common_type`
//! (src/backend/parser/parse_oper.c, parse_func.c, parse_coerce.c).

use super::pg_catalog::{Coercion, TEXT, UNKNOWN, can_coerce, category, is_preferred};
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// this one of the candidates
    One(usize),
    /// none fits
    None,
    /// several fit, none better
    Ambiguous,
}

/// Chooses among candidates, each the types of its arguments, as many as there are `given`.
pub fn choose(candidates: &[&[Oid]], given: &[Oid], major: u32) -> Choice {
    if let Some(exact) = candidates.iter().position(|args| *args == given) {
        return Choice::One(exact);
    }
    let fits = |args: &[Oid]| {
        args.len() == given.len()
            && args.iter().zip(given).all(|(to, from)| can_coerce(*from, *to, Coercion::Implicit, major))
    };
    let left: Vec<usize> = (0..candidates.len()).filter(|n| fits(candidates[*n])).collect();
    match left[..] {
        [] => Choice::None,
        [one] => Choice::One(one),
        _ => Narrowing { candidates, given, major }.select(left),
    }
}

/// The rules that leave fewer and fewer candidates.
struct Narrowing<'a> {
    candidates: &'a [&'a [Oid]],
    given: &'a [Oid],
    major: u32,
}

impl Narrowing<'_> {
    fn select(&self, left: Vec<usize>) -> Choice {
        let left = self.most(left, |to, from| to == from);
        let preferred = |to: Oid, from: Oid| {
            to == from || is_preferred(to) && category(to, self.major) == category(from, self.major)
        };
        let left = if left.len() > 1 { self.most(left, preferred) } else { left };
        if let [one] = left[..] {
            return Choice::One(one);
        }
        if !self.given.contains(&UNKNOWN) {
            return Choice::Ambiguous;
        }
        let left = self.by_category(left);
        match left[..] {
            [one] => Choice::One(one),
            _ => self.as_the_others(&left),
        }
    }

    /// Those with the most arguments, of known type, for which `counts` holds.
    fn most(&self, left: Vec<usize>, counts: impl Fn(Oid, Oid) -> bool) -> Vec<usize> {
        let score = |n: usize| {
            let pairs = self.candidates[n].iter().zip(self.given);
            pairs.filter(|(to, from)| **from != UNKNOWN && counts(**to, **from)).count()
        };
        let best = left.iter().map(|n| score(*n)).max().unwrap_or(0);
        left.into_iter().filter(|n| score(*n) == best).collect()
    }

    /// A literal is a string where a candidate takes strings, else of the category that all candidates take; there of
    /// the preferred type.
    fn by_category(&self, left: Vec<usize>) -> Vec<usize> {
        let mut kept = left.clone();
        for (slot, _) in self.given.iter().enumerate().filter(|(_, from)| **from == UNKNOWN) {
            let of = |n: usize| category(self.candidates[n][slot], self.major);
            let wanted = if left.iter().any(|n| of(*n) == 'S') { 'S' } else { of(left[0]) };
            if wanted != 'S' && left.iter().any(|n| of(*n) != wanted) {
                // the categories differ: this rule does not help
                return left;
            }
            let has_preferred = left.iter().any(|n| of(*n) == wanted && is_preferred(self.candidates[*n][slot]));
            kept.retain(|n| of(*n) == wanted && (!has_preferred || is_preferred(self.candidates[*n][slot])));
        }
        if kept.is_empty() { left } else { kept }
    }

    /// Where all known arguments are of one type, the literals are of it too.
    fn as_the_others(&self, left: &[usize]) -> Choice {
        let mut known = self.given.iter().filter(|from| **from != UNKNOWN);
        let Some(first) = known.next() else { return Choice::Ambiguous };
        if known.any(|other| other != first) {
            return Choice::Ambiguous;
        }
        let takes =
            |n: &&usize| self.candidates[**n].iter().all(|to| can_coerce(*first, *to, Coercion::Implicit, self.major));
        let mut fitting = left.iter().filter(takes);
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Choice::One(*one),
            _ => Choice::Ambiguous,
        }
    }
}

/// The type that values of these types have in common, as in CASE and IN; `Err` the two that do not match.
pub fn common_type(given: &[Oid], major: u32) -> Result<Oid, (Oid, Oid)> {
    let mut common = given.first().copied().unwrap_or(UNKNOWN);
    for &next in given.iter().skip(1).filter(|next| **next != UNKNOWN) {
        if common == UNKNOWN {
            common = next;
        } else if category(common, major) != category(next, major) {
            return Err((common, next));
        } else if !is_preferred(common)
            && can_coerce(common, next, Coercion::Implicit, major)
            && !can_coerce(next, common, Coercion::Implicit, major)
        {
            common = next;
        }
    }
    Ok(if common == UNKNOWN { TEXT } else { common })
}
