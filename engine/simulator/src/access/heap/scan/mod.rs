//! Reading a table: which pages, in which order, and which of their row versions (src/backend/access/heap/heapam.c,
//! heapam_handler.c).
//!
//! ```text
//!  sequential   every page: prune, then all visible tuples            HeapScan
//!  index        a TID: prune a new page, walk its HOT chain           heap_index_fetch
//!  bitmap       a page and its TIDs: prune, walk all chains           heap_bitmap_page
//!  TID          one tuple, as it is                                   heap_fetch
//! ```
//!
//! Reading may change pages: it prunes and sets hint bits.

mod analyze;
mod bitmap;
mod build;
mod fetch;
mod index;
mod sample;
mod seq;

pub use analyze::{AnalyzedPage, heap_analyze_page};
pub use bitmap::heap_bitmap_page;
pub use build::{IndexBuildTuple, Unended, heap_get_root_tuples, heap_index_build_page};
pub use fetch::{heap_fetch, heap_get_latest_tid};
pub use index::{
    ChainSearch, IndexFetch, heap_hot_search_buffer, heap_index_fetch, heap_index_fetch_check,
    heap_index_fetch_replaced,
};
pub use sample::{SampleMethod, SampleScan};
pub use seq::HeapScan;
