//! The list of records as JSON Lines: one object a record.

use super::entry::{Block, Entry};
use ffviz_live::segments::names::Names;
use serde::Serialize;

#[derive(Serialize)]
struct RecordLine<'a> {
    lsn: String,
    end: String,
    xid: u32,
    rmgr: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    length: u32,
    headers: u32,
    images: u32,
    data: u32,
    blocks: Vec<BlockLine<'a>>,
    headline: &'a str,
    description: &'a str,
}

#[derive(Serialize)]
struct BlockLine<'a> {
    id: u8,
    relation: Option<&'a str>,
    tablespace: u32,
    database: u32,
    filenode: u32,
    fork: &'static str,
    block: u32,
    image: bool,
    image_bytes: u32,
}

/// A record.
#[must_use]
pub fn record(entry: &Entry, names: &Names) -> String {
    let line = RecordLine {
        lsn: entry.start.to_string(),
        end: entry.end.to_string(),
        xid: entry.xid,
        rmgr: &entry.rmgr,
        kind: &entry.kind,
        length: entry.length,
        headers: entry.headers(),
        images: entry.images,
        data: entry.data,
        blocks: entry.blocks.iter().map(|of| block(of, names)).collect(),
        headline: &entry.headline,
        description: &entry.description,
    };
    // the type has string keys and no fallible serializer, so there is no error to lose
    serde_json::to_string(&line).unwrap_or_default()
}

fn block<'a>(block: &Block, names: &'a Names) -> BlockLine<'a> {
    let file = block.tag.locator;
    BlockLine {
        id: block.id,
        relation: names.known(file),
        tablespace: file.spc,
        database: file.db,
        filenode: file.rel,
        fork: block.tag.fork.name(),
        block: block.tag.block,
        image: block.has_image,
        image_bytes: block.image,
    }
}
