//! Names for the files that WAL is about, from the catalogs of the database that is asked.

use crate::failure::Failure;
use crate::segments::names::Names;
use crate::session::Session;
use ffviz_format::wal::RelFileLocator;

/// The relations of this database as they are now, and the databases of the cluster.
///
/// # Errors
/// What the server says.
pub async fn names(session: &Session) -> Result<Names, Failure> {
    let mut names = Names::default();
    for row in session.read(include_str!("../sql/wal_names.sql"), &[]).await? {
        let number =
            |column: &str| Ok::<u32, Failure>(u32::try_from(row.try_get::<_, i64>(column)?).unwrap_or_default());
        let file = RelFileLocator { spc: number("tablespace")?, db: number("database")?, rel: number("filenode")? };
        names.relation(file, row.try_get("name")?, row.try_get("served")?);
    }
    for row in session.read("SELECT oid, datname::text AS name FROM pg_database", &[]).await? {
        names.database(row.try_get("oid")?, row.try_get("name")?);
    }
    Ok(names)
}
