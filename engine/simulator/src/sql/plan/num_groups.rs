//! How many groups rows make: `estimate_num_groups`
//! (src/backend/utils/adt/selfuncs.c).

use super::math;
use super::selectivity::Selectivity;
use super::size::{ceil, clamp};
use crate::sql::expr::{Node, Typed};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::SqlType;

/// A column, or an expression that something is known of, with the number of its values.
struct Variable {
    expr: Typed,
    distinct: f64,
}

/// A relation among those whose rows are joined.
pub struct Relation<'a> {
    /// its columns in the row of all
    pub slots: Range<u16>,
    /// what is known of them
    pub selectivity: Selectivity<'a>,
    /// rows that its own conditions leave
    pub rows: f64,
}

/// Of rows of one table, of which `rows` are left by conditions: how many sets of values these have. `input`: how many
/// come to be grouped.
pub fn num_groups(exprs: &[&Typed], selectivity: &Selectivity<'_>, rows: f64, input: f64) -> f64 {
    of_relations(exprs, &[(selectivity, rows, 0..u16::MAX)], input)
}

/// The same of rows that are joined.
pub fn num_groups_of_join(exprs: &[&Typed], relations: &[Relation<'_>], input: f64) -> f64 {
    let relations: Vec<_> = relations.iter().map(|it| (&it.selectivity, it.rows, it.slots.clone())).collect();
    of_relations(exprs, &relations, input)
}

fn of_relations(exprs: &[&Typed], relations: &[(&Selectivity<'_>, f64, Range<u16>)], input: f64) -> f64 {
    let input = clamp(input);
    let mut groups = 1.0;
    if exprs.is_empty() {
        return groups;
    }
    let mut found: Vec<&Typed> = Vec::new();
    for expr in exprs {
        if expr.ty.oid == SqlType::BOOL.oid {
            groups *= 2.0;
        } else if relations.iter().any(|(selectivity, ..)| selectivity.knows(expr)) {
            found.push(expr);
        } else {
            columns(expr, &mut found);
        }
    }
    for (selectivity, rows, slots) in relations {
        let mut variables: Vec<Variable> = Vec::new();
        let of_relation = found.iter().filter(|expr| {
            let mut read = Vec::new();
            expr.slots(&mut read);
            read.first().is_some_and(|slot| slots.contains(slot))
        });
        of_relation.for_each(|expr| add(&mut variables, expr, selectivity));
        if !variables.is_empty() && selectivity.tuples > 0.0 {
            groups *= of_table(&variables, selectivity, *rows);
        }
    }
    ceil(groups).min(input).max(1.0)
}

fn of_table(variables: &[Variable], selectivity: &Selectivity<'_>, rows: f64) -> f64 {
    let tuples = selectivity.tuples;
    let mut product = 1.0;
    let mut most = 1.0_f64;
    let mut count = 0;
    let mut left: Vec<&Variable> = variables.iter().collect();
    let mut multiply = |distinct: f64| {
        product *= distinct;
        most = most.max(distinct);
        count += 1;
    };
    while let Some((distinct, columns)) =
        selectivity.distinct_together(&left.iter().map(|it| &it.expr).collect::<Vec<_>>())
    {
        multiply(distinct);
        left.retain(|it| !matches!(it.expr.node, Node::Slot(slot) if columns.contains(&(slot + 1))));
    }
    left.iter().for_each(|variable| multiply(variable.distinct));
    // several columns together are taken to be a tenth of the rows at most, but for one that has more values alone
    let bound = if count > 1 { (tuples * 0.1).max(most).min(tuples) } else { tuples };
    let mut distinct = product.min(bound);
    if distinct > 0.0 && rows < tuples {
        distinct *= 1.0 - math::power((tuples - rows) / tuples, tuples / distinct);
    }
    clamp(distinct)
}

/// `add_unique_group_var`
fn add(variables: &mut Vec<Variable>, expr: &Typed, selectivity: &Selectivity<'_>) {
    if !variables.iter().any(|known| known.expr.node == expr.node) {
        variables.push(Variable { expr: expr.clone(), distinct: selectivity.distinct(expr).0 });
    }
}

/// `pull_var_clause`
fn columns<'a>(expr: &'a Typed, found: &mut Vec<&'a Typed>) {
    if matches!(expr.node, Node::Slot(_)) {
        found.push(expr);
    }
    expr.children().into_iter().for_each(|child| columns(child, found));
}
