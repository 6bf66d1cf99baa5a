//! A workload from a seed: random insertions, updates, deletions, scans, VACUUM, aborts over one table with four
//! indexes.

use super::{Needs, Workload};
use std::fmt::Write;

/// Random numbers that are the same everywhere (splitmix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next number, below a limit.
    pub const fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// So many statements; the same seed gives the same ones.
#[must_use]
pub fn churn(seed: u64, statements: usize) -> Workload {
    let mut random = Random(seed);
    let mut script = String::from(
        "CREATE TABLE t (id int PRIMARY KEY, n int, state text, filler text) WITH (fillfactor = 85);\n\
         CREATE INDEX by_n ON t (n);\nCREATE INDEX by_state ON t (state);\nCREATE INDEX by_filler ON t (filler);\n\
         INSERT INTO t SELECT i, i % 50, 'state ' || i % 4, md5(i::text) FROM generate_series(1, 1000) i;\n",
    );
    let mut next = 1001;
    for _ in 0..statements {
        let sql = one(&mut random, &mut next);
        let is_aborted = random.below(12) == 0 && !sql.starts_with("VACUUM");
        let end = if is_aborted { ";\nROLLBACK;\n" } else { ";\n" };
        let begin = if is_aborted { "BEGIN;\n" } else { "" };
        write!(script, "{begin}{sql}{end}").expect("a String takes everything");
    }
    Workload { name: "churn", needs: Needs::Nothing, script: script.into() }
}

fn one(random: &mut Random, next: &mut u64) -> String {
    let (from, long) = (random.below(*next), random.below(200) + 1);
    let to = from + long;
    match random.below(20) {
        0..=4 => {
            let first = *next;
            *next += long;
            format!(
                "INSERT INTO t SELECT i, i % {}, 'state ' || i % 4, repeat(md5(i::text), 1 + i % {}) \
                 FROM generate_series({first}, {}) i",
                random.below(80) + 1,
                random.below(12) + 1,
                *next - 1
            )
        }
        5..=8 => format!("UPDATE t SET n = n + {} WHERE id BETWEEN {from} AND {to}", random.below(3)),
        9..=10 => format!("UPDATE t SET filler = filler || 'x' WHERE id BETWEEN {from} AND {to}"),
        11 => format!("UPDATE t SET state = 'state ' || id % 9 WHERE n = {}", random.below(60)),
        12..=14 => format!("DELETE FROM t WHERE id BETWEEN {from} AND {to}"),
        15 => format!("DELETE FROM t WHERE id BETWEEN {from} AND {}", from + *next / 3),
        16 => "SELECT count(*) FROM t".to_owned(),
        17 => format!("SELECT count(*) FROM t WHERE n = {}", random.below(50)),
        18 => "VACUUM t".to_owned(),
        _ => "VACUUM (FREEZE) t".to_owned(),
    }
}
