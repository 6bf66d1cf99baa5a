//! The fence: what of a script may be sent to somebody's server.
//!
//! ```text
//!  script ─┬─ its text: one statement, read alike by PostgreSQL's scanner and ours (lexical) ─┐
//!          ├─ what it names, calls and sets: on the lists (named, lists, judge) ──────────────┼─▶ Admitted ──▶ a runner
//!          └─ anything else: left out and named, or the whole script is refused (outside) ────┘
//! ```
//!
//! It denies by default. A statement is sent when ffviz can read all of it, and when every relation that it names has
//! no schema, every function and every setting is on a list. So it stays in the schema that is the session's whole
//! `search_path`. A runner takes an [`Admitted`] and nothing else, and only this module makes one.
//!
//! What is sent is what ffviz has read: the statement without its comments, so two scanners need not agree where a
//! comment ends. What the simulator does not know is found by a run of it before anything is sent, and left out on both
//! sides.
//!
//! A script that may say anything runs in a database of its own, behind a wall that the server keeps: `walled`.

mod judge;
mod lexical;
mod lists;
mod named;
mod outside;
mod walled;

pub use lists::is_inspection;
pub use named::Named;
pub use walled::{Errand, Walled, admit_walled};

use ffviz_simulator::sql::ast;
use ffviz_simulator::sql::parse::parse;
use ffviz_simulator::sql::script::{Directive, Item, Script, Statement, Variables};
use judge::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// How far a script may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach {
    /// it runs in a database of its own, so that schema `public` is its own too
    pub own_database: bool,
    /// it may change settings of the server, and make it checkpoint
    pub server_wide: bool,
}

/// A statement that is not sent.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LeftOut {
    /// its number
    pub n: u32,
    /// its line
    pub line: u32,
    /// its text
    pub sql: String,
    /// why, a phrase
    pub why: String,
}

/// A script that may be sent to a server.
#[derive(Debug, Clone)]
pub struct Admitted {
    script: Script,
    left_out: Vec<LeftOut>,
    /// may psql's variables make another text of a statement than the one that was read?
    takes_variables: bool,
}

/// What may be sent of a script.
///
/// # Errors
/// A sentence that names the line: why nothing of it is.
pub fn admit(script: &Script, reach: Reach) -> Result<Admitted, String> {
    let mut admitted = Admitted { script: Script::default(), left_out: Vec::new(), takes_variables: false };
    for item in &script.items {
        match item {
            Item::Directive { directive, line } => {
                admit_directive(directive, reach).map_err(|why| format!("line {line}: {why}"))?;
                admitted.script.items.push(item.clone());
            }
            Item::Statement(statement) => match judge::judge(&statement.sql, reach) {
                Verdict::Send(sql) => {
                    let statement = Statement { sql, ..statement.clone() };
                    admitted.script.items.push(Item::Statement(statement));
                }
                Verdict::LeaveOut(why) => {
                    let (n, line, sql) = (statement.n, statement.line, statement.sql.clone());
                    admitted.left_out.push(LeftOut { n, line, sql, why });
                }
                Verdict::Refuse(why) => return Err(format!("line {}: {why}", statement.line)),
            },
        }
    }
    Ok(admitted)
}

fn admit_directive(directive: &Directive, reach: Reach) -> Result<(), String> {
    match directive {
        Directive::Set { name, .. } if !reach.server_wide => {
            Err(format!("--@ set {name} concerns the whole server; if that may be, say --allow-server-wide"))
        }
        Directive::Set { name, .. } if !judge::is_server_setting(name) => Err(format!(
            "--@ set {name} is not on the list of what is put back; it has {}",
            lists::SERVER_SETTINGS.join(", ")
        )),
        directive if directive.is_crash() => {
            Err("--@ crash stops the server, which is done to nobody's; ffviz sim plays it".to_owned())
        }
        _ => Ok(()),
    }
}

impl Admitted {
    /// The whole script, unread: for a server that is the caller's own, data directory and all, as those of tests are.
    /// No command of ffviz does this.
    #[must_use]
    pub fn for_a_server_of_ones_own(script: &Script) -> Self {
        Self { script: script.clone(), left_out: Vec::new(), takes_variables: true }
    }

    /// What is sent, in its order; statements keep their numbers.
    #[must_use]
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// A statement with what variables are that a row has set; nothing, where it stays as it was read.
    #[must_use]
    pub fn with_variables(&self, statement: &Statement, variables: &Variables) -> Option<Statement> {
        let sql = variables.sent(&statement.sql).filter(|_| self.takes_variables)?;
        Some(Statement { sql, ..statement.clone() })
    }

    /// What is not sent.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Leaves out more statements: by number, with why, a phrase.
    pub fn leave_out(&mut self, more: &BTreeMap<u32, String>) {
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for item in std::mem::take(&mut self.script.items) {
            match item {
                Item::Statement(statement) if more.contains_key(&statement.n) => left.push(statement),
                item => kept.push(item),
            }
        }
        self.script.items = kept;
        self.left_out.extend(left.into_iter().map(|statement| LeftOut {
            why: more.get(&statement.n).cloned().unwrap_or_default(),
            n: statement.n,
            line: statement.line,
            sql: statement.sql,
        }));
        self.left_out.sort_by_key(|left| left.n);
    }

    /// Settings of the server that it changes.
    #[must_use]
    pub fn server_settings(&self) -> BTreeSet<String> {
        let name = |item: &Item| match item {
            Item::Directive { directive: Directive::Set { name, .. }, .. } => Some(name.to_ascii_lowercase()),
            Item::Directive { .. } => None,
            Item::Statement(statement) => match parse(&statement.sql) {
                // what is not on the list is no setting that can be changed, and so none that has to be put back
                Ok(ast::Statement::AlterSystem(set)) => {
                    set.name.filter(|name| judge::is_server_setting(name)).map(|name| name.to_ascii_lowercase())
                }
                _ => None,
            },
        };
        self.script.items.iter().filter_map(name).collect()
    }
}

#[cfg(test)]
mod tests;
