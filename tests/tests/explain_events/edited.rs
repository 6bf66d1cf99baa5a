//! Captures that tell less than usual, or were made as a crash would: what is not known is not told as a fact.

use super::{ALL, Edit, Scenario, T};
use ffviz_format::nbtree::{BtKind, BtPage};
use ffviz_format::page::ForkNumber;
use ffviz_format::page::Page;
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::recording::redact;
use ffviz_story::timeline::EventKind;

/// Nothing is changed.
pub const AS_CAPTURED: Edit = |_, _| {};

const REDACTED: Edit = |before, after| (*before, *after) = (redact(before), redact(after));

/// The index's deleted pages are as a crash leaves pages that were just added to a file.
const ZEROS: Edit = |_, after| {
    for id in index_pages(after, |kind| kind == BtKind::Deleted) {
        after.pages.insert(id, Page::new(&[0; 8192]));
    }
};

/// The index's own pages were not read.
const NO_INDEX: Edit = |before, after| {
    for state in [before, after] {
        index_pages(state, |kind| kind != BtKind::Meta).iter().for_each(|id| drop(state.pages.remove(id)));
    }
};

fn index_pages(state: &State, wanted: fn(BtKind) -> bool) -> Vec<PageId> {
    let is_index = |id: &PageId| id.fork == ForkNumber::Main && state.relations[&id.relation].am == AccessMethod::Btree;
    let all = state.pages.iter().filter(|(id, _)| is_index(id));
    all.filter(|(_, page)| wanted(BtPage::decode(page, state.server.version).kind)).map(|(id, _)| *id).collect()
}

/// Leaves that were deleted from the index; the second statement makes them old enough to be used again.
const DELETED: &str = "CREATE TABLE t (id int PRIMARY KEY)
    INSERT INTO t SELECT generate_series(1, 3000)
    DELETE FROM t WHERE id BETWEEN 300 AND 2500
    VACUUM t
    SELECT txid_current()
    DELETE FROM t WHERE id = 1";

const AGAIN: &str = "VACUUM t";

const SPLITS: &str = "INSERT INTO t SELECT generate_series(3001, 4500)";

pub static EDITED: &[(Edit, Scenario)] = &[
    (
        REDACTED,
        Scenario {
            name: "redacted, not HOT",
            tables: &["t"],
            setup: &[T, "CREATE INDEX t_a ON t (a)"],
            step: "UPDATE t SET a = 10 WHERE id = 1",
            expected: &[(
                ALL,
                EventKind::Update,
                1,
                "UPDATE (0,1) → (0,4): not HOT|what changed cannot be told|Perhaps a column changed that an index depends on",
            )],
            never: &["must have changed", "indexed column"],
        },
    ),
    (
        REDACTED,
        Scenario {
            name: "redacted, a compressed value, set to itself",
            tables: &["t"],
            setup: &[T, "CREATE INDEX t_b ON t USING hash (b)\nUPDATE t SET b = repeat('y', 3000) WHERE id = 1"],
            step: "UPDATE t SET b = repeat('y', 3000) WHERE id = 1",
            expected: &[(
                ALL,
                EventKind::Update,
                1,
                "(0,5): not HOT|Perhaps|; or column b was set, which is compared before",
            )],
            never: &["must have changed"],
        },
    ),
    (
        REDACTED,
        Scenario {
            name: "redacted, HOT beside BRIN",
            tables: &["t"],
            setup: &[T, "CREATE INDEX t_brin ON t USING brin (a)"],
            step: "UPDATE t SET a = 10 WHERE id = 1",
            expected: &[
                (13..=15, EventKind::Update, 1, "(0,4): not HOT|Perhaps a column changed that an index depends on"),
                (
                    16..=18,
                    EventKind::Update,
                    1,
                    "(0,4): HOT|depended on, but for those that only summarise block ranges",
                ),
            ],
            never: &["must have changed"],
        },
    ),
    (
        AS_CAPTURED,
        Scenario {
            name: "pages of an index are free",
            tables: &["t"],
            setup: &[DELETED],
            step: AGAIN,
            expected: &[(
                ALL,
                EventKind::FreeSpaceMap,
                1,
                "free space map of t_pkey|may be used again|VACUUM found them deleted, and",
            )],
            never: &["zeros"],
        },
    ),
    (
        ZEROS,
        Scenario {
            name: "pages of an index are free that were never written",
            tables: &["t"],
            setup: &[DELETED],
            step: AGAIN,
            expected: &[(
                ALL,
                EventKind::FreeSpaceMap,
                1,
                "free space map of t_pkey|may be used again|VACUUM found them all zeros",
            )],
            never: &["found them deleted"],
        },
    ),
    (
        NO_INDEX,
        Scenario {
            name: "pages of an index are free that were not read",
            tables: &["t"],
            setup: &[DELETED],
            step: AGAIN,
            expected: &[(
                ALL,
                EventKind::FreeSpaceMap,
                1,
                "free space map of t_pkey|may be used again|stand on them; or all zeros",
            )],
            never: &["found them deleted, and no"],
        },
    ),
    (
        AS_CAPTURED,
        Scenario {
            name: "free pages of an index are used",
            tables: &["t"],
            setup: &[DELETED, AGAIN],
            step: SPLITS,
            expected: &[(ALL, EventKind::FreeSpaceMap, 1, "taken from the free space map|A split needs a page")],
            never: &["Perhaps a split"],
        },
    ),
    (
        NO_INDEX,
        Scenario {
            name: "free pages of an index are used, and were not read",
            tables: &["t"],
            setup: &[DELETED, AGAIN],
            step: SPLITS,
            expected: &[(
                ALL,
                EventKind::FreeSpaceMap,
                1,
                "taken from the free space map|Perhaps a split, or the first entry",
            )],
            never: &["A split needs a page"],
        },
    ),
];
