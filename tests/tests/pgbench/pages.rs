//! pgbench 15 on a server 18, and the same run in the simulator: in the end all pages are equal, but for `mtime` of
//! pgbench_history, positions of WAL and checksums.

use super::{V15, options, pgbench};
use ffviz_format::page::{ForkNumber, LpFlags, Page, PageHeaderData};
use ffviz_simulator::pgbench::{BUILTINS, BenchScript, Benchmark, Options, Turn, init_statements};
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::storage::Buffer;
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::wal::version;
use postgres::Client;

const RELATIONS: [&str; 7] = [
    "pgbench_accounts",
    "pgbench_branches",
    "pgbench_tellers",
    "pgbench_history",
    "pgbench_accounts_pkey",
    "pgbench_branches_pkey",
    "pgbench_tellers_pkey",
];
const TRANSACTIONS: u64 = 1000;
const SEED: u64 = 7;

fn number(client: &mut Client, sql: &str) -> u32 {
    client.query_one(sql, &[]).expect("a row").get::<_, String>(0).parse().expect("a number")
}

/// The server's pages of a fork.
fn pages(client: &mut Client, relation: &str, fork: &str) -> Vec<Vec<u8>> {
    let sql = "select get_raw_page($1, $2, n::int) from generate_series(0, pg_relation_size($1::text::regclass, $2) / 8192 - 1) n order by n";
    client.query(sql, &[&relation, &fork]).expect("pages").iter().map(|row| row.get(0)).collect()
}

/// Without what is known to differ.
fn masked(bytes: &[u8], relation: &str) -> Vec<u8> {
    const MTIME: usize = 24 + 16;
    let page = Page::new(bytes);
    let mut bytes = bytes.to_vec();
    bytes[..PageHeaderData::SIZE.min(10)].fill(0);
    if relation == "pgbench_history" {
        for (_, item) in page.line_pointers().filter(|(_, item)| item.lp_flags() == LpFlags::Normal) {
            let at = usize::from(item.lp_off()) + MTIME;
            bytes[at..at + 8].fill(0);
        }
    }
    bytes
}

fn simulate(version: ffviz_format::page::PgVersion, first: u32, then: u32) -> Simulator {
    let run = RunOptions { crashes: false, ..RunOptions::new(version) };
    let mut simulator = Simulator::new(&run, false, false).expect("a server");
    simulator.db.cluster.pg.transam.advance_to(first - 4);
    for item in &init_statements(V15, 1, 100) {
        if matches!(item, ffviz_simulator::sql::script::Item::Statement(statement) if statement.sql == "begin") {
            simulator.db.cluster.pg.transam.next_xid = first;
        }
        let done = simulator.item(item);
        assert_eq!(done.refused, None);
        assert_eq!(done.ends[0].error, None);
    }
    simulator.db.cluster.pg.transam.advance_to(then);
    let script = BenchScript::parse("s", BUILTINS[0].text, 1).expect("a script");
    let options = Options { transactions: TRANSACTIONS, ..options(SEED, TRANSACTIONS) };
    let mut benchmark = Benchmark::new(simulator, vec![script], options);
    while !matches!(benchmark.step().expect("it goes on"), Turn::Finished) {}
    benchmark.finish().0
}

#[test]
fn pages_are_those_that_pgbench_leaves() {
    let instance =
        Instance::create(NEWEST, "autovacuum = off\nfsync = off\nmax_wal_size = 4GB\ncheckpoint_timeout = 1d");
    let mut client = instance.client();
    client.batch_execute("create extension pageinspect").expect("it is in the package");
    let Some(_) = pgbench(&instance, &["-i", "-q"]) else { return };
    let sql = "select (select t_xmin from heap_page_items(get_raw_page('pgbench_accounts', 0)) limit 1)::text";
    let first = number(&mut client, sql);
    let then = number(&mut client, "select pg_snapshot_xmax(pg_current_snapshot())::text");
    let (transactions, seed) = (TRANSACTIONS.to_string(), SEED.to_string());
    pgbench(&instance, &["-n", "-c", "1", "-t", &transactions, "--random-seed", &seed]).expect("pgbench is there");
    let simulator = simulate(version(&mut client), first, then);
    let cluster = &simulator.db.cluster;
    let (mut compared, mut wrong) = (0, Vec::new());
    for relation in RELATIONS {
        let file = cluster.open(relation).expect("it was made").file;
        for (fork, name) in [(ForkNumber::Main, "main"), (ForkNumber::Fsm, "fsm"), (ForkNumber::Vm, "vm")] {
            let theirs = pages(&mut client, relation, name);
            let ours = cluster.pg.buffers.nblocks(file, fork);
            if ours as usize != theirs.len() {
                wrong.push(format!("{relation} {name}: {ours} pages, the server has {}", theirs.len()));
            }
            for (block, theirs) in (0..ours).zip(&theirs) {
                let ours = cluster.pg.buffers.page(Buffer { file, fork, block }).bytes();
                compared += 1;
                if masked(ours, relation) != masked(theirs, relation) {
                    wrong.push(format!("{relation} {name} {block}"));
                }
            }
        }
    }
    println!("{compared} pages compared, {} differ", wrong.len());
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong[..wrong.len().min(20)].join(", "));
    assert!(compared > 1900);
}
