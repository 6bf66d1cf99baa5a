//! A heap tuple in words: role, next version, the flags that tell its state.

use super::Role;
use crate::timeline::Fates;
use alloc::string::String;
use ffviz_format::heap::{HeapTuple, INFOMASK, INFOMASK2, TupleState};
use ffviz_format::page::{Bit, ItemPointer};

/// Flags that only say how a tuple is laid out or came to be: left out of the short list.
const QUIET: [&str; 5] =
    ["HEAP_HASNULL", "HEAP_HASVARWIDTH", "HEAP_UPDATED", "HEAP_XMAX_KEYSHR_LOCK", "HEAP_XMAX_EXCL_LOCK"];

/// What a tuple is to the eye.
#[must_use]
pub fn role(tuple: &HeapTuple) -> Role {
    match tuple.state() {
        TupleState::Live => Role::TupleLive,
        TupleState::HeapOnly => Role::TupleHeapOnly,
        TupleState::Locked => Role::TupleLocked,
        TupleState::HotUpdated => Role::TupleHotUpdated,
        TupleState::Updated | TupleState::MovedPartition => Role::TupleUpdated,
        TupleState::Deleted => Role::TupleDeleted,
        TupleState::Aborted => Role::TupleAborted,
    }
}

/// The same, with what is known of its transactions and no hint bit says yet: what was rolled back counts for nothing,
/// and a lock that is over, or is that of who put the tuple there, keeps nobody away.
#[must_use]
pub fn role_at(tuple: &HeapTuple, fates: Fates<'_>) -> Role {
    let role = role(tuple);
    if fates.is_aborted(tuple) {
        Role::TupleAborted
    } else if role != Role::TupleAborted && (fates.is_own_lock(tuple) || fates.is_xmax_void(tuple)) {
        if tuple.is_heap_only() { Role::TupleHeapOnly } else { Role::TupleLive }
    } else {
        role
    }
}

/// Is it an old version, or one that never came to be? Its bytes are free once no snapshot sees it.
#[must_use]
pub const fn is_old(role: Role) -> bool {
    matches!(role, Role::TupleHotUpdated | Role::TupleUpdated | Role::TupleDeleted | Role::TupleAborted)
}

/// The next version of the row, where an UPDATE left one in this table.
#[must_use]
pub fn next_version(tuple: &HeapTuple) -> Option<ItemPointer> {
    matches!(tuple.state(), TupleState::HotUpdated | TupleState::Updated).then_some(tuple.t_ctid)
}

/// The flags that tell a tuple's state, without the `HEAP_` of their names.
#[must_use]
pub fn flags(tuple: &HeapTuple) -> String {
    let mut text = String::new();
    for bit in INFOMASK2.iter().filter(|bit| is_set(bit, tuple.t_infomask2)) {
        push(&mut text, bit.name);
    }
    let set = || INFOMASK.iter().filter(|bit| is_set(bit, tuple.t_infomask));
    for bit in set().filter(|bit| !QUIET.contains(&bit.name)) {
        // a combined name says what its parts say
        if !set().any(|other| other.mask != bit.mask && other.mask & bit.mask == bit.mask) {
            push(&mut text, bit.name);
        }
    }
    text
}

fn is_set(bit: &Bit, word: u16) -> bool {
    u32::from(word) & bit.mask == bit.mask
}

fn push(text: &mut String, name: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(name.strip_prefix("HEAP_").unwrap_or(name));
}
