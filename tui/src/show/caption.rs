//! What stands above a figure that is a document: the statement, and what happened. Of two runs one is below the other,
//! each with what happened in it.

use super::figure::Part;
use ffviz_story::scene::figure::Fate;
use ffviz_story::scene::figure::drawing::{Anchor, Drawing, Form, Paint, Shape};

/// Letters of a line, of those that take most room.
const LETTERS: u16 = 96;
/// Lines of a statement at most.
const STATEMENT: usize = 3;
/// Height of a line, and of the space above the first.
const LINE: i32 = 20;
const TOP: i32 = 8;

/// A statement, and its figures with what happened.
pub(super) struct Above<'a> {
    pub statement: &'a str,
    pub figures: Vec<(String, Drawing)>,
}

impl Above<'_> {
    /// From top to bottom.
    pub fn drawings(self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut top = 0;
        let mut put = |drawing: Drawing| {
            let height = drawing.height;
            parts.push(Part { top, drawing });
            top += height;
        };
        let mut above = lines(self.statement, STATEMENT, Paint::Mono);
        for (happened, drawing) in self.figures {
            above.extend(lines(&happened, usize::MAX, Paint::Tag));
            put(caption(std::mem::take(&mut above), drawing.width));
            put(drawing);
        }
        parts
    }
}

/// A text as lines; what does not fit ends in an ellipsis.
fn lines(text: &str, most: usize, paint: Paint) -> Vec<(String, Paint)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut lines = crate::view::wrap(&words.join(" "), LETTERS);
    if lines.len() > most {
        lines.truncate(most);
        lines.iter_mut().last().into_iter().for_each(|line| line.push_str(" …"));
    }
    lines.into_iter().filter(|line| !line.is_empty()).map(|line| (line, paint)).collect()
}

fn caption(lines: Vec<(String, Paint)>, width: i32) -> Drawing {
    let height = if lines.is_empty() { 0 } else { TOP + LINE * lines.len() as i32 };
    let shapes = lines.into_iter().zip(1..).map(|((text, paint), n)| {
        let form = Form::Text { x: 12, y: TOP + LINE * n - 5, anchor: Anchor::Start, text };
        Shape { form, paint, fate: Fate::Same, part: None, of: None }
    });
    Drawing { width, height, shapes: shapes.collect(), alternative: String::new() }
}
