//! The bytes of a page in lines of 128 (64 where the window is narrow), each region in the colours and texture of its role.
//!
//! ```text
//!    0 ▣▣▣▣▣▣ 1 2 3 4 5 6 7 …
//! 1024
//!        (hole)
//! 7168          ◆ 7 ─────  ◇ 6 ─────
//! ```

use crate::theme;
use ffviz_engine::app::View;
use ffviz_engine::page::OffsetNumber;
use ffviz_engine::scene::{Link, LinkKind, PageScene, PartId, PartRegion};
use std::fmt::Write;
use std::ops::Range;
use yew::prelude::*;

/// width of a byte in the picture's own coordinates
const BYTE: f32 = 6.0;
/// height of a line of bytes
const LINE: f32 = 12.0;
/// left of the bytes, for their positions
const MARGIN: f32 = 34.0;
/// above and below the bytes
const EDGE: f32 = 3.0;
/// width of a character of a label
const LETTER: f32 = 5.0;
/// with more arrows than these only the selected one's are drawn
const ARROWS: usize = 60;

/// The map of one page.
pub fn draw(scene: &PageScene, view: &View, narrow: bool) -> Html {
    let grid = Grid { line: if narrow { 64 } else { 128 } };
    let lines = scene.size.div_ceil(grid.line);
    let (width, height) = (MARGIN + f32::from(grid.line) * BYTE + 2.0, f32::from(lines) * LINE + 2.0 * EDGE);
    let position = |line: u16| {
        let y = f32::from(line) * LINE + EDGE + 9.0;
        html! { <text class="position" x={(MARGIN - 5.0).to_string()} y={y.to_string()} text-anchor="end">{ line * grid.line }</text> }
    };
    let selected = scene.regions.iter().find(|region| view.selected == Some(region.part));
    html! {
        <svg class="bytes" role="group" aria-label={scene.title.clone()} viewBox={format!("0 0 {width} {height}")}>
            <g aria-hidden="true">{ for (0..lines).step_by(8).map(position) }</g>
            { for scene.regions.iter().map(|region| grid.region(region)) }
            <g aria-hidden="true" class="marks">
                { for scene.regions.iter().flat_map(|region| &region.changed).map(|bytes| html! {
                    <path class="changed" d={grid.outline(bytes)} />
                }) }
                { arrows(scene, view, grid) }
                if let Some(region) = selected { <path class="selection" d={grid.outline(&region.bytes)} /> }
            </g>
        </svg>
    }
}

/// How bytes are laid out.
#[derive(Clone, Copy)]
struct Grid {
    /// bytes a line
    line: u16,
}

impl Grid {
    fn x(self, byte: u16) -> f32 {
        MARGIN + f32::from(byte % self.line) * BYTE
    }

    fn y(self, byte: u16) -> f32 {
        f32::from(byte / self.line) * LINE + EDGE
    }

    /// The pieces of a range, one a line: x, y, width.
    fn pieces(self, bytes: &Range<u16>) -> impl Iterator<Item = (f32, f32, f32)> {
        let bytes = bytes.clone();
        let lines = bytes.start / self.line..bytes.end.div_ceil(self.line).max(bytes.start / self.line + 1);
        lines.map(move |line| {
            let from = bytes.start.max(line * self.line);
            let to = u32::from(bytes.end).min((u32::from(line) + 1) * u32::from(self.line));
            let width = (to.saturating_sub(u32::from(from))) as f32 * BYTE;
            (self.x(from), self.y(from), width)
        })
    }

    /// The outline of a range as one path: lines that touch have no line between them.
    fn outline(self, bytes: &Range<u16>) -> String {
        let pieces: Vec<(f32, f32, f32)> = self.pieces(bytes).collect();
        let mut path = String::new();
        let rect = |path: &mut String, (x, y, width): (f32, f32, f32)| {
            // writing to a String cannot fail
            let _ = write!(path, "M{x} {y}h{width}v{LINE}h-{width}z");
        };
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return path };
        if pieces.len() == 1 || (pieces.len() == 2 && last.0 + last.2 <= first.0) {
            pieces.into_iter().for_each(|piece| rect(&mut path, piece));
            return path;
        }
        let (left, right) = (MARGIN, MARGIN + f32::from(self.line) * BYTE);
        let (top, second) = (first.1, first.1 + LINE);
        let (above, bottom, end) = (last.1, last.1 + LINE, last.0 + last.2);
        let _ = write!(
            path,
            "M{} {top}H{right}V{above}H{end}V{bottom}H{left}V{second}H{}z",
            first.0, first.0
        );
        path
    }

    fn region(self, region: &PartRegion) -> Html {
        let d = self.outline(&region.bytes);
        let over = theme::look(region.role).1.fill();
        html! {
            <g class={theme::classes(region.role, region.change, false)} role="img" data-part={region.part.to_string()}
                data-role={region.role.word()}>
                <title>{ &region.label }</title>
                <path class="fill" d={d.clone()} />
                if let Some(fill) = over { <path class="over" {d} {fill} /> }
                { self.caption(region) }
            </g>
        }
    }

    /// The longest words for a region that fit on its longest line.
    fn caption(self, region: &PartRegion) -> Html {
        let pieces: Vec<_> = self.pieces(&region.bytes).collect();
        let middle = pieces.len() / 2;
        let longest = pieces.iter().map(|piece| piece.2).fold(0.0, f32::max);
        let nearest = pieces.iter().enumerate().filter(|(_, piece)| piece.2 >= longest);
        let Some((_, (x, y, width))) = nearest.min_by_key(|(at, _)| at.abs_diff(middle)) else { return Html::default() };
        let fits = |text: &String| text.chars().count() as f32 * LETTER <= *width - 2.0;
        let Some(text) = captions(region).into_iter().find(fits) else { return Html::default() };
        html! {
            <text class="caption" aria-hidden="true" x={(x + width / 2.0).to_string()} y={(y + 9.0).to_string()}
                text-anchor="middle">{ text }</text>
        }
    }

    /// Where an arrow to or from a region touches it.
    fn port(self, region: &PartRegion, arriving: bool) -> (f32, f32) {
        let (x, y) = (self.x(region.bytes.start), self.y(region.bytes.start));
        let piece = self.pieces(&region.bytes).next().map_or(0.0, |piece| piece.2);
        match region.part {
            PartId::LinePointer(_) => (x + piece / 2.0, if arriving { y } else { y + LINE }),
            _ if arriving => (x + piece.min(24.0) / 2.0, y),
            _ => (x + piece / 2.0, y),
        }
    }
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

/// The arrows of the picture; those of what is selected stand out.
fn arrows(scene: &PageScene, view: &View, grid: Grid) -> Html {
    let number = |part: PartId| match part {
        PartId::LinePointer(n) | PartId::Tuple(n) => Some(n),
        _ => None,
    };
    let chosen: Option<OffsetNumber> = view.selected.and_then(number);
    let touches = |link: &&Link| chosen.is_some() && (number(link.from) == chosen || number(link.to) == chosen);
    let few = scene.links.len() <= ARROWS;
    let shown = scene.links.iter().filter(|link| few || touches(link));
    let arrow = |link: &Link| {
        let region = |part: PartId| scene.regions.iter().find(|region| region.part == part);
        let (from, to) = (region(link.from)?, region(link.to)?);
        let ((x1, y1), (x2, y2)) = (grid.port(from, false), grid.port(to, true));
        let class = theme::link_class(link.kind);
        // an arrow between tuples swings upwards, into the free bytes, as the eye expects of a chain
        let lift = 14.0 + (x1 - x2).abs() / 12.0;
        let path = match link.kind {
            LinkKind::Item => format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", (y1 + y2) / 2.0, (y1 + y2) / 2.0),
            LinkKind::Redirect => {
                let y1 = y1 - LINE;
                format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", y1 - lift / 2.0, y2 - lift / 2.0)
            }
            _ => format!("M{x1} {y1}C{x1} {} {x2} {} {x2} {y2}", y1.min(y2) - lift, y1.min(y2) - lift),
        };
        let strong = touches(&link).then_some("is-strong");
        Some(html! {
            <path class={classes!("link", class, strong)} d={path} marker-end={format!("url(#ffviz-{class})")} />
        })
    };
    html! { <g class="arrows">{ for shown.filter_map(arrow) }</g> }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid { line: 128 };

    #[test]
    fn a_range_within_a_line_is_a_rectangle() {
        assert_eq!(GRID.outline(&(0..24)), "M34 3h144v12h-144z");
    }

    #[test]
    fn a_range_over_a_line_end_that_does_not_touch_itself_is_two_rectangles() {
        assert_eq!(GRID.outline(&(120..136)), "M754 3h48v12h-48zM34 15h48v12h-48z");
    }

    #[test]
    fn a_range_over_several_lines_is_one_outline() {
        assert_eq!(GRID.outline(&(64..320)), "M418 3H802V27H418V39H34V15H418z");
    }

    #[test]
    fn pieces_add_up_to_the_range() {
        for range in [0..8192u16, 5..6, 100..200, 24..8160, 65_000..65_535] {
            let bytes: f32 = GRID.pieces(&range).map(|piece| piece.2 / BYTE).sum();
            assert!((bytes - f32::from(range.end - range.start)).abs() < 0.5, "{range:?}: {bytes}");
        }
    }
}
