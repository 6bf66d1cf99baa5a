//! What can happen in a step, for machines: each sentence of an explanation carries its kind, so that nobody has to
//! parse English.

use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ItemPointer};

/// What sort of thing happened; declared in order of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// the WAL record that is the step, and its bytes
    Record,
    /// how a step became known that is no record
    Provenance,
    /// how a statement finds its rows
    Plan,
    /// a transaction was committed, rolled back or prepared
    TransactionEnd,
    /// a checkpoint began or ended
    Checkpoint,
    /// the first capture: what is there
    Start,
    /// a relation appeared: created, or not looked at before
    RelationNew,
    /// a relation is gone
    RelationDropped,
    /// a relation has a new file: TRUNCATE, VACUUM FULL, CLUSTER, ALTER TABLE
    Rewritten,
    /// columns, fillfactor or name changed
    Altered,
    /// a sequence advanced
    Sequence,
    /// an UPDATE made a new version of a row; `Event::hot` says what decided
    Update,
    /// an INSERT
    Insert,
    /// a DELETE
    Delete,
    /// a row was locked
    Lock,
    /// what a transaction did is void: it was rolled back
    RolledBack,
    /// a value was stored in the TOAST table
    ToastStored,
    /// a value was deleted from the TOAST table
    ToastDeleted,
    /// the file became shorter
    Truncated,
    /// the page was pruned: dead versions removed, the rest moved together
    Prune,
    /// a line pointer became `LP_REDIRECT`, or leads elsewhere
    Redirect,
    /// a line pointer became `LP_DEAD`
    LpDead,
    /// a line pointer became `LP_UNUSED`
    LpUnused,
    /// line pointers were cut off the end of the array
    LpArrayCut,
    /// an index's first root page
    RootCreated,
    /// the root was split: the tree is one level higher
    NewRoot,
    /// a B-tree page was split
    Split,
    /// equal keys were merged to posting lists
    Deduplicated,
    /// an entry was added to an index
    IndexInsert,
    /// entries were removed from an index
    IndexDelete,
    /// entries were marked `LP_DEAD` by a scan
    IndexKilled,
    /// a B-tree page lost its downlink
    HalfDead,
    /// a B-tree page left the tree
    PageDeleted,
    /// the metapage changed in another way
    Metapage,
    /// the way down to a page of a B-tree
    Descent,
    /// tuples were frozen
    Freeze,
    /// pages became all-visible or all-frozen
    AllVisible,
    /// pages are no longer all-visible or all-frozen
    AllVisibleCleared,
    /// the file became longer
    Extended,
    /// hint bits were set
    HintBits,
    /// the free space map changed
    FreeSpaceMap,
    /// bytes changed that none of the above explains
    Other,
}

/// What decided whether an UPDATE was HOT (`heap_update`, src/backend/access/heap/heapam.c).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotDecision {
    /// the old version; `None` when it is gone, or not on a page that was read
    pub old: Option<ItemPointer>,
    /// the new version
    pub new: ItemPointer,
    /// what the bytes say: `HEAP_HOT_UPDATED` on the old version, `HEAP_ONLY_TUPLE` on the new one
    pub hot: bool,
    /// `attnum` of the columns that changed and that keep an UPDATE from being HOT, since an index depends on them;
    /// `None` when the old version is gone, or row data is redacted
    pub blocking: Option<Vec<u16>>,
    /// bytes that the new version needed on the page of the old one: tuple rounded up to 8, and 4 for a line pointer,
    /// which PostgreSQL counts even when one can be used again
    pub needed: u16,
    /// bytes between `pd_lower` and `pd_upper` there just before; `None` when the captures do not tell
    pub free: Option<u16>,
    /// was the page pruned between the two captures, before the UPDATE or after it? Then `free` holds only where it was
    /// before.
    pub pruned: bool,
    /// 13 and 14: `PD_PAGE_FULL` is set, so it may have stood in the way
    pub page_full: bool,
    /// was it set all the time, or is there at least nothing else that may have stood in the way?
    pub surely_full: bool,
}

impl HotDecision {
    /// Did a column change that keeps an UPDATE from being HOT?
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.blocking.as_ref().is_some_and(|columns| !columns.is_empty())
    }

    /// Did the new version stay on the page of the old one?
    #[must_use]
    pub fn same_page(&self) -> bool {
        self.old.is_some_and(|old| old.block == self.new.block)
    }

    /// What columns and room alone would say, without a look at the tuple's flags; `None` when something is not known.
    #[must_use]
    pub fn predicted(&self) -> Option<bool> {
        self.old?;
        Some(self.blocking.as_ref()?.is_empty() && !self.page_full && self.needed <= self.free?)
    }

    /// The block whose room counted.
    #[must_use]
    pub fn block(&self) -> BlockNumber {
        self.old.unwrap_or(self.new).block
    }
}
