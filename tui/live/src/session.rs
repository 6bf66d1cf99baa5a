//! One polite read: a short read-only transaction with its own limits, that leaves nothing behind in the session, so
//! that it works through a pooler in transaction mode too. Statements are unnamed ([`Client::query_typed`]): a pooler
//! need not know them.

use super::connect::Connector;
use super::failure::{Failure, Kind};
use std::time::Duration;
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

/// The start of each transaction. READ COMMITTED: no snapshot outlives its statement. With the catalog's search_path
/// nobody's function or operator stands in for PostgreSQL's.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; \
    SET LOCAL statement_timeout = '10s'; SET LOCAL lock_timeout = '300ms'; SET LOCAL idle_in_transaction_session_timeout = '10s'; \
    SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off; SET LOCAL TimeZone = 'UTC'";
const CATALOG_PATH: &str = "; SET LOCAL search_path = pg_catalog, pg_temp";

/// How often a read that recovery cancelled is tried again, and the pause before the first new try; it doubles.
const RETRIES: u32 = 5;
const RETRY_PAUSE: Duration = Duration::from_millis(200);

/// A parameter of a statement, and its type: told, so that the server is not asked.
pub type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// A connection, and how to get another.
pub struct Session {
    client: Client,
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// Why not.
    pub async fn open(connector: &mut Connector) -> Result<Self, Failure> {
        Ok(Self { client: connector.connect().await? })
    }

    /// Is the connection gone?
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Runs one statement in a transaction of its own; tries again when a standby's recovery cancelled it.
    ///
    /// # Errors
    /// What the server says.
    pub async fn read(&self, sql: &str, parameters: &[Parameter<'_>]) -> Result<Vec<tokio_postgres::Row>, Failure> {
        self.patiently(CATALOG_PATH, sql, parameters).await
    }

    /// The same with the user's own `search_path`: for names that the user typed, and nothing else.
    ///
    /// # Errors
    /// What the server says.
    pub async fn read_as_user(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<tokio_postgres::Row>, Failure> {
        self.patiently("", sql, parameters).await
    }

    async fn patiently(
        &self,
        path: &str,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<tokio_postgres::Row>, Failure> {
        let mut pause = RETRY_PAUSE;
        for _ in 0..RETRIES {
            match self.once(path, sql, parameters).await {
                Err(failure) if failure.kind == Kind::Conflict => tokio::time::sleep(pause).await,
                outcome => return outcome,
            }
            pause *= 2;
        }
        self.once(path, sql, parameters).await.map_err(|failure| match failure.kind {
            Kind::Conflict => Failure::new(
                Kind::Conflict,
                format!(
                    "{}; tried {} times: ask again, or raise max_standby_streaming_delay",
                    failure.sentence,
                    RETRIES + 1
                ),
            ),
            _ => failure,
        })
    }

    /// All three messages are sent at once: one round trip, and no moment in which the server waits within a
    /// transaction. Should the first fail, the transaction is aborted and the server refuses the second.
    async fn once(
        &self,
        path: &str,
        sql: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<tokio_postgres::Row>, Failure> {
        let begin = format!("{BEGIN}{path}");
        let (begun, rows, ended) = tokio::join!(
            biased;
            self.client.batch_execute(&begin),
            self.client.query_typed(sql, parameters),
            self.client.batch_execute("ROLLBACK"),
        );
        begun?;
        let rows = rows?;
        ended?;
        Ok(rows)
    }
}
