//! Markdown's events as blocks and spans.

use super::comment::{self, Comment};
use super::{Block, ChapterError, Figure, Span, SpanKind};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::ops::Range;
use pulldown_cmark::{Event, OffsetIter, Options, Parser, Tag, TagEnd};

/// A chapter's Markdown, read from top to bottom.
pub(super) struct Markdown<'a> {
    text: &'a str,
    events: Peekable<OffsetIter<'a>>,
    /// where the last event stands
    at: Range<usize>,
}

pub(super) type Outcome<T> = Result<T, ChapterError>;

impl<'a> Markdown<'a> {
    pub fn new(text: &'a str) -> Self {
        let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter().peekable();
        Self { text, events, at: 0..0 }
    }

    pub fn next(&mut self) -> Option<Event<'a>> {
        let (event, at) = self.events.next()?;
        self.at = at;
        Some(event)
    }

    /// The line of the last event, from 1.
    pub fn line(&self) -> u32 {
        self.line_of(self.at.start)
    }

    fn line_of(&self, at: usize) -> u32 {
        1 + self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() as u32
    }

    pub fn error<T>(&self, sentence: impl Into<String>) -> Outcome<T> {
        Err(ChapterError { line: self.line(), sentence: sentence.into() })
    }

    /// A block that has begun with `tag`, to its end.
    pub fn block(&mut self, tag: Tag<'a>) -> Outcome<Block> {
        Ok(match tag {
            Tag::Heading { .. } => Block::Heading(self.closed_spans()?),
            Tag::Paragraph => Block::Paragraph(self.closed_spans()?),
            Tag::BlockQuote(_) => Block::Quote(self.blocks()?),
            Tag::CodeBlock(_) => Block::Code(self.raw()),
            Tag::List(first) => {
                let mut items = Vec::new();
                while let Some(Event::Start(Tag::Item)) = self.next() {
                    items.push(self.blocks()?);
                }
                Block::List { numbered: first.is_some(), items }
            }
            Tag::Table(_) => Block::Table(self.rows()?),
            Tag::HtmlBlock => {
                return self.error("a comment that says what is shown stands between paragraphs, not within one");
            }
            _ => {
                return self.error(
                    "this sort of Markdown is not shown in lessons; write it as a paragraph, a list or a table",
                );
            }
        })
    }

    /// Blocks up to the end of what holds them. Text that stands there without a paragraph is one.
    pub fn blocks(&mut self) -> Outcome<Vec<Block>> {
        let mut blocks = Vec::new();
        loop {
            let spans = self.spans()?;
            if !spans.is_empty() {
                blocks.push(Block::Paragraph(spans));
            }
            match self.next() {
                Some(Event::Start(tag)) => blocks.push(self.block(tag)?),
                Some(Event::Rule) => {}
                _ => return Ok(blocks),
            }
        }
    }

    fn rows(&mut self) -> Outcome<Vec<Vec<Vec<Span>>>> {
        let mut rows = Vec::new();
        while let Some(Event::Start(_)) = self.next() {
            let mut cells = Vec::new();
            while let Some(Event::Start(_)) = self.next() {
                cells.push(self.closed_spans()?);
            }
            rows.push(cells);
        }
        Ok(rows)
    }

    /// The text of a block that holds nothing but text, to its end.
    pub fn raw(&mut self) -> String {
        let mut text = String::new();
        while let Some(Event::Text(part) | Event::Html(part)) = self.next() {
            text.push_str(&part);
        }
        text.trim_end().to_owned()
    }

    fn closed_spans(&mut self) -> Outcome<Vec<Span>> {
        let spans = self.spans()?;
        match self.next() {
            Some(Event::End(_)) | None => Ok(spans),
            _ => self.error("this sort of Markdown is not shown in lessons"),
        }
    }

    /// Runs of text, up to what is none.
    fn spans(&mut self) -> Outcome<Vec<Span>> {
        let mut spans: Vec<Span> = Vec::new();
        let mut within = Vec::new();
        while let Some((event, _)) = self.events.peek() {
            let is_end = matches!(event, Event::End(_)) && within.is_empty();
            if is_end || !is_inline(event) {
                break;
            }
            let kind = within.last().copied().unwrap_or_default();
            match self.next() {
                Some(Event::Text(text)) => push(&mut spans, kind, &text),
                Some(Event::Code(text)) => push(&mut spans, SpanKind::Code, &text),
                Some(Event::SoftBreak | Event::HardBreak) => push(&mut spans, kind, " "),
                // beside the prose of a lesson is the page itself
                Some(Event::Start(Tag::Image { .. })) => self.pass_image(),
                Some(Event::Start(Tag::Emphasis)) => within.push(SpanKind::Emphasis),
                Some(Event::Start(Tag::Strong)) => within.push(SpanKind::Strong),
                Some(Event::Start(_)) => within.push(kind),
                Some(Event::End(_)) => drop(within.pop()),
                Some(Event::InlineHtml(html)) => self.figure(&mut spans, &html)?,
                _ => {}
            }
        }
        Ok(spans)
    }

    fn pass_image(&mut self) {
        while !matches!(self.next(), None | Some(Event::End(TagEnd::Image))) {}
    }

    /// The figure that a comment computes: what stands before it.
    fn figure(&self, spans: &mut Vec<Span>, html: &str) -> Outcome<()> {
        let expression = match comment::parse(html) {
            Ok(Comment::Figure(expression)) => expression,
            Ok(Comment::Source) => return Ok(()),
            Ok(_) => return self.error("lesson: and look: stand in a line of their own, between paragraphs"),
            Err(sentence) => return self.error(sentence),
        };
        let figure = Figure { expression, line: self.line() };
        if figure.expression.is.is_some() {
            let condition = Span { figure: Some(figure), ..Span::default() };
            spans.push(condition);
            return Ok(());
        }
        let Some(last) = spans.pop().filter(|span| span.figure.is_none()) else {
            return self.error("there is no figure before this comment");
        };
        let whole = 0..last.text.len();
        let found = if last.kind == SpanKind::Code { Some(whole) } else { last_figure(&last.text) };
        let Some(at) = found else {
            return self.error(format!("there is no figure before this comment, in {:?}", last.text));
        };
        let part = |range: Range<usize>| last.text.get(range).unwrap_or_default();
        push(spans, last.kind, part(0..at.start));
        spans.push(Span { kind: SpanKind::Figure, text: part(at.clone()).to_owned(), figure: Some(figure) });
        push(spans, last.kind, part(at.end..last.text.len()));
        Ok(())
    }
}

fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::HardBreak | Event::InlineHtml(_) => true,
        Event::Start(tag) => matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. }),
        Event::End(_) => true,
        _ => false,
    }
}

fn push(spans: &mut Vec<Span>, kind: SpanKind, text: &str) {
    match spans.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.kind == kind && last.figure.is_none() => last.text.push_str(text),
        _ => spans.push(Span { kind, text: text.to_owned(), figure: None }),
    }
}

/// The last number of a text, `1,204` or `91.5`; else its last word.
fn last_figure(text: &str) -> Option<Range<usize>> {
    let is_part = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    if let Some(last) = text.rfind(|c: char| c.is_ascii_digit()) {
        let start =
            text.get(..last)?.rfind(|c| !is_part(c)).map_or(0, |at| at + text.get(at..).map_or(1, first_length));
        let start = start + text.get(start..=last)?.find(|c: char| c.is_ascii_digit())?;
        return Some(start..last + 1);
    }
    let end = text.trim_end().len();
    let start = text.get(..end)?.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    (start < end).then_some(start..end)
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}
