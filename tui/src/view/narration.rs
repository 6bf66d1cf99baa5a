//! What is read beside the steps of a lesson: heading, SQL, prose, and what is asked.

use super::canvas::{Canvas, Pane, Target, more, scrolled, text_width};
use super::{Local, take};
use crate::theme::{Ink, Theme};
use ffviz_story::lesson::{Block, Span, SpanKind};
use ffviz_story::scene::{ChoiceMark, NarrationScene, QuestionScene, Role, Verdict};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A line of pieces with their styles, and what a click on it means.
#[derive(Default)]
struct NarrationLine {
    pieces: Vec<(String, Style)>,
    choice: Option<usize>,
}

/// Lines of text that grow word by word.
struct Lines {
    width: u16,
    theme: Theme,
    done: Vec<NarrationLine>,
    /// the choice that new lines belong to
    choice: Option<usize>,
}

/// Draws the section; where its question was asked just now, that is what is in sight, or at least the verdict.
pub fn draw(canvas: &mut Canvas, scene: &NarrationScene, area: Rect, local: &Local) {
    let mut rest = area;
    let heading = take(&mut rest, 1);
    canvas.hit(area, Target::Pane(Pane::Narration));
    let inner = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), ..rest };
    let (lines, keep) = lines(scene, inner.width, canvas.theme, area.height >= 14);
    // a question whose reason is too long to be seen with it gives way to the verdict
    let fits = |first: &usize| lines.len() - first <= usize::from(inner.height);
    let keep = keep.filter(|_| !local.loose).map(|(asked, verdict)| Some(asked).filter(fits).unwrap_or(verdict));
    let keep = keep.map(|first| (first + usize::from(inner.height)).min(lines.len()) - 1);
    let from = scrolled(local.scroll.narration, lines.len(), inner.height, keep);
    canvas.map.scroll.narration = from;
    let hidden = lines.len().saturating_sub(usize::from(from + inner.height));
    let focused = local.pane == Pane::Narration;
    let place = format!("{} {}", scene.place, more(hidden, focused));
    canvas.heading(heading, &scene.title, place.trim_end(), focused);
    for (line, row) in lines.iter().skip(usize::from(from)).zip(0..inner.height) {
        let y = inner.y + row;
        let pieces: Vec<(&str, Style)> = line.pieces.iter().map(|(text, style)| (text.as_str(), *style)).collect();
        canvas.pieces(inner.x, y, inner.right(), &pieces);
        if let Some(n) = line.choice {
            canvas.hit(Rect { y, height: 1, ..inner }, Target::Choice(n));
        }
    }
}

/// Lines that it takes to be seen whole, its heading too.
pub fn height(scene: &NarrationScene, width: u16, theme: &Theme) -> u16 {
    let (lines, _) = lines(scene, width.saturating_sub(2), theme, false);
    u16::try_from(lines.len() + 1).unwrap_or(u16::MAX)
}

/// All lines, and where a question that was asked just now begins, and its verdict; while there is none, the question
/// again.
fn lines(
    scene: &NarrationScene,
    width: u16,
    theme: &Theme,
    with_sql: bool,
) -> (Vec<NarrationLine>, Option<(usize, usize)>) {
    let mut lines = Lines { width, theme: *theme, done: Vec::new(), choice: None };
    if with_sql && !scene.sql.is_empty() {
        lines.code(&scene.sql, "");
        lines.gap();
    }
    lines.blocks(&scene.prose, "");
    let mut keep = None;
    if let Some(question) = &scene.question {
        lines.gap();
        let first = lines.done.len();
        let verdict = lines.question(question).unwrap_or(first);
        keep = question.in_sight.then_some((first, verdict));
    }
    (lines.done, keep)
}

impl Lines {
    fn gap(&mut self) {
        if self.done.last().is_some_and(|line| !line.pieces.is_empty()) {
            self.push(Vec::new());
        }
    }

    fn push(&mut self, pieces: Vec<(String, Style)>) {
        self.done.push(NarrationLine { pieces, choice: self.choice });
    }

    fn blocks(&mut self, blocks: &[Block], indent: &str) {
        for (n, block) in blocks.iter().enumerate() {
            if n > 0 {
                self.gap();
            }
            self.block(block, indent);
        }
    }

    fn block(&mut self, block: &Block, indent: &str) {
        match block {
            Block::Heading(spans) => {
                let strong = self.theme.ink(Ink::Accent);
                self.paragraph(spans, indent, indent, Some(strong));
            }
            Block::Paragraph(spans) => self.paragraph(spans, indent, indent, None),
            Block::Code(text) => self.code(text, indent),
            Block::Quote(blocks) => self.blocks(blocks, &format!("{indent}│ ")),
            Block::Table(rows) => self.table(rows, indent),
            Block::List { numbered, items } => {
                for (item, n) in items.iter().zip(1..) {
                    let marker = if *numbered { format!("{indent}{n}. ") } else { format!("{indent}• ") };
                    let deeper = " ".repeat(usize::from(text_width(&marker)));
                    for (ix, block) in item.iter().enumerate() {
                        match block {
                            Block::Paragraph(spans) if ix == 0 => self.paragraph(spans, &marker, &deeper, None),
                            block => self.block(block, &deeper),
                        }
                    }
                }
            }
        }
    }

    fn code(&mut self, text: &str, indent: &str) {
        let style = self.theme.ink(Ink::Strong);
        for line in text.lines() {
            // a line that is too long goes on below
            let room = usize::from(self.width).saturating_sub(indent.len() + 1).max(16);
            for piece in pieces(line, room) {
                self.push(vec![(format!("{indent} {piece}"), style)]);
            }
        }
    }

    fn table(&mut self, rows: &[Vec<Vec<Span>>], indent: &str) {
        let words = |cell: &[Span]| ffviz_story::lesson::plain(cell);
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |n: usize| rows.iter().filter_map(|row| row.get(n)).map(|cell| text_width(&words(cell))).max();
        let widths: Vec<u16> = (0..columns).filter_map(width).collect();
        for (ix, row) in rows.iter().enumerate() {
            let mut line = vec![(indent.to_owned(), Style::new())];
            for (cell, width) in row.iter().zip(&widths) {
                let used = cell.iter().map(|span| text_width(&span.text)).sum::<u16>();
                line.extend(cell.iter().map(|span| {
                    let style = if ix == 0 { self.theme.ink(Ink::Dim) } else { self.style(span.kind) };
                    (span.text.clone(), style)
                }));
                line.push((" ".repeat(usize::from(width - used) + 2), Style::new()));
            }
            self.push(line);
        }
    }

    /// A question, its choices with their letters, the verdict and the reason; says in which line the verdict is.
    fn question(&mut self, question: &QuestionScene) -> Option<usize> {
        self.blocks(&question.asked, "");
        for (n, choice) in question.choices.iter().enumerate() {
            let sign = if self.theme.ascii { choice.mark.ascii() } else { choice.mark.glyph() };
            let (first, rest) = (format!(" {sign} {}  ", QuestionScene::letter(n)), " ".repeat(6));
            self.choice = Some(n).filter(|_| question.is_open());
            self.paragraph(&choice.words, &first, &rest, mark_style(&self.theme, choice.mark));
        }
        self.choice = None;
        let verdict = question.verdict?;
        let mark = match verdict {
            Verdict::Right => ChoiceMark::Right,
            Verdict::Wrong => ChoiceMark::Wrong,
            Verdict::Shown => ChoiceMark::Other,
        };
        let (line, style) = (self.done.len(), mark_style(&self.theme, mark).unwrap_or_default());
        self.push(vec![(verdict.word().to_owned(), style)]);
        self.blocks(&question.reason, "");
        Some(line)
    }

    /// Words one after another; a figure, code and emphasis in their own styles, or all in one.
    fn paragraph(&mut self, spans: &[Span], first: &str, rest: &str, style: Option<Style>) {
        let text = self.theme.ink(Ink::Text);
        let mut line = vec![(first.to_owned(), style.unwrap_or(text))];
        let mut used = text_width(first);
        let mut is_start = true;
        for (word, kind) in words(spans) {
            let piece = style.unwrap_or_else(|| self.style(kind));
            let (blank, word) = match word.strip_prefix(' ') {
                Some(word) => (true, word),
                None => (false, word.as_str()),
            };
            let width = text_width(word);
            if used + width + u16::from(blank) > self.width && !is_start && blank {
                self.push(std::mem::replace(&mut line, vec![(rest.to_owned(), text)]));
                used = text_width(rest);
            } else if blank && !is_start {
                line.push((" ".to_owned(), text));
                used += 1;
            }
            line.push((word.to_owned(), piece));
            used += width;
            is_start = false;
        }
        self.push(line);
    }

    fn style(&self, kind: SpanKind) -> Style {
        match kind {
            SpanKind::Text => self.theme.ink(Ink::Text),
            SpanKind::Emphasis => self.theme.ink(Ink::Text).italic(),
            SpanKind::Strong | SpanKind::Code => self.theme.ink(Ink::Strong),
            SpanKind::Figure => self.theme.ink(Ink::Accent),
        }
    }
}

/// The words of a paragraph, each with the blank before it, where there is one.
fn words(spans: &[Span]) -> Vec<(String, SpanKind)> {
    let mut found: Vec<(String, SpanKind)> = Vec::new();
    let mut after_blank = false;
    for span in spans {
        let mut is_first = true;
        for piece in span.text.split(char::is_whitespace) {
            after_blank |= !is_first;
            is_first = false;
            if !piece.is_empty() {
                let blank = if std::mem::take(&mut after_blank) { " " } else { "" };
                found.push((format!("{blank}{piece}"), span.kind));
            }
        }
    }
    found
}

/// Pieces of a line of code, none longer than `room`, broken at blanks where there are any.
fn pieces(line: &str, room: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest: Vec<char> = line.chars().collect();
    while rest.len() > room {
        let at = rest[..room].iter().rposition(|c| *c == ' ').filter(|at| *at > room / 2).map_or(room, |at| at + 1);
        let tail = rest.split_off(at);
        pieces.push(rest.into_iter().collect());
        rest = "    ".chars().chain(tail).collect();
    }
    pieces.push(rest.into_iter().collect());
    pieces
}

fn mark_style(theme: &Theme, mark: ChoiceMark) -> Option<Style> {
    match mark {
        ChoiceMark::Open => None,
        ChoiceMark::Right => Some(theme.tone(Role::TupleLive).bold()),
        ChoiceMark::Wrong => Some(theme.tone(Role::TupleDeleted).bold()),
        ChoiceMark::Other => Some(theme.ink(Ink::Dim)),
    }
}
