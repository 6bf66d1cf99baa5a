//! SHOW and `current_setting`: what a setting is for the running session (`GetConfigOptionByName`,
//! src/backend/utils/misc/guc.c).

use crate::sql::StatementError;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc;
use crate::sql::tcop::Database;
use crate::sql::tcop::dest::{DestReceiver, Kept};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_story::timeline::ResultSet;

/// SHOW, whose row is sent when it runs (`ShowGUCConfigOption`).
#[derive(Debug)]
pub(in crate::sql) struct Show {
    name: String,
    value: String,
    dest: Option<DestReceiver>,
}

impl Show {
    /// Looks the setting up.
    ///
    /// # Errors
    /// There is none of that name; one that the simulator does not know.
    pub fn start(db: &Database, name: &str) -> Result<Self, StatementError> {
        db.check_shown(name)?;
        match db.setting(name) {
            Some((name, value)) => Ok(Self { name, value, dest: None }),
            None => Err(guc::unknown(name).into()),
        }
    }

    /// Its row is to be kept.
    pub fn keep(&mut self, kept: Kept) {
        self.dest = Some(DestReceiver::new(kept, core::iter::once((self.name.clone(), SqlType::TEXT))));
    }

    /// Sends the row.
    ///
    /// # Errors
    /// None: a text has one style.
    pub fn run(&mut self) -> Result<String, SqlError> {
        if let Some(dest) = &mut self.dest {
            dest.receive(&[Value::text(&self.value)])?;
        }
        Ok("SHOW".to_string())
    }

    /// What was kept.
    pub fn finish(&mut self) -> Option<ResultSet> {
        self.dest.take().map(DestReceiver::finish)
    }
}

impl Database {
    /// The name of a setting as SHOW has it, and its value.
    pub(in crate::sql) fn setting(&self, name: &str) -> Option<(String, String)> {
        let (pg, version) = (&self.cluster.pg, self.cluster.version());
        let settings = &pg.backend().settings;
        let of_transaction = ["transaction_isolation", "transaction_read_only", "transaction_deferrable"];
        let is_of_transaction = of_transaction.iter().any(|known| known.eq_ignore_ascii_case(name));
        if let Some(guc) = guc::find(name, version.major()).filter(|_| !is_of_transaction) {
            if guc.name == "is_superuser" {
                let is_on = self.cluster.is_superuser(self.cluster.user());
                return Some((guc.name.to_string(), if is_on { "on" } else { "off" }.to_string()));
            }
            let set = settings.shown.get(guc.name).or_else(|| pg.settings.shown.get(guc.name));
            return Some((guc.name.to_string(), set.map_or_else(|| guc.boot(version.major()), String::clone)));
        }
        let name = name.to_ascii_lowercase();
        let preset = match name.as_str() {
            "server_version" => format!("{}.{}", version.major(), version.0 % 10_000),
            "server_version_num" => version.0.to_string(),
            "transaction_isolation" => {
                let default = settings.default_transaction_isolation;
                let isolation = pg.backend().xact.as_ref().map_or(default, |xact| xact.isolation);
                isolation.name().to_string()
            }
            "transaction_read_only" => {
                let default = settings.default_transaction_read_only;
                let is_on = pg.backend().xact.as_ref().map_or(default, |xact| xact.read_only);
                if is_on { "on" } else { "off" }.to_string()
            }
            "transaction_deferrable" => "off".to_string(),
            // one that was taken back is there all the same, and empty
            custom => match settings.shown.get(custom) {
                Some(value) => value.clone(),
                None => self.sessions.get(&pg.me)?.placeholders.get(custom).map(|_| String::new())?,
            },
        };
        Some((name, preset))
    }

    /// A value that a server finds out from its machine is refused, unless it was told.
    fn check_shown(&self, name: &str) -> Result<(), SqlError> {
        let is_told = self.cluster.pg.settings.shown.keys().any(|known| known.eq_ignore_ascii_case(name));
        if guc::effect::is_of_machine(&name.to_ascii_lowercase()) && !is_told {
            let message = format!("{name} is not supported; a server finds it out from its machine");
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        Ok(())
    }

    /// `current_setting`; `None` where there is none of that name and that may be.
    pub(in crate::sql) fn show_setting(&self, name: &str, missing_ok: bool) -> Result<Option<String>, SqlError> {
        self.check_shown(name)?;
        match self.setting(name) {
            Some((_, value)) => Ok(Some(value)),
            None if missing_ok => Ok(None),
            None => Err(guc::unknown(name)),
        }
    }
}
