//! All pages of an index, level by level: a page stands above the middle of those it leads to.

use super::canvas::caption;
use crate::theme;
use ffviz_story::app::View;
use ffviz_story::scene::{Link, LinkKind, MapCell, PartId, TreeLevel, TreeNode, TreeScene};
use std::collections::BTreeMap;
use yew::prelude::*;

/// width of a letter in the picture's own coordinates
const LETTER: f32 = 7.3;
/// height of a line of words
const LINE: f32 = 16.0;
/// between two pages of a level
const GAP: f32 = 26.0;
/// between two levels, for the arrows
const RISE: f32 = 58.0;
/// left of the first page, and above the first level
const EDGE: f32 = 12.0;
/// room for a level's title
const TITLE: f32 = 20.0;
/// room for a long level's band, below its pages: arrows from above end at a page
const BAND: f32 = 34.0;
/// width of one of its cells
const CELL: f32 = 14.0;
/// letters of a line that are shown; the whole line is in the page's title
const LETTERS: usize = 30;

/// A page's place in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// Title, summary, levels.
pub fn draw(scene: &TreeScene, view: &View) -> Html {
    let places = lay_out(scene);
    let width = places.values().map(|place| place.x + place.width).fold(300.0, f32::max) + EDGE;
    let bottom = places.values().map(|place| place.y + place.height).fold(0.0, f32::max);
    let height = bottom + scene.levels.last().map_or(0.0, band_height) + EDGE;
    let bands = scene.levels.iter().map(|level| level.band.len()).max().unwrap_or(0);
    let width = width.max(bands as f32 * CELL + 2.0 * EDGE);
    let level_title = |level: &TreeLevel| {
        let y = places.get(&level.nodes.first()?.part)?.y - 7.0;
        Some(html! { <text class="level" x={EDGE.to_string()} y={y.to_string()}>{ &level.title }</text> })
    };
    let nodes = scene.levels.iter().flat_map(|level| &level.nodes);
    html! {
        <section class="tree">
            { caption(&scene.title, &scene.facts) }
            <div class="canvas" tabindex="0" role="group" aria-label={scene.title.clone()}>
                <svg viewBox={format!("0 0 {width} {height}")} width={width.to_string()} height={height.to_string()}>
                    { for scene.levels.iter().filter_map(level_title) }
                    { for scene.levels.iter().filter_map(|level| draw_band(level, &places, scene)) }
                    <g class="arrows" aria-hidden="true">{ for scene.links.iter().filter_map(|link| arrow(link, &places, scene, view)) }</g>
                    { for nodes.filter_map(|node| Some(draw_node(node, *places.get(&node.part)?, scene, view))) }
                </svg>
            </div>
        </section>
    }
}

/// All pages of a long level in a line under those that are drawn.
fn draw_band(level: &TreeLevel, places: &BTreeMap<PartId, Place>, scene: &TreeScene) -> Option<Html> {
    let place = places.get(&level.nodes.first()?.part)?;
    let top = place.y + place.height + 8.0;
    let cell = |(at, cell): (usize, &MapCell)| {
        let class = classes!(theme::classes(cell.role, cell.change, false), path_class(scene, cell.part));
        let full = f32::from(cell.percent.unwrap_or(0).min(100)) / 100.0 * (BAND - 8.0);
        let (width, height) = ((CELL - 1.5).to_string(), (BAND - 8.0).to_string());
        html! {
            <g {class} role="img" data-part={cell.part.to_string()} data-role={cell.role.word()}
                transform={format!("translate({} {top})", EDGE + at as f32 * CELL)}>
                <title>{ &cell.label }</title>
                <rect class="card" width={width.clone()} {height} />
                <rect class="fill" {width} height={full.to_string()} y={(BAND - 8.0 - full).to_string()} />
            </g>
        }
    };
    Some(html! { <g class="band">{ for level.band.iter().enumerate().map(cell) }</g> })
}

fn path_class(scene: &TreeScene, part: PartId) -> Option<&'static str> {
    scene.is_on_path(part).then_some("is-path")
}

fn draw_node(node: &TreeNode, place: Place, scene: &TreeScene, view: &View) -> Html {
    let class = theme::classes(node.role, node.change, view.selected == Some(node.part));
    let class = classes!(class, path_class(scene, node.part));
    let (width, height) = (place.width.to_string(), place.height.to_string());
    let line = |(at, text): (usize, &String)| {
        let y = (at + 1) as f32 * LINE + 1.0;
        html! { <text class={if at == 0 { "first" } else { "line" }} x="26" y={y.to_string()}>{ shortened(text) }</text> }
    };
    let full = f32::from(node.percent.unwrap_or(0).min(100)) / 100.0 * (place.width - 12.0);
    html! {
        <g {class} role="img" data-part={node.part.to_string()} data-role={node.role.word()}
            transform={format!("translate({} {})", place.x, place.y)}>
            <title>{ node.lines.join(" ") }</title>
            <g aria-hidden="true">
                <rect class="card" width={width.clone()} height={height.clone()} rx="4" />
                <rect class="fill" width="18" height={height} rx="4" />
                <text class="glyph" x="9" y={(LINE + 1.0).to_string()} text-anchor="middle">{ node.role.glyph() }</text>
                { for node.lines.iter().enumerate().map(line) }
                if node.percent.is_some() {
                    <rect class="gauge" x="26" y={(place.height - 8.0).to_string()} width={(place.width - 32.0).to_string()} height="3" />
                    <rect class="full" x="26" y={(place.height - 8.0).to_string()} width={(full - 20.0).max(0.0).to_string()} height="3" />
                }
            </g>
        </g>
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LETTERS {
        return text.to_owned();
    }
    text.chars().take(LETTERS - 1).chain(['…']).collect()
}

/// Places from the lowest level up, so that a parent can stand above its children.
fn lay_out(scene: &TreeScene) -> BTreeMap<PartId, Place> {
    let mut places = BTreeMap::new();
    let heights: Vec<f32> = scene.levels.iter().map(|level| height(&level.nodes)).collect();
    let above = |level: &TreeLevel| band_height(level) + TITLE + RISE;
    let mut top: f32 = EDGE + heights.iter().sum::<f32>() + scene.levels.iter().map(above).sum::<f32>();
    for (level, height) in scene.levels.iter().zip(heights).rev() {
        top -= band_height(level) + height + RISE;
        let mut free = EDGE;
        for node in &level.nodes {
            let width = width(node);
            let x = wished(node.part, width, &scene.links, &places).unwrap_or(free).max(free);
            free = x + width + GAP;
            places.insert(node.part, Place { x, y: top, width, height });
        }
        top -= TITLE;
    }
    places
}

/// The left edge that puts a page above the middle of its children.
fn wished(part: PartId, width: f32, links: &[Link], places: &BTreeMap<PartId, Place>) -> Option<f32> {
    let down = links.iter().filter(|link| link.kind == LinkKind::Downlink && link.from == part);
    let below: Vec<&Place> = down.filter_map(|link| places.get(&link.to)).collect();
    let left = below.iter().map(|place| place.x).reduce(f32::min)?;
    let right = below.iter().map(|place| place.x + place.width).reduce(f32::max)?;
    Some((left + right - width) / 2.0)
}

fn width(node: &TreeNode) -> f32 {
    let letters = node.lines.iter().map(|line| line.chars().count().min(LETTERS)).max().unwrap_or(0);
    (letters as f32 * LETTER + 36.0).max(90.0)
}

fn height(nodes: &[TreeNode]) -> f32 {
    nodes.iter().map(|node| node.lines.len()).max().unwrap_or(1) as f32 * LINE + 16.0
}

const fn band_height(level: &TreeLevel) -> f32 {
    if level.band.is_empty() { 0.0 } else { BAND }
}

fn arrow(link: &Link, places: &BTreeMap<PartId, Place>, scene: &TreeScene, view: &View) -> Option<Html> {
    let (from, to) = (places.get(&link.from)?, places.get(&link.to)?);
    let class = theme::link_class(link.kind);
    let path = if link.kind == LinkKind::RightLink {
        let y = |place: &Place| place.y + place.height / 2.0;
        format!("M{} {}L{} {}", from.x + from.width, y(from), to.x, y(to))
    } else {
        let (x1, y1) = (from.x + from.width / 2.0, from.y + from.height);
        let (x2, y2) = (to.x + to.width / 2.0, to.y);
        let middle = (y1 + y2) / 2.0;
        format!("M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}")
    };
    let is_touched = view.selected == Some(link.from) || view.selected == Some(link.to);
    let strong = (is_touched || scene.is_followed(link)).then_some("is-strong");
    Some(html! {
        <path class={classes!("link", class, strong)} d={path} marker-end={format!("url(#ffviz-{class})")} />
    })
}
