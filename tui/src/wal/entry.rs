//! One record as a list shows it, be it read from a segment or told by pg_walinspect.

use ffviz_engine::page::{Lsn, PgVersion, TransactionId};
use ffviz_engine::storage::ForkNumber;
use ffviz_engine::wal::describe::{describe, headline};
use ffviz_engine::wal::{BlockTag, DecodedRecord, Record, RelFileLocator};

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
    /// bytes of full-page images
    pub images: u32,
    /// bytes of block data and main data; before 16 pg_walinspect does not tell those of block data
    pub data: Option<u32>,
    /// which pages it is about
    pub blocks: Vec<Block>,
    /// what it did, in a line; nothing from pg_walinspect
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
    /// bytes of the image; not known from pg_walinspect where there are several
    pub image: u32,
    /// bytes of header, image and data; 0 from pg_walinspect
    pub bytes: u32,
}

impl Entry {
    /// Of a record; `Err` where it cannot be taken apart.
    ///
    /// # Errors
    /// A sentence.
    pub fn of(record: &Record, version: PgVersion) -> Result<Self, String> {
        let decoded = record.decode(version).map_err(|why| format!("the record at {}: {why}", record.start))?;
        let data: usize = decoded.blocks.iter().map(|block| block.data.len()).sum();
        Ok(Self {
            start: record.start,
            end: record.end,
            xid: decoded.xid(),
            rmgr: decoded.rmgr().name(),
            kind: decoded.type_name(),
            length: decoded.tot_len(),
            images: decoded.fpi_len(),
            data: Some((data + decoded.main_data.len()) as u32),
            blocks: blocks(&decoded),
            headline: headline(&decoded),
            description: describe(&decoded),
        })
    }

    /// Bytes of record header, block references and all other short headers.
    #[must_use]
    pub fn headers(&self) -> Option<u32> {
        Some(self.length.saturating_sub(self.images).saturating_sub(self.data?))
    }

    /// Resource manager and type, as `pg_waldump --stats=record` has it.
    #[must_use]
    pub fn type_name(&self) -> String {
        format!("{}/{}", self.rmgr, self.kind)
    }
}

fn blocks(decoded: &DecodedRecord<'_>) -> Vec<Block> {
    let of = |block: &ffviz_engine::wal::BlockRef<'_>| {
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

/// Block references as pg_walinspect writes them: `blkref #0: rel 1663/5/16384 fork main blk 0 (FPW); hole: offset: 56, length: 7800`.
#[must_use]
pub fn parse_block_refs(text: &str) -> Vec<Block> {
    text.split("blkref #").skip(1).filter_map(parse_block_ref).collect()
}

fn parse_block_ref(text: &str) -> Option<Block> {
    let (id, rest) = text.split_once(": rel ")?;
    let mut words = rest.split_whitespace();
    let mut numbers = words.next()?.split('/').map(str::parse);
    let mut number = || numbers.next()?.ok();
    let locator = RelFileLocator { spc: number()?, db: number()?, rel: number()? };
    let (mut fork, mut block) = (ForkNumber::Main, None);
    while let Some(word) = words.next() {
        match word {
            "fork" => fork = fork_of(words.next()?)?,
            "blk" => block = words.next()?.trim_end_matches(';').parse().ok(),
            _ => break,
        }
    }
    let tag = BlockTag { locator, fork, block: block? };
    Some(Block { id: id.parse().ok()?, tag, has_image: rest.contains("(FPW"), image: 0, bytes: 0 })
}

fn fork_of(name: &str) -> Option<ForkNumber> {
    (0..4).filter_map(ForkNumber::of_number).find(|fork| fork.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_references_of_pg_walinspect() {
        let text = "blkref #0: rel 1663/16610/16618 fork vm blk 0 (FPW); hole: offset: 0, length: 0 blkref #1: rel 1663/16610/16618 fork main blk 7";
        let found = parse_block_refs(text);
        let locator = RelFileLocator { spc: 1663, db: 16610, rel: 16618 };
        let tags: Vec<_> = found.iter().map(|block| (block.id, block.tag, block.has_image)).collect();
        let tag = |fork, block| BlockTag { locator, fork, block };
        assert_eq!(tags, [(0, tag(ForkNumber::Vm, 0), true), (1, tag(ForkNumber::Main, 7), false)]);
        assert!(parse_block_refs("").is_empty() && parse_block_refs("blkref #0: rel x blkref #1: rel 1/2").is_empty());
    }
}
