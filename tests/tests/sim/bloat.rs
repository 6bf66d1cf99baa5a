//! A published experiment on index bloat: 10,000 rows, 600,000 updates of single rows, a transaction each, whose ids
//! are normally distributed. One list of ids goes to a server and to the simulator; in the end all pages are equal.
//!
//! `cargo test --release -p ffviz-tests --test sim bloat -- --ignored --show-output`; `FFVIZ_UPDATES` says how many.

use super::oracle::Oracle;
use super::random::number;
use ffviz_format::page::{ForkNumber, Lsn, PgVersion};
use ffviz_format::wal::{Record, Rmgr};
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::Counters;
use ffviz_simulator::storage::Buffer;
use postgres::{Client, NoTls};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const ROWS: u32 = 10_000;
/// Updates of a DO block.
const BLOCK: usize = 2000;
const RELATIONS: [&str; 4] = ["testtab_pkey", "unchanged_idx", "changed_idx", "testtab"];
const TABLE: &str =
    "create table testtab (id bigint primary key, unchanged int, changed int) with (autovacuum_enabled = off);
    insert into testtab select g, g, 0 from generate_series(1, 10000) g;
    create index unchanged_idx on testtab (unchanged);
    create index changed_idx on testtab (changed);";

/// Ids as `random_gaussian(1, 10000, 10)` of pgbench has them: half the range is ten standard deviations. Always the
/// same.
fn ids(n: usize) -> Vec<u32> {
    let mut state = 42_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut next = || loop {
        let (a, b) = (uniform(), uniform());
        let normal = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
        if normal.abs() < 10.0 {
            return 1 + (f64::from(ROWS) * (0.5 + normal / 20.0)) as u32;
        }
    };
    (0..n).map(|_| next().min(ROWS)).collect()
}

fn script(ids: &[u32]) -> Script {
    let mut text = TABLE.to_owned();
    for block in ids.chunks(BLOCK) {
        // of PL/pgSQL the simulator knows a loop
        text.push_str("do $$ begin for i in 1 .. 1 loop ");
        for id in block {
            let _ = write!(text, "update testtab set changed = changed + 1 where id = {id}; commit; ");
        }
        text.push_str("end loop; end $$;\n");
    }
    Script::parse(&text).expect("the script can be read")
}

fn counters(client: &mut Client) -> Counters {
    let sql = "select pg_current_wal_insert_lsn()::text, pg_snapshot_xmax(pg_current_snapshot())::text";
    let row = client.query_one(sql, &[]).expect("counters");
    let (lsn, xid): (&str, &str) = (row.get(0), row.get(1));
    let (high, low) = lsn.split_once('/').expect("a position");
    let hex = |text| u64::from_str_radix(text, 16).expect("a number");
    Counters {
        lsn: Lsn(hex(high) << 32 | hex(low)),
        xid: xid.parse().expect("an xid"),
        oid: None,
        multi: 1,
        quiet: false,
        catalog_first: false,
    }
}

/// What the simulator wrote: number of records by type, and how far the positions went.
#[derive(Default)]
struct Written {
    types: BTreeMap<String, u32>,
    bytes: u64,
}

impl Written {
    fn add(&mut self, records: &[Record], version: PgVersion) {
        for record in records {
            if Rmgr(record.header().xl_rmid()) == Rmgr::BTREE {
                *self.types.entry(record.type_name(version)).or_default() += 1;
            }
        }
    }

    fn of(&self, name: &str) -> u32 {
        self.types.get(name).copied().unwrap_or(0)
    }
}

/// The pages of a relation's fork on the server.
fn pages(client: &mut Client, relation: &str, fork: &str) -> Vec<Vec<u8>> {
    let sql = "select get_raw_page($1, $2, n::int) from generate_series(0, pg_relation_size($1::text::regclass, $2) / 8192 - 1) n order by n";
    client.query(sql, &[&relation, &fork]).expect("pages").iter().map(|row| row.get(0)).collect()
}

/// Compares all forks; gives the number of pages, those that differ, and those of which only `pd_lsn` does.
fn compare(client: &mut Client, simulator: &Simulator) -> (usize, Vec<String>, usize) {
    let (mut compared, mut wrong, mut only_lsn) = (0, Vec::new(), 0);
    let cluster = &simulator.db.cluster;
    for relation in RELATIONS {
        let file = cluster.open(relation).expect("it was made").file;
        for (fork, name) in [(ForkNumber::Main, "main"), (ForkNumber::Fsm, "fsm"), (ForkNumber::Vm, "vm")] {
            let theirs = pages(client, relation, name);
            let ours = cluster.pg.buffers.nblocks(file, fork);
            if ours as usize != theirs.len() {
                wrong.push(format!("{relation} {name}: {ours} pages, the server has {}", theirs.len()));
            }
            for (block, theirs) in (0..ours).zip(&theirs) {
                let ours = cluster.pg.buffers.page(Buffer { file, fork, block }).bytes();
                compared += 1;
                if ours[8..] != theirs[8..] {
                    wrong.push(format!("{relation} {name} {block}"));
                } else if ours != theirs.as_slice() {
                    only_lsn += 1;
                }
            }
        }
    }
    (compared, wrong, only_lsn)
}

fn density(client: &mut Client, index: &str) -> f64 {
    let row = client.query_one("select avg_leaf_density from pgstatindex($1)", &[&index]).expect("pgstattuple");
    row.get(0)
}

fn check(major: u32, updates: usize) {
    let oracle = Oracle::start(major, false);
    let mut client = Client::connect(&oracle.url(), NoTls).expect("the database answers");
    client.batch_execute("create extension pgstattuple").expect("it is in the package");
    let facts = oracle.facts();
    let options = RunOptions { database: Some(facts.database), ..RunOptions::new(facts.version) };
    let mut simulator = Simulator::new(&options, false, false).expect("no settings");
    let (mut written, mut server_bytes) = (Written::default(), 0);
    for statement in &script(&ids(updates)).items {
        let ffviz_simulator::sql::script::Item::Statement(sql) = statement else { continue };
        let before = counters(&mut client);
        client.batch_execute(&sql.sql).expect("a statement of the experiment");
        let after = counters(&mut client);
        simulator.set_counters(&before);
        simulator.db.cluster.pg.wal.take_records();
        let from = simulator.db.cluster.pg.wal.position().insert_lsn();
        let done = simulator.item(statement);
        assert_eq!(done.refused, None);
        if sql.sql.starts_with("do") {
            server_bytes += after.lsn.0 - before.lsn.0;
            written.bytes += simulator.db.cluster.pg.wal.position().insert_lsn().0 - from.0;
            written.add(&simulator.db.cluster.pg.wal.take_records(), simulator.db.cluster.version());
        }
    }
    let (compared, wrong, only_lsn) = compare(&mut client, &simulator);
    let size = |relation: &str| {
        let file = simulator.db.cluster.open(relation).expect("it was made").file;
        simulator.db.cluster.pg.buffers.nblocks(file, ForkNumber::Main)
    };
    let sizes = RELATIONS.map(|relation| size(relation).to_string()).join(" / ");
    let densities =
        ["testtab_pkey", "unchanged_idx", "changed_idx"].map(|index| density(&mut client, index).to_string());
    println!(
        "{major}: {updates} updates: pages {sizes}; density {}; DELETE {}, DEDUP {}, splits {} R + {} L; WAL {} bytes, of the server {server_bytes}; \
         {compared} pages compared, {} differ, {only_lsn} in pd_lsn only",
        densities.join(" / "),
        written.of("DELETE"),
        written.of("DEDUP"),
        written.of("SPLIT_R"),
        written.of("SPLIT_L"),
        written.bytes,
        wrong.len()
    );
    assert!(wrong.is_empty(), "{major}: {}", wrong.join(", "));
    assert!(compared > 100);
}

#[test]
#[ignore = "minutes, in a release build"]
fn bloat_is_that_of_the_server() {
    for major in [13, 14, 18] {
        check(major, number("FFVIZ_UPDATES", 600_000) as usize);
    }
}
