//! A server before anything is made on it: may a script run there, and what is there already? It is only read.

use super::facts::ServerFacts;
use ffviz_format::page::Oid;
use ffviz_live::Failure;
use ffviz_live::access::{Access, Way};
use ffviz_live::connect::Connector;
use ffviz_live::script;
use ffviz_live::session::Session;

/// A server that suits.
pub struct Ground {
    /// knows how to connect
    pub(super) connector: Connector,
    /// for looking, in read-only transactions
    pub(super) session: Session,
    /// what the server is
    pub(super) access: Access,
}

impl Ground {
    /// Connects and looks. `own_database`: pageinspect need not be in this database, since it will be in the script's
    /// own.
    ///
    /// # Errors
    /// A sentence: what is missing on the server.
    pub async fn find(mut connector: Connector, own_database: bool) -> Result<Self, Failure> {
        let session = Session::open(&mut connector).await?;
        let access = Access::find(&session).await?;
        if access.standby {
            return Err("the server is a standby; a script has to write: name its primary".to_owned().into());
        }
        if let Some(why) = missing(&access, own_database) {
            return Err(why.into());
        }
        if access.server.block_size != 8192 {
            return Err(format!(
                "the server has pages of {} bytes; ffviz runs scripts on pages of 8192",
                access.server.block_size
            )
            .into());
        }
        Ok(Self { connector, session, access })
    }

    /// What decides over pages and WAL.
    ///
    /// # Errors
    /// What the server says.
    pub async fn facts(&self) -> Result<ServerFacts, Failure> {
        let database = self.session.read("SELECT oid FROM pg_database WHERE datname = current_database()", &[]).await?;
        let database: Oid = database.first().map_or(Ok(0), |row| row.try_get("oid"))?;
        ServerFacts::ask(&self.session, self.access.server.version, database).await
    }

    /// What earlier runs that were broken off have left, a sentence each. It is never dropped by ffviz: it may hold
    /// what somebody needs.
    ///
    /// # Errors
    /// What the server says.
    pub async fn leftovers(&self) -> Result<Vec<String>, Failure> {
        script::leftovers(&self.session).await
    }

    /// What in this database would do something with tables of a schema of one's own: the reasons why a script does not
    /// run there.
    ///
    /// # Errors
    /// A sentence; what the server says.
    pub async fn objections(&self) -> Result<(), Failure> {
        match script::objection(&self.session).await? {
            None => Ok(()),
            Some(why) => {
                Err(format!("{why}; say --own-database, so that the script runs in a database of its own").into())
            }
        }
    }
}

/// What an attached program can do without is of no use here.
fn missing(access: &Access, own_database: bool) -> Option<String> {
    if matches!(access.way, Way::Pageinspect(_)) {
        return None;
    }
    let is_extension = access.refusal().is_some_and(|why| why.contains("pageinspect is missing"));
    let why =
        access.refusal().filter(|why| why.contains("extension pageinspect")).and_then(|why| why.split(". ").next());
    if is_extension && own_database {
        return None;
    }
    Some(why.map_or_else(
        || {
            "ffviz verify needs a superuser, whom alone pageinspect serves; name one in --server, such as user=postgres"
                .to_owned()
        },
        |why| if is_extension { format!("{why}; or say --own-database") } else { why.to_owned() },
    ))
}
