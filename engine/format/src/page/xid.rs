//! Order of transaction ids (src/include/access/transam.h, src/backend/access/transam/transam.c).

use super::TransactionId;

/// `FirstNormalTransactionId`
pub const FIRST_NORMAL_XID: TransactionId = 3;
/// `FrozenTransactionId`
pub const FROZEN_XID: TransactionId = 2;

/// `TransactionIdPrecedes`: xids wrap around, but for the three special ones.
#[must_use]
pub const fn precedes(a: TransactionId, b: TransactionId) -> bool {
    if a < FIRST_NORMAL_XID || b < FIRST_NORMAL_XID { a < b } else { (a.wrapping_sub(b) as i32) < 0 }
}

/// `TransactionIdPrecedesOrEquals`
#[must_use]
pub const fn precedes_or_equals(a: TransactionId, b: TransactionId) -> bool {
    a == b || precedes(a, b)
}
