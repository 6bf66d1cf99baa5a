//! Where the counters of a server stand right after initdb: measured on 13.23, 14.23, 15.18, 16.14, 17.10 and 18.4.

use ffviz_format::page::{Lsn, Oid, PgVersion, TransactionId};

/// Next xid, OID of the first relation and insert position of a fresh server of that version.
#[must_use]
pub const fn fresh_counters(version: PgVersion) -> (TransactionId, Oid, Lsn) {
    let (xid, lsn) = match version.major() {
        13 => (487, 0x0150_0000),
        14 => (727, 0x0150_0000),
        15 => (717, 0x0150_0000),
        16 => (732, 0x0150_0000),
        17 => (731, 0x0150_0000),
        _ => (753, 0x0150_0000),
    };
    (xid, 16384, Lsn(lsn))
}
