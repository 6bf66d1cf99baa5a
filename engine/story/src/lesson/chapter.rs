//! A chapter's Markdown as a lesson.
//!
//! ```text
//!  # Title              the lesson's
//!  prose                section 0
//!  ```sql               section 1 begins: its SQL,
//!  <!-- look: … -->     what is shown,
//!  prose                what is read beside its steps,
//!  > **Predict.** …     what is asked before section 2
//! ```

use super::comment::{self, Comment};
use super::prose::{Markdown, Outcome};
use super::{Block, ChapterError, Choice, Lesson, Question, Section, Span, SpanKind};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag};

/// how a quote begins that asks something
const PREDICT: &str = "Predict.";

/// Reads a chapter.
///
/// # Errors
/// The line, and what is wrong there.
pub fn read(text: &str) -> Result<Lesson, ChapterError> {
    let mut reader = Reader {
        markdown: Markdown::new(text),
        lesson: Lesson { sections: Vec::from([Section::default()]), ..Lesson::default() },
        heading: String::new(),
        asked: 0,
    };
    while let Some(event) = reader.markdown.next() {
        reader.top(event)?;
    }
    reader.finish()
}

struct Reader<'a> {
    markdown: Markdown<'a>,
    lesson: Lesson,
    /// the last heading
    heading: String,
    /// the line of the last question
    asked: u32,
}

impl<'a> Reader<'a> {
    /// A block that stands in no other.
    fn top(&mut self, event: Event<'a>) -> Outcome<()> {
        match event {
            Event::Start(Tag::HtmlBlock) => self.comment(),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "sql" => {
                // the fence's own line is not SQL
                let line = self.markdown.line() + 1;
                let (sql, title) = (self.markdown.raw(), self.heading.clone());
                // the heading right above it is its own, and not read before
                if let Some(Block::Heading(_)) = self.section().prose.last() {
                    self.section().prose.pop();
                }
                self.lesson.sections.push(Section { title, sql, line, ..Section::default() });
                Ok(())
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if self.lesson.title.is_empty() => {
                let block = self.markdown.block(Tag::Paragraph)?;
                let title = words(&block);
                self.heading.clone_from(&title);
                self.section().title.clone_from(&title);
                self.lesson.title = title;
                Ok(())
            }
            Event::Start(tag) => {
                let line = self.markdown.line();
                let block = self.markdown.block(tag)?;
                self.add(block, line)
            }
            _ => Ok(()),
        }
    }

    fn section(&mut self) -> &mut Section {
        if self.lesson.sections.is_empty() {
            self.lesson.sections.push(Section::default());
        }
        let last = self.lesson.sections.len() - 1;
        &mut self.lesson.sections[last]
    }

    fn add(&mut self, block: Block, line: u32) -> Outcome<()> {
        match block {
            Block::Quote(blocks) if is_question(&blocks) => {
                if self.section().question.is_some() {
                    return self
                        .markdown
                        .error("there is a question already since the last SQL; one is asked at a time");
                }
                let question =
                    question(blocks).map_err(|sentence| ChapterError { line, sentence: sentence.to_owned() })?;
                self.asked = line;
                self.section().question = Some(question);
            }
            // there was a picture and nothing else
            Block::Paragraph(spans) if spans.is_empty() => {}
            block => {
                if matches!(block, Block::Heading(_)) {
                    self.heading = words(&block);
                }
                self.section().prose.push(block);
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Outcome<()> {
        let line = self.markdown.line();
        let html = self.markdown.raw();
        match comment::parse(&html) {
            Ok(Comment::Lesson(options)) => self.lesson.options = options,
            Ok(Comment::Source) => {}
            Ok(Comment::Look(look)) if self.section().look.is_none() => self.section().look = Some(look),
            Ok(Comment::Look(_)) => {
                let sentence = "since the last SQL there is a look: already".to_owned();
                return Err(ChapterError { line, sentence });
            }
            Ok(Comment::Figure(_)) => {
                let sentence =
                    "a figure's comment stands directly behind the figure, not in a line of its own".to_owned();
                return Err(ChapterError { line, sentence });
            }
            Err(sentence) => return Err(ChapterError { line, sentence }),
        }
        Ok(())
    }

    fn finish(self) -> Outcome<Lesson> {
        let fail = |line, sentence: &str| Err(ChapterError { line, sentence: sentence.to_owned() });
        if self.lesson.title.is_empty() {
            return fail(1, "a chapter begins with its title, a line such as # An UPDATE without room");
        }
        if self.lesson.sections.last().is_some_and(|section| section.question.is_some()) {
            return fail(self.asked, "the question is about the next SQL, and there is none");
        }
        if self.lesson.sections.len() < 2 {
            return fail(1, "there is no SQL in the chapter: a fence that begins with ```sql");
        }
        Ok(self.lesson)
    }
}

fn words(block: &Block) -> String {
    match block {
        Block::Heading(spans) | Block::Paragraph(spans) => super::plain(spans),
        _ => String::new(),
    }
}

fn is_question(blocks: &[Block]) -> bool {
    let first = blocks.first().and_then(|block| if let Block::Paragraph(spans) = block { spans.first() } else { None });
    first.is_some_and(|span| span.kind == SpanKind::Strong && span.text.trim() == PREDICT)
}

/// What is asked, the list of what may be chosen, and the reason.
fn question(blocks: Vec<Block>) -> Result<Question, &'static str> {
    let mut question = Question::default();
    for block in blocks {
        match block {
            Block::List { items, .. } if question.choices.is_empty() => {
                question.choices = items.into_iter().map(choice).collect::<Result<_, _>>()?;
            }
            block if question.choices.is_empty() => question.asked.push(block),
            block => question.reason.push(block),
        }
    }
    if let Some(Block::Paragraph(spans)) = question.asked.first_mut() {
        spans.remove(0);
        if let Some(first) = spans.first_mut() {
            first.text = first.text.trim_start().to_owned();
        }
    }
    match question.choices.iter().filter(|choice| choice.right).count() {
        _ if !(2..=9).contains(&question.choices.len()) => Err("a question has a list of two to nine choices"),
        1 => Ok(question),
        0 => Err("no choice is the right one: it has a comment such as <!-- = wal.len HOT_UPDATE -->"),
        _ => Err("more than one choice is marked as right"),
    }
}

fn choice(mut item: Vec<Block>) -> Result<Choice, &'static str> {
    let (Some(Block::Paragraph(mut words)), true) = (item.pop(), item.is_empty()) else {
        return Err("a choice is one line");
    };
    let is_condition = |span: &Span| span.text.is_empty() && span.figure.is_some();
    let condition = words.iter().position(is_condition).and_then(|at| words.remove(at).figure);
    let right = condition.is_some() || words.iter().any(|span| span.figure.is_some());
    if let Some(last) = words.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    Ok(Choice { words, right, condition })
}
