//! Are the rows of catalogs asked for so, that none of the system's own, which are not here, would be among them?
//!
//! ```text
//!  where relname = 'orders'              a key of the catalog: the rows are here
//!  where relname like 'ord%'             so begins no name of the system's own
//!  pg_locks l join pg_class c on …       of the system's own relations those that are locked: `WITH_SYSTEM`
//! ```

use super::catalog_rows::Asked;
use super::from::From;
use super::source::SourceRows;
use super::statement::Planner;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, RangeVar};
use crate::sql::catalog::looking;
use crate::sql::elsewhere;
use crate::sql::expr::{Node, RangeEntry, Typed, is_of_servers, proc_name};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::Value;
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Oid};

/// triggers, of which those that are not internal may be asked for
const PG_TRIGGER: &str = "pg_trigger";

/// the view of settings
const PG_SETTINGS: &str = "pg_settings";

/// Columns of pg_class whose values are known of the system's own relations
const KNOWN_OF_SYSTEM: [&str; 6] = ["oid", "relname", "relnamespace", "relowner", "relkind", "relpersistence"];

/// `pg_locks.locktype`, by place among its columns
const LOCK_TYPE: u16 = 0;
/// `pg_locks.relation`, likewise
const LOCKED_RELATION: u16 = 2;
/// `pg_locks.mode`, likewise
const LOCK_MODE: u16 = 10;

/// Does a clause ask for rows of a catalog by one of its keys, so that no row of the system's own satisfies it, or one
/// that is named?
pub(super) fn asks(clause: &Typed, relation: &str, is_key: &impl Fn(u16) -> bool) -> bool {
    let compares = match &clause.node {
        Node::Or(parts) => return parts.iter().all(|part| asks(part, relation, is_key)),
        Node::And(parts) => return parts.iter().any(|part| asks(part, relation, is_key)),
        Node::Binary(op, operands) => *op == BinaryOp::Eq && is_known(relation, [&operands.0, &operands.1].into_iter()),
        Node::AnyOf(_, list, negated) => !negated && is_known(relation, list.iter()),
        Node::Query(_) => true,
        Node::Call(function, args) => match (proc_name(*function), &args[..]) {
            (Some(name), [_, Typed { node: Node::Const(pattern), .. }]) => {
                let beginnings = beginnings(name, pattern);
                !beginnings.is_empty() && beginnings.iter().all(|it| is_beginning_of_known(relation, it))
            }
            _ => false,
        },
        _ => false,
    };
    let mut slots = Vec::new();
    clause.slots(&mut slots);
    compares && slots.iter().any(|slot| is_key(*slot))
}

/// Are none of the constants names of rows that are not here?
fn is_known<'a>(relation: &str, mut values: impl Iterator<Item = &'a Typed>) -> bool {
    let text = |value: &Typed| match &value.node {
        Node::Const(value) => value.plain_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    values.all(|value| {
        text(value).is_none_or(|name| match relation {
            PG_SETTINGS => looking::is_known_setting(&name),
            // those of other modes are held by whoever is connected
            looking::PG_LOCKS => name == "SIReadLock" || looking::OWN_TYPES.contains(&name.as_str()),
            _ => !is_of_system(relation, &name),
        }) && !is_system_relation(relation, value)
    })
}

/// Is it a name of the system's own, of which no rows are here?
fn is_of_system(relation: &str, name: &str) -> bool {
    if relation == "pg_type" {
        return looking::is_other_type(name);
    }
    if relation == "pg_proc" {
        return is_of_servers(name);
    }
    // what these have of the system's own is here
    if matches!(relation, "pg_namespace" | "pg_extension" | "pg_database") {
        return false;
    }
    let is_schema = matches!(name, "pg_catalog" | "information_schema");
    is_schema || elsewhere::is_catalog(&RangeVar::new(None, String::from(name)))
}

/// Is the value the number of a relation or schema of the system's own?
fn is_system_relation(relation: &str, value: &Typed) -> bool {
    /// `PG_PUBLIC_NAMESPACE`
    const PUBLIC: Oid = 2200;
    let of_relations = !matches!(relation, "pg_type" | "pg_namespace" | "pg_database" | looking::PG_LOCKS);
    let is_number = |oid: Oid| oid != 0 && oid != PUBLIC && oid < FIRST_NORMAL_OBJECT_ID;
    of_relations && matches!(value.node, Node::Const(Value::Oid(oid)) if is_number(oid))
}

/// Have all rows of the relation whose name begins so rows here?
fn is_beginning_of_known(relation: &str, beginning: &str) -> bool {
    match relation {
        PG_SETTINGS => !looking::may_be_unknown_setting(beginning, looking::ANY_CHARACTER),
        _ => looking::is_beginning_of_own(beginning),
    }
}

/// What texts that LIKE or `~` takes begin with; nothing where that may be anything.
fn beginnings(function: &str, pattern: &Value) -> Vec<String> {
    let pattern = pattern.plain_bytes().and_then(|bytes| core::str::from_utf8(bytes).ok());
    let found = match (function, pattern) {
        ("like", Some(pattern)) => Some(Vec::from([of_like(pattern)])),
        ("textregexeq", Some(pattern)) => of_regex(pattern),
        _ => None,
    };
    found.filter(|all| all.iter().all(|it| !it.is_empty())).unwrap_or_default()
}

/// Up to the first `%`; `_` is any character, and a backslash takes the next one as it is.
fn of_like(pattern: &str) -> String {
    let (mut text, mut rest) = (String::new(), pattern.chars());
    while let Some(next) = rest.next() {
        match next {
            '%' => break,
            '_' => text.push(looking::ANY_CHARACTER),
            '\\' => text.extend(rest.next()),
            plain => text.push(plain),
        }
    }
    text
}

/// What stands behind `^`, also the alternatives of a pair of parentheses there.
fn of_regex(pattern: &str) -> Option<Vec<String>> {
    let anchored = pattern.strip_prefix('^')?;
    if let Some((list, rest)) = anchored.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
        let may_repeat = rest.starts_with(['?', '*', '{']);
        return (!may_repeat).then(|| list.split('|').map(plain_beginning).collect());
    }
    (!has_alternatives(anchored)).then(|| Vec::from([plain_beginning(anchored)]))
}

/// Is there a `|` outside parentheses, or anything that may hide one?
fn has_alternatives(pattern: &str) -> bool {
    let mut depth = 0;
    pattern.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        matches!(c, '[' | '\\') && pattern.contains('|') || c == '|' && depth <= 0
    })
}

/// The letters that it begins with, less the last where that may not be there.
pub(super) fn plain_beginning(pattern: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    let end = pattern.find(|c| !is_plain(c)).unwrap_or(pattern.len());
    let mut plain = String::from(&pattern[..end]);
    if pattern[end..].starts_with(['?', '*', '{']) {
        plain.pop();
    }
    plain
}

/// Kinds that no row of the system's own is of: the catalog, its column, and these.
const OWN_KINDS: [(&str, &str, &[&str]); 4] = [
    ("pg_class", "relkind", &["S", "m", "p", "I", "f", "c"]),
    ("pg_constraint", "contype", &["f", "x"]),
    ("pg_type", "typtype", &["e"]),
    ("information_schema.table_constraints", "constraint_type", &["FOREIGN KEY"]),
];

/// What holds of all rows of the system's own.
const TRUE_OF_SYSTEM: [(&str, &str); 3] =
    [("pg_index", "indisvalid"), ("pg_index", "indisready"), ("pg_index", "indislive")];

/// Does the clause ask for rows of such kinds, or of which that does not hold?
pub(super) fn asks_own_kind(clause: &Typed, relation: &str, entry: &RangeEntry) -> bool {
    let is_flag = |slot: u16| {
        let column = slot.checked_sub(entry.first).and_then(|at| entry.columns.get(usize::from(at)));
        column.is_some_and(|column| TRUE_OF_SYSTEM.contains(&(relation, column.name.as_str())))
    };
    if is_not(clause, &is_flag) {
        return true;
    }
    if relation == looking::ACTIVITY {
        return asks_session(clause, entry);
    }
    let Some((_, column, kinds)) = OWN_KINDS.iter().find(|(known, ..)| *known == relation) else { return false };
    let place = entry.columns.iter().position(|it| it.name == *column).map(|place| entry.first + place as u16);
    let is_column = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if Some(slot) == place);
    let is_own = |expr: &Typed| match &expr.node {
        Node::Const(Value::Char(kind)) => kinds.iter().any(|own| own.as_bytes() == [*kind]),
        Node::Const(value) => value.plain_bytes().is_some_and(|text| kinds.iter().any(|own| own.as_bytes() == text)),
        _ => false,
    };
    match &clause.node {
        Node::Binary(BinaryOp::Eq, operands) => is_column(&operands.0) && is_own(&operands.1),
        Node::AnyOf(expr, list, false) => is_column(expr) && list.iter().all(is_own),
        _ => false,
    }
}

/// Does the clause leave out processes of the server that are no sessions, of which these columns are NULL?
fn asks_session(clause: &Typed, entry: &RangeEntry) -> bool {
    let is_key = |expr: &Typed| {
        let Node::Slot(slot) = expr.node else { return false };
        let column = slot.checked_sub(entry.first).and_then(|at| entry.columns.get(usize::from(at)));
        column.is_some_and(|it| it.name != "pid" && looking::keys(looking::ACTIVITY).contains(&it.name.as_str()))
    };
    match &clause.node {
        Node::IsNull(operand, true) => is_key(operand),
        Node::Binary(_, operands) => is_key(&operands.0) || is_key(&operands.1),
        Node::AnyOf(operand, ..) => is_key(operand),
        Node::Call(function, args) => {
            proc_name(*function).is_some_and(|name| name.contains("like")) && args.iter().any(is_key)
        }
        Node::And(parts) => parts.iter().any(|part| asks_session(part, entry)),
        Node::Or(parts) => parts.iter().all(|part| asks_session(part, entry)),
        _ => false,
    }
}

/// The slots of an entry's columns.
pub(super) fn slots_of(entry: &RangeEntry) -> Range<u16> {
    entry.first..entry.first + entry.columns.len() as u16
}

/// Does the clause say that the two slots are equal?
fn equates(clause: &Typed, one: u16, other: u16) -> bool {
    let Node::Binary(BinaryOp::Eq, operands) = &clause.node else { return false };
    let mut slots = Vec::new();
    clause.slots(&mut slots);
    let are_columns = [&operands.0, &operands.1].iter().all(|operand| matches!(operand.node, Node::Slot(_)));
    are_columns && slots.contains(&one) && slots.contains(&other)
}

impl Planner<'_> {
    /// Are the rows of catalogs asked for by what tells the script's own from the system's?
    pub(super) fn check_catalogs(&self, from: &mut From, clauses: &[Typed]) -> Result<(), StatementError> {
        // relations that are locked may be the system's own
        let of_locks = from.range.entries.iter().find(|entry| entry.catalog.as_deref() == Some(looking::PG_LOCKS));
        let of_locks = of_locks.map(slots_of);
        let asked = Asked::of(from, clauses);
        let mut with_system = None;
        for (n, entry) in from.range.entries.iter().enumerate() {
            let Some(relation) = &entry.catalog else { continue };
            if asked.is_complete(n) {
                continue;
            }
            let on = from.sources.iter().flat_map(|source| &source.on);
            let all = || clauses.iter().chain(on.clone());
            let is_locked = |clause: &Typed| {
                of_locks.as_ref().is_some_and(|locks| equates(clause, entry.first, locks.start + LOCKED_RELATION))
            };
            if relation == looking::PG_CLASS && all().any(is_locked) {
                check_known(entry, all())?;
                with_system = Some(n);
                continue;
            }
            let message = format!(
                "{relation} without a condition such as {} = … is not supported; the simulator has no rows of the system's own relations",
                looking::keys(relation)[0]
            );
            return Err(StatementError::unsupported(message, None));
        }
        if let Some(n) = with_system {
            // those of other columns are not known
            let columns = from.range.entries[n].columns.iter_mut();
            columns
                .filter(|column| !KNOWN_OF_SYSTEM.contains(&column.name.as_str()))
                .for_each(|column| column.name.clear());
            read_instead(from, looking::PG_CLASS, looking::WITH_SYSTEM);
        }
        if let Some(entry) = from.range.entries.iter().find(|entry| entry.catalog.as_deref() == Some(PG_TRIGGER)) {
            let flag = entry.columns.iter().position(|column| column.name == "tgisinternal");
            let flag = flag.map(|at| entry.first + at as u16);
            if clauses.iter().any(|clause| is_not(clause, &|slot| Some(slot) == flag)) {
                read_instead(from, PG_TRIGGER, looking::OWN_TRIGGERS);
            }
        }
        if let Some(part) = of_locks.and_then(|locks| part_of_locks(clauses, &locks)) {
            read_instead(from, looking::PG_LOCKS, part);
        }
        Ok(())
    }
}

/// Does the clause say that the column is false?
fn is_not(clause: &Typed, is_it: &dyn Fn(u16) -> bool) -> bool {
    let is_column = |expr: &Typed| matches!(expr.node, Node::Slot(slot) if is_it(slot));
    let is_false = |expr: &Typed| matches!(expr.node, Node::Const(Value::Bool(false)));
    match &clause.node {
        Node::Not(inner) => is_column(inner),
        Node::Binary(BinaryOp::Eq, operands) => is_column(&operands.0) && is_false(&operands.1),
        _ => false,
    }
}

/// The conditions ask for no other columns than are known of the system's own relations.
fn check_known<'a>(entry: &RangeEntry, clauses: impl Iterator<Item = &'a Typed>) -> Result<(), StatementError> {
    let mut slots = Vec::new();
    clauses.for_each(|clause| clause.slots(&mut slots));
    let columns = slots.iter().filter_map(|slot| entry.columns.get(usize::from(slot.checked_sub(entry.first)?)));
    match columns.map(|column| column.name.as_str()).find(|name| !KNOWN_OF_SYSTEM.contains(name)) {
        Some(name) => {
            let message = format!("column {name} of pg_class beside pg_locks is not supported; name a relation");
            Err(StatementError::unsupported(message, None))
        }
        None => Ok(()),
    }
}

/// The part of `pg_locks` that is asked for: where not all locks are known, those that are wanted may be.
fn part_of_locks(clauses: &[Typed], locks: &Range<u16>) -> Option<&'static str> {
    let place = |slot: u16| slot.checked_sub(locks.start);
    let is_relation = |slot: u16| matches!(place(slot), Some(LOCKED_RELATION | LOCK_MODE));
    let is_type = |slot: u16| place(slot) == Some(LOCK_TYPE);
    let asks_any = |is_key: &dyn Fn(u16) -> bool| clauses.iter().any(|clause| asks(clause, looking::PG_LOCKS, &is_key));
    // a CASE of the type may give the name of a relation
    let asks_type = |clause: &Typed| asks(clause, looking::PG_LOCKS, &is_type) && !has_case(clause);
    let of_others = clauses.iter().any(asks_type).then_some(looking::OF_OTHERS);
    of_others.or_else(|| asks_any(&is_relation).then_some(looking::OF_RELATIONS))
}

fn has_case(expr: &Typed) -> bool {
    matches!(expr.node, Node::Case(_)) || expr.children().into_iter().any(has_case)
}

/// The rows of a catalog come from elsewhere.
fn read_instead(from: &mut From, catalog: &str, other: &'static str) {
    for source in &mut from.sources {
        match &mut source.rows {
            SourceRows::Function(name, _) if *name == catalog => *name = other,
            _ => {}
        }
    }
}
