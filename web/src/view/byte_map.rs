//! The bytes of a page in lines, each region in the colours and texture of its role. Where a page is nearly empty, lines are short and
//! high enough to write on; else a line is 128 bytes. Many whole lines of one region are folded into one.
//!
//! ```text
//!    0 ▣ header      ● 1   ● 2   ● 3
//!      ⋮       free, 7,948 bytes       ⋮
//! 8128 ◆ 3 heap-only tuple    ■ 2 live
//! ```

use crate::theme;
use ffviz_engine::app::View;
use ffviz_engine::page::OffsetNumber;
use ffviz_engine::scene::{Link, LinkKind, PageScene, PartId, PartRegion};
use std::fmt::Write;
use std::ops::Range;
use yew::prelude::*;

/// left of the bytes, for their positions
const MARGIN: f32 = 38.0;
/// above the bytes, for arrows between line pointers
const TOP: f32 = 12.0;
/// more whole lines of one region than these are folded into one line
const FOLDED: u32 = 4;
/// height of a folded line, in lines: arrows need room to turn
const FOLD: f32 = 2.5;
/// with more arrows than these only the selected one's are drawn
const ARROWS: usize = 60;

/// How large things are, in the picture's own coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    /// bytes a line
    line: u16,
    /// width of a byte
    byte: f32,
    /// height of a line
    height: f32,
    /// height of letters
    letters: f32,
}

const ROOMY: Scale = Scale { line: 64, byte: 13.0, height: 22.0, letters: 11.0 };
const DENSE: Scale = Scale { line: 128, byte: 6.0, height: 12.0, letters: 8.0 };
const ROOMY_NARROW: Scale = Scale { line: 32, byte: 12.0, height: 22.0, letters: 11.0 };
const DENSE_NARROW: Scale = Scale { line: 64, byte: 6.0, height: 12.0, letters: 8.0 };

/// lines up to which a page is drawn roomily
const ROOMY_LINES: usize = 22;

/// A line of the picture.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    bytes: Range<u32>,
    y: f32,
    height: f32,
    folded: bool,
}

/// A run of bytes on one line of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// Which bytes are where.
struct Grid {
    scale: Scale,
    lines: Vec<Line>,
}

/// The map of one page.
pub fn draw(scene: &PageScene, view: &View, narrow: bool) -> Html {
    let (roomy, dense) = if narrow { (ROOMY_NARROW, DENSE_NARROW) } else { (ROOMY, DENSE) };
    let grid = Some(Grid::new(scene, roomy)).filter(|grid| grid.lines.len() <= ROOMY_LINES);
    let grid = grid.unwrap_or_else(|| Grid::new(scene, dense));
    let scale = grid.scale;
    let (width, height) = (grid.right() + 2.0, grid.bottom() + 3.0);
    let selected = scene.regions.iter().find(|region| view.selected == Some(region.part));
    let class = classes!("bytes", if scale == roomy { "is-roomy" } else { "is-dense" });
    html! {
        <svg {class} role="group" aria-label={scene.title.clone()} viewBox={format!("0 0 {width} {height}")} width={width.to_string()}>
            <g aria-hidden="true">{ for grid.lines.iter().enumerate().filter_map(|(at, line)| grid.position(at, line)) }</g>
            { for scene.regions.iter().map(|region| grid.region(region)) }
            <g aria-hidden="true" class="overlay">
                { for scene.regions.iter().flat_map(|region| &region.changed).map(|bytes| html! {
                    <path class="changed" d={grid.outline(bytes)} />
                }) }
                { for grid.lines.iter().filter(|line| line.folded).map(|line| grid.tear(line)) }
                { arrows(scene, view, &grid) }
                { for scene.regions.iter().map(|region| grid.caption(region)) }
                if let Some(region) = selected { <path class="selection" d={grid.outline(&region.bytes)} /> }
            </g>
        </svg>
    }
}

impl Grid {
    /// Lays lines out; whole lines within one region that are many become one.
    fn new(scene: &PageScene, scale: Scale) -> Self {
        let (size, step) = (u32::from(scene.size), u32::from(scale.line));
        let mut lines: Vec<Line> = Vec::new();
        let (mut start, mut y) = (0, TOP);
        while start < size {
            let inside =
                scene.regions.iter().find(|r| u32::from(r.bytes.start) <= start && start < u32::from(r.bytes.end));
            let whole = inside.map_or(0, |region| (u32::from(region.bytes.end) - start) / step);
            let folded = whole > FOLDED;
            let end = if folded { start + whole * step } else { (start + step).min(size) };
            let height = if folded { scale.height * FOLD } else { scale.height };
            lines.push(Line { bytes: start..end, y, height, folded });
            (start, y) = (end, y + height);
        }
        Self { scale, lines }
    }

    fn right(&self) -> f32 {
        MARGIN + f32::from(self.scale.line) * self.scale.byte
    }

    fn bottom(&self) -> f32 {
        self.lines.last().map_or(TOP, |line| line.y + line.height)
    }

    /// The pieces of a range, one a line.
    fn pieces(&self, bytes: &Range<u16>) -> impl Iterator<Item = Piece> {
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
    fn outline(&self, bytes: &Range<u16>) -> String {
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

    /// The number of a line's first byte; on dense maps of every eighth line.
    fn position(&self, at: usize, line: &Line) -> Option<Html> {
        if self.scale.height < 20.0 && !at.is_multiple_of(8) {
            return None;
        }
        let y = line.y + self.scale.height / 2.0 + self.scale.letters * 0.35;
        Some(html! {
            <text class="position" x={(MARGIN - 6.0).to_string()} y={y.to_string()} text-anchor="end">{ line.bytes.start }</text>
        })
    }

    /// The jagged edges of a folded line.
    fn tear(&self, line: &Line) -> Html {
        let teeth = |x: f32, out: f32| {
            let tooth = line.height / 4.0;
            format!("M{x} {}l{out} {tooth}l{} {tooth}l{out} {tooth}l{} {tooth}", line.y, -out, -out)
        };
        html! { <path class="tear" d={teeth(MARGIN, 4.0) + &teeth(self.right(), -4.0)} /> }
    }

    fn region(&self, region: &PartRegion) -> Html {
        let d = self.outline(&region.bytes);
        let over = theme::look(region.role).1.fill();
        html! {
            <g class={theme::classes(region.role, region.change, false)} role="img" data-part={region.part.to_string()}
                data-role={region.role.word()}>
                <title>{ &region.label }</title>
                <path class="fill" d={d.clone()} />
                if let Some(fill) = over { <path class="over" {d} {fill} /> }
            </g>
        }
    }

    /// The longest words for a region that fit on its longest line, near its middle.
    fn caption(&self, region: &PartRegion) -> Html {
        let pieces: Vec<Piece> = self.pieces(&region.bytes).collect();
        let middle = pieces.len() / 2;
        let longest = pieces.iter().map(|piece| piece.width).fold(0.0, f32::max);
        let candidates = pieces.iter().enumerate().filter(|(_, piece)| piece.width >= longest);
        let Some((_, piece)) = candidates.min_by_key(|(at, _)| at.abs_diff(middle)) else { return Html::default() };
        let fits = |text: &String| text.chars().count() as f32 * self.scale.letters * 0.62 <= piece.width - 4.0;
        let Some(text) = captions(region).into_iter().find(fits) else { return Html::default() };
        let y = piece.y + piece.height / 2.0 + self.scale.letters * 0.36;
        html! {
            <text class={classes!("caption", theme::classes(region.role, region.change, false))} x={(piece.x + piece.width / 2.0).to_string()} y={y.to_string()}
                text-anchor="middle">{ text }</text>
        }
    }

    /// Where an arrow touches a region: the middle of its first piece, at the top or at the bottom.
    fn port(&self, region: &PartRegion, side: Side) -> Option<(f32, f32)> {
        let piece = self.pieces(&region.bytes).next()?;
        let y = if side == Side::Top { piece.y } else { piece.y + piece.height };
        Some((piece.x + piece.width / 2.0, y))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Top,
    Bottom,
}

/// What can be written into a region, the longest first.
fn captions(region: &PartRegion) -> Vec<String> {
    let glyph = region.role.glyph();
    match region.part {
        PartId::LinePointer(n) => vec![format!("{glyph} {n}"), n.to_string()],
        PartId::Tuple(n) => vec![format!("{glyph} {n} {}", region.role.word()), format!("{glyph} {n}"), n.to_string()],
        PartId::Padding(_) => Vec::new(),
        _ => vec![region.label.clone(), region.role.word().to_owned(), glyph.to_string()],
    }
}

/// The number that a line pointer and its tuple share.
const fn number(part: PartId) -> Option<OffsetNumber> {
    match part {
        PartId::LinePointer(n) | PartId::Tuple(n) => Some(n),
        _ => None,
    }
}

/// The arrows of the picture; those of what is selected stand out.
fn arrows(scene: &PageScene, view: &View, grid: &Grid) -> Html {
    let chosen = view.selected.and_then(number);
    let touches = |link: &Link| chosen.is_some() && (number(link.from) == chosen || number(link.to) == chosen);
    let few = scene.links.len() <= ARROWS;
    let shown = scene.links.iter().filter(|link| few || touches(link));
    let arrow = |link: &Link| {
        let path = path(scene, link, grid)?;
        let class = theme::link_class(link.kind);
        let strong = touches(link).then_some("is-strong");
        Some(html! {
            <path class={classes!("link", class, strong)} d={path} marker-end={format!("url(#ffviz-{class})")} />
        })
    };
    html! { <g class="arrows">{ for shown.filter_map(arrow) }</g> }
}

/// Line pointers lead down to their tuples; redirects swing over the line pointers, `t_ctid` over the tuples.
fn path(scene: &PageScene, link: &Link, grid: &Grid) -> Option<String> {
    let region = |part: PartId| scene.regions.iter().find(|region| region.part == part);
    let tuple = |part: PartId| match part {
        PartId::LinePointer(n) => region(PartId::Tuple(n)),
        _ => region(part),
    };
    let (from, to) = match link.kind {
        LinkKind::HotUpdate | LinkKind::ColdUpdate => (tuple(link.from)?, tuple(link.to)?),
        _ => (region(link.from)?, region(link.to)?),
    };
    let leaves = if link.kind == LinkKind::Item { Side::Bottom } else { Side::Top };
    let ((x1, y1), (x2, y2)) = (grid.port(from, leaves)?, grid.port(to, Side::Top)?);
    let height = if link.kind == LinkKind::Item {
        (y1 + y2) / 2.0
    } else {
        y1.min(y2) - (x1 - x2).abs().clamp(20.0, 200.0) / 8.0 - grid.scale.height / 3.0
    };
    Some(format!("M{x1} {y1}C{x1} {height} {x2} {height} {x2} {y2}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffviz_engine::scene::{Change, Role};
    use ffviz_engine::storage::{ForkNumber, PageId};

    fn scene(ends: &[u16]) -> PageScene {
        let starts = [0].into_iter().chain(ends.iter().copied());
        let region = |(start, end): (u16, &u16)| PartRegion {
            part: PartId::Residue(start),
            bytes: start..*end,
            role: Role::Residue,
            change: Change::Same,
            changed: Vec::new(),
            label: String::new(),
        };
        PageScene {
            id: PageId { relation: 1, fork: ForkNumber::Main, block: 0 },
            title: String::new(),
            facts: Vec::new(),
            size: ends.last().copied().unwrap_or(0),
            regions: starts.zip(ends).map(region).collect(),
            columns: Vec::new(),
            rows: Vec::new(),
            links: Vec::new(),
            anomalies: Vec::new(),
        }
    }

    #[test]
    fn a_range_within_a_line_is_a_rectangle() {
        let grid = Grid::new(&scene(&[24, 256, 512]), DENSE);
        assert_eq!(grid.outline(&(0..24)), "M38 12H182V24H38z");
    }

    #[test]
    fn a_range_over_a_line_end_that_does_not_touch_itself_is_two_rectangles() {
        let grid = Grid::new(&scene(&[120, 136, 256]), DENSE);
        assert_eq!(grid.outline(&(120..136)), "M758 12H806V24H758zM38 24H86V36H38z");
    }

    #[test]
    fn a_range_over_several_lines_is_one_outline() {
        let grid = Grid::new(&scene(&[64, 320, 512]), DENSE);
        assert_eq!(grid.outline(&(64..320)), "M422 12H806V24H806V36H422V48H38V24H422z");
    }

    #[test]
    fn a_long_region_is_folded_and_nothing_else_moves() {
        let grid = Grid::new(&scene(&[100, 8000, 8192]), DENSE);
        let folded: Vec<&Line> = grid.lines.iter().filter(|line| line.folded).collect();
        assert_eq!(folded.len(), 1);
        assert_eq!(folded[0].bytes, 128..7936);
        assert_eq!(grid.lines.len(), 4);
        assert_eq!(grid.pieces(&(8000..8192)).map(|piece| piece.width).sum::<f32>(), 192.0 * DENSE.byte);
    }

    #[test]
    fn without_folds_pieces_add_up_to_the_range() {
        let ends: Vec<u16> = (1..=256).map(|n| n * 32).collect();
        let grid = Grid::new(&scene(&ends), DENSE);
        for range in [0..8192u16, 5..6, 100..200, 24..8160, 8191..8192] {
            let width: f32 = grid.pieces(&range).map(|piece| piece.width).sum();
            assert_eq!(width, f32::from(range.end - range.start) * DENSE.byte, "{range:?}");
        }
    }
}
