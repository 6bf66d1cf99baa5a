//! Experiments as tables of characters.

use super::command::{Ran, WIDTH, origin};
use ffviz_format::page::thousands;
use ffviz_simulator::experiment::{EXPERIMENTS, Origin, Row};
use std::fmt::Write;

/// What there is to run.
pub(super) fn list() -> String {
    let mut out = String::new();
    for experiment in &EXPERIMENTS {
        let _ = writeln!(out, "{}", experiment.name);
        let _ = writeln!(out, "  {}", experiment.article);
        out.push_str(&paragraph(experiment.claim, "  "));
        let (scale, article) = (thousands(experiment.scale), thousands(experiment.article_scale));
        let _ = writeln!(out, "  scale: {}; {scale}, the article's is {article}", experiment.unit);
        for (key, meaning) in experiment.keys {
            let _ = writeln!(out, "    {key:<16} {meaning}");
        }
        out.push('\n');
    }
    out.push_str("`ffviz experiment NAME` runs one; --scale article at the article's own size.\n");
    out
}

/// A text in lines that fit, each indented.
fn paragraph(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("one at least");
        if !last.is_empty() && indent.len() + last.chars().count() + 1 + word.chars().count() > usize::from(WIDTH) {
            lines.push(word.to_owned());
        } else {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// A number with as many decimals as are of use.
pub(super) fn number(figure: f64) -> String {
    if figure.abs() >= 1000.0 {
        return thousands(figure.round() as u64);
    }
    if figure.fract() == 0.0 {
        return format!("{figure}");
    }
    if figure.abs() >= 100.0 { format!("{figure:.1}") } else { format!("{figure:.2}") }
}

/// Headings and rows: what is varied, then of each key what was measured, and where the article has it, what it says.
pub(super) fn cells(rows: &[Row]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut keys: Vec<(&str, bool)> = Vec::new();
    if let Some(row) = rows.first() {
        for (key, _) in &row.measured {
            let is_published = rows.iter().any(|row| row.published.iter().any(|(known, _)| known == key));
            keys.push((key, false));
            keys.extend(is_published.then_some((*key, true)));
        }
    }
    let several = rows.iter().any(|row| rows.first().is_some_and(|first| first.system != row.system));
    let on_server = rows.iter().any(|row| row.origin == Origin::Server);
    let mut heading: Vec<String> = several.then(|| "system".to_owned()).into_iter().collect();
    heading.extend(on_server.then(|| "origin".to_owned()));
    heading.extend(rows.first().into_iter().flat_map(|row| row.case.iter().map(|(name, _)| (*name).to_owned())));
    heading.extend(keys.iter().map(|(key, is_article)| match is_article {
        true => "article".to_owned(),
        false => key.replace('_', " "),
    }));
    let line = |row: &Row| {
        let mut line: Vec<String> = several.then(|| row.system.clone()).into_iter().collect();
        line.extend(on_server.then(|| origin(row.origin).to_owned()));
        line.extend(row.case.iter().map(|(_, value)| value.clone()));
        line.extend(keys.iter().map(|(key, is_article)| {
            let figures = if *is_article { &row.published } else { &row.measured };
            figures.iter().find(|(known, _)| known == key).map_or_else(|| "-".to_owned(), |(_, figure)| number(*figure))
        }));
        line
    };
    (heading, rows.iter().map(line).collect())
}

/// The table, and what is to be known of it.
pub(super) fn text(ran: &Ran) -> String {
    let mut out = format!("{}, scale {}: {}\n", ran.experiment.name, thousands(ran.scale), ran.experiment.unit);
    let _ = writeln!(out, "{}\n", ran.experiment.article);
    let (heading, rows) = cells(&ran.outcome.rows);
    let named = named_columns(&heading, ran);
    let all = || std::iter::once(&heading).chain(&rows);
    let width = |n: usize| all().filter_map(|row| row.get(n)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    for row in all() {
        let cells = row.iter().enumerate().map(|(n, cell)| {
            let width = width(n) + 2;
            if n < named { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let _ = writeln!(out, "{}", cells.collect::<String>().trim_end());
    }
    out.push('\n');
    for note in &ran.outcome.notes {
        out.push_str(&paragraph(note, ""));
    }
    out
}

/// How many columns say which case it is.
pub(super) fn named_columns(heading: &[String], ran: &Ran) -> usize {
    let words = heading.iter().take_while(|word| ["system", "origin"].contains(&word.as_str())).count();
    words + ran.outcome.rows.first().map_or(0, |row| row.case.len())
}
