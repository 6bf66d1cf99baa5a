//! The list of tables to choose from.

use super::access::{Access, Way};
use super::failure::{Failure, Kind};
use super::session::Session;
use ffviz_story::app::TableEntry;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

/// The tables of the database, largest first, partitions under their parent.
///
/// # Errors
/// What the server says.
pub async fn list(session: &Session, access: &Access, system: bool) -> Result<Vec<TableEntry>, Failure> {
    let rows = match read(session, system, true).await {
        // somebody locks a table, or there are very many: sizes as VACUUM and ANALYZE noted them
        Err(failure) if failure.kind != Kind::Gone => read(session, system, false).await?,
        measured => measured?,
    };
    rows.iter().map(|row| entry(row, access)).collect()
}

async fn read(session: &Session, system: bool, measure: bool) -> Result<Vec<Row>, Failure> {
    session.read(include_str!("sql/tables.sql"), &[(&system, Type::BOOL), (&measure, Type::BOOL)]).await
}

fn entry(row: &Row, access: &Access) -> Result<TableEntry, Failure> {
    let name: String = row.try_get("name")?;
    let hot: Option<i32> = row.try_get("hot_percent")?;
    let fillfactor: i32 = row.try_get("fillfactor")?;
    let refused = if row.try_get("partitioned")? {
        Some("a partitioned table has no pages of its own; look at its partitions".to_owned())
    } else if access.standby && row.try_get("unlogged")? {
        Some("a standby has no pages of an unlogged table".to_owned())
    } else if access.way == Way::Wrapper && !row.try_get::<_, bool>("may_select")? {
        Some(
            "you may not SELECT from this table, so its pages are not shown; GRANT SELECT on it would change that"
                .to_owned(),
        )
    } else {
        access.refusal().map(str::to_owned)
    };
    Ok(TableEntry {
        oid: row.try_get("oid")?,
        kind: row.try_get("kind")?,
        bytes: row.try_get::<_, i64>("bytes")?.unsigned_abs(),
        dead: row.try_get("dead")?,
        hot_percent: hot.and_then(|percent| u8::try_from(percent).ok()),
        fillfactor: u8::try_from(fillfactor).unwrap_or(100),
        refused,
        name,
    })
}
