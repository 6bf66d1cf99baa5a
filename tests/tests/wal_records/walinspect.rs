//! Records and block references against `pg_walinspect` (contrib/pg_walinspect, from 15 on).

use ffviz_format::page::{ForkNumber, Lsn, PgVersion};
use ffviz_format::wal::{BlockImage, BlockRef, DecodedRecord, Record, Rmgr};
use ffviz_story::describe::{block_refs, describe};
use postgres::{Client, Row};

/// Records that are asked for at once.
const AT_ONCE: usize = 4000;
/// Differences that are shown.
const SHOWN: usize = 12;

/// Whose records are described as PostgreSQL describes them.
pub const DESCRIBED: [Rmgr; 8] =
    [Rmgr::XLOG, Rmgr::TRANSACTION, Rmgr::STORAGE, Rmgr::STANDBY, Rmgr::HEAP2, Rmgr::HEAP, Rmgr::BTREE, Rmgr::SEQUENCE];

/// What was compared, and where it differed.
#[derive(Default)]
struct Tally {
    records: usize,
    descriptions: usize,
    blocks: usize,
    block_data: usize,
    images: usize,
    compressed: usize,
    differences: Vec<String>,
}

impl Tally {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, at: Lsn, what: &str, ours: &T, told: &T) {
        if ours != told {
            self.differences.push(format!("{at} {what}:\n   ours       {ours:?}\n   the server {told:?}"));
        }
    }
}

/// Compares all of them; fails where one differs.
pub fn compare(client: &mut Client, version: PgVersion, records: &[Record]) -> String {
    client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect").expect("the package has it");
    let mut tally = Tally::default();
    for some in records.chunks(AT_ONCE) {
        let decoded: Vec<DecodedRecord<'_>> =
            some.iter().map(|record| record.decode(version).expect("the server's own record")).collect();
        compare_records(client, &decoded, &mut tally);
        if version.major() >= 16 {
            compare_blocks(client, &decoded, &mut tally);
        }
    }
    let Tally { records, descriptions, blocks, block_data, images, compressed, differences } = tally;
    let shown = differences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{}: {} differences:\n{shown}", version.major(), differences.len());
    format!(
        "  pg_walinspect: {records} records, {descriptions} descriptions, {blocks} block references, {block_data} of their data, \
         {images} restored pages ({compressed} compressed) are equal\n"
    )
}

/// The range that these records fill, as the functions want it.
fn range(records: &[DecodedRecord<'_>]) -> (String, String) {
    let (first, last) = (records.first().expect("a record"), records.last().expect("a record"));
    (first.record.start.to_string(), last.record.end.to_string())
}

fn lsn(row: &Row, column: usize) -> Lsn {
    row.get::<_, String>(column).parse().expect("an LSN")
}

fn compare_records(client: &mut Client, records: &[DecodedRecord<'_>], tally: &mut Tally) {
    let (from, to) = range(records);
    let told = client
        .query(
            "SELECT start_lsn::text, end_lsn::text, prev_lsn::text, xid::text, resource_manager, record_type, \
             record_length, main_data_length, fpi_length, coalesce(block_ref, ''), coalesce(description, '') \
             FROM pg_get_wal_records_info($1::text::pg_lsn, $2::text::pg_lsn)",
            &[&from, &to],
        )
        .expect("the records");
    assert_eq!(told.len(), records.len(), "records from {from} to {to}");
    for (record, row) in records.iter().zip(&told) {
        let at = record.record.start;
        let text = |column: usize| row.get::<_, String>(column);
        let number = |column: usize| row.get::<_, i32>(column) as u32;
        tally.records += 1;
        tally.same(at, "start", &at, &lsn(row, 0));
        tally.same(at, "end", &record.record.end, &lsn(row, 1));
        tally.same(at, "xl_prev", &Lsn(record.record.header().xl_prev()), &lsn(row, 2));
        tally.same(at, "xid", &record.xid().to_string(), &text(3));
        tally.same(at, "resource manager", &record.rmgr().name(), &text(4));
        tally.same(at, "type", &record.type_name(), &text(5));
        tally.same(at, "length", &record.tot_len(), &number(6));
        tally.same(at, "main data", &(record.main_data.len() as u32), &number(7));
        tally.same(at, "images", &record.fpi_len(), &number(8));
        if DESCRIBED.contains(&record.rmgr()) {
            tally.descriptions += 1;
            tally.same(at, "description", &describe(record), &text(10));
        }
        tally.same(at, "block references", &block_refs(record), &text(9).trim_end().to_owned());
    }
}

fn compare_blocks(client: &mut Client, records: &[DecodedRecord<'_>], tally: &mut Tally) {
    let (from, to) = range(records);
    let told = client
        .query(
            "SELECT start_lsn::text, block_id, reltablespace, reldatabase, relfilenode, relforknumber, relblocknumber, \
             block_data_length, block_fpi_length, coalesce(array_to_string(block_fpi_info, ' '), ''), \
             block_data, block_fpi_data \
             FROM pg_get_wal_block_info($1::text::pg_lsn, $2::text::pg_lsn, true)",
            &[&from, &to],
        )
        .expect("the block references");
    let ours: Vec<(&DecodedRecord<'_>, &BlockRef<'_>)> =
        records.iter().flat_map(|record| record.blocks.iter().map(move |block| (record, block))).collect();
    assert_eq!(told.len(), ours.len(), "block references from {from} to {to}");
    for ((record, block), row) in ours.into_iter().zip(&told) {
        tally.blocks += 1;
        compare_block(record, block, row, tally);
    }
}

fn compare_block(record: &DecodedRecord<'_>, block: &BlockRef<'_>, row: &Row, tally: &mut Tally) {
    let at = record.record.start;
    tally.same(at, "record of the block reference", &at, &lsn(row, 0));
    tally.same(at, "block id", &i16::from(block.id), &row.get(1));
    tally.same(at, "tablespace", &block.tag.locator.spc, &row.get(2));
    tally.same(at, "database", &block.tag.locator.db, &row.get(3));
    tally.same(at, "relation", &block.tag.locator.rel, &row.get(4));
    let fork = ForkNumber::of_number(row.get::<_, i16>(5) as u8);
    tally.same(at, "fork", &Some(block.tag.fork), &fork);
    tally.same(at, "block", &i64::from(block.tag.block), &row.get(6));
    tally.same(at, "data length", &(block.data.len() as i32), &row.get(7));
    let image_length = block.image.map_or(0, |image| image.bytes.len()) as i32;
    tally.same(at, "image length", &image_length, &row.get(8));
    tally.same(at, "image's kind", &image_flags(block.image.as_ref()), &row.get(9));
    let data: Option<&[u8]> = row.get(10);
    tally.same(at, "data", &block.data, &data.unwrap_or(&[]));
    tally.block_data += usize::from(data.is_some());
    let page: Option<&[u8]> = row.get(11);
    let restored = block.image.is_some().then(|| record.restore(block, 8192).expect("the server's own image"));
    tally.same(at, "page", &restored.as_ref().map(|page| page.bytes()), &page);
    tally.images += usize::from(page.is_some());
    tally.compressed += usize::from(block.image.is_some_and(|image| image.compression.is_some()));
}

/// The column `block_fpi_info`.
fn image_flags(image: Option<&BlockImage<'_>>) -> String {
    let Some(image) = image else { return String::new() };
    let hole = (image.hole_length > 0).then(|| "HAS_HOLE".to_owned());
    let apply = image.apply.then(|| "APPLY".to_owned());
    let method = image.compression.map(|method| format!("COMPRESS_{}", method.name().to_uppercase()));
    [hole, apply, method].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
