//! REPLICA IDENTITY DEFAULT: the old row's primary key in the record of an UPDATE or DELETE, for logical decoding
//! (`ExtractReplicaIdentity`, src/backend/access/heap/heapam.c).

use super::insert::{LOGGED_FROM, set_header};
use super::record::is_logically_logged;
use super::toast::detoast_attr;
use crate::datum::{FormedTuple, Value};
use crate::heap::HeapTuple;
use crate::storage::{AttrSet, Buffer, Instance, Outcome, RelKind, RelationData};
use alloc::vec::Vec;

/// `INDEX_ATTR_BITMAP_IDENTITY_KEY`: the columns of the primary key; none where nothing of the table is decoded. TOAST tables have REPLICA
/// IDENTITY NOTHING: their rows are those of a value, which the row of the table names.
pub(super) fn identity_key(pg: &Instance, rel: &RelationData) -> AttrSet {
    let mut columns = AttrSet::default();
    if is_logically_logged(pg, rel) && rel.kind != RelKind::Toast {
        let indexes = rel.indexes.iter().filter_map(|oid| pg.relations.get(oid)?.index.as_ref());
        for index in indexes.filter(|index| index.primary) {
            index.columns[..usize::from(index.n_keys)].iter().for_each(|column| columns.insert(column.attnum));
        }
    }
    columns
}

/// `ExtractReplicaIdentity`: `xl_heap_header` and body of a tuple that has the key columns only; `None` where the record needs none.
///
/// # Errors
/// What fetching a key column from the TOAST table meets.
pub(super) fn extract_replica_identity(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    old: &HeapTuple,
    is_required: bool,
) -> Outcome<Option<Vec<u8>>> {
    if !is_required {
        return Ok(None);
    }
    let key = identity_key(pg, rel);
    if key.is_empty() {
        return Ok(None);
    }
    let mut values = Vec::new();
    rel.desc.deform(pg.buffers.page(buf).slice(old.bytes.clone()), &mut values);
    for (index, value) in values.iter_mut().enumerate() {
        let is_key = key.contains(index as u16 + 1);
        *value = if is_key { detoast_attr(pg, value, rel.desc.kind(index))? } else { Value::Null };
    }
    let mut tuple = FormedTuple::new(&rel.desc, &values);
    set_header(&mut tuple, 0, 0, 0);
    tuple.bytes.drain(..LOGGED_FROM);
    Ok(Some(tuple.bytes))
}
