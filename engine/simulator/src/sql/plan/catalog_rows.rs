//! Which catalogs of FROM are asked for rows of the script's own only: by a key of theirs, or by what is equal to a
//! column of one that is.
//!
//! ```text
//!  pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace   WHERE n.nspname = 'public'      n is, and so is c
//!                                                             WHERE n.nspname = 'pg_catalog'  only n's row is here
//!                                                             (nothing)                       neither is
//! ```

use super::catalogs::{asks, asks_own_kind, plain_beginning, slots_of};
use super::from::From;
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::looking;
use crate::sql::expr::{Node, RangeEntry, Typed, proc_name};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::Value;

/// The schemas of the system's own relations; that of TOAST tables has the script's own, too.
const SYSTEM_SCHEMAS: [&str; 2] = ["pg_catalog", "information_schema"];
const TOAST_SCHEMA: &str = "pg_toast";

/// `relkind` of what is in [`TOAST_SCHEMA`].
const TOAST_KINDS: [u8; 2] = [b't', b'i'];

/// A clause, and the entry that alone it says something of: ON of an outer join leaves the rows of the others.
type Clause<'a> = (&'a Typed, Option<usize>);

/// What is asked of the entries of FROM.
pub(super) struct Asked<'a> {
    entries: &'a [RangeEntry],
    clauses: Vec<Clause<'a>>,
    /// those of which only rows of the script's own are asked for
    own: BTreeSet<usize>,
}

impl<'a> Asked<'a> {
    /// `clauses`: WHERE, and ON of inner joins.
    pub fn of(from: &'a From, clauses: &'a [Typed]) -> Self {
        let entries = &from.range.entries[..];
        let first = usize::from(from.table.is_some());
        let mut asked =
            Self { entries, clauses: clauses.iter().map(|clause| (clause, None)).collect(), own: BTreeSet::new() };
        for (n, source) in from.sources.iter().enumerate().map(|(n, source)| (n + first, source)) {
            // where a row of NULLs would not do, it is no outer join
            let only = Some(n).filter(|n| !asked.rejects_nulls(*n));
            asked.clauses.extend(source.on.iter().map(|clause| (clause, only)));
        }
        // what is equal to a column of one that was found is found next
        for _ in entries {
            let found: Vec<usize> = (0..entries.len()).filter(|n| asked.is_own(*n)).collect();
            asked.own.extend(found);
        }
        asked
    }

    /// Are all rows here that are asked for?
    pub fn is_complete(&self, n: usize) -> bool {
        let Some(relation) = self.keyed(n) else { return true };
        // those of locks say by other columns too which of them are known
        let is_alone = |clause: &Typed| relation == looking::PG_LOCKS || self.others(clause, n).is_empty();
        let has_its_row = || self.said(n).any(|clause| is_alone(clause) && self.asks(clause, n));
        self.own.contains(&n) || has_its_row() || relation == "pg_namespace" && self.leaves_out_system(n)
    }

    /// The catalog that an entry is, if rows of the system's own are missing there.
    fn keyed(&self, n: usize) -> Option<&'a str> {
        let relation = self.entries.get(n)?.catalog.as_deref()?;
        (!looking::keys(relation).is_empty()).then_some(relation)
    }

    /// What is said of an entry.
    fn said(&self, n: usize) -> impl Iterator<Item = &'a Typed> {
        let is_of = move |(_, only): &&Clause<'a>| only.is_none_or(|only| only == n);
        self.clauses.iter().filter(is_of).map(|(clause, _)| *clause)
    }

    /// Of the other entries that the clause names those of which rows are missing.
    fn others(&self, clause: &Typed, n: usize) -> Vec<usize> {
        let mut slots = Vec::new();
        clause.slots(&mut slots);
        let is_named = |other: &usize| slots.iter().any(|slot| slots_of(&self.entries[*other]).contains(slot));
        (0..self.entries.len()).filter(|other| *other != n && self.keyed(*other).is_some() && is_named(other)).collect()
    }

    fn asks(&self, clause: &Typed, n: usize) -> bool {
        let (entry, Some(relation)) = (&self.entries[n], self.keyed(n)) else { return false };
        let is_key = |slot: u16| self.column(n, slot).is_some_and(|name| looking::keys(relation).contains(&name));
        asks(clause, relation, &is_key) || asks_own_kind(clause, relation, entry)
    }

    fn column(&self, n: usize, slot: u16) -> Option<&'a str> {
        let entry = &self.entries[n];
        let column = entry.columns.get(usize::from(slot.checked_sub(entry.first)?))?;
        Some(column.name.as_str())
    }

    fn is_own(&self, n: usize) -> bool {
        let Some(relation) = self.keyed(n).filter(|relation| *relation != looking::PG_LOCKS) else { return false };
        let is_found = |other: &usize| {
            let leaves_out = || relation == looking::PG_CLASS && self.is_no_toast(n) && self.leaves_out_system(*other);
            self.own.contains(other) || leaves_out()
        };
        let names_system = |clause: &Typed| relation == "pg_namespace" && names_system(clause);
        let is_asked = |clause: &Typed| self.asks(clause, n) && !names_system(clause);
        self.said(n).any(|clause| is_asked(clause) && self.others(clause, n).iter().all(is_found))
            || self.leaves_out_system(n) && (self.has_no_toast(n) || self.leaves_out(n, TOAST_SCHEMA))
    }

    /// Do rows of relations of TOAST not count among those of this catalog?
    fn has_no_toast(&self, n: usize) -> bool {
        const THEIRS: [&str; 3] = ["pg_namespace", "pg_stat_all_tables", "pg_stat_all_indexes"];
        self.keyed(n).is_some_and(|relation| !THEIRS.contains(&relation))
    }

    /// Are the schemas of the system's own relations ruled out?
    fn leaves_out_system(&self, n: usize) -> bool {
        SYSTEM_SCHEMAS.iter().all(|schema| self.leaves_out(n, schema))
    }

    fn leaves_out(&self, n: usize, schema: &str) -> bool {
        const SCHEMAS: [&str; 4] = ["nspname", "schemaname", "table_schema", "constraint_schema"];
        let is_schema = |slot: u16| self.column(n, slot).is_some_and(|name| SCHEMAS.contains(&name));
        self.said(n).any(|clause| rules_out(clause, &is_schema, schema))
    }

    /// Does a condition on `relkind` leave out tables of TOAST and their indexes?
    fn is_no_toast(&self, n: usize) -> bool {
        let is_kind = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if self.column(n, slot) == Some("relkind"));
        let is_other =
            |expr: &Typed| matches!(expr.node, Node::Const(Value::Char(kind)) if !TOAST_KINDS.contains(&kind));
        self.said(n).any(|clause| match &clause.node {
            Node::Binary(BinaryOp::Eq, operands) => is_kind(&operands.0) && is_other(&operands.1),
            Node::AnyOf(expr, list, false) => is_kind(expr) && list.iter().all(is_other),
            _ => false,
        })
    }

    /// Does WHERE ask something of the entry, so that a row of NULLs is none of the result?
    fn rejects_nulls(&self, n: usize) -> bool {
        let is_alone = |clause: &&Typed| self.others(clause, n).is_empty();
        let rules = |clause: &Typed| {
            SYSTEM_SCHEMAS.iter().any(|schema| rules_out(clause, &|slot| self.column(n, slot).is_some(), schema))
        };
        self.keyed(n).is_some() && self.said(n).filter(is_alone).any(|clause| self.asks(clause, n) || rules(clause))
    }
}

/// Does the clause name a schema of the system's own?
fn names_system(clause: &Typed) -> bool {
    let is_system = |expr: &Typed| {
        let schemas = SYSTEM_SCHEMAS.iter().chain(&[TOAST_SCHEMA]);
        text(expr).is_some_and(|text| schemas.clone().any(|schema| *schema == text))
    };
    match &clause.node {
        Node::Binary(_, operands) => is_system(&operands.0) || is_system(&operands.1),
        Node::AnyOf(_, list, _) => list.iter().any(is_system),
        Node::Or(parts) | Node::And(parts) => parts.iter().any(names_system),
        _ => false,
    }
}

/// Is the clause false of a row whose column has this name?
fn rules_out(clause: &Typed, is_column: &dyn Fn(u16) -> bool, name: &str) -> bool {
    let is_it = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if is_column(slot));
    let has_name = |expr: &Typed| text(expr).is_some_and(|text| text == name);
    let matches = |function: &str, args: &[Typed]| match args {
        [column, pattern] => is_it(column) && text(pattern).is_some_and(|pattern| is_like(function, &pattern, name)),
        _ => false,
    };
    match &clause.node {
        Node::Binary(BinaryOp::Ne, operands) => is_it(&operands.0) && has_name(&operands.1),
        Node::AnyOf(expr, list, true) => is_it(expr) && list.iter().any(has_name),
        Node::And(parts) => parts.iter().any(|part| rules_out(part, is_column, name)),
        Node::Call(function, args) => match proc_name(*function) {
            Some("textnlike") => matches("like", args),
            Some("textregexne") => matches("textregexeq", args),
            _ => false,
        },
        Node::Not(inner) => match &inner.node {
            Node::Call(function, args) => proc_name(*function).is_some_and(|function| matches(function, args)),
            Node::Binary(BinaryOp::Eq, operands) => is_it(&operands.0) && has_name(&operands.1),
            _ => false,
        },
        _ => false,
    }
}

/// Does LIKE, or a regular expression, of a beginning take the name?
fn is_like(function: &str, pattern: &str, name: &str) -> bool {
    match function {
        "like" => pattern.strip_suffix('%').is_some_and(|beginning| {
            let is_same = |(wanted, is): (char, char)| wanted == '_' || wanted == is;
            let is_long_enough = beginning.chars().count() <= name.chars().count();
            !beginning.contains(['%', '\\']) && is_long_enough && beginning.chars().zip(name.chars()).all(is_same)
        }),
        "textregexeq" => pattern.strip_prefix('^').is_some_and(|pattern| {
            let beginning = plain_beginning(pattern);
            beginning == pattern && name.starts_with(&beginning)
        }),
        _ => false,
    }
}

fn text(expr: &Typed) -> Option<String> {
    let Node::Const(value) = &expr.node else { return None };
    value.plain_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}
