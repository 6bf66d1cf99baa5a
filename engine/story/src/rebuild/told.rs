//! What a server tells of a record: a row of `pg_get_wal_records_info`, and from 16 on the rows of
//! `pg_get_wal_block_info` about it (contrib/pg_walinspect).

use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Lsn, Page, PgVersion, TransactionId};
use ffviz_format::wal::{BlockTag, Compression, RecordType, RelFileLocator, Rmgr};

/// A record as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// where it starts
    pub start: Lsn,
    /// where the next one may start
    pub end: Lsn,
    /// where the one before started
    pub prev: Lsn,
    /// `xl_xid`; 0: none
    pub xid: TransactionId,
    /// name of the resource manager
    pub rmgr: String,
    /// name of the type
    pub kind: String,
    /// `xl_tot_len`
    pub length: u32,
    /// bytes of main data
    pub main_data_length: u32,
    /// what it says, in PostgreSQL's words, times in UTC
    pub description: String,
    /// its block references in order
    pub blocks: Vec<ToldBlock>,
}

/// A block reference as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBlock {
    /// its number
    pub id: u8,
    /// which page
    pub tag: BlockTag,
    /// its image
    pub image: Option<ToldImage>,
    /// what is to be done to the page
    pub data: Data,
}

/// What is told of a block's data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Data {
    /// nothing: the record's length says how many bytes it has, together with the others
    #[default]
    Untold,
    /// how many bytes
    Length(u32),
    /// the bytes
    Bytes(Vec<u8>),
}

/// An image as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldImage {
    /// is it put in place by recovery, not only compared?
    pub apply: bool,
    /// where the hole begins
    pub hole_offset: u16,
    /// bytes of the hole
    pub hole_length: u16,
    /// how it is compressed, and how many bytes that saves
    pub compressed: Option<(Compression, u16)>,
    /// the page, its hole filled with zeros; told from 16 on
    pub page: Option<Page>,
}

impl Told {
    /// Its resource manager; 255 for a name that is not known.
    #[must_use]
    pub fn rmgr(&self) -> Rmgr {
        Rmgr((0..=u8::MAX).find(|n| Rmgr(*n).name() == self.rmgr).unwrap_or(u8::MAX))
    }

    /// The type of record that it is.
    pub(super) fn record_type(&self, version: PgVersion) -> RecordType {
        let rmgr = self.rmgr();
        RecordType::named(rmgr, &self.kind, version).unwrap_or(RecordType::Other(rmgr))
    }

    /// The block reference of that id.
    pub(super) fn block(&self, id: u8) -> Option<&ToldBlock> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// Has the block reference data, as far as is told?
    pub(super) fn has_data(&self, id: u8) -> bool {
        self.block(id).is_some_and(|block| match &block.data {
            Data::Untold => false,
            Data::Length(length) => *length > 0,
            Data::Bytes(bytes) => !bytes.is_empty(),
        })
    }
}

impl ToldImage {
    /// Its bytes in the record.
    #[must_use]
    pub fn length(&self) -> u16 {
        let saved = self.compressed.map_or(0, |(_, saved)| saved);
        ffviz_format::page::BLCKSZ.saturating_sub(self.hole_length).saturating_sub(saved)
    }
}

/// Block references as pg_walinspect writes them (`XLogRecGetBlockRefInfo`,
/// src/backend/access/rmgrdesc/xlogrecorddesc.c): `blkref #0: rel 1663/5/16384 fork main blk 0 (FPW); hole: offset: 56,
/// length: 7800, compression saved: 120, method: pglz`.
#[must_use]
pub fn parse_block_refs(text: &str) -> Vec<ToldBlock> {
    text.split("blkref #").skip(1).filter_map(parse_block_ref).collect()
}

fn parse_block_ref(text: &str) -> Option<ToldBlock> {
    let (id, rest) = text.split_once(": rel ")?;
    let (place, image) = match rest.split_once(" (FPW") {
        Some((place, image)) => (place, Some(parse_image(image)?)),
        None => (rest, None),
    };
    let mut words = place.split_whitespace();
    let locator = parse_locator(words.next()?)?;
    let (mut fork, mut block) = (ForkNumber::Main, None);
    while let (Some(key), Some(value)) = (words.next(), words.next()) {
        match key {
            "fork" => fork = (0..4).filter_map(ForkNumber::of_number).find(|fork| fork.name() == value)?,
            "blk" => block = value.parse().ok(),
            _ => break,
        }
    }
    let tag = BlockTag { locator, fork, block: block? };
    Some(ToldBlock { id: id.parse().ok()?, tag, image, data: Data::Untold })
}

/// `1663/5/16384`
pub(super) fn parse_locator(text: &str) -> Option<RelFileLocator> {
    let mut numbers = text.split('/').map(str::parse);
    let mut number = || numbers.next()?.ok();
    Some(RelFileLocator { spc: number()?, db: number()?, rel: number()? })
}

fn parse_image(text: &str) -> Option<ToldImage> {
    let words = super::Words(text);
    let method = || {
        let name = text.split_once("method: ")?.1.trim();
        [Compression::Pglz, Compression::Lz4, Compression::Zstd].into_iter().find(|method| method.name() == name)
    };
    Some(ToldImage {
        apply: !text.starts_with(" for WAL verification"),
        hole_offset: words.number("offset")?,
        hole_length: words.number("length")?,
        compressed: words.number("saved").and_then(|saved| Some((method()?, saved))),
        page: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_references_of_pg_walinspect() {
        let text = "blkref #0: rel 1663/16610/16618 fork vm blk 0 (FPW); hole: offset: 0, length: 0 blkref #1: rel 1663/16610/16618 fork \
                    main blk 7 blkref #2: rel 1663/1/2 fork main blk 1 (FPW for WAL verification); hole: offset: 40, length: 8000, \
                    compression saved: 100, method: pglz";
        let found = parse_block_refs(text);
        let locator = RelFileLocator { spc: 1663, db: 16610, rel: 16618 };
        let tags: Vec<_> = found.iter().map(|block| (block.id, block.tag, block.image.is_some())).collect();
        let tag = |fork, block| BlockTag { locator, fork, block };
        assert_eq!(tags[..2], [(0, tag(ForkNumber::Vm, 0), true), (1, tag(ForkNumber::Main, 7), false)]);
        let image = found[2].image.as_ref().expect("an image");
        assert_eq!((image.apply, image.hole_offset, image.length()), (false, 40, 92));
        assert_eq!(image.compressed, Some((Compression::Pglz, 100)));
        assert!(parse_block_refs("").is_empty() && parse_block_refs("blkref #0: rel x blkref #1: rel 1/2").is_empty());
    }
}
