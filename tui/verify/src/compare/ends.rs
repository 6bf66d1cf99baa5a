//! Records that tell of no page: how transactions end (`XactLogCommitRecord`, `XactLogAbortRecord`), and which tables
//! TRUNCATE has emptied.
//!
//! ```text
//!  COMMIT  time │ xinfo │ dbinfo │ subtransactions │ files │ statistics │ invalidation messages
//!          ·    │   =   │    =   │        =        │   =   │     =      │ ·                       · not compared
//! ```
//!
//! The messages are about rows of catalogs, which the simulator does not have; where a COMMIT has some, it names its
//! database for their sake.
//!
//! Messages are hashes of keys of catalogs' rows; a report counts them. All else is compared part by part, as is what
//! TRUNCATE tells logical decoding, and which records came before.

use super::Comparer;
use super::field::hex;
use super::wal::place;
use ffviz_format::page::{Lsn, TransactionId};
use ffviz_format::wal::rec::standby::MESSAGE_SIZE;
use ffviz_format::wal::rec::xact::{XACT_XINFO_HAS_DBINFO, XACT_XINFO_HAS_INVALS, XLOG_XACT_HAS_INFO, XactEnd};
use ffviz_format::wal::{DecodedRecord, RelFileLocator, Rmgr};
use ffviz_simulator::sql::trace::{StatementTrace, WalTrace};

impl Comparer {
    /// Compares these records of a statement.
    pub(super) fn ends(&mut self, server: &StatementTrace, engine: &StatementTrace) {
        self.failed = server.error.is_some();
        let tell = |wal: Option<&WalTrace>| wal.map_or("none".to_owned(), |wal| format!("{}/{}", wal.rmgr, wal.kind));
        for n in 0..server.ends.len().max(engine.ends.len()) {
            let (theirs, ours) = (server.ends.get(n), engine.ends.get(n));
            match (theirs, ours) {
                (Some(theirs), Some(ours)) if theirs.kind == ours.kind => {
                    self.found.counts.ends += 1;
                    let place = place(n, theirs);
                    let before = (self.before(theirs, &server.wal), self.before(ours, &engine.wal));
                    // a record that one of them lacks has been told of
                    if self.compared(&server.wal).len() == self.compared(&engine.wal).len() {
                        self.check(&place, "listed records before it", &before.0, &before.1);
                    }
                    self.end(&place, theirs, ours);
                }
                _ => self.differs(&format!("record {} about no page", n + 1), "type", tell(theirs), tell(ours)),
            }
        }
    }

    fn end(&mut self, place: &str, server: &WalTrace, engine: &WalTrace) {
        let (Some(theirs), Some(ours)) = (&server.record, &engine.record) else { return };
        let (Ok(theirs), Ok(ours)) = (theirs.decode(self.version), ours.decode(self.version)) else { return };
        // XLOG_XACT_HAS_INFO follows from xinfo
        let info = |record: &DecodedRecord<'_>| record.info() & !XLOG_XACT_HAS_INFO;
        self.check(place, "xl_info", &info(&theirs), &info(&ours));
        self.check(place, "xl_xid", &theirs.xid(), &ours.xid());
        self.check(place, "top-level transaction", &theirs.toplevel_xid, &ours.toplevel_xid);
        if theirs.rmgr() == Rmgr::TRANSACTION {
            self.xact_end(place, &parts(&theirs), &parts(&ours));
        } else {
            // between flags and OIDs are three bytes of padding
            let parts =
                |record: &DecodedRecord<'_>| (record.main_data.get(..9).map(hex), record.main_data.get(12..).map(hex));
            self.check(place, "main data", &parts(&theirs), &parts(&ours));
        }
    }

    /// COMMIT or ABORT, part by part.
    fn xact_end(&mut self, place: &str, server: &XactEnd<'_>, engine: &XactEnd<'_>) {
        let messages = server.msgs.items.bytes.len() / MESSAGE_SIZE;
        self.found.counts.messages_left_out += messages as u64;
        let is_named_for_messages = messages > 0 && engine.dbinfo.bytes.is_empty();
        let left_out =
            if is_named_for_messages { XACT_XINFO_HAS_INVALS | XACT_XINFO_HAS_DBINFO } else { XACT_XINFO_HAS_INVALS };
        self.check(place, "xinfo", &(server.xinfo() & !left_out), &(engine.xinfo() & !left_out));
        if !is_named_for_messages {
            self.part(place, "database", server.dbinfo.bytes, engine.dbinfo.bytes);
        }
        let subxacts = |end: &XactEnd<'_>| end.subxacts.items.values::<TransactionId>();
        self.check(place, "subtransactions", &subxacts(server), &subxacts(engine));
        self.check(place, "number of files", &server.rels.count.bytes, &engine.rels.count.bytes);
        self.check(place, "number of statistics", &server.stats.count.bytes, &engine.stats.count.bytes);
        // the simulator is told the OIDs of what is there after a statement; what a failed one has made nobody saw
        if !self.failed {
            let files = |end: &XactEnd<'_>| end.rels.items.values::<RelFileLocator>();
            self.check(place, "files", &files(server), &files(engine));
            self.part(place, "statistics", server.stats.items.bytes, engine.stats.items.bytes);
        }
    }

    /// How many of the listed records came before it.
    fn before(&self, wal: &WalTrace, listed: &[WalTrace]) -> usize {
        let start = |wal: &WalTrace| wal.record.as_ref().map_or(Lsn(0), |record| record.start);
        self.compared(listed).into_iter().filter(|other| start(other) < start(wal)).count()
    }

    fn part(&mut self, place: &str, field: &str, server: &[u8], engine: &[u8]) {
        if server != engine {
            self.differs(place, field, hex(server), hex(engine));
        }
    }
}

fn parts<'a>(record: &DecodedRecord<'a>) -> XactEnd<'a> {
    XactEnd::new(record.main_data, record.info(), record.version, record.type_name() == "COMMIT")
}
