//! How a statement ended: in the words of a timeline, and as a line of a trace has it.

use super::session::{Message, Outcome};
use ffviz_simulator::sql::error::Position;
use ffviz_simulator::sql::script::Statement;
use ffviz_simulator::sql::trace::ResumedTrace;
use ffviz_story::timeline::{Played, ResultSet, Written, Wrong};

/// Rows that a timeline keeps, as it keeps those of the simulator.
const KEPT: usize = 20;

/// How a statement ended.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// for the timeline
    pub played: Played,
    /// the command tag
    pub status: Option<String>,
    /// the server's message
    pub error: Option<Message>,
    /// the rows that it gave
    pub result: Option<ResultSet>,
    /// does it wait for a lock?
    pub waiting: bool,
    /// was it not sent?
    pub skipped: bool,
}

impl Ended {
    /// It is not at its end.
    #[must_use]
    pub fn waits() -> Self {
        let played = Played { outcome: "waits for another transaction".to_owned(), ..Played::default() };
        Self { played, waiting: true, ..Self::default() }
    }

    /// Nothing was sent; why, a phrase.
    #[must_use]
    pub fn not_sent(why: String) -> Self {
        let played = Played { outcome: format!("not sent: {why}"), ..Played::default() };
        let message = Message { message: format!("not sent: {why}"), ..Message::default() };
        Self { played, error: Some(message), skipped: true, ..Self::default() }
    }

    /// Done by ffviz, with that tag.
    #[must_use]
    pub fn done(tag: &str) -> Self {
        Self::of(Ok((tag.to_owned(), None)))
    }

    /// As the server said it.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Ok((tag, result)) => {
                let mut lines = tag.lines();
                let outcome = lines.next().unwrap_or_default().to_owned();
                let plan = lines.map(str::to_owned).collect();
                let shown =
                    result.clone().map(|set| ResultSet { rows: set.rows.into_iter().take(KEPT).collect(), ..set });
                let played = Played { outcome, plan, results: shown.into_iter().collect(), ..Played::default() };
                Self { played, status: Some(tag), result, ..Self::default() }
            }
            Err(message) => {
                let detail = message.detail.as_ref().map_or_else(String::new, |detail| format!(" DETAIL: {detail}"));
                let outcome = format!("ERROR: {}{detail}", message.message);
                let played = Played { outcome, ..Played::default() };
                Self { played, error: Some(message), ..Self::default() }
            }
        }
    }

    /// The line of one that had waited.
    #[must_use]
    pub fn line(&self, of: &Statement, session: &str) -> ResumedTrace {
        let mut trace = ResumedTrace { resumed: of.n, session: session.to_owned(), ..ResumedTrace::default() };
        (trace.status, trace.result) = (self.status.clone(), self.result.clone());
        if let Some(it) = self.error.clone() {
            trace.position = it.position.map(|position| position as u32);
            (trace.error, trace.detail, trace.hint, trace.sqlstate) =
                (Some(it.message), it.detail, it.hint, it.sqlstate);
        }
        trace
    }
}

/// How a statement stands in the script; where the server found an error in it is known of its own text only.
#[must_use]
pub fn written(statement: &Statement, ended: &Ended, is_as_written: bool) -> Written {
    let at = ended.error.as_ref().and_then(|error| error.position).filter(|_| is_as_written);
    let wrong = at.and_then(|at| {
        let before: String = statement.sql.chars().take(at.checked_sub(1)?).collect();
        let Position { line, column } = Position::of_byte(&statement.sql, before.len());
        Wrong::new(&statement.sql, (line, column), statement.line)
    });
    let hint = ended.error.as_ref().and_then(|error| error.hint.clone());
    Written { session: statement.session.clone(), wrong, hint }
}
