//! Are the simulated server's pages and records those of the real one?

use super::server::{Capture, FORKS};
use super::simulated::Simulated;
use ffviz_format::page::{Lsn, Page};
use ffviz_format::wal::Record;
use ffviz_format::wal::rec::heap2::XLHP_HAS_FREEZE_PLANS;
use ffviz_simulator::storage::Buffer;
use std::collections::BTreeMap;
use std::fmt;

/// What was compared, and what differs.
#[derive(Debug, Default)]
pub struct Totals {
    pub actions: usize,
    pub pages: usize,
    pub bytes: usize,
    pub records: usize,
    pub record_bytes: usize,
    /// records by type
    pub types: BTreeMap<String, usize>,
    /// decisions by what they say
    pub decisions: BTreeMap<&'static str, usize>,
    pub wrong: Vec<String>,
}

/// Decisions that the histories have to lead to, by words of theirs; the version they came with.
const DECISIONS: [(&str, u32); 9] = [
    (": pruned, since", 13),
    ("is not older than every snapshot", 13),
    ("pruning starts below", 13),
    ("the visibility map says that there is nothing to do", 13),
    ("the indexes are vacuumed", 14),
    ("the indexes are left alone", 14),
    ("row versions are frozen", 13),
    ("not frozen", 16),
    ("is cut off", 13),
];

/// Those that a version has.
pub fn decisions(major: u32) -> impl Iterator<Item = &'static str> {
    DECISIONS.into_iter().filter(move |(_, since)| major >= *since).map(|(words, _)| words)
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} actions, {} pages ({} bytes), {} records ({} bytes: {:?}), decisions {:?}, {} differences",
            self.actions,
            self.pages,
            self.bytes,
            self.records,
            self.record_bytes,
            self.types,
            self.decisions,
            self.wrong.len()
        )
    }
}

/// Compares everything; `done` says what led here.
pub fn compare(totals: &mut Totals, simulated: &mut Simulated, server: &Capture, done: &[String]) {
    totals.actions += 1;
    for words in decisions(simulated.pg.version.major()) {
        let count = simulated.told.iter().filter(|sentence| sentence.contains(words)).count();
        *totals.decisions.entry(words).or_default() += count;
    }
    let before = totals.wrong.len();
    compare_records(totals, simulated, server);
    for (ends, records) in simulated.ends.iter_mut().zip([&simulated.records, &server.records]) {
        ends.extend(records.iter().map(|record| record.end));
    }
    for (fork, theirs) in FORKS.into_iter().zip(&server.forks) {
        let (pg, file) = (&simulated.pg, simulated.rel.file);
        let theirs = theirs.as_deref();
        let blocks = pg.buffers.exists(file, fork).then(|| pg.buffers.nblocks(file, fork) as usize);
        if blocks != theirs.map(<[Page]>::len) {
            totals.wrong.push(format!(
                "{}: {blocks:?} blocks, the server {:?}",
                fork.name(),
                theirs.map(<[Page]>::len)
            ));
            continue;
        }
        for (block, page) in (0..).zip(theirs.unwrap_or_default()) {
            totals.pages += 1;
            totals.bytes += page.bytes().len();
            let ours = pg.buffers.page(Buffer { file, fork, block });
            if let Some(text) = difference(ours, page, &simulated.ends) {
                totals.wrong.push(format!("{} block {block}: {text}", fork.name()));
            }
        }
    }
    if totals.wrong.len() > before {
        totals.wrong.insert(before, done.join("\n"));
        panic!("{}", totals.wrong[before..].iter().take(12).cloned().collect::<Vec<_>>().join("\n"));
    }
}

/// Bytes of a page but for its LSN and checksum.
fn rest(page: &Page) -> Vec<u8> {
    let mut bytes = page.bytes().to_vec();
    bytes[..10].fill(0);
    bytes
}

/// The first bytes that differ; LSNs are the same when the same record set them, or none.
fn difference(ours: &Page, server: &Page, ends: &[Vec<Lsn>; 2]) -> Option<String> {
    let (a, b) = (rest(ours), rest(server));
    if let Some(at) = (0..a.len()).find(|at| a[*at] != b[*at]) {
        let at = at & !3;
        return Some(format!(
            "byte {at}: {:02x?}, the server {:02x?}",
            &a[at..at + 16.min(a.len() - at)],
            &b[at..at + 16.min(b.len() - at)]
        ));
    }
    let lsns = [ours, server].map(|page| page.header().pd_lsn());
    let by = [0, 1].map(|n| ends[n].iter().position(|end| *end == lsns[n]));
    let is_same = by[0] == by[1] && (by[0].is_some() || lsns[0] == lsns[1]);
    (!is_same).then(|| format!("LSN {} of record {:?}, the server {} of {:?}", lsns[0], by[0], lsns[1], by[1]))
}

fn compare_records(totals: &mut Totals, simulated: &Simulated, server: &Capture) {
    let (ours, theirs) = (&simulated.records, &server.records);
    let version = simulated.pg.version;
    let text = |record: &Record| {
        let decoded = record.decode(version).expect("a record");
        format!("{} {}", decoded.type_name(), decoded.tot_len())
    };
    for (a, b) in ours.iter().zip(theirs) {
        totals.records += 1;
        totals.record_bytes += b.bytes.len();
        *totals.types.entry(b.decode(version).expect("a record").type_name()).or_default() += 1;
        let (ours, theirs) = (parts(a, simulated), parts(b, simulated));
        if ours != theirs {
            let differing = |(a, b): &(&Vec<u8>, &Vec<u8>)| a != b;
            let first = ours.iter().zip(&theirs).find(differing);
            let text = format!("{}, the server {}: {} parts, {}", text(a), text(b), ours.len(), theirs.len());
            totals.wrong.push(format!("record {text}: {first:02x?}"));
        }
    }
    if ours.len() != theirs.len() {
        let list = |records: &[Record]| records.iter().map(text).collect::<Vec<_>>().join(", ");
        totals.wrong.push(format!("records: {}\n  the server: {}", list(ours), list(theirs)));
    }
}

/// Everything that a record says: resource manager, type, xid, blocks with their images and data, main data.
fn parts(record: &Record, simulated: &Simulated) -> Vec<Vec<u8>> {
    let decoded = record.decode(simulated.pg.version).expect("a record");
    let mut main = decoded.main_data.to_vec();
    let name = decoded.type_name();
    // the byte that writers leave as it is in memory
    if name.contains("PRUNE_") {
        main[0] = 0;
    }
    let xid = decoded.xid().to_le_bytes().to_vec();
    let mut parts = vec![vec![decoded.rmgr().0, decoded.info()], xid, main];
    for block in &decoded.blocks {
        parts.push(vec![block.id, block.tag.fork as u8, u8::from(block.will_init), u8::from(block.has_data)]);
        parts.push(block.tag.block.to_le_bytes().to_vec());
        parts.push(without_padding(block.data, &name, decoded.main_data, decoded.major()));
        if block.image.is_some() {
            parts.push(rest(&decoded.restore(block, 8192).expect("an image")));
        }
    }
    parts
}

/// Data of a block with the padding of freeze plans cleared, which writers leave as it is in memory.
fn without_padding(data: &[u8], name: &str, main: &[u8], major: u32) -> Vec<u8> {
    let mut data = data.to_vec();
    let number = |bytes: &[u8]| usize::from(bytes[0]) + 256 * usize::from(bytes[1]);
    let (first, plans, padding) = match major {
        _ if data.is_empty() => return data,
        17.. if name.contains("PRUNE_") && main[1] & XLHP_HAS_FREEZE_PLANS != 0 => (4, number(&data), 9),
        16 if name == "FREEZE_PAGE" => (0, number(&main[4..]), 9),
        ..16 if name == "FREEZE_PAGE" => (0, number(&main[4..]), 11),
        _ => return data,
    };
    data[first.min(2)..first].fill(0);
    (0..plans).for_each(|plan| data[first + 12 * plan + padding] = 0);
    data
}
