//! REPLICA IDENTITY: the old row, or its key, in the record of an UPDATE or DELETE, for logical decoding
//! (`ExtractReplicaIdentity`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  DEFAULT, USING INDEX   the columns of the primary key, or of that index; all others NULL
//!  FULL                   the row, with what its TOAST table has of it
//!  NOTHING                nothing
//! ```

use super::insert::{LOGGED_FROM, set_header};
use super::record::is_logically_logged;
use super::toast::{HEAP_HASEXTERNAL, detoast_external_attr};
use crate::storage::{Buffer, Deferrable, IndexForm, Instance, Outcome, RelationData, ReplicaIdentity};
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, Value};
use ffviz_format::heap::infomask::{HEAP_XACT_MASK, HEAP2_XACT_MASK};
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData};
use ffviz_format::state::RelKind;

/// What of an old row goes into a record.
pub(super) enum OldRow {
    /// nothing
    None,
    /// `xl_heap_header` and body of a tuple that has the key columns only
    Key(Vec<u8>),
    /// the same of the whole row
    Whole(Vec<u8>),
    /// the row as it stands on its page when the record is written, with the marks of the change
    OnPage,
}

/// `INDEX_ATTR_BITMAP_IDENTITY_KEY`: the columns of the index that rows are named by; none where nothing of the table
/// is decoded. TOAST tables have REPLICA IDENTITY NOTHING: their rows are those of a value, which the row of the table
/// names.
pub(super) fn identity_key(pg: &Instance, rel: &RelationData) -> Vec<u16> {
    let is_decoded = is_logically_logged(pg, rel) && rel.kind != RelKind::Toast;
    let Some(index) = is_decoded.then(|| replica_index(pg, rel)).flatten() else { return Vec::new() };
    index.columns[..usize::from(index.n_keys)].iter().map(|column| column.attnum).collect()
}

/// `RelationGetReplicaIndex`: the index that names rows.
fn replica_index<'a>(pg: &'a Instance, rel: &RelationData) -> Option<&'a IndexForm> {
    let mut indexes = rel.indexes.iter().filter_map(|oid| Some((*oid, pg.relations.get(oid)?.index.as_ref()?)));
    let is_it = |(oid, form): &(_, &IndexForm)| match rel.replica_identity {
        ReplicaIdentity::Default => form.primary && form.deferrable == Deferrable::No,
        ReplicaIdentity::Index(wanted) => *oid == wanted,
        ReplicaIdentity::Full | ReplicaIdentity::Nothing => false,
    };
    indexes.find(is_it).map(|(_, form)| form)
}

/// Is there something that names each row of the table?
pub fn has_replica_identity(pg: &Instance, rel: &RelationData) -> bool {
    rel.replica_identity == ReplicaIdentity::Full || replica_index(pg, rel).is_some()
}

/// `ExtractReplicaIdentity`; `is_required`: does the key change, or go with its row?
///
/// # Errors
/// What fetching a column from the TOAST table meets.
#[inline]
pub(super) fn extract_replica_identity(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    old: &HeapTuple,
    is_required: bool,
) -> Outcome<OldRow> {
    if !is_logically_logged(pg, rel) || rel.kind == RelKind::Toast {
        return Ok(OldRow::None);
    }
    old_row(pg, rel, buf, old, is_required)
}

#[inline(never)]
fn old_row(pg: &mut Instance, rel: &RelationData, buf: Buffer, old: &HeapTuple, is_required: bool) -> Outcome<OldRow> {
    let is_full = rel.replica_identity == ReplicaIdentity::Full;
    if is_full && old.t_infomask & HEAP_HASEXTERNAL == 0 {
        return Ok(OldRow::OnPage);
    }
    let key = identity_key(pg, rel);
    if !is_full && (!is_required || key.is_empty()) {
        return Ok(OldRow::None);
    }
    let mut values = Vec::new();
    rel.desc.deform(pg.buffers.page(buf).slice(old.bytes.clone()), &mut values);
    for (index, value) in values.iter_mut().enumerate() {
        let is_logged = is_full || key.contains(&(index as u16 + 1));
        *value = if is_logged { detoast_external_attr(pg, value)? } else { Value::Null };
    }
    let mut tuple = FormedTuple::new(&rel.desc, &values);
    set_header(&mut tuple, 0, 0, 0);
    if !is_full {
        tuple.bytes.drain(..LOGGED_FROM);
        return Ok(OldRow::Key(tuple.bytes));
    }
    // `toast_flatten_tuple`: of the header what is about transactions stays as it was
    let (header, old) =
        (HeapTupleHeaderData::new(&tuple.bytes), (old.t_infomask & HEAP_XACT_MASK, old.t_infomask2 & HEAP2_XACT_MASK));
    let (infomask, infomask2) = (header.t_infomask() | old.0, header.t_infomask2() | old.1);
    HeapTupleHeaderData::edit(&mut tuple.bytes).t_infomask(infomask).t_infomask2(infomask2);
    tuple.bytes.drain(..LOGGED_FROM);
    Ok(OldRow::Whole(tuple.bytes))
}

impl OldRow {
    /// Its bytes in the record; `tuple` is the old row as it stands on its page now.
    pub fn bytes(self, pg: &Instance, buf: Buffer, tuple: &HeapTuple) -> Vec<u8> {
        match self {
            Self::None => Vec::new(),
            Self::Key(bytes) | Self::Whole(bytes) => bytes,
            Self::OnPage => pg.buffers.page(buf).slice(tuple.bytes.clone()).get(LOGGED_FROM..).unwrap_or(&[]).to_vec(),
        }
    }

    /// The flag that says what it is: `key` or `whole`.
    pub const fn flag(&self, key: u8, whole: u8) -> u8 {
        match self {
            Self::None => 0,
            Self::Key(_) => key,
            Self::Whole(_) | Self::OnPage => whole,
        }
    }
}
