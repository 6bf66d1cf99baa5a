//! Rows of a statement, in columns as psql sets them: as wide as their contents, the widest cut first where the screen
//! is too narrow.
//!
//! ```text
//! ctid  │ n │ word
//! ──────┼───┼──────
//! (0,1) │ 1 │ one
//! (0,2) │   │ two
//! ```

use crate::scene::ResultScene;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// a column that is cut keeps so many columns of the screen
const LEAST: usize = 8;
/// between two columns
const BETWEEN: &str = " │ ";

/// The lines of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultLines {
    /// names of the columns
    pub header: String,
    /// what may stand below them
    pub rule: String,
    /// a line a row
    pub rows: Vec<String>,
}

/// In so many columns of the screen.
#[must_use]
pub fn result(scene: &ResultScene, width: usize) -> ResultLines {
    let widths = widths(scene, width);
    let cells = |cells: &mut dyn Iterator<Item = &str>| {
        let columns = scene.columns.iter().zip(&widths);
        let cells = cells.zip(columns).map(|(cell, (column, width))| aligned(cell, *width, column.right));
        cut(cells.collect::<Vec<_>>().join(BETWEEN).trim_end(), width)
    };
    let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("─┼─");
    ResultLines {
        header: cells(&mut scene.columns.iter().map(|column| column.title.as_str())),
        rule: cut(&rule, width),
        rows: scene
            .rows
            .iter()
            .map(|row| cells(&mut row.iter().map(|cell| cell.as_deref().unwrap_or_default())))
            .collect(),
    }
}

/// The width of each column.
fn widths(scene: &ResultScene, width: usize) -> Vec<usize> {
    let widest = |(n, title): (usize, &str)| {
        let cells = scene.rows.iter().filter_map(|row| row.get(n)?.as_deref());
        cells.map(UnicodeWidthStr::width).fold(title.width(), usize::max)
    };
    let titles = scene.columns.iter().map(|column| column.title.as_str());
    let mut widths: Vec<usize> = titles.enumerate().map(widest).collect();
    let gaps = BETWEEN.width() * widths.len().saturating_sub(1);
    let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
    while over > 0
        && let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > LEAST)
    {
        *widest -= 1;
        over -= 1;
    }
    widths
}

fn aligned(cell: &str, width: usize, right: bool) -> String {
    let cell = cut(cell, width);
    let fill = " ".repeat(width.saturating_sub(cell.width()));
    if right { fill + &cell } else { cell + &fill }
}

/// At most so many columns of the screen; what is cut ends in an ellipsis.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    let mut left = width.saturating_sub(1);
    let fits = |sign: &char| {
        let room = left.checked_sub(sign.width().unwrap_or(0));
        left = room.unwrap_or(0);
        room.is_some()
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Column;
    use alloc::vec;

    fn scene() -> ResultScene {
        let column = |title: &str, right| Column::new(title, right);
        let cell = |text: &str| Some(text.to_string());
        ResultScene {
            columns: vec![column("n", true), column("word", false), column("?column?", false)],
            rows: vec![vec![cell("7"), cell("漢字"), cell("a long text")], vec![cell("1234"), None, cell("x")]],
            ..ResultScene::default()
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_contents() {
        let lines = result(&scene(), 80);
        assert_eq!([lines.header, lines.rule], ["   n │ word │ ?column?", "─────┼──────┼────────────"]);
        assert_eq!(lines.rows, ["   7 │ 漢字 │ a long text", "1234 │      │ x"]);
    }

    #[test]
    fn the_widest_is_cut_first() {
        assert_eq!(result(&scene(), 23).rows, ["   7 │ 漢字 │ a long t…", "1234 │      │ x"]);
        assert_eq!(result(&scene(), 12).rows[0], "   7 │ 漢字…");
    }
}
