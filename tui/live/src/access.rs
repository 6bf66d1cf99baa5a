//! The server, and which ways to its pages this role has; where there is none, what is missing and what would give it.

use super::failure::{Failure, Kind};
use super::session::Session;
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::state::{Server, State};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

/// What `ffviz attach --print-wrapper` prints.
const WRAPPER: &str = include_str!("sql/wrapper.sql");
const WRAPPER_SIGNATURE: &str = "ffviz.get_raw_pages(oid,text,bigint[])";

/// A way to pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// `get_raw_page` of pageinspect: the statement, with the extension's schema put in
    Pageinspect(String),
    /// the function of wrapper.sql, which checks that the role may read the table
    Wrapper,
    /// none; the sentence that says what is missing and what would give it
    None(String),
}

/// What can be done here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// the server
    pub server: Server,
    /// is it in recovery?
    pub standby: bool,
    /// is the role a superuser?
    pub superuser: bool,
    /// how pages are read
    pub way: Way,
    /// the schema of pageinspect, quoted, where it is there and may be used
    pub inspect: Option<String>,
    /// may damaged pages be read from the file?
    pub reads_files: bool,
}

impl Access {
    /// Finds out.
    ///
    /// # Errors
    /// What the server says.
    pub async fn find(session: &Session) -> Result<Self, Failure> {
        let rows = session.read(include_str!("sql/server.sql"), &[]).await?;
        let row = rows.first().ok_or_else(|| Failure::new(Kind::Other, "the server tells nothing of itself"))?;
        let version = row.try_get::<_, i32>("version")?;
        if version < 130_000 {
            let sentence = format!("the server is PostgreSQL {}; ffviz reads 13 and newer", version / 10_000);
            return Err(Failure::new(Kind::Other, sentence));
        }
        let server = Server {
            version: PgVersion(version.unsigned_abs()),
            block_size: u16::try_from(row.try_get::<_, i32>("block_size")?).unwrap_or(8192),
            data_checksums: row.try_get("data_checksums")?,
            log_hints: row.try_get("log_hints")?,
        };
        let mut way = Self::way(row)?;
        if let (Way::Pageinspect(sql), false) = (&way, row.try_get::<_, bool>("superuser")?) {
            // PostgreSQL's own pageinspect refuses everybody else; a provider's may not
            if let Err(failure) = probe(session, sql).await {
                if failure.kind == Kind::Gone {
                    return Err(failure);
                }
                way = Way::None(missing(row)?);
            }
        }
        let inspect = row.try_get::<_, Option<String>>("pageinspect")?.filter(|_| matches!(way, Way::Pageinspect(_)));
        Ok(Self {
            server,
            standby: row.try_get("standby")?,
            superuser: row.try_get("superuser")?,
            way,
            inspect,
            reads_files: row.try_get("reads_files")?,
        })
    }

    fn way(row: &Row) -> Result<Way, Failure> {
        let direct = row.try_get::<_, Option<String>>("pageinspect")?.filter(|_| row.get("executable"));
        let superuser: bool = row.try_get("superuser")?;
        if !superuser && row.try_get("wrapper")? && row.try_get("wrapper_granted")? {
            return Ok(Way::Wrapper);
        }
        Ok(match direct {
            Some(schema) => {
                let block = if row.try_get("wide")? { "int8" } else { "int4" };
                let sql = include_str!("sql/pages.sql").replace("SCHEMA", &schema).replace("BLOCK", block);
                Way::Pageinspect(sql)
            }
            None => Way::None(missing(row)?),
        })
    }

    /// What is missing, where pages cannot be read.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        match &self.way {
            Way::None(sentence) => Some(sentence),
            Way::Pageinspect(_) | Way::Wrapper => None,
        }
    }

    /// A state with nothing in it but when it is.
    ///
    /// # Errors
    /// What the server says.
    pub async fn moment(&self, session: &Session) -> Result<State, Failure> {
        let rows = session.read(include_str!("sql/moment.sql"), &[]).await?;
        let mut state = State::empty(self.server.clone());
        if let Some(row) = rows.first() {
            state.at = row.try_get("at")?;
            let lsn = |column: &str| {
                Ok::<_, Failure>(row.try_get::<_, Option<String>>(column)?.and_then(|lsn| lsn.parse::<Lsn>().ok()))
            };
            (state.lsn, state.redo) = (lsn("lsn")?, lsn("redo")?);
            state.system_identifier = row.try_get::<_, Option<&str>>("system")?.and_then(|text| text.parse().ok());
        }
        Ok(state)
    }
}

/// Reads one page of a catalog that anybody may read.
async fn probe(session: &Session, sql: &str) -> Result<(), Failure> {
    const PG_CLASS: u32 = 1259;
    let filenode = session.read("SELECT pg_relation_filenode($1) AS filenode", &[(&PG_CLASS, Type::OID)]).await?;
    let filenode: u32 = filenode.first().map_or(Ok(0), |row| row.try_get("filenode"))?;
    let blocks: &[i64] = &[0];
    let parameters: [super::session::Parameter<'_>; 4] =
        [(&PG_CLASS, Type::OID), (&"main", Type::TEXT), (&blocks, Type::INT8_ARRAY), (&filenode, Type::OID)];
    session.read(sql, &parameters).await.map(drop)
}

/// What is missing, and what would give it.
fn missing(row: &Row) -> Result<String, Failure> {
    let (role, database): (String, String) = (row.try_get("role")?, row.try_get("database")?);
    let install = format!("ffviz attach --print-wrapper --grant-to {role} | psql -d {database}");
    let text = if row.try_get("superuser")? {
        if row.try_get("available")? {
            format!(
                "the extension pageinspect is missing in database {database}; run there: CREATE EXTENSION pageinspect"
            )
        } else {
            "the extension pageinspect is not installed on the server; install PostgreSQL's contrib package \
             (postgresql-contrib), then: CREATE EXTENSION pageinspect"
                .to_owned()
        }
    } else if row.try_get("wrapper")? {
        format!(
            "role {role} may not use ffviz.get_raw_pages; a superuser can allow it: GRANT USAGE ON SCHEMA ffviz TO {role}; \
             GRANT EXECUTE ON FUNCTION {WRAPPER_SIGNATURE} TO {role}"
        )
    } else {
        format!(
            "role {role} is not a superuser, and pageinspect serves nobody else; a superuser can let it in: {install}"
        )
    };
    Ok(format!("{text}. Until then only catalogs and statistics are shown: estimates"))
}

/// The SQL of the wrapper, for a superuser to install, with the GRANTs for a role.
#[must_use]
pub fn wrapper_sql(role: Option<&str>) -> String {
    let grants = role.map_or_else(
        || "-- GRANT USAGE ON SCHEMA ffviz TO role; GRANT EXECUTE ON FUNCTION ffviz.get_raw_pages(oid, text, bigint[]) TO role;\n".to_owned(),
        |role| {
            let role = format!("\"{}\"", role.replace('"', "\"\""));
            format!("GRANT USAGE ON SCHEMA ffviz TO {role};\nGRANT EXECUTE ON FUNCTION ffviz.get_raw_pages(oid, text, bigint[]) TO {role};\n")
        },
    );
    format!("{WRAPPER}{grants}COMMIT;\n")
}
