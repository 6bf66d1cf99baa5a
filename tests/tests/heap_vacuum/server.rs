//! The real server: its table's pages, the fate of its transactions, and its WAL.

use super::history::{Action, Table};
use ffviz_format::page::{ForkNumber, Lsn, Page, PgVersion, TransactionId};
use ffviz_format::wal::{Record, RelFileLocator};
use ffviz_simulator::storage::{MultiXactMember, MultiXactStatus, XidStatus};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use postgres::Client;
use postgres::error::SqlState;

/// A server with a table, and a session that prepares and looks.
pub struct Server<'a> {
    pub instance: &'a Instance,
    pub table: &'a Table,
    pub version: PgVersion,
    pub checksums: bool,
    admin: Client,
    first_xid: TransactionId,
    pub oid: u32,
    /// members of all multixacts, from number 1 on
    multixacts: Vec<Vec<MultiXactMember>>,
}

/// A session that holds a snapshot, and maybe has an xid.
pub struct Reader(Client);

/// All that is compared, at a moment when nothing happens.
pub struct Capture {
    pub locator: RelFileLocator,
    /// by fork: main, FSM, VM; `None` where there is none
    pub forks: [Option<Vec<Page>>; 3],
    /// records about the table since the capture before
    pub records: Vec<Record>,
    pub first_xid: TransactionId,
    pub status: Vec<XidStatus>,
    /// members of all multixacts, from number 1 on
    pub multixacts: Vec<Vec<MultiXactMember>>,
    /// what other sessions hold: xmin, xid
    pub readers: Vec<(Option<TransactionId>, Option<TransactionId>)>,
    pub insert: Lsn,
    pub redo: Lsn,
    pub relpages: i32,
    pub reltuples: f32,
    pub relfrozenxid: TransactionId,
}

/// Forks as they are compared.
pub const FORKS: [ForkNumber; 3] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm];

impl<'a> Server<'a> {
    pub fn new(instance: &'a Instance, table: &'a Table, checksums: bool) -> Self {
        let mut admin = instance.client();
        admin.batch_execute("CREATE EXTENSION IF NOT EXISTS pageinspect").expect("pageinspect");
        let first_xid: i64 = admin.query_one("SELECT txid_current()", &[]).expect("an xid").get(0);
        admin.batch_execute(table.create).expect("a table");
        admin
            .batch_execute(&format!("ALTER TABLE {0} ALTER s SET STORAGE plain; SELECT 1", table.name))
            .expect("a column in line");
        let oid = admin.query_one("SELECT $1::text::regclass::oid", &[&table.name]).expect("a table").get(0);
        let version = wal::version(&mut admin);
        Self { instance, table, version, checksums, admin, first_xid: first_xid as u32, oid, multixacts: Vec::new() }
    }

    /// Runs the statements one by one. A key that is there already aborts a transaction, which leaves row versions of
    /// its own kind.
    pub fn run(&mut self, history: &[String]) {
        for statement in history {
            let Err(error) = self.admin.batch_execute(statement) else { continue };
            assert_eq!(error.code(), Some(&SqlState::UNIQUE_VIOLATION), "{statement}: {error}");
            self.admin.batch_execute("ROLLBACK").expect("the end of a transaction");
        }
    }

    pub fn checkpoint(&mut self) {
        self.admin.batch_execute("CHECKPOINT").expect("a checkpoint");
    }

    /// Another session takes a snapshot and keeps it.
    pub fn open_reader(&mut self, with_xid: bool) -> Reader {
        let mut client = self.instance.client();
        let xid = if with_xid { "SELECT txid_current();" } else { "" };
        client.batch_execute(&format!("BEGIN ISOLATION LEVEL REPEATABLE READ; {xid} SELECT 1")).expect("a snapshot");
        // something happens that it does not see
        let t = self.table.name;
        let changes =
            [format!("UPDATE {t} SET n = n + 1 WHERE id % 5 = 1"), format!("DELETE FROM {t} WHERE id % 13 = 2")];
        self.run(&changes);
        Reader(client)
    }

    pub fn close_reader(&mut self, reader: Option<Reader>) {
        if let Some(Reader(mut client)) = reader {
            client.batch_execute("COMMIT").expect("the end of a transaction");
        }
    }

    /// Does it in a new session, and looks again.
    pub fn act(&mut self, action: Action) -> Capture {
        let from = wal::insert_position(&mut self.admin);
        let mut client = self.instance.client();
        client
            .batch_execute("SET enable_indexonlyscan = off; SET enable_indexscan = off; SET enable_bitmapscan = off")
            .expect("SET");
        client.batch_execute(&action.sql(self.table.name)).expect("the action");
        drop(client);
        let to = wal::flushed(&mut self.admin);
        let mut capture = self.capture();
        let all = wal::records(self.instance, self.version, from, to);
        capture.records = all.filter(|record| is_about(record, self.version, capture.locator)).collect();
        capture
    }

    /// All pages, xids and figures.
    pub fn capture(&mut self) -> Capture {
        // so that the newest xid has ended
        let _ = wal::flushed(&mut self.admin);
        let t = self.table.name;
        let row = self
            .admin
            .query_one(
                "SELECT pg_relation_filenode(oid), (SELECT oid FROM pg_database WHERE datname = current_database()), \
                 relpages, reltuples, relfrozenxid::text, (SELECT redo_lsn::text FROM pg_control_checkpoint()) \
                 FROM pg_class WHERE oid = $1",
                &[&self.oid],
            )
            .expect("pg_class");
        let lsn: String = row.get(5);
        let frozen: String = row.get(4);
        Capture {
            locator: RelFileLocator { spc: 1663, db: row.get(1), rel: row.get(0) },
            forks: FORKS.map(|fork| pages(&mut self.admin, t, fork)),
            records: Vec::new(),
            first_xid: self.first_xid,
            status: self.status(),
            multixacts: self.multixacts(),
            readers: self.readers(),
            insert: wal::insert_position(&mut self.admin),
            redo: lsn.parse().expect("an LSN"),
            relpages: row.get(2),
            reltuples: row.get(3),
            relfrozenxid: frozen.parse().expect("an xid"),
        }
    }

    fn status(&mut self) -> Vec<XidStatus> {
        let sql = "SELECT txid_status(xid) FROM generate_series($1::bigint, txid_snapshot_xmax(txid_current_snapshot()) - 1) xid";
        let rows = self.admin.query(sql, &[&i64::from(self.first_xid)]).expect("the commit log");
        let status = rows.iter().map(|row| match row.get::<_, &str>(0) {
            "committed" => XidStatus::Committed,
            "aborted" => XidStatus::Aborted,
            _ => XidStatus::InProgress,
        });
        status.collect()
    }

    /// Asks for members until there is no such multixact.
    fn multixacts(&mut self) -> Vec<Vec<MultiXactMember>> {
        let sql = "SELECT xid::text, mode FROM pg_get_multixact_members($1::text::xid)";
        while let Ok(rows) = self.admin.query(sql, &[&(self.multixacts.len() + 1).to_string()]) {
            let member = |row: &postgres::Row| MultiXactMember {
                xid: row.get::<_, String>(0).parse().expect("an xid"),
                status: match row.get::<_, &str>(1) {
                    "keysh" => MultiXactStatus::ForKeyShare,
                    "sh" => MultiXactStatus::ForShare,
                    "fornokeyupd" => MultiXactStatus::ForNoKeyUpdate,
                    "forupd" => MultiXactStatus::ForUpdate,
                    "nokeyupd" => MultiXactStatus::NoKeyUpdate,
                    _ => MultiXactStatus::Update,
                },
            };
            self.multixacts.push(rows.iter().map(member).collect());
        }
        self.multixacts.clone()
    }

    fn readers(&mut self) -> Vec<(Option<TransactionId>, Option<TransactionId>)> {
        let sql = "SELECT backend_xmin::text, backend_xid::text FROM pg_stat_activity \
                   WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)";
        let xid = |text: Option<String>| text.map(|text| text.parse().expect("an xid"));
        self.admin.query(sql, &[]).expect("sessions").iter().map(|row| (xid(row.get(0)), xid(row.get(1)))).collect()
    }
}

/// The pages of a fork, where there is one.
fn pages(client: &mut Client, table: &str, fork: ForkNumber) -> Option<Vec<Page>> {
    let exists = "SELECT (pg_stat_file(pg_relation_filepath($1::text::regclass) || $2, true)).size IS NOT NULL";
    let suffix = if fork == ForkNumber::Main { String::new() } else { format!("_{}", fork.name()) };
    if !client.query_one(exists, &[&table, &suffix]).expect("a file").get::<_, bool>(0) {
        return None;
    }
    let sql = "SELECT get_raw_page($1, $2, n::int) \
               FROM generate_series(0, pg_relation_size($1::text::regclass, $2) / 8192 - 1) n ORDER BY n";
    let rows = client.query(sql, &[&table, &fork.name()]).expect("pages");
    Some(rows.iter().map(|row| Page::new(row.get(0))).collect())
}

/// Is the record about the file, by a block reference or in its main data?
fn is_about(record: &Record, version: PgVersion, locator: RelFileLocator) -> bool {
    let decoded = record.decode(version).expect("a record of the server");
    let name: Vec<u8> = [locator.spc, locator.db, locator.rel].iter().flat_map(|oid| oid.to_le_bytes()).collect();
    let in_main = decoded.main_data.windows(name.len()).any(|bytes| bytes == name);
    in_main || decoded.blocks.iter().any(|block| block.tag.locator == locator)
}
