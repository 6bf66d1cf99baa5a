//! The TOAST table: a value in chunks of 1996 bytes, found by its number through the table's index
//! (src/backend/access/common/{toast_internals,detoast}.c, src/backend/access/heap/heaptoast.c).
//!
//! ```text
//!  pointer: 0x01 0x12 ┤ rawsize ┼ stored size ┼ 16403 ┼ TOAST table ┤
//!                                                 │
//!  chunks: (16403, 0, 1996 bytes) (16403, 1, 1996 bytes) (16403, 2, the rest)
//! ```

use super::delete::heap_delete;
use super::heap_tuple;
use super::insert::{InsertOptions, heap_insert};
use super::scan::IndexFetch;
use super::speculative::heap_abort_speculative;
use super::visibility::{TmResult, heap_tuple_satisfies_toast};
use crate::storage::{Buffer, Instance, LockMode, Outcome, RelationData, RelationLock, Stop};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::toast::is_external;
use ffviz_format::datum::varlena::VarattExternal;
use ffviz_format::datum::{FormedTuple, SqlError, Value};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ItemPointer, Oid};

/// `TOAST_MAX_CHUNK_SIZE`
const TOAST_MAX_CHUNK_SIZE: usize = 1996;
/// `VARATT_IS_1B_E` and `VARTAG_ONDISK`
const POINTER_TAG: [u8; 2] = [0x01, 0x12];
/// `VARHDRSZ`
const VARHDRSZ: u32 = ffviz_format::datum::varlena::VARHDRSZ as u32;
/// The method of compression stands above the size.
const SIZE_MASK: u32 = 0x3FFF_FFFF;

/// A value of a table that is written anew.
pub(super) struct Rewritten<'a> {
    /// the TOAST table before, which pointers name: the new one takes its place
    pub toast: Oid,
    /// the value as it stood there; a pointer where it was stored apart
    pub pointer: Option<&'a Value>,
}

/// `toast_save_datum`: stores a value in the TOAST table of the relation and gives the pointer to it.
///
/// # Errors
/// A relation without TOAST table, and what inserting into it and its index meets.
pub(super) fn toast_save_datum(
    pg: &mut Instance,
    rel: &RelationData,
    value: &Value,
    rewritten: Option<Rewritten<'_>>,
    options: InsertOptions,
) -> Outcome<Value> {
    let toast_oid = rel.toast.ok_or_else(|| SqlError::new("XX000", "the table has no TOAST table"))?;
    let toast = pg.open_relation(toast_oid)?;
    lock_toast(pg, &toast);
    let (data, rawsize, extinfo) = stored_form(value)?;
    let known = rewritten.as_ref().and_then(|rewritten| rewritten.pointer).filter(|value| is_external(value));
    // another version of the row may have brought it along
    let (id, is_there) = match known {
        Some(pointer) => {
            let id = toast_table(pg, pointer)?.1.id;
            (id, has_value(pg, &toast, id)?)
        }
        None => (pg.new_object_id(), false),
    };
    let cid = pg.current_command_id();
    let data = if is_there { &[][..] } else { data };
    for (seq, chunk) in (0..).zip(data.chunks(TOAST_MAX_CHUNK_SIZE)) {
        let key = [Value::Oid(id), Value::Int4(seq)];
        let row = [key[0].clone(), key[1].clone(), Value::Bytea(chunk.into())];
        let tid = heap_insert(pg, &toast, &mut FormedTuple::new(&toast.desc, &row), cid, options, None)?;
        insert_index_entries(pg, &toast, &key, tid)?;
    }
    let mut pointer = Vec::from(POINTER_TAG);
    let named = rewritten.map_or(toast_oid, |rewritten| rewritten.toast);
    pointer.extend_from_slice(&VarattExternal::make(rawsize, extinfo, id, named));
    Ok(Value::Stored(pointer.into()))
}

/// `toast_open_indexes`: who writes to a TOAST table keeps the lock until the transaction ends.
fn lock_toast(pg: &mut Instance, toast: &RelationData) {
    let depth = pg.backend().xact.as_ref().map_or(0, |xact| xact.levels.len() - 1);
    for relation in [toast.oid].into_iter().chain(toast.indexes.iter().copied()) {
        pg.locks.acquire(pg.me, depth, RelationLock { relation, mode: LockMode::RowExclusive });
    }
}

/// `toastrel_valueid_exists`
fn has_value(pg: &mut Instance, toast: &RelationData, id: Oid) -> Outcome<bool> {
    let Some((index, am)) = toast.indexes.first().copied().zip(pg.index_am) else { return Ok(false) };
    let index = pg.relation(index)?;
    Ok(!(am.lookup)(pg, &index, &[Value::Oid(id)])?.is_empty())
}

/// What is stored of a value: its bytes without the first header, its size before compression with a header, and
/// `va_extinfo`.
fn stored_form(value: &Value) -> Result<(&[u8], u32, u32), SqlError> {
    if let Some(plain) = value.plain_bytes() {
        let len = plain.len() as u32;
        return Ok((plain, len + VARHDRSZ, len));
    }
    let compressed = value.bytes().and_then(|bytes| bytes.get(VARHDRSZ as usize..));
    let data = compressed.ok_or_else(|| SqlError::new("XX000", "the value is not a varlena"))?;
    let info = u32::get(data);
    Ok((data, (info & SIZE_MASK) + VARHDRSZ, data.len() as u32 | info & !SIZE_MASK))
}

fn insert_index_entries(pg: &mut Instance, toast: &RelationData, key: &[Value], tid: ItemPointer) -> Outcome<()> {
    let Some(am) = pg.index_am else { return Ok(()) };
    for oid in &toast.indexes {
        let index = pg.relation(*oid)?;
        (am.insert)(pg, &index, key, tid)?;
    }
    Ok(())
}

/// `toast_delete_datum`: deletes the chunks of a pointer, or takes them back.
///
/// # Errors
/// A TOAST table that is not there, and a chunk that another transaction changed.
pub(super) fn toast_delete_datum(pg: &mut Instance, pointer: &Value, speculative: bool) -> Outcome<()> {
    let (toast, external) = toast_table(pg, pointer)?;
    lock_toast(pg, &toast);
    for_each_chunk(pg, &toast, external.id, |pg, tid, _| {
        if speculative {
            return heap_abort_speculative(pg, &toast, tid);
        }
        let cid = pg.current_command_id();
        match heap_delete(pg, &toast, tid, cid)? {
            TmResult::Ok => Ok(()),
            _ => Err(SqlError::new("XX000", "tuple concurrently deleted").into()),
        }
    })
}

/// `toast_fetch_datum`: the value of a pointer, without its header, compressed where it was stored so.
///
/// # Errors
/// A TOAST table that is not there, and chunks that are missing.
pub(super) fn toast_fetch_datum(pg: &mut Instance, pointer: &Value) -> Outcome<Value> {
    let (toast, external) = toast_table(pg, pointer)?;
    let mut data = Vec::new();
    for_each_chunk(pg, &toast, external.id, |pg, tid, buf| {
        let tuple = heap_tuple(pg, buf, tid.offset);
        let bytes = tuple.as_ref().map_or(&[][..], |tuple| pg.buffers.page(buf).slice(tuple.bytes.clone()));
        data.extend_from_slice(toast.desc.column(bytes, 2).plain_bytes().unwrap_or(&[]));
        Ok(())
    })?;
    let size = (external.extinfo & SIZE_MASK) as usize;
    if data.len() != size {
        let text =
            format!("missing chunk number {} for toast value {}", data.len() / TOAST_MAX_CHUNK_SIZE, external.id);
        return Err(SqlError::new("XX001", text).into());
    }
    let compressed = size < external.rawsize.saturating_sub(VARHDRSZ) as usize;
    let header = (size as u32 + VARHDRSZ) << 2 | if compressed { 2 } else { 0 };
    let mut stored = Vec::from(header.to_le_bytes());
    stored.append(&mut data);
    Ok(Value::Stored(stored.into()))
}

/// `varatt_external`
struct Pointer {
    rawsize: u32,
    extinfo: u32,
    id: Oid,
}

/// Where a pointer leads.
fn toast_table(pg: &mut Instance, pointer: &Value) -> Outcome<(Arc<RelationData>, Pointer)> {
    let bytes = pointer.bytes().and_then(|bytes| bytes.get(POINTER_TAG.len()..)).unwrap_or(&[]);
    let external = VarattExternal::new(bytes);
    let toast = pg.open_relation(external.va_toastrelid())?;
    let (rawsize, extinfo, id) = (external.va_rawsize(), external.va_extinfo(), external.va_valueid());
    Ok((toast, Pointer { rawsize, extinfo, id }))
}

/// Goes through the chunks of a value, by the index; a page is pruned when the scan comes to it.
fn for_each_chunk(
    pg: &mut Instance,
    toast: &RelationData,
    id: Oid,
    mut each: impl FnMut(&mut Instance, ItemPointer, Buffer) -> Outcome<()>,
) -> Outcome<()> {
    let index = toast.indexes.first().copied().zip(pg.index_am);
    let (index, am) =
        index.ok_or_else(|| Stop::from(SqlError::new("XX000", "no valid index found for toast relation")))?;
    let index = pg.relation(index)?;
    let mut fetch = IndexFetch::default();
    for tid in (am.lookup)(pg, &index, &[Value::Oid(id)])? {
        let buf = Buffer::main(toast.file, tid.block);
        fetch.go_to(pg, toast, buf);
        let is_visible = heap_tuple(pg, buf, tid.offset).is_some_and(|tuple| heap_tuple_satisfies_toast(&tuple));
        if is_visible {
            each(pg, tid, buf)?;
        }
    }
    fetch.end(pg);
    Ok(())
}
