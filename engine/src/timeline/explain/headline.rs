//! One line for the whole step.

use crate::timeline::Event;
use alloc::string::{String, ToString};

/// Longest headline, in characters, where it can be helped.
const WIDTH: usize = 76;

/// The most important events, as many as fit on a line.
pub fn of(events: &[Event]) -> String {
    let mut line = String::new();
    for event in events {
        let longer = line.chars().count() + 2 + event.what.chars().count();
        if !line.is_empty() && longer > WIDTH {
            break;
        }
        if !line.is_empty() {
            line.push_str("; ");
        }
        line.push_str(&event.what);
    }
    if line.is_empty() { "nothing changed".to_string() } else { line }
}
