//! Checkpoints and crashes of a cluster with one file: what is written, what is lost, what recovery makes of a torn
//! page.

use super::{Cluster, Torn};
use crate::access::transam::{
    InsertPosition, Keep, REGBUF_STANDARD, REGBUF_WILL_INIT, WalLevel, WalSettings, WalWriter,
};
use crate::storage::{BLCKSZ, Buffer, Happening, Instance, Registered, Settings, Trace, Transam};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Lsn, OffsetNumber, Page, PgVersion};
use ffviz_format::wal::rec::heap::{XlHeapHeader, XlHeapInsert};
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, RelFileLocator, Rmgr};

const DATABASE: u32 = 5;
const LOCATOR: RelFileLocator = RelFileLocator { spc: 1663, db: DATABASE, rel: 16_384 };
/// a tuple of 28 bytes
const LENGTH: u16 = 28;

fn cluster(major: u32, data_checksums: bool) -> Cluster {
    let start = Lsn(0x0200_0028);
    let wal = WalSettings {
        version: PgVersion(major * 10_000 + 1),
        level: WalLevel::Replica,
        compression: None,
        consistency_checking: Vec::new(),
    };
    let position = InsertPosition::new(start, Lsn(start.0 - 40), DEFAULT_SEGMENT_SIZE);
    let settings = Settings { data_checksums, ..Settings::default() };
    let wal = WalWriter::new(wal, position, start, Keep::Records);
    let mut cluster = Cluster::new(Instance::new(settings, wal, Transam::new(740, 16_400)), DATABASE, 0);
    cluster.pg.buffers.create(LOCATOR, true);
    cluster
}

/// The only page.
fn page(cluster: &mut Cluster) -> Buffer {
    let file = cluster.pg.buffers.find(LOCATOR).expect("it was made");
    let buf = Buffer::main(file, 0);
    if cluster.pg.buffers.nblocks(file, ForkNumber::Main) == 0 {
        cluster.pg.extend(file, ForkNumber::Main, 1);
    }
    buf
}

/// INSERT of a tuple, as heap_insert would do and log it.
fn insert(cluster: &mut Cluster) {
    let buf = page(cluster);
    cluster.pg.current_xid();
    let is_new = cluster.pg.buffers.page(buf).is_new();
    if is_new {
        *cluster.pg.buffers.page_mut(buf) = Page::init(BLCKSZ, 0);
    }
    let offset = OffsetNumber(cluster.pg.buffers.page(buf).item_count() + 1);
    let mut tuple = [0; LENGTH as usize];
    (tuple[18], tuple[22]) = (1, 24);
    tuple[24..].copy_from_slice(&[offset.0 as u8; 4]);
    cluster.pg.buffers.page_mut(buf).add_item(&tuple, offset, true).expect("the page has room");
    cluster.pg.mark_buffer_dirty(buf);
    let flags = REGBUF_STANDARD | if is_new { REGBUF_WILL_INIT } else { 0 };
    let data: [&[u8]; 2] = [&XlHeapHeader::make(1, 0, 24), &tuple[23..]];
    let block = Registered { id: 0, buf, flags, data: &data, sets_lsn: true };
    let main: &[u8] = &XlHeapInsert::make(offset.0, 0);
    cluster.pg.xlog_insert(Rmgr::HEAP, if is_new { 0x80 } else { 0 }, &[main], &[block]);
}

/// The values of the tuples that are whole.
fn values(cluster: &mut Cluster) -> Vec<u8> {
    let buf = page(cluster);
    let page = cluster.pg.buffers.page(buf);
    let lengths = page.line_pointers().map(|(_, lp)| lp.lp_off()..lp.lp_off() + LENGTH);
    lengths.map(|bytes| page.slice(bytes)[24]).collect()
}

/// Types of the records since they were last taken.
fn types(cluster: &mut Cluster) -> Vec<String> {
    let records = cluster.pg.wal.take_records();
    records.iter().map(|record| record.decode(cluster.version()).expect("a record").type_name()).collect()
}

#[test]
fn a_checkpoint_writes_what_is_dirty_and_says_where_recovery_begins() {
    for major in [13, 16, 17, 18] {
        let mut cluster = cluster(major, false);
        insert(&mut cluster);
        cluster.pg.wal.take_records();
        let at = cluster.pg.wal.position().next_start();
        let buf = page(&mut cluster);
        assert!(cluster.pg.buffers.is_dirty(buf));
        cluster.checkpoint();
        assert!(!cluster.pg.buffers.is_dirty(buf));
        let redo: &[&str] = if major >= 17 { &["CHECKPOINT_REDO"] } else { &[] };
        assert_eq!(types(&mut cluster), [redo, &["RUNNING_XACTS", "CHECKPOINT_ONLINE"]].concat());
        assert_eq!((cluster.control().redo, cluster.control().state.next_xid), (at, 741));
        assert_eq!(cluster.pg.wal.redo_rec_ptr(), at);
    }
}

#[test]
fn a_crash_loses_buffers_and_recovery_brings_them_back() {
    let mut cluster = cluster(18, false);
    for _ in 0..3 {
        insert(&mut cluster);
    }
    cluster.checkpoint();
    cluster.pg.trace = Trace::of(usize::MAX);
    insert(&mut cluster);
    insert(&mut cluster);
    let before = values(&mut cluster);
    cluster.pg.wal.take_records();
    // an xid that no record has is given out again
    cluster.pg.transam.assign(None);
    cluster.crash(None).expect("it recovers");
    assert_eq!(values(&mut cluster), before);
    assert_eq!(types(&mut cluster), ["CHECKPOINT_SHUTDOWN"]);
    assert_eq!((cluster.pg.transam.next_xid, cluster.pg.transam.latest_completed), (741, 740));
    assert!(!cluster.pg.transam.did_commit(740) && !cluster.pg.transam.is_in_progress(740));
    assert_eq!(cluster.pg.buffers.dirty().count(), 0);
    let replayed = cluster.pg.trace.happenings.iter().filter(|one| matches!(one, Happening::Replayed(..))).count();
    assert_eq!(replayed, 2);
}

/// An image has no main data: it sets no counter aside.
#[test]
fn an_image_leaves_the_counter_of_oids_alone() {
    let mut cluster = cluster(18, false);
    insert(&mut cluster);
    cluster.checkpoint();
    let buf = page(&mut cluster);
    cluster.pg.new_object_id();
    let announced = cluster.pg.transam.announced_oids();
    cluster.pg.log_newpage_buffer(buf, true);
    cluster.crash(None).expect("it recovers");
    assert_eq!(cluster.pg.transam.next_oid, announced);
}

/// The first 4096 bytes of the page are new: they have all line pointers, but the tuples lie in the other half.
fn torn(major: u32, checksums: bool, full_page_writes: bool) -> (Cluster, Result<(), String>) {
    let mut cluster = cluster(major, checksums);
    insert(&mut cluster);
    cluster.pg.log_full_page_writes(full_page_writes);
    cluster.checkpoint();
    insert(&mut cluster);
    insert(&mut cluster);
    let buf = page(&mut cluster);
    let recovered = cluster.crash(Some(Torn { buf, bytes: 4096 })).map_err(|error| error.message.to_string());
    (cluster, recovered)
}

#[test]
fn an_image_repairs_a_torn_page() {
    for checksums in [false, true] {
        let (mut cluster, recovered) = torn(18, checksums, true);
        assert_eq!((recovered, values(&mut cluster)), (Ok(()), alloc::vec![1, 2, 3]));
    }
}

#[test]
fn without_images_a_torn_page_stays_or_is_found_by_its_checksum() {
    let (mut cluster, recovered) = torn(18, false, false);
    assert_eq!((recovered, values(&mut cluster)), (Ok(()), alloc::vec![1, 0, 0]));
    for (major, message) in [
        (13, "invalid page in block 0 of relation base/5/16384"),
        (18, "invalid page in block 0 of relation \"base/5/16384\""),
    ] {
        let (mut cluster, recovered) = torn(major, true, false);
        assert_eq!(recovered, Err(message.to_string()));
        assert_eq!(cluster.start_statement().map_err(|error| error.message.clone()), Err(message.into()));
    }
}
