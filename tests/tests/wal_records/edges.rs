//! Where a stream begins, is cut and ends: the records must not depend on how the bytes come.

use crate::files::{Wal, read_on};
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{EndOfWal, Next, Record, Segment, WalStream, XLOG_BLCKSZ};
use ffviz_tests::workload::Random;

const PAGE: u64 = XLOG_BLCKSZ as u64;

/// All of it over a server's WAL.
pub fn check(wal: &Wal, records: &[Record]) -> String {
    let bytes = wal.bytes();
    [
        pieces(wal, &bytes, records),
        starts(wal, &bytes, records),
        cuts(wal, &bytes, records),
        long_records(wal, records),
        ends(wal, &bytes, records),
    ]
    .concat()
}

/// The same bytes in pieces of other sizes give the same records.
fn pieces(wal: &Wal, bytes: &[u8], records: &[Record]) -> String {
    let mut random = Random(7);
    let (mut rounds, mut pushed) = (0, 0);
    for (longest, of) in [(1, bytes.len() / 40), (7, bytes.len() / 10), (9000, bytes.len()), (1 << 20, bytes.len())] {
        let mut stream = wal.stream(wal.start());
        let mut read = Vec::new();
        let mut rest = &bytes[..of];
        while !rest.is_empty() {
            let piece = (random.below(longest) as usize + 1).min(rest.len());
            stream.push(&rest[..piece]);
            rest = &rest[piece..];
            pushed += 1;
            read_on(&mut stream, &mut read);
        }
        let whole = records.iter().take_while(|record| behind(record) <= wal.start().plus(of as u64)).count();
        assert_eq!(read.len(), whole, "pieces up to {longest} bytes");
        assert_eq!(read, records[..whole], "pieces up to {longest} bytes");
        rounds += 1;
    }
    format!("  the same records from {pushed} pieces of 1 byte to 1 MB in {rounds} rounds\n")
}

/// Does the position lie in the rest of a segment that a switch left unused? There are not even page headers.
fn is_after_switch(record: &Record, position: Lsn) -> bool {
    position < record.end && position >= Lsn((behind(record).0).next_multiple_of(PAGE))
}

/// The position behind the last byte of a record; `end` may lie further, aligned or at the end of a segment.
fn behind(record: &Record) -> Lsn {
    // within the record's pages are headers: the end is at most 7 bytes before the aligned one
    let length = record.bytes.len() as u64;
    let is_switch = record.bytes.len() == 24 && record.bytes[17] == 0 && record.bytes[16] & 0xF0 == 0x40;
    let end = if is_switch { record.start.plus(24) } else { record.end };
    Lsn(end.0 - (8 - length % 8) % 8)
}

/// A stream may begin at any page and at any record.
fn starts(wal: &Wal, bytes: &[u8], records: &[Record]) -> String {
    let last = records.last().expect("a record");
    let at_pages = (0..last.start.0 - wal.start().0).step_by(PAGE as usize).map(|at| wal.start().plus(at));
    let at_records = records.iter().step_by(50).map(|record| record.start);
    let (mut tried, mut within) = (0, 0);
    for start in at_pages.chain(at_records) {
        let n = records.partition_point(|record| record.start < start);
        if n > 0 && is_after_switch(&records[n - 1], start) {
            continue;
        }
        let wanted = &records[n..(n + 3).min(records.len())];
        let mut stream = wal.stream(start);
        let from = (start.0 - wal.start().0) as usize;
        // as much as the wanted records need
        let upto = wanted.last().map_or(bytes.len(), |record| (record.end.0 - wal.start().0) as usize);
        stream.push(&bytes[from..upto.max(from)]);
        let mut read = Vec::new();
        let end = read_on(&mut stream, &mut read);
        assert_eq!(read, wanted, "from {start}: {end:?}");
        tried += 1;
        within += usize::from(n > 0 && records[n - 1].end > start);
    }
    format!("  {tried} beginnings at a page or record, {within} of them within a record\n")
}

/// A stream that ends anywhere asks for more; with the rest it goes on as if nothing had been.
fn cuts(wal: &Wal, bytes: &[u8], records: &[Record]) -> String {
    let mut random = Random(11);
    let mut within = 0;
    const CUTS: usize = 300;
    for _ in 0..CUTS {
        let n = random.below(records.len() as u64 - 8) as usize;
        let (first, cut_one) = (&records[n], &records[n + 3]);
        let cut = cut_one.start.0 + random.below(cut_one.end.0 - cut_one.start.0);
        let mut stream = wal.stream(first.start);
        let at = |lsn: u64| (lsn - wal.start().0) as usize;
        stream.push(&bytes[at(first.start.0)..at(cut)]);
        let mut read = Vec::new();
        assert_eq!(read_on(&mut stream, &mut read), None, "cut at {}", Lsn(cut));
        within += usize::from(read.len() == 3);
        assert_eq!(stream.wants(), Lsn(cut));
        stream.push(&bytes[at(cut)..at(records[n + 6].end.0)]);
        assert_eq!(read_on(&mut stream, &mut read), None);
        assert_eq!(read, records[n..n + 7], "cut at {}", Lsn(cut));
    }
    format!("  {CUTS} cuts, {within} of them within a record\n")
}

/// Records that cross pages and segments were among them, and the record after a switch starts in the next segment.
fn long_records(wal: &Wal, records: &[Record]) -> String {
    let segment = |lsn: Lsn| Segment::of(lsn, 1, wal.segment_size()).number;
    let page = |lsn: Lsn| lsn.0 / PAGE;
    let pages = records.iter().filter(|record| page(behind(record)) > page(record.start)).count();
    let segments = records.iter().filter(|record| segment(behind(record)) > segment(record.start)).count();
    let longest = records.iter().map(|record| record.bytes.len()).max().unwrap_or(0);
    assert!(pages > 20 && longest > 64 << 10, "{pages} records cross pages, the longest has {longest} bytes");
    let mut switches = 0;
    for pair in records.windows(2) {
        if segment(pair[0].end) > segment(behind(&pair[0])) {
            let next = Segment::of(pair[1].start, 1, wal.segment_size());
            assert_eq!((pair[0].end, pair[1].start), (next.start(), next.start().plus(40)), "after a switch");
            switches += 1;
        }
    }
    format!(
        "  {pages} records cross pages, {segments} segments; the longest has {longest} bytes; {switches} switches of segment\n"
    )
}

/// WAL that ends, is another version's, or is damaged: a sentence, and which of these it is.
fn ends(wal: &Wal, bytes: &[u8], records: &[Record]) -> String {
    let other = PgVersion(if wal.version.major() == 18 { 170_000 } else { 180_000 });
    let mut stream = WalStream::new(wal.start(), other, wal.segment_size());
    stream.push(&bytes[..1 << 16]);
    let Next::End(end) = stream.next() else { panic!("read as {other:?}") };
    assert!(!end.is_plain && end.why.contains("magic"), "{end:?}");

    let mut stream = WalStream::new(wal.start(), wal.version, wal.segment_size() * 2);
    stream.push(&bytes[..1 << 16]);
    let Next::End(end) = stream.next() else { panic!("read with segments of another size") };
    assert!(!end.is_plain && end.why.contains("segments"), "{end:?}");

    // a record within a page, and the page after it: damaged, never written, or an older use of the file
    let is_within =
        |record: &&Record| record.start.0 / PAGE == record.end.0 / PAGE && record.start.0 > wal.start().0 + (1 << 16);
    let victim = records.iter().find(is_within).expect("a record within a page");
    let record = (victim.start.0 - wal.start().0) as usize;
    let page = record - record % PAGE as usize + PAGE as usize;
    let sum = end_of(wal, bytes, |bytes| bytes[record + 23] ^= 1);
    assert_eq!((sum.at, sum.is_plain), (victim.start, false), "{}", sum.why);
    let zero = end_of(wal, bytes, |bytes| bytes[page..page + PAGE as usize].fill(0));
    assert!(zero.is_plain && zero.at <= wal.start().plus(page as u64), "{zero:?}");
    let older = end_of(wal, bytes, |bytes| bytes[page + 10] ^= 0x20);
    assert!(older.is_plain && older.why.contains("older"), "{older:?}");
    let sentences = [sum, zero, older].map(|end| end.why).join("; ");
    format!("  ends: {sentences}\n")
}

/// Where the changed bytes end.
fn end_of(wal: &Wal, bytes: &[u8], change: impl FnOnce(&mut [u8])) -> EndOfWal {
    let mut bytes = bytes.to_vec();
    change(&mut bytes);
    let mut stream = wal.stream(wal.start());
    stream.push(&bytes);
    read_on(&mut stream, &mut Vec::new()).expect("an end")
}
