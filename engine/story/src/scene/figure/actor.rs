//! Who did it: pages are pruned, and hint bits set, by whoever comes by. A record may say it; else it is known during
//! which statement it happened, of a recording by what its label says: another session may have done it.

use super::Plot;
use super::panel::BY;
use super::stage::Stage;
use crate::timeline::{Cause, who_did};
use alloc::format;
use alloc::string::{String, ToString};

/// Statements that read or change pages.
const VERBS: [&str; 11] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "VACUUM", "ANALYZE", "TRUNCATE", "CREATE", "FETCH"];

/// In few words: `by VACUUM`, `during UPDATE`; nothing where the event says it itself, or it is not known.
pub(super) fn of(stage: &Stage<'_>) -> Option<String> {
    if changes_rows(stage.plot) {
        return Some(format!("{BY}{}", who_did(stage.look.within?)?));
    }
    if !is_done_by_the_way(stage.plot) {
        return None;
    }
    if let Some(actor) = recorded(stage) {
        return Some(format!("by {actor}"));
    }
    let verb = stage.look.step.label.as_deref().and_then(verb)?;
    Some(match (stage.plot, verb.as_str()) {
        (Plot::Prune, "UPDATE" | "INSERT" | "MERGE") => format!("during {verb}: room was short"),
        _ => format!("during {verb}"),
    })
}

/// Is it what a trigger or a foreign key may do in place of the statement?
pub(super) const fn changes_rows(plot: Plot) -> bool {
    matches!(
        plot,
        Plot::Insert
            | Plot::ManyInserts
            | Plot::HotUpdate
            | Plot::Update
            | Plot::ManyUpdates
            | Plot::Delete
            | Plot::Lock
            | Plot::Toast
    )
}

/// Is it what somebody does who came for something else?
const fn is_done_by_the_way(plot: Plot) -> bool {
    matches!(
        plot,
        Plot::Prune
            | Plot::Freeze
            | Plot::HintBits
            | Plot::KillMarks
            | Plot::AllVisible
            | Plot::VisibilityCleared
            | Plot::FreeSpaceMap
            | Plot::FileLength
            | Plot::NewFile
            | Plot::IndexDelete
            | Plot::Deduplicate
            | Plot::HalfDead
            | Plot::PageDeleted
    )
}

/// Records of 17 and later name VACUUM.
fn recorded(stage: &Stage<'_>) -> Option<String> {
    let Cause::Record(record) = &stage.look.step.cause else { return None };
    record.type_name(stage.look.version()).contains("VACUUM").then(|| String::from("VACUUM"))
}

/// The first word of a statement, behind comments.
fn verb(sql: &str) -> Option<String> {
    let lines = sql.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("--"))?;
    let word = lines.split(|c: char| !c.is_ascii_alphabetic()).next()?.to_ascii_uppercase();
    VERBS.contains(&word.as_str()).then(|| word.to_string())
}
