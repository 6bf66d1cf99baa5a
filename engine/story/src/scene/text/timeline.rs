//! Where we stand in time, what the step did, and why.

use super::{Options, paragraph, result};
use crate::scene::{ResultScene, TimelineScene};
use alloc::format;
use alloc::string::String;

/// The current step: its place, label, headline, rows and events.
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
    text.extend(timeline.excerpt.iter().map(|line| format!("    {line}\n")));
    text.extend(timeline.results.iter().map(|rows| self::rows(rows, width)));
    for event in &timeline.events {
        // the headline of a step without pages has said what its event is, but for a long list behind it
        let what = match event.what.strip_prefix(&timeline.headline) {
            Some("") => "",
            Some(rest) => rest.strip_prefix("; ").unwrap_or(&event.what),
            None => &event.what,
        };
        if !what.is_empty() {
            text.push_str(&paragraph(&format!("• {what}"), "  ", width));
        }
        text.push_str(&paragraph(&event.why, "    ", width));
    }
    options.finish(text)
}

/// Rows of a statement, with an empty line before and after them.
fn rows(scene: &ResultScene, width: usize) -> String {
    const INDENT: &str = "    ";
    let lines = result(scene, width - INDENT.len());
    let title = [scene.title.as_str()].into_iter().filter(|title| !title.is_empty());
    let table = [lines.header.as_str(), &lines.rule].into_iter().chain(lines.rows.iter().map(String::as_str));
    let all = title.chain(table).chain([scene.footer.as_str()]);
    let all: String = all.map(|line| format!("{}\n", format!("{INDENT}{line}").trim_end())).collect();
    format!("\n{all}\n")
}
