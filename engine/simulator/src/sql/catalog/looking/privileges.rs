//! What roles there are and what they may do, as SQL shows it (`pg_roles`, `has_table_privilege` and its like,
//! src/backend/utils/adt/acl.c; `table_privileges`, src/backend/catalog/information_schema.sql).

use super::catalogs::{BOOL, INT4, OID, TEXT};
use super::{Rows, text_of};
use crate::cluster::roles::{AclMode, Kind, PUBLIC_ROLE, attribute, rights};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{DATABASE, unknown_privilege};
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

use crate::sql::expr::pg_catalog::TEXT_ARRAY;

const TIMESTAMPTZ: Oid = 1184;

pub(super) fn pg_roles(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("rolname", TEXT),
        ("rolsuper", BOOL),
        ("rolinherit", BOOL),
        ("rolcreaterole", BOOL),
        ("rolcreatedb", BOOL),
        ("rolcanlogin", BOOL),
        ("rolreplication", BOOL),
        ("rolconnlimit", INT4),
        ("rolpassword", TEXT),
        ("rolvaliduntil", TIMESTAMPTZ),
        ("rolbypassrls", BOOL),
        ("rolconfig", TEXT_ARRAY),
        ("oid", OID),
    ])
}

pub(super) fn roles(db: &Database) -> Rows {
    use attribute::{BYPASSRLS, CREATEDB, CREATEROLE, INHERIT, LOGIN, REPLICATION, SUPERUSER};
    let row = |role: crate::cluster::roles::Role| {
        let mut row = Vec::from([Value::text(&role.name)]);
        let has = |attribute: u8| Value::Bool(role.attributes & attribute != 0);
        row.extend([SUPERUSER, INHERIT, CREATEROLE, CREATEDB, LOGIN, REPLICATION].map(has));
        let until = role.until.map_or(Value::Null, Value::TimestampTz);
        row.extend([Value::Int4(role.limit), Value::text("********"), until, has(BYPASSRLS), Value::Null]);
        row.push(Value::Oid(role.oid));
        row
    };
    db.cluster.all_roles().map(row).collect()
}

impl Database {
    /// The name of the role whose an object is.
    pub(super) fn owner_name(&self, oid: Oid) -> &str {
        self.cluster.role_name(self.cluster.owner_of(oid)).unwrap_or_default()
    }
}

/// The role that a function is asked about: the first of three arguments, else whoever asks.
fn asked(db: &Database, user: &[Value]) -> Result<Oid, SqlError> {
    match user.first() {
        None => Ok(db.cluster.user()),
        Some(Value::Oid(oid)) => Ok(*oid),
        Some(name) => match &*text_of(name) {
            "public" => Ok(PUBLIC_ROLE),
            name => {
                let missing = || SqlError::new("42704", format!("role \"{name}\" does not exist"));
                db.cluster.find_role(name).ok_or_else(missing)
            }
        },
    }
}

/// `convert_any_priv_string`: has it one of the privileges of the list?
fn has_one(list: &str, known: &[&str], (has, options): (AclMode, AclMode)) -> Result<Value, SqlError> {
    if let Some(wrong) = unknown_privilege(list, known) {
        return Err(SqlError::new("22023", format!("unrecognized privilege type: \"{wrong}\"")));
    }
    let is_held = |word: &str| {
        let upper = word.trim().to_ascii_uppercase();
        let bare = upper.strip_suffix(" WITH GRANT OPTION");
        let name = bare.unwrap_or(&upper);
        let right = rights::NAMES.iter().find(|(known, _)| *known == name).map_or(0, |(_, right)| *right);
        right & if bare.is_some() { has & options } else { has } != 0
    };
    Ok(Value::Bool(list.split(',').any(is_held)))
}

/// The relation of an argument, and whether it is a sequence.
fn relation(db: &Database, value: &Value, what: &str) -> Result<(Kind, Oid), SqlError> {
    let oid = db.regclass(value)?;
    match db.cluster.object_word(oid) {
        Some(("sequence", _)) => Ok((Kind::Sequence, oid)),
        Some(_) => Ok((Kind::Relation, oid)),
        None => Err(SqlError::new(NOT_SIMULATED, format!("{what} of a catalog is not supported"))),
    }
}

const OF_TABLES: &[&str] =
    &["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN", "RULE"];

/// `has_table_privilege`
pub(in crate::sql) fn has_table_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., table, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let (kind, oid) = relation(db, table, "has_table_privilege")?;
    has_one(&text_of(privilege), OF_TABLES, db.cluster.rights_and_options(kind, oid, role))
}

/// `has_sequence_privilege`
pub(in crate::sql) fn has_sequence_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., sequence, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let (kind, oid) = relation(db, sequence, "has_sequence_privilege")?;
    if kind != Kind::Sequence {
        let (_, name) = db.cluster.object_word(oid).unwrap_or_default();
        return Err(SqlError::new("42809", format!("\"{name}\" is not a sequence")));
    }
    let known = &["USAGE", "SELECT", "UPDATE"];
    has_one(&text_of(privilege), known, db.cluster.rights_and_options(kind, oid, role))
}

/// `has_any_column_privilege`
pub(in crate::sql) fn has_any_column_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., table, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let (kind, oid) = relation(db, table, "has_any_column_privilege")?;
    let (has, options) = db.cluster.rights_and_options(kind, oid, role);
    let of_columns = db.cluster.any_column_rights(oid, role);
    let known = &["SELECT", "INSERT", "UPDATE", "REFERENCES"];
    has_one(&text_of(privilege), known, (has | of_columns, options))
}

/// `has_column_privilege`
pub(in crate::sql) fn has_column_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., table, column, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let (kind, oid) = relation(db, table, "has_column_privilege")?;
    let name = text_of(column);
    let relation =
        db.cluster.pg.relation(oid).map_err(|_| {
            SqlError::new(NOT_SIMULATED, "has_column_privilege of a view is not supported; tables have it")
        })?;
    let found = relation.desc.attributes().iter().find(|it| !it.dropped && it.name == *name);
    let Some(attribute) = found else {
        let message = format!("column \"{name}\" of relation \"{}\" does not exist", relation.name);
        return Err(SqlError::new("42703", message));
    };
    let (has, options) = db.cluster.rights_and_options(kind, oid, role);
    let of_column = db.cluster.column_rights(oid, attribute.num, role);
    let known = &["SELECT", "INSERT", "UPDATE", "REFERENCES"];
    has_one(&text_of(privilege), known, (has | of_column, options))
}

/// `has_schema_privilege`
pub(in crate::sql) fn has_schema_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., schema, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let name = text_of(schema);
    let oid = db.cluster.catalog.schemas().find(|(known, _)| *known == &*name).map(|(_, oid)| oid);
    let Some(oid) = oid else {
        db.cluster.check_schema(&name)?;
        return Err(SqlError::new(NOT_SIMULATED, "has_schema_privilege of a schema of the system's is not supported"));
    };
    has_one(&text_of(privilege), &["CREATE", "USAGE"], db.cluster.rights_and_options(Kind::Schema, oid, role))
}

/// `has_database_privilege`
pub(in crate::sql) fn has_database_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., database, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let name = text_of(database);
    if *name != *DATABASE {
        return Err(SqlError::new("3D000", format!("database \"{name}\" does not exist")));
    }
    let known = &["CREATE", "TEMPORARY", "TEMP", "CONNECT"];
    has_one(&text_of(privilege), known, db.cluster.rights_and_options(Kind::Database, db.cluster.database, role))
}

/// `has_function_privilege`, of a function by its name and the types of its arguments.
pub(in crate::sql) fn has_function_privilege(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., function, privilege] = args else { return Ok(Value::Null) };
    let role = asked(db, user)?;
    let text = text_of(function);
    let name = text.split('(').next().unwrap_or_default().trim();
    let Some(oid) = db.cluster.catalog.function_oid(name.strip_prefix("public.").unwrap_or(name)) else {
        let message = format!("has_function_privilege of {text} is not supported");
        return Err(SqlError::new(NOT_SIMULATED, message));
    };
    has_one(&text_of(privilege), &["EXECUTE"], db.cluster.rights_and_options(Kind::Function, oid, role))
}

/// `pg_has_role`
pub(in crate::sql) fn pg_has_role(db: &mut Database, args: &[Value]) -> Result<Value, SqlError> {
    let [user @ .., role, privilege] = args else { return Ok(Value::Null) };
    let (member, role) = (asked(db, user)?, asked(db, core::slice::from_ref(role))?);
    let (list, cluster) = (text_of(privilege), &db.cluster);
    for word in list.split(',') {
        let upper = word.trim().to_ascii_uppercase();
        let admin = upper.strip_suffix(" WITH GRANT OPTION").or_else(|| upper.strip_suffix(" WITH ADMIN OPTION"));
        let has = match admin.unwrap_or(&upper) {
            "SET" if cluster.version().has_options_of_members() && admin.is_none() => cluster.may_become(member, role),
            "USAGE" | "MEMBER" if admin.is_some() => cluster.is_admin_of(member, role),
            "SET" if cluster.version().has_options_of_members() => cluster.is_admin_of(member, role),
            "USAGE" => cluster.has_privileges_of(member, role),
            "MEMBER" => cluster.is_member_of(member, role),
            _ => {
                let message = format!("unrecognized privilege type: \"{}\"", word.trim());
                return Err(SqlError::new("22023", message));
            }
        };
        if has {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// `information_schema.table_privileges`, `role_table_grants`
pub(super) fn table_privileges_columns(_: u32) -> Vec<(&'static str, Oid)> {
    let names = ["grantor", "grantee", "table_catalog", "table_schema", "table_name", "privilege_type"];
    names.into_iter().chain(["is_grantable", "with_hierarchy"]).map(|name| (name, TEXT)).collect()
}

/// Their rows, of a superuser.
pub(super) fn table_privileges(db: &Database) -> Rows {
    let (cluster, catalog) = (&db.cluster, &db.cluster.catalog);
    let is_table = |kind: RelKind| matches!(kind, RelKind::Table | RelKind::PartitionedTable);
    let tables = catalog.classes().filter(|class| is_table(class.relkind()));
    let tables = tables.map(|class| (class.oid, &class.schema, &class.name));
    let views = catalog.views().map(|((schema, name), view)| (view.oid, schema, name));
    let name = |oid: Oid| if oid == PUBLIC_ROLE { "PUBLIC" } else { cluster.role_name(oid).unwrap_or_default() };
    let yes = |is_so: bool| if is_so { "YES" } else { "NO" };
    let mut rows = Rows::new();
    for (oid, schema, table) in tables.chain(views) {
        let owner = cluster.owner_of(oid);
        for item in cluster.acl(Kind::Relation, oid) {
            let held = rights::NAMES.iter().filter(|(_, right)| item.rights & right != 0 && *right <= rights::TRIGGER);
            for (privilege, right) in held {
                let is_owner = item.grantee != PUBLIC_ROLE && cluster.has_privileges_of(item.grantee, owner);
                let (grantable, select) = (is_owner || item.options & right != 0, *right == rights::SELECT);
                let row = [name(item.grantor), name(item.grantee), DATABASE, schema, table, privilege];
                rows.push(row.into_iter().chain([yes(grantable), yes(select)]).map(Value::text).collect());
            }
        }
    }
    rows
}
