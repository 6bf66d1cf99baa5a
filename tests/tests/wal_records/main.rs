//! The WAL reader against real servers: every record of every workload, as its own server tells it.
//!
//! ```text
//!  walinspect   15+: each record and each block reference, as pg_walinspect shows them; 16+: block data and restored pages byte for byte
//!  rebuilt      15+: records made of what pg_walinspect tells are those of the WAL, but for bytes that they say are not told
//!  witnesses    all: what else the server says: LSNs of pages, EXPLAIN (WAL), pg_control_checkpoint()
//!  explained    all: the engine's own words about a record add up
//!  images       restored images are the pages that the server had at that moment
//!  life         segments of 1 MB: crash within a record, recycled files, promotion; of 64 MB
//!  edges        the same bytes in pieces, from anywhere, cut anywhere, damaged
//!  damage       changed and cut WAL: no panic, always an end
//! ```

mod damage;
mod edges;
mod explained;
mod files;
mod images;
mod life;
mod rebuilt;
mod types;
mod walinspect;
mod witnesses;

use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::workload::{self, SETTINGS};
use files::Wal;

ffviz_tests::each_version!(records: super::every_record);
ffviz_tests::each_version!(images_of_pages: super::images::of_pages);
ffviz_tests::each_version!(damaged_wal: super::damage::of_real_wal);
ffviz_tests::each_version!(edges_of_streams: super::life::of_a_cluster);

/// Runs all workloads and compares their WAL with everything that the server says about it.
fn every_record(major: u32) {
    let instance = Instance::create(major, &format!("{SETTINGS}\nwal_log_hints = on"));
    for workload in workload::all() {
        workload.run(major, &mut || instance.client());
    }
    let mut client = instance.client();
    let explained = witnesses::explain(&instance, &mut client);
    let pages = witnesses::page_lsns(&mut client);
    let _ = ffviz_tests::wal::flushed(&mut client);
    let wal = Wal::of(&instance, &mut client, 1);
    let (records, end) = wal.records();
    assert!(end.as_ref().is_some_and(|end| end.is_plain), "{major}: the WAL ends with {end:?}");
    print!("PostgreSQL {major}: {explained}");
    print!("{}", witnesses::compare_page_lsns(&pages, &wal, &records));
    print!("{}", witnesses::checkpoint(&mut client, &wal, &records));
    print!("{}", explained::check(&wal, &records));
    // it asks for each record by itself: on the first version that has it, and the newest
    if [15, NEWEST].contains(&major) {
        print!("{}", walinspect::compare(&mut client, wal.version, &records));
        print!("{}", rebuilt::compare(&mut client, wal.version, &records));
    }
    println!("{}", types::tally(&wal, &records));
}
