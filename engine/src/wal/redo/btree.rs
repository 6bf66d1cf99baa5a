//! Redo of the resource manager's records.

use super::Redo;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>) {
    super::other::redo(redo);
}
