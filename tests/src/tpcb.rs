//! What pgbench runs (TPC-B, sort of): six sessions at once, each transaction three updates, a SELECT and an INSERT. In
//! Rust, since pgbench is not in every package of PostgreSQL's client programs.

use crate::instance::Instance;
use std::thread;

const CLIENTS: u64 = 6;
const TELLERS: u64 = 10;

/// Makes the tables, with so many accounts.
///
/// # Panics
/// Where the server refuses.
pub fn create(instance: &Instance, accounts: u32) {
    let sql = format!(
        "CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88)) WITH (fillfactor = 100);
         CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84));
         CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84));
         CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
         CREATE INDEX ON pgbench_accounts (abalance);
         INSERT INTO pgbench_branches VALUES (1, 0);
         INSERT INTO pgbench_tellers SELECT i, 1, 0 FROM generate_series(1, {TELLERS}) i;
         INSERT INTO pgbench_accounts SELECT i, 1, 0, '' FROM generate_series(1, {accounts}) i"
    );
    instance.client().batch_execute(&sql).expect("the tables can be made");
}

/// Each client runs so many transactions; then VACUUM.
///
/// # Panics
/// Where the server refuses.
pub fn run(instance: &Instance, transactions: u64) {
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            scope.spawn(move || session(instance, client, transactions));
        }
    });
    instance.client().batch_execute("VACUUM").expect("VACUUM");
}

fn session(instance: &Instance, number: u64, transactions: u64) {
    let mut client = instance.client();
    let accounts: i64 = client.query_one("SELECT max(aid)::int8 FROM pgbench_accounts", &[]).expect("accounts").get(0);
    for n in 0..transactions {
        // a multiplicative hash will do for random numbers
        let random = (n * CLIENTS + number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24;
        let (aid, tid, delta) = (random % accounts.unsigned_abs() + 1, random / 7 % TELLERS + 1, random / 31 % 10_000);
        let sql = format!(
            "BEGIN;
             UPDATE pgbench_accounts SET abalance = abalance + {delta} WHERE aid = {aid};
             SELECT abalance FROM pgbench_accounts WHERE aid = {aid};
             UPDATE pgbench_tellers SET tbalance = tbalance + {delta} WHERE tid = {tid};
             UPDATE pgbench_branches SET bbalance = bbalance + {delta} WHERE bid = 1;
             INSERT INTO pgbench_history VALUES ({tid}, 1, {aid}, {delta}, CURRENT_TIMESTAMP);
             END"
        );
        client.batch_execute(&sql).expect("a transaction");
    }
}
