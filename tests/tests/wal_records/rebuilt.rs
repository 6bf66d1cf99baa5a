//! Records rebuilt from what `pg_walinspect` tells against the same records read from the WAL: all bytes are equal but
//! those that the rebuilt record says nobody told; what redo needs is told, but for the types listed here.

use ffviz_format::page::PgVersion;
use ffviz_format::wal::{DecodedRecord, Record, Rmgr};
use ffviz_live::wal::inspect::{Schema, add_blocks, record};
use ffviz_story::rebuild::{Told, rebuild};
use postgres::Client;
use std::collections::BTreeMap;

/// Records that are asked for at once.
const AT_ONCE: usize = 4000;
/// Differences that are shown.
const SHOWN: usize = 12;
/// Whose records redo replays.
const REPLAYED: [Rmgr; 6] = [Rmgr::XLOG, Rmgr::STORAGE, Rmgr::HEAP2, Rmgr::HEAP, Rmgr::BTREE, Rmgr::SEQUENCE];
/// Types of which too little is told from 16 on: a sequence's tuple, and which downlink goes, stand in main data only.
const LACKING: [&str; 2] = ["Sequence/LOG", "Btree/MARK_PAGE_HALFDEAD"];

/// What became of the records of a type.
#[derive(Debug, Default)]
struct Count {
    /// every byte is told, and equal
    whole: usize,
    /// equal but for bytes that are not told and that redo does not read
    enough: usize,
    /// too little is told to replay them
    lacking: usize,
    /// on 15, where the length of block data is not told: with an origin or a top-level transaction, which cannot be
    /// told from data
    hidden: usize,
}

/// Rebuilds all of them.
pub fn compare(client: &mut Client, version: PgVersion, records: &[Record]) -> String {
    client.batch_execute("SET timezone = 'UTC'").expect("a zone");
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut differences = Vec::new();
    for some in records.chunks(AT_ONCE) {
        let told = told(client, version, some);
        assert_eq!(told.len(), some.len());
        for (told, real) in told.iter().zip(some) {
            let made = rebuild(told, version).unwrap_or_else(|why| panic!("{} {told:?}: {why}", real.start));
            let decoded = made.decode(version).unwrap_or_else(|why| panic!("{} {told:?}: {why}", real.start));
            let count = counts.entry(format!("{}/{}", told.rmgr, told.kind)).or_default();
            if hides(real, version) && !told.blocks.is_empty() {
                assert_eq!((made.end, made.bytes.len()), (real.end, real.bytes.len()));
                count.hidden += 1;
                continue;
            }
            differences.extend(
                difference(&made, real, version).map(|text| format!("{} {} {text}\n{told:?}", told.rmgr, told.kind)),
            );
            let rebuilt = made.rebuilt.as_ref().expect("what is not known of it");
            if rebuilt.untold.is_empty() {
                count.whole += 1
            } else if is_lacking(&decoded) {
                count.lacking += 1
            } else {
                count.enough += 1
            }
        }
    }
    let shown = differences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{}: {} differences:\n{shown}", version.major(), differences.len());
    report(version, &counts)
}

/// Has it an origin or a top-level transaction that 15 does not tell of?
fn hides(real: &Record, version: PgVersion) -> bool {
    let decoded = real.decode(version).expect("the server's own record");
    version.major() < 16 && (decoded.origin.is_some() || decoded.toplevel_xid.is_some())
}

/// As the terminal asks for them.
fn told(client: &mut Client, version: PgVersion, records: &[Record]) -> Vec<Told> {
    let schema = Schema { name: "public".to_owned(), tells_blocks: version.major() >= 16 };
    let (first, last) = (records.first().expect("a record"), records.last().expect("a record"));
    let (from, to) = (first.start.to_string(), last.end.to_string());
    let rows = client.query(&schema.records_sql(), &[&from, &to]).expect("the records");
    let mut told: Vec<Told> = rows.iter().map(|row| record(row).expect("a row")).collect();
    if let Some(sql) = schema.blocks_sql() {
        let rows = client.query(&sql, &[&from, &to, &None::<Vec<i64>>]).expect("the block references");
        add_blocks(&mut told, &rows).expect("rows");
    }
    told
}

/// Where the rebuilt record says something else than the real one.
fn difference(made: &Record, real: &Record, version: PgVersion) -> Option<String> {
    if (made.start, made.end, made.bytes.len()) != (real.start, real.end, real.bytes.len()) {
        return Some(format!("{} to {}, {} bytes", made.start, made.end, made.bytes.len()));
    }
    let is_told = |at: usize| made.is_told(&(at as u32..at as u32 + 1));
    let wrong: Vec<usize> =
        (0..real.bytes.len()).filter(|at| is_told(*at) && made.bytes[*at] != real.bytes[*at]).collect();
    if !wrong.is_empty() {
        return Some(format!(
            "at {}: bytes {wrong:?}\n ours {:02x?}\n real {:02x?}",
            made.start, made.bytes, real.bytes
        ));
    }
    let (ours, theirs) = (made.decode(version).ok()?, real.decode(version).ok()?);
    let pages = |record: &DecodedRecord<'_>| -> Vec<_> {
        record.blocks.iter().map(|block| record.restore(block, 8192).ok()).collect()
    };
    let is_same = pages(&ours).iter().zip(pages(&theirs)).all(|(ours, theirs)| version.major() < 16 || *ours == theirs);
    (!is_same).then(|| format!("at {}: other images", made.start))
}

fn is_lacking(record: &DecodedRecord<'_>) -> bool {
    record.blocks.iter().any(|block| record.lacks(block))
}

fn report(version: PgVersion, counts: &BTreeMap<String, Count>) -> String {
    let sum = |of: fn(&Count) -> usize| counts.values().map(of).sum::<usize>();
    let (whole, enough, lacking) = (sum(|count| count.whole), sum(|count| count.enough), sum(|count| count.lacking));
    let hidden = sum(|count| count.hidden);
    if version.major() >= 16 {
        let is_replayed = |name: &str| REPLAYED.iter().any(|rmgr| name.split('/').next() == Some(&rmgr.name()));
        let wrong: Vec<_> = counts
            .iter()
            .filter(|(name, count)| count.lacking > 0 && is_replayed(name) && !LACKING.contains(&name.as_str()))
            .collect();
        assert!(wrong.is_empty(), "{}: too little is told of {wrong:?}", version.major());
        assert!(whole > 200_000, "{}: {whole} records rebuilt byte for byte", version.major());
    }
    assert!(whole + enough + lacking > 250_000 && hidden < 500, "{}: {hidden}", version.major());
    let partly: Vec<String> = counts
        .iter()
        .filter(|(_, count)| count.enough + count.lacking + count.hidden > 0)
        .map(|(name, count)| format!("{name} {}+{}+{}", count.whole, count.enough, count.lacking))
        .collect();
    format!(
        "  rebuilt from pg_walinspect: {whole} records equal in every byte, {enough} in all that is told and redo reads, of {lacking} too \
         little is told, in {hidden} data cannot be told from an origin; by type: {}\n",
        partly.join(", ")
    )
}
