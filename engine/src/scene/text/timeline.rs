//! Where we stand in time, what the step did, and why.

use super::{Options, paragraph};
use crate::scene::TimelineScene;
use alloc::format;
use alloc::string::String;

/// The current step: its place, label, headline and events.
#[must_use]
pub fn timeline(timeline: &TimelineScene, options: Options) -> String {
    if timeline.count == 0 {
        return String::new();
    }
    let width = options.columns();
    let place = if timeline.statement.is_empty() { String::new() } else { format!(", {}", timeline.statement) };
    let count = timeline.count - 1;
    let mut text = paragraph(&format!("[{}/{count}{place}] {}", timeline.current, timeline.label), "", width);
    text.push_str(&paragraph(&timeline.headline, "  ", width));
    text.push_str(&paragraph(&timeline.how, "  ", width));
    for event in &timeline.events {
        text.push_str(&paragraph(&format!("• {}", event.what), "  ", width));
        text.push_str(&paragraph(&event.why, "    ", width));
    }
    options.finish(text)
}
