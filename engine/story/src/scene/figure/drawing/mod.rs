//! A figure laid out as shapes with positions: made once, so that the browser and exported pictures are the same.
//!
//! ```text
//! title                status        title          status
//! ┌──────────────────────────┐  word ┌─────────────────────┐      shapes in drawing order: frames, bands, text,
//! │ 1  2  3                  │ ────▶ │                     │      then arrows, then marks
//! └──────────────────────────┘       └─────────────────────┘
//! ① note
//! ```

mod arrows;
mod panels;
mod text;

use super::{Fate, FigureScene, Identity};
use crate::scene::{PartId, Role};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A figure as shapes. Units are those of the SVG's view box: a pixel where it is shown at its own size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// width
    pub width: i32,
    /// height
    pub height: i32,
    /// in drawing order
    pub shapes: Vec<Shape>,
    /// in words, for who does not see it
    pub alternative: String,
}

/// A shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// where, and which letters
    pub form: Form,
    /// how it looks
    pub paint: Paint,
    /// what became of the part that it belongs to
    pub fate: Fate,
    /// the part that it stands for, with its role and words: only on the shape that takes clicks
    pub part: Option<(PartId, Role, String)>,
    /// the thing that it belongs to, in this figure and in those of other steps
    pub of: Option<Identity>,
}

/// The form of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// a rectangle with round corners
    Rect {
        /// left
        x: i32,
        /// top
        y: i32,
        /// width
        w: i32,
        /// height
        h: i32,
        /// radius of the corners
        r: i32,
    },
    /// a line of text
    Text {
        /// where it is anchored
        x: i32,
        /// baseline
        y: i32,
        /// where the anchor is in it
        anchor: Anchor,
        /// the letters
        text: String,
    },
    /// a path, in SVG's words
    Path(String),
    /// a circle
    Circle {
        /// centre
        x: i32,
        /// centre
        y: i32,
        /// radius
        r: i32,
    },
}

/// Where text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// at its beginning
    Start,
    /// in the middle
    Middle,
    /// at its end
    End,
}

/// How a shape looks; a face has a colour for each, light and dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paint {
    /// the box of a page
    Frame,
    /// the box of a page that is new
    FrameNew,
    /// a band, in the colour of its role
    Band(Role),
    /// a line pointer
    Chip,
    /// hatching over what was never written
    Hatch,
    /// the line of a tear
    Tear,
    /// a heading
    Title,
    /// text
    Text,
    /// text that is less important
    Dim,
    /// text of what takes part
    Strong,
    /// letters of equal width
    Mono,
    /// what changed
    Tag,
    /// the disc of a mark
    Mark,
    /// the number on it
    MarkNumber,
    /// the event's arrow
    Arrow,
    /// its head
    ArrowHead,
    /// another arrow
    Pointer,
    /// its head
    PointerHead,
    /// words beside the event's arrow
    ArrowWord,
    /// words beside another arrow
    PointerWord,
}

impl Paint {
    /// Its name, for style sheets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::FrameNew => "frame-new",
            Self::Band(_) => "band",
            Self::Chip => "chip",
            Self::Hatch => "hatch",
            Self::Tear => "tear",
            Self::Title => "title",
            Self::Text => "text",
            Self::Dim => "dim",
            Self::Strong => "strong",
            Self::Mono => "mono",
            Self::Tag => "tag",
            Self::Mark => "mark",
            Self::MarkNumber => "mark-number",
            Self::Arrow => "arrow",
            Self::ArrowHead => "arrow-head",
            Self::Pointer => "pointer",
            Self::PointerHead => "pointer-head",
            Self::ArrowWord => "arrow-word",
            Self::PointerWord => "pointer-word",
        }
    }
}

/// Empty space around the figure.
const MARGIN: i32 = 12;
/// Height of a line of a note.
const NOTE: i32 = 22;

/// Lays a figure out in a width; it is as long as it needs to be.
#[must_use]
pub fn draw(scene: &FigureScene, width: i32) -> Drawing {
    let mut pen = Pen { shapes: Vec::new(), spots: Vec::new(), boxes: Vec::new(), of: None };
    let bottom = panels::draw(&mut pen, scene, width);
    arrows::draw(&mut pen, scene);
    let height = notes(&mut pen, scene, width, bottom + 14);
    // marks lie over everything, frames below
    let mut shapes = pen.shapes;
    shapes.sort_by_key(|shape| layer(shape.paint));
    Drawing { width, height: height + MARGIN, shapes, alternative: scene.alternative() }
}

const fn layer(paint: Paint) -> u8 {
    match paint {
        Paint::Frame | Paint::FrameNew => 0,
        Paint::Band(_) | Paint::Chip => 1,
        Paint::Hatch => 2,
        Paint::Pointer | Paint::PointerHead => 4,
        Paint::Arrow | Paint::ArrowHead => 5,
        Paint::ArrowWord | Paint::PointerWord => 6,
        Paint::Mark => 7,
        Paint::MarkNumber => 8,
        _ => 3,
    }
}

/// Where a part was drawn.
#[derive(Debug, Clone, Copy)]
struct Spot {
    panel: usize,
    piece: PartId,
    y: i32,
    h: i32,
    /// of a line pointer, which is narrower than its panel: its middle
    chip: Option<i32>,
}

/// Where a panel was drawn, with its title.
#[derive(Debug, Clone, Copy)]
struct Place {
    panel: usize,
    x: i32,
    y: i32,
    w: i32,
    bottom: i32,
}

/// What has been drawn so far.
struct Pen {
    shapes: Vec<Shape>,
    spots: Vec<Spot>,
    boxes: Vec<Place>,
    /// what is being drawn
    of: Option<Identity>,
}

impl Pen {
    fn put(&mut self, form: Form, paint: Paint, fate: Fate) {
        self.shapes.push(Shape { form, paint, fate, part: None, of: self.of });
    }

    fn text(&mut self, x: i32, y: i32, anchor: Anchor, text: impl Into<String>, paint: Paint) {
        self.put(Form::Text { x, y, anchor, text: text.into() }, paint, Fate::Same);
    }

    fn mark(&mut self, x: i32, y: i32, mark: u8) {
        use alloc::string::ToString;
        self.put(Form::Circle { x, y, r: 9 }, Paint::Mark, Fate::Same);
        self.text(x, y + 4, Anchor::Middle, mark.to_string(), Paint::MarkNumber);
    }
}

/// The notes below the panels; returns where they end.
fn notes(pen: &mut Pen, scene: &FigureScene, width: i32, top: i32) -> i32 {
    let mut y = top;
    let room = width - 2 * MARGIN - 30;
    for (n, note) in (1..).zip(&scene.notes) {
        if scene.has_mark(n) {
            pen.mark(MARGIN + 10, y + 8, n);
        }
        for line in text::wrap(note, room) {
            pen.text(MARGIN + 30, y + 13, Anchor::Start, line, Paint::Text);
            y += NOTE;
        }
    }
    if !scene.left_out.is_empty() {
        for line in text::wrap(&scene.left_out, room) {
            pen.text(MARGIN + 30, y + 13, Anchor::Start, line, Paint::Dim);
            y += NOTE;
        }
    }
    // lines break between signs, not within their words
    let sign = |role: Role| format!("{}_{}", role.glyph(), role.word().replace(' ', "_"));
    let terms = scene.terms().into_iter().map(|term| term.replace(' ', "_"));
    let signs: Vec<String> = scene.signs().into_iter().map(sign).chain(terms).collect();
    for line in text::wrap(&signs.join(" "), room) {
        let line = line.replace(' ', "\u{a0}\u{a0}\u{a0} ").replace('_', " ");
        pen.text(MARGIN + 30, y + 13, Anchor::Start, line, Paint::Dim);
        y += NOTE;
    }
    y
}
