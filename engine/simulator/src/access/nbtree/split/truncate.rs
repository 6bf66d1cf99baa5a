//! The high key of a leaf that was split: as few columns as tell the two pages apart (`_bt_truncate`,
//! src/backend/access/nbtree/nbtutils.c).
//!
//! ```text
//!  last left   smith │ anna  │ (3,7)
//!  first right smith │ berta │ (1,2)     ──▶  smith │ berta        and with equal columns:  smith │ anna │ (3,7)
//! ```

use crate::access::nbtree::Index;
use crate::access::nbtree::tuple;
use crate::access::nbtree::tuple::{TID_SIZE, key_size, set_n_atts, set_size};
use alloc::vec::Vec;
use ffviz_format::datum::form::index_form_tuple;
use ffviz_format::datum::{TupleDesc, Value};
use ffviz_format::page::layout::Wire;

/// `MAXALIGN(sizeof(ItemPointerData))`
const TID_SPACE: usize = 8;

impl Index<'_> {
    /// The pivot between two neighbours of a leaf.
    pub(in crate::access::nbtree) fn truncate(&self, last_left: &[u8], first_right: &[u8]) -> Vec<u8> {
        let (n_keys, keep) = (self.n_keys(), self.keep_natts(last_left, first_right));
        let mut pivot = self.leading_columns(first_right, keep.min(n_keys));
        if keep <= n_keys {
            set_n_atts(&mut pivot, keep, false);
            return pivot;
        }
        let size = pivot.len() + TID_SPACE;
        pivot.resize(size, 0);
        set_size(&mut pivot, size);
        set_n_atts(&mut pivot, n_keys, true);
        tuple::max_tid(last_left).set(&mut pivot[size - TID_SIZE..]);
        pivot
    }

    /// `index_truncate_tuple`: a leaf tuple with its first columns only, without a posting list. The block number of
    /// `t_tid` stays.
    fn leading_columns(&self, leaf: &[u8], n: u16) -> Vec<u8> {
        if n == self.n_columns() {
            let mut pivot = leaf[..key_size(leaf)].to_vec();
            let size = pivot.len();
            set_size(&mut pivot, size);
            return pivot;
        }
        let values: Vec<Value> = (0..n).map(|column| self.column(leaf, column)).collect();
        let desc = TupleDesc::new(self.rel.desc.attributes()[..usize::from(n)].to_vec());
        // shorter than the tuple it was read from
        let mut pivot = index_form_tuple(&desc, &values).unwrap_or_default();
        pivot[..TID_SIZE].copy_from_slice(&leaf[..TID_SIZE]);
        pivot
    }
}
