//! XLOG, Storage and Sequence records, and those of resource managers that ffviz does not replay: of these the images are taken, and pages
//! that they change otherwise are no longer known.

use super::Redo;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>) {
    for block in &redo.record.blocks {
        if !redo.disk.wants(block.tag.locator) {
            continue;
        }
        if block.image.is_some_and(|image| image.apply) {
            redo.restore(block);
        } else {
            redo.disk.forget(block.tag);
            redo.effects.unknown.push(block.tag);
        }
    }
}
