//! Rows: what tuple headers tell.

use super::{ALL, Scenario, T};
use ffviz_story::timeline::EventKind;

pub static ROWS: &[Scenario] = &[
        Scenario {
        name: "many rows, all or some of them rolled back",
        tables: &["t", "u"],
        setup: &["CREATE TABLE t (id int)\nCREATE TABLE u (id int)"],
        step: "BEGIN\nINSERT INTO t SELECT generate_series(1, 7)\nINSERT INTO u SELECT generate_series(1, 7)\nROLLBACK
            INSERT INTO u SELECT generate_series(1, 3)\nSELECT count(*) FROM t\nSELECT count(*) FROM u",
        expected: &[
            (ALL, EventKind::Insert, 7, "7 rows inserted on block 0 by transaction|, all rolled back"),
            (ALL, EventKind::Insert, 10, "10 rows inserted on block 0 by 2 transactions, 7 of them rolled back"),
        ],
        never: &["at least"],
    },
    Scenario {
        name: "rows that came and went",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int)"],
        step: "INSERT INTO t SELECT generate_series(1, 9)\nDELETE FROM t WHERE id = 2\nVACUUM t",
        expected: &[(ALL, EventKind::Insert, 8, "at least 8 rows inserted")],
        never: &["= 8 rows"],
    },
    Scenario {
            name: "insert",
            tables: &["t"],
            setup: &[T],
            step: "INSERT INTO t VALUES (4, 4, 'four')",
            expected: &[
                (ALL, EventKind::Insert, 1, "INSERT (0,4)|40 bytes for the tuple|line pointer 4, which is new"),
                (ALL, EventKind::IndexInsert, 1, "t_pkey: entry (4) → (0,4)"),
            ],
            never: &["UPDATE", "Other"],
        },
        Scenario {
            name: "nothing",
            tables: &["t"],
            setup: &[T],
            step: "SELECT 1",
            expected: &[],
            never: &["INSERT", " - "],
        },
        Scenario {
            name: "a line pointer is used again",
            tables: &["t"],
            setup: &[T, "DELETE FROM t WHERE id = 2\nVACUUM t"],
            step: "INSERT INTO t VALUES (4, 4, 'four')",
            expected: &[
                (ALL, EventKind::Insert, 1, "INSERT (0,2)|was LP_UNUSED and is used again"),
                (ALL, EventKind::AllVisibleCleared, 1, "block 0 of t no longer all-visible"),
            ],
            never: &["DELETE"],
        },
        Scenario {
        name: "two tables",
        tables: &["t", "u"],
        setup: &[T, "CREATE TABLE u (a int)"],
        step: "INSERT INTO u VALUES (1)\nDELETE FROM t WHERE id = 1",
        expected: &[
            (ALL, EventKind::Insert, 1, "u: INSERT (0,1)"),
            (ALL, EventKind::Delete, 1, "t: DELETE (0,1)"),
        ],
        never: &["t: INSERT"],
    },
    Scenario {
            name: "delete",
            tables: &["t"],
            setup: &[T],
            step: "DELETE FROM t WHERE id = 2",
            expected: &[(ALL, EventKind::Delete, 1, "DELETE (0,2) by transaction|t_xmax =|40 bytes")],
            never: &["INSERT", "UPDATE"],
        },
        Scenario {
            name: "insert and delete in one transaction",
            tables: &["t"],
            setup: &[T],
            step: "BEGIN; INSERT INTO t VALUES (4, 4, 'four'); DELETE FROM t WHERE id = 4; COMMIT",
            expected: &[(ALL, EventKind::Insert, 1, "INSERT (0,4)"), (ALL, EventKind::Delete, 1, "DELETE (0,4)")],
            never: &["UPDATE"],
        },
        Scenario {
            name: "a thousand rows",
            tables: &["t"],
            setup: &["CREATE TABLE t (id int PRIMARY KEY, b text)"],
            step: "INSERT INTO t SELECT n, 'row' FROM generate_series(1, 1000) AS n",
            expected: &[
                (ALL, EventKind::Insert, 1000, "1,000 rows inserted on blocks 0–4|(0,1) to (4,96)"),
                (ALL, EventKind::IndexInsert, 1000, "t_pkey: 1,000 entries added on leaves 1, 2 and 4"),
                (ALL, EventKind::RootCreated, 1, "t_pkey: first root, and splits since: root is block 3 on level 1"),
                (ALL, EventKind::Extended, 1, "table t: 0 blocks → 5"),
            ],
            never: &["UPDATE"],
        },
        Scenario {
            name: "a lock",
            tables: &["t"],
            setup: &[T],
            step: "SELECT * FROM t WHERE id = 1 FOR UPDATE
                SELECT * FROM t WHERE id = 2 FOR NO KEY UPDATE
                SELECT * FROM t WHERE id = 3 FOR KEY SHARE",
            expected: &[
                (ALL, EventKind::Lock, 1, "row lock on (0,1): FOR UPDATE by transaction"),
                (ALL, EventKind::Lock, 1, "row lock on (0,2): FOR NO KEY UPDATE"),
                (ALL, EventKind::Lock, 1, "row lock on (0,3): FOR KEY SHARE"),
            ],
            never: &["DELETE", "UPDATE ("],
        },
        Scenario {
            name: "two lockers",
            tables: &["t"],
            setup: &[T],
            step: "BEGIN; SELECT * FROM t WHERE id = 1 FOR SHARE
                B> BEGIN; SELECT * FROM t WHERE id = 1 FOR SHARE
                SELECT * FROM t WHERE id = 2 FOR SHARE",
            expected: &[
                (ALL, EventKind::Lock, 1, "row lock on (0,1): multixact|pg_multixact"),
                (ALL, EventKind::Lock, 1, "row lock on (0,2): FOR SHARE"),
            ],
            never: &["DELETE", "UPDATE ("],
        },
        Scenario {
            name: "hint bits",
            tables: &["t"],
            setup: &["CREATE TABLE t (id int PRIMARY KEY)\nINSERT INTO t SELECT generate_series(1, 5)"],
            step: "SELECT count(*) FROM t",
            expected: &[(ALL, EventKind::HintBits, 5, "HEAP_XMIN_COMMITTED set on 5 tuples: (0,1) to (0,5)|pg_xact")],
            never: &["INSERT", "frozen"],
        },
        Scenario {
            name: "freeze",
            tables: &["t"],
            setup: &[T],
            step: "VACUUM (FREEZE) t",
            expected: &[
                (ALL, EventKind::Freeze, 3, "3 tuples frozen on block 0|HEAP_XMIN_FROZEN"),
                (ALL, EventKind::AllVisible, 1, "block 0 of t now all-visible and all-frozen"),
            ],
            never: &["rolled back", "HEAP_XMIN_INVALID"],
        },
        Scenario {
            name: "rolled back",
            tables: &["t"],
            setup: &[T],
            step: "BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (9, 9, 'nine'); UPDATE t SET a = 0 WHERE id = 3; ROLLBACK
                SELECT count(*) FROM t",
            expected: &[
                (ALL, EventKind::RolledBack, 1, "DELETE of (0,1) by transaction|was rolled back|HEAP_XMAX_INVALID"),
                (ALL, EventKind::Insert, 1, "INSERT (0,4) (rolled back)"),
                (ALL, EventKind::Update, 1, "UPDATE (0,3) → (0,5): HOT (rolled back)"),
            ],
            never: &[],
        },
        Scenario {
            name: "turns out to be rolled back",
            tables: &["t"],
            setup: &[T, "BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (9, 9, 'nine'); ROLLBACK"],
            step: "SELECT count(*) FROM t",
            expected: &[
                (ALL, EventKind::RolledBack, 1, "DELETE of (0,1) by transaction|was rolled back"),
                (ALL, EventKind::RolledBack, 1, "INSERT of (0,4) by transaction|was rolled back"),
            ],
            never: &["DELETE (0,1)"],
        },
        Scenario {
        name: "the first page",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int)"],
        step: "INSERT INTO t VALUES (1)",
        expected: &[(ALL, EventKind::Extended, 1, "table t: 0 blocks → 1|The file had no block yet.")],
        never: &["enough room"],
    },
    Scenario {
        name: "pages after the first",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int, b char(900))\nINSERT INTO t SELECT n, 'x' FROM generate_series(1, 8) AS n"],
        step: "INSERT INTO t SELECT n, 'x' FROM generate_series(1, 20) AS n",
        expected: &[
            (ALL, EventKind::Extended, 1, "Either no page with enough room was known, or none was looked for: CREATE TABLE AS, and COPY"),
            (13..=13, EventKind::Extended, 1, "nor does 13 for a row"),
            (16..=18, EventKind::Extended, 1, "added ahead of need|COPY and CREATE TABLE AS"),
        ],
        never: &[],
    },
];
