//! What sort of event a step is: its record says it, or what was told of it. Each has a name that addresses use and
//! words for people.

use crate::scene::Look;
use crate::timeline::{Cause, EventKind, Explanation, Unlogged};
use ffviz_format::page::PgVersion;
use ffviz_format::wal::RecordType;
use ffviz_format::wal::record_type::{BtreeType, Heap2Type, HeapType, SmgrType, UndoType, XlogType};

/// The sorts of event that have a figure of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plot {
    /// nothing yet, or nothing that a page shows
    Quiet,
    /// a decision of the simulator's
    Decision,
    /// relations appeared, went, or have other columns
    Catalog,
    /// one row inserted
    Insert,
    /// several rows inserted
    ManyInserts,
    /// the new version is on the page of the old one, and no index knows
    HotUpdate,
    /// an UPDATE that was not HOT
    Update,
    /// many updates at once
    ManyUpdates,
    /// one or more rows deleted
    Delete,
    /// a row locked
    Lock,
    /// a transaction's changes are void
    RolledBack,
    /// a sequence went on
    Sequence,
    /// a long value put into the TOAST table, or deleted there
    Toast,
    /// bytes of a row overwritten where they stand
    InPlace,
    /// dead versions removed
    Prune,
    /// dead line pointers given back
    FreeLinePointers,
    /// tuples frozen
    Freeze,
    /// hint bits set
    HintBits,
    /// bits of the visibility map set
    AllVisible,
    /// bits of the visibility map cleared
    VisibilityCleared,
    /// the free space map changed
    FreeSpaceMap,
    /// the file grew or shrank
    FileLength,
    /// a file was made
    NewFile,
    /// an entry added to a leaf
    IndexInsert,
    /// a downlink added to an internal page
    Downlink,
    /// an entry added within a posting list
    PostingSplit,
    /// a page of a B-tree split
    Split,
    /// the root split: one level more
    NewRoot,
    /// equal keys merged
    Deduplicate,
    /// entries marked as dead
    KillMarks,
    /// entries removed to make room
    IndexDelete,
    /// entries removed by VACUUM
    IndexVacuum,
    /// a leaf loses its downlink
    HalfDead,
    /// a page leaves the tree
    PageDeleted,
    /// a B-tree built
    IndexBuild,
    /// the first page of a B-tree, made by its first entry
    FirstPage,
    /// a metapage changed
    Metapage,
    /// a page written to the WAL as it is
    Image,
    /// a checkpoint
    Checkpoint,
    /// a transaction is committed
    Commit,
    /// a transaction is rolled back
    Abort,
    /// a crash
    Crash,
    /// a page put back by recovery
    Redo,
    /// another record
    Record,
    /// the difference of two captures
    Mixed,
}

impl Plot {
    /// All of them.
    pub const ALL: [Self; 45] = [
        Self::Quiet,
        Self::Decision,
        Self::Catalog,
        Self::Insert,
        Self::ManyInserts,
        Self::HotUpdate,
        Self::Update,
        Self::ManyUpdates,
        Self::Delete,
        Self::Lock,
        Self::RolledBack,
        Self::Sequence,
        Self::Toast,
        Self::InPlace,
        Self::Prune,
        Self::FreeLinePointers,
        Self::Freeze,
        Self::HintBits,
        Self::AllVisible,
        Self::VisibilityCleared,
        Self::FreeSpaceMap,
        Self::FileLength,
        Self::NewFile,
        Self::IndexInsert,
        Self::Downlink,
        Self::PostingSplit,
        Self::Split,
        Self::NewRoot,
        Self::Deduplicate,
        Self::KillMarks,
        Self::IndexDelete,
        Self::IndexVacuum,
        Self::HalfDead,
        Self::PageDeleted,
        Self::IndexBuild,
        Self::FirstPage,
        Self::Metapage,
        Self::Image,
        Self::Checkpoint,
        Self::Commit,
        Self::Abort,
        Self::Crash,
        Self::Redo,
        Self::Record,
        Self::Mixed,
    ];

    /// The plot of the step that was told so.
    #[must_use]
    pub fn of(look: &Look<'_>, told: &Explanation) -> Self {
        match &look.step.cause {
            Cause::Unlogged(Unlogged::Relation) | Cause::Capture | Cause::NotLogged => Self::of_events(told),
            Cause::Told { .. } if !look.step.relations.is_empty() => Self::Catalog,
            Cause::Told { sentence, .. } if look.outcome == Some(sentence) => Self::Quiet,
            cause => match Self::of_cause(cause, look.version()) {
                Self::Prune if is_freezing(told) => Self::Freeze,
                Self::NewRoot if tells(told, EventKind::RootCreated) => Self::FirstPage,
                Self::Insert | Self::ManyInserts if tells(told, EventKind::ToastStored) => Self::Toast,
                Self::Delete if tells(told, EventKind::ToastDeleted) => Self::Toast,
                plot => plot,
            },
        }
    }

    /// As far as the cause of a step alone says it: `Mixed` where it does not.
    #[must_use]
    pub fn of_cause(cause: &Cause, version: PgVersion) -> Self {
        match cause {
            Cause::Start => Self::Quiet,
            Cause::Record(record) => of_record(record.record_type(version)),
            Cause::Unlogged(why) => of_unlogged(*why),
            Cause::Told { .. } => Self::Decision,
            Cause::Capture | Cause::NotLogged => Self::Mixed,
        }
    }

    /// What the difference of two captures is about: its most important event, where the others only follow from it.
    pub(super) fn of_events(told: &Explanation) -> Self {
        let kinds =
            || told.events.iter().filter(|event| !matches!(event.kind, EventKind::Provenance | EventKind::Plan));
        let Some(first) = kinds().next() else { return Self::Quiet };
        let many = first.count > 1 || kinds().filter(|event| event.kind == first.kind).count() > 1;
        match first.kind {
            EventKind::Update if many => Self::ManyUpdates,
            EventKind::Update if first.hot.as_ref().is_some_and(|decision| decision.hot) => Self::HotUpdate,
            EventKind::Update => Self::Update,
            EventKind::Insert if many => Self::ManyInserts,
            EventKind::Insert => Self::Insert,
            EventKind::Delete => Self::Delete,
            EventKind::ToastStored | EventKind::ToastDeleted => Self::Toast,
            EventKind::Lock => Self::Lock,
            EventKind::RolledBack => Self::RolledBack,
            EventKind::Sequence => Self::Sequence,
            kind if is_pruning(kind) || kind == EventKind::LpArrayCut => Self::Prune,
            EventKind::Freeze => Self::Freeze,
            EventKind::HintBits => Self::HintBits,
            EventKind::AllVisible => Self::AllVisible,
            EventKind::AllVisibleCleared => Self::VisibilityCleared,
            EventKind::FreeSpaceMap => Self::FreeSpaceMap,
            EventKind::Extended | EventKind::Truncated => Self::FileLength,
            EventKind::Split => Self::Split,
            EventKind::NewRoot => Self::NewRoot,
            EventKind::RootCreated => Self::FirstPage,
            EventKind::Deduplicated => Self::Deduplicate,
            EventKind::IndexInsert => Self::IndexInsert,
            EventKind::IndexDelete => Self::IndexDelete,
            EventKind::IndexKilled => Self::KillMarks,
            EventKind::HalfDead => Self::HalfDead,
            EventKind::PageDeleted => Self::PageDeleted,
            EventKind::Metapage => Self::Metapage,
            EventKind::Rewritten | EventKind::RelationNew | EventKind::RelationDropped | EventKind::Altered => {
                Self::Catalog
            }
            _ => Self::Mixed,
        }
    }

    /// How much it says of the statement that it is part of: root split before leaf split before what becomes of rows,
    /// that before cleaning up, last what only goes along.
    pub(super) const fn rank(self) -> u8 {
        match self {
            Self::Crash | Self::Redo => 14,
            Self::NewRoot => 13,
            Self::Split => 12,
            Self::PageDeleted | Self::HalfDead => 11,
            Self::IndexDelete | Self::Deduplicate | Self::PostingSplit => 10,
            Self::Update | Self::ManyUpdates | Self::Toast => 9,
            Self::HotUpdate | Self::InPlace => 8,
            Self::Insert | Self::ManyInserts | Self::Delete | Self::Sequence => 7,
            Self::Lock | Self::RolledBack | Self::Mixed => 6,
            Self::IndexBuild | Self::FirstPage | Self::Prune => 5,
            Self::IndexVacuum | Self::Freeze => 4,
            Self::FreeLinePointers | Self::IndexInsert | Self::Downlink => 3,
            Self::Catalog | Self::Checkpoint | Self::AllVisible | Self::KillMarks => 2,
            Self::FileLength
            | Self::NewFile
            | Self::Image
            | Self::Metapage
            | Self::VisibilityCleared
            | Self::HintBits
            | Self::Commit
            | Self::Abort => 1,
            Self::FreeSpaceMap | Self::Record | Self::Decision | Self::Quiet => 0,
        }
    }

    /// Its name in addresses: `hot-update`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// Its words: `HOT update`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.names().1
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Quiet => ("quiet", "no page changed"),
            Self::Decision => ("decision", "decision"),
            Self::Catalog => ("catalog", "catalog"),
            Self::Insert => ("insert", "INSERT"),
            Self::ManyInserts => ("inserts", "rows inserted"),
            Self::HotUpdate => ("hot-update", "HOT update"),
            Self::Update => ("update", "UPDATE, not HOT"),
            Self::ManyUpdates => ("updates", "rows updated"),
            Self::Delete => ("delete", "DELETE"),
            Self::Lock => ("lock", "row lock"),
            Self::RolledBack => ("rolled-back", "rolled back"),
            Self::Sequence => ("sequence", "sequence"),
            Self::Toast => ("toast", "value in the TOAST table"),
            Self::InPlace => ("in-place", "overwritten in place"),
            Self::Prune => ("prune", "pruning"),
            Self::FreeLinePointers => ("free-line-pointers", "VACUUM frees line pointers"),
            Self::Freeze => ("freeze", "freezing"),
            Self::HintBits => ("hint-bits", "hint bits"),
            Self::AllVisible => ("all-visible", "all-visible"),
            Self::VisibilityCleared => ("visibility-cleared", "no longer all-visible"),
            Self::FreeSpaceMap => ("free-space-map", "free space map"),
            Self::FileLength => ("file-length", "length of the file"),
            // as FirstPage
            Self::NewFile => ("file-length", "new file"),
            Self::IndexInsert => ("index-insert", "index entry"),
            Self::Downlink => ("downlink", "downlink"),
            Self::PostingSplit => ("posting-split", "posting list split"),
            Self::Split => ("split", "page split"),
            Self::NewRoot => ("new-root", "new root"),
            Self::Deduplicate => ("deduplicate", "deduplication"),
            Self::KillMarks => ("kill-marks", "entries marked as dead"),
            Self::IndexDelete => ("index-delete", "entries removed to make room"),
            Self::IndexVacuum => ("index-vacuum", "VACUUM of an index"),
            Self::HalfDead => ("half-dead", "leaf taken out of its parent"),
            Self::PageDeleted => ("page-deleted", "index page deleted"),
            Self::IndexBuild => ("index-build", "index built"),
            // by this name addresses found it before it had words of its own
            Self::FirstPage => ("index-build", "first page of the index"),
            Self::Metapage => ("metapage", "metapage"),
            Self::Image => ("image", "full-page image"),
            Self::Checkpoint => ("checkpoint", "checkpoint"),
            Self::Commit => ("commit", "COMMIT"),
            Self::Abort => ("abort", "ROLLBACK"),
            Self::Crash => ("crash", "crash"),
            Self::Redo => ("redo", "recovery"),
            Self::Record => ("record", "WAL record"),
            Self::Mixed => ("capture", "between two captures"),
        }
    }
}

const fn of_record(of: RecordType) -> Plot {
    match of {
        RecordType::Heap(of) => of_heap(of),
        RecordType::Heap2(of) => of_heap2(of),
        RecordType::Btree(of) => of_btree(of),
        RecordType::Xlog(XlogType::Fpi | XlogType::FpiForHint) => Plot::Image,
        RecordType::Xlog(XlogType::CheckpointOnline | XlogType::CheckpointShutdown | XlogType::CheckpointRedo) => {
            Plot::Checkpoint
        }
        RecordType::Xact(of) if of.commits() => Plot::Commit,
        RecordType::Xact(of) if of.aborts() => Plot::Abort,
        RecordType::Smgr(SmgrType::Create) => Plot::NewFile,
        RecordType::Smgr(_) => Plot::FileLength,
        RecordType::Seq(_) => Plot::Sequence,
        RecordType::Undo(UndoType::Insert) => Plot::Insert,
        RecordType::Undo(UndoType::Update) => Plot::InPlace,
        RecordType::Undo(UndoType::Delete) => Plot::Delete,
        RecordType::Undo(UndoType::Rollback) => Plot::RolledBack,
        RecordType::Undo(UndoType::Extend)
        | RecordType::Xlog(_)
        | RecordType::Xact(_)
        | RecordType::MultiXact(_)
        | RecordType::Standby(_)
        | RecordType::Other(_) => Plot::Record,
    }
}

const fn of_heap(of: HeapType) -> Plot {
    match of {
        HeapType::Insert => Plot::Insert,
        HeapType::Delete => Plot::Delete,
        HeapType::Update => Plot::Update,
        HeapType::HotUpdate => Plot::HotUpdate,
        HeapType::Lock => Plot::Lock,
        HeapType::Inplace => Plot::InPlace,
        HeapType::Truncate | HeapType::Confirm => Plot::Record,
    }
}

const fn of_heap2(of: Heap2Type) -> Plot {
    match of {
        Heap2Type::LockUpdated => Plot::Lock,
        Heap2Type::MultiInsert => Plot::ManyInserts,
        Heap2Type::Visible => Plot::AllVisible,
        Heap2Type::FreezePage => Plot::Freeze,
        Heap2Type::Vacuum | Heap2Type::PruneVacuumCleanup => Plot::FreeLinePointers,
        Heap2Type::Clean | Heap2Type::Prune | Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan => Plot::Prune,
        Heap2Type::CleanupInfo | Heap2Type::Rewrite | Heap2Type::NewCid => Plot::Record,
    }
}

const fn of_btree(of: BtreeType) -> Plot {
    match of {
        BtreeType::InsertLeaf => Plot::IndexInsert,
        BtreeType::InsertUpper | BtreeType::InsertMeta => Plot::Downlink,
        BtreeType::InsertPost => Plot::PostingSplit,
        BtreeType::SplitL | BtreeType::SplitR => Plot::Split,
        BtreeType::Newroot => Plot::NewRoot,
        BtreeType::Dedup => Plot::Deduplicate,
        BtreeType::Delete => Plot::IndexDelete,
        BtreeType::Vacuum => Plot::IndexVacuum,
        BtreeType::MarkPageHalfdead => Plot::HalfDead,
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta => Plot::PageDeleted,
        BtreeType::MetaCleanup => Plot::Metapage,
        BtreeType::ReusePage => Plot::Record,
    }
}

const fn is_pruning(kind: EventKind) -> bool {
    matches!(kind, EventKind::Prune | EventKind::Redirect | EventKind::LpDead | EventKind::LpUnused)
}

fn tells(told: &Explanation, kind: EventKind) -> bool {
    told.events.iter().any(|event| event.kind == kind)
}

/// 17 and later freeze with the record that prunes.
fn is_freezing(told: &Explanation) -> bool {
    tells(told, EventKind::Freeze) && !told.events.iter().any(|event| is_pruning(event.kind))
}

fn of_unlogged(why: Unlogged) -> Plot {
    match why {
        Unlogged::HintBits => Plot::HintBits,
        Unlogged::KilledItems => Plot::KillMarks,
        Unlogged::FreeSpaceMap => Plot::FreeSpaceMap,
        Unlogged::VisibilityMap => Plot::VisibilityCleared,
        Unlogged::Extension => Plot::FileLength,
        Unlogged::Sequence => Plot::Sequence,
        Unlogged::Crash => Plot::Crash,
        Unlogged::Files => Plot::Catalog,
        Unlogged::Relation => Plot::Mixed,
    }
}
