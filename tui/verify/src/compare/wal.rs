//! Two lists of WAL records: which are the same, and where those differ.

use super::Comparer;
use super::field::hex;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::{BlockRef, DecodedRecord, Rmgr};
use ffviz_simulator::sql::trace::{BlockTrace, WalTrace};

/// How far the other list is searched for a record that is missing in one.
const WINDOW: usize = 16;

impl Comparer {
    /// Compares the records of a statement; `positions`: both began at the same one, and nobody else wrote.
    pub(super) fn records(&mut self, server: &[WalTrace], engine: &[WalTrace], positions: bool) {
        let (server, engine) = (self.compared(server), self.compared(engine));
        let begin = |wal: &[&WalTrace]| wal.first().and_then(|wal| wal.record.as_ref()).map(|record| record.start);
        self.is_ahead &= begin(&server).is_none() || begin(&server) != begin(&engine);
        let (mut at, mut other, mut positions) = (0, 0, positions && !self.is_ahead);
        while at < server.len() || other < engine.len() {
            match align(&server[at..], &engine[other..]) {
                (0, 0) => {
                    if is_compressed_otherwise(server[at], engine[other], self.version) {
                        // what follows stands elsewhere
                        (self.found.counts.records, positions) = (self.found.counts.records + 1, false);
                        self.is_ahead = true;
                    } else {
                        let place = place(at, server[at]);
                        self.record(&place, server[at], engine[other], positions);
                    }
                    (at, other) = (at + 1, other + 1);
                }
                (missing, more) => {
                    for (n, wal) in server.iter().enumerate().skip(at).take(missing) {
                        self.differs(&place(n, wal), "record", tell(wal), "none");
                    }
                    for (n, wal) in engine.iter().enumerate().skip(other).take(more) {
                        self.differs(&place(n, wal), "record", "none", tell(wal));
                    }
                    (at, other) = (at + missing, other + more);
                }
            }
        }
    }

    /// The records without those of relations that are left out.
    pub(super) fn compared<'a>(&self, wal: &'a [WalTrace]) -> Vec<&'a WalTrace> {
        // Btree/REUSE_PAGE names no page
        let (relations, has_indexes) = (&self.skipped.relations, self.skipped.has_indexes);
        let is_left_out = |wal: &WalTrace| {
            wal.blocks.iter().any(|block| relations.contains(&block.rel))
                || has_indexes && wal.rmgr == "Btree" && wal.blocks.is_empty()
        };
        wal.iter().filter(|wal| !is_left_out(wal)).collect()
    }

    fn record(&mut self, place: &str, server: &WalTrace, engine: &WalTrace, positions: bool) {
        self.found.counts.records += 1;
        let before = self.found.differences.len();
        let kind = |wal: &WalTrace| format!("{}/{}", wal.rmgr, wal.kind);
        if kind(server) != kind(engine) {
            self.differs(place, "type", kind(server), kind(engine));
        }
        self.check(place, "xl_tot_len", &server.len, &engine.len);
        self.check(place, "length of the main data", &server.main, &engine.main);
        self.check(place, "length of full-page images", &server.fpi, &engine.fpi);
        let blocks = |wal: &WalTrace| wal.blocks.iter().map(tell_block).collect::<Vec<_>>().join(", ");
        let (theirs, ours) = (blocks(server), blocks(engine));
        if theirs != ours {
            self.differs(place, "block references", theirs, ours);
        }
        let (Some(theirs), Some(ours)) = (&server.record, &engine.record) else { return };
        if positions {
            self.found.counts.positions += 1;
            if theirs.start != ours.start {
                self.differs(place, "position", theirs.start, ours.start);
            }
        }
        // where lengths differ, bytes do
        if self.found.differences.len() > before {
            return;
        }
        if let (Ok(theirs), Ok(ours)) = (theirs.decode(self.version), ours.decode(self.version)) {
            self.contents(place, &theirs, &ours);
        }
    }

    /// The bytes of main data and block data, and the pages of images.
    fn contents(&mut self, place: &str, server: &DecodedRecord<'_>, engine: &DecodedRecord<'_>) {
        self.data(place, "main data", &padding_of_main(server), server.main_data, engine.main_data);
        for (theirs, ours) in server.blocks.iter().zip(&engine.blocks) {
            let field = format!("data of block reference {}", theirs.id);
            self.data(place, &field, &padding_of_block(server, theirs), theirs.data, ours.data);
            if let (Ok(theirs), Ok(ours)) = (server.restore(theirs, 8192), engine.restore(ours, 8192)) {
                // pd_lsn of the version before, and a checksum of whenever it was written out
                let (theirs, ours) = (theirs.slice(10..8192), ours.slice(10..8192));
                self.data(place, "full-page image from byte 10 on", &[], theirs, ours);
            }
        }
    }

    fn data(&mut self, place: &str, field: &str, padding: &[usize], server: &[u8], engine: &[u8]) {
        let differs = |at: &usize| server[*at] != engine[*at] && !padding.contains(at);
        if let Some(first) = (0..server.len().min(engine.len())).find(differs) {
            let field = format!("{field}, byte {first} of {}", server.len());
            self.differs(place, &field, hex(&server[first..]), hex(&engine[first..]));
        }
    }
}

/// Do they bring the same pages but for `pd_lsn` and `pd_checksum`, which happen to make the compressed images of other
/// lengths? `pd_lsn` is another one where catalogs had their records in between.
fn is_compressed_otherwise(server: &WalTrace, engine: &WalTrace, version: PgVersion) -> bool {
    let (Some(theirs), Some(ours)) = (&server.record, &engine.record) else { return false };
    let (Ok(theirs), Ok(ours)) = (theirs.decode(version), ours.decode(version)) else { return false };
    let differs = server.fpi != engine.fpi && server.main == engine.main && theirs.blocks.len() == ours.blocks.len();
    let same = |(one, other): (&BlockRef<'_>, &BlockRef<'_>)| {
        let (Some(image), Some(other_image)) = (one.image, other.image) else { return one.data == other.data };
        let (Ok(page), Ok(other_page)) = (theirs.restore(one, 8192), ours.restore(other, 8192)) else { return false };
        let may_differ = image.compression.is_some() && page.slice(0..10) != other_page.slice(0..10);
        page.slice(10..8192) == other_page.slice(10..8192)
            && one.data == other.data
            && (may_differ || image.bytes.len() == other_image.bytes.len())
    };
    differs && theirs.blocks.iter().zip(&ours.blocks).all(same)
}

/// How many records of each list are to be left out so that the next two match; (0, 0) where they do.
fn align(server: &[&WalTrace], engine: &[&WalTrace]) -> (usize, usize) {
    if let (Some(theirs), Some(ours)) = (server.first(), engine.first())
        && is_same(theirs, ours)
    {
        return (0, 0);
    }
    let (theirs, ours) = (server.len().min(WINDOW), engine.len().min(WINDOW));
    let pairs = (0..theirs).flat_map(|at| (0..ours).map(move |other| (at, other)));
    let matching = pairs.filter(|(at, other)| is_same(server[*at], engine[*other]));
    let least = matching.min_by_key(|(at, other)| at + other);
    match least {
        Some(found) => found,
        // nothing in sight matches: what stands side by side is compared
        None if theirs > 0 && ours > 0 => (0, 0),
        None => (theirs, ours),
    }
}

/// Are they the same event: of one type, about the same pages?
fn is_same(one: &WalTrace, other: &WalTrace) -> bool {
    let page = |block: &BlockTrace| (block.rel.clone(), block.fork, block.blk);
    one.rmgr == other.rmgr && one.kind == other.kind && one.blocks.iter().map(page).eq(other.blocks.iter().map(page))
}

pub(super) fn place(n: usize, wal: &WalTrace) -> String {
    format!("record {}, {}/{}", n + 1, wal.rmgr, wal.kind)
}

fn tell(wal: &WalTrace) -> String {
    let blocks: Vec<String> = wal.blocks.iter().map(tell_block).collect();
    format!("{}/{} of {} bytes, {}", wal.rmgr, wal.kind, wal.len, blocks.join(", "))
}

fn tell_block(block: &BlockTrace) -> String {
    let image = if block.fpi_len > 0 { format!(" image {}", block.fpi_len) } else { String::new() };
    format!(
        "#{} {}:{} data {}{image}",
        block.id,
        super::file_name(block.rel.as_deref(), block.fork),
        block.blk,
        block.dlen
    )
}

const fn version(record: &DecodedRecord<'_>) -> PgVersion {
    PgVersion::of_major(record.major())
}

/// Do pages of B-trees, and records about them, have xids of 64 bits?
const fn has_full_xids(record: &DecodedRecord<'_>) -> bool {
    version(record).has_btree_full_xids()
}

/// Bytes of the main data that the server leaves as they happen to be.
fn padding_of_main(record: &DecodedRecord<'_>) -> Vec<usize> {
    match (record.rmgr(), record.type_name().trim_end_matches("+INIT")) {
        (Rmgr::HEAP2, "MULTI_INSERT") => vec![1],
        (Rmgr::BRIN, "UPDATE") => vec![2, 3],
        // before the 64-bit xid, from 14 on
        (Rmgr::BTREE, "UNLINK_PAGE" | "UNLINK_PAGE_META") if has_full_xids(record) => (12..16).collect(),
        // the reason, which is told by the type
        (Rmgr::HEAP2, "PRUNE_ON_ACCESS" | "PRUNE_VACUUM_SCAN" | "PRUNE_VACUUM_CLEANUP") => vec![0],
        _ => Vec::new(),
    }
}

/// The same of a block's data.
fn padding_of_block(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> Vec<usize> {
    const PLAN: usize = 12;
    let name = record.type_name();
    let plans = |first: usize, count: usize, at: usize| (0..count).map(move |n| first + n * PLAN + at);
    match (record.rmgr(), name.trim_end_matches("+INIT")) {
        (Rmgr::HEAP2, "MULTI_INSERT") => between_rows(block.data),
        (Rmgr::HEAP2, "FREEZE_PAGE") if !version(record).shares_freeze_plans() => {
            plans(0, block.data.len() / PLAN, 11).collect()
        }
        (Rmgr::HEAP2, "FREEZE_PAGE") => {
            let count = record.main_data.get(4..6).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
            plans(0, usize::from(count), 9).collect()
        }
        (Rmgr::HEAP2, "PRUNE_ON_ACCESS" | "PRUNE_VACUUM_SCAN") if has_freeze_plans(record) => {
            let count = block.data.get(..2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
            [2, 3].into_iter().chain(plans(4, usize::from(count), 9)).collect()
        }
        (Rmgr::BTREE, "NEWROOT" | "META_CLEANUP" | "UNLINK_PAGE_META" | "INSERT_META") => {
            if has_full_xids(record) {
                (25..28).collect()
            } else {
                (33..40).collect()
            }
        }
        _ => Vec::new(),
    }
}

/// `XLHP_HAS_FREEZE_PLANS`
fn has_freeze_plans(record: &DecodedRecord<'_>) -> bool {
    record.main_data.get(1).is_some_and(|flags| flags & 16 != 0)
}

/// The byte after each row of `xl_multi_insert_tuple` that ends at an odd place.
fn between_rows(data: &[u8]) -> Vec<usize> {
    const HEADER: usize = 7;
    let (mut at, mut found) = (0, Vec::new());
    while let Some(length) = data.get(at..at + 2) {
        at += HEADER + usize::from(u16::from_le_bytes([length[0], length[1]]));
        if at % 2 == 1 {
            found.push(at);
            at += 1;
        }
    }
    found
}
