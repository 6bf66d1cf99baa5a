//! How a simulated statement ended, told with its last step where it did not do what it says: an error, a refusal.
//! Nobody should have to look for it beside a record ROLLBACK.

use super::{Event, EventKind, Explanation};
use alloc::format;
use alloc::string::{String, ToString};

/// What the words of an outcome have, where the statement, or one that it let go on, failed or was not run.
const BAD: [&str; 3] = ["ERROR: ", NOT_SUPPORTED, NOT_SENT];
/// What the words of an outcome have, where the simulator does not know the statement.
pub const NOT_SUPPORTED: &str = "skipped by the simulator: ";
/// The same where it was kept from a server.
pub const NOT_SENT: &str = "not sent: ";
/// Behind this an outcome lists what is supported.
const LIST: &str = "; the simulator knows";
/// Bytes of a list that stands in a headline; a longer one does not.
const SHORT: usize = 100;

/// Puts the outcome in front of the headline. `redact`: without its words, which may have row data.
pub fn tell(told: &mut Explanation, outcome: &str, redact: bool) {
    let Some(words) = failure(outcome, redact) else { return };
    let is_alone = told.headline == outcome || told.events.is_empty();
    told.headline = if is_alone { words } else { format!("{}; {}", words.trim_end_matches('.'), told.headline) };
    let page = told.events.first().map(|event| event.page);
    if let Some(page) = page.filter(|_| !redact && !told.events.iter().any(|event| event.what == outcome)) {
        let what = outcome.to_string();
        told.events.push(Event { what, ..Event::new(EventKind::Other, page) });
    }
}

/// What the figure of the last step says of a statement that failed or was not run.
pub fn failure(outcome: &str, redact: bool) -> Option<String> {
    let sort = BAD.iter().find(|sort| outcome.contains(**sort))?;
    Some(if redact { sort.trim_end_matches([' ', ':']).to_string() } else { without_list(outcome) })
}

/// The words without a long list of what is supported.
fn without_list(outcome: &str) -> String {
    let long = outcome.split_once(LIST).filter(|(_, list)| list.len() > SHORT);
    long.map_or(outcome, |(said, _)| said).to_string()
}
