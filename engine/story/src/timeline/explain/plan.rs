//! The plan of a simulated statement, told with its first step: it decides which pages are read, and so where hint bits
//! are set and pages are pruned.

use super::{Event, EventKind, Explanation};
use alloc::format;
use alloc::string::String;

/// What EXPLAIN ends with.
const EXPLAIN: &str = "EXPLAIN";

/// Adds the plan, a line each; those of EXPLAIN are what the statement is about. `redact`: without those, which have
/// values.
pub fn tell(told: &mut Explanation, plan: &[String], outcome: &str, redact: bool) {
    // what a step did is told of some page
    let Some(page) = told.events.first().map(|event| event.page) else { return };
    let event = |what, why| Event { what, why, ..Event::new(EventKind::Plan, page) };
    if outcome == EXPLAIN {
        let lines = plan.iter().filter(|_| !redact);
        told.events.extend(lines.map(|line| event(line.clone(), None)));
        return;
    }
    // where rows come from VALUES nothing is decided
    let scans = plan.iter().filter(|line| !line.starts_with("Insert on "));
    let scans = scans.map(String::as_str).collect::<alloc::vec::Vec<_>>();
    if !scans.is_empty() {
        let why = "It decides which pages are read, and so where hint bits are set and pages are pruned.";
        told.events.push(event(format!("plan: {}", scans.join(" ▸ ")), Some(why.into())));
    }
}
