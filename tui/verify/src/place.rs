//! Where a script runs: a schema, or a database, of its own on a server. It is dropped afterwards, by its OID, and
//! nothing else is.
//!
//! ```text
//!  Ground ──make──▶ Place: schema ffviz_verify_PID, or a database of that name ──the script runs──▶ clean
//! ```

use super::ground::Ground;
use super::observer::Observer;
use ffviz_format::page::{BlockNumber, Oid, Page};
use ffviz_live::Failure;
use ffviz_live::access::Access;
use ffviz_live::connect::Connector;
use ffviz_live::pages::Pace;
use ffviz_live::script::{self, OwnDatabase, OwnSchema, PATIENCE, ScriptSession, Sessions, Settled, connect, quoted};
use ffviz_live::session::{Parameter, Session};
use ffviz_live::version::Sent;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::time::Instant;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// How long a setting may need to reach a session.
const RELOAD: Duration = Duration::from_millis(20);
const RELOADS: u32 = 250;
/// Where `pd_checksum` is in a page.
const PD_CHECKSUM: std::ops::Range<usize> = 8..10;

/// A server and what is needed to look at it and to change it.
pub struct Place {
    /// knows how to connect to where the script runs
    connector: Connector,
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
    /// OID of the database
    pub database: Oid,
    /// the schema that the script's relations are in
    schema: OwnSchema,
    /// where pageinspect's function is, quoted
    extension: String,
    /// the database that was made for the script
    own_database: Option<OwnDatabase>,
    /// settings that the script changes, and what ALTER SYSTEM had set before
    settings: Vec<(String, Option<String>)>,
}

impl Place {
    /// Makes a schema in the database that was named, or with `own_database` a database. `settings`: those of the
    /// server that the script changes.
    ///
    /// # Errors
    /// What the server says.
    pub async fn make(ground: Ground, own_database: bool, settings: &BTreeSet<String>) -> Result<Self, Failure> {
        let Ground { mut connector, session, access } = ground;
        let admin = connect(&mut connector).await?;
        let settings = remembered(&session, settings).await?;
        if !own_database {
            return Self::settle(connector, session, access, admin, None, settings).await;
        }
        let named = connector.dbname().to_owned();
        let provider = if access.server.version.has_locale_providers() { " LOCALE_PROVIDER libc" } else { "" };
        let locale = format!(" ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'{provider}");
        let own = OwnDatabase::make(named, admin, "verify", &locale, comment(&settings).as_deref()).await?;
        connector.use_database(&own.name);
        match Self::inside(&mut connector).await {
            Ok((session, access, admin)) => Self::settle(connector, session, access, admin, Some(own), settings).await,
            Err(failure) => {
                own.drop_unused().await?;
                Err(failure)
            }
        }
    }

    /// Connections to the script's own database, where pageinspect's function is put into a schema that no script's
    /// name leads to; so the script may have the extension for itself.
    async fn inside(connector: &mut Connector) -> Result<(Session, Access, Arc<Client>), Failure> {
        let admin = connect(connector).await?;
        admin.batch_execute(include_str!("sql/inside.sql")).await?;
        let session = Session::open(connector).await?;
        let access = Access::find(&session).await?;
        Ok((session, access, admin))
    }

    async fn settle(
        mut connector: Connector,
        session: Session,
        access: Access,
        admin: Arc<Client>,
        own_database: Option<OwnDatabase>,
        settings: Vec<(String, Option<String>)>,
    ) -> Result<Self, Failure> {
        let row = admin.query_one(include_str!("sql/place.sql"), &[]).await?;
        let pid: i32 = row.try_get("pid")?;
        let extension: String = match own_database {
            Some(_) => "ffviz".to_owned(),
            None => row.try_get("extension")?,
        };
        let schema = if own_database.is_some() {
            OwnSchema::of(&admin, "public".to_owned()).await?
        } else {
            OwnSchema::make(&admin, "verify", comment(&settings).as_deref()).await?
        };
        connector.add_options(&script::options(&schema.name, true));
        let wide_blocks = access.server.version.has_wide_blocks();
        let observer = Observer::new(Arc::clone(&admin), &extension, wide_blocks, schema.oid).await?;
        // the WAL is read when the script is over: until then no checkpoint may recycle it; it may where no slot is to
        // be had
        let _ = admin
            .batch_execute(&format!("SELECT pg_create_physical_replication_slot('ffviz_verify_{pid}', true, true)"))
            .await;
        let database = row.try_get("database")?;
        let pace = Pace::new(0);
        Ok(Self {
            connector,
            session,
            access,
            pace,
            schema,
            database,
            extension,
            admin,
            observer,
            own_database,
            settings,
        })
    }

    /// A session of the script, in which every name without a schema leads to the script's own.
    ///
    /// # Errors
    /// What the server says; a sentence, where a pooler has lost the session's `search_path`.
    pub(super) async fn open_session(&mut self) -> Result<ScriptSession, Failure> {
        ScriptSession::open(&mut self.connector, &self.schema.name).await
    }

    /// After the server was started again.
    ///
    /// # Errors
    /// What the server says.
    pub async fn reconnect(&mut self) -> Result<(), Failure> {
        self.session = Session::open(&mut self.connector).await?;
        self.admin = connect(&mut self.connector).await?;
        let wide_blocks = self.access.server.version.has_wide_blocks();
        self.observer = Observer::new(Arc::clone(&self.admin), &self.extension, wide_blocks, self.schema.oid).await?;
        Ok(())
    }

    /// Puts all WAL on disk: a commit flushes if its transaction wrote.
    ///
    /// # Errors
    /// What the server says.
    pub async fn flush_wal(&self) -> Result<(), Failure> {
        self.admin.batch_execute("SELECT pg_catalog.pg_logical_emit_message(true, 'ffviz', 'flush')").await?;
        Ok(())
    }

    /// ALTER SYSTEM SET and a reload, and waits until it has its effect.
    ///
    /// # Errors
    /// What the server says.
    pub async fn set(&self, name: &str, value: &str) -> Result<(), Failure> {
        self.admin.batch_execute(&alter_system(name, Some(value))).await?;
        self.reload().await
    }

    async fn reload(&self) -> Result<(), Failure> {
        let before = self.load_time().await?;
        self.admin.batch_execute("SELECT pg_catalog.pg_reload_conf()").await?;
        self.wait_for_reload(&before).await
    }

    /// When the settings were read last.
    ///
    /// # Errors
    /// What the server says.
    pub async fn load_time(&self) -> Result<String, Failure> {
        Ok(self.admin.query_one("SELECT pg_catalog.pg_conf_load_time()::text", &[]).await?.try_get(0)?)
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

    /// Waits for sessions of the script ([`Sessions::settle`]).
    ///
    /// # Errors
    /// What the server says.
    pub async fn wait_for(&self, on: &Sessions, began: Instant, interrupt: &AtomicBool) -> Result<Settled, Failure> {
        on.settle(&self.admin, (began, PATIENCE), interrupt).await
    }

    /// Cancels what sessions of the script run.
    ///
    /// # Errors
    /// What the server says.
    pub async fn cancel(&self, sessions: &Sessions) -> Result<(), Failure> {
        sessions.cancel(&self.admin).await
    }

    /// Takes settings back and drops what was made. Where the connection was lost it connects once more.
    ///
    /// # Errors
    /// A sentence: what is left, and how to drop it.
    pub async fn clean(mut self) -> Result<(), Failure> {
        let mut outcome = self.try_clean().await;
        if outcome.is_err() && self.admin.is_closed() {
            outcome = self.clean_anew().await;
        }
        let (what, name) = match &self.own_database {
            Some(own) => ("DATABASE", own.name.clone()),
            None => ("SCHEMA", format!("{} CASCADE", self.schema.name)),
        };
        let left =
            |failure: Failure| Failure::new(failure.kind, format!("{failure}; left on the server: DROP {what} {name}"));
        outcome.map_err(left)?;
        let Self { connector, own_database, session, observer, admin, .. } = self;
        // a database with sessions in it cannot be dropped
        drop((session, observer, admin));
        match own_database {
            Some(own) => own.drop_from_outside(connector).await.map_err(left),
            None => Ok(()),
        }
    }

    async fn clean_anew(&mut self) -> Result<(), Failure> {
        self.admin = connect(&mut self.connector).await?;
        self.try_clean().await
    }

    async fn try_clean(&self) -> Result<(), Failure> {
        self.admin.batch_execute("RESET ALL; SET client_min_messages = warning; SET search_path = pg_catalog").await?;
        for (name, before) in &self.settings {
            self.admin.batch_execute(&alter_system(name, before.as_deref())).await?;
        }
        if !self.settings.is_empty() {
            self.reload().await?;
        }
        if self.own_database.is_none() { self.schema.drop_by(&self.admin).await } else { Ok(()) }
    }
}

/// What ALTER SYSTEM has set so far.
async fn remembered(session: &Session, names: &BTreeSet<String>) -> Result<Vec<(String, Option<String>)>, Failure> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let list: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = session.read(include_str!("sql/settings.sql"), &[(&list, Type::TEXT_ARRAY)]).await?;
    let set = |name: &String| {
        let row = rows.iter().find(|row| row.get::<_, &str>("name").eq_ignore_ascii_case(name));
        row.and_then(|row| row.get::<_, Option<String>>("setting"))
    };
    Ok(names.iter().map(|name| (name.clone(), set(name))).collect())
}

/// What is told to whoever finds the place after ffviz was killed: how to put the server's settings back.
fn comment(settings: &[(String, Option<String>)]) -> Option<String> {
    let back: Vec<String> = settings.iter().map(|(name, before)| alter_system(name, before.as_deref())).collect();
    let text = format!("the settings of the server before it: {}", back.join("; "));
    (!settings.is_empty()).then(|| format!("'{}'", text.replace('\'', "''")))
}

fn alter_system(name: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("ALTER SYSTEM SET {} = '{}'", quoted(name), value.replace('\'', "''")),
        None => format!("ALTER SYSTEM RESET {}", quoted(name)),
    }
}
