//! The rows that a statement gave, above what happened and why.

use crate::theme::{Ink, Theme};
use ffviz_story::scene::{ResultScene, text};
use ratatui::style::Style;

/// Its lines at this width, with their styles.
pub fn lines(scene: &ResultScene, width: u16, theme: &Theme) -> Vec<(String, Style)> {
    let table = text::result(scene, usize::from(width));
    let (strong, dim) = (theme.ink(Ink::Strong), theme.ink(Ink::Dim));
    let title = Some((scene.title.clone(), dim)).filter(|(title, _)| !title.is_empty());
    let header = (table.header, strong.underlined());
    let rows = table.rows.into_iter().map(|row| (row, theme.ink(Ink::Text)));
    title.into_iter().chain([header]).chain(rows).chain([(scene.footer.clone(), dim)]).collect()
}
