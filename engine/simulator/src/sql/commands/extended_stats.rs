//! What ANALYZE finds out of several columns together: `statext_ndistinct_build` (src/backend/statistics/mvdistinct.c),
//! `statext_dependencies_build` (dependencies.c), `statext_mcv_build` (mcv.c).

use super::analyze::{VARHDRSZ, WIDTH_THRESHOLD, examine};
use crate::access::heap::detoast_attr;
use crate::cluster::pg_class::ExprId;
use crate::cluster::{CommonRow, ExtendedStats, StatisticsObject};
use crate::qsort::pg_qsort;
use crate::sql::executor::row::eval;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::compare::{Comparator, comparator};
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::varlena::raw_size;
use ffviz_format::datum::{Attribute, Value};
use ffviz_format::page::Oid;

/// The columns of an object in the rows of the sample (`StatsBuildData`).
struct Sample {
    columns: Vec<u16>,
    compare: Vec<Comparator>,
    rows: Vec<Vec<Value>>,
    /// which of their values are too wide to be kept
    wide: Vec<Vec<bool>>,
    /// rows of the table
    total: f64,
}

/// A row of values, and how many rows have it.
struct Group<'a> {
    values: &'a [Value],
    count: usize,
}

/// `BuildRelationExtStatistics`, of one object.
pub(super) fn build_extended(
    db: &mut Database,
    relation: &RelationData,
    object: &StatisticsObject,
    (rows, target, total): (&[Vec<Value>], u16, f64),
) -> Outcome<()> {
    if target == 0 {
        return Ok(());
    }
    if let Some(id) = object.expr {
        return build_of_expression(db, relation, (object.oid, id), (rows, target, total));
    }
    let sample = sample(db, relation, object, (rows, total))?;
    let has = |kind: u8| object.kinds.contains(&kind);
    let found = ExtendedStats {
        columns: object.columns.clone(),
        ndistinct: if has(b'd') { sample.ndistinct() } else { Vec::new() },
        dependencies: if has(b'f') { sample.dependencies() } else { Vec::new() },
        most_common: if has(b'm') { sample.most_common(target.into()) } else { Vec::new() },
        expr: None,
    };
    store(db, relation.oid, object.oid, found);
    Ok(())
}

/// `statext_store`
fn store(db: &mut Database, table: Oid, object: Oid, found: ExtendedStats) {
    let found = Arc::new(found);
    db.cluster.edit_class(table, |class| {
        let objects = class.statistics_objects.iter_mut().filter(|it| it.oid == object);
        objects.for_each(|it| it.data = Some(found.clone()));
    });
}

/// `compute_expr_stats`
fn build_of_expression(
    db: &mut Database,
    relation: &RelationData,
    (object, id): (Oid, ExprId),
    (rows, target, total): (&[Vec<Value>], u16, f64),
) -> Outcome<()> {
    let Some(expr) = db.statistics_expr(relation, id) else { return Ok(()) };
    // what an expression gives has a header of four bytes
    let attribute = Attribute { storage: 'p', ..expr.ty.attribute(1, "expr") };
    let values = rows.iter().map(|row| Ok(Vec::from([eval(db, &expr, row, &[])?]))).collect::<Outcome<Vec<_>>>()?;
    let found = examine(db, &[attribute], 0, target, &values, total)?;
    store(db, relation.oid, object, ExtendedStats { expr: found.map(Arc::new), ..ExtendedStats::default() });
    Ok(())
}

/// `make_build_data`
fn sample(
    db: &mut Database,
    relation: &RelationData,
    object: &StatisticsObject,
    (rows, total): (&[Vec<Value>], f64),
) -> Outcome<Sample> {
    let of = |attnum: &u16| relation.desc.attributes().get(usize::from(*attnum) - 1);
    let attributes: Vec<_> = object.columns.iter().filter_map(of).collect();
    let compare = attributes.iter().map(|it| comparator(it.typid).unwrap_or(|_, _| Ordering::Equal)).collect();
    let (mut read, mut wide) = (Vec::new(), Vec::new());
    for row in rows {
        let (mut values, mut are_wide) = (Vec::new(), Vec::new());
        for attribute in &attributes {
            let value = row.get(usize::from(attribute.num) - 1).unwrap_or(&Value::Null);
            are_wide.push(!value.is_null() && attribute.len < 0 && raw_size(value) + VARHDRSZ > WIDTH_THRESHOLD);
            let is_stored = matches!(value, Value::Stored(_));
            let kind = Kind::of(attribute.typid);
            values.push(if is_stored { detoast_attr(&mut db.cluster.pg, value, kind)? } else { value.clone() });
        }
        wide.push(are_wide);
        read.push(values);
    }
    Ok(Sample { columns: object.columns.clone(), compare, rows: read, wide, total })
}

impl Sample {
    /// `multi_sort_compare_dims`: NULL above all else.
    fn compare(&self, a: &[Value], b: &[Value], dims: &[usize]) -> Ordering {
        let of = |n: usize| match (a[n].is_null(), b[n].is_null()) {
            (false, false) => self.compare[n](&a[n], &b[n]),
            (a, b) => a.cmp(&b),
        };
        dims.iter().map(|n| of(*n)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// `build_sorted_items`: the rows in the order of these columns; `is_narrow`: without those that have a wide value
    /// in one of them.
    fn sorted(&self, dims: &[usize], is_narrow: bool) -> Vec<&[Value]> {
        let is_kept = |wide: &[bool]| !is_narrow || !dims.iter().any(|n| wide[*n]);
        let rows = self.rows.iter().zip(&self.wide);
        let mut sorted: Vec<&[Value]> = rows.filter(|(_, wide)| is_kept(wide)).map(|(row, _)| &row[..]).collect();
        pg_qsort(&mut sorted, &mut |a, b| self.compare(a, b, dims));
        sorted
    }

    fn attnums(&self, dims: &[usize]) -> Vec<u16> {
        dims.iter().map(|n| self.columns[*n]).collect()
    }

    /// How many sets of values each two and more of the columns have.
    fn ndistinct(&self) -> Vec<(Vec<u16>, f64)> {
        let n = self.columns.len();
        let all = (2..=n).flat_map(|k| combinations(n, k));
        all.map(|dims| (self.attnums(&dims), self.distinct(&dims))).collect()
    }

    /// `ndistinct_for_combination`, `estimate_ndistinct`: of Haas and Stokes.
    fn distinct(&self, dims: &[usize]) -> f64 {
        let sorted = self.sorted(dims, false);
        let groups = sorted.chunk_by(|a, b| self.compare(a, b, dims).is_eq());
        let (mut different, mut once) = (0.0, 0.0);
        for group in groups {
            different += 1.0;
            once += if group.len() == 1 { 1.0 } else { 0.0 };
        }
        let rows = self.rows.len() as f64;
        let estimate = rows * different / ((rows - once) + once * rows / self.total);
        (estimate.max(different).min(self.total) + 0.5) as u64 as f64
    }

    /// From the narrowest on; those that hold of no row are left out.
    fn dependencies(&self) -> Vec<(Vec<u16>, f64)> {
        let n = self.columns.len();
        let mut found = Vec::new();
        for k in 2..=n {
            for implying in combinations(n, k - 1) {
                for implied in (0..n).filter(|implied| !implying.contains(implied)) {
                    let degree = self.degree(&implying, implied);
                    if degree > 0.0 {
                        found.push((self.attnums(&[&implying[..], &[implied]].concat()), degree));
                    }
                }
            }
        }
        found
    }

    /// `dependency_degree`: the share of the rows with whose values the other column has one value only.
    fn degree(&self, implying: &[usize], implied: usize) -> f64 {
        let sorted = self.sorted(&[implying, &[implied]].concat(), true);
        let groups = sorted.chunk_by(|a, b| self.compare(a, b, implying).is_eq());
        let is_one = |group: &&[&[Value]]| group.windows(2).all(|two| self.compare(two[0], two[1], &[implied]).is_eq());
        let supporting: usize = groups.filter(is_one).map(<[_]>::len).sum();
        supporting as f64 / self.rows.len() as f64
    }

    fn most_common(&self, target: usize) -> Vec<CommonRow> {
        let dims: Vec<usize> = (0..self.columns.len()).collect();
        let sorted = self.sorted(&dims, true);
        let groups = sorted.chunk_by(|a, b| self.compare(a, b, &dims).is_eq());
        // which of equally common ones come first is up to the sort
        let mut groups: Vec<Group<'_>> = groups.map(|rows| Group { values: rows[0], count: rows.len() }).collect();
        pg_qsort(&mut groups, &mut |a, b| b.count.cmp(&a.count));
        let rows = self.rows.len() as f64;
        let least = self.least_count();
        let kept = groups.iter().take(target).take_while(|group| group.count as f64 >= least);
        let share = |values: &[Value], n: usize| {
            let equal = groups.iter().filter(|group| self.compare(group.values, values, &[n]).is_eq());
            equal.map(|group| group.count).sum::<usize>() as f64 / rows
        };
        let row = |group: &Group<'_>| CommonRow {
            values: group.values.to_vec(),
            frequency: group.count as f64 / rows,
            base_frequency: dims.iter().map(|n| share(group.values, *n)).product(),
        };
        kept.map(row).collect()
    }

    /// `get_mincount_for_mcv_list`
    fn least_count(&self) -> f64 {
        let (n, all) = (self.rows.len() as f64, self.total);
        let denominator = all - n + 0.04 * n * (all - 1.0);
        if denominator == 0.0 { 0.0 } else { n * (all - n) / denominator }
    }
}

/// `generate_combinations`: so many of the numbers below n, in order.
fn combinations(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::from([Vec::new()]);
    for _ in 0..k {
        let longer = |one: &Vec<usize>| {
            let first = one.last().map_or(0, |last| last + 1);
            (first..n).map(|next| [&one[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
