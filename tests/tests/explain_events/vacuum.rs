//! Pruning, VACUUM, and what the catalogs tell.

use super::{ALL, Scenario, T};
use ffviz_story::timeline::EventKind;

pub static VACUUM: &[Scenario] = &[
    Scenario {
        name: "pruned by a reader",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b char(100))
                INSERT INTO t SELECT n, n, 'x' FROM generate_series(1, 56) AS n
                BEGIN; UPDATE t SET a = 0 WHERE id = 1; DELETE FROM t WHERE id = 2; COMMIT"],
        step: "SELECT count(*) FROM t",
        expected: &[
            (
                ALL,
                EventKind::Prune,
                1,
                "pruned block 0: 2 dead tuples removed, 272 bytes freed|pd_prune_xid|(a tenth of the page)",
            ),
            (ALL, EventKind::Redirect, 1, "line pointer 1 of block 0: LP_REDIRECT to 57"),
            (ALL, EventKind::LpDead, 1, "line pointer 2 of block 0: LP_DEAD"),
        ],
        never: &["VACUUM pruned"],
    },
    Scenario {
        name: "VACUUM after DELETE",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, b char(100))
                INSERT INTO t SELECT n, 'x' FROM generate_series(1, 600) AS n
                DELETE FROM t WHERE id % 2 = 0 AND id < 100 OR id > 200"],
        step: "VACUUM t",
        expected: &[
            (ALL, EventKind::Truncated, 1, "table t: 11 blocks → 4"),
            (ALL, EventKind::Prune, 1, "pruned block"),
            (ALL, EventKind::LpUnused, 1, "LP_UNUSED"),
            (ALL, EventKind::IndexDelete, 449, "t_pkey: 449 entries removed|VACUUM first removes"),
            (ALL, EventKind::AllVisible, 4, "blocks 0–3 of t now all-visible"),
            (ALL, EventKind::FreeSpaceMap, 1, "free space map of t"),
        ],
        never: &["bottom-up"],
    },
    Scenario {
        name: "VACUUM frees LP_DEAD",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b char(100))
                INSERT INTO t SELECT n, n, 'x' FROM generate_series(1, 56) AS n
                BEGIN; DELETE FROM t WHERE id IN (2, 56); UPDATE t SET a = 0 WHERE id = 1; COMMIT
                VACUUM (INDEX_CLEANUP off) t"],
        step: "VACUUM t",
        expected: &[
            (
                ALL,
                EventKind::LpUnused,
                2,
                "line pointers 2 and 56 of block 0: LP_UNUSED again|VACUUM has removed the index entries",
            ),
            (ALL, EventKind::IndexDelete, 1, "t_pkey: entry (2) → (0,2) removed from leaf 1"),
        ],
        never: &["no longer"],
    },
    Scenario {
        name: "VACUUM of a table without index",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int)
                INSERT INTO t SELECT generate_series(1, 5)
                DELETE FROM t WHERE id > 3"],
        step: "VACUUM t",
        expected: &[
            (ALL, EventKind::LpUnused, 2, "line pointers 4 and 5 of block 0: LP_UNUSED|no index"),
            (15..=18, EventKind::LpArrayCut, 1, "block 0: 2 line pointers cut off, pd_lower 44 → 36"),
        ],
        never: &["LP_DEAD"],
    },
    Scenario {
        name: "rewritten",
        tables: &["t"],
        setup: &[T],
        step: "VACUUM FULL t",
        expected: &[
            (ALL, EventKind::Rewritten, 1, "table t rewritten: 1 block → 1 block"),
            (ALL, EventKind::Rewritten, 1, "index t_pkey rebuilt"),
        ],
        never: &["INSERT"],
    },
    Scenario {
        name: "emptied",
        tables: &["t"],
        setup: &[T],
        step: "TRUNCATE t",
        expected: &[(ALL, EventKind::Rewritten, 1, "table t emptied|TRUNCATE")],
        never: &["INSERT", "DELETE "],
    },
    Scenario {
        name: "catalog changes",
        tables: &["t", "u"],
        setup: &[T, "CREATE TABLE u (a int)\nALTER TABLE t ADD z int"],
        step: "CREATE INDEX t_a ON t (a)
                ALTER TABLE t SET (fillfactor = 80)
                ALTER TABLE t ADD c int DEFAULT 5
                ALTER TABLE t DROP z
                DROP TABLE u",
        expected: &[
            (
                ALL,
                EventKind::RelationNew,
                1,
                "index t_a created, 2 blocks: root is block 1 on level 0|CREATE INDEX t_a ON public.t USING btree (a)",
            ),
            (ALL, EventKind::Altered, 1, "fillfactor of t: 100 → 80"),
            (ALL, EventKind::Altered, 1, "t: column c added|No tuple was touched"),
            (ALL, EventKind::Altered, 1, "t: column z dropped"),
            (ALL, EventKind::RelationDropped, 1, "table u is gone"),
        ],
        never: &["INSERT"],
    },
    Scenario {
        name: "TOAST",
        tables: &["t"],
        setup: &[
            "CREATE TABLE t (id int PRIMARY KEY, b text)\nALTER TABLE t ALTER b SET STORAGE EXTERNAL",
            "INSERT INTO t VALUES (1, 'x')",
        ],
        step: "UPDATE t SET b = repeat('x', 5000)",
        expected: &[(ALL, EventKind::ToastStored, 1, "TOAST: value|stored, 3 chunks of 5,000 bytes in all")],
        never: &["INSERT"],
    },
    Scenario {
        name: "TOAST value deleted",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, b text)
                ALTER TABLE t ALTER b SET STORAGE EXTERNAL
                INSERT INTO t VALUES (1, repeat('x', 5000))"],
        step: "DELETE FROM t",
        expected: &[(ALL, EventKind::ToastDeleted, 1, "deleted, 3 chunks of 5,000 bytes in all")],
        never: &["INSERT"],
    },
    Scenario {
        name: "sequence",
        tables: &["s"],
        setup: &["CREATE SEQUENCE s"],
        step: "SELECT nextval('s')\nSELECT nextval('s')",
        expected: &[(ALL, EventKind::Sequence, 1, "sequence s: last_value 1 (not yet given out) → 2")],
        never: &["INSERT"],
    },
];
