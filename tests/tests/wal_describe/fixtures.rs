//! Records for the engine's own tests, which have no server: the shortest of each type, in hex, with the server's description.
//!
//! `cargo test -p ffviz-tests --test wal_describe write_fixtures -- --ignored` writes the file anew.

use ffviz_engine::wal::DecodedRecord;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Longer records are left out.
const LONGEST: u32 = 300;

/// A line for the shortest record of each type: version, position, bytes, description.
pub fn lines(major: u32, records: &[DecodedRecord<'_>], described: &[String]) -> String {
    let mut shortest: BTreeMap<(u8, String), usize> = BTreeMap::new();
    for (at, record) in records.iter().enumerate().filter(|(_, record)| record.tot_len() <= LONGEST) {
        let place = shortest.entry((record.rmgr().0, record.type_name())).or_insert(at);
        if rank(record) < rank(&records[*place]) {
            *place = at;
        }
    }
    let mut text = String::new();
    for at in shortest.into_values() {
        let record = &records[at].record;
        let hex: String = record.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let told = described.get(at).map_or("-", String::as_str);
        writeln!(text, "{major} {} {hex} {told}", record.start).expect("a String takes everything");
    }
    text
}

/// Records with block data are worth more than those with an image, short ones more than long ones.
fn rank(record: &DecodedRecord<'_>) -> (bool, u32) {
    let has_data = record.blocks.iter().any(|block| block.has_data);
    let wants_data = record.blocks.iter().any(|block| block.image.is_some());
    (wants_data && !has_data, record.tot_len())
}
