//! What of a server decides over pages and WAL: its version and some settings.

use ffviz_format::page::{Oid, PgVersion};
use ffviz_live::Failure;
use ffviz_live::session::Session;
use ffviz_simulator::sql::guc::setting_names;
use std::collections::BTreeMap;

/// A server as the simulator is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// `server_version_num`
    pub version: PgVersion,
    /// OID of the database
    pub database: Oid,
    /// settings by name, as SHOW gives them
    pub settings: BTreeMap<String, String>,
}

/// Settings that are asked for, and the value that a run needs; an empty one: any that the simulator knows.
const SETTINGS: [(&str, &str, &str); 19] = [
    ("data_checksums", "", ""),
    ("full_page_writes", "", ""),
    ("wal_log_hints", "", ""),
    ("wal_level", "replica", "records have other lengths"),
    ("wal_compression", "", ""),
    ("shared_buffers", "", ""),
    ("max_connections", "", ""),
    ("max_pred_locks_per_page", "", ""),
    ("max_pred_locks_per_relation", "", ""),
    ("max_pred_locks_per_transaction", "", ""),
    ("wal_segment_size", "16MB", "positions in the WAL are others"),
    ("server_encoding", "UTF8", "texts have other bytes"),
    ("lc_collate", "C", "indexes on texts are sorted otherwise"),
    ("autovacuum", "off", "it changes pages when it likes"),
    ("bgwriter_lru_maxpages", "0", "it writes pages out when it likes, which matters where hint bits are logged"),
    ("track_commit_timestamp", "off", "commits write more"),
    ("max_prepared_transactions", "", ""),
    ("default_toast_compression", "pglz", "values are compressed otherwise"),
    ("vacuum_freeze_min_age", "50000000", "VACUUM freezes other rows"),
];

/// Who sorts texts in the database; a name beside those of settings.
const PROVIDER: &str = "locale provider";

impl ServerFacts {
    /// Asks.
    ///
    /// # Errors
    /// What the server says.
    pub async fn ask(session: &Session, version: PgVersion, database: Oid) -> Result<Self, Failure> {
        let rows = session.read(&Self::question(version), &[]).await?;
        let setting = |row: &tokio_postgres::Row| Ok::<_, Failure>((row.try_get("name")?, row.try_get("value")?));
        let settings = rows.iter().map(setting).collect::<Result<_, _>>()?;
        Ok(Self { version, database, settings })
    }

    /// What is asked: names and values. What only SHOW tells is as a session has it that has set nothing, in the
    /// setting's own unit.
    #[must_use]
    pub fn question(version: PgVersion) -> String {
        // these are a connection's
        let is_its_own = |name: &&str| !matches!(*name, "application_name" | "search_path");
        let shown: Vec<&str> = setting_names(version.major()).filter(is_its_own).collect();
        let deciding: Vec<&str> = SETTINGS.iter().map(|(name, ..)| *name).collect();
        let (shown, deciding) = (shown.join("', '"), deciding.join("', '"));
        // texts are sorted by libc up to 14; the name of another provider's locale has moved
        let locale = match version.major() {
            ..=14 => "'libc'",
            15 | 16 => "CASE datlocprovider WHEN 'i' THEN concat('ICU locale ', daticulocale) ELSE 'libc' END",
            _ => {
                "CASE datlocprovider WHEN 'i' THEN concat('ICU locale ', datlocale) WHEN 'b' THEN concat('builtin locale ', datlocale) ELSE 'libc' END"
            }
        };
        // the collation is no setting from 16 on
        format!(
            "SELECT name, CASE WHEN name IN ('{deciding}') THEN current_setting(name) ELSE coalesce(reset_val, '') END AS value
             FROM pg_settings WHERE name IN ('{shown}', '{deciding}') AND name <> 'lc_collate'
             UNION ALL SELECT 'lc_collate', datcollate::text FROM pg_database WHERE datname = current_database()
             UNION ALL SELECT '{PROVIDER}', {locale} FROM pg_database WHERE datname = current_database()"
        )
    }

    /// What is other than a run needs, a sentence each.
    #[must_use]
    pub fn unfit(&self) -> Vec<String> {
        // where libc does not sort, its collation says nothing
        let other = self.settings.get(PROVIDER).filter(|provider| *provider != "libc");
        let wanted = SETTINGS.iter().filter(|(_, wanted, _)| !wanted.is_empty());
        let unfit =
            wanted.filter(|(name, ..)| *name != "lc_collate" || other.is_none()).filter_map(|(name, wanted, why)| {
                let is = self.settings.get(*name).filter(|is| is != wanted)?;
                Some(format!("{name} is {is} on this server, not {wanted}: {why}, which may show as differences"))
            });
        let sorted_otherwise = other.map(|provider| {
            format!("the database sorts texts by the {provider}, not as C: indexes on texts may show differences; --own-database has C")
        });
        unfit.chain(sorted_otherwise).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ServerFacts;
    use ffviz_format::page::PgVersion;

    fn sentences(settings: &[(&str, &str)]) -> String {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ServerFacts { version: PgVersion(180_004), database: 5, settings }.unfit().join("; ")
    }

    #[test]
    fn who_sorts_texts_is_named() {
        let icu = sentences(&[("lc_collate", "C.UTF-8"), ("locale provider", "ICU locale en-US")]);
        assert!(icu.contains("ICU locale en-US") && !icu.contains("lc_collate"), "{icu}");
        let libc = sentences(&[("lc_collate", "de_DE.UTF-8"), ("locale provider", "libc")]);
        assert!(libc.contains("lc_collate is de_DE.UTF-8") && !libc.contains("sorts"), "{libc}");
        assert_eq!(sentences(&[("lc_collate", "C"), ("locale provider", "libc")]), "");
    }
}
