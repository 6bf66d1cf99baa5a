//! What a script asks for besides SQL: settings, counters, crashes (`--@ …`).

use super::observe::Seen;
use super::{Done, Simulator};
use crate::cluster::Torn;
use crate::sql::guc::{check_server_setting, server_setting};
use crate::sql::script::{Directive, Variables, note};
use crate::sql::trace::{DirectiveTrace, TraceLine};
use crate::storage::{Buffer, TableAm};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{BlockNumber, ForkNumber};

impl Simulator {
    fn set_of_server(&mut self, name: &str, value: &str) -> Result<(), SqlError> {
        let pg = &mut self.db.cluster.pg;
        check_server_setting(name, value, pg.version.major())?;
        server_setting(pg, name, Some(value))
    }

    pub(super) fn directive(&mut self, directive: &Directive) -> Done {
        let outcome = match directive {
            Directive::Crash | Directive::CrashTorn { .. } | Directive::CrashBefore { .. }
                if self.db.cluster.pg.settings.default_table_am == TableAm::Undo =>
            {
                "a crash is not supported by the undo engine: nothing crashes".to_string()
            }
            Directive::Set { name, value } => match self.set_of_server(name, value) {
                Ok(()) => format!("{name} is {value}"),
                Err(error) => error.message.to_string(),
            },
            Directive::Lsn(lsn) => {
                self.set_position(*lsn);
                format!("the next record goes to {lsn}")
            }
            Directive::Xid(xid) => {
                self.db.cluster.pg.transam.advance_to(*xid);
                format!("the next transaction id is {xid}")
            }
            Directive::Oid(oid) => {
                self.db.cluster.pg.transam.next_oid = *oid;
                format!("the next OID is {oid}")
            }
            Directive::MultiXact(multi) => {
                self.db.cluster.pg.multixacts.advance_to(*multi);
                format!("the next MultiXact is {multi}")
            }
            Directive::Redo(session) => {
                self.db.cluster.pg.switch_to(session);
                let pg = &mut self.db.cluster.pg;
                let redo = pg.wal.get_redo_rec_ptr(&mut pg.backends[pg.me].wal);
                format!("session {session} knows the redo pointer {redo}")
            }
            Directive::Psql(command) => {
                self.variables.follow_run(command, self.last.as_ref());
                if Variables::takes_rows(command) {
                    self.absent.take();
                }
                note(command)
            }
            Directive::Crash => self.crash(None),
            Directive::CrashTorn { rel, block, bytes } => match self.page_of(rel, *block) {
                Some(buf) => self.crash(Some(Torn { buf, bytes: *bytes })),
                None => format!("{rel} has no block {block}: nothing crashes"),
            },
            Directive::CrashBefore { kind } => match self.db.cluster.lose_wal_before(kind) {
                Ok(()) => self.crash(None),
                Err(error) => error.message.to_string(),
            },
        };
        let mut lines = Vec::new();
        if self.traces && directive.is_crash() {
            let Seen { pages, wal, .. } = self.observer.look(&self.db.cluster);
            lines.push(TraceLine::Directive(DirectiveTrace { directive: directive.to_string(), pages, wal }));
        }
        self.done(lines, Self::simulated(directive.line(), outcome), None)
    }

    /// A page of the main fork, by its relation's name in a trace.
    fn page_of(&self, relation: &str, block: BlockNumber) -> Option<Buffer> {
        let file = self.db.cluster.find_traced(relation)?.file;
        (block < self.db.cluster.pg.buffers.nblocks(file, ForkNumber::Main)).then_some(Buffer::main(file, block))
    }

    /// The server crashes and starts again. Statements that waited are gone.
    fn crash(&mut self, torn: Option<Torn>) -> String {
        self.waiting.clear();
        match self.db.crash(torn) {
            Ok(()) => String::from("the server crashed, recovered, and takes connections again"),
            Err(error) => format!("the server does not start: {}", error.message),
        }
    }
}
