//! The editor's frame: what is edited, what will be done with it, why it was not run. The text itself is drawn by
//! whoever has its cursor; else as it is.

use super::canvas::{Canvas, wrap};
use super::{help, take, take_end};
use crate::keymap;
use crate::theme::Ink;
use ffviz_story::app::EditorScene;
use ffviz_story::scene::Role;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Draws the frame and the text as it was opened; notes where the text stands.
pub fn draw(canvas: &mut Canvas, scene: &EditorScene, area: Rect) {
    let area = help::middle(area, 120);
    let mut rest = help::frame(canvas, area, &scene.title, usize::from(area.height));
    let (text, dim, strong) = (canvas.theme.ink(Ink::Text), canvas.theme.ink(Ink::Dim), canvas.theme.ink(Ink::Strong));
    paragraph(canvas, &scene.hint, &mut rest, dim);
    take(&mut rest, 1);
    let keys = take_end(&mut rest, 1);
    let pieces: Vec<(&str, Style)> = keymap::EDITOR_HELP
        .iter()
        .flat_map(|(key, what)| [(*key, strong), (" ", dim), (*what, dim), ("   ", dim)])
        .collect();
    canvas.pieces(keys.x, keys.y, keys.right(), &pieces);
    if let Some(problem) = &scene.problem {
        let column = problem.column.map_or_else(String::new, |column| format!(", column {column}"));
        let place = format!("line {}{column}: {}", problem.line, problem.sentence);
        let again = if problem.runs { " Run it again, and the error is part of the play." } else { "" };
        let lines = wrap(&format!("{place}.{again}"), rest.width);
        let mut below = take_end(&mut rest, lines.len() as u16 + 1);
        take(&mut below, 1);
        let style = canvas.theme.tone(Role::LpDead);
        for line in lines {
            let at = take(&mut below, 1);
            canvas.text(at.x, at.y, at.width, &line, style);
        }
    }
    take_end(&mut rest, 1);
    for (line, y) in scene.text.lines().zip(rest.top()..rest.bottom()) {
        canvas.text(rest.x, y, rest.width, line, text);
    }
    canvas.map.editor = Some(rest);
}

fn paragraph(canvas: &mut Canvas, text: &str, rest: &mut Rect, style: Style) {
    for line in wrap(text, rest.width) {
        let at = take(rest, 1);
        canvas.text(at.x, at.y, at.width, &line, style);
    }
}
