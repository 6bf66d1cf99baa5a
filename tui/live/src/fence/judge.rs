//! A statement that ffviz can read: what it names, calls and sets, and whether that stays within the script's own.

use super::lexical::{self, Odd};
use super::lists::{FUNCTIONS, NAMING, REDIRECTING, SERVER_SETTINGS, is_session_setting};
use super::named::Named;
use super::{Reach, outside};
use ffviz_simulator::sql::ast::{
    AlterAction, CreateIndex, CreateTable, CreateTableAs, Drop, Expr, ExprNode, Literal, Object, Persistence, RangeVar,
    Reindex, Set, Statement, Step, Transaction,
};
use ffviz_simulator::sql::parse::parse;

/// What becomes of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// it is sent, as this text
    Send(String),
    /// it is not sent; why, a phrase
    LeaveOut(String),
    /// nothing is sent at all; why, a sentence
    Refuse(String),
}

use Verdict::{LeaveOut, Refuse, Send};

/// Schemas that PostgreSQL's own catalogs are in.
const CATALOGS: [&str; 2] = ["pg_catalog", "information_schema"];

/// Judges a statement's text.
pub(super) fn judge(sql: &str, reach: Reach) -> Verdict {
    let plain = match lexical::read(sql) {
        Ok(plain) => plain,
        Err(Odd::Unfinished) => return LeaveOut("it ends within a quote or a comment".to_owned()),
        Err(Odd::Ambiguous(what)) => {
            return Refuse(format!("{what} may be read otherwise by the server; write it plainly"));
        }
    };
    match parse(&plain.text) {
        Ok(tree) => match tree_verdict(&tree, plain.escapes, reach) {
            None => Send(plain.text.trim_end().to_owned()),
            Some(verdict) => verdict,
        },
        Err(error) => match outside::reaches(&plain, reach) {
            Some((what, why)) => refuse(&what, &why),
            None => LeaveOut(error.to_string()),
        },
    }
}

fn refuse(what: &str, why: &str) -> Verdict {
    Refuse(format!("{what} reaches beyond the script's own relations: {why}; take it out of the script"))
}

/// None: it stays within.
fn tree_verdict(tree: &Statement, escapes: bool, reach: Reach) -> Option<Verdict> {
    match tree {
        Statement::Vacuum(vacuum) if vacuum.tables.is_empty() => Some(of_all("VACUUM")),
        Statement::Cluster(cluster) if cluster.table.is_none() => Some(of_all("CLUSTER")),
        Statement::Analyze(tables, _) if tables.is_empty() => Some(of_all("ANALYZE")),
        // it would outlive the script, and end others' that do
        Statement::Transaction(Transaction::Prepare(_) | Transaction::Finish(_)) => {
            Some(refuse("a prepared transaction", "it stays when the session ends"))
        }
        Statement::CreateIndex(CreateIndex { concurrently: true, .. })
        | Statement::Drop(Drop { concurrently: true, .. })
        | Statement::Reindex(Reindex { concurrently: true, .. }) => {
            Some(refuse("CONCURRENTLY", "it waits for everybody's transactions"))
        }
        Statement::CreateTable(CreateTable { persistence: Persistence::Temporary, .. })
        | Statement::CreateTableAs(CreateTableAs { persistence: Persistence::Temporary, .. })
            if !reach.own_database =>
        {
            Some(refuse("a temporary table", "the schema that it is in stays; --own-database has one that goes"))
        }
        Statement::Checkpoint => server_wide("CHECKPOINT", reach),
        Statement::AlterSystem(set) => alter_system(set, reach),
        Statement::Set(set) => session_setting(set),
        Statement::Extension(_) => Some(refuse("EXTENSION", "extensions belong to the whole database")),
        Statement::Object(Object::CreateSchema(_)) | Statement::Object(Object::DropSchema(_)) => {
            Some(refuse("a schema", "schemas are beyond the script's own"))
        }
        Statement::Object(Object::SetSchema(_)) => {
            Some(refuse("ALTER … SET SCHEMA", "it moves things between schemas"))
        }
        Statement::Object(Object::Enum(_) | Object::Domain(_)) => {
            Some(refuse("a type", "types are beyond the script's own"))
        }
        Statement::Object(Object::Statistics(_)) => {
            Some(refuse("a statistics object", "such objects are beyond the script's own"))
        }
        Statement::Object(Object::Role(role)) => Some(refuse(role.tag(), "roles belong to the whole server")),
        Statement::Object(Object::CreateFunction(_)) => {
            Some(refuse("CREATE FUNCTION", "what the function does is done later"))
        }
        Statement::Object(Object::CreateTrigger(_) | Object::DropTrigger(_) | Object::RenameTrigger(_)) => {
            Some(refuse("a trigger", "what it calls is done later"))
        }
        Statement::Object(Object::Call(_)) => Some(refuse("CALL", "what the procedure does is not the script's own")),
        Statement::Object(Object::DropFunction(_) | Object::AlterFunction(_)) => {
            Some(LeaveOut("functions are not the script's own".to_owned()))
        }
        Statement::Grant(_) => Some(LeaveOut("privileges are for others, who have no part in the script".to_owned())),
        Statement::Notification(_) => Some(LeaveOut("notifications go to other sessions of the database".to_owned())),
        Statement::Do(_) if escapes => Some(Refuse(
            "DO of a text with backslashes may be read otherwise by the server; write it plainly".to_owned(),
        )),
        Statement::Do(routine) if routine.steps.iter().any(Step::is_dynamic) => {
            Some(refuse("EXECUTE", "what it does is known only when it runs"))
        }
        Statement::Do(routine) => {
            let mut embedded = routine.steps.iter().flat_map(Step::embedded);
            embedded.find_map(|sql| tree_verdict(&sql.statement, escapes, reach))
        }
        Statement::AlterTable(alter) if alter.actions.iter().any(gives_away) => {
            Some(LeaveOut("it gives a relation to another role".to_owned()))
        }
        _ => None,
    }
    .or_else(|| names(tree, reach))
}

fn gives_away(action: &AlterAction) -> bool {
    matches!(action, AlterAction::OwnerTo(role) if !matches!(role.as_str(), "current_user" | "session_user" | "current_role"))
}

fn of_all(command: &str) -> Verdict {
    Refuse(format!("{command} without a table takes every table of the database; name the script's tables"))
}

fn server_wide(what: &str, reach: Reach) -> Option<Verdict> {
    let why = format!("{what} concerns the whole server; if that may be, say --allow-server-wide");
    (!reach.server_wide).then_some(Refuse(why))
}

fn alter_system(set: &Set, reach: Reach) -> Option<Verdict> {
    server_wide("ALTER SYSTEM", reach).or_else(|| {
        let name = set.name.as_deref().unwrap_or("ALL");
        (!is_server_setting(name)).then(|| {
            Refuse(format!(
                "ALTER SYSTEM of {name} is not on the list of what is put back; it has {}",
                SERVER_SETTINGS.join(", ")
            ))
        })
    })
}

/// Is it one that `--allow-server-wide` lets a script change?
pub(super) fn is_server_setting(name: &str) -> bool {
    SERVER_SETTINGS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// RESET ALL goes back to what the session began with, and that is ours.
fn session_setting(set: &Set) -> Option<Verdict> {
    let name = set.name.as_deref()?.to_ascii_lowercase();
    if REDIRECTING.contains(&name.as_str()) {
        return Some(refuse(&format!("SET {name}"), "it decides what the statements after it reach"));
    }
    (!is_session_setting(&name)).then(|| LeaveOut(format!("SET {name} is not on the list of settings that are sent")))
}

fn names(tree: &Statement, reach: Reach) -> Option<Verdict> {
    let named = Named::of(tree);
    let written = named.written.iter().find_map(|name| of_relation(name, true, reach));
    let read = || named.read.iter().find_map(|name| of_relation(name, false, reach));
    written.or_else(read).or_else(|| named.calls.iter().find_map(|(name, args)| of_call(name, args, reach)))
}

/// A relation; PostgreSQL looks for a name without schema among its own catalogs first.
fn of_relation(name: &RangeVar, is_written: bool, reach: Reach) -> Option<Verdict> {
    let is_own_schema = |schema: &str| reach.own_database && ["public", "pg_temp"].contains(&schema);
    let is_catalog = match name.schema.as_deref() {
        Some(schema) if CATALOGS.contains(&schema) => true,
        Some(schema) if is_own_schema(schema) => name.name.starts_with("pg_"),
        Some(_) => {
            return Some(refuse(
                &name.to_string(),
                "the script's relations are in a schema of its own, and have no other",
            ));
        }
        None => name.name.starts_with("pg_"),
    };
    match (is_catalog, is_written) {
        (false, _) => None,
        (true, true) => Some(refuse(&name.to_string(), "names that begin with pg_ are PostgreSQL's own")),
        (true, false) => Some(LeaveOut(format!("{name} is a catalog, which is not simulated"))),
    }
}

fn of_call(name: &str, args: &[Expr], reach: Reach) -> Option<Verdict> {
    if name == "pg_reload_conf" {
        return server_wide("pg_reload_conf()", reach);
    }
    if name == "regclass" {
        return Some(refuse("a cast to regclass", "it may name a relation of somebody else"));
    }
    if let Some((schema, _)) = name.rsplit_once('.')
        && !(reach.own_database && schema == "public")
    {
        return Some(refuse(&format!("{name}()"), "it is a function of somebody else"));
    }
    if !FUNCTIONS.contains(&name) {
        let word = lexical::Word { text: name.to_owned(), called: true };
        let literals = args.iter().filter_map(|arg| match &arg.node {
            ExprNode::Literal(Literal::String(text)) => Some(text.clone()),
            _ => None,
        });
        let plain = lexical::Plain { words: vec![word], literals: literals.collect(), ..lexical::Plain::default() };
        let unknown = || LeaveOut(format!("function {name} is not on the list of those that are sent"));
        return Some(outside::reaches(&plain, reach).map_or_else(unknown, |(what, why)| refuse(&what, &why)));
    }
    let first = args.first().filter(|_| NAMING.contains(&name))?;
    match &first.node {
        ExprNode::Literal(Literal::String(text)) if is_plain_name(text) => None,
        ExprNode::Literal(Literal::String(text)) => Some(refuse(
            &format!("{name}('{text}')"),
            "the script's sequences are in a schema of its own, and have no other",
        )),
        _ => Some(refuse(&format!("{name}() of a computed name"), "it may be in a schema of somebody else")),
    }
}

/// One name, which PostgreSQL looks for in the script's own schema: no schema before it, and no number, which would be
/// an OID.
fn is_plain_name(text: &str) -> bool {
    let name = match text.strip_prefix('"') {
        Some(quoted) => return quoted.strip_suffix('"').is_some_and(|name| !name.is_empty() && !name.contains('"')),
        None => text,
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    name.chars().all(is_part) && name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !name.starts_with("pg_")
}
