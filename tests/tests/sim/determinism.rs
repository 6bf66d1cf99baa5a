//! The runner alone.

use ffviz_engine::sql::script::Script;
use ffviz_engine::sql::trace::TraceLine;
use ffviz_tests::servers::Database;
use ffviz_tui::verify::run_on_server;

#[test]
fn first() {
    let text = std::fs::read_to_string(std::env::var("SCRIPT").unwrap()).unwrap();
    let major: u32 = std::env::var("PG").map_or(18, |v| v.parse().unwrap());
    let script = Script::parse(&text).unwrap();
    let db = Database::create(major, "verify_first");
    let run = run_on_server(&db.url(), &script, None).unwrap();
    for line in &run.lines {
        match line {
            TraceLine::Statement(s) => {
                println!(
                    "{} {} [{}] {:?} {:?} wait {} xid {}..{} {:?}",
                    s.n, s.session, s.sql, s.status, s.error, s.waiting, s.xid0, s.xid1, s.start
                );
            }
            other => println!("{other:?}"),
        }
        for p in line.pages() {
            println!("    page {:?} {:?} {} lsn {}", p.rel, p.fork, p.blk, p.page.header().pd_lsn());
        }
        for w in line.wal() {
            println!(
                "    wal {} {} len {} main {} fpi {} {:?}",
                w.rmgr,
                w.kind,
                w.len,
                w.main,
                w.fpi,
                w.blocks
                    .iter()
                    .map(|b| format!("{}:{:?}/{}/{} d{} f{}", b.id, b.rel, b.fork.name(), b.blk, b.dlen, b.fpi_len))
                    .collect::<Vec<_>>()
            );
        }
        if let TraceLine::Statement(s) = line {
            for f in &s.forks {
                println!("    fork {f:?}");
            }
        }
    }
    println!("foreign {:?}", run.foreign);
}
