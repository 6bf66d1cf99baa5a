//! What a step is said to be, on real servers: for each scenario the events that must be told, by kind and key words, on all six versions.
//!
//! A scenario's lines are statements of session A; those that begin with `B>` run in a second session. One with `@` runs until the
//! transactions of other tests, which may still see dead rows, are over: three times, with a new xid each.

use ffviz_engine::timeline::{EventKind, Explanation};
use ffviz_tests::capture::{capture, explain};
use ffviz_tests::servers::{Database, MAJORS, connect};
use postgres::Client;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// versions, kind, how many things at least, words in `what` or `why`
type Expected = (RangeInclusive<u32>, EventKind, usize, &'static str);

struct Scenario {
    name: &'static str,
    tables: &'static [&'static str],
    setup: &'static [&'static str],
    step: &'static str,
    expected: &'static [Expected],
    /// no event may have these words
    never: &'static [&'static str],
}

const ALL: RangeInclusive<u32> = 13..=18;

fn run(sessions: &mut (Client, Client), script: &str) {
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(sql) = line.strip_prefix('@') {
            (0..3).for_each(|_| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                sessions.0.batch_execute("SELECT pg_current_xact_id()").unwrap();
                sessions.0.batch_execute(sql).unwrap();
            });
            continue;
        }
        let (client, sql) = match line.strip_prefix("B>") {
            Some(sql) => (&mut sessions.1, sql),
            None => (&mut sessions.0, line),
        };
        client.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

fn story(explanation: &Explanation) -> String {
    let mut text = format!("  = {}\n", explanation.headline);
    for event in &explanation.events {
        writeln!(text, "  - [{:?} ×{} at {}] {}", event.kind, event.count, event.page, event.what).unwrap();
        event.why.iter().for_each(|why| writeln!(text, "      {why}").unwrap());
    }
    text
}

/// The number of expectations looked at; those that are not met go to `missed`.
fn check(db: &Database, scenario: &Scenario, missed: &mut Vec<String>) -> usize {
    let major = db.major;
    let mut sessions = (connect(major, &db.name), connect(major, &db.name));
    run(&mut sessions, "DROP TABLE IF EXISTS t, u\nDROP SEQUENCE IF EXISTS s");
    scenario.setup.iter().for_each(|script| run(&mut sessions, script));
    let before = capture(db, scenario.tables);
    run(&mut sessions, scenario.step);
    let is_there = |table: &&&str| -> bool {
        sessions.0.query_one("SELECT to_regclass($1) IS NOT NULL", &[table]).unwrap().get(0)
    };
    let there: Vec<&str> = scenario.tables.iter().filter(is_there).copied().collect();
    let explanation = explain(&before, &capture(db, &there));
    let story = story(&explanation);
    println!("PostgreSQL {major}: {}\n  {}\n{story}", scenario.name, scenario.step.replace("                ", "  "));
    let here: Vec<&Expected> = scenario.expected.iter().filter(|(majors, ..)| majors.contains(&major)).collect();
    for (_, kind, count, words) in &here {
        let found = explanation.events.iter().any(|event| {
            let text = format!("{} {}", event.what, event.why.as_deref().unwrap_or_default());
            event.kind == *kind && event.count >= *count && words.split('|').all(|word| text.contains(word))
        });
        if !found {
            missed.push(format!(
                "PostgreSQL {major}, {}: no {kind:?} ×{count} with {words:?} in\n{story}",
                scenario.name
            ));
        }
    }
    for words in scenario.never.iter().filter(|words| story.contains(**words)) {
        missed.push(format!("PostgreSQL {major}, {}: {words:?} in\n{story}", scenario.name));
    }
    if explanation.headline.chars().count() > 76 {
        missed.push(format!("too long: {}", explanation.headline));
    }
    here.len() + scenario.never.len()
}

fn check_all(name: &str, scenarios: &[Scenario]) {
    let (mut compared, mut missed) = (0, Vec::new());
    for major in MAJORS {
        let db = Database::create(major, &format!("explain_{name}"));
        compared += scenarios.iter().map(|scenario| check(&db, scenario, &mut missed)).sum::<usize>();
    }
    assert!(missed.is_empty(), "{} of {compared} expectations missed:\n{}", missed.len(), missed.join("\n"));
    println!("{name}: {} scenarios on {} versions, {compared} expectations met", scenarios.len(), MAJORS.len());
}

const T: &str = "CREATE TABLE t (id int PRIMARY KEY, a int, b text)
    INSERT INTO t VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')
    SELECT count(*) FROM t";

#[test]
fn rows() {
    check_all("rows", &[
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
    ]);
}

#[test]
fn updates() {
    check_all(
        "updates",
        &[
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
                    (ALL, EventKind::Prune, 1, "pruned block 0: 1 dead tuple removed"),
                    (ALL, EventKind::Redirect, 1, "line pointer 1 of block 0: LP_REDIRECT to 5"),
                ],
                never: &["INSERT ("],
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
                    (
                        16..=18,
                        EventKind::Update,
                        1,
                        "UPDATE (0,1) → (0,4): HOT|t_brin depends on it but only summarises",
                    ),
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
        ],
    );
}

#[test]
fn pruning_and_vacuum() {
    check_all(
        "pruning_and_vacuum",
        &[
            Scenario {
                name: "pruned by a reader",
                tables: &["t"],
                setup: &["CREATE TABLE t (id int PRIMARY KEY, a int, b char(100))
                INSERT INTO t SELECT n, n, 'x' FROM generate_series(1, 56) AS n
                BEGIN; UPDATE t SET a = 0 WHERE id = 1; DELETE FROM t WHERE id = 2; COMMIT"],
                step: "@ SELECT count(*) FROM t",
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
                    (ALL, EventKind::LpUnused, 2, "line pointers 4, 5 of block 0: LP_UNUSED|no index"),
                    (15..=18, EventKind::LpUnused, 1, "block 0: 2 line pointers cut off, pd_lower 44 → 36"),
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
        ],
    );
}

#[test]
fn trees() {
    check_all(
        "trees",
        &[
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
                step: "SET enable_seqscan = off; SET enable_bitmapscan = off\n@ SELECT * FROM t WHERE id = 2",
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
        ],
    );
}
