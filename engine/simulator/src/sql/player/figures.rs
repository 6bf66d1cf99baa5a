//! The figures of a lesson: what is computed takes the place of what the text says, and what differs is kept.

use super::Ran;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use ffviz_story::lesson::{Block, Figure, Question, Section, Span};

/// A figure that is not what the text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// its line in the chapter
    pub line: u32,
    /// what the text says
    pub said: String,
    /// what the engine computes
    pub computed: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: the text says {}, computed is {}", self.line, self.said, self.computed)
    }
}

/// Puts figures in, and keeps those that differ.
#[derive(Default)]
pub(super) struct Figures {
    pub wrong: Vec<Wrong>,
}

impl Figures {
    /// Those of what is read beside a section's steps.
    pub fn of_prose(&mut self, section: &mut Section, ran: &Ran<'_>) -> Result<(), String> {
        self.blocks(&mut section.prose, ran)
    }

    /// Those of a question, which are about the SQL behind it.
    pub fn of_question(&mut self, question: &mut Question, ran: &Ran<'_>) -> Result<(), String> {
        self.blocks(&mut question.asked, ran)?;
        self.blocks(&mut question.reason, ran)?;
        for choice in &mut question.choices {
            self.spans(&mut choice.words, ran)?;
            if let Some(condition) = &choice.condition {
                self.check(condition, ran)?;
            }
        }
        Ok(())
    }

    fn blocks(&mut self, blocks: &mut [Block], ran: &Ran<'_>) -> Result<(), String> {
        for block in blocks {
            match block {
                Block::Heading(spans) | Block::Paragraph(spans) => self.spans(spans, ran)?,
                Block::List { items, .. } => {
                    for item in items {
                        self.blocks(item, ran)?;
                    }
                }
                Block::Table(rows) => {
                    for cell in rows.iter_mut().flatten() {
                        self.spans(cell, ran)?;
                    }
                }
                Block::Quote(blocks) => self.blocks(blocks, ran)?,
                Block::Code(_) => {}
            }
        }
        Ok(())
    }

    fn spans(&mut self, spans: &mut Vec<Span>, ran: &Ran<'_>) -> Result<(), String> {
        for span in spans.iter_mut() {
            let Some(figure) = &span.figure else { continue };
            if figure.expression.is.is_some() {
                self.check(figure, ran)?;
                continue;
            }
            let computed = compute(figure, ran)?;
            if span.text.replace(',', "") != computed {
                let said = core::mem::replace(&mut span.text, computed.clone());
                self.wrong.push(Wrong { line: figure.line, said, computed });
            }
        }
        // what a condition leaves in prose is nothing to read
        spans.retain(|span| !span.text.is_empty());
        Ok(())
    }

    /// A quantity that is said to have a value.
    fn check(&mut self, figure: &Figure, ran: &Ran<'_>) -> Result<(), String> {
        let (computed, said) = (compute(figure, ran)?, figure.expression.is.clone().unwrap_or_default());
        if computed != said {
            self.wrong.push(Wrong { line: figure.line, said, computed });
        }
        Ok(())
    }
}

fn compute(figure: &Figure, ran: &Ran<'_>) -> Result<String, String> {
    ran.value(&figure.expression.quantity).map_err(|why| format!("line {}: {why}", figure.line))
}
