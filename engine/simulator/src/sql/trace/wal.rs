//! A WAL record as a trace lists it, and which records it lists.

use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, ForkNumber, Oid, PgVersion};
use ffviz_format::wal::{DecodedRecord, Record, RelFileLocator, Rmgr};
use serde::Serialize;

/// `FirstNormalObjectId`: relations from this OID on are users'
const FIRST_NORMAL_OBJECT_ID: Oid = ffviz_format::page::FIRST_NORMAL_OBJECT_ID;

/// A record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WalTrace {
    /// resource manager, as `pg_waldump` names it
    pub rmgr: String,
    /// type of record, as `pg_waldump` of that major version prints it: `INSERT+INIT`
    #[serde(rename = "type")]
    pub kind: String,
    /// `xl_tot_len`
    pub len: u32,
    /// bytes of main data, without the header that says how many
    #[serde(rename = "main_data_len")]
    pub main: u32,
    /// bytes of all full-page images
    pub fpi: u32,
    /// the pages it is about
    pub blocks: Vec<BlockTrace>,
    /// the record itself, where it is at hand; not part of the line
    #[serde(skip)]
    pub record: Option<Record>,
}

/// A block reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockTrace {
    /// its number within the record
    pub id: u8,
    /// the relation's name; `None` where no relation is known
    pub rel: Option<String>,
    /// which of its files
    pub fork: ForkNumber,
    /// the block in it
    pub blk: BlockNumber,
    /// bytes of block data
    pub dlen: u32,
    /// bytes of the full-page image, 0 for none
    pub fpi_len: u32,
}

impl WalTrace {
    /// What a trace says of a record; `name` knows what a file is called.
    ///
    /// # Errors
    /// A sentence, where the record cannot be taken apart.
    pub fn of(
        record: &Record,
        version: PgVersion,
        name: impl Fn(RelFileLocator) -> Option<String>,
    ) -> Result<Self, String> {
        let decoded = record.decode(version)?;
        let block = |block: &ffviz_format::wal::BlockRef<'_>| BlockTrace {
            id: block.id,
            rel: name(block.tag.locator),
            fork: block.tag.fork,
            blk: block.tag.block,
            dlen: block.data.len() as u32,
            fpi_len: block.image.map_or(0, |image| image.bytes.len() as u32),
        };
        Ok(Self {
            rmgr: decoded.rmgr().name(),
            kind: decoded.type_name(),
            len: decoded.tot_len(),
            main: decoded.main_data.len() as u32,
            fpi: decoded.fpi_len(),
            blocks: decoded.blocks.iter().map(block).collect(),
            record: Some(record.clone()),
        })
    }
}

/// Does a trace list this record? Those of Heap, Heap2, Btree and Sequence do it, and images by XLOG, where they are
/// about a user's relation; also the two that name it in their main data: Heap2/CLEANUP_INFO and Btree/REUSE_PAGE. And
/// Transaction/ASSIGNMENT, which a change may bring along.
#[must_use]
pub fn is_listed(decoded: &DecodedRecord<'_>) -> bool {
    let is_of_users = |locator: RelFileLocator| locator.db != 0 && locator.rel >= FIRST_NORMAL_OBJECT_ID;
    match decoded.rmgr() {
        Rmgr::HEAP | Rmgr::HEAP2 | Rmgr::BTREE | Rmgr::SEQUENCE | Rmgr::XLOG => match decoded.blocks.first() {
            Some(block) => is_of_users(block.tag.locator),
            None => named_in_main_data(decoded).is_some_and(is_of_users),
        },
        Rmgr::TRANSACTION => decoded.type_name() == "ASSIGNMENT",
        _ => false,
    }
}

/// Does the record end a (sub)transaction, or say which tables TRUNCATE emptied? It tells of no page, and is compared
/// by itself, where a server's is known.
#[must_use]
pub fn is_end(decoded: &DecodedRecord<'_>) -> bool {
    match decoded.rmgr() {
        Rmgr::TRANSACTION => matches!(decoded.type_name().as_str(), "COMMIT" | "ABORT"),
        Rmgr::HEAP => decoded.type_name() == "TRUNCATE",
        _ => false,
    }
}

/// `RelFileNode` at the start of the main data of `xl_heap_cleanup_info` and `xl_btree_reuse_page`.
fn named_in_main_data(decoded: &DecodedRecord<'_>) -> Option<RelFileLocator> {
    matches!(decoded.type_name().as_str(), "CLEANUP_INFO" | "REUSE_PAGE").then(|| {
        let number = |at: usize| u32::get(decoded.main_data.get(at..).unwrap_or(&[]));
        RelFileLocator { spc: number(0), db: number(4), rel: number(8) }
    })
}
