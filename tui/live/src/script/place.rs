//! Where `--on` runs a script: a database of its own behind a wall, for a superuser; else a schema of its own, where
//! only what the fence has read is sent. Both are dropped when the run is over.

use super::database::{OwnDatabase, OwnSchema, connect, leftovers, objection};
use super::look::Look;
use super::session::{ScriptSession, options};
use crate::access::Access;
use crate::connect::{Connector, Environment};
use crate::failure::{Failure, Kind};
use crate::fence::{self, Reach, Walled};
use crate::session::Session;
use crate::version::Sent;
use ffviz_format::page::Oid;
use ffviz_simulator::sql::script::Script;
use std::sync::Arc;
use tokio_postgres::Client;

/// As whom a script runs in a database of its own: a role that each server has, as which nobody logs in.
const ROLE: &str = "pg_monitor";

/// A server, before anything is made on it.
pub struct Ground {
    connector: Connector,
    session: Session,
    access: Access,
}

/// A place on a server, for one script.
pub struct Place {
    connector: Connector,
    /// for looking, in read-only transactions
    pub session: Session,
    /// for what the script does not do itself
    pub admin: Arc<Client>,
    /// what the server is
    pub access: Access,
    /// the role that its sessions have to be
    pub role: Option<&'static str>,
    /// oid of the schema; 0: the whole database is the script's
    pub schema: Oid,
    own: Own,
}

enum Own {
    Database(OwnDatabase),
    Schema(OwnSchema),
}

impl Ground {
    /// Connects, and looks whether a script can run there.
    ///
    /// # Errors
    /// A sentence: what is missing.
    pub async fn find(conninfo: &str) -> Result<Self, Failure> {
        let mut connector = Connector::new(conninfo, Environment::of_process())?;
        let session = Session::open(&mut connector).await?;
        let access = Access::find(&session).await?;
        if access.standby {
            return Err("the server is a standby; a script has to write: name its primary".to_owned().into());
        }
        let refusal = access.refusal().filter(|_| !access.superuser).and_then(|why| why.split(". ").next());
        if let Some(why) = refusal {
            return Err(format!(
                "a script needs a superuser, for a database of its own, or a role that may read pages in this one: {why}"
            )
            .into());
        }
        connector.stop_asking();
        Ok(Self { connector, session, access })
    }

    /// What earlier runs have left, a sentence each.
    ///
    /// # Errors
    /// What the server says.
    pub async fn leftovers(&self) -> Result<Vec<String>, Failure> {
        leftovers(&self.session).await
    }

    /// Does a script get a database of its own there?
    ///
    /// # Errors
    /// A sentence, where it would be a schema only.
    pub fn has_own_database(&self) -> Result<(), String> {
        const WHY: &str = "a workload needs a database of its own, which a superuser makes; name a superuser";
        if self.access.superuser { Ok(()) } else { Err(WHY.to_owned()) }
    }

    /// The server in words: `postgres on db1:5432`.
    #[must_use]
    pub fn place(&self) -> String {
        self.connector.place()
    }

    /// What may be sent there of a script.
    ///
    /// # Errors
    /// A sentence that names the line.
    pub fn admit(&self, script: &Script, server_wide: bool) -> Result<Walled, String> {
        admit(self.access.superuser, script, server_wide)
    }
}

fn admit(superuser: bool, script: &Script, server_wide: bool) -> Result<Walled, String> {
    if superuser {
        return fence::admit_walled(script, server_wide);
    }
    let admitted = fence::admit(script, Reach { own_database: false, server_wide: false })?;
    Ok(Walled::of_schema(script, &admitted))
}

impl Place {
    /// Makes it.
    ///
    /// # Errors
    /// What the server says; a sentence.
    pub async fn make(ground: Ground, server_wide: bool) -> Result<Self, Failure> {
        let Ground { mut connector, session, access } = ground;
        let admin = connect(&mut connector).await?;
        if !access.superuser {
            if let Some(why) = objection(&session).await? {
                return Err(format!("{why}; name a superuser, so that the script gets a database of its own").into());
            }
            let made = OwnSchema::make(&admin, "script", None).await.map_err(|failure| {
                let advice = "a role that is no superuser needs the right CREATE on the database, for a schema of the script's own";
                Failure::new(failure.kind, format!("{failure}; {advice}"))
            })?;
            connector.add_options(&options(&made.name, false));
            let (role, schema) = (None, made.oid);
            return Ok(Self { connector, session, admin, access, role, schema, own: Own::Schema(made) });
        }
        let named = connector.dbname().to_owned();
        let own = OwnDatabase::make(named, admin, "script", "", None).await?;
        connector.use_database(&own.name);
        match inside(&mut connector, server_wide).await {
            Ok((session, access, admin)) => {
                connector.add_options(&options("\"$user\",public", true));
                let role = Some(ROLE);
                Ok(Self { connector, session, admin, access, role, schema: 0, own: Own::Database(own) })
            }
            Err(failure) => {
                own.drop_unused().await?;
                Err(failure)
            }
        }
    }

    /// A session of the script.
    ///
    /// # Errors
    /// What the server says.
    pub async fn open_session(&mut self) -> Result<ScriptSession, Failure> {
        let schema = match &self.own {
            Own::Database(_) => "public",
            Own::Schema(schema) => &schema.name,
        };
        let mut session = ScriptSession::open(&mut self.connector, schema).await?;
        session.tries_copy = true;
        if let Some(role) = self.role {
            session.become_role(role).await?;
        }
        Ok(session)
    }

    /// What may be sent there of a script.
    ///
    /// # Errors
    /// A sentence that names the line.
    pub fn admit(&self, script: &Script, server_wide: bool) -> Result<Walled, String> {
        admit(matches!(self.own, Own::Database(_)), script, server_wide)
    }

    /// Who looks at its relations.
    #[must_use]
    pub fn look(&self, most: u32) -> Look {
        Look::new(&self.access, self.schema, "public", most)
    }

    /// Asks the server to put the WAL of open transactions on disk, without using up a transaction id.
    ///
    /// # Errors
    /// What the server says.
    pub async fn flush(&self) -> Result<(), Failure> {
        let at_once = if self.access.server.version.flushes_messages() { ", true" } else { "" };
        let sql = format!("SELECT pg_catalog.pg_logical_emit_message(false, 'ffviz', ''{at_once})");
        Ok(self.admin.batch_execute(&sql).await?)
    }

    /// How what was made is dropped by hand.
    #[must_use]
    pub fn how_to_drop(&self) -> String {
        match &self.own {
            Own::Database(own) => format!("DROP DATABASE {}", own.name),
            Own::Schema(own) => format!("DROP SCHEMA {} CASCADE", own.name),
        }
    }

    /// Drops what was made. Where the connection was lost it connects once more.
    ///
    /// # Errors
    /// A sentence: what is left, and how to drop it.
    pub async fn clean(mut self) -> Result<(), Failure> {
        let left = format!("left on the server: {}", self.how_to_drop());
        let dropped = match self.prepare_to_drop().await {
            Ok(()) => self.drop_it().await,
            Err(failure) => Err(failure),
        };
        dropped.map_err(|failure| Failure::new(failure.kind, format!("{failure}; {left}")))
    }

    /// Ends what would keep it from being dropped.
    async fn prepare_to_drop(&mut self) -> Result<(), Failure> {
        match self.ends(&self.admin).await {
            // whether a connection is lost shows only when it is used
            Err(failure) if failure.kind == Kind::Gone => {
                self.admin = connect(&mut self.connector).await?;
                self.ends(&self.admin).await
            }
            outcome => outcome,
        }
    }

    async fn ends(&self, admin: &Client) -> Result<(), Failure> {
        match self.own {
            Own::Database(_) => end_prepared(admin).await,
            Own::Schema(_) => Ok(admin.batch_execute("SET client_min_messages = warning").await?),
        }
    }

    async fn drop_it(self) -> Result<(), Failure> {
        let Self { connector, session, admin, own, .. } = self;
        match own {
            Own::Schema(own) => own.drop_by(&admin).await,
            Own::Database(own) => {
                // a database with sessions in it cannot be dropped
                drop((session, admin));
                own.drop_from_outside(connector).await
            }
        }
    }
}

/// Connections to the script's own database, with the wall around it; with a gap for what the whole server notices, if
/// that may be.
async fn inside(connector: &mut Connector, server_wide: bool) -> Result<(Session, Access, Arc<Client>), Failure> {
    let admin = connect(connector).await?;
    admin.batch_execute(&include_str!("../sql/script/wall.sql").replace("ROLE", ROLE)).await?;
    if server_wide {
        admin.batch_execute(&format!("GRANT EXECUTE ON FUNCTION pg_catalog.pg_switch_wal() TO {ROLE}")).await?;
    }
    let session = Session::open(connector).await?;
    let access = Access::find(&session).await?;
    Ok((session, access, admin))
}

/// Transactions that the script has prepared would keep its database from being dropped.
async fn end_prepared(admin: &Client) -> Result<(), Failure> {
    const PREPARED: &str = "SELECT pg_catalog.quote_literal(gid) FROM pg_catalog.pg_prepared_xacts \
        WHERE database OPERATOR(pg_catalog.=) pg_catalog.current_database()";
    for row in admin.query(PREPARED, &[]).await? {
        admin.batch_execute(&format!("ROLLBACK PREPARED {}", row.try_get::<_, &str>(0)?)).await?;
    }
    Ok(())
}
