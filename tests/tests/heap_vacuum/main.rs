//! Reading, pruning and vacuuming against real servers, from 13 to 18: random histories make tables with chains,
//! aborted and deleted rows; their pages and the fate of their transactions are loaded into a simulated server. Then
//! both do the same scans and VACUUMs, and after each all pages of all forks are equal (LSNs by the record that set
//! them), and all WAL records about the table, byte for byte.
//!
//! ```text
//!  server ── history ──▶ pages, xids ──load──▶ Instance
//!         ── SELECT, VACUUM ──▶ pages, records  ==  pages, records ◀── the same
//! ```

mod compare;
mod history;
mod server;
mod simulated;

use compare::Totals;
use ffviz_tests::instance::Instance;
use history::{Action, Random, Table};
use server::{Capture, Server};

/// Rounds of history and actions for each table of a version.
const ROUNDS: u32 = 8;

fn check(major: u32, checksums: bool) {
    let arguments: &[&str] = match (checksums, major) {
        (true, _) => &["-k"],
        (false, 18) => &["--no-data-checksums"],
        (false, _) => &[],
    };
    let settings = "bgwriter_lru_maxpages = 0\ncheckpoint_timeout = 1d\nmax_wal_size = 10GB\nwal_keep_size = 5GB";
    let instance = Instance::create_with(major, settings, arguments);
    let mut totals = Totals::default();
    for (n, table) in Table::ALL.iter().enumerate() {
        let mut random = Random::new(u64::from(major) * 100 + n as u64);
        let mut server = Server::new(&instance, table, checksums);
        if !table.opening.is_empty() {
            let opening: Vec<String> = table.opening.iter().map(|sql| (*sql).to_owned()).collect();
            server.run(&opening);
            let mut simulated = simulated::load(&server.capture(), &server);
            let after = server.act(Action::Vacuum);
            simulated::act(&mut simulated, Action::Vacuum, &after);
            compare::compare(&mut totals, &mut simulated, &after, &opening);
        }
        for round in 0..ROUNDS {
            let history = history::random(&mut random, table);
            server.run(&history);
            let reader = random.chance(4).then(|| server.open_reader(random.chance(2)));
            if random.chance(3) {
                server.checkpoint();
            }
            let mut simulated = simulated::load(&server.capture(), &server);
            let mut done = vec![format!("round {round} of {}: {history:#?}", table.name)];
            for _ in 0..1 + random.below(3) {
                let action = Action::random(&mut random);
                done.push(format!("{action:?}, reader {}", reader.is_some()));
                let after: Capture = server.act(action);
                simulated::act(&mut simulated, action, &after);
                compare::compare(&mut totals, &mut simulated, &after, &done);
            }
            server.close_reader(reader);
        }
    }
    println!("PostgreSQL {major}, checksums {checksums}: {totals}");
    assert!(
        totals.wrong.is_empty(),
        "{} differences:\n{}",
        totals.wrong.len(),
        totals.wrong[..totals.wrong.len().min(4)].join("\n")
    );
    assert!(totals.records > 100 && totals.pages > 1000, "too little was compared");
    let missing: Vec<_> = compare::decisions(major).filter(|words| totals.decisions[words] == 0).collect();
    assert!(missing.is_empty(), "the histories led to none of these: {missing:?}");
}

macro_rules! versions {
    ($($name:ident: $major:literal, $checksums:literal;)+) => {$(
        #[test]
        fn $name() {
            check($major, $checksums);
        }
    )+};
}
versions! {
    v13: 13, false;
    v14: 14, false;
    v15: 15, false;
    v16: 16, false;
    v17: 17, false;
    v18: 18, false;
    v13_checksums: 13, true;
    v14_checksums: 14, true;
    v15_checksums: 15, true;
    v16_checksums: 16, true;
    v17_checksums: 17, true;
    v18_checksums: 18, true;
}
