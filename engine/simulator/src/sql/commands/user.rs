//! CREATE ROLE, ALTER ROLE, DROP ROLE, GRANT of roles, DROP OWNED, REASSIGN OWNED (src/backend/commands/user.c;
//! src/backend/catalog/pg_shdepend.c). Roles are the cluster's: no page of a user's relation changes.

use super::{ddl, function, schema, view};
use crate::cluster::namespace;
use crate::cluster::roles::{AclItem, Kind, Member, Role, Roles, SUPERUSER, attribute};
use crate::sql::ast::{
    Drop, DropFunction, DropKind, DropSchema, DropView, GrantRole, RangeVar, RoleOption, RoleStatement, SchemaOf,
};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::Context as _;
use crate::sql::permission;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::input::input;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `timestamptz`
const TIMESTAMPTZ: Oid = 1184;

/// Runs a statement of roles.
pub(in crate::sql) fn run(db: &mut Database, statement: &RoleStatement) -> Result<String, SqlError> {
    match statement {
        RoleStatement::Create { name, login, options } => create(db, name, *login, options)?,
        RoleStatement::Alter { name, options } => alter(db, name, options)?,
        RoleStatement::Rename { name, to } => rename(db, name, to)?,
        RoleStatement::Drop { names, if_exists } => drop(db, names, *if_exists)?,
        RoleStatement::Grant(grant) => grant_role(db, grant)?,
        RoleStatement::DropOwned { roles, cascade } => drop_owned(db, roles, *cascade)?,
        RoleStatement::Reassign { roles, to } => reassign(db, roles, to)?,
        RoleStatement::Owner { of, name, to } => owner_of_object(db, *of, name, to)?,
    }
    db.notes.push("roles change no page that is shown here".to_string());
    Ok(statement.tag().to_string())
}

/// `get_rolespec_oid`
pub(in crate::sql) fn find_role(db: &Database, role: &str) -> Result<Oid, SqlError> {
    match role {
        "current_user" | "current_role" => Ok(db.cluster.user()),
        "session_user" => Ok(db.cluster.pg.backend().settings.session_user),
        name => db.cluster.find_role(name).ok_or_else(|| missing(name)),
    }
}

fn missing(role: &str) -> SqlError {
    SqlError::new("42704", format!("role \"{role}\" does not exist"))
}

/// Only the superuser makes roles here; of others it is known that most may not.
fn check_may(db: &Database, what: &str, detail: &str) -> Result<(), SqlError> {
    let user = db.cluster.user();
    if db.cluster.is_superuser(user) {
        return Ok(());
    }
    if db.cluster.role_attributes(user) & attribute::CREATEROLE != 0 {
        let message = format!("to {what} as another role than a superuser is not supported");
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let has_detail = db.cluster.version().has_options_of_members();
    let message = if what == "alter role" && !has_detail { String::new() } else { format!(" to {what}") };
    let denied = SqlError::new("42501", format!("permission denied{message}"));
    Err(if has_detail { denied.with_detail(detail) } else { denied })
}

/// `IsReservedName`
fn check_name(db: &Database, name: &str) -> Result<(), SqlError> {
    if name.starts_with("pg_") {
        let error = SqlError::new("42939", format!("role name \"{name}\" is reserved"));
        return Err(error.with_detail("Role names starting with \"pg_\" are reserved."));
    }
    if db.cluster.find_role(name).is_some() {
        return Err(SqlError::new("42710", format!("role \"{name}\" already exists")));
    }
    Ok(())
}

/// What the options make of a role itself.
fn apply(db: &Database, role: &mut Role, options: &[RoleOption]) -> Result<(), SqlError> {
    for option in options {
        match option {
            RoleOption::Attribute(attribute, true) => role.attributes |= attribute,
            RoleOption::Attribute(attribute, false) => role.attributes &= !attribute,
            RoleOption::Limit(limit) if *limit < -1 => {
                return Err(SqlError::new("22023", format!("invalid connection limit: {limit}")));
            }
            RoleOption::Limit(limit) => role.limit = *limit,
            RoleOption::Until(text) => {
                let value = input(text, SqlType::plain(TIMESTAMPTZ), &db.input())?;
                role.until = if let Value::TimestampTz(until) = value { Some(until) } else { None };
            }
            _ => {}
        }
    }
    Ok(())
}

/// `CreateRole`
fn create(db: &mut Database, name: &str, login: bool, options: &[RoleOption]) -> Result<(), SqlError> {
    check_may(db, "create role", "Only roles with the CREATEROLE attribute may create roles.")?;
    check_name(db, name)?;
    let attributes = attribute::INHERIT | if login { attribute::LOGIN } else { 0 };
    let mut role = Role { oid: 0, name: name.to_string(), attributes, limit: -1, until: None };
    apply(db, &mut role, options)?;
    let oid = db.cluster.new_role_oid();
    db.cluster.edit_roles(|roles| roles.made.push(Role { oid, ..role }));
    for option in options {
        match option {
            RoleOption::In(names) => {
                for name in names {
                    let of = find_role(db, name)?;
                    add_member(db, of, oid, [None; 3])?;
                }
            }
            RoleOption::Members(names) => add_members(db, oid, names, [None; 3])?,
            RoleOption::Admins(names) => add_members(db, oid, names, [Some(true), None, None])?,
            _ => {}
        }
    }
    Ok(())
}

/// A role that ALTER and DROP may change.
fn changed(db: &Database, name: &str) -> Result<Oid, SqlError> {
    let oid = find_role(db, name)?;
    if oid == SUPERUSER || !db.cluster.catalog.roles().made.iter().any(|role| role.oid == oid) {
        return Err(SqlError::new(
            NOT_SIMULATED,
            "a change of a role that there is from the beginning is not supported",
        ));
    }
    Ok(oid)
}

/// `AlterRole`
fn alter(db: &mut Database, name: &str, options: &[RoleOption]) -> Result<(), SqlError> {
    find_role(db, name)?;
    let detail = format!(
        "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may alter this role."
    );
    check_may(db, "alter role", &detail)?;
    let oid = changed(db, name)?;
    let Some(mut role) = db.cluster.catalog.roles().made.iter().find(|role| role.oid == oid).cloned() else {
        return Err(missing(name));
    };
    apply(db, &mut role, options)?;
    db.cluster.edit_roles(|roles| roles.made.iter_mut().filter(|it| it.oid == oid).for_each(|it| *it = role.clone()));
    for option in options {
        match option {
            RoleOption::Members(names) => add_members(db, oid, names, [None; 3])?,
            RoleOption::Leaves(names) => {
                for name in names {
                    let member = find_role(db, name)?;
                    db.cluster.edit_roles(|roles| roles.members.retain(|it| it.role != oid || it.member != member));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// `RenameRole`
fn rename(db: &mut Database, name: &str, to: &str) -> Result<(), SqlError> {
    find_role(db, name)?;
    let oid = changed(db, name)?;
    let settings = &db.cluster.pg.backend().settings;
    if oid == settings.session_user || oid == db.cluster.user() {
        let which = if oid == settings.session_user { "session" } else { "current" };
        return Err(SqlError::new("0A000", format!("{which} user cannot be renamed")));
    }
    check_name(db, to)?;
    let detail = format!(
        "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may rename this role."
    );
    check_may(db, "rename role", &detail)?;
    db.cluster.edit_roles(|roles| {
        roles.made.iter_mut().filter(|role| role.oid == oid).for_each(|role| role.name = to.to_string());
    });
    Ok(())
}

/// `DropRole`
fn drop(db: &mut Database, names: &[String], if_exists: bool) -> Result<(), SqlError> {
    check_may(
        db,
        "drop role",
        "Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.",
    )?;
    for name in names {
        if ["current_user", "session_user", "current_role"].contains(&name.as_str()) {
            return Err(SqlError::new("22023", "cannot use special role specifier in DROP ROLE"));
        }
        let Some(oid) = db.cluster.find_role(name) else {
            if if_exists {
                continue;
            }
            return Err(missing(name));
        };
        if oid == db.cluster.user() {
            return Err(SqlError::new("55006", "current user cannot be dropped"));
        }
        if oid == db.cluster.pg.backend().settings.session_user {
            return Err(SqlError::new("55006", "session user cannot be dropped"));
        }
        changed(db, name)?;
        // memberships go first
        let is_member = |it: &Member| it.role == oid || it.member == oid;
        let is_first = db.cluster.version().has_options_of_members();
        if is_first && db.cluster.catalog.roles().members.iter().any(is_member) {
            db.cluster.pg.current_xid();
        }
        let lines = dependents(db, oid);
        if !lines.is_empty() {
            let message = format!("role \"{name}\" cannot be dropped because some objects depend on it");
            return Err(SqlError::new("2BP01", message).with_detail(lines.join("\n")));
        }
        db.cluster.edit_roles(|roles| {
            roles.members.retain(|it| it.role != oid && it.member != oid);
            roles.made.retain(|role| role.oid != oid);
            roles.owners.retain(|_, owner| *owner != oid);
        });
    }
    Ok(())
}

/// An object as `getObjectDescription` tells it; `None`: it is gone.
fn described(db: &Database, (oid, column): (Oid, u16)) -> Option<String> {
    if oid == db.cluster.database {
        return Some(format!("database {}", crate::sql::expr::DATABASE));
    }
    let (word, name) = db.cluster.object_word(oid)?;
    let number = || db.cluster.catalog.function(&name).and_then(|number| db.functions.get(number as usize));
    let told = match word {
        "function" => number().map_or_else(|| name.clone(), |it| it.signature()),
        "schema" | "type" => name,
        _ => db.regclass_out(oid),
    };
    if column == 0 {
        return Some(format!("{word} {told}"));
    }
    let relation = db.cluster.pg.relation(oid).ok()?;
    let attribute = relation.desc.attributes().get(usize::from(column) - 1)?;
    Some(format!("column {} of {word} {told}", attribute.name))
}

/// `checkSharedDependencies`: what keeps a role from going, by OID.
fn dependents(db: &Database, role: Oid) -> Vec<String> {
    let roles = db.cluster.catalog.roles();
    let owned = roles.owners.iter().filter(|(_, owner)| **owner == role).map(|(oid, _)| ((*oid, 0), "owner of"));
    let is_granted = |(object, items): &(&(Oid, u16), &Vec<_>)| {
        let is_his = |it: &AclItem| it.grantee == role || it.grantor == role;
        items.iter().any(is_his) && db.cluster.owner_of(object.0) != role
    };
    let granted = roles.acls.iter().filter(is_granted).map(|(object, _)| (*object, "privileges for"));
    let mut all: Vec<((Oid, u16), &str)> = owned.chain(granted).collect();
    all.sort_unstable();
    all.into_iter().filter_map(|(object, what)| Some(format!("{what} {}", described(db, object)?))).collect()
}

/// `AddRoleMems` of several.
fn add_members(db: &mut Database, role: Oid, names: &[String], options: [Option<bool>; 3]) -> Result<(), SqlError> {
    for name in names {
        let member = find_role(db, name)?;
        add_member(db, role, member, options)?;
    }
    Ok(())
}

/// `AddRoleMems`
fn add_member(db: &mut Database, role: Oid, member: Oid, options: [Option<bool>; 3]) -> Result<(), SqlError> {
    let name = |oid: Oid| db.cluster.role_name(oid).unwrap_or_default();
    if db.cluster.is_really_member_of(role, member) {
        let message = format!("role \"{}\" is a member of role \"{}\"", name(role), name(member));
        return Err(SqlError::new("0LP01", message));
    }
    let (has_options, grantor) = (db.cluster.version().has_options_of_members(), SUPERUSER);
    let members = &db.cluster.catalog.roles().members;
    let known = members.iter().find(|it| it.role == role && it.member == member).copied();
    let inherits = db.cluster.role_attributes(member) & attribute::INHERIT != 0;
    let before = known.map_or([false, inherits, true], |known| known.options);
    let mut after = before;
    after.iter_mut().zip(options).for_each(|(after, option)| *after = option.unwrap_or(*after));
    if known.is_some() && after == before {
        // NOTICE: role "b" is already a member of role "a"
        return Ok(());
    }
    if known.is_none() && has_options {
        db.cluster.new_role_oid();
    }
    db.cluster.edit_roles(|roles| {
        roles.members.retain(|it| it.role != role || it.member != member);
        roles.members.push(Member { role, member, options: after, grantor });
    });
    Ok(())
}

/// `GrantRole`
fn grant_role(db: &mut Database, grant: &GrantRole) -> Result<(), SqlError> {
    let verb = if grant.revoke { "revoke" } else { "grant" };
    let members = grant.members.iter().map(|name| find_role(db, name)).collect::<Result<Vec<_>, _>>()?;
    for name in &grant.roles {
        let role = find_role(db, name)?;
        if !db.cluster.is_admin_of(db.cluster.user(), role) {
            let denied = match db.cluster.version().has_options_of_members() {
                true => SqlError::new("42501", format!("permission denied to {verb} role \"{name}\""))
                    .with_detail(format!("Only roles with the ADMIN option on role \"{name}\" may {verb} this role.")),
                false => SqlError::new("42501", format!("must have admin option on role \"{name}\"")),
            };
            return Err(denied);
        }
        if !db.cluster.is_superuser(db.cluster.user()) {
            let message = format!("{} of roles by another role than a superuser is not supported", verb.to_uppercase());
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        for member in &members {
            match grant.revoke {
                false => add_member(db, role, *member, grant.options)?,
                true => remove_member(db, role, *member, grant.options),
            }
        }
    }
    Ok(())
}

/// `DelRoleMems`
fn remove_member(db: &mut Database, role: Oid, member: Oid, options: [Option<bool>; 3]) {
    let is_it = |it: &Member| it.role == role && it.member == member;
    if !db.cluster.catalog.roles().members.iter().any(is_it) {
        // WARNING: role "b" is not a member of role "a"
        return;
    }
    let change = |roles: &mut Roles| {
        if options == [None; 3] {
            roles.members.retain(|it| !is_it(it));
        }
        for member in roles.members.iter_mut().filter(|it| is_it(it)) {
            member.options.iter_mut().zip(options).for_each(|(is_on, option)| *is_on &= option.is_none());
        }
    };
    db.cluster.edit_roles(change);
}

/// The roles that DROP OWNED and REASSIGN OWNED name.
fn owners(db: &Database, names: &[String], verb: &str) -> Result<Vec<Oid>, SqlError> {
    let found = names.iter().map(|name| find_role(db, name)).collect::<Result<Vec<Oid>, SqlError>>()?;
    for (role, name) in found.iter().zip(names) {
        if !db.cluster.has_privileges_of(db.cluster.user(), *role) {
            let denied = match db.cluster.version().has_options_of_members() {
                true => SqlError::new("42501", format!("permission denied to {verb} objects")).with_detail(format!(
                    "Only roles with privileges of role \"{name}\" may {verb} objects owned by it."
                )),
                false => SqlError::new("42501", format!("permission denied to {verb} objects")),
            };
            return Err(denied);
        }
        if *role == SUPERUSER {
            return Err(SqlError::new(
                NOT_SIMULATED,
                format!("{} OWNED BY postgres is not supported", verb.to_uppercase()),
            ));
        }
    }
    Ok(found)
}

/// `shdepDropOwned`
fn drop_owned(db: &mut Database, names: &[String], cascade: bool) -> Result<(), SqlError> {
    let roles = owners(db, names, "drop")?;
    let is_theirs = |item: &AclItem| roles.contains(&item.grantee) || roles.contains(&item.grantor);
    let acls = &db.cluster.catalog.roles().acls;
    let is_there = |((oid, _), items): (&(Oid, u16), &Vec<AclItem>)| {
        described(db, (*oid, 0)).is_some() && items.iter().any(is_theirs)
    };
    if acls.iter().any(is_there) {
        db.cluster.edit_roles(|known| known.acls.values_mut().for_each(|items| items.retain(|item| !is_theirs(item))));
    }
    let is_owned = |owner: &Oid| roles.contains(owner);
    let owned = db.cluster.catalog.roles().owners.iter().filter(|(_, owner)| is_owned(owner));
    let owned: Vec<Oid> = owned.map(|(oid, _)| *oid).collect();
    // what depends on others first
    for oid in owned.into_iter().rev() {
        let Some((word, name)) = db.cluster.object_word(oid) else { continue };
        let kind = match word {
            "table" => Some(DropKind::Table),
            "sequence" => Some(DropKind::Sequence),
            "materialized view" => Some(DropKind::MaterializedView),
            _ => None,
        };
        let class = db.cluster.catalog.class(oid);
        // one that a column owns goes with it
        if class.is_some_and(|class| class.table.is_some()) {
            continue;
        }
        let of_view = || db.cluster.catalog.views().find(|(_, view)| view.oid == oid).map(|((schema, _), _)| schema);
        let schema = class.map(|class| &class.schema).or_else(of_view).cloned();
        let names = Vec::from([RangeVar::new(schema, name.clone())]);
        match (kind, word) {
            (Some(kind), _) => {
                ddl::drop(db, &Drop { kind, concurrently: false, if_exists: false, names, cascade })?;
            }
            (None, "view") => {
                view::drop(db, &DropView { names, if_exists: false, cascade })?;
            }
            (None, "schema") => {
                schema::drop(db, &DropSchema { names: Vec::from([name]), if_exists: false, cascade })?;
            }
            (None, "function") => {
                let is_procedure = db.function_is_procedure(&name);
                let arguments = Vec::from([None]);
                let names = Vec::from([RangeVar::new(None, name)]);
                function::drop(db, &DropFunction { is_procedure, if_exists: false, names, arguments, cascade })?;
            }
            _ => return Err(SqlError::new(NOT_SIMULATED, "DROP OWNED of a type is not supported")),
        }
    }
    Ok(())
}

/// `shdepReassignOwned`
fn reassign(db: &mut Database, names: &[String], to: &str) -> Result<(), SqlError> {
    let roles = owners(db, names, "reassign")?;
    let to = find_role(db, to)?;
    let owned = db.cluster.catalog.roles().owners.iter().filter(|(_, owner)| roles.contains(owner));
    for oid in owned.map(|(oid, _)| *oid).collect::<Vec<Oid>>() {
        if !matches!(db.cluster.object_word(oid), Some(("schema" | "function" | "type", _)) | None) {
            db.cluster.lock_view();
        }
        change_owner(db, oid, to);
    }
    Ok(())
}

/// `ATExecChangeOwner` and its like: what the old owner had by being that, the new one has.
pub(in crate::sql) fn change_owner(db: &mut Database, oid: Oid, to: Oid) {
    let from = db.cluster.owner_of(oid);
    if from == to {
        return;
    }
    let catalog = &db.cluster.catalog;
    let of_it = catalog.classes().filter(|class| class.oid == oid || class.table == Some(oid)).map(|class| class.oid);
    let rows: Vec<Oid> = of_it.collect();
    let is_sequence = |row: &&Oid| catalog.class(**row).is_some_and(|class| class.kind == RelKind::Sequence);
    let sequences: Vec<Oid> = rows.iter().filter(is_sequence).copied().collect();
    rows.iter().for_each(|row| db.cluster.update_owner_row(*row));
    db.cluster.edit_roles(|roles| {
        for (_, items) in roles.acls.iter_mut().filter(|((object, _), _)| rows.contains(object) || *object == oid) {
            for item in items.iter_mut() {
                item.grantor = if item.grantor == from { to } else { item.grantor };
                item.grantee = if item.grantee == from { to } else { item.grantee };
            }
        }
        for object in sequences.iter().chain([&oid]) {
            roles.owners.remove(object);
            if to != SUPERUSER {
                roles.owners.insert(*object, to);
            }
        }
    });
}

/// `ExecAlterOwnerStmt`, `ATExecChangeOwner` of what is called otherwise than a table.
fn owner_of_object(db: &mut Database, of: Option<SchemaOf>, name: &RangeVar, to: &str) -> Result<(), SqlError> {
    let view = db.cluster.find_view(name.schema.as_deref(), &name.name).map(|(_, view)| view.oid);
    let missing = || SqlError::new("42P01", format!("relation \"{name}\" does not exist"));
    let (kind, oid) = match of {
        None => {
            let oid = db.cluster.catalog.schemas().find(|(known, _)| *known == name.name).map(|(_, oid)| oid);
            (Kind::Schema, oid.ok_or_else(|| namespace::missing(&name.name))?)
        }
        Some(SchemaOf::Type | SchemaOf::Domain) => {
            let oid = db.cluster.find_type(name.schema.as_deref(), &name.name);
            let missing = || SqlError::new("42704", format!("type \"{name}\" does not exist"));
            (Kind::Relation, oid.ok_or_else(missing)?)
        }
        Some(of) => {
            let oid = view.or_else(|| db.find(name)).ok_or_else(missing)?;
            let (word, _) = db.cluster.object_word(oid).unwrap_or_default();
            permission::check_owner(db, oid)?;
            if word != of.word() {
                return Err(SqlError::new("42809", format!("\"{}\" is not a {}", name.name, of.word())));
            }
            (Kind::Relation, oid)
        }
    };
    permission::check_owner(db, oid)?;
    if db.cluster.catalog.class(oid).is_some_and(|class| class.table.is_some()) {
        return Err(SqlError::new(NOT_SIMULATED, "OWNER TO of a sequence that a column owns is not supported"));
    }
    if kind == Kind::Relation && !matches!(of, Some(SchemaOf::Type | SchemaOf::Domain)) {
        db.cluster.lock_view();
    }
    alter_owner(db, (kind, oid), to)
}

/// ALTER … OWNER TO, by whoever runs the statement.
pub(in crate::sql) fn alter_owner(db: &mut Database, (kind, oid): (Kind, Oid), role: &str) -> Result<(), SqlError> {
    let (to, user) = (find_role(db, role)?, db.cluster.user());
    if to == db.cluster.owner_of(oid) || db.cluster.is_superuser(user) {
        change_owner(db, oid, to);
        return Ok(());
    }
    if !db.cluster.may_become(user, to) {
        let name = db.cluster.role_name(to).unwrap_or_default();
        let message = match db.cluster.version().has_options_of_members() {
            true => format!("must be able to SET ROLE \"{name}\""),
            false => format!("must be member of role \"{name}\""),
        };
        return Err(SqlError::new("42501", message));
    }
    let what = if kind == Kind::Schema { "a schema" } else { "an object" };
    let message = format!("another owner of {what}, given by a role that is no superuser, is not supported");
    Err(SqlError::new(NOT_SIMULATED, message))
}
