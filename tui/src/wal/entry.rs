//! One record as a list shows it.

use ffviz_format::page::{Lsn, PgVersion, TransactionId};
use ffviz_format::wal::{BlockTag, DecodedRecord, Record};
use ffviz_story::describe::{describe, headline, spent};

/// A record of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// where it starts
    pub start: Lsn,
    /// where the next one may start
    pub end: Lsn,
    /// `xl_xid`; 0: none
    pub xid: TransactionId,
    /// resource manager
    pub rmgr: String,
    /// type of record
    pub kind: String,
    /// `xl_tot_len`
    pub length: u32,
    /// bytes of full-page images, without their own headers, as `pg_waldump` counts them
    pub images: u32,
    /// bytes of the headers of images
    pub image_headers: u32,
    /// bytes of block data and of main data with its header
    pub data: u32,
    /// which pages it is about
    pub blocks: Vec<Block>,
    /// what it did, in a line
    pub headline: String,
    /// what it says, in PostgreSQL's words
    pub description: String,
}

/// A page that a record is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// number of the block reference
    pub id: u8,
    /// which page
    pub tag: BlockTag,
    /// has it an image?
    pub has_image: bool,
    /// bytes of the image
    pub image: u32,
    /// bytes of header, image and data
    pub bytes: u32,
}

impl Entry {
    /// Of a record; `Err` where it cannot be taken apart.
    ///
    /// # Errors
    /// A sentence.
    pub fn of(record: &Record, version: PgVersion) -> Result<Self, String> {
        let decoded = record.decode(version).map_err(|why| format!("the record at {}: {why}", record.start))?;
        let [_, _, image, block_data, main_data] = spent(&decoded);
        Ok(Self {
            start: record.start,
            end: record.end,
            xid: decoded.xid(),
            rmgr: decoded.rmgr().name(),
            kind: decoded.type_name(),
            length: decoded.tot_len(),
            images: decoded.fpi_len(),
            image_headers: (image as u32).saturating_sub(decoded.fpi_len()),
            data: (block_data + main_data) as u32,
            blocks: blocks(&decoded),
            headline: headline(&decoded),
            description: describe(&decoded),
        })
    }

    /// Bytes of record header, block references and headers of images.
    #[must_use]
    pub const fn headers(&self) -> u32 {
        self.length.saturating_sub(self.images).saturating_sub(self.data)
    }

    /// Resource manager and type, as `pg_waldump --stats=record` has it.
    #[must_use]
    pub fn type_name(&self) -> String {
        format!("{}/{}", self.rmgr, self.kind)
    }
}

fn blocks(decoded: &DecodedRecord<'_>) -> Vec<Block> {
    let of = |block: &ffviz_format::wal::BlockRef<'_>| {
        let image = block.image.as_ref().map_or(0, |image| image.bytes.len() as u32);
        let header = block.header.end.saturating_sub(block.header.start);
        Block {
            id: block.id,
            tag: block.tag,
            has_image: block.image.is_some(),
            image,
            bytes: header + image + block.data.len() as u32,
        }
    };
    decoded.blocks.iter().map(of).collect()
}
