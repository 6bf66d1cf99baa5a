//! CREATE and DROP EXTENSION: of contrib, as far as its functions are simulated (src/backend/commands/extension.c).

use crate::sql::ast::Extension;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::SqlError;
use ffviz_format::page::PgVersion;

/// Extensions of contrib, and the first version that has each.
const CONTRIB: &[(&str, u32)] = &[
    ("amcheck", 10),
    ("btree_gin", 10),
    ("btree_gist", 10),
    ("citext", 10),
    ("hstore", 10),
    ("pageinspect", 10),
    ("pg_buffercache", 10),
    ("pg_freespacemap", 10),
    ("pg_prewarm", 10),
    ("pg_stat_statements", 10),
    ("pg_trgm", 10),
    ("pg_visibility", 10),
    ("pg_walinspect", 15),
    ("pgcrypto", 10),
    ("pgrowlocks", 10),
    ("pgstattuple", 10),
    ("uuid-ossp", 10),
];

pub(in crate::sql) fn extension(db: &mut Database, extension: &Extension) -> Result<String, SqlError> {
    let version = db.cluster.version();
    let name = &extension.name;
    let is_there = db.extensions.contains(name.as_str());
    if !extension.create {
        if is_there {
            db.cluster.pg.top_xid();
            db.extensions.remove(name.as_str());
        } else if !extension.if_exists {
            return Err(SqlError::new("42704", format!("extension \"{name}\" does not exist")));
        }
        return Ok("DROP EXTENSION".to_string());
    }
    if is_there && extension.if_exists {
        return Ok("CREATE EXTENSION".to_string());
    }
    if is_there {
        return Err(SqlError::new("42710", format!("extension \"{name}\" already exists")));
    }
    let Some((known, since)) = CONTRIB.iter().find(|(known, _)| known == name) else {
        return Err(SqlError::new(
            NOT_SIMULATED,
            format!("extension {name} is not supported; the simulator knows those that look at pages"),
        ));
    };
    if version < PgVersion::of_major(*since) {
        let sqlstate = if version.refuses_extensions_by_feature() { "0A000" } else { "58P01" };
        return Err(SqlError::new(sqlstate, format!("extension \"{name}\" is not available")));
    }
    if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        return Err(SqlError::new(NOT_SIMULATED, "CREATE EXTENSION within a transaction block is not supported"));
    }
    db.cluster.pg.top_xid();
    db.extensions.insert(known);
    Ok("CREATE EXTENSION".to_string())
}
