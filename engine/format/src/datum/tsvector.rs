//! tsvector: lexemes with their places in the text (src/include/tsearch/ts_type.h).
//!
//! ```text
//! ├ size ┼ WordEntry … ┼ lexeme, and aligned to 2: number of places, places …
//! WordEntry: bits 12–31: position │ bits 1–11: length │ bit 0: has places;   place: bits 14–15: weight │ bits 0–13: place
//! ```

use crate::page::layout::Wire;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const WORD: usize = 4;
const PLACE: usize = 2;

/// `tsvectorout`
pub fn tsvector_out(bytes: &[u8]) -> Option<String> {
    let (size, rest) = bytes.split_at_checked(WORD)?;
    let entries = usize::try_from(i32::get(size)).ok()?.checked_mul(WORD)?;
    let (entries, lexemes) = rest.split_at_checked(entries)?;
    let words: Vec<String> =
        entries.chunks_exact(WORD).map(|entry| word(u32::get(entry), lexemes)).collect::<Option<_>>()?;
    Some(words.join(" "))
}

fn word(entry: u32, lexemes: &[u8]) -> Option<String> {
    let (start, len, has_places) = ((entry >> 12) as usize, (entry >> 1 & 0x7FF) as usize, entry & 1 == 1);
    let lexeme = core::str::from_utf8(lexemes.get(start..start + len)?).ok()?;
    let quoted = lexeme.replace('\\', "\\\\").replace('\'', "''");
    if !has_places {
        return Some(format!("'{quoted}'"));
    }
    let after = lexemes.get((start + len).next_multiple_of(PLACE)..)?;
    let (count, places) = after.split_at_checked(PLACE)?;
    let places = places.get(..usize::from(u16::get(count)) * PLACE)?;
    let places: Vec<String> = places.chunks_exact(PLACE).map(|place| self::place(u16::get(place))).collect();
    Some(format!("'{quoted}':{}", places.join(",")))
}

fn place(word: u16) -> String {
    let weight = ["", "C", "B", "A"][usize::from(word >> 14)];
    format!("{}{weight}", word & 0x3FFF)
}
