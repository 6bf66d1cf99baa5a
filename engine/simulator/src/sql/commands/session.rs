//! COMMENT ON, LOCK, DISCARD, NOTIFY: what they do besides pages of a user's relation, which they leave alone.
//! Rows of catalogs are written by some, which takes a transaction id.

use super::partition::plain_kind;
use crate::sql::ast::{Comment, CommentKind, Discard, Lock, Notification, Set};
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc::settings;
use crate::sql::permission;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::SqlError;
use ffviz_format::state::RelKind;

/// `CommentObject` (src/backend/commands/comment.c): a row of `pg_description`.
pub(in crate::sql) fn comment(db: &mut Database, comment: &Comment) -> Result<String, SqlError> {
    let relation = db.open(&comment.relation)?;
    let wanted = match comment.kind {
        CommentKind::Table => RelKind::Table,
        CommentKind::Index => RelKind::Index,
        CommentKind::Sequence => RelKind::Sequence,
    };
    if plain_kind(relation.kind) != wanted {
        let what = match comment.kind {
            CommentKind::Table => "a table",
            CommentKind::Index => "an index",
            CommentKind::Sequence => "a sequence",
        };
        return Err(SqlError::new("42809", format!("\"{}\" is not {what}", comment.relation.name)));
    }
    if let Some(column) = &comment.column {
        let is_it = |attribute: &ffviz_format::datum::Attribute| !attribute.dropped && attribute.name == *column;
        if !relation.desc.attributes().iter().any(is_it) {
            let message = format!("column \"{column}\" of relation \"{}\" does not exist", relation.name);
            return Err(SqlError::new("42703", message));
        }
    }
    db.cluster.pg.current_xid();
    db.notes.push("a comment changes no page that is shown here".to_string());
    Ok("COMMENT".to_string())
}

/// `LockTableCommand`: the locks were taken before it began; `is_top`: not within a function, which is in a transaction
/// that it does not end.
pub(in crate::sql) fn lock(db: &Database, lock: &Lock, is_top: bool) -> Result<String, SqlError> {
    let in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
    if is_top && !in_block {
        return Err(SqlError::new("25P01", "LOCK TABLE can only be used in transaction blocks"));
    }
    for name in &lock.tables {
        let oid = db.find(name).ok_or_else(|| elsewhere::relation(name, "relation"))?;
        if db.cluster.catalog.class(oid).is_some_and(|class| plain_kind(class.kind) != RelKind::Table) {
            return Err(SqlError::new("42809", format!("\"{}\" is not a table", name.name)));
        }
        permission::check_lock(db, name, lock.mode)?;
    }
    Ok("LOCK TABLE".to_string())
}

/// `DiscardCommand`
pub(in crate::sql) fn discard(db: &mut Database, what: Discard) -> Result<String, SqlError> {
    let tag = match what {
        Discard::All => "DISCARD ALL",
        Discard::Plans => "DISCARD PLANS",
        Discard::Sequences => "DISCARD SEQUENCES",
        Discard::Temp => "DISCARD TEMP",
    };
    if what == Discard::All {
        if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
            return Err(SqlError::new("25001", "DISCARD ALL cannot run inside a transaction block"));
        }
        for name in [Some("session_authorization"), None] {
            settings::set(db, &Set { name: name.map(Into::into), value: None, reset: true, local: false })?;
        }
    }
    if what == Discard::All {
        db.session().prepared.clear();
    }
    if matches!(what, Discard::All | Discard::Temp) {
        db.cluster.drop_temporary();
    }
    if matches!(what, Discard::All | Discard::Sequences) {
        let session = db.session();
        session.sequences.clear();
        session.last_sequence = None;
    }
    Ok(tag.to_string())
}

/// `PreCommit_Notify` (src/backend/commands/async.c): a transaction that notifies has an id, as early as its end, so
/// one of several statements is left alone.
pub(in crate::sql) fn notification(db: &mut Database, kind: Notification) -> Result<String, SqlError> {
    if kind == Notification::Notify {
        if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
            return Err(SqlError::new(NOT_SIMULATED, "NOTIFY within a transaction block is not supported"));
        }
        db.cluster.pg.current_xid();
    }
    db.notes.push("nobody else listens here".to_string());
    Ok(match kind {
        Notification::Listen => "LISTEN",
        Notification::Unlisten => "UNLISTEN",
        Notification::Notify => "NOTIFY",
    }
    .to_string())
}
