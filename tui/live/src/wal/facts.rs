//! Where a server's WAL stands, and which ways to it this role has.

use super::inspect::Schema;
use crate::failure::{Failure, Kind};
use crate::segments::files::Files;
use crate::segments::history::History;
use crate::segments::reading::Format;
use crate::session::Session;
use ffviz_format::page::{Lsn, PgVersion};
use tokio_postgres::Row;

/// A way to records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// the segments themselves
    Segments,
    /// `pg_walinspect`: what a record is about, not its bytes
    Walinspect(Schema),
    /// none; the sentence that says what would give one
    None(String),
}

/// What the server says of its WAL at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// of the server
    pub version: PgVersion,
    /// of the cluster, made by initdb
    pub system_identifier: u64,
    /// bytes a segment
    pub segment_size: u32,
    /// when the server was started
    pub started: String,
    /// is it in recovery?
    pub standby: bool,
    /// timeline that it writes, or replays
    pub timeline: u32,
    /// where the next record comes; on a standby: up to where it has replayed
    pub insert: Lsn,
    /// up to where WAL is on disk; on a standby: up to where it has replayed
    pub flush: Lsn,
    /// where recovery would start
    pub redo: Lsn,
    /// how records can be read
    pub way: Way,
    /// the sentence that says what would let the role read segments
    pub grant: String,
}

impl Facts {
    /// Asks.
    ///
    /// # Errors
    /// What the server says.
    pub async fn ask(session: &Session) -> Result<Self, Failure> {
        let rows = session.read(include_str!("../sql/wal.sql"), &[]).await?;
        let row = rows.first().ok_or_else(|| Failure::new(Kind::Other, "the server tells nothing of its WAL"))?;
        let number = |column: &str| Ok::<i64, Failure>(row.try_get::<_, Option<i64>>(column)?.unwrap_or_default());
        let lsn = |column: &str| {
            let text = row.try_get::<_, Option<String>>(column)?;
            Ok::<Lsn, Failure>(text.and_then(|text| text.parse().ok()).unwrap_or_default())
        };
        let (way, grant) = Self::way(row)?;
        let version = row.try_get::<_, i32>("version")?;
        if version < 130_000 {
            let sentence = format!("the server is PostgreSQL {}; ffviz reads 13 and newer", version / 10_000);
            return Err(Failure::new(Kind::Other, sentence));
        }
        Ok(Self {
            version: PgVersion(version.unsigned_abs()),
            system_identifier: number("system_identifier")?.cast_unsigned(),
            segment_size: u32::try_from(number("segment_size")?).unwrap_or_default(),
            started: row.try_get("started")?,
            standby: row.try_get("standby")?,
            timeline: u32::try_from(number("timeline")?).unwrap_or_default(),
            insert: lsn("insert_lsn")?,
            flush: lsn("flush_lsn")?,
            redo: lsn("redo_lsn")?,
            way,
            grant,
        })
    }

    /// The best way, and what would be a better one.
    fn way(row: &Row) -> Result<(Way, String), Failure> {
        let (role, database): (String, String) = (row.try_get("role")?, row.try_get("database")?);
        let grant = format!("GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint, boolean) TO {role}");
        if row.try_get("reads_files")? {
            return Ok((Way::Segments, grant));
        }
        if let Some(name) = row.try_get::<_, Option<String>>("inspect")?.filter(|_| row.get("inspects")) {
            let schema = Schema { name, tells_blocks: row.try_get("inspects_blocks")? };
            return Ok((Way::Walinspect(schema), grant));
        }
        let listed = if row.try_get("inspect_available")? {
            format!(
                "; or, for what pg_walinspect tells of it: CREATE EXTENSION pg_walinspect in database {database} and GRANT \
                 pg_read_server_files TO {role}"
            )
        } else {
            String::new()
        };
        let why = format!("role {role} may not read WAL; a superuser can allow it: {grant}{listed}");
        Ok((Way::None(why), grant))
    }

    /// What is needed to read the segments.
    ///
    /// # Errors
    /// What the server says.
    pub async fn format(&self, version: PgVersion, files: &mut Files<'_>) -> Result<Format, Failure> {
        let file =
            if self.timeline > 1 { files.read(&History::file_name(self.timeline), 0, 1 << 20).await? } else { None };
        Ok(Format {
            version,
            segment_size: self.segment_size,
            system_identifier: Some(self.system_identifier),
            history: History::new(self.timeline, file.as_deref()),
        })
    }
}
