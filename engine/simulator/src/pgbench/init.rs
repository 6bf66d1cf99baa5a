//! What `pgbench -i` does: tables, rows, VACUUM, primary keys (`runInitSteps` with the steps "dtgvp",
//! src/bin/pgbench/pgbench.c).
//!
//! | version | branches, tellers | accounts |
//! | --- | --- | --- |
//! | 13 | INSERT a row | COPY |
//! | 14 to 16 | INSERT a row | COPY with FREEZE |
//! | 17, 18 | COPY with FREEZE | COPY with FREEZE |

use crate::sql::script::{FIRST_SESSION, Item, Statement};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use ffviz_format::page::PgVersion;

/// `naccounts`, `ntellers`, rows of each branch
const ACCOUNTS: u64 = 100_000;
const TELLERS: u64 = 10;
/// `SCALE_32BIT_THRESHOLD`: from here on accounts have numbers of 64 bits
const BIG_SCALE: u64 = 20_000;

/// The largest scale whose tables fit into so many blocks.
#[must_use]
pub const fn largest_scale(blocks: u64, fillfactor: u64) -> u64 {
    // at fillfactor 100 there are 61 accounts on a page, and 367 of their keys on one of the index
    let accounts = ACCOUNTS / 61 * 100 / fillfactor;
    blocks / (accounts + ACCOUNTS / 366 + 1)
}

/// The statements; each is run by itself, those between begin and commit as one transaction.
#[must_use]
pub fn init_statements(version: PgVersion, scale: u64, fillfactor: u8) -> Vec<Item> {
    let mut statements: Vec<(String, Option<String>)> = Vec::new();
    let mut run = |sql: String| statements.push((sql, None));
    run("drop table if exists pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers".to_string());
    let aid = if scale >= BIG_SCALE { "aid bigint" } else { "aid    int" };
    let storage = format!("with (fillfactor={fillfactor})");
    run(format!("create table pgbench_history(tid int,bid int,{aid},delta int,mtime timestamp,filler char(22))"));
    run(format!("create table pgbench_tellers(tid int not null,bid int,tbalance int,filler char(84)) {storage}"));
    run(format!("create table pgbench_accounts({aid} not null,bid int,abalance int,filler char(84)) {storage}"));
    run(format!("create table pgbench_branches(bid int not null,bbalance int,filler char(88)) {storage}"));
    run("begin".to_string());
    run("truncate table pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers".to_string());
    generate(version, scale, &mut statements);
    let mut run = |sql: String| statements.push((sql, None));
    run("commit".to_string());
    for table in ["branches", "tellers", "accounts", "history"] {
        run(format!("vacuum analyze pgbench_{table}"));
    }
    for (table, column) in [("branches", "bid"), ("tellers", "tid"), ("accounts", "aid")] {
        run(format!("alter table pgbench_{table} add primary key ({column})"));
    }
    items(statements)
}

/// `initGenerateDataClientSide`
fn generate(version: PgVersion, scale: u64, statements: &mut Vec<(String, Option<String>)>) {
    let options = if version.pgbench_copies_frozen() { " with (freeze on)" } else { "" };
    let mut copy = |table: &str, rows: u64, row: &dyn Fn(&mut String, u64)| {
        let mut data = String::new();
        (0..rows).for_each(|k| row(&mut data, k));
        statements.push((format!("copy pgbench_{table} from stdin{options}"), Some(data)));
    };
    if version.pgbench_copies_all_tables() {
        copy("branches", scale, &|data, k| {
            let _ = writeln!(data, "{}\t0\t\\N", k + 1);
        });
        copy("tellers", TELLERS * scale, &|data, k| {
            let _ = writeln!(data, "{}\t{}\t0\t\\N", k + 1, k / TELLERS + 1);
        });
    } else {
        for k in 1..=scale {
            statements.push((format!("insert into pgbench_branches(bid,bbalance) values({k},0)"), None));
        }
        for k in 0..TELLERS * scale {
            let (tid, bid) = (k + 1, k / TELLERS + 1);
            statements.push((format!("insert into pgbench_tellers(tid,bid,tbalance) values ({tid},{bid},0)"), None));
        }
    }
    let mut data = String::new();
    for k in 0..ACCOUNTS * scale {
        let _ = writeln!(data, "{}\t{}\t0\t", k + 1, k / ACCOUNTS + 1);
    }
    statements.push((format!("copy pgbench_accounts from stdin{options}"), Some(data)));
}

/// What pgbench does before it runs scripts, unless `-n` is given.
#[must_use]
pub fn vacuum_statements() -> Vec<Item> {
    let all = ["vacuum pgbench_branches", "vacuum pgbench_tellers", "truncate pgbench_history"];
    items(all.map(|sql| (sql.to_string(), None)).into())
}

fn items(statements: Vec<(String, Option<String>)>) -> Vec<Item> {
    let statement = |(n, (sql, copy_data)): (u32, (String, Option<String>))| {
        Item::Statement(Statement { n, session: FIRST_SESSION.to_string(), sql, copy_data, line: n })
    };
    (1..).zip(statements).map(statement).collect()
}
