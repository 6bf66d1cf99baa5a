//! What kind of page some bytes are, told from the special space, as pg_filedump and pg_hexedit do. For files whose
//! catalog is not at hand.

use super::layout::{Wire, c_struct};
use super::{Page, PageHeaderData};

/// What kind of page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageKind {
    /// all zero: never written
    New,
    /// new by its header, and not all zero: no server takes it for a page
    Invalid,
    /// initialised, without line pointers and special space: an empty heap page, or one of the free space or visibility
    /// map
    Empty,
    /// a heap page: line pointers, no special space
    Heap,
    /// a B-tree page: 16 bytes of special space
    Btree,
    /// the page of a sequence
    Sequence,
    /// a page of another access method
    Other,
}

c_struct! {
    /// `sequence_magic`, the special space of a sequence's page (src/backend/commands/sequence.c).
    pub struct SequenceMagic, 4 {
        /// SEQ_MAGIC, 0x1717: this is the page of a sequence
        0 => magic: u32,
    }
}

/// `SEQ_MAGIC`
pub const SEQ_MAGIC: u32 = 0x1717;
/// `sizeof(BTPageOpaqueData)`
const BTREE_SPECIAL: u16 = 16;
/// `MAX_BT_CYCLE_ID`: the last two bytes of other access methods' special space are greater, so that they can be told
/// apart
const MAX_BT_CYCLE_ID: u16 = 0xFF7F;

impl Page {
    /// What kind of page these bytes are.
    #[must_use]
    pub fn kind(&self) -> PageKind {
        if self.is_new() {
            return if self.is_zero() { PageKind::New } else { PageKind::Invalid };
        }
        let special = self.slice(self.special_start()..self.size());
        match special.len() as u16 {
            0 if self.header().pd_lower() <= PageHeaderData::SIZE as u16 => PageKind::Empty,
            0 => PageKind::Heap,
            BTREE_SPECIAL if last_word(special) <= MAX_BT_CYCLE_ID => PageKind::Btree,
            8 if SequenceMagic::new(special).magic() == SEQ_MAGIC => PageKind::Sequence,
            _ => PageKind::Other,
        }
    }
}

/// The last two bytes: `btpo_cycleid`, or the page id of other access methods.
fn last_word(special: &[u8]) -> u16 {
    u16::get(special.get(special.len().saturating_sub(2)..).unwrap_or(&[]))
}
