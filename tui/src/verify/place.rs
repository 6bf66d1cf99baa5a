//! Where a script runs: a server, a database, a schema of its own that is dropped afterwards.

use super::observer::Observer;
use super::session;
use crate::attach::Failure;
use crate::attach::access::{Access, Way};
use crate::attach::connect::Connector;
use crate::attach::pages::Pace;
use crate::attach::session::{Parameter, Session};
use ffviz_engine::page::{BlockNumber, Oid, Page};
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// How long a setting may need to reach a session.
const RELOAD: Duration = Duration::from_millis(20);
const RELOADS: u32 = 250;
/// Where `pd_checksum` is in a page.
const PD_CHECKSUM: std::ops::Range<usize> = 8..10;

/// A server and what is needed to look at it and to change it.
pub struct Place {
    /// knows how to connect
    pub connector: Connector,
    /// for looking, in read-only transactions
    pub session: Session,
    /// for what a script does not do itself: its schema, settings
    admin: Arc<Client>,
    /// looks between two statements, on the same connection
    pub observer: Observer,
    /// what the server is
    pub access: Access,
    /// no limit: it is the script's server meanwhile
    pub pace: Pace,
    /// the schema's name, quoted
    pub schema: String,
    /// its OID
    schema_oid: Oid,
    /// OID of the database
    pub database: Oid,
    /// where pageinspect is, quoted
    extension: String,
}

const SYNCHRONOUS: &str = "SET synchronous_commit = on";

impl Place {
    /// Connects and makes the schema.
    ///
    /// # Errors
    /// A sentence: what is missing on the server.
    pub async fn open(mut connector: Connector) -> Result<Self, Failure> {
        let session = Session::open(&mut connector).await?;
        let access = Access::find(&session).await?;
        if access.standby {
            return Err("the server is a standby; a script has to write: name its primary".to_owned().into());
        }
        if !matches!(access.way, Way::Pageinspect(_)) {
            // what an attached program can do without is of no use here
            let missing = access.refusal().filter(|why| why.contains("extension pageinspect is missing"));
            let why = missing.and_then(|why| why.split(". ").next()).unwrap_or(
                "ffviz verify needs a superuser, whom alone pageinspect serves; name one in --server, such as user=postgres",
            );
            return Err(why.to_owned().into());
        }
        if access.server.block_size != 8192 {
            return Err(format!(
                "the server has pages of {} bytes; ffviz runs scripts on pages of 8192",
                access.server.block_size
            )
            .into());
        }
        let admin = Arc::new(connector.connect().await?);
        let row = admin.query_one(include_str!("sql/place.sql"), &[]).await?;
        let schema = format!("ffviz_verify_{}", row.try_get::<_, i32>("pid")?);
        admin.batch_execute(&format!("{SYNCHRONOUS}; CREATE SCHEMA {schema}")).await?;
        connector.add_options(&session::options(&schema));
        let schema_oid = admin.query_one("SELECT to_regnamespace($1)::oid", &[&schema]).await?.try_get(0)?;
        let extension: String = row.try_get("extension")?;
        let wide_blocks = access.server.version.major() >= 14;
        let observer = Observer::new(Arc::clone(&admin), &extension, wide_blocks, schema_oid).await?;
        Ok(Self {
            connector,
            session,
            access,
            pace: Pace::new(0),
            schema,
            schema_oid,
            database: row.try_get("database")?,
            extension,
            admin,
            observer,
        })
    }

    /// After the server was started again.
    ///
    /// # Errors
    /// What the server says.
    pub async fn reconnect(&mut self) -> Result<(), Failure> {
        self.session = Session::open(&mut self.connector).await?;
        self.admin = Arc::new(self.connector.connect().await?);
        self.admin.batch_execute(SYNCHRONOUS).await?;
        let wide_blocks = self.access.server.version.major() >= 14;
        self.observer = Observer::new(Arc::clone(&self.admin), &self.extension, wide_blocks, self.schema_oid).await?;
        Ok(())
    }

    /// Puts all WAL on disk: a commit flushes if its transaction wrote.
    ///
    /// # Errors
    /// What the server says.
    pub async fn flush_wal(&self) -> Result<(), Failure> {
        self.admin.batch_execute("SELECT pg_logical_emit_message(true, 'ffviz', 'flush')").await?;
        Ok(())
    }

    /// ALTER SYSTEM SET and a reload, and waits until it has its effect.
    ///
    /// # Errors
    /// What the server says.
    pub async fn set(&self, name: &str, value: &str) -> Result<(), Failure> {
        let quoted = value.replace('\'', "''");
        self.admin.batch_execute(&format!("ALTER SYSTEM SET {name} = '{quoted}'")).await?;
        self.reload().await
    }

    async fn reload(&self) -> Result<(), Failure> {
        let before = self.load_time().await?;
        self.admin.batch_execute("SELECT pg_reload_conf()").await?;
        self.wait_for_reload(&before).await
    }

    /// When the settings were read last.
    ///
    /// # Errors
    /// What the server says.
    pub async fn load_time(&self) -> Result<String, Failure> {
        Ok(self.admin.query_one("SELECT pg_conf_load_time()::text", &[]).await?.try_get(0)?)
    }

    /// Waits until settings are read that somebody has asked the server to read again.
    ///
    /// # Errors
    /// What the server says; a sentence where it does not.
    pub async fn wait_for_reload(&self, before: &str) -> Result<(), Failure> {
        for _ in 0..RELOADS {
            if self.load_time().await? != before {
                // the checkpointer and the sessions get the same signal, those that are younger before this one
                tokio::time::sleep(RELOAD).await;
                return Ok(());
            }
            tokio::time::sleep(RELOAD).await;
        }
        Err("the server does not read its settings again".to_owned().into())
    }

    /// The file of a relation below the data directory.
    ///
    /// # Errors
    /// What the server says.
    pub async fn path(&self, relation: Oid) -> Result<String, Failure> {
        let parameters: [Parameter<'_>; 1] = [(&relation, Type::OID)];
        let rows = self.session.read("SELECT pg_relation_filepath($1) AS path", &parameters).await?;
        let row = rows.first().ok_or_else(|| "the relation has no file".to_owned())?;
        Ok(row.try_get::<_, Option<String>>("path")?.unwrap_or_default())
    }

    /// A page as it is written to disk: with its checksum, where the cluster has them.
    #[must_use]
    pub fn as_written(&self, page: &Page, block: BlockNumber) -> Page {
        let mut written = page.clone();
        if let Some(checksum) = page.checksum(block).filter(|_| self.access.server.data_checksums) {
            written.bytes_mut()[PD_CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        }
        written
    }

    /// Drops the schema and takes settings back.
    ///
    /// # Errors
    /// What the server says.
    pub async fn clean(&self, settings: &[String]) -> Result<(), Failure> {
        self.admin
            .batch_execute(&format!(
                "RESET ALL; SET client_min_messages = warning; DROP SCHEMA {} CASCADE",
                self.schema
            ))
            .await?;
        for name in settings {
            self.admin.batch_execute(&format!("ALTER SYSTEM RESET {name}")).await?;
        }
        if settings.is_empty() { Ok(()) } else { self.reload().await }
    }
}
