//! Which byte of a page is where in its picture: lines of equal length, one below the other. Many whole lines that look
//! alike are folded into one, so a folded line is of one region, and either all of it changed or nothing of it.
//!
//! ```text
//!    0 ▣▣▣▣▣▣▣▣ ●●●● ●●●● ●●●●
//!   64 ⋮       7,936 bytes       ⋮      one folded line
//! 8000 ◆◆◆◆◆◆◆◆◆◆◆◆◆ ■■■■■■■■■■■■
//! ```

use std::fmt::Write;
use std::ops::Range;

/// left of the bytes, for their positions
pub const MARGIN: f32 = 38.0;
/// above the bytes, for arrows between line pointers
const TOP: f32 = 12.0;
/// more whole lines that look alike than these are folded into one line
const FOLDED: u32 = 4;
/// height of a folded line, in lines: arrows need room to turn
const FOLD: f32 = 2.5;

/// How large things are, in the picture's own coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// bytes a line
    pub line: u16,
    /// width of a byte
    pub byte: f32,
    /// height of a line
    pub height: f32,
    /// height of letters
    pub letters: f32,
}

/// A line of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct GridLine {
    /// which bytes
    pub bytes: Range<u32>,
    /// its upper edge
    pub y: f32,
    /// how high it is
    pub height: f32,
    /// are these the bytes of many lines?
    pub folded: bool,
}

/// A run of bytes on one line of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// its left edge
    pub x: f32,
    /// its upper edge
    pub y: f32,
    /// how wide it is
    pub width: f32,
    /// how high it is
    pub height: f32,
}

/// Which bytes are where.
#[derive(Debug)]
pub struct Grid {
    /// how large things are
    pub scale: Scale,
    /// from the first byte to the last
    pub lines: Vec<GridLine>,
}

impl Grid {
    /// Lays out `size` bytes. At each of the `cuts`, which are in order, something else begins: no fold goes over one.
    #[must_use]
    pub fn new(size: u16, cuts: &[u16], scale: Scale) -> Self {
        let (size, step) = (u32::from(size), u32::from(scale.line));
        let mut lines: Vec<GridLine> = Vec::new();
        let (mut start, mut y) = (0, TOP);
        while start < size {
            let next = cuts.partition_point(|cut| u32::from(*cut) <= start);
            let alike = cuts.get(next).map_or(size, |cut| u32::from(*cut).min(size)) - start;
            let whole = alike / step;
            let folded = whole > FOLDED;
            let end = if folded { start + whole * step } else { (start + step).min(size) };
            let height = if folded { scale.height * FOLD } else { scale.height };
            lines.push(GridLine { bytes: start..end, y, height, folded });
            (start, y) = (end, y + height);
        }
        Self { scale, lines }
    }

    /// The right edge of a full line.
    #[must_use]
    pub fn right(&self) -> f32 {
        MARGIN + f32::from(self.scale.line) * self.scale.byte
    }

    /// The lower edge of the last line.
    #[must_use]
    pub fn bottom(&self) -> f32 {
        self.lines.last().map_or(TOP, |line| line.y + line.height)
    }

    /// The pieces of a range, one a line.
    pub fn pieces(&self, bytes: &Range<u16>) -> impl Iterator<Item = Piece> {
        let (start, end) = (u32::from(bytes.start), u32::from(bytes.end));
        let first = self.lines.partition_point(|line| line.bytes.end <= start);
        let lines = self.lines[first..].iter().take_while(move |line| line.bytes.start < end);
        let (full, byte) = (self.right() - MARGIN, self.scale.byte);
        lines.map(move |line| {
            if line.folded {
                return Piece { x: MARGIN, y: line.y, width: full, height: line.height };
            }
            let from = start.max(line.bytes.start) - line.bytes.start;
            let to = end.min(line.bytes.end) - line.bytes.start;
            Piece { x: MARGIN + from as f32 * byte, y: line.y, width: (to - from) as f32 * byte, height: line.height }
        })
    }

    /// The outline of a range as one path; where two lines of it do not touch, as two.
    #[must_use]
    pub fn outline(&self, bytes: &Range<u16>) -> String {
        let pieces: Vec<Piece> = self.pieces(bytes).collect();
        let touch = |a: &Piece, b: &Piece| b.x < a.x + a.width && a.x < b.x + b.width;
        let mut path = String::new();
        for run in pieces.chunk_by(touch) {
            let (first, last) = (run[0], run[run.len() - 1]);
            // writing to a String cannot fail
            let _ = write!(path, "M{} {}", first.x, first.y);
            for piece in run {
                let _ = write!(path, "H{}V{}", piece.x + piece.width, piece.y + piece.height);
            }
            let _ = write!(path, "H{}", last.x);
            if first.x > last.x {
                let _ = write!(path, "V{}H{}", first.y + first.height, first.x);
            }
            path.push('z');
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Scale = Scale { line: 128, byte: 6.0, height: 12.0, letters: 8.0 };

    fn lines(grid: &Grid) -> Vec<(Range<u32>, bool)> {
        grid.lines.iter().map(|line| (line.bytes.clone(), line.folded)).collect()
    }

    #[test]
    fn a_range_within_a_line_is_a_rectangle() {
        let grid = Grid::new(512, &[24, 256], SMALL);
        assert_eq!(grid.outline(&(0..24)), "M38 12H182V24H38z");
    }

    #[test]
    fn a_range_over_a_line_end_that_does_not_touch_itself_is_two_rectangles() {
        let grid = Grid::new(256, &[120, 136], SMALL);
        assert_eq!(grid.outline(&(120..136)), "M758 12H806V24H758zM38 24H86V36H38z");
    }

    #[test]
    fn a_range_over_several_lines_is_one_outline() {
        let grid = Grid::new(512, &[64, 320], SMALL);
        assert_eq!(grid.outline(&(64..320)), "M422 12H806V24H806V36H422V48H38V24H422z");
    }

    #[test]
    fn many_lines_that_look_alike_are_folded_and_nothing_else_moves() {
        let grid = Grid::new(8192, &[100, 8000], SMALL);
        assert_eq!(lines(&grid), [(0..128, false), (128..7936, true), (7936..8064, false), (8064..8192, false)]);
        assert_eq!(grid.pieces(&(8000..8192)).map(|piece| piece.width).sum::<f32>(), 192.0 * SMALL.byte);
    }

    #[test]
    fn a_line_in_which_something_begins_is_not_folded() {
        let grid = Grid::new(4096, &[1300, 1302], SMALL);
        assert_eq!(lines(&grid), [(0..1280, true), (1280..1408, false), (1408..4096, true)]);
        assert_eq!(grid.pieces(&(1300..1302)).map(|piece| piece.width).sum::<f32>(), 2.0 * SMALL.byte);
    }

    #[test]
    fn a_fold_ends_where_something_begins_with_a_line() {
        let grid = Grid::new(4096, &[1280], SMALL);
        assert_eq!(lines(&grid), [(0..1280, true), (1280..4096, true)]);
    }

    #[test]
    fn without_folds_pieces_add_up_to_the_range() {
        let cuts: Vec<u16> = (1..=256).map(|n| n * 32).collect();
        let grid = Grid::new(8192, &cuts, SMALL);
        for range in [0..8192u16, 5..6, 100..200, 24..8160, 8191..8192] {
            let width: f32 = grid.pieces(&range).map(|piece| piece.width).sum();
            assert_eq!(width, f32::from(range.end - range.start) * SMALL.byte, "{range:?}");
        }
    }
}
