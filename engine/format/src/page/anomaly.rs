//! What is wrong with a page, in PostgreSQL's words. Never an `Err`: the rest of the page is still shown.

use alloc::string::String;
use core::ops::Range;

/// One thing that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomaly {
    /// the bytes that say so
    pub bytes: Range<u16>,
    /// a sentence such as `lp_off 8190 + lp_len 40 exceeds pd_special 8176`
    pub text: String,
}

impl Anomaly {
    /// What is wrong, and where.
    #[must_use]
    pub const fn new(bytes: Range<u16>, text: String) -> Self {
        Self { bytes, text }
    }
}
