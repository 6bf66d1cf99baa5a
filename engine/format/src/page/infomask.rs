//! Flags of `t_infomask` and `t_infomask2` that say how the columns of a heap tuple lie
//! (src/include/access/htup_details.h); those about transactions stand in `heap::infomask`.

/// has null bitmap
pub const HEAP_HASNULL: u16 = 0x0001;
/// has columns of no fixed length
pub const HEAP_HASVARWIDTH: u16 = 0x0002;
/// has columns whose value is in the TOAST table
pub const HEAP_HASEXTERNAL: u16 = 0x0004;
/// of `t_infomask2`: number of attributes
pub const HEAP_NATTS_MASK: u16 = 0x07FF;
