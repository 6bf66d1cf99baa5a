//! From the bytes of a page to a `BtPage`; what `_bt_checkpage`, `_bt_getmeta` and amcheck would complain of becomes an
//! anomaly.

use super::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_HAS_FULLXID, BTP_LEAF, BTP_META};
use super::{BtItem, BtKind, BtMeta, BtPage, IndexTuple, IndexTupleKind, tuple};
use crate::page::nbtree::{
    BTDeletedPageData, BTMetaPageData, BTPageOpaqueData, BTREE_MAGIC, BTREE_VERSION, IndexTupleData,
};
use crate::page::{
    Anomaly, ItemIdData, LpFlags, OffsetNumber, Page, PageHeaderData, PgVersion, Region, RegionKind, region,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// `BTREE_MIN_VERSION`
const BTREE_MIN_VERSION: u32 = 2;
/// End of `PageHeaderData`: line pointers, metapage contents or safexid follow.
const CONTENTS: u16 = PageHeaderData::SIZE as u16;

impl BtPage {
    /// Takes a page apart; whatever it holds, this gives a result.
    #[must_use]
    pub fn decode(page: &Page, version: PgVersion) -> Self {
        let special = BTPageOpaqueData::new(page.slice(page.special_start()..page.size()));
        let mut bt = Self {
            kind: kind(page, special.btpo_flags()),
            btpo_prev: special.btpo_prev(),
            btpo_next: special.btpo_next(),
            btpo_level: special.btpo_level(),
            btpo_flags: special.btpo_flags(),
            btpo_cycleid: special.btpo_cycleid(),
            items: Vec::new(),
            meta: None,
            safexid: None,
            regions: Vec::new(),
            anomalies: page.header_anomalies(),
        };
        match bt.kind {
            BtKind::New => {}
            BtKind::Meta => bt.meta = Some(BtMeta::read(page)),
            BtKind::Deleted if bt.has_fullxid() => {
                bt.safexid = Some(BTDeletedPageData::new(page.slice(contents(page))).safexid());
            }
            BtKind::Deleted => {
                bt.safexid = Some(u64::from(bt.btpo_level));
                bt.read_items(page);
            }
            BtKind::Leaf | BtKind::Internal | BtKind::HalfDead => bt.read_items(page),
        }
        bt.check(page, version);
        bt.regions = bt.cover(page);
        bt
    }

    /// Since 14 a deleted page holds nothing but an xid of 64 bits; in 13 it keeps its items, and the xid stands in
    /// `btpo_level`.
    pub(super) const fn has_fullxid(&self) -> bool {
        self.btpo_flags & BTP_HAS_FULLXID != 0
    }

    fn read_items(&mut self, page: &Page) {
        for (offset, lp) in page.line_pointers() {
            let at_high_key = offset.0 == 1 && (!self.is_rightmost() || self.kind == BtKind::HalfDead);
            let tuple = self.read_tuple(page, offset, lp, at_high_key);
            self.items.push(BtItem { offset, lp, tuple });
        }
    }

    /// The tuple of a line pointer. A killed one (`LP_DEAD`) is still there: scans skip it, VACUUM or an insert removes
    /// it.
    fn read_tuple(&mut self, page: &Page, n: OffsetNumber, lp: ItemIdData, at_high_key: bool) -> Option<IndexTuple> {
        if matches!(lp.lp_flags(), LpFlags::Unused | LpFlags::Redirect) {
            self.complain(n.bytes(), format!("line pointer {n} is {}: no such on a B-tree page", lp.lp_flags().name()));
            return None;
        }
        let bytes = match page.tuple_bytes(n, lp, IndexTupleData::SIZE as u16) {
            Ok(bytes) => bytes,
            Err(anomaly) => {
                self.anomalies.push(anomaly);
                return None;
            }
        };
        let tuple = tuple::decode(page, bytes, self.kind, at_high_key);
        self.check_tuple(page, n, &tuple);
        Some(tuple)
    }

    fn check_tuple(&mut self, page: &Page, n: OffsetNumber, tuple: &IndexTuple) {
        let (off, len) = (tuple.bytes.start, tuple.bytes.len());
        let mut wrong = |text| self.anomalies.push(Anomaly::new(tuple.bytes.clone(), format!("tuple {n}: {text}")));
        if usize::from(tuple.size()) != len {
            wrong(format!("index tuple size {} in t_info does not equal lp_len {len}", tuple.size()));
        }
        if off < page.header().pd_upper() {
            wrong(format!("lp_off {off} is less than pd_upper {}", page.header().pd_upper()));
        }
        match &tuple.kind {
            IndexTupleKind::Posting(_) if tuple.t_tid.block != u32::from(tuple.key.end - off) => {
                wrong(format!(
                    "posting list offset {} leads out of the tuple's {len} bytes, or into its header",
                    tuple.t_tid.block
                ));
            }
            IndexTupleKind::Posting(tids) if tids.len() != tuple.stated_tids() => {
                wrong(format!("posting list of {} TIDs has room for {}", tuple.stated_tids(), tids.len()));
            }
            IndexTupleKind::Posting(tids) if !tids.is_sorted() => {
                wrong(String::from("the TIDs of the posting list are not in order"));
            }
            IndexTupleKind::Downlink { .. } if self.kind == BtKind::Leaf => {
                wrong(String::from("pivot tuple among the data items of a leaf"));
            }
            IndexTupleKind::Posting(_) if self.kind == BtKind::Internal => {
                wrong(String::from("posting list on an internal page"));
            }
            _ => {}
        }
    }

    /// The checks that are not about one line pointer.
    fn check(&mut self, page: &Page, version: PgVersion) {
        if self.kind == BtKind::New {
            return;
        }
        let (special, expected) = (page.header().pd_special(), BTPageOpaqueData::SIZE as u16);
        if page.size().checked_sub(special) != Some(expected) {
            let text = format!("pd_special {special} does not leave the {expected} bytes of BTPageOpaqueData");
            self.complain(PageHeaderData::bytes_of("pd_special", 0), text);
        }
        let known = if version.has_btree_full_xids() { 2 * BTP_HAS_FULLXID - 1 } else { BTP_HAS_FULLXID - 1 };
        if self.btpo_flags & !known != 0 {
            let text = format!(
                "btpo_flags {:#06x} has bits that PostgreSQL {} does not use",
                self.btpo_flags,
                version.major()
            );
            self.complain(BTPageOpaqueData::bytes_of("btpo_flags", special), text);
        }
        let level = BTPageOpaqueData::bytes_of("btpo_level", special);
        match (self.kind, self.btpo_level) {
            (BtKind::Leaf, 1..) => self.complain(level, format!("invalid leaf page level {}", self.btpo_level)),
            (BtKind::Internal, 0) => self.complain(level, String::from("invalid internal page level 0")),
            _ => {}
        }
        let contents = CONTENTS..page.special_start().max(CONTENTS);
        match self.kind {
            BtKind::Leaf if !self.is_rightmost() && self.items.is_empty() => {
                self.complain(contents, String::from("non-rightmost leaf lacks high key item"));
            }
            BtKind::Internal if self.data_items().is_empty() => {
                self.complain(contents, String::from("internal page lacks high key and/or at least one downlink"));
            }
            _ => {}
        }
        if let Some(text) = self.meta.and_then(|meta| meta.wrong()) {
            self.complain(BTMetaPageData::bytes_of("btm_magic", CONTENTS), text);
        }
    }

    fn complain(&mut self, bytes: Range<u16>, text: String) {
        self.anomalies.push(Anomaly::new(bytes, text));
    }

    /// Who owns which byte.
    fn cover(&mut self, page: &Page) -> Vec<Region> {
        let whole =
            |size: usize| Vec::from([Region { bytes: CONTENTS..CONTENTS + size as u16, kind: RegionKind::Meta }]);
        let tuple = |item: &BtItem| {
            Some(Region { bytes: item.tuple.as_ref()?.bytes.clone(), kind: RegionKind::Tuple(item.offset) })
        };
        let claims = match self.kind {
            BtKind::Meta => whole(BTMetaPageData::SIZE),
            BtKind::Deleted if self.has_fullxid() => whole(BTDeletedPageData::SIZE),
            _ => self.items.iter().filter_map(tuple).collect(),
        };
        region::cover(page, &claims, &mut self.anomalies)
    }
}

impl BtMeta {
    fn read(page: &Page) -> Self {
        let meta = BTMetaPageData::new(page.slice(contents(page)));
        Self {
            btm_magic: meta.btm_magic(),
            btm_version: meta.btm_version(),
            btm_root: meta.btm_root(),
            btm_level: meta.btm_level(),
            btm_fastroot: meta.btm_fastroot(),
            btm_fastlevel: meta.btm_fastlevel(),
            btm_cleanup: meta.btm_last_cleanup_num_delpages(),
            btm_last_cleanup_num_heap_tuples: meta.btm_last_cleanup_num_heap_tuples(),
            btm_allequalimage: meta.btm_allequalimage() != 0,
        }
    }

    /// What `_bt_getmeta` refuses.
    fn wrong(self) -> Option<String> {
        if self.btm_magic != BTREE_MAGIC {
            return Some(format!("index is not a btree: btm_magic {:#x} is not {BTREE_MAGIC:#x}", self.btm_magic));
        }
        (!(BTREE_MIN_VERSION..=BTREE_VERSION).contains(&self.btm_version)).then(|| {
            format!(
                "version mismatch in index: file version {}, current version {BTREE_VERSION}, \
                 minimal supported version {BTREE_MIN_VERSION}",
                self.btm_version
            )
        })
    }
}

/// What sort of page the flags say; without `BTP_LEAF` it is internal.
fn kind(page: &Page, btpo_flags: u16) -> BtKind {
    let has = |flag: u16| btpo_flags & flag != 0;
    if page.is_new() {
        BtKind::New
    } else if has(BTP_META) {
        BtKind::Meta
    } else if has(BTP_DELETED) {
        BtKind::Deleted
    } else if has(BTP_HALF_DEAD) {
        BtKind::HalfDead
    } else if has(BTP_LEAF) {
        BtKind::Leaf
    } else {
        BtKind::Internal
    }
}

/// What follows the page header.
fn contents(page: &Page) -> Range<u16> {
    CONTENTS..page.size()
}
