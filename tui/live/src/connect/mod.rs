//! From what psql accepts to a connection: which hosts, with or without TLS, which password. Follows `PQconnectPoll` of
//! src/interfaces/libpq/fe-connect.c.
//!
//! ```text
//! conninfo ─▶ hosts in order ─▶ with TLS, without (sslmode) ─▶ password asked for? ─▶ session as wanted? ─▶ client
//!                   ▲────────────── next one when it fails ────────────────────────────────┘
//! ```

mod conninfo;
mod environment;
mod passfile;
mod prompt;
mod service;
mod target;
mod tls;

pub use environment::Environment;

use super::failure::{Failure, Kind};
use conninfo::Conninfo;
use std::time::Duration;
use target::Target;
use tokio_postgres::config::{ChannelBinding, SslMode, SslNegotiation};
use tokio_postgres::{Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

/// libpq waits for ever; a person does not.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Knows how to connect, and how to connect again.
pub struct Connector {
    info: Conninfo,
    environment: Environment,
    targets: Vec<Target>,
    tls: MakeRustlsConnect,
    /// may somebody be asked for a password? The one typed is kept for connecting again
    ask: bool,
    typed: Option<String>,
}

impl Connector {
    /// Understands where to connect; does not connect yet. Warnings (of a password file that is not used) are told with
    /// a failure.
    ///
    /// # Errors
    /// A sentence, when what was said cannot be understood or a named file cannot be used.
    pub fn new(text: &str, environment: Environment) -> Result<Self, String> {
        let info = Conninfo::parse(text)?.complete(&environment)?;
        check_values(&info)?;
        let targets = target::targets(&info)?;
        let tls = tls::connector(&info, &environment)?;
        Ok(Self { info, environment, targets, tls, ask: true, typed: None })
    }

    /// Settings that sessions begin with, as `options` of libpq has them: RESET goes back to these.
    pub fn add_options(&mut self, more: &str) {
        self.info.add_options(more);
    }

    /// From now on connections are to another database of the same server.
    pub fn use_database(&mut self, name: &str) {
        self.info.set_dbname(name);
    }

    /// The database, for titles: `shop on db1:5432`.
    #[must_use]
    pub fn place(&self) -> String {
        let targets: Vec<_> = self.targets.iter().map(ToString::to_string).collect();
        format!("{} on {}", self.dbname(), targets.join(", "))
    }

    /// Name of the database.
    #[must_use]
    pub fn dbname(&self) -> &str {
        self.info.get("dbname").unwrap_or_default()
    }

    /// From now on nobody can be asked for a password: the terminal is taken.
    pub fn stop_asking(&mut self) {
        self.ask = false;
    }

    /// Connects to the first target that answers and suits.
    ///
    /// # Errors
    /// Why the last one did not, and the others.
    pub async fn connect(&mut self) -> Result<Client, Failure> {
        let prefer_standby = self.info.get("target_session_attrs") == Some("prefer-standby");
        let passes: &[&str] = if prefer_standby { &["standby", "any"] } else { &[""] };
        let mut failures: Vec<Failure> = Vec::new();
        for pass in passes {
            for at in 0..self.targets.len() {
                let target = self.targets[at].clone();
                match self.connect_to(&target, pass).await {
                    Ok(client) => return Ok(client),
                    Err(failure) => failures.push(failure),
                }
            }
        }
        let kind = failures.last().map_or(Kind::Other, |failure| failure.kind);
        let mut sentences: Vec<String> = failures.into_iter().map(|failure| failure.sentence).collect();
        sentences.dedup();
        Err(Failure::new(kind, sentences.join("; and ")))
    }

    async fn connect_to(&mut self, target: &Target, wanted: &str) -> Result<Client, Failure> {
        let (found, warning) = self.password(target);
        let password = found.or_else(|| self.typed.clone());
        let mut outcome = self.try_transports(target, password.as_deref()).await;
        if matches!(&outcome, Err(failure) if failure.kind == Kind::PasswordWanted)
            && let Some(typed) = self.ask_password()
        {
            outcome = self.try_transports(target, Some(&typed)).await;
            self.typed = Some(typed);
        }
        let client = outcome.map_err(|failure| match warning {
            Some(warning) => Failure::new(failure.kind, format!("{}; {warning}", failure.sentence)),
            None => failure,
        })?;
        let wanted = if wanted.is_empty() { self.info.get("target_session_attrs") } else { Some(wanted) };
        suits(&client, wanted.unwrap_or("any"), target).await?;
        Ok(client)
    }

    /// Asks on the terminal, if that is still possible.
    fn ask_password(&self) -> Option<String> {
        if self.ask { prompt::password(self.info.get("user").unwrap_or_default()) } else { None }
    }

    /// The password that was said or is in the password file.
    fn password(&self, target: &Target) -> (Option<String>, Option<String>) {
        if let Some(password) = self.info.get("password") {
            return (Some(password.to_owned()), None);
        }
        let account = passfile::Account {
            host: target.name_in_passfile(),
            port: &target.port.to_string(),
            dbname: self.dbname(),
            user: self.info.get("user").unwrap_or_default(),
        };
        passfile::find(self.info.get("passfile"), &self.environment, account)
    }

    /// With TLS, without it, or one after the other, as `sslmode` says.
    async fn try_transports(&self, target: &Target, password: Option<&str>) -> Result<Client, Failure> {
        let said = self.info.get("sslmode");
        let modes: &[SslMode] = match said {
            _ if target.is_socket() => &[SslMode::Disable],
            Some("disable") => &[SslMode::Disable],
            Some("allow") => &[SslMode::Disable, SslMode::Require],
            None if self.info.get("sslrootcert") == Some("system") => &[SslMode::Require],
            None | Some("prefer") => &[SslMode::Prefer, SslMode::Disable],
            Some(_) => &[SslMode::Require],
        };
        let mut outcome = Err(Failure::new(Kind::Other, "no way to connect"));
        for mode in modes {
            outcome = self.try_once(target, password, *mode).await;
            match &outcome {
                Err(failure) if failure.kind == Kind::OtherTransport => {}
                _ => break,
            }
        }
        outcome
    }

    async fn try_once(&self, target: &Target, password: Option<&str>, mode: SslMode) -> Result<Client, Failure> {
        let config = self.config(target, password, mode);
        let limit = match self.info.get("connect_timeout").and_then(|seconds| seconds.trim().parse::<u64>().ok()) {
            Some(0) => Duration::MAX,
            Some(seconds) => Duration::from_secs(seconds.max(2)),
            None => CONNECT_TIMEOUT,
        };
        match tokio::time::timeout(limit, config.connect(self.tls.clone())).await {
            Ok(Ok((client, connection))) => {
                tokio::spawn(connection);
                Ok(client)
            }
            Ok(Err(error)) => Err(target.explain(&error)),
            Err(_) => Err(Failure::new(
                Kind::Gone,
                format!(
                    "{target} did not answer within {} s; is the host right, and does a firewall let you through?",
                    limit.as_secs()
                ),
            )),
        }
    }

    fn config(&self, target: &Target, password: Option<&str>, mode: SslMode) -> Config {
        let mut config = Config::new();
        target.apply(&mut config);
        config.ssl_mode(mode).user(self.info.get("user").unwrap_or_default()).dbname(self.dbname());
        let name = self.info.get("application_name").or_else(|| self.info.get("fallback_application_name"));
        config.application_name(name.unwrap_or("ffviz"));
        if let Some(password) = password {
            config.password(password);
        }
        if let Some(options) = self.info.get("options") {
            config.options(options);
        }
        config.channel_binding(match self.info.get("channel_binding") {
            Some("disable") => ChannelBinding::Disable,
            Some("require") => ChannelBinding::Require,
            _ => ChannelBinding::Prefer,
        });
        if self.info.get("sslnegotiation") == Some("direct") && mode == SslMode::Require {
            config.ssl_negotiation(SslNegotiation::Direct);
        }
        self.keepalive(&mut config);
        config
    }

    fn keepalive(&self, config: &mut Config) {
        let number = |key| self.info.get(key).and_then(|value| value.trim().parse::<u32>().ok()).filter(|n| *n > 0);
        let seconds = |n: u32| Duration::from_secs(u64::from(n));
        config.keepalives(self.info.get("keepalives") != Some("0"));
        if let Some(n) = number("keepalives_idle") {
            config.keepalives_idle(seconds(n));
        }
        if let Some(n) = number("keepalives_interval") {
            config.keepalives_interval(seconds(n));
        }
        if let Some(n) = number("keepalives_count") {
            config.keepalives_retries(n);
        }
        if let Some(n) = number("tcp_user_timeout") {
            config.tcp_user_timeout(Duration::from_millis(u64::from(n)));
        }
    }
}

/// Keywords that take one of a few values.
fn check_values(info: &Conninfo) -> Result<(), String> {
    const CHOICES: &[(&str, &[&str])] = &[
        ("sslmode", &["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]),
        ("sslnegotiation", &["postgres", "direct"]),
        ("channel_binding", &["disable", "prefer", "require"]),
        ("target_session_attrs", &["any", "read-write", "read-only", "primary", "standby", "prefer-standby"]),
        ("load_balance_hosts", &["disable", "random"]),
        ("gssencmode", &["disable", "prefer"]),
    ];
    for (key, choices) in CHOICES {
        if info.get(key).is_some_and(|value| !choices.contains(&value)) {
            return Err(format!("{key} must be one of {}", choices.join(", ")));
        }
    }
    let strong = matches!(info.get("sslmode"), Some("require" | "verify-ca" | "verify-full"));
    if info.get("sslnegotiation") == Some("direct") && !strong && info.get("sslrootcert") != Some("system") {
        return Err("sslnegotiation=direct needs sslmode=require, verify-ca or verify-full".to_owned());
    }
    for key in ["connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"] {
        if info.get(key).is_some_and(|value| value.trim().parse::<i32>().is_err()) {
            return Err(format!("{key} must be a number"));
        }
    }
    Ok(())
}

/// Is it a session as `target_session_attrs` wants it?
async fn suits(client: &Client, wanted: &str, target: &Target) -> Result<(), Failure> {
    if wanted == "any" {
        return Ok(());
    }
    let asked = "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only')";
    let mut facts = (false, false);
    for message in client.simple_query(asked).await? {
        if let SimpleQueryMessage::Row(row) = message {
            facts = (row.get(0) == Some("t"), row.get(1) == Some("on"));
        }
    }
    let (standby, read_only) = facts;
    let good = match wanted {
        "read-write" => !read_only,
        "read-only" => read_only,
        "primary" => !standby,
        _ => standby,
    };
    let told = || format!("{target} is not a server with target_session_attrs={wanted}");
    if good { Ok(()) } else { Err(Failure::new(Kind::Other, told())) }
}
