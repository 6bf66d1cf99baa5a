//! The WAL of an instance, read from its own folder: everything between two positions, record by record.

use crate::instance::Instance;
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, Lent, Next, Record, RecordRef, Segment, WalStream};
use postgres::Client;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Bytes read at once.
const PIECE: u64 = 1 << 16;

/// The server's version.
///
/// # Panics
/// Where the server does not answer.
#[must_use]
pub fn version(client: &mut Client) -> PgVersion {
    let text: String = client.query_one("SHOW server_version_num", &[]).expect("a server answers SHOW").get(0);
    PgVersion(text.parse().expect("a number"))
}

fn position(client: &mut Client, function: &str) -> Lsn {
    let text: String = client.query_one(&format!("SELECT {function}()::text"), &[]).expect("a position").get(0);
    text.parse().expect("an LSN")
}

/// Where the next record will start.
#[must_use]
pub fn insert_position(client: &mut Client) -> Lsn {
    position(client, "pg_current_wal_insert_lsn")
}

/// Up to where WAL is in the files; everything that was written before the call is.
///
/// # Panics
/// Where the server refuses.
#[must_use]
pub fn flushed(client: &mut Client) -> Lsn {
    // a commit flushes if its transaction wrote WAL; an xid alone is not enough
    let message = "SET synchronous_commit = on; SELECT pg_logical_emit_message(true, 'ffviz', 'flush')";
    client.batch_execute(message).expect("a transaction");
    position(client, "pg_current_wal_flush_lsn")
}

/// The records from one position up to another; the first must be the start of a record.
///
/// # Panics
/// While it is read: where the WAL between them cannot be read to its end.
pub fn records(instance: &Instance, version: PgVersion, from: Lsn, to: Lsn) -> impl Iterator<Item = Record> {
    let mut stream = WalStream::new(from, version, DEFAULT_SEGMENT_SIZE);
    std::iter::from_fn(move || {
        while stream.position() < to {
            match stream.next() {
                Next::Record(record) => return Some(record),
                Next::More => push(instance, &mut stream),
                Next::End(end) => panic!("WAL ends at {} before {to}: {}", end.at, end.why),
            }
        }
        None
    })
}

/// The same without keeping them: each is lent to `look`.
///
/// # Panics
/// Where the WAL between them cannot be read to its end.
pub fn each_record(instance: &Instance, version: PgVersion, from: Lsn, to: Lsn, mut look: impl FnMut(RecordRef<'_>)) {
    let mut stream = WalStream::new(from, version, DEFAULT_SEGMENT_SIZE);
    while stream.position() < to {
        match stream.lend() {
            Lent::Record(record) => look(record),
            Lent::More => push(instance, &mut stream),
            Lent::End(end) => panic!("WAL ends at {} before {to}: {}", end.at, end.why),
        }
    }
}

/// Gives the stream the bytes it wants next, from the segment's file.
fn push(instance: &Instance, stream: &mut WalStream) {
    let at = stream.wants();
    let segment = Segment::of(at, 1, DEFAULT_SEGMENT_SIZE);
    let path = instance.data().join("pg_wal").join(segment.file_name());
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let piece = PIECE.min(segment.next().start().0 - at.0);
    let read = |room: &mut [u8]| file.read_exact_at(room, at.0 - segment.start().0).map(|()| room.len());
    stream.fill(piece as usize, read).expect("segments have their full size");
}
