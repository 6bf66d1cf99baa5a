//! FOR VALUES (`transformPartitionBound`, src/backend/parser/parse_utilcmd.c; `check_new_partition_bound`,
//! `check_default_partition_contents`, src/backend/partitioning/partbounds.c).

use super::{lock, refuse};
use crate::cluster::partition::{PartitionBound, PartitionStrategy, RangeDatum};
use crate::sql::StatementError;
use crate::sql::ast::{BoundDatum, BoundSpec, Expr};
use crate::sql::commands::constraint::is_within;
use crate::sql::commands::rewrite::{no_wait, scan_rows};
use crate::sql::executor::row::eval;
use crate::sql::expr::RangeTable;
use crate::sql::partition::{PartitionDesc, range_text};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// The bound that is written, of a partition of that table.
pub(super) fn transform(
    db: &mut Database,
    parent: &RelationData,
    desc: &PartitionDesc,
    spec: &BoundSpec,
) -> Result<PartitionBound, SqlError> {
    let wrong = |word: &str| SqlError::new("42P16", format!("invalid bound specification for a {word} partition"));
    let strategy = desc.strategy;
    Ok(match spec {
        BoundSpec::Default if strategy == PartitionStrategy::Hash => {
            return Err(SqlError::new("42P16", "a hash-partitioned table may not have a default partition"));
        }
        BoundSpec::Default => PartitionBound::Default,
        BoundSpec::In(list) if strategy == PartitionStrategy::List => {
            let mut values: Vec<Value> = Vec::new();
            for expr in list {
                let value = constant(db, parent, desc, 0, expr)?;
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            PartitionBound::List(values)
        }
        BoundSpec::FromTo(from, to) if strategy == PartitionStrategy::Range => {
            for (word, bound) in [("FROM", from), ("TO", to)] {
                if bound.len() != desc.keys.len() {
                    let message = format!("{word} must specify exactly one value per partitioning column");
                    return Err(SqlError::new("42P16", message));
                }
            }
            PartitionBound::Range(range(db, parent, desc, from)?, range(db, parent, desc, to)?)
        }
        BoundSpec::With(modulus, remainder) if strategy == PartitionStrategy::Hash => hash(*modulus, *remainder)?,
        _ => return Err(wrong(strategy.word())),
    })
}

fn hash(modulus: i64, remainder: i64) -> Result<PartitionBound, SqlError> {
    let invalid = |message: &'static str| SqlError::new("42P16", message);
    let (Ok(modulus), Ok(remainder)) = (i32::try_from(modulus), i32::try_from(remainder)) else {
        return Err(refuse("so large a modulus"));
    };
    if modulus <= 0 {
        return Err(invalid("modulus for hash partition must be an integer value greater than zero"));
    }
    if remainder < 0 {
        return Err(invalid("remainder for hash partition must be an integer value greater than or equal to zero"));
    }
    if remainder >= modulus {
        return Err(invalid("remainder for hash partition must be less than modulus"));
    }
    Ok(PartitionBound::Hash(modulus, remainder))
}

fn range(
    db: &mut Database,
    parent: &RelationData,
    desc: &PartitionDesc,
    bound: &[BoundDatum],
) -> Result<Vec<RangeDatum>, SqlError> {
    let mut all = Vec::new();
    for (n, datum) in bound.iter().enumerate() {
        all.push(match datum {
            BoundDatum::MinValue => RangeDatum::Min,
            BoundDatum::MaxValue => RangeDatum::Max,
            BoundDatum::Value(expr) => RangeDatum::Value(constant(db, parent, desc, n, expr)?),
        });
    }
    if all.contains(&RangeDatum::Value(Value::Null)) {
        return Err(SqlError::new("42P17", "cannot specify NULL in range bound"));
    }
    // `validateInfiniteBounds`
    for pair in all.windows(2) {
        let follows = match pair[0] {
            RangeDatum::Min => "MINVALUE",
            RangeDatum::Max => "MAXVALUE",
            RangeDatum::Value(_) => continue,
        };
        if pair[0] != pair[1] {
            let message = format!("every bound following {follows} must also be {follows}");
            return Err(SqlError::new("42804", message));
        }
    }
    Ok(all)
}

/// `transformPartitionBoundValue`
fn constant(
    db: &mut Database,
    parent: &RelationData,
    desc: &PartitionDesc,
    key: usize,
    expr: &Expr,
) -> Result<Value, SqlError> {
    let (column, ty) = desc.keys[key];
    let nothing = RangeTable::default();
    let name = &parent.desc.attributes()[usize::from(column)].name;
    let typed = {
        let mut analyzer = db.analyzer(&nothing);
        analyzer.clause = "partition bound";
        analyzer.assigned(expr, name, ty)
    };
    let typed = typed.map_err(|error| match error.error.sqlstate {
        // PostgreSQL says it otherwise here
        "42804" | "42703" | "42P01" => refuse("a value of a partition bound that is not of the column's type"),
        _ => StatementError::error_with_place(error),
    })?;
    if !typed.is_pseudo_constant() {
        return Err(refuse("this value of a partition bound"));
    }
    eval(db, &typed, &[], &[]).map_err(no_wait)
}

/// Does the bound fit those of the other partitions?
pub(super) fn check(db: &Database, desc: &PartitionDesc, name: &str, bound: &PartitionBound) -> Result<(), SqlError> {
    if let PartitionBound::Range(from, to) = bound
        && desc.is_empty_range(from, to)
    {
        let error = SqlError::new("42P17", format!("empty range bound specified for partition \"{name}\""));
        let (from, to) = (range_text(desc, from), range_text(desc, to));
        let detail = format!("Specified lower bound {from} is greater than or equal to upper bound {to}.");
        return Err(error.with_detail(detail));
    }
    check_modulus(db, desc, bound)?;
    let Some(other) = desc.overlapping(bound) else { return Ok(()) };
    let other = db.cluster.catalog.class(other).map_or("", |class| &class.name);
    let message = match bound {
        PartitionBound::Default => {
            format!("partition \"{name}\" conflicts with existing default partition \"{other}\"")
        }
        _ => format!("partition \"{name}\" would overlap partition \"{other}\""),
    };
    Err(SqlError::new("42P17", message))
}

/// No row of the default partition may belong to the new one.
pub(super) fn check_default(db: &mut Database, desc: &PartitionDesc, bound: &PartitionBound) -> Result<(), SqlError> {
    let Some(default) = desc.default_part().filter(|_| *bound != PartitionBound::Default) else { return Ok(()) };
    lock(db, default)?;
    for table in db.cluster.catalog.inheritors(default) {
        let relation = db.cluster.pg.relation(table)?;
        if db.cluster.catalog.partition_key(table).is_some() {
            continue;
        }
        let found = scan_rows(db, &relation, |_, values| match is_within(desc, bound, &values) {
            false => Ok(()),
            true => {
                let message = format!(
                    "updated partition constraint for default partition \"{}\" would be violated by some row",
                    relation.name
                );
                Err(SqlError::new("23514", message).into())
            }
        });
        found.map_err(no_wait)?;
    }
    Ok(())
}

/// The rows of a table that becomes a partition have to be within its bound.
pub(super) fn check_rows(
    db: &mut Database,
    table: Oid,
    bounds: &[(PartitionDesc, PartitionBound)],
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let found = scan_rows(db, &relation, |_, values| {
        if bounds.iter().all(|(desc, bound)| is_within(desc, bound, &values)) {
            return Ok(());
        }
        let message = format!("partition constraint of relation \"{}\" is violated by some row", relation.name);
        Err(SqlError::new("23514", message).into())
    });
    found.map_err(no_wait)
}

/// Moduli of hash partitions are factors of one another, by size.
fn check_modulus(db: &Database, desc: &PartitionDesc, bound: &PartitionBound) -> Result<(), SqlError> {
    let PartitionBound::Hash(modulus, remainder) = *bound else { return Ok(()) };
    let others = desc.parts.iter().filter_map(|part| match part.bound {
        PartitionBound::Hash(modulus, remainder) => Some((modulus, remainder, part.oid)),
        _ => None,
    });
    let mut others: Vec<_> = others.collect();
    others.sort_unstable();
    let behind = others.partition_point(|(of, at, _)| (*of, *at) <= (modulus, remainder));
    let fails = |(other, _, oid): &(_, _, Oid), is_before: bool| {
        let (word, is_bad) = match is_before {
            true => ("divisible by", modulus % other != 0),
            false => ("a factor of", other % modulus != 0),
        };
        let name = db.cluster.catalog.class(*oid).map_or("", |class| &class.name);
        let modulus = format!("The new modulus {modulus} is not {word} {other}");
        is_bad.then(|| format!("{modulus}, the modulus of existing partition \"{name}\"."))
    };
    let before = others[..behind].last().and_then(|other| fails(other, true));
    let Some(detail) = before.or_else(|| others.get(behind).and_then(|other| fails(other, false))) else {
        return Ok(());
    };
    let error = SqlError::new("42P17", "every hash partition modulus must be a factor of the next larger modulus");
    Err(if db.cluster.version().tells_moduli() { error.with_detail(detail) } else { error })
}
