//! Heap pages: line pointers, tuples, HOT chains (src/include/access/htup_details.h,
//! src/backend/access/heap/README.HOT).

mod chain;
mod fields;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod garbage;
pub mod infomask;
#[cfg(test)]
mod made;
pub mod sequence;
mod space;
mod state;
#[cfg(test)]
mod tests;
mod tuple;
mod words;

pub use chain::HotChain;
pub use infomask::{INFOMASK, INFOMASK2};
pub use space::{heap_free_space, hole_words, max_heap_tuples_per_page};
pub use state::{MOVED_PARTITIONS, SPEC_TOKEN_OFFSET_NUMBER, TupleState, XactStatus, is_old_version};
pub use tuple::{HeapTuple, HeapTupleHeaderData};

use crate::page::region::{self, Region, RegionKind};
use crate::page::{Anomaly, BlockNumber, ItemIdData, ItemPointer, LpFlags, OffsetNumber, Page};
use alloc::format;
use alloc::vec::Vec;

/// A heap page taken apart. Sequences have one too, with a special space of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapPage {
    /// one a line pointer, in order
    pub items: Vec<HeapItem>,
    /// the HOT chains of more than one member, by root
    pub chains: Vec<HotChain>,
    /// every byte of the page, in order
    pub regions: Vec<Region>,
    /// what cannot be
    pub anomalies: Vec<Anomaly>,
}

/// A line pointer and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapItem {
    /// its number
    pub offset: OffsetNumber,
    /// the four bytes
    pub lp: ItemIdData,
    /// of an `LP_NORMAL` whose tuple lies within the page
    pub tuple: Option<HeapTuple>,
}

impl HeapPage {
    /// Takes a page apart; whatever it holds, this gives a result. `block` is its number in the main fork.
    #[must_use]
    pub fn decode(page: &Page, block: BlockNumber) -> Self {
        let mut anomalies = page.header_anomalies();
        let items: Vec<HeapItem> = (page.line_pointers())
            .map(|(offset, lp)| HeapItem::decode(page, ItemPointer { block, offset }, lp, &mut anomalies))
            .collect();
        let claims: Vec<Region> = items
            .iter()
            .filter_map(|item| Some((item.offset, item.tuple.as_ref()?)))
            .map(|(n, tuple)| Region { bytes: tuple.bytes.clone(), kind: RegionKind::Tuple(n) })
            .collect();
        let regions = region::cover(page, &claims, &mut anomalies);
        chain::check_redirects(&items, &mut anomalies);
        let chains = chain::walk(&items, &mut anomalies);
        Self { items, chains, regions, anomalies }
    }

    /// The line pointer of that number.
    #[must_use]
    pub fn item(&self, offset: OffsetNumber) -> Option<&HeapItem> {
        self.items.get(usize::from(offset.0).checked_sub(1)?)
    }

    /// The tuple that line pointer leads to, where it does.
    #[must_use]
    pub fn tuple(&self, offset: OffsetNumber) -> Option<&HeapTuple> {
        self.item(offset)?.tuple.as_ref()
    }
}

impl HeapItem {
    fn decode(page: &Page, tid: ItemPointer, lp: ItemIdData, anomalies: &mut Vec<Anomaly>) -> Self {
        let tuple = match lp_tuple(page, tid, lp) {
            Ok(tuple) => tuple,
            Err(anomaly) => {
                anomalies.push(anomaly);
                None
            }
        };
        tuple.iter().for_each(|t| t.check(page, anomalies));
        Self { offset: tid.offset, lp, tuple }
    }
}

/// The tuple of a line pointer, where its state says that there is one.
fn lp_tuple(page: &Page, tid: ItemPointer, lp: ItemIdData) -> Result<Option<HeapTuple>, Anomaly> {
    let n = tid.offset;
    let wrong = |text| Err(Anomaly::new(n.bytes(), format!("line pointer {n}: {text}")));
    match lp.lp_flags() {
        LpFlags::Normal => {
            let bytes = page.tuple_bytes(n, lp, HeapTupleHeaderData::SIZE as u16)?;
            Ok(Some(HeapTuple::decode(page, tid, bytes)))
        }
        LpFlags::Unused if lp.lp_len() != 0 => wrong(format!("LP_UNUSED with lp_len {}", lp.lp_len())),
        LpFlags::Redirect if !(1..=page.item_count()).contains(&lp.lp_off()) => {
            wrong(format!("LP_REDIRECT to {}, of {} line pointers", lp.lp_off(), page.item_count()))
        }
        LpFlags::Unused | LpFlags::Redirect | LpFlags::Dead => Ok(None),
    }
}
