//! The order in which groups, and rows of DISTINCT, come out where nothing is said of it: as the plan makes them,
//! sorted by their keys or from a hash table.

use super::hash_table::order;
use super::sort::keys_of;
use super::tuplesort::{SortTuple, Tuplesort};
use crate::sql::executor::hash::hash_of;
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::{SelectPlan, SetOrder, Step, StepNode};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

const BPCHAR: u32 = 1042;

/// The keys of the Sort below a node.
fn sorted_by(below: &[Step]) -> Option<&[SortKey]> {
    below.iter().rev().find_map(|step| if let StepNode::Sort(keys, _) = &step.node { Some(&keys[..]) } else { None })
}

/// The values of a row in that order, as its hash sees them; `None`: a key is none of the expressions.
fn hashed(keys: &[Typed], exprs: &[&Typed], values: &[Value]) -> Option<u32> {
    let value = |key: &Typed| {
        let value = &values[exprs.iter().position(|expr| expr.node == key.node)?];
        // `hashbpchar`: blanks at the end do not count
        Some(match value {
            Value::Text(text) if key.ty.oid == BPCHAR => {
                let length = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
                Value::Text(text[..length].into())
            }
            value => value.clone(),
        })
    };
    hash_of(&keys.iter().map(value).collect::<Option<Vec<Value>>>()?)
}

/// The numbers of rows, sorted by what each is sorted by.
fn sorted(db: &mut Database, keys: &[SortKey], rows: impl Iterator<Item = Vec<Value>>) -> Outcome<Vec<usize>> {
    let mut sort = Tuplesort::new(keys, 0, None);
    for (row, by) in rows.enumerate() {
        sort.put(db, SortTuple { by, row })?;
    }
    Ok(sort.perform(db)?.into_iter().map(|tuple| tuple.row).collect())
}

/// Takes the rows in that order.
fn taken<T>(rows: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut rows: Vec<Option<T>> = rows.into_iter().map(Some).collect();
    order.iter().filter_map(|at| rows[*at].take()).collect()
}

/// Groups, each with its first row and its keys, as they come out. They are given as they came; `goes_on`: the last row
/// was no new group.
pub(super) fn of_groups<T>(
    db: &mut Database,
    plan: &SelectPlan,
    groups: Vec<T>,
    parts: impl Fn(&T) -> (&[Value], &[Value]),
    goes_on: bool,
) -> Outcome<Vec<T>> {
    let Some(upper) = &plan.upper else { return Ok(groups) };
    let is_grouping =
        |step: &Step| matches!(step.node, StepNode::Hashed(..) | StepNode::Sorted(_) | StepNode::Group(_));
    let Some(at) = upper.steps.iter().position(is_grouping) else { return Ok(groups) };
    if let StepNode::Hashed(keys, expected) = &upper.steps[at].node {
        let exprs: Vec<&Typed> = plan.group.iter().collect();
        let hashes = groups.iter().map(|group| hashed(keys, &exprs, parts(group).1)).collect::<Option<Vec<u32>>>();
        return Ok(match hashes {
            Some(hashes) => taken(groups, &order(&hashes, *expected, goes_on)),
            None => groups,
        });
    }
    let Some(keys) = sorted_by(&upper.steps[..at]) else { return Ok(groups) };
    let by = groups.iter().map(|group| keys_of(db, keys, parts(group).0)).collect::<Outcome<Vec<_>>>()?;
    let order = sorted(db, keys, by.into_iter())?;
    Ok(taken(groups, &order))
}

/// Are rows made distinct by a hash table, and sorted after that?
pub(super) fn sorts_distinct(plan: &SelectPlan) -> bool {
    let is_hashed = |step: &Step| matches!(step.node, StepNode::Distinct(..));
    plan.upper.as_ref().is_some_and(|upper| upper.steps.iter().any(is_hashed))
}

/// By how many keys of ORDER BY the rows are sorted when they come to it, where they are sorted within groups then.
pub(super) fn presorted(plan: &SelectPlan) -> usize {
    let steps = plan.upper.iter().flat_map(|upper| upper.steps.iter().rev());
    let last = steps.map(|step| &step.node).find(|node| !matches!(node, StepNode::Limit | StepNode::Result));
    match last {
        Some(StepNode::Sort(keys, presorted)) if keys.len() == plan.sort.len() => *presorted,
        _ => 0,
    }
}

/// Rows of DISTINCT ON without ORDER BY, sorted by its expressions: the first of equal ones is kept.
pub(super) fn for_distinct_on<T>(
    db: &mut Database,
    plan: &SelectPlan,
    on: &[Typed],
    rows: Vec<T>,
    values: impl Fn(&T) -> &[Value],
) -> Outcome<Vec<T>> {
    let Some(upper) = plan.upper.as_ref().filter(|_| plan.sort.is_empty() && !on.is_empty()) else { return Ok(rows) };
    let Some(keys) = sorted_by(&upper.steps) else { return Ok(rows) };
    let places = keys.iter().map(|key| on.iter().position(|expr| expr.node == key.expr.node));
    let Some(places) = places.collect::<Option<Vec<usize>>>() else { return Ok(rows) };
    let by = |row: &T| places.iter().map(|at| values(row)[*at].clone()).collect();
    let order = sorted(db, keys, rows.iter().map(by))?;
    Ok(taken(rows, &order))
}

/// Rows of DISTINCT without ORDER BY, as they come out; likewise.
pub(super) fn of_distinct<T>(
    db: &mut Database,
    plan: &SelectPlan,
    rows: Vec<T>,
    values: impl Fn(&T) -> &[Value],
    goes_on: bool,
) -> Outcome<Vec<T>> {
    let targets = plan.targets.iter().map(|target| target.value.expr().map(|expr| plan.over_rows(expr)));
    let targets: Option<Vec<Typed>> = targets.collect();
    let (Some(upper), Some(targets)) = (&plan.upper, targets) else { return Ok(rows) };
    let targets: Vec<&Typed> = targets.iter().collect();
    let is_distinct = |step: &Step| matches!(step.node, StepNode::Distinct(..) | StepNode::Unique);
    let Some(at) = upper.steps.iter().position(is_distinct) else { return Ok(rows) };
    if let StepNode::Distinct(keys, expected) = &upper.steps[at].node {
        let hashes = rows.iter().map(|row| hashed(keys, &targets, values(row))).collect::<Option<Vec<u32>>>();
        return Ok(match hashes {
            Some(hashes) => taken(rows, &order(&hashes, *expected, goes_on)),
            None => rows,
        });
    }
    let Some(StepNode::Sort(keys, _)) = at.checked_sub(1).map(|below| &upper.steps[below].node) else {
        return Ok(rows);
    };
    if !plan.sort.is_empty() {
        return Ok(rows);
    }
    let places = keys.iter().map(|key| targets.iter().position(|target| target.node == key.expr.node));
    let Some(places) = places.collect::<Option<Vec<usize>>>() else { return Ok(rows) };
    let by = |row: &T| places.iter().map(|at| values(row)[*at].clone()).collect();
    let order = sorted(db, keys, rows.iter().map(by))?;
    Ok(taken(rows, &order))
}

/// Different rows of UNION and its like, with columns of these types, as they come out; likewise.
pub(super) fn of_set<T>(
    db: &mut Database,
    order_of_rows: SetOrder,
    columns: &[Typed],
    rows: Vec<T>,
    values: impl Fn(&T) -> &Vec<Value>,
    goes_on: bool,
) -> Outcome<Vec<T>> {
    let column = |(n, column): (usize, &Typed)| Typed { node: Node::Slot(n as u16), ty: column.ty };
    let keys: Vec<Typed> = columns.iter().enumerate().map(column).collect();
    match order_of_rows {
        SetOrder::Hashed(expected) => {
            let exprs: Vec<&Typed> = keys.iter().collect();
            let hashes = rows.iter().map(|row| hashed(&keys, &exprs, values(row))).collect::<Option<Vec<u32>>>();
            Ok(match hashes {
                Some(hashes) => taken(rows, &order(&hashes, expected, goes_on)),
                None => rows,
            })
        }
        SetOrder::Sorted => {
            let key = |expr: Typed| SortKey { expr, descending: false, nulls_first: false };
            let keys: Vec<SortKey> = keys.into_iter().map(key).collect();
            let order = sorted(db, &keys, rows.iter().map(|row| values(row).clone()))?;
            Ok(taken(rows, &order))
        }
    }
}
