//! Which fillfactor: the one that wastes the least space of those that give most of what there is to gain.

use super::shape::Shape;
use super::simulation::Case;
use alloc::format;
use alloc::string::{String, ToString};

/// Of the HOT updates that the best case has beyond the worst, so many are enough.
const ENOUGH: f64 = 0.9;
/// Share of all updates that has to become HOT before a change is worth while.
const WORTH: f64 = 0.03;
/// Fewer bytes of WAL, as a share, that make it worth while too.
const WAL_WORTH: f64 = 0.1;
/// The same where it costs no space.
const WAL_FOR_NOTHING: f64 = 0.03;
/// Times that the table may grow for it.
const GROWTH: f64 = 1.5;

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// the fillfactor; today's, where another is not worth while
    pub fillfactor: u32,
    /// is it another one than today's?
    pub is_change: bool,
    /// why
    pub because: String,
    /// the statement, where there is something to change
    pub statement: Option<String>,
    /// what the statement does, and does not do
    pub effect: Option<String>,
}

/// Chooses among the cases, of which one has today's fillfactor.
#[must_use]
pub fn recommend(shape: &Shape, cases: &[Case]) -> Recommendation {
    let stay = |because: String| Recommendation {
        fillfactor: shape.fillfactor,
        is_change: false,
        because,
        statement: None,
        effect: None,
    };
    let Some(today) = cases.iter().find(|case| case.fillfactor == shape.fillfactor) else {
        return stay("today's fillfactor was not simulated".to_string());
    };
    let affordable = |case: &&Case| f64::from(case.pages()) <= f64::from(today.pages()) * GROWTH;
    let hot =
        |pick: fn(f64, f64) -> f64, first: f64| cases.iter().filter(affordable).map(|case| case.hot).fold(first, pick);
    let (most, least) = (hot(f64::max, 0.0), hot(f64::min, 1.0));
    let wanted = least + (most - least) * ENOUGH;
    let enough = cases.iter().filter(affordable).filter(|case| case.hot >= wanted);
    let Some(chosen) = enough.min_by(|a, b| a.pages().cmp(&b.pages()).then(b.fillfactor.cmp(&a.fillfactor))) else {
        return stay("no other fillfactor gives more".to_string());
    };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let ratio = |new: f64, old: f64| (new / old.max(1.0) - 1.0) * 100.0;
    let best = cases.iter().filter(affordable).max_by(|a, b| a.hot.total_cmp(&b.hot)).unwrap_or(today);
    let gains = chosen.hot - today.hot >= WORTH || chosen.wal <= today.wal * (1.0 - WAL_WORTH);
    let shrinks = f64::from(chosen.pages()) < f64::from(today.pages()) * 0.95 && today.hot - chosen.hot < WORTH;
    let is_better = chosen.is_nowhere_worse(today) && chosen.wal <= today.wal * (1.0 - WAL_FOR_NOTHING);
    if chosen.fillfactor == today.fillfactor || !(gains || shrinks || is_better) {
        return stay(if most < WORTH {
            "no fillfactor makes these updates HOT: an index needs an entry for nearly each of them".to_string()
        } else {
            format!(
                "{} of the updates are HOT with it, {} with the best of the others, whose WAL an update is {:+.0} %: too little to leave room for",
                percent(today.hot),
                percent(most),
                ratio(best.wal, today.wal)
            )
        });
    }
    Recommendation {
        fillfactor: chosen.fillfactor,
        is_change: true,
        because: format!(
            "{} of the updates are HOT in place of {}, WAL an update {:+.0} %, pages that an update changes {:.1} in place of {:.1}, table and indexes {:+.0} %",
            percent(chosen.hot),
            percent(today.hot),
            ratio(chosen.wal, today.wal),
            chosen.touched,
            today.touched,
            ratio(f64::from(chosen.pages()), f64::from(today.pages()))
        ),
        statement: Some(format!("ALTER TABLE {} SET (fillfactor = {});", shape.name, chosen.fillfactor)),
        effect: Some(
            "It changes the catalog only (SHARE UPDATE EXCLUSIVE: reads and writes go on). Pages that are there stay as they are: new rows and versions \
             leave that room from then on. VACUUM FULL or CLUSTER writes all pages anew, and locks the table against everybody meanwhile."
                .split_whitespace()
                .collect::<alloc::vec::Vec<_>>()
                .join(" "),
        ),
    }
}
