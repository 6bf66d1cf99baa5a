//! Who did it: pages are pruned, and hint bits set, by whoever comes by. A record says it, or the statement that was
//! running.

use super::Plot;
use super::stage::Stage;
use crate::timeline::Cause;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::wal::Rmgr;

/// Statements that read or change pages.
const VERBS: [&str; 11] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "VACUUM", "ANALYZE", "TRUNCATE", "CREATE", "FETCH"];

/// In few words: `by UPDATE`; nothing where the event says it itself, or it is not known.
pub(super) fn of(stage: &Stage<'_>) -> Option<String> {
    if !is_done_by_the_way(stage.plot) {
        return None;
    }
    let verb = recorded(stage).or_else(|| stage.look.step.label.as_deref().and_then(verb))?;
    Some(match (stage.plot, verb.as_str()) {
        (Plot::Prune, "UPDATE" | "INSERT" | "MERGE") => format!("by {verb}, which found little room"),
        _ => format!("by {verb}"),
    })
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
            | Plot::IndexDelete
            | Plot::Deduplicate
            | Plot::HalfDead
            | Plot::PageDeleted
    )
}

/// Records of 17 and later name VACUUM.
fn recorded(stage: &Stage<'_>) -> Option<String> {
    let Cause::Record(record) = &stage.look.step.cause else { return None };
    let rmgr = Rmgr(record.header().xl_rmid());
    let name = rmgr.type_name(record.header().xl_info(), stage.look.version().major());
    name.contains("VACUUM").then(|| String::from("VACUUM"))
}

/// The first word of a statement, behind comments.
fn verb(sql: &str) -> Option<String> {
    let lines = sql.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with("--"))?;
    let word = lines.split(|c: char| !c.is_ascii_alphabetic()).next()?.to_ascii_uppercase();
    VERBS.contains(&word.as_str()).then(|| word.to_string())
}
