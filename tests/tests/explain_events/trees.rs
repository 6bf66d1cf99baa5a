//! B-trees: entries and pages.

use super::{ALL, Scenario, T};
use ffviz_story::timeline::EventKind;

pub static TREES: &[Scenario] = &[
    Scenario {
        name: "the first root",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY)"],
        step: "INSERT INTO t VALUES (1)",
        expected: &[
            (ALL, EventKind::RootCreated, 1, "t_pkey: first root, block 1|btm_root = 1"),
            (ALL, EventKind::IndexInsert, 1, "t_pkey: entry (1) → (0,1) added to leaf 1, item 1"),
        ],
        never: &["split"],
    },
    Scenario {
        name: "a root splits",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY)\nINSERT INTO t SELECT generate_series(1, 407)"],
        step: "INSERT INTO t VALUES (408)",
        expected: &[
            (ALL, EventKind::NewRoot, 1, "t_pkey: root split, new root is block 3 on level 1|btm_root = 3"),
            (
                ALL,
                EventKind::Split,
                1,
                "t_pkey: leaf 1 split, right half → block 2|had 407 entries|366 on block 1 and 42 on block 2|high key of block 1 is now (367)|Block 3 got a downlink to block 2|90 %",
            ),
        ],
        never: &["removed"],
    },
    Scenario {
        name: "a leaf splits in the middle",
        tables: &["t"],
        setup: &[
            "CREATE TABLE t (id int PRIMARY KEY)\nINSERT INTO t SELECT 2 * generate_series(1, 600)\nINSERT INTO t SELECT 2 * n - 1 FROM generate_series(1, 40) AS n",
        ],
        step: "INSERT INTO t VALUES (301)",
        expected: &[(
            ALL,
            EventKind::Split,
            1,
            "t_pkey: leaf 1 split, right half → block 4|Block 3 got a downlink to block 4",
        )],
        never: &["removed", "%", "root split"],
    },
    Scenario {
        name: "deduplication",
        tables: &["t"],
        setup: &[
            "CREATE TABLE t (a int)\nCREATE INDEX t_a ON t (a)\nINSERT INTO t SELECT n % 4 FROM generate_series(1, 407) AS n",
        ],
        step: "INSERT INTO t VALUES (1)",
        expected: &[
            (ALL, EventKind::Deduplicated, 407, "t_a: leaf 1 deduplicated, 407 items → 4 posting lists"),
            (ALL, EventKind::IndexInsert, 1, "t_a: entry (1) → "),
        ],
        never: &["leaf 1 split", "removed"],
    },
    Scenario {
        name: "bottom-up deletion",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int) WITH (fillfactor = 50)
                CREATE INDEX t_a ON t (a)
                INSERT INTO t SELECT n, n FROM generate_series(1, 340) AS n
                UPDATE t SET a = a + 1000 WHERE id <= 20
                UPDATE t SET a = a + 1000 WHERE id <= 20
                UPDATE t SET a = a + 1000 WHERE id <= 20"],
        step: "UPDATE t SET a = a + 1000 WHERE id <= 20",
        expected: &[(14..=18, EventKind::IndexDelete, 1, "t_pkey:|most likely bottom-up deletion")],
        never: &["VACUUM first removes"],
    },
    Scenario {
        name: "killed entries",
        tables: &["t"],
        setup: &[T, "DELETE FROM t WHERE id = 2"],
        step: "SET enable_seqscan = off; SET enable_bitmapscan = off\nSELECT * FROM t WHERE id = 2",
        expected: &[(ALL, EventKind::IndexKilled, 1, "t_pkey: entry (2) → (0,2) marked LP_DEAD on leaf 1")],
        never: &["removed from"],
    },
    Scenario {
        name: "pages leave the tree",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY)
                INSERT INTO t SELECT generate_series(1, 3000)
                DELETE FROM t WHERE id BETWEEN 400 AND 2400"],
        step: "VACUUM t",
        expected: &[(ALL, EventKind::PageDeleted, 4, "deleted from the tree")],
        never: &["split"],
    },
    Scenario {
        name: "a deleted page is used again",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY)
                INSERT INTO t SELECT generate_series(1, 3000)
                DELETE FROM t WHERE id BETWEEN 400 AND 2400
                VACUUM t
                BEGIN; SELECT pg_current_xact_id(); COMMIT
                VACUUM t"],
        step: "INSERT INTO t SELECT generate_series(3001, 3400)",
        expected: &[
            (ALL, EventKind::Other, 1, "t_pkey:|used again after deletion"),
            (ALL, EventKind::Split, 1, "split"),
        ],
        never: &[],
    },
];
