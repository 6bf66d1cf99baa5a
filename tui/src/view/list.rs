//! The list: recordings of the library, or tables of a database.

use super::Local;
use super::canvas::Canvas;
use super::rows::{self, Table};
use crate::theme::Ink;
use ffviz_story::app::View;
use ffviz_story::scene::{ListScene, Role};
use ratatui::layout::Rect;

/// Draws title, hint and rows.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &ListScene, area: Rect, local: &Local) {
    let mut rest = area;
    let heading = super::take(&mut rest, 1);
    let count = scene.rows.iter().filter(|row| row.role != Role::Heading).count().to_string();
    canvas.heading(heading, &scene.title, &count, false);
    let dim = canvas.theme.ink(Ink::Dim);
    for line in super::canvas::wrap(&scene.hint, rest.width.saturating_sub(4)) {
        let line_area = super::take(&mut rest, 1);
        canvas.text(line_area.x + 2, line_area.y, line_area.width.saturating_sub(3), &line, dim);
    }
    if area.height > 20 {
        super::take(&mut rest, 1);
    }
    let table = Table { columns: &scene.columns, rows: &scene.rows, links: &[], selected: view.selected };
    rows::draw(canvas, &table, Rect { x: rest.x + 1, width: rest.width - 2, ..rest }, local);
}
