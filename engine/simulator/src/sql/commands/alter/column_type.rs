//! ALTER COLUMN … TYPE: what is stored stays where the bytes are the same in both types, else all rows are written
//! anew; what hangs on the column is dropped and made again (`ATPrepAlterColumnType`, `ATExecAlterColumnType`,
//! `ATPostAlterTypeCleanup`, src/backend/commands/tablecmds.c).

use super::Left;
use crate::cluster::ddl::{IndexConstraint, IndexSpec, quote_identifier};
use crate::cluster::pg_class::{ColumnDefault, Constraint};
use crate::sql::StatementError;
use crate::sql::ast::Expr;
use crate::sql::catalog::plancat;
use crate::sql::commands::constraint::RowCheck;
use crate::sql::commands::create_like::{copy_expressions, index_spec};
use crate::sql::commands::rewrite::NewColumn;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::generated::computed_of;
use crate::sql::expr::{Node, Typed, type_name};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::bits::{BIT, VARBIT};
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::zone::Zone;
use ffviz_format::datum::{Attribute, SqlError, SqlType};
use ffviz_format::page::Oid;

/// Changes the type of a column, from 0.
pub(super) fn set_type(
    db: &mut Database,
    table: Oid,
    column: usize,
    ty: SqlType,
    using: Option<&Expr>,
    left: &mut Left,
) -> Result<(), SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Some(attribute) = relation.desc.attributes().get(column).cloned() else { return Ok(()) };
    refuse_dependents(db, &relation, &attribute)?;
    if db.cluster.catalog.domain_of(table, attribute.num).is_some() {
        return Err(unsupported("of a column of a domain"));
    }
    let is_generated = db.cluster.catalog.class(table).is_some_and(|class| class.defaults[column].is_generated());
    if is_generated && using.is_some() {
        let error = SqlError::new("42611", "cannot specify USING when altering type of generated column");
        return Err(error.with_detail(format!("Column \"{}\" is a generated column.", attribute.name)));
    }
    let from = attribute.ty();
    let value = transform(db, &relation, &attribute, ty, using)?;
    check_generated(db, &relation, &attribute)?;
    let zone = db.cluster.pg.backend().settings.style.zone;
    let rewrites = using.is_some() && value.node != Node::Slot(column as u16) || !is_same_on_disk(from, ty, zone);
    let is_indexed =
        |class: &Oid| db.cluster.catalog.class(*class).is_some_and(|class| class.depends.contains(&attribute.num));
    let indexes: Vec<Oid> = relation.indexes.iter().copied().filter(is_indexed).collect();
    if !indexes.is_empty() {
        db.check_order(ty.oid)?;
    }
    let default = db.cluster.catalog.class(table).and_then(|class| class.defaults.get(column).copied());
    // PostgreSQL casts what the default was analyzed to, here it is analyzed anew
    if (is_enum(ty.oid) || is_enum(from.oid)) && default.is_some_and(|default| default.has_row()) {
        return Err(unsupported("of a column with a default, from or to an enum,"));
    }
    // values of columns that came later are of no use in rows that are written anew (`RelationClearMissing`)
    let is_missing = |(n, column): (usize, &Attribute)| !column.dropped && !relation.desc.missing(n).is_null();
    if rewrites && !left.clears_missing && relation.desc.attributes().iter().enumerate().any(is_missing) {
        left.clears_missing = true;
        db.cluster.use_commands(1);
    }
    db.cluster.change_type(table, column, ty);
    make_again(db, usize::from(default.is_some_and(|default| default.has_row())), left);
    // `CheckIndexCompatible`: text and varchar have the same operators, so that entries stay as they are
    let is_compatible =
        !rewrites && (from.oid == ty.oid || [from.oid, ty.oid].iter().all(|oid| [25, 1043].contains(oid)));
    for index in indexes {
        remake(db, table, index, is_compatible, left)?;
    }
    let not_null = if attribute.not_null { db.cluster.oids_of_not_null() } else { 0 };
    let checks = checks(db, table, attribute.num, left)?;
    make_again(db, not_null + checks, left);
    db.cluster.remake_statistics(table, attribute.num);
    if rewrites {
        left.added.push(NewColumn { name: attribute.name, value, sequence: None });
    }
    Ok(())
}

/// Rows of `pg_attrdef` and `pg_constraint` go and come again.
fn make_again(db: &mut Database, count: usize, left: &mut Left) {
    db.cluster.use_commands(2 * count as u32);
    left.use_oids(db, count);
}

fn unsupported(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("ALTER COLUMN … TYPE {what} is not supported"))
}

/// What a server would have to make again, and is not made here.
fn refuse_dependents(db: &Database, relation: &RelationData, attribute: &Attribute) -> Result<(), SqlError> {
    let Some(class) = db.cluster.catalog.class(relation.oid) else { return Ok(()) };
    let refers = |constraint: &Constraint| match constraint {
        Constraint::Foreign { columns, .. } => columns.contains(&attribute.num),
        _ => false,
    };
    if class.constraints.iter().any(refers) || db.cluster.catalog.is_referenced(relation.oid) {
        return Err(unsupported("of a table with foreign keys"));
    }
    if class.statistics_objects.iter().any(|it| it.expr.is_some() && it.depends.contains(&attribute.num)) {
        return Err(unsupported("of a column that statistics of an expression are about"));
    }
    match class.defaults.get(usize::from(attribute.num - 1)) {
        Some(ColumnDefault::Sequence(_) | ColumnDefault::Identity { .. }) => {
            Err(unsupported("of a column with a sequence"))
        }
        Some(ColumnDefault::Virtual(_)) => Err(unsupported("of a virtual generated column")),
        _ => Ok(()),
    }
}

/// `RememberAllDependentForRebuilding`: of no column that a generated one is computed of.
fn check_generated(db: &Database, relation: &RelationData, attribute: &Attribute) -> Result<(), SqlError> {
    let Some(first) = computed_of(db, relation, usize::from(attribute.num - 1))?.into_iter().next() else {
        return Ok(());
    };
    let generated = relation.desc.attributes().get(first).map_or("", |column| &column.name);
    let code = if db.cluster.version().keeps_generated_columns() { "0A000" } else { "42601" };
    let error = SqlError::new(code, "cannot alter type of a column used by a generated column");
    Err(error.with_detail(format!("Column \"{}\" is used by generated column \"{generated}\".", attribute.name)))
}

/// The new value of a row.
fn transform(
    db: &Database,
    relation: &RelationData,
    attribute: &Attribute,
    ty: SqlType,
    using: Option<&Expr>,
) -> Result<Typed, SqlError> {
    let range = plancat::range_of(relation);
    let mut analyzer = db.analyzer(&range);
    analyzer.clause = "USING";
    let (name, to) = (&attribute.name, type_name(ty.oid));
    if let Some(using) = using {
        let typed = analyzer.expr(using).map_err(StatementError::error_with_place)?;
        let wrong = format!("result of USING clause for column \"{name}\" cannot be cast automatically to type {to}");
        return analyzer.assign(typed, name, ty).map_err(|_| SqlError::new("42804", wrong));
    }
    let from = attribute.ty();
    let typed = Typed { node: Node::Slot(attribute.num - 1), ty: from };
    let wrong = format!("column \"{name}\" cannot be cast automatically to type {to}");
    let hint = format!("You might need to specify \"USING {}::{to}\".", quote_identifier(name));
    analyzer.assign(typed, name, ty).map_err(|_| SqlError::new("42804", wrong).with_hint(hint))
}

/// `ATColumnChangeRequiresRewrite`: is each value the same in both types?
fn is_same_on_disk(from: SqlType, to: SqlType, zone: Zone) -> bool {
    const OID: Oid = 26;
    const INT4: Oid = 23;
    const TEXT: Oid = 25;
    const VARCHAR: Oid = 1043;
    const NUMERIC: Oid = 1700;
    const TIME: Oid = 1083;
    const TIMES: [Oid; 2] = [1114, 1184];
    // `TemporalSimplify`
    let is_as_precise = to.typmod < 0 || to.typmod == 6 || from.typmod >= 0 && to.typmod >= from.typmod;
    match (from.oid, to.oid) {
        // `TimestampTimestampTzRequiresRewrite`
        (from, to) if TIMES.contains(&from) && TIMES.contains(&to) => (from == to || zone.is_utc()) && is_as_precise,
        (TIME, TIME) => is_as_precise,
        (VARCHAR, TEXT) | (OID, INT4) | (INT4, OID) => true,
        (TEXT, VARCHAR) | (BIT, VARBIT) | (VARBIT, BIT) => to.typmod < 0,
        _ if from.oid != to.oid => false,
        _ if from.typmod == to.typmod || to.typmod < 0 => true,
        (VARCHAR | VARBIT, _) => from.typmod >= 0 && to.typmod >= from.typmod,
        // the same digits behind the point, and as many before it
        (NUMERIC, _) => {
            let parts = |typmod: i32| ((typmod - 4) >> 16, (typmod - 4) & 0xFFFF);
            let ((precision, scale), (new_precision, new_scale)) = (parts(from.typmod), parts(to.typmod));
            from.typmod >= 0 && scale == new_scale && new_precision >= precision
        }
        _ => false,
    }
}

/// CHECKs that name the column are asked again. Gives how many there are.
fn checks(db: &Database, table: Oid, attnum: u16, left: &mut Left) -> Result<usize, SqlError> {
    let (relation, class) = (db.cluster.pg.relation(table)?, db.cluster.catalog.class(table).cloned());
    let constraints = class.iter().flat_map(|class| &class.constraints);
    let its: Vec<RowCheck> = constraints
        .filter(|constraint| matches!(constraint, Constraint::Check { columns, .. } if columns.contains(&attnum)))
        .filter_map(|constraint| RowCheck::new(db, &relation, constraint))
        .collect();
    let count = its.len();
    left.verify.checks.extend(its);
    Ok(count)
}

/// An index goes, and comes again with the same name; with the same file, where its entries stay as they are
/// (`TryReuseIndex`).
pub(super) fn remake(
    db: &mut Database,
    table: Oid,
    index: Oid,
    keeps_file: bool,
    left: &mut Left,
) -> Result<(), SqlError> {
    let (data, relation) = (db.cluster.pg.relation(index)?, db.cluster.pg.relation(table)?);
    let Some(form) = data.index.clone() else { return Ok(()) };
    if data.index.as_ref().is_some_and(|form| form.gist.is_some()) {
        let message = "ALTER COLUMN TYPE of a column that a GiST index depends on is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let spec = index_spec(db, &relation, &data)?;
    let options = db.cluster.catalog.class(index).map_or_else(Vec::new, |class| class.options.clone());
    let constraint = Constraint::Index(index);
    let is_constraint = db.cluster.catalog.class(table).is_some_and(|class| class.constraints.contains(&constraint));
    let is_clustered = db.cluster.catalog.class(table).is_some_and(|class| class.clustered == Some(index));
    left.makes_relation = true;
    let name: String = data.name.clone();
    let filenode = db.cluster.catalog.class(index).map_or(0, |class| class.filenode);
    let keeps_file = keeps_file && db.cluster.catalog.class(index).is_some_and(|class| !class.has_expressions);
    let reuses = (keeps_file && !form.partial).then_some((data.file, filenode));
    let made = if is_constraint {
        db.cluster.drop_constraint(table, &constraint);
        let attnums: Vec<u16> = form.columns.iter().map(|key| key.attnum).collect();
        let (columns, include) = attnums.split_at(form.n_keys.into());
        db.cluster.add_index_constraint(
            table,
            &IndexConstraint {
                name: Some(name),
                columns: columns.to_vec(),
                include: include.to_vec(),
                primary: form.primary,
                deferrable: form.deferrable,
                nulls_not_distinct: form.nulls_not_distinct,
                fillfactor: data.fillfactor,
                deduplicate_items: form.deduplicate_items,
                gist: None,
                reuses,
            },
        )?
    } else {
        db.cluster.drop_relation(index);
        db.cluster.define_index(&IndexSpec { name, reuses, ..spec })
    };
    db.cluster.edit_class(made, |class| class.options = options);
    copy_expressions(db, index, made, form.columns.len());
    if is_clustered {
        // `RememberClusterOnForRebuilding`: a command of its own
        db.cluster.edit_class(table, |class| class.clustered = Some(made));
        db.cluster.use_commands(1);
    }
    match reuses {
        Some((file, _)) => db.cluster.preserve_file(file),
        None => left.indexes.push(made),
    }
    Ok(())
}
