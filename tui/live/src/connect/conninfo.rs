//! What psql takes as a connection: a URI, a keyword string or a database name; then the service file, then `PG*`
//! variables, then defaults fill what is not said. Follows src/interfaces/libpq/fe-connect.c: `conninfo_parse`,
//! `conninfo_uri_parse_options`, `conninfo_add_defaults`.
//!
//! No message here quotes a value: it might be a password.

use super::environment::Environment;
use super::service;
use std::collections::BTreeMap;

/// Keywords and values, as far as they are said; [`complete`](Self::complete) adds the rest.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Conninfo(BTreeMap<String, String>);

/// Keywords that ffviz follows, each with its environment variable, where it has one.
const KEYWORDS: &[(&str, &str)] = &[
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("dbname", "PGDATABASE"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("service", "PGSERVICE"),
    ("servicefile", "PGSERVICEFILE"),
    ("options", "PGOPTIONS"),
    ("application_name", "PGAPPNAME"),
    ("fallback_application_name", ""),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("sslmode", "PGSSLMODE"),
    ("sslnegotiation", "PGSSLNEGOTIATION"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcrl", "PGSSLCRL"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("keepalives", ""),
    ("keepalives_idle", ""),
    ("keepalives_interval", ""),
    ("keepalives_count", ""),
    ("tcp_user_timeout", ""),
    ("gssencmode", "PGGSSENCMODE"),
];

/// Keywords of libpq that are accepted and change nothing here: what they ask for is so anyway, or does not concern a
/// reader of pages.
const WITHOUT_EFFECT: &[&str] = &[
    "client_encoding",
    "sslcompression",
    "sslsni",
    "ssl_min_protocol_version",
    "ssl_max_protocol_version",
    "sslcertmode",
    "krbsrvname",
    "gsslib",
    "gssdelegation",
    "min_protocol_version",
    "max_protocol_version",
    "sslkeylogfile",
];

/// Keywords of libpq that would be unsafe or useless to pass over in silence.
const UNSUPPORTED: &[&str] = &[
    "sslpassword",
    "sslcrldir",
    "requirepeer",
    "requiressl",
    "require_auth",
    "replication",
    "scram_client_key",
    "scram_server_key",
    "oauth_issuer",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_scope",
];

impl Conninfo {
    /// Reads what the user gave, and nothing else.
    ///
    /// # Errors
    /// A sentence, when it cannot be understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut info = Self::default();
        if let Some(rest) = text.strip_prefix("postgresql://").or_else(|| text.strip_prefix("postgres://")) {
            info.parse_uri(rest)?;
        } else if text.contains('=') {
            info.parse_keywords(text)?;
        } else if !text.is_empty() {
            info.0.insert("dbname".to_owned(), text.to_owned());
        }
        Ok(info)
    }

    /// Adds what the service file, the environment and the defaults say about keywords not yet set.
    ///
    /// # Errors
    /// A sentence, when a service is named and cannot be found.
    pub fn complete(mut self, environment: &Environment) -> Result<Self, String> {
        if let Some(name) = self.get("service").map(str::to_owned).or_else(|| environment.var("PGSERVICE")) {
            for (key, value) in service::find(&name, self.get("servicefile"), environment)? {
                self.check(&key)?;
                self.0.entry(key).or_insert(value);
            }
        }
        for (key, variable) in KEYWORDS.iter().filter(|(_, variable)| !variable.is_empty()) {
            if let Some(value) = environment.var(variable) {
                self.0.entry((*key).to_owned()).or_insert(value);
            }
        }
        let user = self.get("user").map_or_else(|| environment.user(), |user| Ok(user.to_owned()))?;
        self.0.entry("dbname".to_owned()).or_insert_with(|| user.clone());
        self.0.insert("user".to_owned(), user);
        Ok(self)
    }

    /// The value of a keyword; an empty one counts as not said, as in libpq.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Appends to `options`.
    pub fn add_options(&mut self, more: &str) {
        let options = self.0.entry("options".to_owned()).or_default();
        *options = format!("{options} {more}").trim_start().to_owned();
    }

    /// Names another database.
    pub fn set_dbname(&mut self, name: &str) {
        self.0.insert("dbname".to_owned(), name.to_owned());
    }

    fn insert(&mut self, key: &str, value: String) -> Result<(), String> {
        if key == "ssl" && value == "true" {
            self.0.insert("sslmode".to_owned(), "require".to_owned()); // as JDBC writes it
            return Ok(());
        }
        self.check(key)?;
        self.0.insert(key.to_owned(), value);
        Ok(())
    }

    fn check(&self, key: &str) -> Result<(), String> {
        if KEYWORDS.iter().any(|(known, _)| *known == key) || WITHOUT_EFFECT.contains(&key) {
            return Ok(());
        }
        if UNSUPPORTED.contains(&key) {
            return Err(format!("the connection option {key} is not supported by ffviz; leave it out"));
        }
        Err(format!(
            "{key:?} is not a connection option; psql's are host, port, dbname, user, sslmode, service and so on"
        ))
    }

    /// `key = value key='va\'lue'`
    fn parse_keywords(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let (key, after) = rest.split_at(end);
            let after = after.trim_start().strip_prefix('=').ok_or_else(|| {
                "a connection option has no \"=\" and value; a value with blanks in it needs 'quotes'".to_owned()
            })?;
            let (value, after) = keyword_value(after.trim_start())?;
            self.insert(key, value)?;
            rest = after.trim_start();
        }
        Ok(())
    }

    /// `[user[:password]@][host[:port],…][/dbname][?key=value&…]`, after `postgresql://`
    fn parse_uri(&mut self, rest: &str) -> Result<(), String> {
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(before, query)| (before, Some(query)));
        let (authority, dbname) = rest.split_once('/').map_or((rest, None), |(before, name)| (before, Some(name)));
        let (userinfo, hosts) = authority.rsplit_once('@').map_or((None, authority), |(user, at)| (Some(user), at));
        if let Some(userinfo) = userinfo {
            let (user, password) = userinfo.split_once(':').map_or((userinfo, None), |(u, p)| (u, Some(p)));
            self.insert("user", percent_decode(user)?)?;
            if let Some(password) = password {
                self.insert("password", percent_decode(password)?)?;
            }
        }
        self.parse_uri_hosts(hosts)?;
        if let Some(name) = dbname.filter(|name| !name.is_empty()) {
            self.insert("dbname", percent_decode(name)?)?;
        }
        for pair in query.into_iter().flat_map(|query| query.split('&')).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or("a parameter of the connection URI has no \"=\"")?;
            self.insert(&percent_decode(key)?, percent_decode(value)?)?;
        }
        Ok(())
    }

    fn parse_uri_hosts(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        let (mut hosts, mut ports) = (Vec::new(), Vec::new());
        for part in text.split(',') {
            let (host, port) = match part.strip_prefix('[') {
                Some(inner) => {
                    let (host, after) =
                        inner.split_once(']').ok_or("an IPv6 address in the connection URI has no \"]\"")?;
                    (host, after.strip_prefix(':').unwrap_or(after))
                }
                None => part.split_once(':').unwrap_or((part, "")),
            };
            hosts.push(percent_decode(host)?);
            ports.push(port.to_owned());
        }
        if hosts.iter().any(|host| !host.is_empty()) {
            self.insert("host", hosts.join(","))?;
        }
        if ports.iter().any(|port| !port.is_empty()) {
            self.insert("port", ports.join(","))?;
        }
        Ok(())
    }
}

/// A value and what follows it; quoted, or up to the next blank; a backslash takes the next character as it is.
fn keyword_value(text: &str) -> Result<(String, &str), String> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut chars = text.char_indices().skip(usize::from(quoted));
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            c if !quoted && c.is_whitespace() => return Ok((value, &text[at..])),
            c => value.push(c),
        }
    }
    if quoted { Err("a quoted value in the connection string has no end".to_owned()) } else { Ok((value, "")) }
}

/// `%41` → `A`
fn percent_decode(text: &str) -> Result<String, String> {
    let wrong = || "the connection URI has a \"%\" that is not followed by two hex digits of UTF-8 text".to_owned();
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16)).ok_or_else(wrong);
        let code = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(code).ok().filter(|code| *code != 0).ok_or_else(wrong)?);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        Conninfo::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).0.into_iter().collect()
    }

    fn expect(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(pairs(text), expected, "{text}");
    }

    #[test]
    fn keyword_strings() {
        expect("shop", &[("dbname", "shop")]);
        expect("", &[]);
        expect("host=a port=1", &[("host", "a"), ("port", "1")]);
        expect(" host = a  dbname = 'my db' ", &[("dbname", "my db"), ("host", "a")]);
        expect(r"password='it\'s' user=a\ b", &[("password", "it's"), ("user", "a b")]);
        expect("host='' port=''", &[("host", ""), ("port", "")]);
    }

    #[test]
    fn uris() {
        expect("postgresql://", &[]);
        expect("postgres://u@h:1/d", &[("dbname", "d"), ("host", "h"), ("port", "1"), ("user", "u")]);
        expect("postgresql://u:p%40ss@h", &[("host", "h"), ("password", "p@ss"), ("user", "u")]);
        expect("postgresql://a:1,b,c:3/d", &[("dbname", "d"), ("host", "a,b,c"), ("port", "1,,3")]);
        expect("postgresql://[2001:db8::1]:5433/d", &[("dbname", "d"), ("host", "2001:db8::1"), ("port", "5433")]);
        expect("postgresql://%2Fvar%2Frun/d", &[("dbname", "d"), ("host", "/var/run")]);
        expect(
            "postgresql:///d?host=/tmp&sslmode=verify-full",
            &[("dbname", "d"), ("host", "/tmp"), ("sslmode", "verify-full")],
        );
        expect("postgresql://h?ssl=true", &[("host", "h"), ("sslmode", "require")]);
    }

    #[test]
    fn what_cannot_be_understood_is_said_without_values() {
        for text in [
            "host",
            "user=u secret",
            "password='secret",
            "postgresql://u:secret%zz@h",
            "colour=secret",
            "postgresql://h?secret",
        ] {
            let told = Conninfo::parse(text).map(|info| info.0);
            if text == "host" {
                assert!(told.is_ok(), "a bare word is a database");
                continue;
            }
            let told = told.expect_err(text);
            assert!(!told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn order_of_precedence() {
        let environment = Environment::of("/nowhere", "me", &[("PGHOST", "env"), ("PGPORT", "7"), ("PGDATABASE", "")]);
        let info = Conninfo::parse("host=said").and_then(|info| info.complete(&environment)).expect("complete");
        assert_eq!(info.get("host"), Some("said"));
        assert_eq!(info.get("port"), Some("7"));
        assert_eq!(info.get("user"), Some("me"));
        assert_eq!(info.get("dbname"), Some("me"), "the database is named as the user");
    }
}
