//! The name of a part of a picture: what is selected, what an arrow joins, what both faces mark in their output.

use core::fmt;
use ffviz_format::page::{BlockNumber, OffsetNumber, RegionKind};

/// A part of the current picture. `Display` gives the stable name that the browser's `data-part` attributes carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartId {
    /// `PageHeaderData`
    PageHeader,
    /// line pointer n
    LinePointer(OffsetNumber),
    /// transaction item n of an undo engine's page
    TransactionItem(u16),
    /// the tuple of line pointer n
    Tuple(OffsetNumber),
    /// alignment bytes after the tuple of line pointer n
    Padding(OffsetNumber),
    /// between `pd_lower` and `pd_upper`
    Hole,
    /// special space
    Special,
    /// metapage contents, or those of a deleted page
    Meta,
    /// FSM: `fp_next_slot`
    FsmNextSlot,
    /// FSM: upper nodes
    FsmInner,
    /// FSM: leaf nodes
    FsmLeaf,
    /// VM: the bits
    VmBits,
    /// bytes that nothing leads to, from the given position
    Residue(u16),
    /// a page never written
    New,
    /// a block of the relation (map, tree, FSM slot, VM bits of that block)
    Block(BlockNumber),
    /// tree: the pages left out from the given block on
    Elided(BlockNumber),
    /// tree: a cell of a level's band, the pages from the given block on
    Band(BlockNumber),
    /// bytes of an access method that ffviz does not take apart, from the given position
    Bytes(u16),
    /// entry n of a list, from 0
    Entry(u32),
    /// heading n in a list, from 0; it cannot be selected
    Heading(u32),
    /// the step to state n, in the list of WAL records
    Record(u32),
    /// WAL: a type of record, by its place in the order in which they came
    WalType(u16),
    /// WAL: a relation, likewise
    WalRelation(u16),
    /// WAL of relations that make no steps
    WalOthers,
    /// figure: a part of one of its panels, both counted from 0
    Piece(u8, u16),
}

impl From<RegionKind> for PartId {
    fn from(kind: RegionKind) -> Self {
        match kind {
            RegionKind::PageHeader => Self::PageHeader,
            RegionKind::LinePointer(n) => Self::LinePointer(n),
            RegionKind::TransactionItem(n) => Self::TransactionItem(n),
            RegionKind::Tuple(n) => Self::Tuple(n),
            RegionKind::Padding(n) => Self::Padding(n),
            RegionKind::Hole => Self::Hole,
            RegionKind::Special => Self::Special,
            RegionKind::Meta => Self::Meta,
            RegionKind::FsmNextSlot => Self::FsmNextSlot,
            RegionKind::FsmInner => Self::FsmInner,
            RegionKind::FsmLeaf => Self::FsmLeaf,
            RegionKind::VmBits => Self::VmBits,
            RegionKind::Residue(at) => Self::Residue(at),
            RegionKind::New => Self::New,
        }
    }
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PageHeader => f.write_str("header"),
            Self::LinePointer(n) => write!(f, "lp:{n}"),
            Self::TransactionItem(n) => write!(f, "xact:{n}"),
            Self::Tuple(n) => write!(f, "tuple:{n}"),
            Self::Padding(n) => write!(f, "padding:{n}"),
            Self::Hole => f.write_str("hole"),
            Self::Special => f.write_str("special"),
            Self::Meta => f.write_str("meta"),
            Self::FsmNextSlot => f.write_str("fp_next_slot"),
            Self::FsmInner => f.write_str("fsm-inner"),
            Self::FsmLeaf => f.write_str("fsm-leaf"),
            Self::VmBits => f.write_str("vm-bits"),
            Self::Residue(at) => write!(f, "residue:{at}"),
            Self::New => f.write_str("new"),
            Self::Block(b) => write!(f, "block:{b}"),
            Self::Elided(b) => write!(f, "elided:{b}"),
            Self::Band(b) => write!(f, "band:{b}"),
            Self::Bytes(at) => write!(f, "bytes:{at}"),
            Self::Entry(n) => write!(f, "entry:{n}"),
            Self::Heading(n) => write!(f, "heading:{n}"),
            Self::Record(n) => write!(f, "record:{n}"),
            Self::WalType(n) => write!(f, "wal-type:{n}"),
            Self::WalRelation(n) => write!(f, "wal-relation:{n}"),
            Self::WalOthers => f.write_str("wal-others"),
            Self::Piece(panel, n) => write!(f, "piece:{panel}:{n}"),
        }
    }
}
