//! Charts of all captures: below each other, on a wide screen two beside each other, with a line at the current one.
//!
//! ```text
//! ── Charts · 12 captures · 4 is the current one ────── ↓ more
//! WAL by type of record  bytes over captures
//! ● Heap/HOT_UPDATE 71   ▲ Heap/INSERT 0
//!  200     │   ●
//!    0 ●───│──────
//!      0  [4]    11
//! ```

use super::canvas::{Canvas, Pane, wrap};
use super::{Local, take};
use crate::plot::Chart;
use crate::theme::{Ink, Theme};
use ffviz_story::scene::ChartsScene;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A screen that is at least so wide has two charts beside each other.
const WIDE: u16 = 120;
/// Lines of a grid, where there is little room and where there is more.
const GRIDS: [u16; 2] = [8, 12];
/// Columns between two charts.
const GAP: u16 = 2;

/// Draws heading, how to read it, and what fits of the charts.
pub fn draw(canvas: &mut Canvas, scene: &ChartsScene, area: Rect, local: &Local) {
    let mut rest = area;
    let heading = take(&mut rest, 1);
    if rest.height > 12 {
        let dim = canvas.theme.ink(Ink::Dim);
        for line in wrap(&scene.hint, rest.width.saturating_sub(4)) {
            let place = take(&mut rest, 1);
            canvas.text(place.x + 2, place.y, place.width.saturating_sub(3), &line, dim);
        }
        take(&mut rest, 1);
    }
    let rest = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), ..rest };
    let drawn = charts(scene, rest, canvas.theme);
    let last = drawn.area.height.saturating_sub(rest.height);
    let from = local.scroll.figure.min(last);
    canvas.map.scroll.figure = from;
    for y in 0..rest.height.min(drawn.area.height - from) {
        for x in 0..rest.width {
            canvas.buffer[(rest.x + x, rest.y + y)] = drawn[(x, from + y)].clone();
        }
    }
    let more = match (from > 0, from < last) {
        (true, true) => "↑ ↓ more",
        (true, false) => "↑ more",
        (false, true) => "↓ more",
        (false, false) => "",
    };
    canvas.heading(heading, &scene.title, more, local.pane == Pane::Figure);
}

/// Lines in all.
pub fn height(scene: &ChartsScene, width: u16) -> u16 {
    let hint = wrap(&scene.hint, width.saturating_sub(4)).len() as u16;
    let charts = places(scene, width.saturating_sub(2), GRIDS[1]);
    2 + hint + charts.iter().map(|(_, place)| place.bottom()).max().unwrap_or(0)
}

/// Each chart, and where it is drawn.
fn places(scene: &ChartsScene, width: u16, grid: u16) -> Vec<(Chart<'_>, Rect)> {
    let beside = if width + 2 >= WIDE { 2 } else { 1 };
    let width = (width - GAP * (beside - 1)) / beside;
    let mut places: Vec<(Chart<'_>, Rect)> = Vec::new();
    let mut top = 0;
    for row in scene.charts.chunks(usize::from(beside)) {
        let mut below = top;
        for (chart, x) in row.iter().zip((0..).step_by(usize::from(width + GAP))) {
            let chart = Chart { plot: &chart.plot, here: Some((scene.current as f64, &chart.here)), grid };
            let place = Rect { x, y: top, width, height: chart.height(width) };
            below = below.max(place.bottom());
            places.push((chart, place));
        }
        top = below + 1;
    }
    places
}

/// All charts, as high as they are.
fn charts(scene: &ChartsScene, room: Rect, theme: &Theme) -> Buffer {
    let places = places(scene, room.width, GRIDS[usize::from(room.height > 24)]);
    let height = places.iter().map(|(_, place)| place.bottom()).max().unwrap_or(0);
    let area = Rect { x: 0, y: 0, width: room.width, height };
    let mut buffer = Buffer::empty(area);
    buffer.set_style(area, theme.ground());
    for (chart, place) in places {
        chart.draw(place, &mut buffer, theme);
    }
    buffer
}
