//! Makes the recording that the WAL view is tested with: a server's own WAL between captures. To make it anew:
//! `cargo test -p ffviz-tests --test wal_view -- --ignored make`.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::state::State;
use ffviz_story::recording;
use ffviz_story::timeline::{Timeline, WalBetween};
use ffviz_tests::capture::capture_of;
use ffviz_tests::instance::{Instance, NEWEST};
use ffviz_tests::wal;
use postgres::Client;
use std::fs::File;
use std::io::Write;

/// Statements, and what is written on the step.
const STEPS: [(&str, &str); 6] = [
    (
        "INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Rome', 2800)",
        "INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Rome', 2800); INSERT INTO other SELECT generate_series(1, 50)",
    ),
    ("CHECKPOINT; UPDATE city SET people = 701 WHERE id = 1", "CHECKPOINT; UPDATE city SET people = 701 WHERE id = 1"),
    (
        "two transactions side by side",
        "", // two clients
    ),
    ("INSERT INTO city SELECT n, 'city ' || n, n FROM generate_series(10, 24) AS n", ""),
    ("DELETE FROM city WHERE id > 12", "DELETE FROM city WHERE id > 12"),
    ("VACUUM city", "VACUUM (TRUNCATE off) city; SELECT txid_current()"),
];

fn side_by_side(instance: &Instance) {
    let (mut a, mut b) = (instance.client(), instance.client());
    let run = |client: &mut Client, sql: &str| client.batch_execute(sql).expect("a statement");
    run(&mut a, "BEGIN; UPDATE city SET people = 702 WHERE id = 1");
    run(&mut b, "BEGIN; UPDATE city SET people = 2801 WHERE id = 2");
    run(&mut a, "INSERT INTO city VALUES (3, 'Lima', 10000)");
    run(&mut b, "INSERT INTO city VALUES (4, 'Cairo', 9800)");
    run(&mut a, "COMMIT");
    run(&mut b, "ROLLBACK");
}

struct Maker {
    instance: Instance,
    client: Client,
    version: PgVersion,
    from: Lsn,
    timeline: Timeline,
}

impl Maker {
    fn capture(instance: &Instance) -> State {
        capture_of(&instance.url("postgres"), &["city"])
    }

    fn step(&mut self, label: &str, sql: &str) {
        let statement = if sql.is_empty() { label } else { sql };
        match label {
            "two transactions side by side" => side_by_side(&self.instance),
            // one by one, since some cannot stand in a transaction with others
            _ => statement.split("; ").for_each(|one| self.client.batch_execute(one).expect("a statement")),
        }
        let to = wal::flushed(&mut self.client);
        let records: Vec<_> = wal::records(&self.instance, self.version, self.from, to).collect();
        self.from = records.last().map_or(to, |record| record.end);
        let wal = WalBetween { records, ..WalBetween::default() };
        self.timeline.push_replayed(Self::capture(&self.instance), Some(label.to_owned()), wal);
    }
}

#[test]
#[ignore = "writes tests/golden/wal.ffrec.gz"]
fn make() {
    let instance = Instance::create(NEWEST, "checkpoint_timeout = 1d\nbgwriter_lru_maxpages = 0");
    let mut client = instance.client();
    client
        .batch_execute(
            "CREATE EXTENSION pageinspect; CREATE TABLE other (n int);
             CREATE TABLE city (id int PRIMARY KEY, name varchar(20), people int, notes char(400) DEFAULT 'x')",
        )
        .expect("tables");
    let version = wal::version(&mut client);
    let _ = wal::flushed(&mut client);
    let timeline = Timeline::new(Maker::capture(&instance), Some("CREATE TABLE city".to_owned()));
    let from = wal::insert_position(&mut client);
    let mut maker = Maker { instance, client, version, from, timeline };
    for (label, sql) in STEPS {
        maker.step(label, sql);
    }
    let text = recording::save(&maker.timeline, Some("A table's WAL, record by record"));
    let file = File::create(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/wal.ffrec.gz")).expect("a file");
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    packed.write_all(text.as_bytes()).expect("written");
    println!("{} states, {} bytes before packing", maker.timeline.len(), text.len());
    for group in maker.timeline.groups() {
        println!("{group:?}");
    }
}
