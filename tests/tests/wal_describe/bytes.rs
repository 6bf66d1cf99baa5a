//! `cost` and `explain` tell of every byte of a record, once.

use ffviz_engine::wal::describe::{Before, RecordField, RecordPart, Share, cost, explain};
use ffviz_engine::wal::{DecodedRecord, Rmgr};
use std::collections::BTreeMap;
use std::ops::Range;

/// Every record of a type is explained up to this many, then every tenth: there are many INSERTs.
const ALL_OF_A_TYPE: usize = 500;

/// Resource managers whose records are explained field by field.
const EXPLAINED: [Rmgr; 8] =
    [Rmgr::XLOG, Rmgr::TRANSACTION, Rmgr::STORAGE, Rmgr::STANDBY, Rmgr::HEAP2, Rmgr::HEAP, Rmgr::BTREE, Rmgr::SEQUENCE];

pub fn check(records: &[DecodedRecord<'_>]) -> String {
    let (mut shares, mut fields, mut bytes, mut explained_records) = (0, 0, 0, 0);
    let mut types = BTreeMap::new();
    let mut nameless: Vec<String> = Vec::new();
    for record in records {
        let at = format!("{} {} at {}", record.rmgr().name(), record.type_name(), record.record.start);
        let cost = cost(record, &Before::default());
        shares += cost.len();
        bytes += u64::from(record.tot_len());
        let sum: u32 = cost.iter().map(|share| share.bytes).sum();
        assert_eq!(sum, record.tot_len(), "{at}: {cost:#?}");
        covers(cost.iter().flat_map(|share| share.at.clone()).collect(), record.tot_len(), &at);
        cost.iter().for_each(|share| check_share(share, &at));
        let seen = types.entry((record.rmgr(), record.type_name())).or_insert(0_usize);
        *seen += 1;
        if *seen > ALL_OF_A_TYPE && *seen % 10 > 0 {
            continue;
        }
        let explained = explain(record);
        fields += explained.len();
        explained_records += 1;
        covers(explained.iter().map(|field| field.bytes.clone()).collect(), record.tot_len(), &at);
        if EXPLAINED.contains(&record.rmgr()) {
            nameless.extend(explained.iter().filter(|field| is_nameless(field)).map(|field| {
                let (name, bytes, value) = (&field.name, &field.bytes, &field.value);
                format!("{at}: bytes {bytes:?} are only {name}: {value}")
            }));
        }
    }
    assert!(
        nameless.is_empty(),
        "{} fields without a name:\n{}",
        nameless.len(),
        nameless[..nameless.len().min(20)].join("\n")
    );
    format!("  {bytes} bytes are told by {shares} shares; {fields} fields of {explained_records} records cover these\n")
}

/// The ranges follow one another from 0 to the end.
fn covers(mut ranges: Vec<Range<u32>>, end: u32, at: &str) {
    ranges.sort_by_key(|range| range.start);
    let mut next = 0;
    for range in &ranges {
        assert_eq!(range.start, next, "{at}: {ranges:?}");
        assert!(!range.is_empty(), "{at}: {ranges:?}");
        next = range.end;
    }
    assert_eq!(next, end, "{at}");
}

fn check_share(share: &Share, at: &str) {
    assert!(!share.why.is_empty(), "{at}: no words for {:?}", share.part);
    let of_ranges: u32 = share.at.iter().map(|range| range.end - range.start).sum();
    assert_eq!(of_ranges, share.bytes, "{at}: {share:?}");
}

/// Is it only a stretch of bytes that ffviz has no name for?
fn is_nameless(field: &RecordField) -> bool {
    field.name == "block data" || (field.name == "data" && field.part == RecordPart::MainData)
}
