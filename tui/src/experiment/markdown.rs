//! Experiments as a document.

use super::command::Ran;
use super::table::{cells, named_columns};
use ffviz_format::page::thousands;
use std::fmt::Write;

/// A section an experiment.
pub(super) fn document(all: &[Ran]) -> String {
    let mut out = String::from(
        "# Published experiments, run anew\n\nFigures of articles beside those of the simulator, whose pages and WAL are those of a server. Made by\n\
         `ffviz experiment --all --format markdown`; each section says how to run one.\n",
    );
    for ran in all {
        section(&mut out, ran);
    }
    out
}

fn section(out: &mut String, ran: &Ran) {
    let experiment = ran.experiment;
    let _ = writeln!(out, "\n## {}\n\n{}.\n", experiment.name, experiment.article);
    paragraph(out, &format!("The article: {}", experiment.claim));
    let scale = if ran.scale == experiment.scale { String::new() } else { format!(" --scale {}", ran.scale) };
    let _ = writeln!(out, "\n```console\n$ ffviz experiment {}{scale}\n```\n", experiment.name);
    let of = format!(
        "Scale {}: {}; the article's is {} (`--scale article`).",
        thousands(ran.scale),
        experiment.unit,
        thousands(experiment.article_scale)
    );
    paragraph(out, &of);
    let (heading, rows) = cells(&ran.outcome.rows);
    let named = named_columns(&heading, ran);
    let marks: Vec<&str> = (0..heading.len()).map(|n| if n < named { "---" } else { "---:" }).collect();
    let _ = writeln!(out, "\n| {} |\n| {} |", heading.join(" | "), marks.join(" | "));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out.push('\n');
    for (key, meaning) in experiment.keys {
        item(out, &format!("{}: {meaning}", key.replace('_', " ")));
    }
    for note in &ran.outcome.notes {
        out.push('\n');
        paragraph(out, note);
    }
}

/// Lines of at most 100 columns.
fn wrapped(text: &str, first: &str, next: &str) -> String {
    let mut lines = vec![first.to_owned()];
    for word in text.split_whitespace() {
        let fits = lines.last().is_some_and(|line| line.chars().count() + word.chars().count() < 100);
        match lines.last_mut() {
            Some(line) if fits => {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(format!("{next}{word}")),
        }
    }
    lines.join("\n") + "\n"
}

fn paragraph(out: &mut String, text: &str) {
    out.push_str(&wrapped(text, "", ""));
}

fn item(out: &mut String, text: &str) {
    out.push_str(&wrapped(text, "- ", "  "));
}
