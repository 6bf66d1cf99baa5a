//! All pages of a database's tables, B-trees and sequences, out of the server's buffers.

use super::difference::difference;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, ForkNumber, OffsetNumber, Page};
use ffviz_format::wal::{BlockTag, RelFileLocator};
use ffviz_story::redo::PageShape;
use postgres::Client;
use std::collections::BTreeMap;

/// All pages at a moment when nothing happens.
pub struct Capture {
    pub pages: BTreeMap<BlockTag, Page>,
    pub files: BTreeMap<RelFileLocator, File>,
}

/// What a file is.
pub struct File {
    shape: PageShape,
    pub name: String,
    /// of a sequence
    increment: i64,
}

/// Tables, B-trees and sequences that are logged and not of the system (403 is the B-tree access method): the pages
/// come out of the server's buffers.
const PAGES: &str = "
SELECT CASE c.reltablespace WHEN 0 THEN 1663 ELSE c.reltablespace END, d.oid, pg_relation_filenode(c.oid), c.oid::regclass::text,
       CASE c.relkind WHEN 'S' THEN 'sequence' WHEN 'i' THEN 'btree' ELSE 'heap' END,
       fork, block::int, get_raw_page(c.oid::regclass::text, fork, block::int), coalesce(seqincrement, 0)
FROM pg_class c
LEFT JOIN pg_sequence ON seqrelid = c.oid
JOIN pg_database d ON d.datname = current_database()
CROSS JOIN unnest(ARRAY['main', 'fsm', 'vm']) fork
CROSS JOIN generate_series(0, pg_relation_size(c.oid, fork) / 8192 - 1) block
WHERE (c.relkind IN ('r', 't', 'S', 'm') OR c.relkind = 'i' AND c.relam = 403) AND c.relpersistence = 'p' AND c.oid >= 16384";

impl Capture {
    /// Reads them in one query.
    pub fn take(client: &mut Client) -> Self {
        let mut capture = Self { pages: BTreeMap::new(), files: BTreeMap::new() };
        for row in client.query(PAGES, &[]).expect("pages can be read") {
            let locator = RelFileLocator { spc: row.get(0), db: row.get(1), rel: row.get(2) };
            let fork = match row.get(5) {
                "main" => ForkNumber::Main,
                "fsm" => ForkNumber::Fsm,
                _ => ForkNumber::Vm,
            };
            let shape = match row.get(4) {
                "heap" => PageShape::Heap,
                "btree" => PageShape::Btree,
                _ => PageShape::Sequence,
            };
            let block = BlockNumber::try_from(row.get::<_, i32>(6)).expect("a block number");
            capture.pages.insert(BlockTag { locator, fork, block }, Page::new(row.get(7)));
            capture.files.insert(locator, File { shape, name: row.get(3), increment: row.get(8) });
        }
        capture
    }
}

impl File {
    /// Where the pages differ.
    pub fn difference(&self, ours: &Page, server: &Page, tag: BlockTag) -> Option<String> {
        let shape = if tag.fork == ForkNumber::Vm { PageShape::Vm } else { self.shape };
        let text = difference(ours, server, shape, tag.block)?;
        // of values fetched ahead the WAL has the last
        let ahead = (self.shape == PageShape::Sequence).then(|| logged_sequence(server, self.increment));
        if ahead.is_some_and(|server| difference(ours, &server, shape, tag.block).is_none()) {
            None
        } else {
            Some(text)
        }
    }
}

/// A sequence's page as it was logged: `nextval` logs 32 values ahead, so that it need not log each (`SEQ_LOG_VALS`,
/// sequence.c).
fn logged_sequence(page: &Page, increment: i64) -> Page {
    const HEADER: u16 = 24;
    let mut page = page.clone();
    let at = page.item_id(OffsetNumber(1)).expect("the sequence's tuple").lp_off() + HEADER;
    let value = |at: u16| i64::get(page.slice(at..at + 8));
    let (last_value, log_cnt) = (value(at), value(at + 8));
    page.write(at, &(last_value + log_cnt * increment));
    page.write(at + 8, &0_i64);
    page
}
