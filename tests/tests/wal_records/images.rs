//! Full-page images: what is restored from a record is the page that the server had when it wrote the record.

use crate::walinspect;
use ffviz_format::page::{Lsn, Page};
use ffviz_format::wal::{Compression, Record};
use ffviz_tests::instance::{Instance, of_debian};
use ffviz_tests::wal::{self, flushed, insert_position};
use ffviz_tests::workload::SETTINGS;
use postgres::Client;
use std::collections::BTreeMap;

/// A table whose rows compress well, one whose keys do not, an index of each.
const TABLES: &str = "
    CREATE TABLE plain (id int PRIMARY KEY, n int, filler text) WITH (fillfactor = 80);
    CREATE INDEX by_n ON plain (n);
    INSERT INTO plain SELECT i, i % 10, repeat('filler ', 10) || i FROM generate_series(1, 2500) i;
    CREATE TABLE scattered (id uuid PRIMARY KEY, key bytea);
    INSERT INTO scattered SELECT md5(i::text)::uuid, decode(md5(i::text), 'hex') FROM generate_series(1, 2000) i";

/// Each is the first change of its pages after a checkpoint.
const CHANGES: [&str; 4] = [
    "UPDATE plain SET filler = filler || 'x' WHERE id % 60 = 0",
    "DELETE FROM plain WHERE id % 50 = 7",
    "UPDATE scattered SET key = key || '\\xff' WHERE id < '20000000-0000-0000-0000-000000000000'",
    "INSERT INTO scattered SELECT md5(i || clock_timestamp()::text)::uuid, '' FROM generate_series(1, 20) i",
];

/// What a method gave: images, and those that were kept as they are because compression did not make them shorter.
#[derive(Default)]
struct Tally {
    equal: BTreeMap<Option<Compression>, usize>,
    changed_since: usize,
}

/// The methods that every package has; lz4 and zstd too where Debian's PostgreSQL 15 is installed.
pub fn of_pages(major: u32) {
    // with checksums the image is in the record of the first hint bit, which more may follow without a record
    let sums: &[&str] = if major >= 18 { &["--no-data-checksums"] } else { &[] };
    let instance = Instance::create_with(major, SETTINGS, sums);
    println!("PostgreSQL {major}: {}", compare(&instance, &["off", "on"]));
    drop(instance);
    if major != 15 {
        return;
    }
    match of_debian(15) {
        Some(bin) => {
            let debian = Instance::create_from(bin, 15, SETTINGS, &[]);
            println!("PostgreSQL 15 of Debian: {}", compare(&debian, &["off", "pglz", "lz4", "zstd"]));
        }
        None => println!("lz4 and zstd are NOT compared: Debian's package postgresql-15 is not installed"),
    }
}

fn compare(instance: &Instance, methods: &[&str]) -> String {
    let mut client = instance.client();
    client.batch_execute("CREATE EXTENSION pageinspect").and_then(|()| client.batch_execute(TABLES)).expect("tables");
    let mut tally = Tally::default();
    let start = insert_position(&mut client);
    for method in methods {
        client.batch_execute(&format!("SET wal_compression = {method}")).expect("a method");
        for change in CHANGES {
            client.batch_execute("CHECKPOINT").expect("a checkpoint");
            one_change(instance, &mut client, change, &mut tally);
        }
    }
    for method in methods.iter().filter(|method| **method != "off") {
        let name = if *method == "on" { "pglz" } else { method };
        let images = tally.equal.iter().find(|(found, _)| found.is_some_and(|found| found.name() == name));
        assert!(images.is_some_and(|(_, count)| *count > 20), "{}: images by {name}: {images:?}", instance.major);
    }
    let counts: Vec<String> = tally
        .equal
        .iter()
        .map(|(method, count)| format!("{count} {}", method.map_or("plain", Compression::name)))
        .collect();
    let told = if instance.major >= 15 { inspected(instance, &mut client, start) } else { String::new() };
    format!(
        "restored images equal to the server's pages: {}; {} pages had changed again\n{told}",
        counts.join(", "),
        tally.changed_since
    )
}

/// Compares the image of each page that no later record changed with the page as it is.
fn one_change(instance: &Instance, client: &mut Client, change: &str, tally: &mut Tally) {
    let from = insert_position(client);
    client.batch_execute(change).expect("a change");
    let to = flushed(client);
    let version = wal::version(client);
    for record in wal::records(instance, version, from, to) {
        let decoded = record.decode(version).expect("the server's own record");
        for block in decoded.blocks.iter().filter(|block| block.image.is_some() && block.tag.locator.rel >= 16_384) {
            let restored = decoded.restore(block, 8192).expect("the server's own image");
            let page =
                client.query_opt(PAGE, &[&block.tag.locator.rel, &block.tag.fork.name(), &i64::from(block.tag.block)]);
            let Some(row) = page.expect("a page") else { continue };
            let now = Page::new(row.get(0));
            if now.header().pd_lsn() != record.end {
                tally.changed_since += 1;
                continue;
            }
            let image = block.image.expect("an image");
            let hole = usize::from(image.hole_offset)..usize::from(image.hole_offset + image.hole_length);
            assert_eq!(comparable(&restored, hole.clone()), comparable(&now, hole), "{} {}", record.start, block.tag);
            *tally.equal.entry(image.compression).or_default() += 1;
        }
    }
}

/// The page of a file number; none where it was dropped.
const PAGE: &str =
    "SELECT get_raw_page(oid::regclass::text, $2, $3::int8::int) FROM pg_class WHERE pg_relation_filenode(oid) = $1";

/// A page without what an image does not keep: the LSN, set after the record, the checksum, set when the page is
/// written, and the hole.
fn comparable(page: &Page, hole: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = page.bytes().to_vec();
    bytes[..10].fill(0);
    bytes[hole].fill(0);
    bytes
}

fn inspected(instance: &Instance, client: &mut Client, start: Lsn) -> String {
    let upto = flushed(client);
    let version = wal::version(client);
    let records: Vec<Record> = wal::records(instance, version, start, upto).collect();
    walinspect::compare(client, version, &records)
}
