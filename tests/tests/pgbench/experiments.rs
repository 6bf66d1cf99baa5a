//! Published experiments at a reduced scale: what the articles say holds.

use ffviz_simulator::experiment::{Codec, Lab, Outcome, Row, find_experiment};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

fn compressed(_: Codec, block: &[u8]) -> usize {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(block).expect("memory");
    encoder.finish().expect("memory").len()
}

fn run(name: &str, scale: u64) -> Outcome {
    let mut say = |_: &str| {};
    let mut lab = Lab::new(Default::default(), &mut say, &compressed);
    find_experiment(name).expect("an experiment").run(&mut lab, scale).expect("it runs")
}

/// The figure of the row whose case has these words.
fn figure(outcome: &Outcome, words: &[&str], key: &str) -> f64 {
    let has =
        |row: &&Row| words.iter().all(|word| row.system == *word || row.case.iter().any(|(_, value)| value == word));
    let row = outcome.rows.iter().find(has).unwrap_or_else(|| panic!("no row {words:?}"));
    row.figure(key).unwrap_or_else(|| panic!("no figure {key}"))
}

/// WAL of a row is the article's: of PostgreSQL to a hundredth, of the undo engine's model to five.
#[test]
fn wal_of_update() {
    let outcome = run("wal-of-update", 20_000);
    assert_eq!(outcome.rows.len(), 12);
    for row in &outcome.rows {
        let (ours, (_, article)) = (row.figure("bytes_a_row").expect("bytes"), row.published[0]);
        let most = if row.system == "undo model" { 0.05 } else { 0.01 };
        assert!((ours / article - 1.0).abs() < most, "{} {:?}: {ours}, {article}", row.system, row.case);
    }
}

/// Random keys write many times the WAL; skew and HOT make it less.
#[test]
fn full_page_writes() {
    let outcome = run("full-page-writes", 8000);
    let times = |words: &[&str]| figure(&outcome, words, "times");
    assert!(times(&["insert", "uuid"]) > 5.0 && times(&["insert", "uuidv7"]) < 1.2);
    let [uniform, quarter, most] =
        ["uniform", "1% takes 25%", "1% takes 75%"].map(|spread| times(&[&format!("HOT update, {spread}"), "-"]));
    assert!(uniform > 2.0 * quarter && quarter > 1.5 * most, "{uniform} {quarter} {most}");
    assert!(times(&["update of an indexed column, uniform"]) > 2.0 * uniform);
    // where nearly all pages are changed between checkpoints half of a page changes nearly as often
    let estimate =
        outcome.notes.iter().find_map(|note| note.split_once("it would be ")?.1.split_once(" times")?.0.parse().ok());
    assert!(estimate.is_some_and(|times: f64| (1.0..=2.0).contains(&times)), "{:?}", outcome.notes);
    assert!(times(&["wal_compression = pglz"]) < 0.6 && times(&["full_page_writes = off"]) < 0.1);
}

/// From 14 on the index on the unchanged column grows far less.
#[test]
fn index_bloat() {
    let outcome = run("index-bloat", 1000);
    let pages = |system, index| figure(&outcome, &[system, index], "pages");
    let [of_13, of_14, of_18] = ["PostgreSQL 13", "PostgreSQL 14", "PostgreSQL 18"];
    assert!(pages(of_13, "testtab_unchanged_idx") > 1.3 * pages(of_14, "testtab_unchanged_idx"));
    assert!(pages(of_18, "testtab_unchanged_idx") < 1.1 * pages(of_14, "testtab_unchanged_idx"));
    let splits = |system| figure(&outcome, &[system], "splits");
    assert!(splits(of_13) > 2.0 * splits(of_18));
}

/// Full pages begin badly and get better; with a twentieth of free space nearly all is HOT, for some per cent of size.
#[test]
fn fillfactor_over_time() {
    let outcome = run("fillfactor-over-time", 1);
    println!("{:?}", outcome.rows);
    let of = |fillfactor: &str, key| figure(&outcome, &[fillfactor], key);
    assert!(of("100", "start") > 1.1 * of("100", "best"));
    assert!(of("95", "hot") > of("100", "hot"));
    assert!(of("95", "end") < of("100", "end"));
    let size = of("95", "size_mb") / of("100", "size_mb");
    assert!((1.01..1.08).contains(&size), "{size}");
}

/// Free space costs an ordinary drive its share, one that compresses next to nothing.
#[test]
fn compressing_storage() {
    let outcome = run("compressing-storage", 1);
    println!("{:?}", outcome.rows);
    let of = |fillfactor: &str, key| figure(&outcome, &[fillfactor], key);
    let (logical, physical) = (of("75", "logical_growth"), of("75", "physical_growth"));
    assert!((10.0..35.0).contains(&logical), "{logical}");
    assert!(physical < logical / 2.0, "{physical}");
    assert!(of("75", "hot") > of("100", "hot"));
}
