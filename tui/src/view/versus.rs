//! Two runs of one script: their pictures side by side, one above the other where the screen is narrow, and below what
//! both cost.
//!
//! ```text
//! ── as written ──────────── │ ── fillfactor=80 ─────────
//! what the step did          │ what it did here
//! figure                     │ figure
//! what it cost   records  bytes  images …
//! ```

use super::canvas::{Canvas, text_width};
use super::{Local, picture, take, take_end, take_left, timeline};
use crate::theme::Ink;
use ffviz_story::app::{Beside, View};
use ffviz_story::scene::Totals;
use ratatui::layout::Rect;

/// A screen that is at least so wide has the pictures side by side.
const WIDE: u16 = 120;

/// Draws both runs and the totals.
pub fn draw(canvas: &mut Canvas, view: &View, beside: &Beside, area: Rect, local: &Local) {
    let mut rest = area;
    let lines = beside.totals.rows.len() as u16 + 1;
    let below = take_end(&mut rest, lines + u16::from(area.height > 30));
    totals(canvas, &beside.totals, below);
    let [one, two] = &beside.names;
    let first = if area.width >= WIDE {
        let left = take_left(&mut rest, area.width / 2);
        let rule = canvas.theme.ink(Ink::Rule);
        for y in rest.top()..rest.bottom() {
            canvas.put(rest.x, y, '│', rule);
        }
        take_left(&mut rest, 1);
        left
    } else {
        let half = rest.height / 2;
        take(&mut rest, half)
    };
    // the first is drawn last, so that scrolling follows it
    side(canvas, two, &beside.view, rest, local);
    side(canvas, one, view, first, local);
}

/// One run: its name, what the step did there, its picture; where there is room also why.
fn side(canvas: &mut Canvas, name: &str, view: &View, area: Rect, local: &Local) {
    let mut rest = area;
    let (strong, accent, dim) =
        (canvas.theme.ink(Ink::Strong), canvas.theme.ink(Ink::Accent), canvas.theme.ink(Ink::Dim));
    let step = format!("  {}/{}  ", view.timeline.current, view.timeline.count.saturating_sub(1));
    let headline = &view.timeline.headline;
    let line = take(&mut rest, 1);
    if area.height > 20 {
        canvas.pieces(line.x + 1, line.y, line.right(), &[(name, strong), (&step, dim)]);
        let line = take(&mut rest, 1);
        canvas.text(line.x + 1, line.y, line.width.saturating_sub(2), headline, accent);
    } else {
        canvas.pieces(line.x + 1, line.y, line.right(), &[(name, strong), (&step, dim), (headline, accent)]);
    }
    if rest.height > 24 && !view.timeline.events.is_empty() {
        let lines = (timeline::height(&view.timeline, area.width, canvas.theme, 0) + 1).clamp(5, rest.height / 3);
        let why = take_end(&mut rest, lines);
        timeline::explanation(canvas, &view.timeline, why, local);
    }
    picture(canvas, view, rest, local);
}

/// A line a run, columns as wide as they need to be.
fn totals(canvas: &mut Canvas, scene: &Totals, area: Rect) {
    let (text, dim) = (canvas.theme.ink(Ink::Text), canvas.theme.ink(Ink::Dim));
    let titles: Vec<String> = scene.columns.iter().map(|column| column.title.clone()).collect();
    let width =
        |n: usize| scene.rows.iter().chain([&titles]).filter_map(|row| row.get(n)).map(|cell| text_width(cell)).max();
    let widths: Vec<u16> = (0..titles.len()).map(|n| width(n).unwrap_or(0)).collect();
    let top = area.bottom().saturating_sub(scene.rows.len() as u16 + 1);
    for (row, y) in [&titles].into_iter().chain(&scene.rows).zip(top..) {
        let mut x = area.x + 1;
        for ((cell, column), width) in row.iter().zip(&scene.columns).zip(&widths) {
            let style = if y == top { dim } else { text };
            let width = (*width).min(area.right().saturating_sub(x));
            let left = if column.right { width.saturating_sub(text_width(cell)) } else { 0 };
            canvas.text(x + left, y, width - left, cell, style);
            x += width + 2;
        }
    }
}
