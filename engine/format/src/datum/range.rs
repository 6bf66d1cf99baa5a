//! Ranges: the range type's oid, up to two bounds, flags in the last byte (src/backend/utils/adt/rangetypes.c).

use super::cursor::Cursor;
use super::types;
use crate::page::Oid;
use crate::page::layout::Wire;
use alloc::string::{String, ToString};

const RANGE_EMPTY: u8 = 0x01;
const RANGE_LB_INC: u8 = 0x02;
const RANGE_UB_INC: u8 = 0x04;
const RANGE_LB_INF: u8 = 0x08;
const RANGE_UB_INF: u8 = 0x10;

/// The type of the bounds of the built-in range types.
const fn subtype(range: Oid) -> Option<Oid> {
    Some(match range {
        3904 => 23,
        3906 => 1700,
        3908 => 1114,
        3910 => 1184,
        3912 => 1082,
        3926 => 20,
        _ => return None,
    })
}

/// `range_out`
pub fn range_out(bytes: &[u8]) -> Option<String> {
    let (flags, body) = bytes.split_last()?;
    let ty = types::find(subtype(Oid::get(body.get(..4)?))?)?;
    if flags & RANGE_EMPTY != 0 {
        return Some("empty".to_string());
    }
    // positions count from the varlena header of 4 bytes; the bounds follow it and the oid
    let mut cursor = Cursor::new(body, 4, 8);
    let mut bound = |infinite: u8| match flags & infinite {
        0 => Some(quote(&(ty.output)(cursor.take(ty.len, ty.align)?)?)),
        _ => Some(String::new()),
    };
    let (lower, upper) = (bound(RANGE_LB_INF)?, bound(RANGE_UB_INF)?);
    let open = if flags & RANGE_LB_INC != 0 { '[' } else { '(' };
    let close = if flags & RANGE_UB_INC != 0 { ']' } else { ')' };
    Some([open.to_string(), lower, ",".to_string(), upper, close.to_string()].concat())
}

/// `range_bound_escape`, for bounds that are numbers, dates and times: these need quotes for spaces only.
fn quote(bound: &str) -> String {
    if bound.contains(' ') { ["\"", bound, "\""].concat() } else { bound.to_string() }
}
