//! The name of a part of a picture: what is selected, what an arrow joins, what both faces mark in their output.

use core::fmt;
use ffviz_format::page::{BlockNumber, RegionKind};

/// A part of the current picture. `Display` gives the stable name that the browser's `data-part` attributes carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartId {
    /// a run of bytes of a page with one owner
    Region(RegionKind),
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
        Self::Region(kind)
    }
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(kind) => write_region(*kind, f),
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

fn write_region(kind: RegionKind, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match kind {
        RegionKind::PageHeader => f.write_str("header"),
        RegionKind::LinePointer(n) => write!(f, "lp:{n}"),
        RegionKind::TransactionItem(n) => write!(f, "xact:{n}"),
        RegionKind::Tuple(n) => write!(f, "tuple:{n}"),
        RegionKind::Padding(n) => write!(f, "padding:{n}"),
        RegionKind::Hole => f.write_str("hole"),
        RegionKind::Special => f.write_str("special"),
        RegionKind::Meta => f.write_str("meta"),
        RegionKind::FsmNextSlot => f.write_str("fp_next_slot"),
        RegionKind::FsmInner => f.write_str("fsm-inner"),
        RegionKind::FsmLeaf => f.write_str("fsm-leaf"),
        RegionKind::VmBits => f.write_str("vm-bits"),
        RegionKind::Residue(at) => write!(f, "residue:{at}"),
        RegionKind::New => f.write_str("new"),
    }
}
