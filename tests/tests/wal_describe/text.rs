//! `describe` against the descriptions of `pg_walinspect` (contrib/pg_walinspect, from 15 on).

use ffviz_engine::wal::describe::describe;
use ffviz_engine::wal::{DecodedRecord, Rmgr};
use postgres::Client;
use std::collections::BTreeSet;

/// Records that are asked for at once.
const AT_ONCE: usize = 4000;
const SHOWN: usize = 20;

const DESCRIBED: [Rmgr; 8] =
    [Rmgr::XLOG, Rmgr::TRANSACTION, Rmgr::STORAGE, Rmgr::STANDBY, Rmgr::HEAP2, Rmgr::HEAP, Rmgr::BTREE, Rmgr::SEQUENCE];

pub fn is_described(record: &DecodedRecord<'_>) -> bool {
    DESCRIBED.contains(&record.rmgr())
}

/// What the server says of these records, in order.
pub fn descriptions(client: &mut Client, records: &[DecodedRecord<'_>]) -> Vec<String> {
    client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect; SET timezone = 'UTC'").expect("an extension");
    let mut all = Vec::new();
    for some in records.chunks(AT_ONCE) {
        let (first, last) = (some[0].record.start.to_string(), some[some.len() - 1].record.end.to_string());
        let told = client
            .query(
                "SELECT start_lsn::text, coalesce(description, '') \
                 FROM pg_get_wal_records_info($1::text::pg_lsn, $2::text::pg_lsn)",
                &[&first, &last],
            )
            .expect("descriptions");
        let mut told = told.iter().map(|row| (row.get::<_, String>(0), row.get::<_, String>(1)));
        for record in some {
            let start = record.record.start.to_string();
            all.push(told.find(|(at, _)| *at == start).expect("the server has the record too").1);
        }
    }
    all
}

pub fn check(client: &mut Client, records: &[DecodedRecord<'_>]) -> String {
    let records: Vec<DecodedRecord<'_>> = records.iter().filter(|record| is_described(record)).cloned().collect();
    let (mut same, mut types) = (0, BTreeSet::new());
    let mut differences: Vec<String> = Vec::new();
    for (record, theirs) in records.iter().zip(descriptions(client, &records)) {
        let ours = describe(record);
        let name = format!("{}/{}", record.rmgr().name(), record.type_name());
        if ours == theirs {
            same += 1;
            types.insert(name);
        } else {
            differences.push(format!("{} {name}:\n  ours   {ours}\n  server {theirs}", record.record.start));
        }
    }
    let shown = differences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} descriptions differ, {same} do not:\n{shown}", differences.len());
    format!("  {same} descriptions of {} types are those of pg_walinspect\n", types.len())
}
