//! The metapage: where the tree begins (`_bt_initmetapage`, `_bt_getroot`, src/backend/access/nbtree/nbtpage.c).

use super::Index;
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::BLCKSZ;
use alloc::vec::Vec;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_LEAF, BTP_META, BTP_ROOT};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::{BTMetaPageData, BTMetaPageData13, BTREE_MAGIC, BTREE_VERSION, UNKNOWN_HEAP_TUPLES};
use ffviz_format::page::{BlockNumber, Page, PageHeaderData, PgVersion};
use ffviz_format::wal::rec::btree::{XlBtreeMetadata, XlBtreeMetadata13, XlBtreeNewroot};
use ffviz_format::wal::record_type::BtreeType;

/// `BTREE_METAPAGE`
pub(super) const METAPAGE: BlockNumber = 0;
/// Where `BTMetaPageData` lies.
const START: u16 = PageHeaderData::SIZE as u16;
/// How a record registers the metapage.
pub(super) const META_FLAGS: u8 = REGBUF_WILL_INIT | REGBUF_STANDARD;

/// What the metapage says about the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Meta {
    /// true root; 0: none
    pub root: BlockNumber,
    /// its level
    pub level: u32,
    /// where searches begin
    pub fastroot: BlockNumber,
    /// its level
    pub fastlevel: u32,
    /// deleted pages that could not be recycled yet; in 13 the oldest xid on one
    pub cleanup: u32,
    /// may deduplication merge what is equal?
    pub allequalimage: bool,
}

/// `_bt_initmetapage`
pub(super) fn metapage(meta: Meta) -> Page {
    let opaque = Opaque { btpo_flags: BTP_META, ..Opaque::default() };
    let mut page = opaque.page(BLCKSZ);
    meta.write(&mut page);
    page
}

/// The metapage of an index without a tree, of which an UNLOGGED one is made anew after a crash.
#[must_use]
pub fn empty_metapage(allequalimage: bool) -> Page {
    metapage(Meta { allequalimage, ..Meta::default() })
}

/// `_bt_getrootheight`: the level of the fast root, of a metapage.
#[must_use]
pub fn root_height(page: &Page) -> u32 {
    Meta::read(page).fastlevel
}

impl Meta {
    /// A copy of known length: its fields are then read without asking whether they are there.
    #[inline]
    fn bytes(page: &Page) -> [u8; BTMetaPageData::SIZE] {
        Wire::get(page.slice(START..START + BTMetaPageData::SIZE as u16))
    }

    /// Where searches begin.
    #[inline]
    fn fastroot(page: &Page) -> BlockNumber {
        BTMetaPageData::new(&Self::bytes(page)).btm_fastroot()
    }

    pub fn read(page: &Page) -> Self {
        let bytes = Self::bytes(page);
        let meta = BTMetaPageData::new(&bytes);
        Self {
            root: meta.btm_root(),
            level: meta.btm_level(),
            fastroot: meta.btm_fastroot(),
            fastlevel: meta.btm_fastlevel(),
            // 13's btm_oldest_btpo_xact has the same place
            cleanup: meta.btm_last_cleanup_num_delpages(),
            allequalimage: meta.btm_allequalimage() != 0,
        }
    }

    pub fn write(self, page: &mut Page) {
        let bytes = BTMetaPageData::make(
            BTREE_MAGIC,
            BTREE_VERSION,
            self.root,
            self.level,
            self.fastroot,
            self.fastlevel,
            self.cleanup,
            UNKNOWN_HEAP_TUPLES,
            u8::from(self.allequalimage),
        );
        page.write_bytes(START, &bytes);
        page.set_pd_lower(START + BTMetaPageData::SIZE as u16);
    }

    /// `xl_btree_metadata`
    pub fn record(self, version: PgVersion) -> Vec<u8> {
        let Self { root, level, fastroot, fastlevel, cleanup, allequalimage } = self;
        if !version.has_btree_full_xids() {
            let tuples = UNKNOWN_HEAP_TUPLES;
            XlBtreeMetadata13::make(BTREE_VERSION, root, level, fastroot, fastlevel, cleanup, tuples, allequalimage)
                .into()
        } else {
            XlBtreeMetadata::make(BTREE_VERSION, root, level, fastroot, fastlevel, cleanup, allequalimage).into()
        }
    }
}

const _: () = assert!(BTMetaPageData::SIZE == BTMetaPageData13::SIZE);

impl Index<'_> {
    pub(super) fn meta(&self) -> Meta {
        Meta::read(self.page(METAPAGE))
    }

    pub(super) fn set_meta(&mut self, meta: Meta) {
        meta.write(self.page_mut(METAPAGE));
    }

    pub(super) fn meta_record(&self) -> Vec<u8> {
        self.meta().record(self.pg.version)
    }

    /// `_bt_getroot`: the fast root; with `make` an empty leaf where there is no root.
    pub(super) fn get_root(&mut self, make: bool) -> Option<BlockNumber> {
        let fastroot = Meta::fastroot(self.page(METAPAGE));
        if fastroot != 0 {
            self.read_root(fastroot, make);
            return Some(fastroot);
        }
        // `_bt_metaversion` has asked it before
        self.read(METAPAGE);
        self.read(METAPAGE);
        self.pg.backend_mut().roots.insert(self.rel.oid, 0);
        if !make {
            return None;
        }
        let meta = self.meta();
        let root = self.allocate();
        let opaque = Opaque { btpo_flags: BTP_LEAF | BTP_ROOT, ..Opaque::default() };
        opaque.write(self.page_mut(root));
        self.set_meta(Meta { root, level: 0, fastroot: root, fastlevel: 0, cleanup: 0, ..meta });
        let meta = self.meta_record();
        let main = XlBtreeNewroot::make(root, 0);
        let blocks = [(0, (root, REGBUF_WILL_INIT, &[][..])), (2, (METAPAGE, META_FLAGS, &[&meta[..]][..]))];
        self.log(BtreeType::Newroot, &main, &blocks);
        Some(root)
    }

    /// Planning has opened the index (`get_relation_info`, src/backend/optimizer/util/plancat.c).
    pub fn note_root(&mut self) {
        if self.pg.backend().roots.get(&self.rel.oid).is_none_or(|root| *root == 0) {
            let root = Meta::fastroot(self.page(METAPAGE));
            self.pg.backend_mut().roots.insert(self.rel.oid, root);
            self.pg.buffers.fetch(self.buffer(METAPAGE));
        }
    }

    /// The root is where the session takes it to be, which planning finds out for scans, or the metapage says it. One
    /// that was split meanwhile is read for nothing.
    pub(super) fn read_root(&mut self, root: BlockNumber, inserts: bool) {
        let known = self.pg.backend_mut().roots.insert(self.rel.oid, root).filter(|known| *known != 0);
        if let Some(other) = known.filter(|known| *known != root) {
            self.read(other);
        }
        if known != Some(root) && (inserts || known.is_some()) {
            self.read(METAPAGE);
        }
        self.read(root);
    }
}
