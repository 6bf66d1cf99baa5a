//! What is compared: tables, indexes and rows, enough for hundreds of splits and for three levels.

use ffviz_format::datum::SqlType;

/// A table, its index and its rows: `columns` of the table, of which the index has those in `keys`.
pub struct Workload {
    pub name: &'static str,
    pub columns: &'static [(&'static str, SqlType)],
    /// of CREATE INDEX, behind the table's name
    pub index: &'static str,
    /// columns of the index by number: key columns, then INCLUDE; with DESC, NULLS FIRST
    pub keys: &'static [(usize, bool, bool)],
    pub n_keys: u16,
    pub unique: bool,
    pub fillfactor: Option<u8>,
    pub dedup: bool,
    /// are equal keys equal byte for byte, as far as types go? (`btm_allequalimage`)
    pub allequalimage: bool,
    pub rows: &'static str,
    /// the index is made after the rows
    pub build: bool,
}

const PLAIN: Workload = Workload {
    name: "",
    columns: &[("k", SqlType::INT4)],
    index: "(k)",
    keys: &[(0, false, false)],
    n_keys: 1,
    unique: false,
    fillfactor: None,
    dedup: true,
    allequalimage: true,
    rows: "",
    build: false,
};

const INT8: &[(&str, SqlType)] = &[("k", SqlType::INT8)];
const TWO: &[(&str, SqlType)] = &[("a", SqlType::INT4), ("b", SqlType::INT4)];
const ONE_KEY: &[(usize, bool, bool)] = &[(0, false, false)];
const TWO_KEYS: &[(usize, bool, bool)] = &[(0, false, false), (1, false, false)];
const TEXT: &[(&str, SqlType)] = &[("k", SqlType::TEXT), ("o", SqlType::INT4)];
const MIXED: &[(&str, SqlType)] = &[("a", SqlType::INT4), ("b", SqlType::TEXT), ("o", SqlType::INT4)];
const MIXED_ROWS: &str = "select nullif(g % 13, 0), case when g % 5 = 0 then null else 'k' || (g * 37 % 1000) end, g
    from generate_series(1, 30000) g";

/// All of them.
pub const WORKLOADS: &[Workload] = &[
    Workload { name: "ascending", columns: INT8, rows: "select g from generate_series(1, 30000) g", ..PLAIN },
    Workload {
        name: "scattered",
        columns: INT8,
        rows: "select (g * 7919) % 100003 from generate_series(1, 50000) g",
        ..PLAIN
    },
    Workload { name: "seven values", rows: "select g % 7 from generate_series(1, 40000) g", ..PLAIN },
    Workload { name: "one value", rows: "select 5 from generate_series(1, 30000) g", ..PLAIN },
    Workload {
        name: "one value, not deduplicated",
        index: "(k) with (deduplicate_items = off)",
        dedup: false,
        rows: "select 5 from generate_series(1, 30000) g",
        ..PLAIN
    },
    Workload {
        name: "runs within groups",
        columns: TWO,
        index: "(a, b)",
        keys: TWO_KEYS,
        n_keys: 2,
        rows: "select g % 20, g from generate_series(1, 40000) g",
        ..PLAIN
    },
    Workload {
        name: "scattered within groups",
        columns: TWO,
        index: "(a, b)",
        keys: TWO_KEYS,
        n_keys: 2,
        rows: "select g % 50, (g * 7919) % 30011 from generate_series(1, 30000) g",
        ..PLAIN
    },
    Workload {
        name: "text, three levels",
        columns: TEXT,
        index: "(k collate \"C\")",
        rows: "select md5((g % 9000)::text) || repeat('x', g % 40), g from generate_series(1, 30000) g",
        ..PLAIN
    },
    Workload {
        name: "DESC, NULLS FIRST, NULLs and text",
        columns: MIXED,
        index: "(a desc, b collate \"C\" nulls first)",
        keys: &[(0, true, true), (1, false, true)],
        n_keys: 2,
        rows: MIXED_ROWS,
        ..PLAIN
    },
    Workload {
        name: "INCLUDE",
        allequalimage: false,
        columns: &[("a", SqlType::INT4), ("b", SqlType::INT8), ("c", SqlType::INT4)],
        index: "(a) include (b, c)",
        keys: &[(0, false, false), (1, false, false), (2, false, false)],
        rows: "select (g * 7919) % 5003, g, nullif(g % 3, 0) from generate_series(1, 30000) g",
        ..PLAIN
    },
    Workload {
        name: "unique with NULLs",
        index: "(k)",
        unique: true,
        rows: "select case when g % 2 = 0 then null else g end from generate_series(1, 30000) g",
        ..PLAIN
    },
    Workload {
        name: "some values often",
        rows: "select case when g % 4 = 0 then 100 else (g * 7919) % 200 end
        from generate_series(1, 50000) g",
        ..PLAIN
    },
    Workload {
        name: "zeros of both signs",
        columns: &[("k", SqlType::FLOAT8), ("o", SqlType::INT4)],
        allequalimage: false,
        rows: "select case when g % 3 = 0 then '-0'::float8 when g % 3 = 1 then 0::float8 else (g % 40)::float8 end, g
        from generate_series(1, 20000) g",
        ..PLAIN
    },
    Workload {
        name: "build: ascending",
        columns: INT8,
        rows: "select g from generate_series(1, 100000) g",
        build: true,
        ..PLAIN
    },
    Workload {
        name: "build: duplicates",
        rows: "select g % 1000 from generate_series(1, 100000) g",
        build: true,
        ..PLAIN
    },
    Workload {
        name: "build: one value, fillfactor 70, not deduplicated",
        index: "(k) with (deduplicate_items = off, fillfactor = 70)",
        fillfactor: Some(70),
        dedup: false,
        rows: "select 4 from generate_series(1, 50000) g",
        build: true,
        ..PLAIN
    },
    Workload {
        name: "build: DESC, NULLS FIRST, NULLs and text",
        columns: MIXED,
        index: "(a desc, b collate \"C\" nulls first)",
        keys: &[(0, true, true), (1, false, true)],
        n_keys: 2,
        rows: MIXED_ROWS,
        build: true,
        ..PLAIN
    },
    Workload {
        name: "build: no row",
        columns: INT8,
        keys: ONE_KEY,
        rows: "select 1 where false",
        build: true,
        ..PLAIN
    },
];
