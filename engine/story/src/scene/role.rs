//! What a part is, as far as it matters to the eye: each role has one glyph, one ASCII letter and one word, and in each
//! face's theme one colour. Colour is never the only sign.

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// page header
    PageHeader,
    /// `LP_UNUSED`
    LpUnused,
    /// `LP_NORMAL`
    LpNormal,
    /// `LP_REDIRECT`
    LpRedirect,
    /// `LP_DEAD`
    LpDead,
    /// a transaction that rows of an undo engine's page name
    TransactionItem,
    /// an undo record: old values
    UndoRecord,
    /// free bytes
    Free,
    /// the newest version, not deleted
    TupleLive,
    /// the newest version, reachable only through its HOT chain
    TupleHeapOnly,
    /// an old version followed by one in the same HOT chain
    TupleHotUpdated,
    /// an old version whose successor needed index entries of its own
    TupleUpdated,
    /// deleted, no successor
    TupleDeleted,
    /// live, and locked by a running or ended transaction
    TupleLocked,
    /// inserted by a transaction that was rolled back
    TupleAborted,
    /// index entry for one heap tuple
    IndexTuple,
    /// index entry for several
    PostingList,
    /// separator that leads to a page below
    Pivot,
    /// upper bound of the page
    HighKey,
    /// index entry known to be dead (`LP_DEAD`)
    IndexKilled,
    /// special space
    Special,
    /// metapage
    Meta,
    /// free space map nodes
    Fsm,
    /// visibility map bits
    Vm,
    /// alignment bytes
    Padding,
    /// remains that nothing leads to
    Residue,
    /// a page never written
    New,
    /// a page with ordinary content, in a map
    Block,
    /// a page whose every tuple is visible to all, in a map
    BlockAllVisible,
    /// the same, and frozen
    BlockAllFrozen,
    /// a page that was not read
    BlockUnknown,
    /// root page of an index
    Root,
    /// internal page
    Internal,
    /// leaf page
    Leaf,
    /// half-dead page
    HalfDead,
    /// deleted page
    Deleted,
    /// a run of pages left out of a level of the tree
    Elided,
    /// bytes of an access method that ffviz does not take apart
    Bytes,
    /// an entry of a list
    Entry,
    /// an entry that cannot be opened
    Refused,
    /// a heading between the entries of a list
    Heading,
    /// WAL: a record
    WalRecord,
    /// WAL: the record that ends a transaction
    WalEnd,
    /// WAL: a checkpoint
    WalCheckpoint,
    /// WAL: where recovery would start
    WalRedo,
    /// a step without a record, found by comparing
    WalNotLogged,
    /// a step that is the difference of two captures
    WalMeasured,
    /// WAL of relations that make no steps
    WalOther,
    /// bytes of a record: its header
    WalHeader,
    /// bytes of a record: which pages it is about
    WalBlockRef,
    /// bytes of a record: full-page images
    WalImage,
    /// bytes of a record: what is to be done to a page
    WalBlockData,
    /// bytes of a record: what the resource manager wrote besides
    WalMainData,
}

impl Role {
    /// A sign that tells it without colour.
    #[must_use]
    pub const fn glyph(self) -> char {
        match self {
            Self::PageHeader => '▣',
            Self::LpUnused => '·',
            Self::LpNormal => '●',
            Self::LpRedirect => '↷',
            Self::LpDead => '✕',
            Self::TransactionItem => '⊞',
            Self::UndoRecord => '↶',
            Self::Free | Self::Padding | Self::New => ' ',
            Self::TupleLive => '■',
            Self::IndexTuple => '▸',
            Self::Entry => '▫',
            Self::TupleHeapOnly => '◆',
            Self::TupleHotUpdated => '◇',
            Self::TupleUpdated => '□',
            Self::TupleDeleted | Self::IndexKilled | Self::Deleted => '×',
            Self::TupleLocked => '◉',
            Self::TupleAborted => '!',
            Self::PostingList => '≡',
            Self::Pivot | Self::Internal => '▼',
            Self::HighKey => '⌈',
            Self::Special => '▤',
            Self::Meta => 'M',
            Self::Fsm => '▁',
            Self::Vm => '◌',
            Self::Residue => '░',
            Self::Block => '▪',
            Self::BlockAllVisible => '○',
            Self::BlockAllFrozen => '❄',
            Self::BlockUnknown => '?',
            Self::Root => '▲',
            Self::Leaf => '▬',
            Self::HalfDead => '▽',
            Self::Elided => '…',
            Self::Bytes => '▒',
            Self::Refused => '⊘',
            Self::Heading => '─',
            Self::WalRecord => '▪',
            Self::WalEnd => '✓',
            Self::WalCheckpoint => '⚑',
            Self::WalRedo => '⟲',
            Self::WalNotLogged => '◌',
            Self::WalMeasured => '≈',
            Self::WalOther => '∙',
            Self::WalHeader => 'H',
            Self::WalBlockRef => 'R',
            Self::WalImage => 'I',
            Self::WalBlockData => 'D',
            Self::WalMainData => 'M',
        }
    }

    /// The same in ASCII.
    #[must_use]
    pub const fn ascii(self) -> char {
        match self {
            Self::PageHeader => 'H',
            Self::LpUnused => '.',
            Self::LpNormal => 'o',
            Self::LpRedirect => '>',
            Self::LpDead => 'x',
            Self::TransactionItem => 'T',
            Self::UndoRecord => 'u',
            Self::Free | Self::Padding | Self::New => ' ',
            Self::TupleLive => '#',
            Self::TupleHeapOnly => '+',
            Self::TupleHotUpdated => '-',
            Self::TupleUpdated => '=',
            Self::TupleDeleted | Self::IndexKilled | Self::Deleted => 'X',
            Self::TupleLocked => 'L',
            Self::TupleAborted => '!',
            Self::IndexTuple => 'i',
            Self::PostingList => 'P',
            Self::Pivot | Self::Internal => 'v',
            Self::HighKey => '^',
            Self::Special => 'S',
            Self::Meta => 'M',
            Self::Fsm => 'f',
            Self::Vm => 'V',
            Self::Residue => '~',
            Self::Block => 'b',
            Self::BlockAllVisible => 'a',
            Self::BlockAllFrozen => '*',
            Self::BlockUnknown => '?',
            Self::Root => 'R',
            Self::Leaf => '_',
            Self::HalfDead => 'h',
            Self::Elided => ':',
            Self::Bytes => '%',
            Self::Refused => '!',
            Self::Heading => '-',
            Self::WalRecord => 'r',
            Self::WalEnd => 'e',
            Self::WalCheckpoint => 'C',
            Self::WalRedo => '<',
            Self::WalNotLogged => 'n',
            Self::WalMeasured => '~',
            Self::WalOther => '.',
            Self::WalHeader => 'H',
            Self::WalBlockRef => 'R',
            Self::WalImage => 'I',
            Self::WalBlockData => 'D',
            Self::WalMainData => 'M',
            Self::Entry => '*',
        }
    }

    /// Its name in words, as legends and screen readers say it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::PageHeader => "page header",
            Self::LpUnused => "unused line pointer",
            Self::LpNormal => "line pointer",
            Self::LpRedirect => "redirect",
            Self::LpDead => "dead line pointer",
            Self::TransactionItem => "transaction item",
            Self::UndoRecord => "undo record",
            Self::Free => "free",
            Self::TupleLive => "live tuple",
            Self::TupleHeapOnly => "heap-only tuple",
            Self::TupleHotUpdated => "HOT-updated version",
            Self::TupleUpdated => "updated version",
            Self::TupleDeleted => "deleted tuple",
            Self::TupleLocked => "locked tuple",
            Self::TupleAborted => "aborted version",
            Self::IndexTuple => "index tuple",
            Self::PostingList => "posting list",
            Self::Pivot => "pivot tuple",
            Self::HighKey => "high key",
            Self::IndexKilled => "killed index tuple",
            Self::Special => "special space",
            Self::Meta => "metapage",
            Self::Fsm => "free space map",
            Self::Vm => "visibility map",
            Self::Padding => "padding",
            Self::Residue => "residue",
            Self::New => "never written",
            Self::Block => "page",
            Self::BlockAllVisible => "all-visible page",
            Self::BlockAllFrozen => "all-frozen page",
            Self::BlockUnknown => "page not read",
            Self::Root => "root",
            Self::Internal => "internal page",
            Self::Leaf => "leaf",
            Self::HalfDead => "half-dead page",
            Self::Deleted => "deleted page",
            Self::Elided => "pages left out",
            Self::Bytes => "bytes",
            Self::Entry => "entry",
            Self::Refused => "cannot be read",
            Self::Heading => "heading",
            Self::WalRecord => "record",
            Self::WalEnd => "end of transaction",
            Self::WalCheckpoint => "checkpoint",
            Self::WalRedo => "redo pointer",
            Self::WalNotLogged => "not logged",
            Self::WalMeasured => "measured",
            Self::WalOther => "other WAL",
            Self::WalHeader => "record header",
            Self::WalBlockRef => "block references",
            Self::WalImage => "full-page images",
            Self::WalBlockData => "block data",
            Self::WalMainData => "main data",
        }
    }
}
