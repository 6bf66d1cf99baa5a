//! Where a statement is wrong that names what there is not, where its tree has no place of the name (`parserOpenTable`,
//! `checkInsertTargets`, `transformUpdateTargetList`); and lines HINT that go with a message, whoever raises it.

use super::ended::Ended;
use crate::sql::parse::named;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::SqlError;

/// The same end with what can be said besides.
pub(super) fn told_more(ended: Ended, sql: &str) -> Ended {
    match ended {
        Ended::Failed(error) => Ended::Failed(hinted(placed(error, sql))),
        other => other,
    }
}

fn placed(error: SqlError, sql: &str) -> SqlError {
    if error.position.is_some() || !matches!(error.sqlstate, "42P01" | "42701" | "42703") {
        return error;
    }
    let between = |before: &str, after: &str| {
        let rest = error.message.strip_prefix(before)?;
        rest.find(after).map(|end| &rest[..end])
    };
    // what a type that the script has made is called changes no place before it
    let named = named(sql);
    let place = if let Some(name) = between("relation \"", "\" does not exist") {
        named.relations.iter().chain(&named.literals).find(|(known, _)| known == name)
    } else if let Some(name) = between("column \"", "\" specified more than once") {
        named.targets.iter().filter(|(known, _)| known == name).nth(1)
    } else if let Some(name) = between("column \"", "\" of relation ") {
        named.targets.iter().find(|(known, _)| known == name)
    } else {
        None
    };
    match place.map(|(_, at)| (at.line, at.column)) {
        Some(at) => error.at(at),
        None => error,
    }
}

/// With the line HINT that servers always have with this message.
fn hinted(error: SqlError) -> SqlError {
    let depends = ["because other objects depend on it", "because other objects depend on them"];
    let hint = match error.sqlstate {
        "2BP01" if depends.iter().any(|end| error.message.ends_with(end)) => {
            Some(String::from("Use DROP ... CASCADE to drop the dependent objects too."))
        }
        "0A000" if error.message == "cannot truncate a table referenced in a foreign key constraint" => {
            let detail = error.detail.as_deref().unwrap_or_default();
            let table = detail.strip_prefix("Table \"").and_then(|rest| rest.split('"').next());
            table.map(|name| format!("Truncate table \"{name}\" at the same time, or use TRUNCATE ... CASCADE."))
        }
        _ => None,
    };
    match hint {
        Some(hint) if error.hint.is_none() => error.with_hint(hint),
        _ => error,
    }
}
