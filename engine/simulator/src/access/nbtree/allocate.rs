//! A block for a new page: one that VACUUM freed, or a new one at the end (`_bt_allocbuf`, before 16
//! `_bt_getbuf(P_NEW)`, src/backend/access/nbtree/nbtpage.c; src/backend/storage/freespace/indexfsm.c).

use super::Index;
use crate::access::transam::WalLevel;
use crate::storage::BLCKSZ;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_DELETED, BTP_HAS_FULLXID};
use ffviz_format::page::nbtree::BTDeletedPageData;
use ffviz_format::page::{BlockNumber, ForkNumber, PageHeaderData};
use ffviz_format::wal::rec::FullTransactionId;
use ffviz_format::wal::rec::btree::{XlBtreeReusePage, XlBtreeReusePage13, XlBtreeReusePage14};
use ffviz_format::wal::record_type::BtreeType;
use ffviz_story::timeline::Unlogged;

impl Index<'_> {
    /// A page of zeros but for its header and special space.
    pub(super) fn allocate(&mut self) -> BlockNumber {
        let block = self.recycled().unwrap_or_else(|| self.pg.extend(self.rel.file, ForkNumber::Main, 1));
        *self.page_mut(block) = Opaque::default().page(BLCKSZ);
        block
    }

    /// `GetFreeIndexPage` until a block is really free.
    fn recycled(&mut self) -> Option<BlockNumber> {
        let file = self.rel.file;
        loop {
            let block = self.pg.get_page_with_free_space(file, BLCKSZ / 2)?;
            self.pg.record_page_with_free_space(file, block, 0);
            if self.page(block).is_new() {
                return Some(block);
            }
            if self.is_recyclable(block) {
                self.log_reuse(block);
                return Some(block);
            }
        }
    }

    /// `BTPageGetDeleteXid`: 64 bits from 14 on.
    pub(super) fn delete_xid(&self, block: BlockNumber) -> u64 {
        let (page, opaque) = (self.page(block), self.opaque(block));
        if opaque.btpo_flags & BTP_HAS_FULLXID == 0 {
            return u64::from(opaque.btpo_level);
        }
        let start = PageHeaderData::SIZE as u16;
        BTDeletedPageData::new(page.slice(start..start + BTDeletedPageData::SIZE as u16)).safexid()
    }

    /// `BTPageIsRecyclable`: is it deleted, and nobody can be on the way to it any more?
    pub(super) fn is_recyclable(&mut self, block: BlockNumber) -> bool {
        let xid = self.delete_xid(block) as u32;
        self.opaque(block).btpo_flags & BTP_DELETED != 0 && self.pg.is_removable(self.rel.file, xid)
    }

    /// `_bt_log_reuse_page`: standbys have to cancel queries that may be on the way to it.
    fn log_reuse(&mut self, block: BlockNumber) {
        if !self.rel.permanent || self.pg.wal.settings.level < WalLevel::Replica {
            let buf = self.buffer(block);
            self.pg.note_unlogged(Unlogged::Relation, buf);
            return;
        }
        let (locator, xid) = (self.pg.buffers.locator(self.rel.file), self.delete_xid(block));
        let (version, full) = (self.pg.version, FullTransactionId(xid));
        if version.marks_catalogs() {
            self.log(BtreeType::ReusePage, &XlBtreeReusePage::make(locator, block, full, false), &[]);
        } else if version.has_btree_full_xids() {
            self.log(BtreeType::ReusePage, &XlBtreeReusePage14::make(locator, block, full), &[]);
        } else {
            self.log(BtreeType::ReusePage, &XlBtreeReusePage13::make(locator, block, xid as u32), &[]);
        }
    }
}
