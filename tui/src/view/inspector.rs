//! The inspector: every field of what is selected, with its bytes in hex, its name, value and meaning; flag words bit
//! by bit.
//!
//! ```text
//! 8152  00 09       t_infomask    0x0900    …
//!                   0x0100 HEAP_XMIN_COMMITTED  …
//! ```

use super::canvas::{Canvas, Pane, Target, more, scrolled, text_width, wrap};
use super::{Local, take, wal};
use crate::theme::{Ink, Theme};
use ffviz_format::page::Bit;
use ffviz_story::app::View;
use ffviz_story::scene::{Change, InspectorField, InspectorScene};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// A line of the inspector: columns with their styles.
type FieldLine = Vec<(u16, String, Style)>;

/// Lines that all fields take at this width of the screen.
pub fn height(scene: &InspectorScene, screen: u16, theme: &Theme) -> u16 {
    let width = if screen >= 100 { screen * 3 / 5 - 3 } else { screen - 1 };
    let strip = usize::from(!scene.strip.parts.is_empty());
    u16::try_from(lines(scene, width, theme).len() + strip).unwrap_or(u16::MAX)
}

/// Words that do not fit beside the title of a part without fields, such as why a table cannot be read: nothing else
/// says them whole.
fn below_title(scene: &InspectorScene, width: u16) -> Vec<String> {
    let fits = text_width(&scene.title) + text_width(&scene.intro) + 6 <= width;
    if fits || !scene.fields.is_empty() { Vec::new() } else { wrap(&scene.intro, width.saturating_sub(4)) }
}

/// Lines of the selected part on small screens.
pub fn brief_height(scene: &InspectorScene, width: u16) -> u16 {
    1 + below_title(scene, width).len() as u16
}

/// The selected part in a line, for small screens; where that leaves out words, with the key that shows them.
pub fn brief(canvas: &mut Canvas, view: &View, area: Rect) {
    let (strong, dim) = (canvas.theme.ink(Ink::Strong), canvas.theme.ink(Ink::Dim));
    let scene = &view.inspector;
    canvas.hit(area, Target::Pane(Pane::Inspector));
    let x = canvas.pieces(area.x + 1, area.y, area.right(), &[("▸ ", dim), (&scene.title, strong), ("  ", dim)]);
    let below = below_title(scene, area.width);
    for (line, y) in below.iter().zip(area.y + 1..area.bottom()) {
        canvas.text(area.x + 3, y, area.width - 3, line, dim);
    }
    let room = area.right().saturating_sub(x);
    if !below.is_empty() || room < 8 {
        return;
    }
    if text_width(&scene.intro) <= room {
        canvas.text(x, area.y, room, &scene.intro, dim);
    } else {
        canvas.text(x, area.y, room - 5, &scene.intro, dim);
        canvas.right(area.right() - 4, area.y, 4, "Tab ", strong);
    }
}

/// All fields; scrolls.
pub fn draw(canvas: &mut Canvas, view: &View, area: Rect, local: &Local) {
    let scene = &view.inspector;
    let mut rest = area;
    canvas.hit(area, Target::Pane(Pane::Inspector));
    let heading = take(&mut rest, 1);
    if !scene.strip.parts.is_empty() && rest.height > 4 {
        let line = take(&mut rest, 1);
        let line = Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line };
        wal::bar(canvas, &scene.strip, scene.strip.length(), line);
    }
    let lines = lines(scene, rest.width.saturating_sub(1), canvas.theme);
    let from = scrolled(local.scroll.inspector, lines.len(), rest.height, None);
    canvas.map.scroll.inspector = from;
    let hidden = lines.len().saturating_sub(usize::from(from + rest.height));
    let focused = local.pane == Pane::Inspector;
    canvas.heading(heading, &scene.title, &more(hidden, focused), focused);
    for (row, line) in lines.iter().skip(usize::from(from)).take(usize::from(rest.height)).enumerate() {
        let y = rest.y + row as u16;
        for (n, (x, text, style)) in line.iter().enumerate() {
            let next = line[n + 1..].iter().find(|(_, text, _)| !text.is_empty());
            let end = next.map_or(rest.width - 1, |next| next.0.saturating_sub(1));
            canvas.text(rest.x + 1 + x, y, end.saturating_sub(*x), text, *style);
        }
    }
}

/// Widths of the columns before the meaning: position, hex, name, value.
struct Columns {
    /// of fields without bytes among others: where their values begin, and what these mean
    facts: (u16, u16),
    hex: u16,
    name: u16,
    value: u16,
    meaning: u16,
}

impl Columns {
    fn fit(scene: &InspectorScene, width: u16) -> Self {
        let plain = scene.fields.iter().all(|f| f.field.bytes.is_empty());
        let widest = |text: fn(&InspectorField) -> &str, least: u16, most: u16| {
            let fields = scene.fields.iter().filter(|f| plain || !f.field.bytes.is_empty());
            fields.map(|f| text_width(text(f))).max().unwrap_or(0).clamp(least, most)
        };
        if plain {
            // facts rather than bytes
            let value = widest(|f| &f.field.name, 6, 40) + 4;
            let meaning = value + widest(|f| &f.field.value, 4, width.saturating_sub(value)) + 2;
            return Self { facts: (value, meaning), hex: 0, name: 2, value, meaning };
        }
        let roomy = width >= 90;
        let hex = widest(|f| &f.hex, 5, if roomy { 26 } else { 11 });
        let name = widest(|f| &f.field.name, 6, if roomy { 24 } else { 18 });
        let value = widest(|f| &f.field.value, 4, if roomy { 20 } else { 10 });
        let hex_at = 7;
        let name_at = hex_at + hex + 2;
        let value_at = name_at + name + 2;
        let facts = || scene.fields.iter().filter(|f| f.field.bytes.is_empty());
        let fact = facts().map(|f| text_width(&f.field.name)).max().unwrap_or(0).min(24) + 4;
        let said = fact + facts().map(|f| text_width(&f.field.value)).max().unwrap_or(0).min(16) + 2;
        Self { facts: (fact, said), hex: hex_at, name: name_at, value: value_at, meaning: value_at + value + 2 }
    }
}

fn lines(scene: &InspectorScene, width: u16, theme: &Theme) -> Vec<FieldLine> {
    let (text, dim) = (theme.ink(Ink::Text), theme.ink(Ink::Dim));
    let mut lines: Vec<FieldLine> =
        wrap(&scene.intro, width.saturating_sub(2)).into_iter().map(|line| vec![(0, line, text)]).collect();
    let columns = Columns::fit(scene, width);
    for field in &scene.fields {
        if columns.hex > 0 && field.field.bytes.is_empty() {
            fact(field, columns.facts, width, theme, &mut lines);
            continue;
        }
        let mark = if field.change == Change::Same { dim } else { theme.ink(Ink::Accent) };
        let start = if field.field.bytes.is_empty() { String::new() } else { field.field.bytes.start.to_string() };
        let at = format!("{}{start:>5}", theme.change(field.change));
        let value = if field.change == Change::Same { theme.ink(Ink::Strong) } else { mark };
        let mut meaning = wrap(&field.field.meaning, width.saturating_sub(columns.meaning));
        if columns.value + text_width(&field.field.value) + 1 > columns.meaning && !meaning.is_empty() {
            // a long value takes the room of its line; what it means stands below
            meaning.insert(0, String::new());
        }
        let mut meaning = meaning.into_iter();
        lines.push(vec![
            (0, if columns.hex == 0 { theme.change(field.change).to_string() } else { at }, mark),
            (columns.hex, field.hex.clone(), dim),
            (columns.name, field.field.name.clone(), text),
            (columns.value, field.field.value.clone(), value),
            (columns.meaning, meaning.next().unwrap_or_default(), dim),
        ]);
        lines.extend(meaning.map(|line| vec![(columns.meaning, line, dim)]));
        bits(&field.field.bits, columns.name, width, theme, &mut lines);
    }
    lines
}

/// A fact among fields: it has no bytes of its own to show, so its words have the whole line.
fn fact(shown: &InspectorField, (value, meaning): (u16, u16), width: u16, theme: &Theme, lines: &mut Vec<FieldLine>) {
    let (strong, text, dim) = (theme.ink(Ink::Strong), theme.ink(Ink::Text), theme.ink(Ink::Dim));
    let mut words = wrap(&shown.field.meaning, width.saturating_sub(meaning)).into_iter();
    lines.push(vec![
        (2, shown.field.name.clone(), text),
        (value, shown.field.value.clone(), strong),
        (meaning, words.next().unwrap_or_default(), dim),
    ]);
    lines.extend(words.map(|line| vec![(meaning, line, dim)]));
}

/// The bits that are set, a line each; those that are not, in one.
fn bits(bits: &[Bit], x: u16, width: u16, theme: &Theme, lines: &mut Vec<FieldLine>) {
    let (text, dim) = (theme.ink(Ink::Text), theme.ink(Ink::Dim));
    let widest = bits.iter().filter(|b| b.set).map(|b| text_width(b.name)).max().unwrap_or(0);
    for bit in bits.iter().filter(|b| b.set) {
        lines.push(vec![
            (x, format!("■ {:#06X}", bit.mask).replace("0X", "0x"), dim),
            (x + 9, bit.name.to_owned(), text),
            (x + 11 + widest, bit.meaning.to_owned(), dim),
        ]);
    }
    let unset: Vec<&str> = bits.iter().filter(|b| !b.set).map(|b| b.name).collect();
    if !unset.is_empty() {
        let unset = wrap(&unset.join(" "), width.saturating_sub(x + 2));
        lines.extend(unset.into_iter().enumerate().map(|(n, line)| {
            let sign = if n == 0 { "□" } else { " " };
            vec![(x, format!("{sign} {line}"), dim)]
        }));
    }
}
