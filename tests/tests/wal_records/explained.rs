//! What the engine says of each record: the parts sum up to its length, and no byte is told twice or left out.

use crate::files::Wal;
use crate::walinspect::DESCRIBED;
use ffviz_format::wal::{DecodedRecord, Record};
use ffviz_story::describe::{Before, RecordField, RecordPart, cost, explain, headline};
use std::collections::BTreeMap;

/// Records of each type that are explained byte by byte; the cost is that of all.
const OF_EACH_TYPE: usize = 200;

/// Fails where a sum or a byte is wrong.
pub fn check(wal: &Wal, records: &[Record]) -> String {
    let mut explained: BTreeMap<String, usize> = BTreeMap::new();
    let (mut bytes, mut fields) = (0, 0);
    for record in records {
        let decoded = record.decode(wal.version).expect("the server's own record");
        let shares = cost(&decoded, &Before::default());
        bytes += record.bytes.len();
        let parts = shares.iter().flat_map(|share| share.at.iter().cloned());
        assert_whole(&decoded, parts.map(|range| (range.start, range.end)).collect(), "cost");
        let name = format!("{}/{}", decoded.rmgr().name(), decoded.type_name());
        let of_type = explained.entry(name).or_default();
        if *of_type < OF_EACH_TYPE {
            *of_type += 1;
            assert!(!headline(&decoded).is_empty(), "{}", record.start);
            let all = explain(&decoded);
            fields += all.len();
            assert_named(&decoded, &all);
            assert_whole(
                &decoded,
                all.iter().map(|field| (field.bytes.start, field.bytes.end)).collect(),
                "explanation",
            );
        }
    }
    let (types, some) = (explained.len(), explained.values().sum::<usize>());
    format!(
        "  the cost of {} records sums up to their {bytes} bytes; {fields} fields of {some} records of {types} types cover each byte once\n",
        records.len()
    )
}

/// These ranges are the record, each byte once.
fn assert_whole(record: &DecodedRecord<'_>, mut ranges: Vec<(u32, u32)>, what: &str) {
    ranges.retain(|(from, to)| from < to);
    ranges.sort_unstable();
    let mut at = 0;
    for (from, to) in ranges {
        let name = record.type_name();
        assert_eq!(from, at, "{what} of {} {name} at {}", record.rmgr().name(), record.record.start);
        at = to;
    }
    assert_eq!(at, record.tot_len(), "{what} of {} at {}", record.type_name(), record.record.start);
}

/// No field of a resource manager that is described is only a stretch of bytes.
fn assert_named(record: &DecodedRecord<'_>, fields: &[RecordField]) {
    let is_nameless = |field: &&RecordField| {
        field.name == "block data" || (field.name == "data" && field.part == RecordPart::MainData)
    };
    if let Some(field) = fields.iter().find(is_nameless).filter(|_| DESCRIBED.contains(&record.rmgr())) {
        panic!("{} {} at {}: {field:?}", record.rmgr().name(), record.type_name(), record.record.start);
    }
}
