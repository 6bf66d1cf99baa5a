//! Statements besides queries: whose what they change has to be, or which right they need (`RangeVarCallback…` of
//! src/backend/commands/tablecmds.c and indexcmds.c; `vacuum_is_permitted_for_relation`, src/backend/commands/
//! vacuum.c). What is made needs CREATE in its schema, which is asked for where the schema is chosen.

use super::{check_any, check_owner, check_query, denied};
use crate::cluster::namespace::PUBLIC;
use crate::cluster::roles::{Kind, rights};
use crate::sql::ast::{
    AlterAction, AlterTable, CreateTable, DropKind, Object, RangeVar, RoleStatement, SchemaOf, Statement,
};
use crate::sql::commands::plain_kind;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::DATABASE;
use crate::sql::tcop::Database;
use crate::storage::LockMode;
use crate::version::SqlBehaviour;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

type Done = Result<(), SqlError>;

/// May whoever runs the statement begin it? Queries are asked when they are planned.
///
/// # Errors
/// PostgreSQL's, where he may not; a sentence, where that is not known here.
pub(in crate::sql) fn check_utility(db: &Database, statement: &Statement) -> Done {
    if db.cluster.is_superuser(db.cluster.user()) {
        // what is read by a view of somebody else
        return match statement {
            Statement::Copy(_) => check_query(db, statement),
            _ => Ok(()),
        };
    }
    match statement {
        Statement::CreateTable(create) => create_table(db, create),
        Statement::CreateIndex(create) => owned(db, &create.table),
        Statement::AlterSequence(alter) => owned(db, &alter.name),
        Statement::Drop(drop) => drop.names.iter().try_for_each(|name| dropped(db, name, drop.kind)),
        Statement::Truncate(truncate) => truncate.tables.iter().try_for_each(|name| {
            let table =
                db.find(name).filter(|oid| db.cluster.object_word(*oid).is_some_and(|(word, _)| word == "table"));
            table.map_or(Ok(()), |oid| check_any(db, Kind::Relation, oid, rights::TRUNCATE))
        }),
        Statement::AlterTable(alter) => alter_table(db, alter),
        Statement::Rename(rename) => owned(db, &rename.name),
        Statement::Copy(_) => check_query(db, statement),
        Statement::Checkpoint => checkpoint(db),
        Statement::Cluster(cluster) => cluster.table.iter().try_for_each(|name| maintained(db, name)),
        Statement::Reindex(reindex) => maintained(db, &reindex.name),
        Statement::RefreshMatView(refresh) => maintained(db, &refresh.name),
        Statement::Comment(comment) => owned(db, &comment.relation),
        Statement::Vacuum(vacuum) if vacuum.tables.is_empty() => Err(unknown("VACUUM of all tables")),
        Statement::Analyze(tables, _) if tables.is_empty() => Err(unknown("ANALYZE of all tables")),
        Statement::AlterSystem(_) => Err(unknown("ALTER SYSTEM")),
        Statement::Extension(_) => Err(unknown("EXTENSION")),
        Statement::Lock(lock) if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) => {
            lock.tables.iter().try_for_each(|name| check_lock(db, name, lock.mode))
        }
        Statement::Object(object) => of_object(db, object),
        _ => Ok(()),
    }
}

/// `LockTableAclCheck`: one of these rights is needed.
pub(in crate::sql) fn check_lock(db: &Database, name: &RangeVar, mode: LockMode) -> Done {
    let strong = rights::UPDATE | rights::DELETE | rights::TRUNCATE | rights::MAINTAIN;
    let is_ranked = db.cluster.version().has_options_of_members();
    let wanted = match mode {
        LockMode::AccessShare if is_ranked => strong | rights::INSERT | rights::SELECT,
        LockMode::AccessShare => rights::SELECT,
        LockMode::RowShare if is_ranked => strong | rights::INSERT,
        LockMode::RowExclusive => strong | rights::INSERT,
        _ => strong,
    };
    let table = db.find(name).filter(|oid| db.cluster.object_word(*oid).is_some_and(|(word, _)| word == "table"));
    table.map_or(Ok(()), |oid| check_any(db, Kind::Relation, oid, wanted))
}

fn unknown(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} as a role that is no superuser is not supported"))
}

/// A relation, or a view.
fn find(db: &Database, name: &RangeVar) -> Option<Oid> {
    let view = db.cluster.find_view(name.schema.as_deref(), &name.name).map(|(_, view)| view.oid);
    view.or_else(|| db.find(name))
}

/// `RangeVarCallbackOwnsRelation`
fn owned(db: &Database, name: &RangeVar) -> Done {
    if let Some(schema) = &name.schema {
        db.cluster.check_schema_right(schema, rights::USAGE)?;
    }
    find(db, name).map_or(Ok(()), |oid| check_owner(db, oid))
}

/// What is dropped may also be of a schema of one's own.
fn dropped(db: &Database, name: &RangeVar, kind: DropKind) -> Done {
    if let Some(schema) = &name.schema {
        db.cluster.check_schema_right(schema, rights::USAGE)?;
    }
    let class = db.find(name).and_then(|oid| db.cluster.catalog.class(oid));
    let Some(class) = class.filter(|class| plain_kind(class.relkind()) == kind.relkind()) else { return Ok(()) };
    check_owner_or_schema(db, class.oid, &class.schema)
}

fn check_owner_or_schema(db: &Database, oid: Oid, schema: &str) -> Done {
    let schema = db.cluster.catalog.schemas().find(|(known, _)| *known == schema).map(|(_, oid)| oid);
    match schema {
        Some(schema) if db.cluster.is_owner(schema, db.cluster.user()) => Ok(()),
        _ => check_owner(db, oid),
    }
}

/// `RangeVarCallbackMaintainsTable`, from 17 on; before that its owner may.
fn maintained(db: &Database, name: &RangeVar) -> Done {
    let Some(oid) = find(db, name) else { return Ok(()) };
    let table = db.cluster.catalog.class(oid).and_then(|class| class.table).unwrap_or(oid);
    if may_maintain(db, table) {
        return Ok(());
    }
    if !db.cluster.version().has_maintain() {
        return check_owner(db, oid);
    }
    let name = db.cluster.object_word(oid).map(|(_, name)| name).unwrap_or_default();
    Err(denied(db, Kind::Relation, oid, &name))
}

/// Does VACUUM do something with the table, or leave it out with a WARNING?
pub(in crate::sql) fn may_maintain(db: &Database, table: Oid) -> bool {
    let user = db.cluster.user();
    let has_right = || db.cluster.rights(Kind::Relation, table, user) & rights::MAINTAIN != 0;
    db.cluster.is_owner(table, user) || db.cluster.version().has_maintain() && has_right()
}

/// `ExecCheckpoint`
fn checkpoint(db: &Database) -> Done {
    const ROLE: &str = "pg_checkpoint";
    let (user, version) = (db.cluster.user(), db.cluster.version());
    if db.cluster.find_role(ROLE).is_some_and(|role| db.cluster.has_privileges_of(user, role)) {
        return Ok(());
    }
    if version.has_options_of_members() {
        let error = SqlError::new("42501", "permission denied to execute CHECKPOINT command");
        let detail = format!("Only roles with privileges of the \"{ROLE}\" role may execute this command.");
        return Err(error.with_detail(detail));
    }
    let or = if version.closes_public() { " or have privileges of pg_checkpoint" } else { "" };
    Err(SqlError::new("42501", format!("must be superuser{or} to do CHECKPOINT")))
}

/// What a table that is made refers to.
fn create_table(db: &Database, create: &CreateTable) -> Done {
    check_creation(db, &create.name)?;
    for name in create.likes.iter().map(|like| &like.name) {
        let Some(oid) = find(db, name) else { continue };
        check_any(db, Kind::Relation, oid, rights::SELECT)?;
    }
    create.inherits.iter().chain(create.partition_of.iter().map(|of| &of.table)).try_for_each(|name| owned(db, name))
}

/// CREATE in the schema that a name says.
fn check_creation(db: &Database, name: &RangeVar) -> Done {
    let is_temporary = db.cluster.creates_temporary(name.schema.as_deref());
    let schema = name.schema.as_ref().filter(|_| !is_temporary);
    schema.map_or(Ok(()), |schema| {
        db.cluster.check_schema_right(schema, rights::USAGE)?;
        db.cluster.check_schema_right(schema, rights::CREATE)
    })
}

/// `checkFkeyPermissions`
///
/// # Errors
/// PostgreSQL's, where whoever runs the statement may not refer to the columns.
pub(in crate::sql) fn check_references(db: &Database, table: Oid, columns: &[u16]) -> Done {
    let user = db.cluster.user();
    let may = |column: &u16| db.cluster.column_rights(table, *column, user) & rights::REFERENCES != 0;
    match !columns.is_empty() && columns.iter().all(may) {
        true => Ok(()),
        false => check_any(db, Kind::Relation, table, rights::REFERENCES),
    }
}

fn alter_table(db: &Database, alter: &AlterTable) -> Done {
    owned(db, &alter.name)?;
    alter.actions.iter().try_for_each(|action| match action {
        AlterAction::AttachPartition(of) => owned(db, &of.table),
        AlterAction::Inherit(parent) => owned(db, parent),
        _ => Ok(()),
    })
}

fn of_function(db: &Database, name: &str) -> Done {
    db.cluster.catalog.function_oid(name).map_or(Ok(()), |oid| check_owner(db, oid))
}

fn of_object(db: &Database, object: &Object) -> Done {
    match object {
        Object::CreateSchema(create) => {
            let user = db.cluster.user();
            if db.cluster.rights(Kind::Database, db.cluster.database, user) & rights::CREATE == 0 {
                return Err(denied(db, Kind::Database, db.cluster.database, DATABASE));
            }
            match &create.owner {
                Some(_) => Err(unknown("CREATE SCHEMA with AUTHORIZATION")),
                None => Ok(()),
            }
        }
        Object::DropSchema(drop) => drop.names.iter().try_for_each(|name| {
            let oid = db.cluster.catalog.schemas().find(|(known, _)| known == name).map(|(_, oid)| oid);
            oid.map_or(Ok(()), |oid| check_owner(db, oid))
        }),
        Object::SetSchema(set) if matches!(set.of, SchemaOf::Type | SchemaOf::Domain) => {
            Err(unknown("SET SCHEMA of a type"))
        }
        Object::SetSchema(set) => {
            owned(db, &set.name)?;
            db.cluster.check_schema_right(&set.schema, rights::CREATE)
        }
        Object::CreateView(create) => {
            check_creation(db, &create.name)?;
            db.cluster.creation_schema(create.name.schema.as_deref())?;
            if create.replace { owned(db, &create.name) } else { Ok(()) }
        }
        Object::DropView(drop) => drop.names.iter().try_for_each(|name| {
            if let Some(schema) = &name.schema {
                db.cluster.check_schema_right(schema, rights::USAGE)?;
            }
            let view = db.cluster.find_view(name.schema.as_deref(), &name.name);
            view.map_or(Ok(()), |(schema, view)| check_owner_or_schema(db, view.oid, schema))
        }),
        Object::CreateFunction(create) => {
            db.cluster.check_schema_right(create.name.schema.as_deref().unwrap_or(PUBLIC), rights::CREATE)?;
            if create.replace { of_function(db, &create.name.name) } else { Ok(()) }
        }
        Object::DropFunction(drop) => drop.names.iter().try_for_each(|name| of_function(db, &name.name)),
        Object::AlterFunction(alter) => of_function(db, &alter.name.name),
        Object::Call(call) => match db.cluster.catalog.function_oid(&call.name) {
            Some(oid) => check_any(db, Kind::Function, oid, rights::EXECUTE),
            None => Ok(()),
        },
        Object::CreateTrigger(create) => {
            let Some(oid) = find(db, &create.table) else { return Ok(()) };
            check_any(db, Kind::Relation, oid, rights::TRIGGER)?;
            let function = db.cluster.catalog.function_oid(&create.function);
            function.map_or(Ok(()), |oid| check_any(db, Kind::Function, oid, rights::EXECUTE))
        }
        Object::DropTrigger(drop) => owned(db, &drop.table),
        Object::RenameTrigger(rename) => owned(db, &rename.table),
        Object::Enum(_) | Object::Domain(_) => Err(unknown("a statement of types")),
        Object::Statistics(_) => Err(unknown("a statement of statistics objects")),
        Object::Role(RoleStatement::Owner { of: Some(SchemaOf::Type | SchemaOf::Domain), .. }) => {
            Err(unknown("OWNER TO of a type"))
        }
        _ => Ok(()),
    }
}
