//! GRANT and REVOKE of privileges (`ExecuteGrantStmt`, src/backend/catalog/aclchk.c; `aclupdate`,
//! `select_best_grantor`, src/backend/utils/adt/acl.c).

use super::partition::plain_kind;
use super::user::find_role;
use crate::cluster::roles::{AclItem, AclMode, Kind, PUBLIC_ROLE, rights};
use crate::cluster::{Class, namespace};
use crate::sql::ast::{Grant, GrantOn, RangeVar};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::DATABASE;
use crate::sql::permission::denied;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// What privileges are granted on: what it is, its OID, and its name.
type Target = (Kind, Oid, String);

/// A list of privileges: of the objects, and of columns.
type Wanted = (AclMode, Vec<(AclMode, Vec<String>)>);

/// Runs GRANT or REVOKE.
pub(in crate::sql) fn run(db: &mut Database, grant: &Grant) -> Result<String, SqlError> {
    let targets = targets(db, &grant.on)?;
    let role = |name: &String| if name == "public" { Ok(PUBLIC_ROLE) } else { find_role(db, name) };
    let roles = grant.roles.iter().map(role).collect::<Result<Vec<Oid>, SqlError>>()?;
    let (all, columns) = wanted(db, grant)?;
    if (grant.with_option || grant.option_for) && roles.contains(&PUBLIC_ROLE) && !grant.revoke {
        return Err(SqlError::new("0LP01", "grant options can only be granted to roles"));
    }
    for target in &targets {
        on_object(db, grant, target, &roles, (all, &columns))?;
    }
    db.notes.push("privileges change no page that is shown here".to_string());
    Ok(if grant.revoke { "REVOKE" } else { "GRANT" }.to_string())
}

/// What kind of object the statement is of, and the word for it.
const fn kind_of(on: &GrantOn) -> (Kind, &'static str) {
    match on {
        GrantOn::Tables(_) | GrantOn::AllTables(_) => (Kind::Relation, "relation"),
        GrantOn::Sequences(_) | GrantOn::AllSequences(_) => (Kind::Sequence, "sequence"),
        GrantOn::Schemas(_) => (Kind::Schema, "schema"),
        GrantOn::Databases(_) => (Kind::Database, "database"),
        GrantOn::Functions(_, kind) => (Kind::Function, kind),
        GrantOn::AllFunctions(_) => (Kind::Function, "function"),
    }
}

/// `string_to_privilege`, and is it one of such objects?
fn wanted(db: &Database, grant: &Grant) -> Result<Wanted, SqlError> {
    let version = db.cluster.version();
    let (kind, word) = kind_of(&grant.on);
    let (mut all, mut columns) = (0, Vec::new());
    // a sequence may be called a table
    let of_kind = match grant.on {
        GrantOn::Tables(_) => kind.all_rights(version) | Kind::Sequence.all_rights(version),
        _ => kind.all_rights(version),
    };
    for (name, of) in &grant.privileges {
        let upper = name.to_ascii_uppercase();
        if name == "all" {
            columns.push((rights::OF_COLUMNS, of.clone()));
            continue;
        }
        let known = rights::NAMES.iter().find(|(known, _)| *known == upper).map(|(_, right)| *right);
        let known = known.filter(|right| *right != rights::MAINTAIN || version.has_maintain());
        let others = upper == "RULE" || upper == "SET" && version.grants_parameters();
        let Some(right) = known.or(others.then_some(0)) else {
            return Err(SqlError::new("42601", format!("unrecognized privilege type \"{name}\"")));
        };
        let told = if upper == "TEMP" { "TEMPORARY" } else { upper.as_str() };
        if !of.is_empty() {
            if kind != Kind::Relation {
                return Err(SqlError::new("0LP01", "column privileges are only valid for relations"));
            }
            if right & rights::OF_COLUMNS == 0 {
                return Err(SqlError::new("0LP01", format!("invalid privilege type {told} for column")));
            }
            columns.push((right, of.clone()));
        } else if right & of_kind == 0 {
            return Err(SqlError::new("0LP01", format!("invalid privilege type {told} for {word}")));
        }
        all |= if of.is_empty() { right } else { 0 };
    }
    Ok((if grant.privileges.is_empty() { of_kind } else { all }, columns))
}

fn targets(db: &Database, on: &GrantOn) -> Result<Vec<Target>, SqlError> {
    let catalog = &db.cluster.catalog;
    let is_table =
        |class: &Class| !matches!(plain_kind(class.relkind()), RelKind::Index | RelKind::Toast | RelKind::Sequence);
    let is_sequence = |class: &Class| class.kind == RelKind::Sequence;
    match on {
        GrantOn::Tables(names) => names.iter().map(|name| relation(db, name, false)).collect(),
        GrantOn::Sequences(names) => names.iter().map(|name| relation(db, name, true)).collect(),
        GrantOn::Schemas(names) => {
            let schema = |name: &String| {
                let oid = catalog.schemas().find(|(known, _)| known == name).map(|(_, oid)| oid);
                match oid {
                    Some(oid) => Ok((Kind::Schema, oid, name.clone())),
                    None if db.cluster.check_schema(name).is_ok() => {
                        Err(SqlError::new(NOT_SIMULATED, "privileges on a schema of the system's are not supported"))
                    }
                    None => Err(namespace::missing(name)),
                }
            };
            names.iter().map(schema).collect()
        }
        GrantOn::Databases(names) => {
            let database = |name: &String| match name == DATABASE {
                true => Ok((Kind::Database, db.cluster.database, name.clone())),
                false => {
                    Err(SqlError::new(NOT_SIMULATED, "privileges on another database than postgres are not supported"))
                }
            };
            names.iter().map(database).collect()
        }
        GrantOn::Functions(names, word) => names.iter().map(|(name, typed)| function(db, name, *typed, word)).collect(),
        GrantOn::AllTables(schemas) => {
            check_schemas(db, schemas)?;
            let tables = catalog.classes().filter(|class| schemas.contains(&class.schema) && is_table(class));
            let views = catalog.views().filter(|((schema, _), _)| schemas.contains(schema));
            let views = views.map(|((_, name), view)| (Kind::Relation, view.oid, name.clone()));
            Ok(tables.map(|class| (Kind::Relation, class.oid, class.name.clone())).chain(views).collect())
        }
        GrantOn::AllSequences(schemas) => {
            check_schemas(db, schemas)?;
            let all = catalog.classes().filter(|class| schemas.contains(&class.schema) && is_sequence(class));
            Ok(all.map(|class| (Kind::Sequence, class.oid, class.name.clone())).collect())
        }
        GrantOn::AllFunctions(schemas) => {
            check_schemas(db, schemas)?;
            // functions are those of public here
            let all = catalog.functions().filter(|_| schemas.iter().any(|schema| schema == namespace::PUBLIC));
            let all = all.filter_map(|number| Some(db.functions.get(number as usize)?.name.clone()));
            Ok(all.filter_map(|name| Some((Kind::Function, catalog.function_oid(&name)?, name))).collect())
        }
    }
}

fn check_schemas(db: &Database, schemas: &[String]) -> Result<(), SqlError> {
    schemas.iter().try_for_each(|schema| db.cluster.check_schema(schema))
}

fn relation(db: &Database, name: &RangeVar, sequence: bool) -> Result<Target, SqlError> {
    if let Some((_, view)) = db.cluster.find_view(name.schema.as_deref(), &name.name) {
        return match sequence {
            true => Err(SqlError::new("42809", format!("\"{}\" is not a sequence", name.name))),
            false => Ok((Kind::Relation, view.oid, name.name.clone())),
        };
    }
    let relation = db.open(name)?;
    match plain_kind(relation.kind) {
        RelKind::Index => Err(SqlError::new("42809", format!("\"{}\" is an index", name.name))),
        RelKind::Sequence => Ok((Kind::Sequence, relation.oid, name.name.clone())),
        _ if sequence => Err(SqlError::new("42809", format!("\"{}\" is not a sequence", name.name))),
        _ => Ok((Kind::Relation, relation.oid, name.name.clone())),
    }
}

fn function(db: &Database, name: &RangeVar, typed: Option<bool>, word: &str) -> Result<Target, SqlError> {
    match (db.cluster.catalog.function_oid(&name.name), typed) {
        (Some(oid), _) => Ok((Kind::Function, oid, name.name.clone())),
        (None, Some(true)) => {
            Err(SqlError::new(NOT_SIMULATED, "GRANT on a function that there is not is not supported"))
        }
        (None, Some(false)) => Err(SqlError::new("42883", format!("{word} {name}() does not exist"))),
        (None, None) => Err(SqlError::new("42883", format!("could not find a {word} named \"{name}\""))),
    }
}

/// `ExecGrant_Relation` and its like.
fn on_object(
    db: &mut Database,
    grant: &Grant,
    (kind, oid, name): &Target,
    roles: &[Oid],
    (all, columns): (AclMode, &[(AclMode, Vec<String>)]),
) -> Result<(), SqlError> {
    let version = db.cluster.version();
    let valid = kind.all_rights(version);
    if *kind == Kind::Relation && all & !valid != 0 && !grant.privileges.is_empty() {
        return Err(SqlError::new("0LP01", "invalid privilege type USAGE for table"));
    }
    let mut changes = Vec::new();
    for (right, names) in columns {
        for column in names {
            changes.push((column_of(db, *oid, column, name)?, *right));
        }
    }
    // at the table it is taken from the columns too
    if grant.revoke && all & rights::OF_COLUMNS != 0 && *kind == Kind::Relation {
        let known = db.cluster.catalog.roles().acls.range((*oid, 1)..=(*oid, u16::MAX));
        changes.extend(known.map(|((_, column), _)| (*column, all & rights::OF_COLUMNS)).collect::<Vec<_>>());
    }
    if all & valid != 0 {
        changes.insert(0, (0, all & valid));
    }
    let mut changed: BTreeMap<(Oid, u16), Vec<AclItem>> = BTreeMap::new();
    for (column, right) in changes {
        let (grantor, right) = grantor(db, (*kind, *oid, name), column, (right, valid))?;
        let known = changed.remove(&(*oid, column));
        let mut items = match column {
            _ if let Some(known) = known => known,
            0 => db.cluster.acl(*kind, *oid),
            _ => db.cluster.catalog.roles().acls.get(&(*oid, column)).cloned().unwrap_or_default(),
        };
        for role in roles {
            update(&mut items, grant, (*role, grantor), right)?;
        }
        changed.insert((*oid, column), items);
    }
    if changed.contains_key(&(*oid, 0)) && db.cluster.catalog.class(*oid).is_some() {
        db.cluster.update_owner_row(*oid);
    }
    db.cluster.edit_roles(|known| known.acls.extend(changed));
    Ok(())
}

fn column_of(db: &Database, oid: Oid, column: &str, name: &str) -> Result<u16, SqlError> {
    let missing = || SqlError::new("42703", format!("column \"{column}\" of relation \"{name}\" does not exist"));
    let view = db.cluster.catalog.views().find(|(_, view)| view.oid == oid).map(|(_, view)| view.query);
    if let Some(view) = view.and_then(|query| db.views.get(query as usize)) {
        let place = view.columns.iter().position(|known| known == column);
        return place.map(|at| at as u16 + 1).ok_or_else(missing);
    }
    let relation = db.cluster.pg.relation(oid)?;
    let found = relation.desc.attributes().iter().find(|it| !it.dropped && it.name == column);
    found.map(|it| it.num).ok_or_else(missing)
}

/// `select_best_grantor`, `restrict_and_check_grant`: by whom it is granted, and what of it he may grant.
fn grantor(
    db: &Database,
    (kind, oid, name): (Kind, Oid, &str),
    column: u16,
    (right, valid): (AclMode, AclMode),
) -> Result<(Oid, AclMode), SqlError> {
    let (user, owner) = (db.cluster.user(), db.cluster.owner_of(oid));
    if db.cluster.has_privileges_of(user, owner) {
        return Ok((owner, right));
    }
    let (has, options) = db.cluster.rights_and_options(kind, oid, user);
    let has = has | if column == 0 { 0 } else { db.cluster.column_rights(oid, column, user) };
    if options & valid == 0 && has & valid == 0 {
        return Err(denied(db, kind, oid, name));
    }
    // WARNING: no privileges were granted for "t"
    Ok((user, right & options))
}

/// `aclupdate` of one role.
fn update(
    items: &mut Vec<AclItem>,
    grant: &Grant,
    (grantee, grantor): (Oid, Oid),
    right: AclMode,
) -> Result<(), SqlError> {
    let is_it = |item: &AclItem| item.grantee == grantee && item.grantor == grantor;
    if !grant.revoke {
        if !items.iter().any(is_it) {
            items.push(AclItem { grantee, grantor, rights: 0, options: 0 });
        }
        for item in items.iter_mut().filter(|item| is_it(item)) {
            item.rights |= right;
            item.options |= if grant.with_option { right } else { 0 };
        }
        return Ok(());
    }
    let mut lost = 0;
    for item in items.iter_mut().filter(|item| is_it(item)) {
        lost |= item.options & right;
        item.options &= !right;
        item.rights &= if grant.option_for { AclMode::MAX } else { !right };
    }
    // `recursive_revoke`
    let depends = |item: &AclItem| item.grantor == grantee && item.grantee != grantee && item.rights & lost != 0;
    let next: Vec<Oid> = items.iter().filter(|item| grantee != grantor && depends(item)).map(|it| it.grantee).collect();
    if !next.is_empty() && !grant.cascade {
        let error = SqlError::new("2BP01", "dependent privileges exist");
        return Err(error.with_hint("Use CASCADE to revoke them too."));
    }
    let whole = Grant { option_for: false, ..grant.clone() };
    next.into_iter().try_for_each(|further| update(items, &whole, (further, grantee), lost))?;
    items.retain(|item| item.rights != 0);
    Ok(())
}
