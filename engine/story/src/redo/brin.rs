//! Redo of BRIN records (`brin_redo`, src/backend/access/brin/brin_xlog.c).

use super::{Redo, other};
use alloc::string::String;
use ffviz_format::page::brin::{
    BRIN_REGULAR, BRIN_REVMAP, brin_metapage_init, brin_page_init, revmap_page_items, set_last_revmap_page,
    set_revmap_entry,
};
use ffviz_format::page::{ItemPointer, OffsetNumber, Page};
use ffviz_format::wal::rec::brin::{
    XLOG_BRIN_CREATE_INDEX, XLOG_BRIN_DESUMMARIZE, XLOG_BRIN_INIT_PAGE, XLOG_BRIN_INSERT, XLOG_BRIN_OPMASK,
    XLOG_BRIN_REVMAP_EXTEND, XLOG_BRIN_SAMEPAGE_UPDATE, XLOG_BRIN_UPDATE, XlBrinCreateidx, XlBrinDesummarize,
    XlBrinInsert, XlBrinRevmapExtend, XlBrinSamepageUpdate, XlBrinUpdate,
};

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>) {
    let size = redo.disk.page_size;
    let kind = redo.record.info() & XLOG_BRIN_OPMASK;
    let least = match kind {
        XLOG_BRIN_CREATE_INDEX => XlBrinCreateidx::SIZE,
        XLOG_BRIN_INSERT => XlBrinInsert::SIZE,
        XLOG_BRIN_UPDATE => XlBrinUpdate::SIZE + XlBrinInsert::SIZE,
        XLOG_BRIN_SAMEPAGE_UPDATE => XlBrinSamepageUpdate::SIZE,
        XLOG_BRIN_REVMAP_EXTEND => XlBrinRevmapExtend::SIZE,
        XLOG_BRIN_DESUMMARIZE => XlBrinDesummarize::SIZE,
        _ => return other::take_images(redo, true),
    };
    let Some(main) = redo.main_data(least) else { return };
    match kind {
        XLOG_BRIN_CREATE_INDEX => {
            let create = XlBrinCreateidx::new(main);
            redo.init(0, |_| Ok(brin_metapage_init(size, create.pagesPerRange(), create.version().into())));
        }
        XLOG_BRIN_INSERT => insert(redo, &XlBrinInsert::new(main)),
        XLOG_BRIN_UPDATE => {
            let old = OffsetNumber(XlBrinUpdate::new(main).oldOffnum());
            insert(redo, &XlBrinInsert::new(&main[XlBrinUpdate::SIZE..]));
            redo.change(2, |page, _| page.index_tuple_delete_no_compact(old));
        }
        XLOG_BRIN_SAMEPAGE_UPDATE => {
            let item = OffsetNumber(XlBrinSamepageUpdate::new(main).offnum());
            redo.change(0, |page, block| page.index_tuple_overwrite(item, block.data));
        }
        XLOG_BRIN_REVMAP_EXTEND => {
            let target = XlBrinRevmapExtend::new(main).targetBlk();
            redo.change(0, |page, _| {
                set_last_revmap_page(page, target);
                Ok(())
            });
            redo.init(1, |_| Ok(brin_page_init(size, BRIN_REVMAP)));
        }
        _ => {
            let gone = XlBrinDesummarize::new(main);
            let (range, item) = ((gone.heapBlk(), gone.pagesPerRange()), OffsetNumber(gone.regOffset()));
            redo.change(0, |page, _| set_entry(page, range, None));
            redo.change(1, |page, _| page.index_tuple_delete_no_compact(item));
        }
    }
}

/// `brin_xlog_insert_update`
fn insert(redo: &mut Redo<'_>, insert: &XlBrinInsert<'_>) {
    let (size, item) = (redo.disk.page_size, OffsetNumber(insert.offnum()));
    if redo.record.info() & XLOG_BRIN_INIT_PAGE != 0 {
        redo.init(0, |block| {
            let mut page = brin_page_init(size, BRIN_REGULAR);
            page.add_item(block.data, item, true).map(|()| page)
        });
    } else {
        redo.change(0, |page, block| page.add_item(block.data, item, true));
    }
    let tid = redo.block(0).map(|block| ItemPointer { block: block.tag.block, offset: item });
    redo.change(1, |page, _| set_entry(page, (insert.heapBlk(), insert.pagesPerRange()), tid));
}

/// `brinSetHeapBlockItemptr`
fn set_entry(page: &mut Page, (block, a_range): (u32, u32), tid: Option<ItemPointer>) -> Result<(), String> {
    let range = block.checked_div(a_range).ok_or("a range has no pages")?;
    let index = range.checked_rem(revmap_page_items(page.size())).ok_or("the page has no room for a range map")?;
    set_revmap_entry(page, index, tid);
    Ok(())
}
