//! UPDATEs: HOT or not, and why.

use super::{ALL, Scenario, T};
use ffviz_story::timeline::EventKind;

pub static UPDATES: &[Scenario] = &[
    Scenario {
        name: "a chain grows by three",
        tables: &["t"],
        setup: &[T],
        step: "UPDATE t SET a = 10 WHERE id = 1\nUPDATE t SET a = 11 WHERE id = 1\nUPDATE t SET a = 12 WHERE id = 1",
        expected: &[
            (
                ALL,
                EventKind::Update,
                1,
                "UPDATE (0,1) → (0,4): HOT|Only column a changed|44 bytes|index entries point to (0,1)",
            ),
            (ALL, EventKind::Update, 1, "UPDATE (0,4) → (0,5): HOT|index entries point to (0,1)"),
            (ALL, EventKind::Update, 1, "UPDATE (0,5) → (0,6): HOT|index entries point to (0,1)"),
        ],
        never: &["t_pkey: entry"],
    },
    Scenario {
        name: "a chain grows and is pruned",
        tables: &["t"],
        setup: &[T],
        step: "UPDATE t SET a = 10 WHERE id = 1\nUPDATE t SET a = 11 WHERE id = 1\nVACUUM t",
        expected: &[
            (ALL, EventKind::Update, 1, "UPDATE … → (0,5): HOT|pruned between the two captures|line pointer 1"),
            (ALL, EventKind::Prune, 1, "pruned block 0: at least 1 dead tuple removed, at least"),
            (ALL, EventKind::Redirect, 1, "line pointer 1 of block 0: LP_REDIRECT to 5"),
        ],
        never: &["INSERT ("],
    },
    Scenario {
        name: "updates of which some left nothing to see",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int)
            INSERT INTO t SELECT g, 0 FROM generate_series(1, 8) g
            VACUUM t"],
        step: "UPDATE t SET a = 1\nUPDATE t SET id = id + 100 WHERE id < 3\nDELETE FROM t WHERE id > 100\nUPDATE t SET a = 2\nVACUUM t",
        expected: &[(ALL, EventKind::Update, 6, "at least 6 updates: HOT")],
        never: &["all HOT", "= 6 updates"],
    },
    Scenario {
        name: "PD_PAGE_FULL, and a compressed value of an indexed column",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b text)
            CREATE INDEX t_b ON t USING hash (b)
            INSERT INTO t VALUES (1, 1, repeat('y', 3000))
            INSERT INTO t SELECT i, 1, (SELECT string_agg(md5(i || ' ' || g), '') FROM generate_series(1, 45) g) FROM generate_series(2, 6) i
            B>BEGIN ISOLATION LEVEL REPEATABLE READ
            B>SELECT count(*) FROM t
            UPDATE t SET a = 2 WHERE id = 2"],
        step: "UPDATE t SET b = repeat('y', 3000) WHERE id = 1\nB>COMMIT",
        expected: &[
            (13..=14, EventKind::Update, 1, "not HOT, PD_PAGE_FULL was set|with column b compressed|If the UPDATE set column b, that alone"),
            (15..=18, EventKind::Update, 1, "not HOT|Column b is stored compressed"),
        ],
        never: &[": HOT"],
    },
    Scenario {
        name: "an indexed column, two indexes",
        tables: &["t"],
        setup: &[T, "CREATE INDEX t_a ON t (a)"],
        step: "UPDATE t SET a = 10, b = 'x' WHERE id = 1",
        expected: &[
            (
                ALL,
                EventKind::Update,
                1,
                "UPDATE (0,1) → (0,4): not HOT, indexed column a changed|t_a depends on it|in t_pkey too|Room was not the reason",
            ),
            (ALL, EventKind::IndexInsert, 1, "t_pkey: entry (1) → (0,4)"),
            (ALL, EventKind::IndexInsert, 1, "t_a: entry (10) → (0,4)"),
        ],
        never: &[": HOT"],
    },
    Scenario {
        name: "the same value is no change",
        tables: &["t"],
        setup: &[T, "CREATE INDEX t_a ON t (a)"],
        step: "UPDATE t SET a = a WHERE id = 1",
        expected: &[(ALL, EventKind::Update, 1, "UPDATE (0,1) → (0,4): HOT|No column changed its value")],
        never: &["not HOT"],
    },
    Scenario {
        name: "no index",
        tables: &["t"],
        setup: &["CREATE TABLE t (a int)\nINSERT INTO t VALUES (1)"],
        step: "UPDATE t SET a = 2",
        expected: &[(ALL, EventKind::Update, 1, "UPDATE (0,1) → (0,2): HOT|The table has no index")],
        never: &["not HOT"],
    },
    Scenario {
        name: "BRIN",
        tables: &["t"],
        setup: &[T, "CREATE INDEX t_brin ON t USING brin (a)"],
        step: "UPDATE t SET a = 10 WHERE id = 1",
        expected: &[
            (
                13..=15,
                EventKind::Update,
                1,
                "not HOT, indexed column a changed|t_brin only summarises block ranges, but up to 15",
            ),
            (16..=18, EventKind::Update, 1, "UPDATE (0,1) → (0,4): HOT|t_brin depends on it but only summarises"),
        ],
        never: &[],
    },
    Scenario {
        name: "a compressed value, set to itself",
        tables: &["t"],
        setup: &[T, "CREATE INDEX t_b ON t USING hash (b)\nUPDATE t SET b = repeat('y', 3000) WHERE id = 1"],
        step: "UPDATE t SET b = repeat('y', 3000) WHERE id = 1",
        expected: &[(
            ALL,
            EventKind::Update,
            1,
            "UPDATE (0,4) → (0,5): not HOT|compares the new value before it is compressed",
        )],
        never: &["indexed column"],
    },
    Scenario {
        name: "no room at fillfactor 100",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b char(100)) WITH (fillfactor = 100)
                INSERT INTO t SELECT n, n, 'x' FROM generate_series(1, 60) AS n"],
        step: "UPDATE t SET a = 0 WHERE id = 1",
        expected: &[
            (
                ALL,
                EventKind::Update,
                1,
                "UPDATE (0,1) → (1,3): not HOT, no room on block 0|fillfactor is 100|t_pkey needs a new entry",
            ),
            (ALL, EventKind::IndexInsert, 1, "t_pkey: entry (1) → (1,3)"),
        ],
        never: &["HOT_"],
    },
    Scenario {
        name: "room kept by fillfactor 80",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b char(100)) WITH (fillfactor = 80)
                INSERT INTO t SELECT n, n, 'x' FROM generate_series(1, 60) AS n"],
        step: "UPDATE t SET a = 0 WHERE id = 1",
        expected: &[(ALL, EventKind::Update, 1, "UPDATE (0,1) → (0,47): HOT|fillfactor 80 keeps")],
        never: &["t_pkey"],
    },
    Scenario {
        name: "many updates",
        tables: &["t"],
        setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b char(100)) WITH (fillfactor = 80)
                INSERT INTO t SELECT n, n, 'x' FROM generate_series(1, 30) AS n"],
        step: "UPDATE t SET a = 0",
        expected: &[
            (ALL, EventKind::Update, 28, "28 updates: HOT; new versions on block 0"),
            (ALL, EventKind::Update, 1, "UPDATE (0,29) → (1,1): not HOT, no room on block 0"),
        ],
        never: &["pruned"],
    },
    Scenario {
        name: "the page was pruned since, HOT",
        tables: &["t"],
        setup: &[T],
        step: "DELETE FROM t WHERE id = 2\nVACUUM t\nUPDATE t SET a = 10 WHERE id = 1",
        expected: &[(ALL, EventKind::Update, 1, "UPDATE (0,1) → (0,2): HOT|how much was free then is not known")],
        never: &["were free on"],
    },
    Scenario {
        name: "the page was pruned since, not HOT",
        tables: &["t"],
        setup: &[T, "CREATE INDEX t_a ON t (a)"],
        step: "DELETE FROM t WHERE id = 2\nVACUUM t\nUPDATE t SET a = 10 WHERE id = 1",
        expected: &[(
            ALL,
            EventKind::Update,
            1,
            "UPDATE (0,1) → (0,2): not HOT|Room was not the reason, since it stayed on block 0",
        )],
        never: &["needed, "],
    },
    Scenario {
        name: "PD_PAGE_FULL was set before",
        tables: &["t"],
        setup: &[FULL, MOVED],
        step: "UPDATE t SET a = 1 WHERE id = 6",
        expected: &[
            (13..=14, EventKind::Update, 1, "not HOT, PD_PAGE_FULL was set|even where there is room ("),
            (15..=18, EventKind::Update, 1, ": HOT"),
        ],
        never: &["perhaps PD_PAGE_FULL", "TOAST"],
    },
    Scenario {
        name: "PD_PAGE_FULL was set before, a compressed value",
        tables: &["t"],
        setup: &[FULL, MOVED],
        step: "UPDATE t SET c = repeat('y', 3000) WHERE id = 5",
        expected: &[
            (
                13..=14,
                EventKind::Update,
                1,
                "not HOT, PD_PAGE_FULL was set|needed with column c compressed or in the TOAST table, ",
            ),
            (15..=18, EventKind::Update, 1, "not HOT|compares the new value before it is compressed"),
        ],
        never: &["perhaps PD_PAGE_FULL"],
    },
    Scenario {
        name: "PD_PAGE_FULL was set in between, a compressed value",
        tables: &["t"],
        setup: &[FULL],
        step: MOVED_THEN,
        expected: &[(
            13..=14,
            EventKind::Update,
            1,
            "not HOT, perhaps PD_PAGE_FULL was set|Perhaps PD_PAGE_FULL, which is set on block 0, was set then|or column c was set",
        )],
        never: &["not HOT, PD_PAGE_FULL was set"],
    },
];

/// A page with room for a short row, not for a long one, and a snapshot that keeps it from being pruned.
const FULL: &str = "CREATE TABLE t (id int PRIMARY KEY, a int, b text, c text)
    ALTER TABLE t ALTER b SET STORAGE PLAIN
    CREATE INDEX t_c ON t USING hash (c)
    INSERT INTO t SELECT n, 0, repeat('x', 1900), 'c' FROM generate_series(1, 4) AS n
    INSERT INTO t VALUES (5, 0, '', repeat('y', 3000)), (6, 0, '', 'c')
    B>BEGIN ISOLATION LEVEL REPEATABLE READ
    B>SELECT 1";

/// A long row finds no room on its page.
const MOVED: &str = "UPDATE t SET a = 1 WHERE id = 1";

const MOVED_THEN: &str = "UPDATE t SET a = 1 WHERE id = 1\nUPDATE t SET c = repeat('y', 3000) WHERE id = 5";
