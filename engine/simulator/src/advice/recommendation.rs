//! Which fillfactor: the one that wastes the least space of those that give most of what there is to gain: HOT updates,
//! or, where these are as many with each, less WAL.
//!
//! An update that is not HOT gains by room too: of a new version on the page of the old one WAL holds what differs, of
//! one on another page the whole row (`log_heap_update`, src/backend/access/heap/heapam.c).

use super::shape::Shape;
use super::simulation::{Case, Scale};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Of what the best case has beyond the worst, so much is enough.
const ENOUGH: f64 = 0.9;
/// Share of all updates that has to become HOT before a change is worth while.
const WORTH: f64 = 0.03;
/// Fewer bytes of WAL, as a share, that make it worth while too.
const WAL_WORTH: f64 = 0.1;
/// The same where it costs no space.
const WAL_FOR_NOTHING: f64 = 0.03;
/// Less space, as a share, that makes it worth while.
const SPACE_WORTH: f64 = 0.05;
/// Times that the table may grow for it.
const GROWTH: f64 = 1.5;
/// A difference that is told, as a share.
const TOLD: f64 = 0.005;

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
    let is_affordable = |case: &&Case| f64::from(case.pages()) <= f64::from(today.pages()) * GROWTH;
    let affordable: Vec<&Case> = cases.iter().filter(is_affordable).collect();
    let Some(chosen) = smallest(&enough(&affordable)) else {
        return stay("no other fillfactor gives more".to_string());
    };
    if chosen.fillfactor == today.fillfactor || !is_worth_while(chosen, today) {
        return stay(because_of_staying(today, &affordable));
    }
    Recommendation {
        fillfactor: chosen.fillfactor,
        is_change: true,
        because: because_of_change(chosen, today, &affordable),
        statement: Some(format!("ALTER TABLE {} SET (fillfactor = {});", shape.name, chosen.fillfactor)),
        effect: Some(effect(chosen.fillfactor)),
    }
}

/// The least and the most of a figure.
fn range(cases: &[&Case], figure: fn(&Case) -> f64) -> (f64, f64) {
    let all = || cases.iter().map(|case| figure(case));
    (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
}

/// Are HOT updates as many with each, and WAL is not?
fn wal_decides(cases: &[&Case]) -> bool {
    let ((least_hot, most_hot), (least, most)) = (range(cases, |case| case.hot), range(cases, |case| case.wal));
    most_hot - least_hot < WORTH && least <= most * (1.0 - WAL_WORTH)
}

/// The cases that give most of what there is to gain.
fn enough<'a>(cases: &[&'a Case]) -> Vec<&'a Case> {
    let ((least_hot, most_hot), (least_wal, most_wal)) = (range(cases, |case| case.hot), range(cases, |case| case.wal));
    let by_wal = wal_decides(cases);
    let is_enough = |case: &&&Case| match by_wal {
        true => case.wal <= most_wal - (most_wal - least_wal) * ENOUGH,
        false => case.hot >= least_hot + (most_hot - least_hot) * ENOUGH,
    };
    cases.iter().filter(is_enough).copied().collect()
}

/// The one of the fewest pages; of equal ones that of the largest fillfactor.
fn smallest<'a>(cases: &[&'a Case]) -> Option<&'a Case> {
    cases.iter().copied().min_by(|a, b| a.pages().cmp(&b.pages()).then(b.fillfactor.cmp(&a.fillfactor)))
}

fn is_worth_while(chosen: &Case, today: &Case) -> bool {
    let gains = chosen.hot - today.hot >= WORTH || chosen.wal <= today.wal * (1.0 - WAL_WORTH);
    gains || shrinks(chosen, today) || {
        chosen.is_nowhere_worse(today) && chosen.wal <= today.wal * (1.0 - WAL_FOR_NOTHING)
    }
}

/// Is it smaller, and as good as today's?
fn shrinks(chosen: &Case, today: &Case) -> bool {
    f64::from(chosen.pages()) < f64::from(today.pages()) * (1.0 - SPACE_WORTH) && today.hot - chosen.hot < WORTH
}

fn because_of_staying(today: &Case, affordable: &[&Case]) -> String {
    if affordable.iter().all(|case| case.hot < WORTH) {
        return "no fillfactor makes these updates HOT: an index needs an entry for nearly each of them".to_string();
    }
    // as many HOT updates as are told: then less WAL, then the larger fillfactor
    let rank = |case: &Case| (-((case.hot * 1000.0 + 0.5) as i64), case.wal as i64, -i64::from(case.fillfactor));
    let others = affordable.iter().copied().filter(|case| case.fillfactor != today.fillfactor);
    let Some(best) = others.min_by_key(|case| rank(case)) else { return "no other was simulated".to_string() };
    let wal = change(best.wal, today.wal).map_or_else(String::new, |wal| format!(", whose WAL an update is {wal}"));
    format!(
        "{} of the updates are HOT with it, {} with the best of the others, {}{wal}: too little to change it",
        percent(today.hot, best.hot),
        percent(best.hot, today.hot),
        best.fillfactor
    )
}

fn because_of_change(chosen: &Case, today: &Case, affordable: &[&Case]) -> String {
    let mut told = differences(chosen, today);
    let is_hot_alike = (chosen.hot - today.hot).abs() < TOLD;
    if shrinks(chosen, today) && chosen.hot - today.hot < WORTH && is_larger(today, chosen) {
        // what it is done for stands first
        told.rotate_right(1);
        if is_hot_alike && told.len() == 1 {
            told.push("HOT updates and WAL stay as they are".to_string());
        }
    }
    let mut text = told.join(", ");
    if affordable.iter().all(|case| case.hot < WORTH) {
        text += "; no fillfactor makes these updates HOT";
        if wal_decides(affordable) {
            text += ", but of a new version that finds room on its page WAL holds only what changed, of one that goes to \
                     another page the whole row";
        }
    }
    if let Some(other) = smallest(affordable).filter(|other| is_larger(chosen, other) && other != &today) {
        text += &format!(". Smaller still is fillfactor {}, compared with {}: ", other.fillfactor, chosen.fillfactor);
        text += &differences(other, chosen).join(", ");
    }
    text
}

/// Has the one so many pages more that it is told?
fn is_larger(one: &Case, other: &Case) -> bool {
    f64::from(one.pages()) > f64::from(other.pages()) * (1.0 + TOLD)
}

/// A share as per cent, as precise as it has to be beside another.
fn percent(share: f64, other: f64) -> String {
    let is_near = share != other && (share - other).abs() < 0.015;
    if is_near { format!("{:.1} %", share * 100.0) } else { format!("{:.0} %", share * 100.0) }
}

/// By how many per cent, where it is worth telling.
fn change(new: f64, old: f64) -> Option<String> {
    let ratio = new / old.max(1.0) - 1.0;
    (ratio.abs() > TOLD).then(|| format!("{:+.0} %", ratio * 100.0))
}

/// What is otherwise than in another case, the size last.
fn differences(new: &Case, old: &Case) -> Vec<String> {
    let hot = ((new.hot - old.hot).abs() >= TOLD).then(|| {
        format!("{} of the updates are HOT in place of {}", percent(new.hot, old.hot), percent(old.hot, new.hot))
    });
    let wal = change(new.wal, old.wal).map(|wal| format!("WAL an update {wal}"));
    let touched = [new, old].map(|case| format!("{:.1}", case.touched));
    let touched = (touched[0] != touched[1])
        .then(|| format!("pages that an update changes {} in place of {}", touched[0], touched[1]));
    let size = change(f64::from(new.pages()), f64::from(old.pages())).map(|size| format!("table and indexes {size}"));
    [hot, wal, touched, size].into_iter().flatten().collect()
}

/// What changing it does, and does not do.
fn effect(fillfactor: u32) -> String {
    let room = match fillfactor {
        100 => "new rows fill their pages from then on".to_string(),
        _ => format!(
            "new rows, and versions that go to another page, leave {} % of it free from then on",
            100 - fillfactor
        ),
    };
    format!(
        "It changes the catalog only (SHARE UPDATE EXCLUSIVE: reads and writes go on). Pages that are there stay as \
         they are: {room}. VACUUM FULL or CLUSTER writes all pages anew, and locks the table against everybody meanwhile"
    )
}

/// Why so many updates are HOT though pages are written full; `None`, where they are not, or for other reasons.
#[must_use]
pub fn hot_on_full_pages(scale: Scale, cases: &[Case]) -> Option<String> {
    /// updates of a page that are not HOT for want of room: one, or a little more or less
    const ONE: core::ops::Range<f64> = 0.3..1.3;
    /// share of the HOT updates of the best case
    const MOST: f64 = 0.8;
    let full = cases.iter().find(|case| case.fillfactor == 100)?;
    let most = cases.iter().map(|case| case.hot).fold(0.0, f64::max);
    let a_page = (most - full.hot) * scale.updates() as f64 / f64::from(full.fresh_pages.max(1));
    (ONE.contains(&a_page) && full.hot >= most * MOST).then(|| {
        format!(
            "So many are HOT with fillfactor 100 ({:.1} %) because a full page turns one new version away, not more: \
             the old version that is left behind there is pruned by the next statement that comes by, and its room \
             takes the version of the next update, which leaves room in turn",
            full.hot * 100.0
        )
    })
}
