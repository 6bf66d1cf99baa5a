//! The scripts that pgbench brings along (`builtin_script` of src/bin/pgbench/pgbench.c): a server's log has their
//! statements in these words.

/// A builtin script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// as `-b` takes it
    pub name: &'static str,
    /// what it is, a few words
    pub description: &'static str,
    /// its text
    pub text: &'static str,
}

/// All of them.
pub const BUILTINS: [Builtin; 3] = [
    Builtin {
        name: "tpcb-like",
        description: "TPC-B (sort of): three updates, a SELECT and an INSERT",
        text: "\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
",
    },
    Builtin {
        name: "simple-update",
        description: "the same without the small tables: one update, a SELECT and an INSERT",
        text: "\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
",
    },
    Builtin {
        name: "select-only",
        description: "a SELECT by key",
        text: "\\set aid random(1, 100000 * :scale)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
",
    },
];

/// `findBuiltin`: the one whose name begins so
#[must_use]
pub fn find_builtin(name: &str) -> Option<&'static Builtin> {
    let mut found = BUILTINS.iter().filter(|builtin| !name.is_empty() && builtin.name.starts_with(name));
    found.next().filter(|_| found.next().is_none())
}
