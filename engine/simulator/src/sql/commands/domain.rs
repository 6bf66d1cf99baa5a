//! CREATE DOMAIN, ALTER DOMAIN (`DefineDomain`, `AlterDomainAddConstraint` and its like,
//! src/backend/commands/typecmds.c).

use super::partition::plain_kind;
use super::rewrite::scan_rows;
use super::{composite, defaults, drop_type};
use crate::cluster::namespace::missing as missing_schema;
use crate::cluster::pg_class::ExprId;
use crate::cluster::{DomainCheck, DomainPart, DomainType};
use crate::sql::StatementError;
use crate::sql::ast::{DomainAction, DomainClause, DomainStatement, Expr, ExprNode, Literal, RangeVar};
use crate::sql::catalog::domains::range_of_value;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{RelationData, Stop};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::enums::mark;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Runs the statement. Gives its command tag.
pub(in crate::sql) fn run(db: &mut Database, statement: &DomainStatement) -> Result<String, SqlError> {
    match statement {
        DomainStatement::Create { name, base, clauses } => create(db, name, *base, clauses)?,
        DomainStatement::Alter { name, action } => alter(db, name, action)?,
        DomainStatement::Drop { names, if_exists, cascade } => drop_type::drop(db, names, true, *if_exists, *cascade)?,
    }
    Ok(statement.tag().to_string())
}

/// `DefineDomain`: what is said of NULL and DEFAULT comes before the CHECKs.
fn create(db: &mut Database, name: &RangeVar, base: SqlType, clauses: &[DomainClause]) -> Result<(), SqlError> {
    let (schema, _) = db.creation(name)?;
    let name = &name.name;
    check_new_name(db, &schema, name)?;
    let default = default_of(db, name, base, clauses)?;
    let oid = db.cluster.begin_domain();
    let mut taken: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for clause in clauses {
        parts.push(match clause {
            DomainClause::Check(given, expr) => {
                let check_name = constraint_name(db, (&schema, name), "check", given.as_ref(), &taken)?;
                taken.push(check_name.clone());
                let expr = check_expr(db, base, expr)?;
                DomainPart::Check(DomainCheck { name: check_name, expr, validated: true })
            }
            DomainClause::NotNull(given) => {
                let given = constraint_name(db, (&schema, name), "not_null", given.as_ref(), &taken)?;
                taken.push(given.clone());
                DomainPart::NotNull(given)
            }
            _ => DomainPart::Other,
        });
    }
    let (schema, name) = (schema, name.clone());
    let domain = DomainType { oid, schema, name, base, not_null: None, default, checks: Vec::new() };
    db.cluster.create_domain(domain, parts);
    Ok(())
}

fn check_new_name(db: &Database, schema: &str, name: &str) -> Result<(), SqlError> {
    let relation = db.cluster.catalog.find(schema, name).and_then(|oid| db.cluster.catalog.class(oid));
    let has_row_type = relation
        .is_some_and(|class| matches!(plain_kind(class.kind), RelKind::Table | RelKind::MaterializedView))
        || db.cluster.catalog.views().any(|((in_schema, view), _)| *in_schema == schema && view == name);
    if has_row_type || db.cluster.catalog.has_type(schema, name) {
        return Err(SqlError::new("42710", format!("type \"{name}\" already exists")));
    }
    Ok(())
}

/// DEFAULT, where there is one that is not NULL; what else is wrong with the clauses.
fn default_of(
    db: &mut Database,
    name: &str,
    base: SqlType,
    clauses: &[DomainClause],
) -> Result<Option<ExprId>, SqlError> {
    let (mut default, mut has_default, mut not_null) = (None, false, None);
    for clause in clauses {
        match clause {
            DomainClause::Default(_) if has_default => {
                return Err(SqlError::new("42601", "multiple default expressions"));
            }
            DomainClause::Default(expr) => {
                has_default = true;
                default = kept_default(db, name, base, expr)?;
            }
            DomainClause::NotNull(_) if not_null == Some(true) && db.cluster.version().refuses_not_null_twice() => {
                return Err(SqlError::new("42601", "redundant NOT NULL constraint definition"));
            }
            DomainClause::NotNull(_) | DomainClause::Null => {
                let now = matches!(clause, DomainClause::NotNull(_));
                if not_null.is_some_and(|before: bool| before != now) {
                    return Err(SqlError::new("42601", "conflicting NULL/NOT NULL constraints"));
                }
                not_null = Some(now);
            }
            DomainClause::OfTable(what) => {
                return Err(SqlError::new("42601", format!("{what} constraints not possible for domains")));
            }
            DomainClause::Check(..) => {}
        }
    }
    Ok(default)
}

/// `cookDefault`
fn kept_default(db: &mut Database, name: &str, base: SqlType, expr: &Expr) -> Result<Option<ExprId>, SqlError> {
    defaults::cooked(db, expr, name, base)?;
    if expr.node == ExprNode::Literal(Literal::Null) {
        return Ok(None);
    }
    Ok(Some(db.expressions.keep(expr, None)))
}

/// `domainAddCheckConstraint`: the expression, once it is known to be one over VALUE.
fn check_expr(db: &mut Database, base: SqlType, expr: &Expr) -> Result<ExprId, SqlError> {
    let range = range_of_value(base);
    let mut analyzer = db.analyzer(&range);
    analyzer.clause = "CHECK";
    analyzer.condition(expr).map_err(StatementError::error_with_place)?;
    Ok(db.expressions.keep_over(expr, Vec::from([String::from("value")])))
}

/// The name that is given, or one that nobody has; `taken`: those of constraints that are made with it.
fn constraint_name(
    db: &Database,
    (schema, domain): (&str, &str),
    label: &str,
    given: Option<&String>,
    taken: &[String],
) -> Result<String, SqlError> {
    let Some(given) = given else { return Ok(db.cluster.domain_constraint_name(schema, domain, label, taken)) };
    let has_it = db.cluster.catalog.domain_named(schema, domain).is_some_and(|it| it.has_constraint(given));
    if has_it || taken.contains(given) {
        return Err(constraint_exists(given, domain));
    }
    Ok(given.clone())
}

fn constraint_exists(name: &str, domain: &str) -> SqlError {
    SqlError::new("42710", format!("constraint \"{name}\" for domain \"{domain}\" already exists"))
}

/// `AlterDomainStmt` and `RenameStmt`
fn alter(db: &mut Database, name: &RangeVar, action: &DomainAction) -> Result<(), SqlError> {
    let domain = find(db, name, |name| format!("{name} is not a domain"))?;
    let oid = domain.oid;
    match action {
        DomainAction::Default(expr) => {
            let default = match expr {
                Some(expr) => kept_default(db, &domain.name, domain.base, expr)?,
                None => None,
            };
            db.cluster.alter_domain(oid, |domain| domain.default = default);
        }
        DomainAction::NotNull(wanted) if *wanted == domain.not_null.is_some() => {}
        DomainAction::NotNull(false) => db.cluster.set_domain_not_null(oid, None),
        DomainAction::NotNull(true) => {
            let name = constraint_name(db, (&domain.schema, &domain.name), "not_null", None, &[])?;
            if db.cluster.version().catalogs_not_null_of_domains() {
                db.cluster.begin_domain_constraint();
            }
            validate(
                db,
                &domain,
                |_, value| Ok(!value.is_null()),
                |column, table| {
                    let message = format!("column \"{column}\" of table \"{table}\" contains null values");
                    SqlError::new("23502", message)
                },
            )?;
            db.cluster.set_domain_not_null(oid, Some(name));
        }
        DomainAction::AddCheck { name, expr, not_valid } => {
            let name = constraint_name(db, (&domain.schema, &domain.name), "check", name.as_ref(), &[])?;
            let expr = check_expr(db, domain.base, expr)?;
            db.cluster.begin_domain_constraint();
            if !not_valid {
                validate_check(db, &domain, expr)?;
            }
            db.cluster.add_domain_check(oid, DomainCheck { name, expr, validated: !not_valid });
        }
        DomainAction::Validate(name) => {
            let check = find_check(&domain, name, || format!("constraint \"{name}\" of domain \"{}\"", domain.name))?;
            if !domain.checks[check].validated {
                validate_check(db, &domain, domain.checks[check].expr)?;
                db.cluster.alter_domain(oid, |domain| domain.checks[check].validated = true);
            }
        }
        DomainAction::DropConstraint { name, if_exists } => {
            let what = || format!("constraint \"{name}\" of domain \"{}\"", domain.name);
            match find_check(&domain, name, what) {
                Ok(check) => db.cluster.alter_domain(oid, |domain| {
                    domain.checks.remove(check);
                }),
                Err(error) if *if_exists && error.sqlstate == "42704" => {}
                Err(error) => return Err(error),
            }
        }
        DomainAction::RenameConstraint(from, to) => {
            let what = || format!("constraint \"{from}\" for domain {}", mark(oid));
            let check = find_check(&domain, from, what)?;
            if domain.has_constraint(to) {
                let message = format!("constraint \"{to}\" for domain {} already exists", mark(oid));
                return Err(SqlError::new("42710", message));
            }
            db.cluster.alter_domain(oid, |domain| domain.checks[check].name.clone_from(to));
        }
        DomainAction::Rename(to) => {
            check_new_name(db, &domain.schema, to)?;
            db.cluster.alter_domain(oid, |domain| domain.name.clone_from(to));
        }
    }
    Ok(())
}

/// The place of a CHECK; `what` for the message.
fn find_check(domain: &DomainType, name: &str, what: impl Fn() -> String) -> Result<usize, SqlError> {
    if domain.not_null.as_deref() == Some(name) {
        let message = "this of NOT NULL of a domain is not supported; ALTER DOMAIN DROP NOT NULL is";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let place = domain.checks.iter().position(|check| check.name == name);
    place.ok_or_else(|| SqlError::new("42704", format!("{} does not exist", what())))
}

/// `validateDomainCheckConstraint`
fn validate_check(db: &mut Database, domain: &DomainType, check: ExprId) -> Result<(), SqlError> {
    let holds = |db: &mut Database, value: &Value| db.domain_check_holds(domain, check, value);
    validate(db, domain, holds, |column, table| {
        let message =
            format!("column \"{column}\" of table \"{table}\" contains values that violate the new constraint");
        SqlError::new("23514", message)
    })
}

/// Do the values of all columns of the domain satisfy it?
fn validate(
    db: &mut Database,
    domain: &DomainType,
    holds: impl Fn(&mut Database, &Value) -> Result<bool, SqlError>,
    violated: impl Fn(&str, &str) -> SqlError,
) -> Result<(), SqlError> {
    for row_type in row_types_with(db, domain.oid) {
        composite::check_not_stored(db, row_type, &mark(domain.oid))?;
    }
    for (relation, columns) in columns_of(db, domain.oid) {
        let done = scan_rows(db, &relation, |db, values| {
            for column in &columns {
                if !holds(db, &values[*column])? {
                    let name = &relation.desc.attributes()[*column].name;
                    return Err(violated(name, &relation.name).into());
                }
            }
            Ok(())
        });
        done.map_err(|stop| match stop {
            Stop::Error(error) => error,
            Stop::Wait(_) => SqlError::new("XX000", "a CHECK of a domain waits"),
        })?;
    }
    Ok(())
}

/// Types of the rows of relations with columns of the domain, the oldest first.
fn row_types_with(db: &Database, domain: Oid) -> Vec<Oid> {
    let catalog = &db.cluster.catalog;
    let row_type = |(relation, _)| {
        let of_type = catalog.composites().iter().find(|ty| ty.relation == relation).map(|ty| ty.oid);
        of_type.or_else(|| catalog.class(relation)?.row_type)
    };
    db.cluster.columns_of_type(domain).into_iter().filter_map(row_type).collect()
}

/// `get_rels_with_domain`: tables with columns of it, from 0.
fn columns_of(db: &Database, domain: Oid) -> Vec<(Arc<RelationData>, Vec<usize>)> {
    let mut found = Vec::new();
    for class in db.cluster.catalog.classes().filter(|class| !class.domains.is_empty()) {
        let Ok(relation) = db.cluster.pg.relation(class.oid) else { continue };
        let attributes = relation.desc.attributes().iter().enumerate();
        let is_of = |attnum: u16| class.domains.get(&attnum) == Some(&domain);
        let columns = attributes.filter(|(_, column)| !column.dropped && is_of(column.num)).map(|(n, _)| n);
        let columns: Vec<usize> = columns.collect();
        if !columns.is_empty() {
            found.push((relation, columns));
        }
    }
    found
}

/// `typenameType`, and `checkDomainOwner`, whose message `other` is.
pub(super) fn find(
    db: &Database,
    name: &RangeVar,
    other: impl Fn(&str) -> String,
) -> Result<Arc<DomainType>, SqlError> {
    if let Some(schema) = &name.schema {
        db.cluster.check_schema(schema).map_err(|_| missing_schema(schema))?;
    }
    if let Some(domain) = db.cluster.find_domain(name.schema.as_deref(), &name.name) {
        return Ok(domain.clone());
    }
    if let Some(ty) = db.cluster.find_enum(name.schema.as_deref(), &name.name) {
        return Err(SqlError::new("42809", other(&mark(ty.oid))));
    }
    if name.schema.is_none()
        && let Some(ty) = SqlType::named(&name.name)
    {
        return Err(SqlError::new("42809", other(&ty.name())));
    }
    Err(SqlError::new("42704", format!("type \"{name}\" does not exist")))
}
