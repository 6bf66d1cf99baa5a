//! Undo records, and the values in them and in WAL records: where in the row, how many bytes, which.
//!
//! ```text
//!  ├ at ┼ length ┼ bytes …      length 255: two bytes with the length follow
//!  0    2        3
//! ```

use super::layout::{UNDO_DELETE, UNDO_INSERT, UNDO_UPDATE, UndoRecPtr, UndoRecordData};
use crate::page::{BlockNumber, OffsetNumber, TransactionId};
use crate::wal::RelFileLocator;
use crate::wal::rec::Cut;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A length that does not fit in a byte.
const LONG: u8 = 255;
/// `ud_flags`: the last value is all that follows in the row
const UD_TAIL: u8 = 1;

/// Bytes of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// where in the row
    pub at: u16,
    /// which
    pub bytes: Vec<u8>,
}

/// Values of a row, old or new.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pieces {
    /// in the order of their places
    pub pieces: Vec<Piece>,
    /// is the last one all that follows in the row?
    pub is_tail: bool,
}

impl Pieces {
    /// Appends them as they stand in records.
    pub fn encode(&self, out: &mut Vec<u8>) {
        for Piece { at, bytes } in &self.pieces {
            out.extend_from_slice(&at.to_le_bytes());
            match u8::try_from(bytes.len()) {
                Ok(short) if short < LONG => out.push(short),
                _ => {
                    out.push(LONG);
                    out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
                }
            }
            out.extend_from_slice(bytes);
        }
    }

    /// Reads all that there are; of the last one, what is there.
    #[must_use]
    pub fn decode(bytes: &[u8], is_tail: bool) -> Self {
        let (mut cut, mut pieces) = (Cut::new(bytes), Vec::new());
        while !cut.is_empty() {
            let at = cut.value::<u16>();
            let length = match cut.value::<u8>() {
                LONG => usize::from(cut.value::<u16>()),
                short => short.into(),
            };
            pieces.push(Piece { at, bytes: cut.take(length).bytes.to_vec() });
        }
        Self { pieces, is_tail }
    }

    /// Puts them in their places in a row.
    ///
    /// # Errors
    /// A sentence, where the row is too short; it is as it was then.
    pub fn apply(&self, row: &mut Vec<u8>) -> Result<(), String> {
        let (last, others) = match self.pieces.split_last() {
            Some((last, others)) if self.is_tail => (Some(last), others),
            _ => (None, &self.pieces[..]),
        };
        let fits = |piece: &Piece| usize::from(piece.at) + piece.bytes.len() <= row.len();
        if !others.iter().all(fits) || last.is_some_and(|piece| usize::from(piece.at) > row.len()) {
            return Err("a value lies behind the end of the row".to_string());
        }
        for Piece { at, bytes } in others {
            row[usize::from(*at)..][..bytes.len()].copy_from_slice(bytes);
        }
        if let Some(Piece { at, bytes }) = last {
            row.truncate(usize::from(*at));
            row.extend_from_slice(bytes);
        }
        Ok(())
    }
}

/// An undo record: what makes the version before a change of the version after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoRecord {
    /// `UNDO_INSERT`, `UNDO_UPDATE`, `UNDO_DELETE`
    pub kind: u8,
    /// who made the change
    pub xid: TransactionId,
    /// by which command
    pub cid: u32,
    /// the table's file
    pub locator: RelFileLocator,
    /// the row's block
    pub block: BlockNumber,
    /// the row's line pointer
    pub offset: OffsetNumber,
    /// the transaction's record about the page before this one
    pub prev: UndoRecPtr,
    /// who made the version before; 0: everybody sees it
    pub old_xid: TransactionId,
    /// where that one's records about the page begin
    pub old_undo: UndoRecPtr,
    /// the row's transaction item then
    pub old_xact: u8,
    /// the old values
    pub values: Pieces,
}

impl UndoRecord {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::from(UndoRecordData::make(
            self.kind,
            if self.values.is_tail { UD_TAIL } else { 0 },
            self.xid,
            self.cid,
            self.locator,
            self.block,
            self.offset.0,
            self.prev,
            self.old_xid,
            self.old_undo,
            self.old_xact,
            self.values.pieces.len() as u16,
        ));
        self.values.encode(&mut bytes);
        bytes
    }

    /// Reads one; `None` where it is none.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.get(UndoRecordData::SIZE..)?;
        let header = UndoRecordData::new(bytes);
        matches!(header.ud_type(), UNDO_INSERT | UNDO_UPDATE | UNDO_DELETE).then(|| Self {
            kind: header.ud_type(),
            xid: header.ud_xid(),
            cid: header.ud_cid(),
            locator: header.ud_locator(),
            block: header.ud_block(),
            offset: OffsetNumber(header.ud_offset()),
            prev: header.ud_prev(),
            old_xid: header.ud_old_xid(),
            old_undo: header.ud_old_undo(),
            old_xact: header.ud_old_xact(),
            values: Pieces::decode(rest, header.ud_flags() & UD_TAIL != 0),
        })
    }
}
