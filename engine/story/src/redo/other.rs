//! XLOG and Sequence records (`xlog_redo`, `seq_redo`), and those of resource managers that ffviz does not replay: of
//! these the images are taken, and pages that they change otherwise are no longer known. So it is with records of which
//! not all is told that redo reads.

use super::Redo;
use alloc::string::String;
use ffviz_format::page::kind::{SEQ_MAGIC, SequenceMagic};
use ffviz_format::page::{OffsetNumber, Page};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::other::XlSeqRec;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>) {
    match redo.record.rmgr() {
        Rmgr::SEQUENCE => sequence(redo),
        rmgr => take_images(redo, rmgr != Rmgr::XLOG),
    }
}

/// FPI and FPI_FOR_HINT bring pages and change nothing else; what others change besides is not known any more.
pub(super) fn take_images(redo: &mut Redo<'_>, changes_others: bool) {
    for block in &redo.record.blocks {
        if !redo.disk.wants(block.tag.locator) {
            continue;
        }
        if block.image.is_some_and(|image| image.apply) {
            redo.restore(block);
        } else if changes_others {
            redo.lose(block);
        }
    }
}

/// `seq_redo` (src/backend/commands/sequence.c): the page is made anew with its only tuple.
fn sequence(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlSeqRec::SIZE) else { return };
    let size = redo.disk.page_size;
    redo.init(0, |_| {
        let tuple = main.get(XlSeqRec::SIZE..).filter(|tuple| !tuple.is_empty());
        let mut page = Page::init(size, SequenceMagic::SIZE as u16);
        page.write(page.special_start(), &SEQ_MAGIC);
        page.add_item(tuple.ok_or_else(|| String::from("the record has no tuple"))?, OffsetNumber(1), false)?;
        Ok(page)
    });
}
