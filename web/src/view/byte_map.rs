//! The bytes of a page in lines, each region in the colours and texture of its role, and over them what the step
//! changed, to the byte. Where a page is nearly empty, lines are short and high enough to write on; else a line is 128
//! bytes.
//!
//! ```text
//!    0 ▣ header      ● 1   ● 2   ● 3
//!      ⋮       free, 7,948 bytes       ⋮
//! 8128 ◆ 3 heap-only tuple    ■ 2 live
//! ```

use crate::grid::{Grid, GridLine, MARGIN, Piece, Scale};
use crate::theme;
use ffviz_format::page::{OffsetNumber, RegionKind};
use ffviz_story::app::View;
use ffviz_story::scene::{Link, LinkKind, PageScene, PartId, PartRegion};
use std::ops::Range;
use yew::prelude::*;

const ROOMY: Scale = Scale { line: 64, byte: 13.0, height: 22.0, letters: 11.0 };
const DENSE: Scale = Scale { line: 128, byte: 6.0, height: 12.0, letters: 11.0 };
const ROOMY_NARROW: Scale = Scale { line: 32, byte: 9.0, height: 22.0, letters: 11.0 };
const DENSE_NARROW: Scale = Scale { line: 64, byte: 4.5, height: 12.0, letters: 11.0 };

/// height up to which a page is drawn roomily
const ROOMY_HEIGHT: f32 = 1100.0;
/// with more arrows than these only the selected one's are drawn
const ARROWS: usize = 60;

/// The map of one page.
pub fn draw(scene: &PageScene, view: &View, narrow: bool) -> Html {
    let (roomy, dense) = if narrow { (ROOMY_NARROW, DENSE_NARROW) } else { (ROOMY, DENSE) };
    let (changed, cuts) = (changed(scene), cuts(scene));
    let grid = Some(Grid::new(scene.size, &cuts, roomy)).filter(|grid| grid.bottom() <= ROOMY_HEIGHT);
    let grid = grid.unwrap_or_else(|| Grid::new(scene.size, &cuts, dense));
    let (width, height) = (grid.right() + 2.0, grid.bottom() + 3.0);
    let selected = scene.regions.iter().find(|region| view.selected == Some(region.part));
    let class = classes!("bytes", if grid.scale == roomy { "is-roomy" } else { "is-dense" });
    html! {
        <svg {class} role="group" aria-label={scene.title.clone()} viewBox={format!("0 0 {width} {height}")} width={width.to_string()}>
            <g aria-hidden="true">{ positions(&grid) }</g>
            <g>{ for scene.regions.iter().map(|drawn| region(&grid, drawn)) }</g>
            <g aria-hidden="true" class="overlay">
                if !changed.is_empty() { { overlay(&grid, &changed, view.timeline.current) } }
                <g>{ for grid.lines.iter().filter(|line| line.folded).map(|line| tear(&grid, line)) }</g>
                { arrows(scene, view, &grid) }
                <g>{ for scene.regions.iter().filter_map(|region| caption(&grid, region)) }</g>
                if let Some(region) = selected { <path class="selection" d={grid.outline(&region.bytes)} /> }
            </g>
        </svg>
    }
}

/// What the step changed, each run of bytes once: a run does not end with its region.
fn changed(scene: &PageScene) -> Vec<Range<u16>> {
    let mut runs: Vec<Range<u16>> = Vec::new();
    for bytes in scene.regions.iter().flat_map(|region| &region.changed) {
        match runs.last_mut() {
            Some(run) if run.end == bytes.start => run.end = bytes.end,
            _ => runs.push(bytes.clone()),
        }
    }
    runs
}

/// One path for all of them, so that no tint lies over another; a new one with each step, which makes it light up.
fn overlay(grid: &Grid, changed: &[Range<u16>], step: usize) -> Html {
    let path: String = changed.iter().map(|bytes| grid.outline(bytes)).collect();
    html! { <path key={step} class="changed" d={path} /> }
}

/// Where something else begins: a region, bytes that changed, bytes that did not.
fn cuts(scene: &PageScene) -> Vec<u16> {
    let of = |region: &PartRegion| {
        let changed = region.changed.iter().flat_map(|bytes| [bytes.start, bytes.end]);
        [region.bytes.start].into_iter().chain(changed).collect::<Vec<_>>()
    };
    scene.regions.iter().flat_map(of).collect()
}

/// The number of a line's first byte; on dense maps of every eighth line, and where lines are left out.
fn positions(grid: &Grid) -> Html {
    let sparse = grid.scale.height < 20.0;
    let mut after_fold = false;
    let mut position = |(at, line): (usize, &GridLine)| {
        let said = !sparse || at.is_multiple_of(8) || line.folded || after_fold;
        after_fold = line.folded;
        let y = line.y + grid.scale.height / 2.0 + grid.scale.letters * 0.35;
        said.then(|| html! {
            <text key={line.bytes.start} class="position" x={(MARGIN - 6.0).to_string()} y={y.to_string()} text-anchor="end">{ line.bytes.start }</text>
        })
    };
    grid.lines.iter().enumerate().filter_map(&mut position).collect()
}

/// The jagged edges of a folded line.
fn tear(grid: &Grid, line: &GridLine) -> Html {
    let teeth = |x: f32, out: f32| {
        let tooth = line.height / 4.0;
        format!("M{x} {}l{out} {tooth}l{} {tooth}l{out} {tooth}l{} {tooth}", line.y, -out, -out)
    };
    html! { <path key={line.bytes.start} class="tear" d={teeth(MARGIN, 4.0) + &teeth(grid.right(), -4.0)} /> }
}

fn region(grid: &Grid, region: &PartRegion) -> Html {
    let d = grid.outline(&region.bytes);
    let over = theme::look(region.role).1.fill();
    html! {
        <g key={region.bytes.start} class={theme::classes(region.role, region.change, false)} role="img" data-part={region.part.to_string()}
            data-role={region.role.word()}>
            <title>{ &region.label }</title>
            <path class="fill" d={d.clone()} />
            if let Some(fill) = over { <path class="over" {d} {fill} /> }
        </g>
    }
}

/// The longest words for a region that fit on its longest line, near its middle.
fn caption(grid: &Grid, region: &PartRegion) -> Option<Html> {
    let pieces: Vec<Piece> = grid.pieces(&region.bytes).collect();
    let middle = pieces.len() / 2;
    let longest = pieces.iter().map(|piece| piece.width).fold(0.0, f32::max);
    let candidates = pieces.iter().enumerate().filter(|(_, piece)| piece.width >= longest);
    let (_, piece) = candidates.min_by_key(|(at, _)| at.abs_diff(middle))?;
    let fits = |text: &String| text.chars().count() as f32 * grid.scale.letters * 0.62 <= piece.width - 4.0;
    let text = captions(region).into_iter().find(fits)?;
    let y = piece.y + piece.height / 2.0 + grid.scale.letters * 0.36;
    let class = classes!("caption", theme::classes(region.role, region.change, false));
    Some(html! {
        <text key={region.bytes.start} {class} x={(piece.x + piece.width / 2.0).to_string()} y={y.to_string()} text-anchor="middle">
            { text }
        </text>
    })
}

/// Where an arrow touches a region: the middle of its first piece, at the top or at the bottom.
fn port(grid: &Grid, region: &PartRegion, side: Side) -> Option<(f32, f32)> {
    let piece = grid.pieces(&region.bytes).next()?;
    let y = if side == Side::Top { piece.y } else { piece.y + piece.height };
    Some((piece.x + piece.width / 2.0, y))
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
        PartId::Region(RegionKind::LinePointer(n)) => vec![format!("{glyph} {n}"), n.to_string()],
        PartId::Region(RegionKind::Tuple(n)) => {
            vec![format!("{glyph} {n} {}", region.role.word()), format!("{glyph} {n}"), n.to_string()]
        }
        PartId::Region(RegionKind::Padding(_)) => Vec::new(),
        _ => vec![region.label.clone(), region.role.word().to_owned(), glyph.to_string()],
    }
}

/// The number that a line pointer and its tuple share.
const fn number(part: PartId) -> Option<OffsetNumber> {
    match part {
        PartId::Region(RegionKind::LinePointer(n) | RegionKind::Tuple(n)) => Some(n),
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
            <path key={format!("{} {} {class}", link.from, link.to)} class={classes!("link", class, strong)} d={path} marker-end={format!("url(#ffviz-{class})")} />
        })
    };
    html! { <g class="arrows">{ for shown.filter_map(arrow) }</g> }
}

/// Line pointers lead down to their tuples; redirects swing over the line pointers, `t_ctid` over the tuples.
fn path(scene: &PageScene, link: &Link, grid: &Grid) -> Option<String> {
    let region = |part: PartId| scene.regions.iter().find(|region| region.part == part);
    let tuple = |part: PartId| match part {
        PartId::Region(RegionKind::LinePointer(n)) => region(PartId::Region(RegionKind::Tuple(n))),
        _ => region(part),
    };
    let (from, to) = match link.kind {
        LinkKind::HotUpdate | LinkKind::ColdUpdate => (tuple(link.from)?, tuple(link.to)?),
        _ => (region(link.from)?, region(link.to)?),
    };
    let leaves = if link.kind == LinkKind::Item { Side::Bottom } else { Side::Top };
    let ((x1, y1), (x2, y2)) = (port(grid, from, leaves)?, port(grid, to, Side::Top)?);
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
    use ffviz_format::page::ForkNumber;
    use ffviz_format::state::PageId;
    use ffviz_story::scene::{Change, Role};

    fn region(bytes: Range<u16>, changed: &[(u16, u16)]) -> PartRegion {
        PartRegion {
            part: PartId::Region(RegionKind::Residue(bytes.start)),
            bytes,
            role: Role::Residue,
            change: Change::Same,
            changed: changed.iter().map(|(start, end)| *start..*end).collect(),
            label: String::new(),
        }
    }

    fn scene(regions: Vec<PartRegion>) -> PageScene {
        PageScene {
            id: PageId { relation: 1, fork: ForkNumber::Main, block: 0 },
            title: String::new(),
            facts: Vec::new(),
            size: 8192,
            regions,
            columns: Vec::new(),
            rows: Vec::new(),
            links: Vec::new(),
            anomalies: Vec::new(),
        }
    }

    #[test]
    fn changed_bytes_are_one_run_over_the_end_of_a_region() {
        let scene = scene(vec![region(0..24, &[(4, 6), (20, 24)]), region(24..8192, &[(24, 40), (8000, 8001)])]);
        assert_eq!(changed(&scene), [4..6, 20..40, 8000..8001]);
    }

    #[test]
    fn a_few_changed_bytes_of_a_long_region_stand_on_a_line_of_their_own() {
        let scene = scene(vec![region(0..8192, &[(4000, 4002)])]);
        let grid = Grid::new(scene.size, &cuts(&scene), ROOMY);
        let line = grid.lines.iter().find(|line| line.bytes.contains(&4000)).expect("a line of the page");
        assert!(!line.folded && line.bytes == (3968..4032), "{line:?}");
        assert_eq!(grid.pieces(&(4000..4002)).map(|piece| piece.width).sum::<f32>(), 2.0 * ROOMY.byte);
    }
}
