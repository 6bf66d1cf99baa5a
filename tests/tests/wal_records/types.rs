//! Which types of record there are, which occurred, and that those of heap and B-tree all did.

use crate::files::Wal;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::{Record, Rmgr};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Types that no session makes a server write.
const NEVER: [&str; 4] = [
    // kept, but written by nothing
    "XLOG/NOOP",
    // after billions of transactions
    "MultiXact/TRUNCATE_ID",
    "CommitTs/TRUNCATE",
    "CLOG/TRUNCATE",
];
/// Types that came later than 13, and with which version.
const LATER: [(&str, u32); 2] = [("Transaction/INVALIDATION", 14), ("XLOG/CHECKPOINT_REDO", 17)];

/// Counts the records by type; fails where one of Heap, Heap2 or Btree that the version can write is missing.
pub fn tally(wal: &Wal, records: &[Record]) -> String {
    let major = wal.version.major();
    let mut counts: BTreeMap<(u8, String), usize> = BTreeMap::new();
    for record in records {
        let decoded = record.decode(wal.version).expect("the server's own record");
        *counts.entry((decoded.rmgr().0, decoded.type_name())).or_default() += 1;
    }
    let mut text = format!("{} records of {} types:", records.len(), counts.len());
    for ((rmgr, name), count) in &counts {
        write!(text, " {}/{name} {count}", Rmgr(*rmgr).name()).expect("a String takes everything");
    }
    let missing = all_types(major).filter(|(rmgr, name)| !counts.contains_key(&(rmgr.0, name.clone())));
    let (required, others): (Vec<_>, Vec<_>) =
        missing.partition(|(rmgr, _)| [Rmgr::HEAP, Rmgr::HEAP2, Rmgr::BTREE].contains(rmgr));
    assert_eq!(required, [], "PostgreSQL {major} writes these too");
    let others = others.iter().map(|(rmgr, name)| format!("{}/{name}", rmgr.name()));
    let others: Vec<String> = others.filter(|name| !NEVER.contains(&name.as_str())).collect();
    write!(text, "\n  not reached here: {others:?}; never written by SQL: {NEVER:?}")
        .expect("a String takes everything");
    text
}

/// Every type with a name, `+INIT` included where there is such a thing.
fn all_types(major: u32) -> impl Iterator<Item = (Rmgr, String)> {
    let kinds = (0..=21).flat_map(|rmgr| (0..16).map(move |kind| (Rmgr(rmgr), kind << 4)));
    let named = kinds.map(move |(rmgr, info)| (rmgr, info, rmgr.type_name(info, PgVersion::of_major(major))));
    let is_written = move |rmgr: Rmgr, info: u8, name: &str| match name.strip_suffix("+INIT") {
        Some(name) => ["INSERT", "UPDATE", "MULTI_INSERT"].contains(&name),
        // the upper bit of Transaction says that `xinfo` follows
        None if rmgr == Rmgr::TRANSACTION && info & 0x80 != 0 => false,
        None => {
            let since = LATER.iter().find(|(later, _)| *later == format!("{}/{name}", rmgr.name()));
            !name.starts_with("UNKNOWN") && since.is_none_or(|(_, since)| major >= *since)
        }
    };
    named.filter(move |(rmgr, info, name)| is_written(*rmgr, *info, name)).map(|(rmgr, _, name)| (rmgr, name))
}
