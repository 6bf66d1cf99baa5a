//! STORAGE and COMPRESSION of a column, which its type allows or not (`GetAttributeStorage`, `GetAttributeCompression`,
//! `ATExecSetStorage`, `ATExecSetCompression`, src/backend/commands/tablecmds.c).

use super::alter::find_column;
use crate::sql::expr::SYSTEM;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::{SqlError, SqlType};
use ffviz_format::page::Oid;

/// The words for `attstorage`.
const WORDS: [(&str, char); 4] = [("plain", 'p'), ("external", 'e'), ("main", 'm'), ("extended", 'x')];

/// `attstorage` by its word.
fn by_word(ty: SqlType, word: &str) -> Result<char, SqlError> {
    let lower = word.to_ascii_lowercase();
    if lower == "default" {
        return Ok(of_type(ty));
    }
    let found = WORDS.into_iter().find(|(known, _)| *known == lower).map(|(_, storage)| storage);
    found.ok_or_else(|| SqlError::new("22023", format!("invalid storage type \"{word}\"")))
}

/// The word for what a column has.
pub(super) fn word(storage: char) -> Option<String> {
    WORDS.into_iter().find(|(_, known)| *known == storage).map(|(word, _)| String::from(word))
}

fn of_type(ty: SqlType) -> char {
    ty.attribute(1, "").storage
}

/// `GetAttributeStorage`
///
/// # Errors
/// A word that is none, a type whose values are always plain.
pub(super) fn storage(ty: SqlType, word: &str) -> Result<char, SqlError> {
    let storage = by_word(ty, word)?;
    if storage != 'p' && of_type(ty) == 'p' {
        let message = format!("column data type {} can only have storage PLAIN", SqlType::plain(ty.oid).name());
        return Err(SqlError::new("0A000", message));
    }
    Ok(storage)
}

/// `GetAttributeCompression`: is it pglz? What pglz compresses stays the same; a server without lz4 refuses lz4, as
/// this one does.
///
/// # Errors
/// PostgreSQL's.
pub(super) fn is_pglz(ty: SqlType, method: &str) -> Result<bool, SqlError> {
    if method == "default" {
        return Ok(false);
    }
    if of_type(ty) == 'p' {
        let ty = SqlType::plain(ty.oid).name();
        return Err(SqlError::new("0A000", format!("column data type {ty} does not support compression")));
    }
    match method {
        "pglz" => Ok(true),
        "lz4" => {
            let error = SqlError::new("0A000", "compression method lz4 not supported");
            Err(error.with_detail("This functionality requires the server to be built with lz4 support."))
        }
        other => Err(SqlError::new("22023", format!("invalid compression method \"{other}\""))),
    }
}

/// ALTER COLUMN … SET STORAGE: before 16 the word is read before the column is looked for.
pub(super) fn set_storage(db: &mut Database, table: Oid, name: &str, word: &str) -> Result<(), SqlError> {
    if !db.cluster.version().has_storage_of_new_columns() {
        by_word(SqlType::plain(0), word)?;
    }
    let (column, ty) = altered(db, table, name)?;
    let storage = storage(ty, word)?;
    db.cluster.set_storage(table, column, storage);
    Ok(())
}

/// ALTER COLUMN … SET COMPRESSION
pub(super) fn set_compression(db: &mut Database, table: Oid, name: &str, method: &str) -> Result<(), SqlError> {
    let (column, ty) = altered(db, table, name)?;
    let is_pglz = is_pglz(ty, method)?;
    let attnum = column as u16 + 1;
    db.cluster.edit_class(table, |class| match is_pglz {
        true => _ = class.compressed.insert(attnum),
        false => _ = class.compressed.remove(&attnum),
    });
    db.cluster.alter_columns(table, |_| {});
    Ok(())
}

/// A column, from 0, that is not the system's, and its type.
fn altered(db: &Database, table: Oid, name: &str) -> Result<(usize, SqlType), SqlError> {
    if SYSTEM.iter().any(|(known, _)| *known == name) {
        return Err(SqlError::new("0A000", format!("cannot alter system column \"{name}\"")));
    }
    let column = find_column(db, table, name)?;
    let relation = db.cluster.pg.relation(table)?;
    let ty = relation.desc.attributes().get(column).map_or(0, |attribute| attribute.typid);
    Ok((column, SqlType::plain(ty)))
}
