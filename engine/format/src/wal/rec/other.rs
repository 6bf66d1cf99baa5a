//! Storage, MultiXact and Sequence records (src/include/catalog/storage_xlog.h, src/include/access/multixact.h,
//! src/include/commands/sequence.h).

use super::super::RelFileLocator;
use crate::page::BlockNumber;
use crate::page::layout::c_struct;

c_struct! {
    /// `xl_smgr_create`: CREATE.
    pub struct XlSmgrCreate, 16 {
        /// the new file
        0 => rlocator: RelFileLocator,
        /// its fork: 0 main, 1 free space map, 2 visibility map, 3 init
        12 => forkNum: i32,
    }
}

c_struct! {
    /// `xl_smgr_truncate`: TRUNCATE.
    pub struct XlSmgrTruncate, 20 {
        /// blocks that stay
        0 => blkno: BlockNumber,
        /// the relation
        4 => rlocator: RelFileLocator,
        /// which forks: 1 main, 2 visibility map, 4 free space map
        16 => flags: i32,
    }
}

c_struct! {
    /// `xl_multixact_create`: `CREATE_ID`; the members follow.
    pub struct XlMultixactCreate, 12 {
        /// the new multixact
        0 => mid: u32,
        /// where its members are
        4 => moff: u32,
        /// how many members
        8 => nmembers: i32,
    }
}

c_struct! {
    /// `MultiXactMember`
    pub struct MultiXactMember, 8 {
        /// a transaction
        0 => xid: u32,
        /// what it does: 0 to 3 locks of growing strength, 4 an update that keeps the key, 5 another update
        4 => status: i32,
    }
}

c_struct! {
    /// `xl_seq_rec`: LOG; the sequence's whole tuple follows.
    pub struct XlSeqRec, 12 {
        /// the sequence
        0 => locator: RelFileLocator,
    }
}
