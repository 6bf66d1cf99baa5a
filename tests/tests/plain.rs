//! Short cuts change nothing (`engine/simulator/src/plain.rs`): random scripts, and some with many rows, leave the same
//! pages, WAL, rows and totals with them and without. Needs no server.
//!
//! ```text
//!  script ─┬─ with a trace ───────▶ rows, tags, pages and records of each statement ─┐
//!          ├─ WAL is kept ────────▶ bytes of records and pages, totals ──────────────┼─▶ digest ─▶ FFVIZ_DIGESTS
//!          └─ WAL is only counted ▶ the same pages and totals
//! ```
//!
//! A program has either all short cuts or none, so two runs are compared: `tests/plain [SCRIPTS] [SEED]`. The first one
//! writes its digests to the file that `FFVIZ_DIGESTS` names, the second one must come to the same.

use ffviz_format::state::State;
use ffviz_simulator::sql::run::{MAJORS, RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::Script;
use ffviz_story::timeline::Usage;
use ffviz_tests::generator::{Level, script};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::{env, fs};

/// Keys in no order, then in order; more of them than are known to be on a few leaves. What is looked ahead for,
/// copied byte by byte, counted and calculated without values is all in them.
const MANY_ROWS: [&str; 4] = [
    "create table t (a int primary key, b int, c text);
     create index t_b on t (b);
     insert into t select (g * 7919) % 30011, g % 97, repeat('x', g % 40) from generate_series(1, 20000) g;
     update t set b = b + 1 where a % 3 = 0;
     delete from t where a % 7 = 2;
     vacuum t;
     insert into t select 40000 + g, g % 97, null from generate_series(1, 3000) g;
     select count(*), sum(a), min(b), max(b) from t;",
    "create table u (k bigint, v smallint, w uuid);
     insert into u select (g * 104729) % 1000003, g % 300, md5((g % 500)::text)::uuid from generate_series(1, 8000) g;
     create index u_k on u (k desc);
     create index u_v on u (v);
     create unique index u_kv on u (k, v) include (w);
     create index u_w on u (w);
     update u set v = v + 1, k = k * 2 where v between 10 and 90;
     checkpoint;
     update u set k = -k where v = 5;
     reindex index u_k;
     select count(*) from u where k > 500000 and v < 40;",
    "create table p (id int primary key, n int not null default 0) with (fillfactor = 70);
     insert into p select g, 0 from generate_series(1, 2000) g;
     create table c (p int references p on delete cascade, t timestamptz default '2025-01-01', x numeric(8, 2));
     create index c_p on c (p);
     insert into c (p, x) select (g * 31) % 2000 + 1, g / 3.0 from generate_series(1, 6000) g;
     update p set n = n + id % 5 where id <= 1500;
     update p set n = n - 1;
     delete from p where id % 50 = 0;
     vacuum (freeze) p;
     select p.id, count(*) from p join c on c.p = p.id where p.n > 3 group by p.id order by 2 desc, 1 limit 20;",
    "create table d (k int, v int);
     create index d_k on d (k);
     do $$ begin for i in 1..3000 loop insert into d values (i % 20, i); update d set v = v + 1 where k = i % 20 and v = i; end loop; end $$;
     delete from d where k in (3, 4, 5);
     vacuum d;
     insert into d select g % 9, g from generate_series(1, 5000) g;
     select k, count(*) from d where k = any (array[1, 3, 8, 15]) group by k order by k;",
];

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What a script leaves.
fn run(script: &Script, options: &RunOptions) -> (Simulator, Usage) {
    let mut simulator = Simulator::new(options, false, false).expect("settings");
    for item in &script.items {
        simulator.item(item);
    }
    let usage = simulator.db.cluster.pg.usage();
    (simulator, usage)
}

/// Pages in their order.
fn add_pages(digest: &mut Sha256, state: &State) {
    for (id, page) in &state.pages {
        digest.update(format!("{id:?}"));
        digest.update(page.bytes());
    }
}

/// Of all that a script does and leaves.
fn digest(script: &Script, major: u32) -> String {
    let options = RunOptions::new(newest(major));
    let mut all = Sha256::new();
    for line in Simulator::trace(script, &options).expect("settings") {
        all.update(line.to_json().expect("a line"));
    }
    let (kept, usage) = run(script, &options);
    let state = kept.state();
    add_pages(&mut all, &state);
    for record in kept.db.cluster.pg.wal.records() {
        all.update(&record.bytes);
    }
    all.update(format!("{usage:?}"));
    let (counted, counts) = run(script, &RunOptions { crashes: false, ..options });
    assert!(counted.state().pages == state.pages, "{major}: other pages where WAL is only counted\n{script}");
    assert_eq!(counts, usage, "{major}: other totals where WAL is only counted\n{script}");
    all.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn short_cuts_change_nothing() {
    let (first, scripts) = (number("FFVIZ_SEED", 1), number("FFVIZ_SCRIPTS", 24));
    let mut told = String::new();
    for (n, text) in MANY_ROWS.iter().enumerate() {
        let script = Script::parse(text).expect("a script");
        let major = MAJORS[n % MAJORS.len()];
        let _ = writeln!(told, "many rows {n} {major} {}", digest(&script, major));
    }
    for seed in first..first + scripts {
        let script = script(seed, Level::of_seed(seed), 50);
        let major = MAJORS[seed as usize % MAJORS.len()];
        let _ = writeln!(told, "seed {seed} {major} {}", digest(&script, major));
    }
    println!("{scripts} random scripts from seed {first} on, and {} with many rows", MANY_ROWS.len());
    let Some(file) = env::var_os("FFVIZ_DIGESTS") else { return };
    match fs::read_to_string(&file) {
        Ok(other) => {
            let pairs = told.lines().zip(other.lines()).filter(|(one, other)| one != other);
            let different: Vec<&str> = pairs.map(|(one, _)| one).collect();
            assert!(different.is_empty() && told.lines().count() == other.lines().count(), "{different:#?}");
            println!("all of them the same both ways");
        }
        Err(_) => fs::write(file, told).expect("a file"),
    }
}
