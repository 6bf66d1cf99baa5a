//! Whole indexes by the digests of their pages, which were the same on servers of all six versions (13.23, 14.23,
//! 15.18, 16.14, 17.10, 18.4): locale C, one session, no checkpoint. No server is needed to see that the simulator has
//! them.
//!
//! ```text
//!  digest = SHA-256 over all pages in block order, of each pd_lsn and pd_checksum as zeros; the first 16 bytes of it
//! ```

use ffviz_format::page::{ForkNumber, PgVersion};
use ffviz_simulator::sql::run::{RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::storage::Buffer;
use sha2::{Digest, Sha256};

/// `pd_lsn` and `pd_checksum` are at the start of a page.
const NOT_COMPARED: usize = 10;

/// An index, its rows, and what a server makes of them.
struct Vector {
    columns: &'static str,
    /// what stands behind the table's name in CREATE INDEX
    index: &'static str,
    unique: bool,
    /// what is selected for each `g` from 1 to that number
    rows: (&'static str, u32),
    pages: u32,
    digest: &'static str,
}

const fn vector(
    columns: &'static str,
    index: &'static str,
    rows: (&'static str, u32),
    made: (u32, &'static str),
) -> Vector {
    Vector { columns, index, unique: false, rows, pages: made.0, digest: made.1 }
}

const MIXED: &str =
    "case when g % 13 = 0 then null else g % 13 end, case when g % 5 = 0 then null else 'k' || (g * 37 % 1000) end, g";
const MIXED_COLUMNS: &str = "a int4, b text, o int";
const MIXED_INDEX: &str = "(a desc, b nulls first)";

/// The index is there before the rows.
const GROWN: [Vector; 13] = [
    vector("k int8", "(k)", ("g", 60_000), (166, "cfbcd3a8f8af35aca441f2ed99a6f7f3")),
    vector("k int8", "(k)", ("(g * 7919) % 100003", 50_000), (149, "22fab3699cca11d657260d17cd0000c9")),
    vector("k int4", "(k)", ("g % 7", 60_000), (51, "97dc2c6c5e60b3321ddf66f5eadfe096")),
    vector("k int4", "(k)", ("5", 30_000), (26, "3cd0c317f2a07b23e12c598e30539ced")),
    vector("k int4", "(k) with (deduplicate_items = off)", ("5", 30_000), (79, "d004aea5e21608fc3b31611e5caa48e6")),
    vector("a int4, b int4", "(a, b)", ("g % 20, g", 40_000), (124, "13044d12b6e93d770129244a85746ff5")),
    vector(
        "a int4, b int4",
        "(a, b)",
        ("g % 50, (g * 7919) % 30011", 30_000),
        (115, "52b30817a69e12cb034ee8c98440b744"),
    ),
    vector(
        "k text, o int",
        "(k)",
        ("md5((g % 9000)::text) || repeat('x', g % 40), g", 30_000),
        (151, "efaa70bf6ec63756623465859382da21"),
    ),
    vector(MIXED_COLUMNS, MIXED_INDEX, (MIXED, 30_000), (79, "2edc7a4f89db4676549a91d9e9783a33")),
    vector(
        "a int4, b int8, c int4",
        "(a) include (b, c)",
        ("(g * 7919) % 5003, g, case when g % 3 = 0 then null else g % 3 end", 30_000),
        (153, "71b3f7f7ef16e5eabc36e146f97684ab"),
    ),
    Vector {
        unique: true,
        ..vector(
            "a int4",
            "(a)",
            ("case when g % 2 = 0 then null else g end", 30_000),
            (87, "c0a7f6ddc38cecc8a40168857763fabb"),
        )
    },
    vector(
        "k int4",
        "(k)",
        ("case when g % 4 = 0 then 100 else (g * 7919) % 200 end", 50_000),
        (49, "f33cfff0bc9c45beff49984b6296187d"),
    ),
    vector(
        "k float8, o int",
        "(k)",
        ("case when g % 3 = 0 then '-0'::float8 when g % 3 = 1 then 0::float8 else (g % 40)::float8 end, g", 20_000),
        (93, "76bc3d8cd88c30293ce78e595297316c"),
    ),
];

/// The rows are there before the index.
const BUILT: [Vector; 5] = [
    vector("k int8", "(k)", ("g", 100_000), (276, "1d780034e454bf33f242b2173c7a3b14")),
    vector("k int4", "(k)", ("g % 1000", 100_000), (86, "5463c5a0af4b395be210342698ceb234")),
    vector(
        "k int4",
        "(k) with (deduplicate_items = off, fillfactor = 70)",
        ("4", 50_000),
        (179, "9a88368143c405c52432ef358453cda1"),
    ),
    vector(MIXED_COLUMNS, MIXED_INDEX, (MIXED, 30_000), (73, "01af3390e43988a6859c785c7cfdc27b")),
    vector("k int8", "(k)", ("g", 0), (1, "f2f07f9e22fc643f4de9003e6ae7f3dd")),
];

ffviz_tests::each_version!(indexes_have_the_servers_digests: super::check);

fn check(major: u32) {
    let version = newest(major);
    let (mut pages, mut wrong) = (0, Vec::new());
    for (vectors, is_built) in [(&GROWN[..], false), (&BUILT[..], true)] {
        for vector in vectors {
            let (count, digest) = digest(version, &script(vector, is_built));
            pages += count;
            if (count, &*digest) != (vector.pages, vector.digest) {
                wrong.push(format!("{} {} {}: {count} pages, {digest}", vector.columns, vector.index, vector.rows.0));
            }
        }
    }
    assert!(wrong.is_empty(), "{version}:\n{}", wrong.join("\n"));
    println!("{version}: {} indexes, {pages} pages", GROWN.len() + BUILT.len());
}

fn script(Vector { columns, index, unique, rows: (row, count), .. }: &Vector, is_built: bool) -> String {
    let unique = if *unique { "unique" } else { "" };
    let index = format!("create {unique} index ix on t {index};");
    let rows = format!("insert into t select {row} from generate_series(1, {count}) g;");
    let [first, second] = if is_built { [rows, index] } else { [index, rows] };
    format!("create table t ({columns}); {first} {second}")
}

/// How many pages the index has at the end, and their digest.
fn digest(version: PgVersion, sql: &str) -> (u32, String) {
    let mut simulator = Simulator::new(&RunOptions::new(version), false, false).expect("a server");
    for item in &Script::parse(sql).expect("a script").items {
        let done = simulator.item(item);
        assert_eq!(done.refused, None, "{sql}");
        assert!(!done.simulated.outcome.starts_with("ERROR"), "{sql}: {}", done.simulated.outcome);
    }
    let pg = &simulator.db.cluster.pg;
    let index = pg.relations.values().find(|relation| relation.name == "ix").expect("the index");
    let count = pg.buffers.nblocks(index.file, ForkNumber::Main);
    let mut sha = Sha256::new();
    for block in 0..count {
        sha.update([0; NOT_COMPARED]);
        sha.update(&pg.buffers.page(Buffer::main(index.file, block)).bytes()[NOT_COMPARED..]);
    }
    (count, sha.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}
