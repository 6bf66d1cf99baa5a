//! Values too long for a page: compressed, or cut into chunks of the TOAST table (src/backend/access/heap/heaptoast.c,
//! src/backend/access/table/toast_helper.c). What happens to which value is decided in [`ffviz_format::datum::toast`].
//!
//! ```text
//!  tuple of more than 2032 bytes ─▶ compress, the longest first ─▶ move out, the longest first ─▶ tuple with pointers
//!  old version's pointers that the new one has not ─▶ their chunks are deleted
//! ```

use super::insert::InsertOptions;
use super::toast_store::{Rewritten, toast_delete_datum, toast_fetch_datum, toast_save_datum};
use crate::storage::{Buffer, Instance, Outcome, RelationData};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::toast::{Decision, TOAST_TUPLE_TARGET, Toaster, is_compressed, is_external};
use ffviz_format::datum::{FormedTuple, SqlError, Value};
use ffviz_format::heap::HeapTuple;
pub(super) use ffviz_format::heap::infomask::HEAP_HASEXTERNAL;
use ffviz_format::page::{Oid, thousands};
use ffviz_format::state::RelKind;

/// Is the tuple longer than `TOAST_TUPLE_THRESHOLD`, or has it pointers that may lead elsewhere?
pub(super) fn needs_toast(tuple: &FormedTuple) -> bool {
    tuple.infomask & HEAP_HASEXTERNAL != 0 || tuple.bytes.len() > TOAST_TUPLE_TARGET
}

/// `heap_toast_insert_or_update`: the tuple with its long values compressed or stored apart. `old`: the version that it
/// takes the place of.
///
/// # Errors
/// What storing and deleting chunks meets.
pub(super) fn heap_toast_insert_or_update(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &mut FormedTuple,
    old: Option<&[u8]>,
    options: InsertOptions,
) -> Outcome<()> {
    let values = values_of(rel, tuple);
    let mut replaced = Vec::new();
    if let Some(old) = old {
        rel.desc.deform(old, &mut replaced);
    }
    let pointers = replaced.clone();
    replaced.retain(|value| is_external(value) && !values.contains(value));
    let options = InsertOptions { speculative: false, ..options };
    store(pg, rel, tuple, values, &pointers, None, options)?;
    for value in &replaced {
        toast_delete_datum(pg, value, false)?;
    }
    Ok(())
}

/// The same of a tuple of a table that is written anew, and with it its TOAST table: `old_toast` is the one before
/// (`rd_toastoid`), whose numbers values keep.
///
/// # Errors
/// What storing and fetching chunks meets.
pub(super) fn heap_toast_rewrite(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &mut FormedTuple,
    old_toast: Option<Oid>,
    options: InsertOptions,
) -> Outcome<()> {
    let values = values_of(rel, tuple);
    store(pg, rel, tuple, values, &[], old_toast, options)
}

fn values_of(rel: &RelationData, tuple: &FormedTuple) -> Vec<Value> {
    let mut values = Vec::new();
    rel.desc.read(tuple.data(), tuple.nulls(), usize::from(tuple.natts), &mut values);
    values
}

/// Makes the tuple short enough; `kept`: pointers that stay, and the TOAST table that the relation had before.
fn store(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &mut FormedTuple,
    mut values: Vec<Value>,
    kept: &[Value],
    old_toast: Option<Oid>,
    options: InsertOptions,
) -> Outcome<()> {
    let before = if old_toast.is_some() { values.clone() } else { Vec::new() };
    let mut changed = fetch_foreign(pg, rel, &mut values, kept)?;
    let mut toaster = Toaster::new(&rel.desc, values, usize::from(rel.toast_tuple_target), rel.toast.is_some());
    while let Some(decision) = toaster.next_decision() {
        pg.trace.tell(None, || words(rel, decision));
        changed = true;
        if let Decision::Externalize { index } = decision {
            let rewritten = old_toast.map(|toast| Rewritten { toast, pointer: before.get(index) });
            let pointer = toast_save_datum(pg, rel, toaster.value(index), rewritten, options)?;
            toaster.externalized(index, pointer);
        }
    }
    if changed {
        tuple.form(&rel.desc, &toaster.into_values());
    }
    Ok(())
}

/// `toast_tuple_init`: pointers that are not the old version's lead to values of other rows, which are fetched. Were
/// there any?
fn fetch_foreign(pg: &mut Instance, rel: &RelationData, values: &mut [Value], old: &[Value]) -> Outcome<bool> {
    let mut fetched = false;
    for (index, value) in values.iter_mut().enumerate() {
        if is_external(value) && old.get(index) != Some(value) {
            let is_plain = rel.desc.attributes()[index].storage == 'p';
            let stored = toast_fetch_datum(pg, value)?;
            // one that is not compressed may have a short header in the new row
            let keeps = is_compressed(&stored) && !is_plain;
            *value = if keeps { stored } else { plain(&stored, rel.desc.kind(index))? };
            fetched = true;
        }
    }
    Ok(fetched)
}

/// What is done to a value, for a learner.
fn words(rel: &RelationData, decision: Decision) -> String {
    let name = |index: usize| &rel.desc.attributes()[index].name;
    match decision {
        Decision::Compress { index, from, to } => {
            let [from, to] = [from, to].map(|bytes| thousands(bytes as u64));
            format!("{} is compressed from {from} to {to} bytes", name(index))
        }
        Decision::Incompressible { index } => format!("{} cannot be compressed", name(index)),
        Decision::Externalize { index } => format!("{} goes to the TOAST table", name(index)),
    }
}

/// `heap_toast_delete`: the chunks of the tuple's values are deleted; those of a speculative insertion as if they had
/// never been.
///
/// # Errors
/// What deleting chunks meets.
pub(super) fn heap_toast_delete(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    tuple: &HeapTuple,
    speculative: bool,
) -> Outcome<()> {
    let has_toast = matches!(rel.kind, RelKind::Table | RelKind::MaterializedView);
    if !has_toast || tuple.t_infomask & HEAP_HASEXTERNAL == 0 {
        return Ok(());
    }
    let mut values = Vec::new();
    rel.desc.deform(pg.buffers.page(buf).slice(tuple.bytes.clone()), &mut values);
    for value in values.iter().filter(|value| is_external(value)) {
        toast_delete_datum(pg, value, speculative)?;
    }
    Ok(())
}

/// `detoast_attr`: the value itself, fetched and decompressed where it has to be. `kind`: how bytes of its type are
/// read.
///
/// # Errors
/// What fetching its chunks meets; a value that is damaged.
pub fn detoast_attr(pg: &mut Instance, value: &Value, kind: Kind) -> Outcome<Value> {
    if is_external(value) {
        let stored = toast_fetch_datum(pg, value)?;
        return Ok(plain(&stored, kind)?);
    }
    Ok(plain(value, kind)?)
}

/// `detoast_external_attr`: the value as its row would store it, compressed where it is, fetched where it is elsewhere.
///
/// # Errors
/// What fetching its chunks meets.
pub fn detoast_external_attr(pg: &mut Instance, value: &Value) -> Outcome<Value> {
    if is_external(value) { toast_fetch_datum(pg, value) } else { Ok(value.clone()) }
}

/// The value decompressed, with no header.
fn plain(value: &Value, kind: Kind) -> Result<Value, SqlError> {
    value.detoasted(kind).ok_or_else(|| SqlError::new("XX001", "compressed data is corrupt"))
}
