//! What the server is set to, and what the session has: `pg_settings` (src/backend/utils/misc/guc_funcs.c),
//! `pg_database`, `pg_prepared_statements`, `pg_cursors`, `pg_stat_activity`, `pg_replication_slots`.

use super::Rows;
use super::catalogs::{BOOL, INT4, OID, TEXT};
use super::locks::pid;
use crate::cluster::DEFAULT_TABLESPACE;
use crate::sql::commands::prepared::PreparedStatement;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{TEXT_ARRAY, type_name};
use crate::sql::guc;
use crate::sql::tcop::Database;
use crate::storage::{Backend, WaitFor};
use crate::version::SqlBehaviour;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array};
use ffviz_format::page::{Oid, PgVersion};

const INT8: Oid = 20;
const XID: Oid = 28;
const LSN: Oid = 3220;

type Columns = Vec<(&'static str, Oid)>;

pub(super) fn pg_settings(_: u32) -> Columns {
    let texts = ["name", "setting", "unit", "category", "short_desc", "extra_desc", "context", "vartype"];
    let texts = texts.into_iter().chain(["min_val", "max_val"]);
    let others = [("enumvals", TEXT_ARRAY), ("pending_restart", BOOL)];
    texts.map(|name| (name, TEXT)).chain(others).collect()
}

/// `GetConfigOptionValues`; those are left out that a server finds out from its machine.
pub(super) fn settings(db: &Database) -> Rows {
    let major = db.cluster.version().major();
    let row = |name: &str| {
        let guc = guc::find(name, major)?;
        let (_, shown) = db.setting(name)?;
        let or_null = |text: Option<&str>| text.map_or(Value::Null, Value::text);
        let [category, short, extra] = guc.told(major)?;
        let (least, most) = guc.bounds().unzip();
        let values = guc
            .values()
            .map_or(Value::Null, |values| make_array(TEXT, &values.into_iter().map(Value::text).collect::<Vec<_>>()));
        Some(Vec::from([
            Value::text(name),
            Value::text(&guc.raw(&shown, major)),
            or_null(guc.unit()),
            Value::text(category),
            Value::text(short),
            or_null(Some(extra).filter(|extra| !extra.is_empty())),
            Value::text(guc.context_name),
            Value::text(guc.vartype()),
            or_null(least),
            or_null(most),
            values,
            Value::Bool(false),
        ]))
    };
    guc::setting_names(major).filter(|name| is_known_setting(name)).filter_map(row).collect()
}

/// Is it the name of a setting of which a server's value is known?
pub fn is_known_setting(name: &str) -> bool {
    /// of some builds, or not of `pg_settings.txt`
    const UNKNOWN: [&str; 9] = [
        "is_superuser",
        "md5_password_warnings",
        "ssl_tls13_ciphers",
        "server_version",
        "server_version_num",
        "application_name",
        "role",
        "seed",
        "session_authorization",
    ];
    !UNKNOWN.contains(&name) && !guc::effect::is_of_machine(name)
}

/// May a setting with a name that begins so be one of which the value is not known?
pub fn may_be_unknown_setting(beginning: &str, any: char) -> bool {
    let begins = |name: &str| {
        name.len() >= beginning.chars().count()
            && name.chars().zip(beginning.chars()).all(|(known, asked)| known == asked || asked == any)
    };
    (13..=18).flat_map(guc::setting_names).any(|name| begins(name) && !is_known_setting(name))
        || ["server_version_num", "md5_password_warnings", "ssl_tls13_ciphers"].into_iter().any(begins)
}

pub(super) fn pg_database(_: u32) -> Columns {
    Vec::from([
        ("oid", OID),
        ("datname", TEXT),
        ("datdba", OID),
        ("encoding", INT4),
        ("datistemplate", BOOL),
        ("datallowconn", BOOL),
        ("datconnlimit", INT4),
        ("dattablespace", OID),
        ("datfrozenxid", XID),
        ("datminmxid", XID),
    ])
}

/// The database that scripts run in. What initdb froze stays the oldest, until all tables are vacuumed.
pub(super) fn databases(db: &Database) -> Result<Rows, SqlError> {
    const UTF8: i32 = 6;
    const SUPERUSER: Oid = 10;
    let datfrozenxid = match db.cluster.version().major() {
        ..14 => 478,
        14 => 726,
        15 => 716,
        16 => 722,
        17 => 730,
        _ => 744,
    };
    if db.vacuumed_all {
        let message = "pg_database after a VACUUM of the whole database is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    Ok(Vec::from([Vec::from([
        Value::Oid(db.cluster.database),
        Value::text("postgres"),
        Value::Oid(SUPERUSER),
        Value::Int4(UTF8),
        Value::Bool(false),
        Value::Bool(true),
        Value::Int4(-1),
        Value::Oid(DEFAULT_TABLESPACE),
        Value::Oid(datfrozenxid),
        Value::Oid(1),
    ])]))
}

pub(super) fn pg_prepared_statements(major: u32) -> Columns {
    let mut columns = Vec::from([("name", TEXT), ("statement", TEXT), ("parameter_types", TEXT_ARRAY)]);
    if PgVersion::of_major(major).tells_result_types() {
        columns.push(("result_types", TEXT_ARRAY));
    }
    columns.push(("from_sql", BOOL));
    if PgVersion::of_major(major).counts_plans() {
        columns.extend([("generic_plans", INT8), ("custom_plans", INT8)]);
    }
    columns
}

pub(super) fn prepared_statements(db: &mut Database) -> Rows {
    let (counts, tells) = (db.cluster.version().counts_plans(), db.cluster.version().tells_result_types());
    let names = |types: &[Oid]| {
        let names: Vec<Value> = types.iter().map(|ty| Value::text(&type_name(*ty))).collect();
        make_array(TEXT, &names)
    };
    let row = |(name, it): (&String, &PreparedStatement)| {
        let mut row = Vec::from([Value::text(name), Value::text(&it.text), names(it.types())]);
        if tells {
            let results = it.result_types();
            row.push(if results.is_empty() { Value::Null } else { names(&results) });
        }
        row.push(Value::Bool(true));
        if counts {
            let (generic, custom) = it.plans();
            row.extend([generic, custom].map(|count| Value::Int8(count.into())));
        }
        row
    };
    db.session().prepared.iter().map(row).collect()
}

pub(super) fn pg_cursors(_: u32) -> Columns {
    Vec::from([("name", TEXT), ("is_holdable", BOOL), ("is_binary", BOOL), ("is_scrollable", BOOL)])
}

pub(super) fn cursors(db: &mut Database) -> Result<Rows, SqlError> {
    let open: Vec<_> =
        db.session().portals.iter().map(|(name, portal)| (name.clone(), portal.is_scrollable())).collect();
    let mut rows = Rows::new();
    for (name, scrolls) in open {
        let Some(holds) = db.cluster.holds_portal(&name) else { continue };
        let Some(scrolls) = scrolls else {
            let message = "pg_cursors of a cursor that is neither SCROLL nor NO SCROLL is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        };
        rows.push(Vec::from([Value::text(&name), Value::Bool(holds), Value::Bool(false), Value::Bool(scrolls)]));
    }
    Ok(rows)
}

pub(super) fn pg_stat_activity(_: u32) -> Columns {
    Vec::from([
        ("datid", OID),
        ("datname", TEXT),
        ("pid", INT4),
        ("leader_pid", INT4),
        ("usename", TEXT),
        ("wait_event_type", TEXT),
        ("wait_event", TEXT),
        ("state", TEXT),
        ("backend_xid", XID),
        ("backend_xmin", XID),
        ("backend_type", TEXT),
    ])
}

/// The script's sessions; the running one as its transaction has read it first.
pub(super) fn activity(db: &mut Database) -> Rows {
    let me = db.cluster.pg.me;
    let backend = db.cluster.pg.backend_mut();
    let now = (backend.top_xid(), backend.proc_xmin);
    let shown = backend.xact.as_mut().map_or(now, |xact| *xact.shown.get_or_insert(now));
    let database = db.cluster.database;
    let row = |(n, backend): (usize, &Backend)| {
        let (state, waits) = if n == me { ("active", None) } else { state(backend) };
        let (xid, xmin) = if n == me { shown } else { (backend.top_xid(), backend.proc_xmin) };
        let xid_or_null = |xid: Option<u32>| xid.map_or(Value::Null, Value::Oid);
        let [kind, event] = waits.map_or([Value::Null, Value::Null], |waits| waits.map(Value::text));
        Vec::from([
            Value::Oid(database),
            Value::text("postgres"),
            pid(n),
            Value::Null,
            Value::text("postgres"),
            kind,
            event,
            Value::text(state),
            xid_or_null(xid),
            xid_or_null(xmin),
            Value::text("client backend"),
        ])
    };
    db.cluster.pg.backends.iter().enumerate().map(row).collect()
}

/// What another session does, and what it waits for.
fn state(backend: &Backend) -> (&'static str, Option<[&'static str; 2]>) {
    let of_client = Some(["Client", "ClientRead"]);
    match (backend.waits, &backend.xact) {
        (Some(WaitFor::Transaction(_)), _) => ("active", Some(["Lock", "transactionid"])),
        (Some(WaitFor::Lock(_)), _) => ("active", Some(["Lock", "relation"])),
        (Some(WaitFor::Advisory(..)), _) => ("active", Some(["Lock", "advisory"])),
        (None, Some(xact)) if xact.in_block && xact.failed => ("idle in transaction (aborted)", of_client),
        (None, Some(xact)) if xact.in_block => ("idle in transaction", of_client),
        (None, _) => ("idle", of_client),
    }
}

/// There are none.
pub(super) fn pg_replication_slots(_: u32) -> Columns {
    Vec::from([
        ("slot_name", TEXT),
        ("plugin", TEXT),
        ("slot_type", TEXT),
        ("datoid", OID),
        ("database", TEXT),
        ("temporary", BOOL),
        ("active", BOOL),
        ("active_pid", INT4),
        ("xmin", XID),
        ("catalog_xmin", XID),
        ("restart_lsn", LSN),
        ("confirmed_flush_lsn", LSN),
        ("wal_status", TEXT),
        ("safe_wal_size", INT8),
    ])
}
