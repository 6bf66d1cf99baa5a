//! What there would be if every statement of a script had run: an error that comes of its not being there is none of
//! PostgreSQL's.
//!
//! ```text
//!  3  CREATE VIEW v AS …        not supported
//!  4  SELECT * FROM v           not supported: v was not created (statement 3)
//!  5  INSERT INTO u …           not supported
//!  6  INSERT INTO u …           a duplicate key: not supported, u may have other rows on a server (statement 5)
//!  7  SELECT * FROM u           its rows, and that u may have other rows on a server (statement 5)
//!  8  CREATE RULE … TO t …      not supported
//!  9  INSERT INTO t …           not supported: what that does to t is not known (statement 8)
//! 10  DROP TABLE t              not supported: on a server v, which reads t, is there (statement 3)
//! ```

use crate::sql::StatementError;
use crate::sql::ast::{Object, RoleStatement, Statement};
use crate::sql::parse::{Lasting, makes};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

/// Objects that there is no such of: relation, column, function, type or index, prepared statement, cursor, schema; and
/// what a constraint would have to be there for; and what would depend no more.
const MISSING: [&str; 11] =
    ["22023", "2BP01", "42P01", "42703", "42883", "42704", "26000", "34000", "3F000", "42P10", "42830"];

/// Names that refused statements would have made, each with the statement.
#[derive(Debug, Clone, Default)]
pub(super) struct Absent {
    made: BTreeMap<String, u32>,
    changed: BTreeMap<String, u32>,
    /// tables and views that lack a rule or a trigger
    acts: BTreeMap<String, u32>,
    /// tables whose rows it would have changed
    rows: BTreeMap<String, u32>,
    /// tables that it would refer to
    referenced: BTreeMap<String, u32>,
    /// the statement after which what comes runs as another role, and for how long
    role: Option<(u32, Lasting)>,
    /// statements that would have said what roles may do, with their words
    rights: Vec<(u32, Vec<String>)>,
    /// objects that something which was not made would need, by that statement
    needed: BTreeMap<u32, (Vec<String>, Vec<String>)>,
    /// tables that lack an index
    unindexed: BTreeMap<String, u32>,
    /// the statement that was refused last, as long as none has run since
    last: Option<u32>,
    /// the one whose row `\gset` would have taken
    untaken: Option<u32>,
}

impl Absent {
    /// A statement was refused.
    pub fn refused(&mut self, n: u32, sql: &str) {
        self.last = Some(n);
        let makes = makes(sql);
        self.forget_dropped(sql);
        if !makes.needs.is_empty() {
            self.needed.insert(n, (makes.names.clone(), makes.needs));
        }
        self.made.extend(makes.names.into_iter().map(|name| (name, n)));
        self.unindexed.extend(makes.changes.clone().filter(|_| makes.index).map(|name| (name, n)));
        self.changed.extend(makes.changes.map(|name| (name, n)));
        self.rows.extend(makes.rows.map(|name| (name, n)));
        self.referenced.extend(makes.references.into_iter().map(|name| (name, n)));
        self.acts.extend(makes.acts.map(|name| (name, n)));
        self.role = makes.role.map(|lasting| (n, lasting)).or(self.role);
        if makes.rights {
            self.rights.push((n, words(sql).map(str::to_lowercase).collect()));
        }
    }

    /// A statement has run.
    pub fn done(&mut self, sql: &str) {
        self.last = None;
        if self.made.is_empty() && self.role.is_none() && self.rows.is_empty() {
            return;
        }
        let makes = makes(sql);
        // what is written by other rows differs too
        if let (Some(written), Some((_, n))) = (&makes.rows, self.doubtful(sql)) {
            self.rows.entry(written.clone()).or_insert(n);
        }
        let is_emptied = |name: &String| empties(sql) && words(sql).any(|word| word.eq_ignore_ascii_case(name));
        self.rows.retain(|name, _| !is_emptied(name));
        self.made.retain(|name, _| !makes.names.contains(name));
        // SET ROLE NONE, RESET ROLE
        self.role = self.role.filter(|_| makes.role.is_none());
    }

    /// A table of the statement whose rows a refused one would have changed.
    fn doubtful(&self, sql: &str) -> Option<(&str, u32)> {
        let mut rows = self.rows.iter();
        rows.find(|(name, _)| words(sql).any(|word| word.eq_ignore_ascii_case(name))).map(|(name, n)| (&**name, *n))
    }

    /// What is to be said of rows that a statement gave or changed.
    pub fn doubt(&self, sql: &str) -> Option<String> {
        let (name, n) = self.doubtful(sql).filter(|_| !empties(sql))?;
        Some(other_rows(name, n))
    }

    /// A transaction has ended.
    pub fn ended_transaction(&mut self) {
        self.role = self.role.filter(|(_, lasting)| *lasting == Lasting::Session);
    }

    /// What another role than a superuser may do, and which rows it sees, is not known.
    pub fn explains_role(&self, statement: &Statement, is_superuser: bool) -> Option<StatementError> {
        if let Statement::Object(Object::Role(RoleStatement::Drop { names, .. })) = statement {
            let is_named = |(_, words): &&(u32, Vec<String>)| names.iter().any(|name| words.contains(name));
            let (n, _) = self.rights.iter().find(is_named)?;
            let why = format!("statement {n} is not supported: on a server something may depend on the role");
            return Some(StatementError::unsupported(why, None));
        }
        let rights = self.rights.last().map(|(n, _)| *n).filter(|_| !is_superuser);
        let n = self.role.map(|(n, _)| n).or(rights)?;
        let runs_all_the_same = matches!(
            statement,
            Statement::Transaction(_)
                | Statement::Set(_)
                | Statement::Show(_)
                | Statement::Discard(_)
                | Statement::Checkpoint
        );
        let why = format!("statement {n} is not supported: what another role may do and see is not known");
        (!runs_all_the_same).then(|| StatementError::unsupported(why, None))
    }

    /// `\gset` wants the row of the statement before it.
    pub fn take(&mut self) {
        self.untaken = self.last.or(self.untaken);
    }

    /// Is a syntax error only that a variable is not set, which a refused statement would have given?
    pub fn explains_syntax(&self, error: &SqlError) -> Option<StatementError> {
        let n = self.untaken.filter(|_| error.message.ends_with("at or near \":\""))?;
        let why = format!("a variable was not set, since statement {n} is not supported");
        Some(StatementError::unsupported(why, None))
    }

    /// Would a server do something else with the statement than can be done here?
    pub fn explains_statement(&self, statement: &Statement, sql: &str) -> Option<StatementError> {
        let of_plan = match statement {
            Statement::Explain(..) => self.explains_plan(sql),
            _ => None,
        };
        let of_change = of_plan.or_else(|| self.explains_change(statement));
        of_change.or_else(|| self.explains_drop(sql))
    }

    /// EXPLAIN of a query of a table that lacks an index: a server might use it.
    fn explains_plan(&self, sql: &str) -> Option<StatementError> {
        let mut unindexed = self.unindexed.iter();
        let (name, n) = unindexed.find(|(name, _)| words(sql).any(|word| word.eq_ignore_ascii_case(name)))?;
        let why =
            format!("{name} lacks an index, since statement {n} is not supported: how a server plans is not known");
        Some(StatementError::unsupported(why, None))
    }

    /// DROP of what a statement that was refused would need: a server says that something depends on it.
    fn explains_drop(&self, sql: &str) -> Option<StatementError> {
        let dropped = dropped(sql).filter(|words| !words.iter().any(|word| word == "cascade"))?;
        let is_needed = |(_, (_, needs)): &(&u32, &(_, Vec<String>))| needs.iter().any(|name| dropped.contains(name));
        let (n, (_, needs)) = self.needed.iter().find(is_needed)?;
        let name = needs.iter().find(|name| dropped.contains(name))?;
        let why = format!("statement {n} is not supported: on a server something may depend on {name}");
        Some(StatementError::unsupported(why, None))
    }

    /// What was not made is dropped, and needs nothing any more.
    fn forget_dropped(&mut self, sql: &str) {
        let Some(dropped) = dropped(sql) else { return };
        self.needed.retain(|_, (names, _)| !names.iter().any(|name| dropped.contains(name)));
    }

    /// A change of a table that lacks a rule or a trigger: a server does something else, or more.
    fn explains_change(&self, statement: &Statement) -> Option<StatementError> {
        let table = match statement {
            Statement::Insert(insert) => &insert.table,
            Statement::Update(update) => &update.table,
            Statement::Delete(delete) => &delete.table,
            Statement::Merge(merge) => &merge.table,
            Statement::Copy(copy) => &copy.table,
            Statement::With(with) => return self.explains_change(&with.statement),
            Statement::Explain(explained, _) => return self.explains_change(explained),
            _ => return None,
        };
        let referenced = match statement {
            Statement::Delete(_) => self.referenced.get_key_value(&table.name),
            _ => None,
        };
        let (name, n) = self.acts.get_key_value(&table.name).or(referenced)?;
        let why = format!("statement {n} is not supported: what a server with it does to {name} is not known");
        Some(StatementError::unsupported(why, None))
    }

    /// Is an error only that a refused statement has not run?
    pub fn explains_error(&self, error: &SqlError, sql: &str) -> Option<StatementError> {
        self.explains(error).or_else(|| self.explains_violation(error, sql))
    }

    /// A constraint that is violated (class 23), where tables of the statement or its error may have other rows
    /// on a server.
    fn explains_violation(&self, error: &SqlError, sql: &str) -> Option<StatementError> {
        if !error.sqlstate.starts_with("23") {
            return None;
        }
        let detail = error.detail.as_deref().unwrap_or_default();
        let names = || words(sql).chain(words(&error.message)).chain(words(detail));
        let (name, n) = self.rows.iter().find(|(name, _)| names().any(|word| word == *name))?;
        Some(StatementError::unsupported(other_rows(name, *n), None))
    }

    /// Is an error only that something is not there which a refused statement would have made?
    pub fn explains(&self, error: &SqlError) -> Option<StatementError> {
        if !MISSING.contains(&error.sqlstate) {
            return None;
        }
        let is_named = |name: &str| words(&error.message).any(|word| word == name || is_made_with(word, name));
        let made = self.made.iter().find(|(name, _)| is_named(name));
        let why = match (made, self.changed.iter().find(|(name, _)| is_named(name))) {
            (Some((name, n)), _) => format!("{name} was not created, since statement {n} is not supported"),
            (None, Some((name, n))) => format!("{name} was not changed, since statement {n} is not supported"),
            // which table has no such constraint is not said
            (None, None) if error.sqlstate == "42P10" => {
                let (name, n) = self.changed.iter().next()?;
                format!("{name} was not changed, since statement {n} is not supported")
            }
            (None, None) => return None,
        };
        Some(StatementError::unsupported(why, None))
    }
}

fn other_rows(name: &str, n: u32) -> String {
    format!("{name} may have other rows on a server, since statement {n} is not supported")
}

/// Does the statement take all rows away?
fn empties(sql: &str) -> bool {
    words(sql)
        .find(|word| !word.is_empty())
        .is_some_and(|word| word.eq_ignore_ascii_case("truncate") || word.eq_ignore_ascii_case("drop"))
}

/// The words of DROP, or of a change of a type, of something that others may depend on.
fn dropped(sql: &str) -> Option<Vec<String>> {
    const KINDS: [&str; 8] = ["table", "view", "materialized", "type", "domain", "schema", "sequence", "function"];
    let mut all = words(sql).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let (how, kind) = (all.next()?, all.next()?);
    let is_drop = how == "drop" && KINDS.contains(&kind.as_str())
        || how == "alter" && ["type", "domain"].contains(&kind.as_str());
    let words: Vec<String> = all.collect();
    // a label of an enum needs nobody
    (is_drop && !words.iter().any(|word| word == "value")).then_some(words)
}

/// Is it the name that an index or a sequence of that table gets (`ChooseRelationName`)?
fn is_made_with(word: &str, table: &str) -> bool {
    let rest = word.strip_prefix(table).filter(|rest| rest.starts_with('_'));
    rest.is_some_and(|rest| ["_seq", "_pkey", "_key", "_idx", "_fkey"].iter().any(|end| rest.ends_with(end)))
}

/// The names in a message, which stand between quotes or before a parenthesis.
fn words(message: &str) -> impl Iterator<Item = &str> {
    message.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
}
