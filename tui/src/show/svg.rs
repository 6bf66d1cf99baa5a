//! A buffer as SVG: title and description, colours that follow the reader's light or dark theme where there are two, no
//! font within. Lines and blocks are drawn as shapes, so that they join whatever font there is; text has its length
//! stated, so that columns stay columns.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

/// Size of a cell in SVG's units.
const CELL: (u32, u32) = (8, 17);
/// Empty space around the screen.
const MARGIN: u32 = 8;

/// A colour in the light and in the dark theme.
type Pair = [[u8; 3]; 2];

/// Colours in the order of their first use; each becomes a CSS class.
#[derive(Default)]
struct Classes(Vec<Pair>);

impl Classes {
    fn of(&mut self, pair: Pair) -> usize {
        self.0.iter().position(|known| *known == pair).unwrap_or_else(|| {
            self.0.push(pair);
            self.0.len() - 1
        })
    }
}

/// The same screen in a light and in a dark theme as one picture.
#[must_use]
pub fn svg(light: &Buffer, dark: &Buffer, title: &str, description: &str) -> String {
    let (columns, rows) = (u32::from(light.area.width), u32::from(light.area.height));
    let size = (columns * CELL.0 + 2 * MARGIN, rows * CELL.1 + 2 * MARGIN);
    let mut classes = Classes::default();
    let ground =
        light.content.first().zip(dark.content.first()).map_or([[255; 3], [0; 3]], |(l, d)| [rgb(l.bg), rgb(d.bg)]);
    let ground_class = classes.of(ground);
    let mut body = String::new();
    for (row, (light, dark)) in super::lines(light).zip(super::lines(dark)).enumerate() {
        let cells: Vec<Drawn> = light.iter().zip(dark).map(|(l, d)| Drawn::new(l, d, &mut classes)).collect();
        let y = MARGIN + row as u32 * CELL.1;
        backgrounds(&mut body, &cells, ground_class, y);
        texts(&mut body, &cells, y);
        shapes(&mut body, &cells, y);
    }
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" \
         aria-labelledby=\"t d\">\n<title id=\"t\">{2}</title>\n<desc id=\"d\">{3}</desc>\n",
        size.0,
        size.1,
        escape(title),
        escape(description)
    );
    style(&mut out, &classes);
    let _ = writeln!(out, "<rect class=\"c{ground_class}\" width=\"{}\" height=\"{}\" rx=\"6\"/>", size.0, size.1);
    out.push_str(&body);
    out.push_str("</svg>\n");
    out
}

/// A cell as it is to be drawn.
struct Drawn<'a> {
    symbol: &'a str,
    fg: usize,
    bg: usize,
    bold: bool,
    underlined: bool,
}

impl<'a> Drawn<'a> {
    fn new(light: &'a Cell, dark: &Cell, classes: &mut Classes) -> Self {
        let (mut fg, mut bg) = ([rgb(light.fg), rgb(dark.fg)], [rgb(light.bg), rgb(dark.bg)]);
        if light.modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut fg, &mut bg);
        }
        Self {
            symbol: light.symbol(),
            fg: classes.of(fg),
            bg: classes.of(bg),
            bold: light.modifier.contains(Modifier::BOLD),
            underlined: light.modifier.contains(Modifier::UNDERLINED),
        }
    }

    fn is_text(&self) -> bool {
        self.symbol != " " && shape(self.symbol).is_none()
    }
}

const fn rgb(color: Color) -> [u8; 3] {
    match color {
        Color::Rgb(r, g, b) => [r, g, b],
        _ => [128, 128, 128],
    }
}

fn style(out: &mut String, classes: &Classes) {
    out.push_str(
        "<style>text{font:13.3px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;white-space:pre}\
         .b{font-weight:bold}.u{text-decoration:underline}path{fill:none;stroke-width:1.2}.h{stroke-width:2.4}",
    );
    let hex = |[r, g, b]: [u8; 3]| format!("#{r:02x}{g:02x}{b:02x}");
    for (n, pair) in classes.0.iter().enumerate() {
        let _ = write!(out, ".c{n}{{fill:{0}}}.s{n}{{stroke:{0}}}", hex(pair[0]));
    }
    if classes.0.iter().all(|[light, dark]| light == dark) {
        out.push_str("</style>\n");
        return;
    }
    out.push_str("@media(prefers-color-scheme:dark){");
    for (n, pair) in classes.0.iter().enumerate() {
        let _ = write!(out, ".c{n}{{fill:{0}}}.s{n}{{stroke:{0}}}", hex(pair[1]));
    }
    out.push_str("}</style>\n");
}

/// Runs of one background that differs from the ground.
fn backgrounds(body: &mut String, cells: &[Drawn], ground: usize, y: u32) {
    for (start, run) in runs(cells, |a, b| a.bg == b.bg) {
        if run[0].bg != ground {
            let (x, width) = (MARGIN + start as u32 * CELL.0, run.len() as u32 * CELL.0);
            let _ = writeln!(
                body,
                "<rect class=\"c{}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{}\"/>",
                run[0].bg, CELL.1
            );
        }
    }
}

/// Runs of text of one style; single blanks within a run stay.
fn texts(body: &mut String, cells: &[Drawn], y: u32) {
    let same = |a: &Drawn, b: &Drawn| {
        a.fg == b.fg && a.bold == b.bold && a.underlined == b.underlined && a.is_text() && b.is_text()
    };
    for (start, run) in runs(cells, same) {
        if !run[0].is_text() {
            continue;
        }
        let text: String = run.iter().map(|cell| cell.symbol).collect();
        let marks = match (run[0].bold, run[0].underlined) {
            (true, true) => " b u",
            (true, false) => " b",
            (false, true) => " u",
            (false, false) => "",
        };
        let x = MARGIN + start as u32 * CELL.0;
        let length = if run.len() > 1 {
            format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", run.len() as u32 * CELL.0)
        } else {
            String::new()
        };
        let _ = writeln!(
            body,
            "<text class=\"c{}{marks}\" x=\"{x}\" y=\"{}\"{length}>{}</text>",
            run[0].fg,
            y + 13,
            escape(&text)
        );
    }
}

/// Lines, corners and blocks.
fn shapes(body: &mut String, cells: &[Drawn], y: u32) {
    for (start, run) in runs(cells, |a, b| a.fg == b.fg && a.symbol == b.symbol && shape(a.symbol).is_some()) {
        let (x, width) = (MARGIN + start as u32 * CELL.0, run.len() as u32 * CELL.0);
        match shape(run[0].symbol) {
            Some(Shape::Lower(eighths)) => {
                let height = (CELL.1 * eighths).div_ceil(8);
                let _ = writeln!(
                    body,
                    "<rect class=\"c{}\" x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{height}\"/>",
                    run[0].fg,
                    y + CELL.1 - height
                );
            }
            Some(Shape::Line { arms, heavy, dashed }) => {
                let mut path = String::new();
                let starts =
                    if arms == ACROSS { vec![x] } else { (0..run.len() as u32).map(|n| x + n * CELL.0).collect() };
                for at in starts {
                    strokes(&mut path, arms, at, y, if arms == ACROSS { width } else { CELL.0 });
                }
                let heavy = if heavy { " h" } else { "" };
                let dash = if dashed { " stroke-dasharray=\"3 2\"" } else { "" };
                let _ = writeln!(body, "<path class=\"s{}{heavy}\"{dash} d=\"{path}\"/>", run[0].fg);
            }
            None => {}
        }
    }
}

/// left, right, up, down
type Arms = [bool; 4];
const ACROSS: Arms = [true, true, false, false];

enum Shape {
    /// lines from the middle to the edges
    Line { arms: Arms, heavy: bool, dashed: bool },
    /// a block from below, in eighths
    Lower(u32),
}

fn shape(symbol: &str) -> Option<Shape> {
    let line = |arms: [u8; 4]| Some(Shape::Line { arms: arms.map(|arm| arm == 1), heavy: false, dashed: false });
    match symbol {
        "─" => line([1, 1, 0, 0]),
        "│" => line([0, 0, 1, 1]),
        "┌" | "╭" => line([0, 1, 0, 1]),
        "┐" | "╮" => line([1, 0, 0, 1]),
        "└" | "╰" => line([0, 1, 1, 0]),
        "┘" | "╯" => line([1, 0, 1, 0]),
        "├" => line([0, 1, 1, 1]),
        "┤" => line([1, 0, 1, 1]),
        "┬" => line([1, 1, 0, 1]),
        "┴" => line([1, 1, 1, 0]),
        "┼" => line([1, 1, 1, 1]),
        "╶" => line([0, 1, 0, 0]),
        "━" | "═" => Some(Shape::Line { arms: ACROSS, heavy: true, dashed: false }),
        "║" => Some(Shape::Line { arms: [false, false, true, true], heavy: true, dashed: false }),
        "╌" => Some(Shape::Line { arms: ACROSS, heavy: false, dashed: true }),
        "┊" => Some(Shape::Line { arms: [false, false, true, true], heavy: false, dashed: true }),
        _ => {
            let c = u32::from(symbol.chars().next()?);
            (0x2581..=0x2588).contains(&c).then(|| Shape::Lower(c - 0x2580))
        }
    }
}

fn strokes(path: &mut String, arms: Arms, x: u32, y: u32, width: u32) {
    let (middle_x, middle_y) = (x + CELL.0 / 2, y + CELL.1 / 2);
    let [left, right, up, down] = arms;
    if left || right {
        let from = if left { x } else { middle_x };
        let to = if right { x + width } else { middle_x };
        let _ = write!(path, "M{from} {middle_y}H{to}");
    }
    if up || down {
        let from = if up { y } else { middle_y };
        let to = if down { y + CELL.1 } else { middle_y };
        let _ = write!(path, "M{middle_x} {from}V{to}");
    }
}

/// Runs of neighbours that are the same, with the position of their first.
fn runs<'a, 'c>(
    cells: &'a [Drawn<'c>],
    same: impl Fn(&Drawn, &Drawn) -> bool + 'a,
) -> impl Iterator<Item = (usize, &'a [Drawn<'c>])> {
    let mut at = 0;
    cells.chunk_by(move |a, b| same(a, b)).map(move |run| {
        at += run.len();
        (at - run.len(), run)
    })
}

/// A text within an element or an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
