//! What went wrong, as a sentence for people, and as what it means for the next try.
//!
//! Of a server's error only the message and the hint are told: DETAIL may hold row data.

use std::error::Error as _;
use std::fmt;
use tokio_postgres::Error;

/// What a failure means for whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// the connection is gone: connect again
    Gone,
    /// cancelled by recovery on a standby, or a deadlock: try again
    Conflict,
    /// somebody holds a lock that keeps readers out
    Locked,
    /// the relation has changed since its facts were read: read them again
    Changed,
    /// the page cannot be read as it is damaged
    Corrupt,
    /// not allowed
    Denied,
    /// the server wants a password and none is known
    PasswordWanted,
    /// the server wants a connection with TLS, or without
    OtherTransport,
    /// anything else
    Other,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// what it means
    pub kind: Kind,
    /// what is wrong and what to do
    pub sentence: String,
}

impl Failure {
    /// One of a kind.
    pub fn new(kind: Kind, sentence: impl Into<String>) -> Self {
        Self { kind, sentence: sentence.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<String> for Failure {
    fn from(sentence: String) -> Self {
        Self::new(Kind::Other, sentence)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::explain(&error, "the server")
    }
}

impl Failure {
    /// What a server told, or why it could not be talked to; `who` is the server in words.
    pub fn explain(error: &Error, who: &str) -> Self {
        if let Some(told) = error.as_db_error() {
            let hint = told.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
            let (kind, advice) = judge(told.code().code(), told.message());
            let message = told.message();
            return match kind {
                Kind::Locked => Self::new(kind, format!("{advice} ({who} says: {message})")),
                _ => Self::new(kind, format!("{who} says: {message}{hint}{advice}")),
            };
        }
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        if cause == "password missing" {
            let advice = "put it into ~/.pgpass or PGPASSWORD";
            return Self::new(Kind::PasswordWanted, format!("{who} wants a password, and none is known; {advice}"));
        }
        let broken = error.is_closed() || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
        let kind = if broken { Kind::Gone } else { Kind::Other };
        let whole = if cause.is_empty() { error.to_string() } else { format!("{error}: {cause}") };
        Self::new(kind, format!("{who}: {whole}"))
    }
}

/// What a SQLSTATE (src/backend/utils/errcodes.txt) means, and what to do about it: the end of the sentence, or the
/// whole for a lock.
fn judge(code: &str, message: &str) -> (Kind, &'static str) {
    match code {
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" => (Kind::Gone, ""),
        _ if code.starts_with("08") => (Kind::Gone, ""),
        // a transaction is found aborted where recovery has cancelled it between two messages
        "40001" | "40P01" | "25P02" => (Kind::Conflict, ""),
        "57014" if message.contains("statement timeout") => {
            (Kind::Other, "; the server is slow or busy: ask for fewer pages with --pages")
        }
        "57014" => (Kind::Conflict, ""),
        "55P03" => (Kind::Locked, "another session holds a lock that keeps readers out: ask again later"),
        "22023" | "42P01" | "58P01" => (Kind::Changed, ""),
        "XX001" | "XX002" => (Kind::Corrupt, ""),
        "42501" => (Kind::Denied, ""),
        "28000" => (Kind::OtherTransport, ""),
        "28P01" => (Kind::Denied, "; check the password: PGPASSWORD, ~/.pgpass, or the one typed"),
        "3D000" => (Kind::Other, "; psql -l lists the databases"),
        "53300" => (Kind::Other, "; the server has no connection left"),
        _ => (Kind::Other, ""),
    }
}
