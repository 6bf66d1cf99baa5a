//! A database, or a schema, that was made for a script, and what runs that were broken off have left of theirs. It is
//! dropped by its OID, and nothing else is.

use crate::connect::Connector;
use crate::failure::{Failure, Kind};
use crate::session::Session;
use ffviz_format::page::Oid;
use std::sync::Arc;
use tokio_postgres::Client;

/// No function of somebody else's stands in for PostgreSQL's: ffviz may be a superuser here.
const OWN_SETTINGS: &str = "SET synchronous_commit = on; SET search_path = pg_catalog, pg_temp";

/// A connection for what ffviz itself does.
///
/// # Errors
/// Why not.
pub async fn connect(connector: &mut Connector) -> Result<Arc<Client>, Failure> {
    let client = connector.connect().await?;
    client.batch_execute(OWN_SETTINGS).await?;
    Ok(Arc::new(client))
}

/// A name in double quotes.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A database that was made for a script.
pub struct OwnDatabase {
    /// `ffviz_…_PID`
    pub name: String,
    oid: Oid,
    /// the database that was named first, from where this one is dropped
    named: String,
    /// a connection to it
    outside: Arc<Client>,
}

impl OwnDatabase {
    /// Makes one of template0, by a connection to the database that was named; `what` is the middle of its name,
    /// `locale` the end of CREATE DATABASE.
    ///
    /// # Errors
    /// What the server says.
    pub async fn make(
        named: String,
        outside: Arc<Client>,
        what: &str,
        locale: &str,
        comment: Option<&str>,
    ) -> Result<Self, Failure> {
        let pid: i32 = outside.query_one("SELECT pg_catalog.pg_backend_pid()", &[]).await?.try_get(0)?;
        let name = format!("ffviz_{what}_{pid}");
        outside.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE template0{locale}")).await?;
        let oid = outside
            .query_one("SELECT oid FROM pg_catalog.pg_database WHERE datname = $1", &[&name])
            .await?
            .try_get(0)?;
        let own = Self { name, oid, named, outside };
        if let Some(text) = comment {
            own.outside.batch_execute(&format!("COMMENT ON DATABASE {} IS {text}", own.name)).await?;
        }
        Ok(own)
    }

    /// Drops it from the database that was named first; where that connection was lost, from a new one.
    ///
    /// # Errors
    /// What the server says.
    pub async fn drop_from_outside(&self, mut connector: Connector) -> Result<(), Failure> {
        if !self.outside.is_closed() {
            match self.drop_by(&self.outside).await {
                Err(failure) if failure.kind == Kind::Gone => {}
                outcome => return outcome,
            }
        }
        connector.use_database(&self.named);
        self.drop_by(&*connect(&mut connector).await?).await
    }

    /// Drops it, before anything of a script ran in it.
    ///
    /// # Errors
    /// What the server says.
    pub async fn drop_unused(&self) -> Result<(), Failure> {
        self.drop_by(&self.outside).await
    }

    /// By its OID: whatever has its name by now.
    async fn drop_by(&self, outside: &Client) -> Result<(), Failure> {
        let name =
            outside.query_opt("SELECT datname::text FROM pg_catalog.pg_database WHERE oid = $1", &[&self.oid]).await?;
        match name {
            Some(row) => Ok(outside.batch_execute(&format!("DROP DATABASE {}", quoted(row.try_get(0)?))).await?),
            None => Ok(()),
        }
    }
}

/// A schema that was made for a script.
#[derive(Debug, Clone)]
pub struct OwnSchema {
    /// `ffviz_…_PID`
    pub name: String,
    /// its oid
    pub oid: Oid,
}

impl OwnSchema {
    /// One that is there.
    ///
    /// # Errors
    /// What the server says.
    pub async fn of(client: &Client, name: String) -> Result<Self, Failure> {
        let oid =
            client.query_one("SELECT pg_catalog.to_regnamespace($1)::pg_catalog.oid", &[&name]).await?.try_get(0)?;
        Ok(Self { name, oid })
    }

    /// Makes one; `what` is the middle of its name.
    ///
    /// # Errors
    /// What the server says.
    pub async fn make(client: &Client, what: &str, comment: Option<&str>) -> Result<Self, Failure> {
        let pid: i32 = client.query_one("SELECT pg_catalog.pg_backend_pid()", &[]).await?.try_get(0)?;
        let name = format!("ffviz_{what}_{pid}");
        client.batch_execute(&format!("CREATE SCHEMA {name}")).await?;
        let comment = comment.map(|text| format!("COMMENT ON SCHEMA {name} IS {text}"));
        client.batch_execute(&comment.unwrap_or_default()).await?;
        Self::of(client, name).await
    }

    /// By its OID: whatever has its name by now.
    ///
    /// # Errors
    /// What the server says.
    pub async fn drop_by(&self, client: &Client) -> Result<(), Failure> {
        let name =
            client.query_opt("SELECT nspname::text FROM pg_catalog.pg_namespace WHERE oid = $1", &[&self.oid]).await?;
        match name {
            Some(row) => Ok(client.batch_execute(&format!("DROP SCHEMA {} CASCADE", quoted(row.try_get(0)?))).await?),
            None => Ok(()),
        }
    }
}

/// What in a database would do something with tables of a schema of one's own: why a script does not run there.
///
/// # Errors
/// What the server says.
pub async fn objection(session: &Session) -> Result<Option<String>, Failure> {
    let rows = session.read(include_str!("../sql/script/objections.sql"), &[]).await?;
    Ok(rows.first().map(|row| row.try_get("why")).transpose()?)
}

/// What earlier runs that were broken off have left, a sentence each. It is never dropped by ffviz: it may hold what
/// somebody needs.
///
/// # Errors
/// What the server says.
pub async fn leftovers(session: &Session) -> Result<Vec<String>, Failure> {
    let rows = session.read(include_str!("../sql/script/leftovers.sql"), &[]).await?;
    rows.iter()
        .map(|row| {
            let (what, name): (&str, &str) = (row.try_get("what")?, row.try_get("name")?);
            let cascade = if what == "schema" { " CASCADE" } else { "" };
            let also = row.try_get::<_, Option<String>>("told")?.map_or_else(String::new, |told| format!("; {told}"));
            let drop = what.to_uppercase();
            Ok(format!("{what} {name} is left of a run that was broken off; when you do not need it: DROP {drop} {name}{cascade}{also}"))
        })
        .collect()
}
