//! A session of a script: a connection that runs its statements, may wait for a lock meanwhile, and knows whether it is
//! in a transaction.

use super::tag::{executes, prepares, tag};
use crate::connect::Connector;
use crate::failure::Failure;
use bytes::Bytes;
use ffviz_simulator::sql::script::Statement;
use ffviz_story::timeline::ResultSet;
use futures_util::{SinkExt, StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::{DbError, ErrorPosition, SqlState};
use tokio_postgres::{Client, Error, SimpleQueryMessage};

/// What makes a run the same every time; what the server's owner has set for the role or the database does not count.
pub const SETTINGS: [(&str, &str); 15] = [
    ("synchronous_commit", "on"),
    ("max_parallel_workers_per_gather", "0"),
    ("max_parallel_maintenance_workers", "0"),
    ("jit", "off"),
    ("synchronize_seqscans", "off"),
    ("timezone", "UTC"),
    ("datestyle", "iso,mdy"),
    ("intervalstyle", "postgres"),
    ("lock_timeout", "0"),
    ("statement_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("deadlock_timeout", "50ms"),
    ("default_transaction_isolation", "read\\ committed"),
    ("extra_float_digits", "1"),
    ("client_min_messages", "warning"),
];

/// `options` of the sessions of a script, whose relations are made and found in that schema. A script's RESET ALL comes
/// back to them.
#[must_use]
pub fn options(schema: &str, superuser: bool) -> String {
    // how soon a deadlock is looked for is for superusers to say
    let may = |(name, _): &&(&str, &str)| superuser || *name != "deadlock_timeout";
    let settings: String = SETTINGS.iter().filter(may).map(|(name, value)| format!("-c {name}={value} ")).collect();
    format!("{settings}-c standard_conforming_strings=on -c search_path={schema}")
}

/// How a statement ended: its tag and the rows that it gave, or the server's message.
pub type Outcome = Result<(String, Option<ResultSet>), Message>;

/// Rows of a statement that are kept, as the simulator keeps them.
const KEPT: usize = 1000;

/// An error as the server words it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// the primary message
    pub message: String,
    /// the line DETAIL
    pub detail: Option<String>,
    /// the line HINT
    pub hint: Option<String>,
    /// the SQLSTATE, where it is the server's
    pub sqlstate: Option<String>,
    /// the character of the text that was sent, from 1
    pub position: Option<usize>,
}

/// Where a session's transaction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// each statement is a transaction
    None,
    /// between BEGIN and its end
    Open,
    /// a statement of it failed
    Failed,
}

/// A connection that runs statements of a script.
pub struct ScriptSession {
    /// the connection, shared with the statement that runs
    pub client: Arc<Client>,
    /// process id of its backend
    pub pid: i32,
    /// its transaction
    pub block: Block,
    /// did the open transaction make or change relations, which others cannot see or open?
    pub changed_catalog: bool,
    /// the statement that runs, if it waits for a lock
    pub running: Option<(Statement, JoinHandle<Outcome>)>,
    /// is a COPY tried out before it is sent, which costs a look at the catalog?
    pub tries_copy: bool,
    /// texts of what it has prepared, by name, for the tags of EXECUTE
    prepared: BTreeMap<String, String>,
    /// told when it ends
    ended: Arc<Notify>,
}

impl ScriptSession {
    /// Connects, and sees to it that names without a schema lead to that schema alone.
    ///
    /// # Errors
    /// What the server says; a sentence where the session is another than was asked for.
    pub async fn open(connector: &mut Connector, schema: &str) -> Result<Self, Failure> {
        const ASKED: &str = "SELECT pg_catalog.pg_backend_pid(), pg_catalog.current_schemas(false)::pg_catalog.text[], \
            pg_catalog.current_setting('standard_conforming_strings')";
        let client = connector.connect().await?;
        let row = client.query_one(ASKED, &[]).await?;
        let (pid, schemas, strings): (i32, Vec<String>, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        if schemas != [schema] || strings != "on" {
            let why = "the connection does not keep the settings that ffviz begins it with, as through a pooler; name the server itself";
            return Err(why.to_owned().into());
        }
        // the question above left a prepared statement's name, and nothing else
        let client = Arc::new(client);
        let (block, changed_catalog, running) = (Block::None, false, None);
        Ok(Self {
            client,
            pid,
            block,
            changed_catalog,
            running,
            tries_copy: false,
            prepared: BTreeMap::new(),
            ended: Arc::default(),
        })
    }

    /// From now on it is that role, whose rights alone the script has.
    ///
    /// # Errors
    /// What the server says.
    pub async fn become_role(&self, role: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(&format!("SET SESSION AUTHORIZATION {role}")).await?)
    }

    /// Is it still that role, and does it read texts as they were read before they were sent? What would tell it takes
    /// no snapshot. In a transaction that failed nothing can be asked, and nothing can be done.
    ///
    /// # Errors
    /// What the server says.
    pub async fn is_still(&self, role: &str) -> Result<bool, Failure> {
        const ASKED: &str = "SHOW session_authorization; SHOW standard_conforming_strings; SHOW client_encoding";
        if self.block == Block::Failed {
            return Ok(true);
        }
        let messages = self.client.simple_query(ASKED).await?;
        let told = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(told.collect::<Vec<_>>() == [role, "on", "UTF8"])
    }

    /// Sends a statement; it runs on.
    pub fn start(&mut self, statement: &Statement) {
        self.start_as(statement, statement.sql.clone());
    }

    /// Sends this text for a statement.
    pub fn start_as(&mut self, statement: &Statement, sent: String) {
        let (client, failed) = (Arc::clone(&self.client), self.block == Block::Failed);
        let tried = if self.tries_copy { statement.copy_data.as_ref().and_then(|_| insert_for(&sent)) } else { None };
        if let Some((name, text)) = prepares(&sent) {
            self.prepared.insert(name, text.to_owned());
        }
        let told = executes(&sent).and_then(|name| self.prepared.get(&name).cloned());
        let sent = (Statement { sql: sent, ..statement.clone() }, tag_of(statement));
        self.ended = Arc::default();
        let ended = Arc::clone(&self.ended);
        let run = async move {
            let outcome = match tried_out(&client, tried).await {
                Ok(()) => run(&client, &sent.0, told.as_deref(), sent.1, failed).await,
                Err(message) => Err(message),
            };
            ended.notify_one();
            outcome
        };
        self.running = Some((statement.clone(), tokio::spawn(run)));
    }

    /// Waits until what runs is at its end, a moment at most.
    pub async fn wait(&self, moment: Duration) {
        if self.running.is_some() && !self.is_finished() {
            let _ = timeout(moment, self.ended.notified()).await;
        }
    }

    /// Is what runs at its end?
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.running.as_ref().is_some_and(|(_, handle)| handle.is_finished())
    }

    /// Takes the outcome of the statement that ran, waiting for it.
    pub async fn finish(&mut self) -> Option<(Statement, Outcome)> {
        let (statement, handle) = self.running.take()?;
        let outcome = handle.await.unwrap_or_else(|error| Err(plain(&error)));
        self.note(&statement.sql, &outcome);
        Some((statement, outcome))
    }

    /// Follows BEGIN, errors, and the transaction's end.
    fn note(&mut self, sql: &str, outcome: &Outcome) {
        let word = sql.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_ascii_uppercase();
        let to_savepoint = sql.to_ascii_uppercase().split_whitespace().any(|word| word == "TO");
        self.block = match (word.as_str(), outcome, self.block) {
            ("BEGIN" | "START", Ok(_), _) => Block::Open,
            ("ROLLBACK", Ok(_), _) if to_savepoint => Block::Open,
            ("ROLLBACK", Err(_), Block::Open) if to_savepoint => Block::Failed,
            ("COMMIT" | "END" | "ROLLBACK" | "ABORT", _, _) if !to_savepoint => Block::None,
            (_, Err(_), Block::Open) => Block::Failed,
            (_, _, block) => block,
        };
        const DDL: [&str; 9] = ["CREATE", "DROP", "ALTER", "TRUNCATE", "REINDEX", "CLUSTER", "LOCK", "DO", "REFRESH"];
        let is_ddl = DDL.contains(&word.as_str());
        self.changed_catalog = self.block != Block::None && (self.changed_catalog || is_ddl);
    }
}

/// The tag of DO and SET, whatever text is sent for them.
fn tag_of(statement: &Statement) -> Option<&'static str> {
    let mut words = statement.sql.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let word = words.next().unwrap_or_default();
    if words.next().is_some_and(|second| second.eq_ignore_ascii_case("constraints")) {
        return None;
    }
    ["DO", "SET"].into_iter().find(|tag| word.eq_ignore_ascii_case(tag))
}

/// Runs a statement as psql does, with one message. `told_by`: the text of what it executes.
async fn run(
    client: &Client,
    statement: &Statement,
    told_by: Option<&str>,
    tagged: Option<&str>,
    failed: bool,
) -> Outcome {
    let (mut plan, mut result) = (String::new(), None);
    let rows = match &statement.copy_data {
        Some(data) => copy(client, &statement.sql, data).await,
        None if is_copy_out(&statement.sql) => copy_out(client, &statement.sql).await,
        None => client.simple_query(&statement.sql).await.map(|messages| {
            (plan, result) = (explained(&messages), rows_of(&messages));
            count(&messages)
        }),
    };
    match rows {
        Ok(_) if tagged.is_some() => Ok((tagged.unwrap_or_default().to_owned(), None)),
        Ok(rows) => Ok(match tag(told_by.unwrap_or(&statement.sql), rows, failed) {
            tag if tag == "EXPLAIN" => (format!("{tag}{plan}"), None),
            tag => (tag, result),
        }),
        Err(error) => {
            // the message comes before the transaction is aborted; what is sent next is answered after it
            let _ = client.simple_query("").await;
            Err(error.as_db_error().map_or_else(|| plain(&error), told))
        }
    }
}

impl Message {
    /// What the server said, if it was the server.
    #[must_use]
    pub fn of(error: &Error) -> Option<Self> {
        error.as_db_error().map(told)
    }
}

/// A deadlock's DETAIL names processes, which are others each time.
fn told(error: &DbError) -> Message {
    let detail = error.detail().filter(|_| *error.code() != SqlState::T_R_DEADLOCK_DETECTED);
    let sqlstate = Some(error.code().code().to_owned());
    let position = match error.position() {
        Some(ErrorPosition::Original(position)) => usize::try_from(*position).ok(),
        _ => None,
    };
    let [detail, hint] = [detail, error.hint()].map(|line| line.map(str::to_owned));
    Message { message: error.message().to_owned(), detail, hint, sqlstate, position }
}

fn plain(error: &impl ToString) -> Message {
    Message { message: error.to_string(), ..Message::default() }
}

async fn copy(client: &Client, sql: &str, data: &str) -> Result<u64, Error> {
    // the driver loses the connection where COPY fails before it reads data: in a READ ONLY transaction, or with
    // FREEZE outside a block, where no table is new; a simple query brings the error
    let asked = "SELECT current_setting('transaction_read_only') = 'on', now() = statement_timestamp()";
    let shown = client.simple_query(asked).await.unwrap_or_default();
    let is = |column: usize| {
        shown.iter().any(|message| matches!(message, SimpleQueryMessage::Row(row) if row.get(column) == Some("t")))
    };
    if is(0) {
        return client.batch_execute(sql).await.map(|()| 0);
    }
    if is(1) && says_freeze(sql) {
        return refused(client, sql).await.map(|()| 0);
    }
    let sink = client.copy_in::<_, Bytes>(sql).await?;
    let mut sink = std::pin::pin!(sink);
    sink.send(Bytes::copy_from_slice(data.as_bytes())).await?;
    sink.finish().await
}

/// The driver loses the connection where COPY fails before it asks for data. An INSERT that is explained, and not run,
/// fails for the same reasons, in the same words.
async fn tried_out(client: &Client, insert: Option<String>) -> Result<(), Message> {
    let Some(insert) = insert else { return Ok(()) };
    match client.simple_query(&format!("EXPLAIN {insert}")).await {
        Ok(_) => Ok(()),
        Err(error) => Err(error.as_db_error().map_or_else(|| plain(&error), told)),
    }
}

/// `COPY t (a, b) FROM …`: an INSERT into the same columns, of no row.
fn insert_for(sql: &str) -> Option<String> {
    let (mut depth, mut quoted, mut columns) = (0_u32, false, 0);
    let body = sql.get("copy".len()..)?;
    for (at, c) in body.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => (depth, columns) = (depth + 1, columns + 1),
            ')' => depth = depth.saturating_sub(1),
            ',' => columns += 1,
            _ if depth == 0 && c.is_whitespace() => {
                let next = body[at..].trim_start().get(.."from".len());
                if next.is_some_and(|word| word.eq_ignore_ascii_case("from")) {
                    let target = &body[..at];
                    let row = vec!["NULL"; columns].join(", ");
                    let of_row =
                        if columns == 0 { "DEFAULT VALUES".to_owned() } else { format!("SELECT {row} WHERE false") };
                    return Some(format!("INSERT INTO {target} {of_row}"));
                }
            }
            _ => {}
        }
    }
    None
}

/// Sends what the server begins and then refuses: the error comes after a message that the driver does not expect.
async fn refused(client: &Client, sql: &str) -> Result<(), Error> {
    let mut answers = std::pin::pin!(client.simple_query_raw(sql).await?);
    while let Some(answer) = answers.next().await {
        match answer {
            Err(error) if error.as_db_error().is_some() => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// COPY with FREEZE, in either form of its options, and not FREEZE OFF. Neither a string nor a condition is an option.
fn says_freeze(sql: &str) -> bool {
    let unquoted: String = sql.split('\'').step_by(2).collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '"';
    let mut words = unquoted.split(is_end).filter(|word| !word.is_empty());
    if !words.any(|word| word == "stdin") {
        return false;
    }
    let mut words = words.take_while(|word| *word != "where");
    words.any(|word| word == "freeze") && !words.next().is_some_and(|value| ["off", "false", "0"].contains(&value))
}

/// COPY … TO STDOUT, which the driver has to be told.
fn is_copy_out(sql: &str) -> bool {
    let mut words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let is_copy = words.next().is_some_and(|word| word.eq_ignore_ascii_case("copy"));
    is_copy && words.any(|word| word.eq_ignore_ascii_case("stdout"))
}

/// Is a line of names among what comes?
fn has_header(sql: &str) -> bool {
    let lower = sql.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut options = words.skip_while(|word| *word != "stdout");
    options.any(|word| word == "header") && !options.next().is_some_and(|value| ["off", "false", "0"].contains(&value))
}

/// What comes is counted, and shown to nobody; the line of names is no row.
async fn copy_out(client: &Client, sql: &str) -> Result<u64, Error> {
    let stream = client.copy_out(sql).await?;
    let lines = stream.try_fold(0_u64, |lines, piece| async move {
        Ok(lines + piece.iter().filter(|byte| **byte == b'\n').count() as u64)
    });
    Ok(lines.await?.saturating_sub(u64::from(has_header(sql))))
}

/// The rows of EXPLAIN, which are part of what is compared.
fn explained(messages: &[SimpleQueryMessage]) -> String {
    let line = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => Some(format!("\n{}", row.get(0)?)),
        _ => None,
    };
    messages.iter().filter_map(line).collect()
}

/// What a statement gave, with the names of the columns; none, where it gives no rows.
fn rows_of(messages: &[SimpleQueryMessage]) -> Option<ResultSet> {
    let described = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::RowDescription(columns) => Some(columns),
        _ => None,
    });
    let columns = described?.iter().map(|column| column.name().to_owned()).collect();
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => Some((0..row.len()).map(|n| row.get(n).map(str::to_owned)).collect()),
        _ => None,
    };
    let rows = messages.iter().filter_map(row).take(KEPT).collect();
    // the tag of SHOW has no number
    let count = messages.iter().filter_map(row).count() as u64;
    Some(ResultSet { columns, rows, count, ..ResultSet::default() })
}

fn count(messages: &[SimpleQueryMessage]) -> u64 {
    let told = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::CommandComplete(rows) => Some(*rows),
        _ => None,
    };
    messages.iter().rev().find_map(told).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::insert_for;

    #[test]
    fn a_line_of_names_is_no_row() {
        for sql in [
            "copy t to stdout csv header",
            "COPY (SELECT 1) TO STDOUT WITH (FORMAT csv, HEADER)",
            "copy t to stdout (header on)",
        ] {
            assert!(super::has_header(sql), "{sql}");
        }
        for sql in ["copy header to stdout", "copy t to stdout (format csv, header false)"] {
            assert!(!super::has_header(sql), "{sql}");
        }
    }

    #[test]
    fn what_a_copy_would_insert() {
        for (copy, insert) in [
            ("copy t from stdin", "INSERT INTO  t DEFAULT VALUES"),
            (
                "COPY s.t (a, \"from, b\") FROM STDIN with (format csv)",
                "INSERT INTO  s.t (a, \"from, b\") SELECT NULL, NULL WHERE false",
            ),
        ] {
            assert_eq!(insert_for(copy).as_deref(), Some(insert), "{copy}");
        }
    }

    #[test]
    fn freeze_is_an_option_of_copy() {
        for sql in
            ["copy t from stdin freeze", "COPY t FROM STDIN WITH (FORMAT csv, FREEZE)", "copy t from stdin (freeze on)"]
        {
            assert!(super::says_freeze(sql), "{sql}");
        }
        let others = [
            "copy freeze from stdin",
            "copy t (freeze) from stdin",
            "copy t from stdin (freeze off)",
            "copy t from stdin (null 'freeze')",
            "copy t from stdin where freeze > 1",
            "copy t from stdin where \"freeze\"",
        ];
        for sql in others {
            assert!(!super::says_freeze(sql), "{sql}");
        }
    }
}
