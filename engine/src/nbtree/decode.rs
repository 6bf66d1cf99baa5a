//! From the bytes of a page to a `BtPage`; what `_bt_checkpage`, `_bt_getmeta` and amcheck would complain of becomes an anomaly.

use super::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_HAS_FULLXID, BTP_LEAF, BTP_META};
use super::{BtItem, BtKind, BtMeta, BtPage, IndexTuple, tuple};
use crate::page::nbtree::{BTDeletedPageData, BTMetaPageData, BTPageOpaqueData, IndexTupleData};
use crate::page::{
    Anomaly, BlockNumber, ItemIdData, LpFlags, OffsetNumber, Page, PageHeaderData, PgVersion, Region, RegionKind,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// `BTREE_MAGIC`
const BTREE_MAGIC: u32 = 0x05_3162;
/// `BTREE_MIN_VERSION` … `BTREE_VERSION`
const BTREE_VERSIONS: core::ops::RangeInclusive<u32> = 2..=4;
/// `P_NONE`
const P_NONE: BlockNumber = 0;
/// End of `PageHeaderData`: line pointers, metapage contents or safexid follow.
const CONTENTS: u16 = PageHeaderData::SIZE as u16;

impl BtPage {
    /// Takes a page apart; whatever it holds, this gives a result.
    #[must_use]
    pub fn decode(page: &Page, version: PgVersion) -> Self {
        let pd_special = page.header().pd_special().min(page.size());
        let special = BTPageOpaqueData::new(bytes(page, pd_special..page.size()));
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
            anomalies: Vec::new(),
        };
        match bt.kind {
            BtKind::New => {}
            BtKind::Meta => bt.read_meta(page),
            BtKind::Deleted if bt.btpo_flags & BTP_HAS_FULLXID != 0 => {
                bt.safexid = Some(BTDeletedPageData::new(bytes(page, CONTENTS..page.size())).safexid());
            }
            BtKind::Deleted => {
                bt.safexid = Some(u64::from(bt.btpo_level));
                bt.read_items(page);
            }
            BtKind::Leaf | BtKind::Internal | BtKind::HalfDead => bt.read_items(page),
        }
        bt.check(page, version);
        bt.regions = regions(page, &bt);
        bt
    }

    fn read_meta(&mut self, page: &Page) {
        let meta = BTMetaPageData::new(bytes(page, CONTENTS..page.size()));
        self.meta = Some(BtMeta {
            btm_magic: meta.btm_magic(),
            btm_version: meta.btm_version(),
            btm_root: meta.btm_root(),
            btm_level: meta.btm_level(),
            btm_fastroot: meta.btm_fastroot(),
            btm_fastlevel: meta.btm_fastlevel(),
            btm_cleanup: meta.btm_last_cleanup_num_delpages(),
            btm_last_cleanup_num_heap_tuples: meta.btm_last_cleanup_num_heap_tuples(),
            btm_allequalimage: meta.btm_allequalimage() != 0,
        });
    }

    fn read_items(&mut self, page: &Page) {
        let end = page.header().pd_lower().min(page.size());
        let count = end.saturating_sub(CONTENTS) / ItemIdData::SIZE as u16;
        for n in 1..=count {
            let at = line_pointer(OffsetNumber(n));
            let lp = ItemIdData(crate::page::layout::Wire::get(bytes(page, at.clone())));
            let at_high_key = n == 1 && (self.btpo_next != P_NONE || self.kind == BtKind::HalfDead);
            let tuple = self.read_tuple(page, OffsetNumber(n), lp, at_high_key);
            self.items.push(BtItem { offset: OffsetNumber(n), lp, tuple });
        }
    }

    fn read_tuple(&mut self, page: &Page, n: OffsetNumber, lp: ItemIdData, at_high_key: bool) -> Option<IndexTuple> {
        let (off, len) = (lp.lp_off(), lp.lp_len());
        if matches!(lp.lp_flags(), LpFlags::Unused | LpFlags::Redirect) {
            let text = format!("line pointer {n} is {}: no such on a B-tree page", lp.lp_flags().name());
            self.complain(line_pointer(n), text);
            return None;
        }
        if usize::from(len) < IndexTupleData::SIZE {
            self.complain(
                line_pointer(n),
                format!("lp_len {len} of line pointer {n} is less than an index tuple's header"),
            );
            return None;
        }
        let pd_special = page.header().pd_special().min(page.size());
        if off.saturating_add(len) > pd_special {
            self.complain(line_pointer(n), format!("lp_off {off} + lp_len {len} exceeds pd_special {pd_special}"));
            return None;
        }
        if off < page.header().pd_upper() {
            let text = format!("lp_off {off} of line pointer {n} is less than pd_upper {}", page.header().pd_upper());
            self.complain(line_pointer(n), text);
        }
        let tuple = tuple::decode(page, off..off + len, self.kind, at_high_key);
        if tuple.size() != len {
            let text = format!("index tuple size {} does not equal lp_len {len}", tuple.size());
            self.complain(tuple.bytes.clone(), text);
        }
        Some(tuple)
    }

    /// The checks that are not about one line pointer.
    fn check(&mut self, page: &Page, version: PgVersion) {
        let header = page.header();
        if self.kind == BtKind::New {
            if page.bytes().iter().any(|&byte| byte != 0) {
                self.complain(
                    0..page.size(),
                    String::from("pd_upper is 0 as on a new page, but the page is not all zero"),
                );
            }
            return;
        }
        let (lower, upper, special) = (header.pd_lower(), header.pd_upper(), header.pd_special());
        if page.size().checked_sub(special) != Some(BTPageOpaqueData::SIZE as u16) {
            let text =
                format!("pd_special {special} does not leave the {} bytes of BTPageOpaqueData", BTPageOpaqueData::SIZE);
            self.complain(PageHeaderData::SIZE as u16 - 8..18, text);
        }
        if lower < CONTENTS || lower > upper || upper > special {
            let text = format!("page pointers out of order: pd_lower {lower}, pd_upper {upper}, pd_special {special}");
            self.complain(12..18, text);
        }
        if let Some(meta) = self.meta {
            self.check_meta(&meta);
        }
        self.check_flags(special, version);
        match self.kind {
            BtKind::Leaf if self.btpo_level != 0 => {
                self.complain(12..18, format!("invalid leaf page level {}", self.btpo_level));
            }
            BtKind::Internal if self.btpo_level == 0 => {
                self.complain(12..18, String::from("invalid internal page level 0"));
            }
            _ => {}
        }
    }

    fn check_flags(&mut self, pd_special: u16, version: PgVersion) {
        let known = if version.major() < 14 { BTP_HAS_FULLXID - 1 } else { 2 * BTP_HAS_FULLXID - 1 };
        if self.btpo_flags & !known != 0 {
            let at = pd_special.saturating_add(BTPageOpaqueData::SIZE as u16 - 4);
            let text = format!(
                "btpo_flags {:#06x} has bits that PostgreSQL {} does not use",
                self.btpo_flags,
                version.major()
            );
            self.complain(at..at.saturating_add(2), text);
        }
    }

    fn check_meta(&mut self, meta: &BtMeta) {
        let at = CONTENTS..CONTENTS + 8;
        if meta.btm_magic != BTREE_MAGIC {
            self.complain(
                at,
                format!("index is not a btree: btm_magic {:#08x}, not {BTREE_MAGIC:#08x}", meta.btm_magic),
            );
        } else if !BTREE_VERSIONS.contains(&meta.btm_version) {
            let text = format!(
                "version mismatch in index: file version {}, current version {}, minimal supported version {}",
                meta.btm_version,
                BTREE_VERSIONS.end(),
                BTREE_VERSIONS.start()
            );
            self.complain(at, text);
        }
    }

    fn complain(&mut self, bytes: Range<u16>, text: String) {
        self.anomalies.push(Anomaly { bytes, text });
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

/// Bytes of the page, as many as there are.
fn bytes(page: &Page, range: Range<u16>) -> &[u8] {
    page.bytes().get(usize::from(range.start)..usize::from(range.end)).unwrap_or(&[])
}

/// Where line pointer n stands.
const fn line_pointer(n: OffsetNumber) -> Range<u16> {
    let size = ItemIdData::SIZE as u16;
    let start = CONTENTS + (n.0 - 1) * size;
    start..start + size
}

/// Who owns which byte.
fn regions(page: &Page, bt: &BtPage) -> Vec<Region> {
    let size = page.size();
    if bt.kind == BtKind::New {
        return Vec::from([Region { bytes: 0..size, kind: RegionKind::New }]);
    }
    let pd_special = page.header().pd_special().min(size);
    let mut claims: Vec<(Range<u16>, RegionKind)> = Vec::from([(0..CONTENTS.min(size), RegionKind::PageHeader)]);
    if bt.kind == BtKind::Meta {
        claims.push((CONTENTS..CONTENTS + BTMetaPageData::SIZE as u16, RegionKind::Meta));
    } else if bt.btpo_flags & BTP_HAS_FULLXID != 0 && bt.kind == BtKind::Deleted {
        claims.push((CONTENTS..CONTENTS + BTDeletedPageData::SIZE as u16, RegionKind::Meta));
    }
    claims.extend(bt.items.iter().map(|item| (line_pointer(item.offset), RegionKind::LinePointer(item.offset))));
    claims.push((page.header().pd_lower()..page.header().pd_upper(), RegionKind::Hole));
    claims.extend(
        bt.items.iter().filter_map(|item| Some((item.tuple.as_ref()?.bytes.clone(), RegionKind::Tuple(item.offset)))),
    );
    claims.push((pd_special..size, RegionKind::Special));
    cover(claims, size)
}

/// Sorts claims to a cover: where two overlap the earlier start wins, gaps are residue.
fn cover(mut claims: Vec<(Range<u16>, RegionKind)>, size: u16) -> Vec<Region> {
    claims.sort_by_key(|(bytes, _)| bytes.start);
    let mut regions = Vec::new();
    let mut at = 0;
    for (bytes, kind) in claims {
        let (start, end) = (bytes.start.max(at), bytes.end.min(size));
        if start >= end {
            continue;
        }
        if at < start {
            regions.push(Region { bytes: at..start, kind: RegionKind::Residue(at) });
        }
        regions.push(Region { bytes: start..end, kind });
        at = end;
    }
    if at < size {
        regions.push(Region { bytes: at..size, kind: RegionKind::Residue(at) });
    }
    regions
}
