//! What is read beside the steps of a lesson, as text.

use super::{Options, paragraph};
use crate::lesson::{Block, plain};
use crate::scene::{ChoiceMark, NarrationScene, QuestionScene};
use alloc::format;
use alloc::string::{String, ToString};

/// Heading, SQL, prose, question.
#[must_use]
pub fn narration(scene: &NarrationScene, options: Options) -> String {
    let mut text = format!("{} · {}\n", scene.title, scene.place);
    if !scene.sql.is_empty() {
        text.push('\n');
        text.push_str(&indented(&scene.sql));
    }
    for block in &scene.prose {
        text.push('\n');
        text.push_str(&self::block(block, options));
    }
    if let Some(question) = &scene.question {
        text.push('\n');
        text.push_str(&self::question(question, options));
    }
    options.finish(text)
}

/// A question, its choices, and the answer where it is known.
#[must_use]
pub fn question(question: &QuestionScene, options: Options) -> String {
    let mut text = String::new();
    for block in &question.asked {
        text.push_str(&self::block(block, options));
    }
    for (n, choice) in question.choices.iter().enumerate() {
        let letter = QuestionScene::letter(n);
        let sign = match choice.mark {
            ChoiceMark::Open => ' ',
            mark if options.ascii => mark.ascii(),
            mark => mark.glyph(),
        };
        text.push_str(&wrapped(&plain(&choice.words), &format!("  {sign} {letter}) "), options.columns()));
    }
    if let Some(verdict) = question.verdict {
        text.push_str(&format!("{}\n", verdict.word()));
    }
    for block in &question.reason {
        text.push('\n');
        text.push_str(&self::block(block, options));
    }
    text
}

/// A block of prose.
#[must_use]
pub fn block(block: &Block, options: Options) -> String {
    options.finish(lines(block, options.columns()))
}

fn lines(block: &Block, width: usize) -> String {
    match block {
        Block::Heading(spans) => wrapped(&plain(spans), "## ", width),
        Block::Paragraph(spans) => wrapped(&plain(spans), "", width),
        Block::Code(text) => indented(text),
        Block::Quote(blocks) => blocks.iter().map(|inner| lines(inner, width)).collect(),
        Block::Table(rows) => rows
            .iter()
            .map(|cells| {
                let cells = cells.iter().map(|cell| plain(cell));
                format!("  {}\n", cells.collect::<alloc::vec::Vec<_>>().join(" │ "))
            })
            .collect(),
        Block::List { numbered, items } => {
            let mut text = String::new();
            for (item, n) in items.iter().zip(1..) {
                let marker = if *numbered { format!("{n}. ") } else { "• ".to_string() };
                for (ix, inner) in item.iter().enumerate() {
                    let marker = if ix == 0 { marker.clone() } else { " ".repeat(marker.chars().count()) };
                    match inner {
                        Block::Paragraph(spans) => text.push_str(&wrapped(&plain(spans), &marker, width)),
                        other => text.push_str(&lines(other, width)),
                    }
                }
            }
            text
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// A paragraph behind a marker; its further lines stand below its first word.
fn wrapped(text: &str, marker: &str, width: usize) -> String {
    let indent = " ".repeat(marker.chars().count());
    let lines = paragraph(text, &indent, width);
    format!("{marker}{}", lines.get(indent.len()..).unwrap_or_default())
}
