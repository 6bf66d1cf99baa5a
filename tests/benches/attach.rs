//! How many pages a second are read from a local server, and read and decoded. `cargo bench -p ffviz-tests --bench
//! attach`; BENCHMARKS.md has the figures.

use ffviz_format::heap::HeapPage;
use ffviz_format::page::ForkNumber;
use ffviz_format::state::State;
use ffviz_live::args::{AttachArgs, ReadArgs, WalArgs};
use ffviz_story::app::{Effect, Msg};
use ffviz_tests::instance::NEWEST;
use ffviz_tests::servers::Database;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 5;

fn main() {
    let mut database = Database::create(NEWEST, "bench_attach");
    // 10,000 pages of 60 rows
    let fill =
        "CREATE TABLE t (id int, v text); INSERT INTO t SELECT g, repeat('v', 100) FROM generate_series(1, 600000) g";
    database.client.batch_execute(fill).expect("a table");
    database.client.batch_execute("VACUUM t").expect("vacuum");
    let read = ReadArgs {
        conninfo: Some(database.url()),
        tables: vec!["t".to_owned()],
        redact: false,
        pages: 10_000,
        pages_per_second: 0,
        system: false,
    };
    let (send, messages) = channel();
    let (interval, wal) = (Duration::from_secs(2), WalArgs::default());
    let args = AttachArgs { read, interval, no_wal: true, wal, print_wrapper: false, grant_to: None };
    let attached = ffviz_live::start(&args, move |msg| send.send(msg).is_ok()).expect("attach");
    let capture = || match messages.recv().expect("an answer") {
        Msg::Captured(state) => state,
        other => panic!("{other:?}"),
    };
    let table = *capture().relations.keys().next().expect("the table");
    for _ in 0..ROUNDS {
        let start = Instant::now();
        attached.effects.send(Effect::Capture { table, pages: Vec::new() }).expect("the thread lives");
        let state = capture();
        let read = start.elapsed();
        let items = decode(&state, table);
        let both = start.elapsed();
        let rate = |time: Duration| (state.pages.len() as f64 / time.as_secs_f64()).round();
        println!(
            "{} pages: read {} a second; read and decoded {} a second ({items} items)",
            state.pages.len(),
            rate(read),
            rate(both)
        );
    }
}

fn decode(state: &State, table: u32) -> usize {
    state.fork(table, ForkNumber::Main).map(|(block, page)| HeapPage::decode(page, block).items.len()).sum()
}
