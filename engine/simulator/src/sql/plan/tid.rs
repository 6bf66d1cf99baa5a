//! Scans by the rows' places (`create_tidscan_paths`, src/backend/optimizer/path/tidpath.c; `cost_tidscan`,
//! `cost_tidrangescan`, costsize.c).
//!
//! ```text
//!  ctid = '(0,1)', ctid IN (…), an OR of such       these places, in their order       Tid Scan
//!  ctid > '(0,5)' AND ctid < '(7,0)'                the blocks between them            Tid Range Scan, since 14
//! ```

use super::cost::{CPU_TUPLE, Cost, UNKNOWN_LENGTH, quals};
use super::selectivity::Selectivity;
use super::size::{Size, ceil};
use super::{TidBound, TidRange, TidScan};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SYSTEM, Typed};
use alloc::vec::Vec;

/// Which system column of the table it is, by its place in [`SYSTEM`].
pub fn system_column(table: &TableInfo, expr: &Typed) -> Option<usize> {
    let Node::Slot(slot) = expr.node else { return None };
    usize::from(slot).checked_sub(table.columns.len()).filter(|place| *place < SYSTEM.len())
}

/// Is it the row's place?
pub fn is_ctid(table: &TableInfo, expr: &Typed) -> bool {
    system_column(table, expr) == Some(0)
}

/// `TidQualFromRestrictInfoList`: the first condition that says which places.
pub fn tid_scan(table: &TableInfo, clauses: &[Typed]) -> Option<TidScan> {
    let found = clauses.iter().enumerate().find_map(|(n, clause)| Some((n, quals_of(table, clause)?)));
    found.map(|(taken, quals)| TidScan { quals, taken })
}

/// The parts of a condition each of which names places; of an OR all must.
fn quals_of(table: &TableInfo, clause: &Typed) -> Option<Vec<Typed>> {
    match &clause.node {
        Node::Binary(BinaryOp::Eq, operands) => {
            let names = |ctid: &Typed, other: &Typed| is_ctid(table, ctid) && other.is_pseudo_constant();
            let is_it = names(&operands.0, &operands.1) || names(&operands.1, &operands.0);
            is_it.then(|| alloc::vec![clause.clone()])
        }
        Node::AnyOf(left, list, false) => {
            let is_it = is_ctid(table, left) && list.iter().all(Typed::is_pseudo_constant);
            is_it.then(|| alloc::vec![clause.clone()])
        }
        Node::AnyElement(parts, false) => {
            let Node::Binary(BinaryOp::Eq, operands) = &parts.1.node else { return None };
            let is_it = is_ctid(table, &operands.0) && operands.1.node == Node::CaseTest;
            (is_it && parts.0.is_pseudo_constant()).then(|| alloc::vec![clause.clone()])
        }
        Node::Or(arms) => {
            let each = arms.iter().map(|arm| match &arm.node {
                Node::And(parts) => parts.iter().find_map(|part| quals_of(table, part)),
                _ => quals_of(table, arm),
            });
            each.collect::<Option<Vec<_>>>().map(|lists| lists.concat())
        }
        _ => None,
    }
}

/// `TidRangeQualFromRestrictInfoList`: all conditions that bound the places.
pub fn tid_range(table: &TableInfo, clauses: &[Typed]) -> Option<TidRange> {
    let bounds = clauses.iter().enumerate().filter_map(|(taken, clause)| {
        let Node::Binary(op, operands) = &clause.node else { return None };
        let is_bound = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let (op, value) = if is_bound && is_ctid(table, &operands.0) {
            (*op, &operands.1)
        } else if is_bound && is_ctid(table, &operands.1) {
            (op.commutator(), &operands.0)
        } else {
            return None;
        };
        value.is_pseudo_constant().then(|| TidBound { op, value: value.clone(), taken })
    });
    let bounds: Vec<TidBound> = bounds.collect();
    (!bounds.is_empty()).then_some(TidRange { bounds })
}

/// `cost_tidscan`: a block for each place.
pub fn tid_scan_cost(scan: &TidScan, clauses: &[Typed], size: Size, major: u32) -> Cost {
    let places = scan.quals.iter().map(|qual| match &qual.node {
        Node::AnyOf(_, list, _) => list.len(),
        Node::AnyElement(..) => UNKNOWN_LENGTH,
        _ => 1,
    });
    let tuples = places.sum::<usize>() as f64;
    with_rows(&scan.quals.iter().collect::<Vec<_>>(), clauses, size.costs.random * tuples, tuples, major)
}

/// `cost_tidrangescan`: the blocks between, one after the other.
pub fn tid_range_cost(
    range: &TidRange,
    clauses: &[Typed],
    size: Size,
    selectivity: &Selectivity<'_>,
    major: u32,
) -> Cost {
    let quals: Vec<&Typed> = range.bounds.iter().map(|bound| &clauses[bound.taken]).collect();
    let share = selectivity.all(&quals);
    let pages = ceil(share * size.pages).max(1.0);
    let disk = size.costs.random + size.costs.seq * (pages - 1.0);
    with_rows(&quals, clauses, disk, share * size.tuples, major)
}

/// The conditions on places are computed once, the others for each row.
fn with_rows(once: &[&Typed], clauses: &[Typed], disk: f64, tuples: f64, major: u32) -> Cost {
    let (once, all) = (quals(once.iter().copied(), major), quals(clauses, major));
    let startup = all.startup + once.total;
    let run = disk + (CPU_TUPLE + all.total - once.total) * tuples;
    Cost { startup, total: startup + run }
}
