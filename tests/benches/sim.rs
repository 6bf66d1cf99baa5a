//! How fast the simulator is, beside PostgreSQL 18 in the same run, and how much memory it takes beside its pages:
//! `cargo bench -p ffviz-tests --bench sim`; BENCHMARKS.md has the figures. `FFVIZ_ROWS=10000000` goes on to ten
//! million rows; `-- "no order"` leaves out the cases without these words.
//!
//! Statements about all rows are done several times, by the server and the simulator in turns: how fast a machine is
//! changes, and both sides shall see as much of it.
//!
//! ```text
//!  a case ─┬─▶ a server of its own, fsync off ────▶ seconds         SQL as it stands; updates by key: pgbench -M prepared -c 1
//!          └─▶ this program once more, alone ─────▶ seconds, peak   SQL as it stands; updates by key: Simulator::prepare
//! ```

use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::PgVersion;
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_tests::instance::{Instance, NEWEST, of_debian};
use ffviz_tests::wal::version;
use postgres::Client;
use postgres::types::Type;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

const SETTINGS: &str = "shared_buffers = 4GB\nmax_wal_size = 64GB\ncheckpoint_timeout = 1d\nsynchronous_commit = off\njit = off\n\
                        max_parallel_maintenance_workers = 0\nmaintenance_work_mem = 1GB\nautovacuum = off";
/// What this program is to do, where it was started by itself: version, number of the case, rows.
const CHILD: &str = "FFVIZ_SIM_CASE";
const ROWS: &str = "FFVIZ_ROWS";

/// Something both sides do.
struct Case {
    name: &'static str,
    /// what is made before the clock starts; `{rows}` stands for the number of rows
    setup: &'static str,
    work: Work,
}

#[derive(Clone, Copy)]
enum Work {
    /// a statement about all rows
    Sql(&'static str),
    /// a statement with a random key from 1 to the number of rows as `$1`, so often
    ByKey(&'static str, u32),
}

const TABLE: &str = "CREATE TABLE t (id int PRIMARY KEY, n int, filler char(84)) WITH (fillfactor = 90);
    INSERT INTO t SELECT i, i, '' FROM generate_series(1, {rows}) i; VACUUM ANALYZE t;";
const CHURNED: &str = "CREATE TABLE t (id int PRIMARY KEY, n int, filler char(84)); CREATE INDEX ON t (n);
    INSERT INTO t SELECT i, i, '' FROM generate_series(1, {rows}) i; VACUUM ANALYZE t;";

const CASES: [Case; 6] = [
    Case {
        name: "HOT update by key",
        setup: TABLE,
        work: Work::ByKey("UPDATE t SET n = n + 1 WHERE id = $1", 200_000),
    },
    Case {
        name: "INSERT … SELECT, primary key",
        setup: "CREATE TABLE t (id int PRIMARY KEY, n int, filler char(84));",
        work: Work::Sql("INSERT INTO t SELECT i, i, '' FROM generate_series(1, {rows}) i"),
    },
    Case { name: "UPDATE of all rows", setup: TABLE, work: Work::Sql("UPDATE t SET n = n + 1") },
    Case { name: "CREATE INDEX", setup: TABLE, work: Work::Sql("CREATE INDEX t_n ON t (n)") },
    Case {
        name: "INSERT, keys in no order",
        setup: "CREATE TABLE t (id int PRIMARY KEY);",
        // 7919 does not divide a power of ten: each key comes once
        work: Work::Sql("INSERT INTO t SELECT (i::bigint * 7919 % {rows})::int FROM generate_series(1, {rows}) i"),
    },
    Case {
        name: "churn: update by key of an indexed column",
        setup: CHURNED,
        work: Work::ByKey("UPDATE t SET n = n + 1 WHERE id = $1", 200_000),
    },
];

impl Case {
    fn setup(&self, rows: u32) -> String {
        self.setup.replace("{rows}", &rows.to_string())
    }

    /// How many rows the work changes.
    const fn changed(&self, rows: u32) -> u32 {
        match self.work {
            Work::Sql(_) => rows,
            Work::ByKey(_, times) => times,
        }
    }

    /// How often both sides do it: what is over soon is mostly noise.
    const fn times(&self, rows: u32) -> usize {
        match self.work {
            Work::Sql(_) if rows <= 100_000 => 15,
            Work::Sql(_) if rows <= 1_000_000 => 7,
            Work::Sql(_) => 3,
            Work::ByKey(..) => 1,
        }
    }
}

fn main() {
    if let Ok(case) = env::var(CHILD) {
        return child(&case);
    }
    let instance = Instance::create(NEWEST, SETTINGS);
    let mut client = instance.client();
    let number = version(&mut client);
    let most = env::var(ROWS).ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    println!(
        "PostgreSQL {number}; updates by key: {}\n",
        if pgbench().is_some() { "pgbench" } else { "a client in Rust" }
    );
    println!("| what | rows | PostgreSQL, rows/s | ffviz, rows/s | times | pages, MB | peak over pages |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |(_, case): &(usize, &Case)| words.is_empty() || words.iter().any(|word| case.name.contains(word));
    for (n, case) in CASES.iter().enumerate().filter(is_wanted) {
        for rows in [10_000, 100_000, 1_000_000, 10_000_000].into_iter().filter(|rows| *rows <= most) {
            let in_turn = |_| (server(&instance, &mut client, case, rows), simulator(number, n, rows));
            let pairs: Vec<_> = (0..case.times(rows)).map(in_turn).collect();
            let (_, (_, pages, peak)) = pairs[0];
            let rate = |seconds: f64| f64::from(case.changed(rows)) / seconds;
            let (theirs, ours) = (
                rate(median(pairs.iter().map(|(seconds, _)| *seconds))),
                rate(median(pairs.iter().map(|(_, (seconds, ..))| *seconds))),
            );
            let times = spread(pairs.iter().map(|(theirs, (ours, ..))| theirs / ours));
            let (name, pages, over) = (case.name, pages / 1e6, (peak / pages - 1.0) * 100.0);
            println!("| {name} | {rows} | {theirs:.0} | {ours:.0} | {times} | {pages:.1} | {over:.0} % |");
        }
    }
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// The median of the pairs, and the lowest and highest of several.
fn spread(figures: impl Iterator<Item = f64> + Clone) -> String {
    let (least, most) = figures.clone().fold((f64::MAX, 0.0_f64), |(least, most), x| (least.min(x), most.max(x)));
    let middle = format!("{:.1}", median(figures));
    if least < most { format!("{middle} ({least:.1} to {most:.1})") } else { middle }
}

fn pgbench() -> Option<std::path::PathBuf> {
    of_debian(15).map(|bin| bin.join("pgbench")).filter(|program| program.exists())
}

/// Seconds that the server takes.
fn server(instance: &Instance, client: &mut Client, case: &Case, rows: u32) -> f64 {
    client.batch_execute("DROP TABLE IF EXISTS t; CHECKPOINT").expect("the server works");
    for statement in case.setup(rows).split_terminator(';') {
        client.batch_execute(statement).expect("the server works");
    }
    let seconds = match case.work {
        Work::Sql(sql) => {
            let sql = sql.replace("{rows}", &rows.to_string());
            let start = Instant::now();
            client.batch_execute(&sql).expect("the server works");
            start.elapsed().as_secs_f64()
        }
        Work::ByKey(sql, times) => match pgbench() {
            Some(program) => by_pgbench(instance, &program, &sql.replace("$1", ":id"), rows, times),
            None => {
                let statement = client.prepare_typed(sql, &[Type::INT4]).expect("a statement");
                let start = Instant::now();
                for key in keys(rows, times) {
                    client.execute(&statement, &[&key]).expect("an update");
                }
                start.elapsed().as_secs_f64()
            }
        },
    };
    // neither the server nor the kernel has anything left to write while the simulator works
    client.batch_execute("CHECKPOINT").expect("the server works");
    assert!(Command::new("sync").status().is_ok_and(|done| done.success()), "sync works");
    seconds
}

/// Seconds by the transactions a second that it prints, which do not count the time to connect.
fn by_pgbench(instance: &Instance, program: &std::path::Path, sql: &str, rows: u32, times: u32) -> f64 {
    let script = instance.write("by_key.sql", &format!("\\set id random(1, {rows})\n{sql};\n"), 0o644);
    let output = Command::new(program)
        .args(["-n", "-M", "prepared", "-c", "1", "-h", "127.0.0.1", "-U", "postgres"])
        .args(["-p", &instance.port.to_string(), "-t", &times.to_string(), "-f"])
        .arg(script)
        .arg("postgres")
        .output()
        .expect("pgbench runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse::<f64>().ok());
    f64::from(times) / rate.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Keys in no order, as both sides get them.
fn keys(rows: u32, times: u32) -> impl Iterator<Item = i32> {
    let mut state = 1_u64;
    (0..times).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i32 % rows as i32 + 1
    })
}

/// Seconds that the simulator takes, bytes of its pages, and the most memory that it had: in a process of its own.
fn simulator(number: PgVersion, case: usize, rows: u32) -> (f64, f64, f64) {
    let program = env::current_exe().expect("this program");
    let output = Command::new(program).env(CHILD, format!("{} {case} {rows}", number.0)).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("figures");
    let figures: Vec<f64> = text.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    let &[seconds, pages, peak] = &figures[..] else { panic!("{}", String::from_utf8_lossy(&output.stderr)) };
    (seconds, pages, peak)
}

fn child(case: &str) {
    let figures: Vec<u32> = case.split(' ').map(|figure| figure.parse().expect("a number")).collect();
    let &[number, case, rows] = &figures[..] else { panic!("version, case, rows") };
    let case = &CASES[case as usize];
    let before = memory("VmRSS:");
    let options = RunOptions { crashes: false, ..RunOptions::new(PgVersion(number)) };
    let mut simulator = Simulator::new(&options, false, false).expect("a server");
    run(&mut simulator, &case.setup(rows));
    let start = Instant::now();
    match case.work {
        Work::Sql(sql) => run(&mut simulator, &format!("{};", sql.replace("{rows}", &rows.to_string()))),
        Work::ByKey(sql, times) => {
            let mut statement = simulator.prepare(sql, &[SqlType::INT4.oid]).expect("a plan");
            for key in keys(rows, times) {
                assert_eq!(simulator.execute(&mut statement, &[Value::Int4(key)]).as_deref(), Ok("UPDATE 1"));
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let pages = simulator.db.cluster.pg.buffers.all().count() * 8192;
    println!("{seconds} {pages} {}", memory("VmHWM:") - before);
}

fn run(simulator: &mut Simulator, sql: &str) {
    for item in &Script::parse(sql).expect("a script").items {
        let done = simulator.item(item);
        assert_eq!(done.refused, None);
        assert!(!done.simulated.outcome.starts_with("ERROR"), "{}", done.simulated.outcome);
    }
}

/// A line of /proc/self/status, in bytes.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}
