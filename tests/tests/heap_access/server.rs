//! The real server's side: a statement, the table's records that it wrote, and the table's pages after it.

use crate::statement::{Statement, copy_line};
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Oid, PgVersion};
use ffviz_format::wal::{Record, RelFileLocator, Rmgr};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use postgres::Client;
use std::io::Write;

/// What kind of table.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub fillfactor: u8,
    /// is `a` the primary key?
    pub key: bool,
    pub unlogged: bool,
}

/// OIDs of the table, its TOAST table and the index of that one.
#[derive(Debug, Clone, Copy)]
pub struct Files {
    pub db: Oid,
    pub table: Oid,
    pub toast: Oid,
    pub toast_index: Oid,
}

/// Pages of a fork.
pub type Pages = Vec<Vec<u8>>;

pub struct Server {
    pub instance: Instance,
    pub version: PgVersion,
    pub files: Files,
    control: Client,
    sessions: Vec<Client>,
}

/// Where a statement begins.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub next_xid: u32,
    pub next_oid: Oid,
    pub lsn: Lsn,
}

impl Server {
    pub fn new(major: u32, settings: &str, initdb: &[&str]) -> Self {
        let checksums = if major == 18 && initdb.is_empty() { &["--no-data-checksums"][..] } else { initdb };
        let instance = Instance::create_with(major, settings, checksums);
        let mut control = instance.client();
        control.batch_execute("create extension pageinspect").expect("pageinspect");
        let version = wal::version(&mut control);
        let files = Files { db: 0, table: 0, toast: 0, toast_index: 0 };
        Self { instance, version, files, control, sessions: Vec::new() }
    }

    /// A new table and new sessions.
    pub fn create_table(&mut self, shape: Shape, sessions: usize) {
        // open transactions of the sessions before would keep the table from being dropped
        self.sessions.clear();
        let key = if shape.key { "primary key" } else { "" };
        let unlogged = if shape.unlogged { "unlogged" } else { "" };
        let sql = format!(
            "drop table if exists t; create {unlogged} table t(a int {key}, b int, c text) with (fillfactor = {})",
            shape.fillfactor
        );
        self.control.batch_execute(&sql).expect("create table");
        let row = self.control.query_one(
            "select (select oid from pg_database where datname = current_database()), t.relfilenode, t.reltoastrelid,
                    (select indexrelid from pg_index where indrelid = t.reltoastrelid)
             from pg_class t where relname = 't'",
            &[],
        );
        let row = row.expect("the table");
        self.files = Files { db: row.get(0), table: row.get(1), toast: row.get(2), toast_index: row.get(3) };
        self.sessions = (0..sessions).map(|_| self.instance.client()).collect();
        for session in &mut self.sessions {
            let scans = "set enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off";
            session.batch_execute(scans).expect("settings");
            // what a session reads of the catalogs at first is read before anything is compared
            let warm =
                "begin; savepoint s; rollback to s; rollback; select a from t where a between 1 and 2 for update";
            session.batch_execute(warm).expect("a session");
        }
    }

    /// Where the server is before a statement.
    pub fn start(&mut self) -> Start {
        let oid: Oid = self.control.query_one("select lo_create(0)", &[]).expect("an OID").get(0);
        // a transaction that writes WAL, so that its commit is flushed: else hint bits of its neighbours would wait
        let xid = "select txid_current(), pg_logical_emit_message(true, 'ffviz', 'xid')";
        let xid: i64 = self.control.query_one(xid, &[]).expect("an xid").get(0);
        let lsn = wal::insert_position(&mut self.control);
        Start { next_xid: xid as u32 + 1, next_oid: oid + 1, lsn }
    }

    /// Runs the statement; gives the records about the table and about multixacts.
    pub fn run(&mut self, session: usize, statement: &Statement, start: Start) -> Vec<Record> {
        let client = &mut self.sessions[session];
        match statement {
            Statement::Copy(rows) => {
                let mut writer = client.copy_in(statement.sql().as_str()).expect("COPY");
                for row in rows {
                    writer.write_all(copy_line(row).as_bytes()).expect("a row");
                }
                writer.finish().expect("COPY ends");
            }
            _ => client.batch_execute(&statement.sql()).unwrap_or_else(|error| panic!("{statement:?}: {error}")),
        }
        let end = wal::insert_position(&mut self.control);
        let _ = wal::flushed(&mut self.control);
        let all = wal::records(&self.instance, self.version, start.lsn, end);
        all.filter(|record| self.is_ours(record)).collect()
    }

    fn is_ours(&self, record: &Record) -> bool {
        let decoded = record.decode(self.version).expect("a record");
        let ours = |file: RelFileLocator| file.rel == self.files.table || file.rel == self.files.toast;
        decoded.rmgr() == Rmgr::MULTIXACT || decoded.blocks.iter().any(|block| ours(block.tag.locator))
    }

    /// The redo pointer of the last checkpoint.
    pub fn redo(&mut self) -> Lsn {
        let text: String =
            self.control.query_one("select redo_lsn::text from pg_control_checkpoint()", &[]).expect("redo").get(0);
        text.parse().expect("an LSN")
    }

    /// All pages of a fork of the table or its TOAST table.
    pub fn pages(&mut self, toast: bool, fork: ForkNumber) -> Pages {
        let name = if toast { format!("pg_toast.pg_toast_{}", self.files.table) } else { "t".to_owned() };
        let size = format!("select pg_relation_size('{name}', '{}') / 8192", fork.name());
        let blocks: i64 = self.control.query_one(&size, &[]).expect("a size").get(0);
        let pages = format!(
            "select get_raw_page('{name}', '{}', g) from generate_series(0, {} - 1) g",
            fork.name(),
            blocks as BlockNumber
        );
        self.control.query(&pages, &[]).expect("pages").iter().map(|row| row.get(0)).collect()
    }
}
