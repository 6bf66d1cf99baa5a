//! Records registered again from their parts, in the server's order and with its settings as far as the records tell
//! them.

use crate::builders;
use ffviz_format::page::{ForkNumber, Lsn, Page, PgVersion};
use ffviz_format::wal::rec::other::XlSmgrTruncate;
use ffviz_format::wal::rec::xlog::{CheckPoint, XlParameterChange};
use ffviz_format::wal::{BlockRef, BlockTag, DecodedRecord, Record, Rmgr};
use ffviz_simulator::access::transam::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// `XLR_CHECK_CONSISTENCY`
const XLR_CHECK_CONSISTENCY: u8 = 2;
/// Resource managers whose records this program makes.
const OWN: [Rmgr; 4] = [Rmgr::HEAP, Rmgr::HEAP2, Rmgr::BTREE, Rmgr::SEQUENCE];

/// What was built and compared, by type of record.
#[derive(Default)]
pub struct Tally {
    types: BTreeMap<(u8, String), [usize; 2]>,
    bytes: usize,
    images: usize,
    /// images by method of compression
    compressed: BTreeMap<&'static str, usize>,
    /// images for `wal_consistency_checking` only
    checks: usize,
    /// records that differ in alignment that the server did not set, and in the CRC over it
    unset: usize,
    /// block references whose image, or its absence, followed from `pd_lsn`
    decided: [usize; 2],
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records: usize = self.types.values().map(|[all, _]| all).sum();
        let built: usize = self.types.values().map(|[_, built]| built).sum();
        writeln!(
            f,
            "{records} records of {} types rebuilt, {} bytes, {} images ({:?}, {} for checks only), {built} records by functions of \
             their own, {} differ in bytes that the server does not set; by pd_lsn and redo pointer {} blocks got an image and {} none:",
            self.types.len(),
            self.bytes,
            self.images,
            self.compressed,
            self.checks,
            self.unset,
            self.decided[1],
            self.decided[0],
        )?;
        for ((rmgr, name), [all, built]) in &self.types {
            let by = if *built > 0 { format!(" ({built} by its function)") } else { String::new() };
            write!(f, " {}/{name} {all}{by}", Rmgr(*rmgr).name())?;
        }
        writeln!(f)
    }
}

/// The server's side while its WAL is built again.
struct Rebuild {
    wal: WalWriter,
    backend: BackendWal,
    /// redo pointers of all checkpoints, ascending
    redos: BTreeSet<Lsn>,
    /// are hints logged? initdb makes checksums from 18 on; the test's settings count after it
    log_hints: bool,
    /// `pd_lsn` of the pages that records changed
    lsns: BTreeMap<BlockTag, Lsn>,
    tally: Tally,
}

/// Builds all records again; each must become what it is, in its place.
pub fn all(version: PgVersion, records: &[Record]) -> Tally {
    let first = records.first().expect("a record");
    let settings =
        WalSettings { version, level: WalLevel::Logical, compression: None, consistency_checking: Vec::new() };
    let wal = WalWriter::new(settings, InsertPosition::new(first.start, Lsn(0), 16 << 20), Lsn(0), Keep::Records);
    let mut rebuild = Rebuild {
        backend: wal.backend(),
        wal,
        redos: records.iter().filter_map(|record| redo_of(record, version)).collect(),
        log_hints: version.major() >= 18,
        lsns: BTreeMap::new(),
        tally: Tally::default(),
    };
    records.iter().for_each(|record| rebuild.one(version, record));
    for (rmgr, name) in builders::OF_ALL_VERSIONS {
        let counts = rebuild.tally.types.get(&(rmgr, name.to_owned()));
        assert!(counts.is_some_and(|[_, own]| *own > 0), "{version}: no {name} was made by its function");
    }
    rebuild.tally
}

/// The redo pointer that a checkpoint record tells.
fn redo_of(record: &Record, version: PgVersion) -> Option<Lsn> {
    let decoded = record.decode(version).expect("the server's own record");
    let is_checkpoint = ["CHECKPOINT_ONLINE", "CHECKPOINT_SHUTDOWN"].contains(&decoded.type_name().as_str());
    is_checkpoint.then(|| CheckPoint::new(decoded.main_data).redo().0)
}

/// Is it the heap page of a VISIBLE record? Its LSN stays, unless hints are logged; then it gets no image either.
fn is_made_visible(decoded: &DecodedRecord<'_>, block: &BlockRef<'_>) -> bool {
    decoded.type_name() == "VISIBLE" && block.id == 1
}

/// The record's bytes without those; its CRC covers them.
fn without(record: &Record, unset: std::ops::Range<usize>) -> Vec<u8> {
    let mut bytes = record.bytes.to_vec();
    if !unset.is_empty() {
        bytes[unset].fill(0);
        bytes[20..24].fill(0);
    }
    bytes
}

impl Rebuild {
    fn one(&mut self, version: PgVersion, record: &Record) {
        let decoded = record.decode(version).expect("the server's own record");
        if let Some(redo) = self.redos.range(..=record.start).next_back() {
            self.wal.set_redo_rec_ptr(*redo);
        }
        let images = decoded.blocks.iter().filter_map(|block| block.image);
        self.wal.settings.compression = images.clone().find_map(|image| image.compression);
        let checks = decoded.info() & XLR_CHECK_CONSISTENCY != 0;
        self.wal.settings.consistency_checking = if checks { vec![decoded.rmgr()] } else { Vec::new() };
        let pages: Vec<Page> = decoded.blocks.iter().map(|block| self.page(&decoded, block)).collect();
        let backend = &mut self.backend;
        (backend.xid, backend.origin, backend.toplevel_xid) = (decoded.xid(), decoded.origin, decoded.toplevel_xid);
        let built = builders::insert(&mut self.wal, &mut self.backend, &decoded, &pages);
        let inserted = built.unwrap_or_else(|| self.plain(&decoded, &pages));
        let made = self.wal.take_records().pop().expect("records are kept");
        self.wal.forget_before(made.end);
        assert_eq!((made.start, made.end), (record.start, record.end), "{version}: {}", decoded.type_name());
        self.tally.unset += usize::from(made.bytes != record.bytes);
        let unset = builders::left_unset(&decoded);
        let (ours, theirs) = (without(&made, unset.clone()), without(record, unset));
        assert_eq!(ours, theirs, "{version}: {} at {}", decoded.type_name(), record.start);
        assert_eq!((inserted.start, inserted.end), (record.start, record.end));
        self.count(&decoded, built.is_some());
        if (decoded.rmgr(), decoded.type_name().as_str()) == (Rmgr::STORAGE, "TRUNCATE") {
            // pages beyond the end are made anew
            let locator = XlSmgrTruncate::new(decoded.main_data).rlocator();
            self.lsns.retain(|tag, _| tag.locator != locator);
        }
        if decoded.type_name() == "PARAMETER_CHANGE" {
            self.log_hints = XlParameterChange::new(decoded.main_data).wal_log_hints();
        }
        for block in decoded.blocks.iter().filter(|block| self.log_hints || !is_made_visible(&decoded, block)) {
            self.lsns.insert(block.tag, record.end);
        }
    }

    fn count(&mut self, decoded: &DecodedRecord<'_>, built: bool) {
        let [all, own] = self.tally.types.entry((decoded.rmgr().0, decoded.type_name())).or_default();
        *all += 1;
        *own += usize::from(built);
        self.tally.bytes += decoded.tot_len() as usize;
        for image in decoded.blocks.iter().filter_map(|block| block.image) {
            self.tally.images += 1;
            self.tally.checks += usize::from(!image.apply);
            let method = image.compression.map_or("plain", |method| method.name());
            *self.tally.compressed.entry(method).or_default() += 1;
        }
    }

    /// The page as it was when the record was made: from its image, else only its header is known.
    fn page(&mut self, decoded: &DecodedRecord<'_>, block: &BlockRef<'_>) -> Page {
        let known = self.lsns.get(&block.tag).copied();
        if block.image.is_none() {
            let mut page = Page::init(8192, 0);
            // a page that no record changed so far is told by its record to be newer
            page.set_pd_lsn(known.unwrap_or(Lsn(u64::MAX)));
            return page;
        }
        let page = decoded.restore(block, 8192).expect("the server's own image");
        if let Some(known) = known.filter(|_| OWN.contains(&decoded.rmgr())) {
            assert_eq!(
                page.header().pd_lsn(),
                known,
                "{} at {}: {}",
                decoded.type_name(),
                decoded.record.start,
                block.tag
            );
        }
        page
    }

    /// The record by what it registers.
    fn plain(&mut self, decoded: &DecodedRecord<'_>, pages: &[Page]) -> Inserted {
        let data: Vec<[&[u8]; 2]> =
            decoded.blocks.iter().map(|block| block.data.split_at(block.data.len() / 2)).map(|(a, b)| [a, b]).collect();
        let mut blocks = Vec::new();
        for ((block, page), data) in decoded.blocks.iter().zip(pages).zip(&data) {
            let flags = self.flags(decoded, block);
            blocks.push(Block { data, ..Block::new(block.id, block.tag, page.bytes(), flags) });
        }
        let (front, back) = decoded.main_data.split_at(decoded.main_data.len() / 2);
        let assembly = Assembly {
            blocks: &blocks[..],
            main: &[front, back],
            include_origin: true,
            ..Assembly::new(decoded.rmgr(), decoded.info() & !XLR_CHECK_CONSISTENCY)
        };
        self.wal.insert(&mut self.backend, &assembly)
    }

    /// What the operation asks for. The access methods of this program leave the image to `pd_lsn`; of others only the
    /// outcome is known.
    fn flags(&mut self, decoded: &DecodedRecord<'_>, block: &BlockRef<'_>) -> u8 {
        let image = block.image.filter(|image| image.apply);
        let has_hole = block.image.is_some_and(|image| image.hole_length > 0);
        let mut flags = if has_hole { REGBUF_STANDARD } else { 0 };
        flags |= if image.is_some() && block.has_data { REGBUF_KEEP_DATA } else { 0 };
        if is_made_visible(decoded, block) && !self.log_hints {
            return flags | REGBUF_NO_IMAGE;
        }
        if block.will_init {
            return flags | REGBUF_WILL_INIT;
        }
        if OWN.contains(&decoded.rmgr()) {
            self.tally.decided[usize::from(image.is_some())] += 1;
            let is_map = block.tag.fork == ForkNumber::Vm;
            return flags | if is_map { 0 } else { REGBUF_STANDARD };
        }
        flags | if image.is_some() { REGBUF_FORCE_IMAGE } else { REGBUF_NO_IMAGE }
    }
}
