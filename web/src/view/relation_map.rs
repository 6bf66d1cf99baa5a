//! Every page of a relation a cell, filled as far as the measure says.

use super::FaceProps;
use super::canvas::{caption, sends};
use crate::theme;
use ffviz_story::app::{Msg, View};
use ffviz_story::scene::{MapCell, PartId, RelationMapScene, Role};
use yew::prelude::*;

/// side of a cell in the picture's own coordinates
const CELL: f32 = 26.0;
/// between two cells
const GAP: f32 = 3.0;
/// with more cells than these, blocks have no numbers
const NUMBERED: usize = 1024;

/// Measures, cells.
pub fn draw(scene: &RelationMapScene, props: &FaceProps) -> Html {
    let columns = if props.narrow { 12 } else { 32 };
    let lines = scene.cells.len().div_ceil(columns).max(1);
    let columns_used = columns.min(scene.cells.len().max(8));
    let size = |cells: usize| cells as f32 * (CELL + GAP) + GAP;
    let measure = |(measure, word, here): &(ffviz_story::scene::Measure, &'static str, bool)| {
        let onclick = sends(&props.send, Msg::Measure(*measure));
        html! { <button type="button" aria-pressed={here.to_string()} {onclick}>{ *word }</button> }
    };
    let (width, height) = (size(columns_used), size(lines));
    html! {
        <section class="map">
            { caption(&scene.title, &scene.facts) }
            <div class="measures" role="group" aria-label={scene.measure.clone()}>{ for scene.measures.iter().map(measure) }</div>
            <p class="hint">{ &scene.measure }</p>
            <svg class="cells" role="group" aria-label={scene.title.clone()} viewBox={format!("0 0 {width} {height}")}
                width={width.to_string()}>
                { for scene.cells.iter().enumerate().map(|(at, cell)| draw_cell(cell, (at % columns, at / columns), scene, &props.view)) }
            </svg>
        </section>
    }
}

fn draw_cell(cell: &MapCell, (column, line): (usize, usize), scene: &RelationMapScene, view: &View) -> Html {
    let place = |n: usize| n as f32 * (CELL + GAP) + GAP;
    let (x, y) = (place(column), place(line));
    let full = f32::from(cell.percent.unwrap_or(0).min(100)) / 100.0 * CELL;
    let class = theme::classes(cell.role, cell.change, view.selected == Some(cell.part));
    let side = CELL.to_string();
    let number = match cell.part {
        _ if cell.role == Role::BlockUnknown => cell.role.glyph().to_string(),
        PartId::Block(block) if scene.zoom == 1 && scene.cells.len() <= NUMBERED => block.to_string(),
        _ => cell.role.glyph().to_string(),
    };
    let texture = theme::look(cell.role).1.fill();
    html! {
        <g {class} role="img" data-part={cell.part.to_string()} data-role={cell.role.word()}
            transform={format!("translate({x} {y})")}>
            <title>{ &cell.label }</title>
            <rect class="ground" width={side.clone()} height={side.clone()} rx="2" />
            <rect class="fill" width={side.clone()} height={full.to_string()} y={(CELL - full).to_string()} rx="1" />
            if let Some(fill) = texture { <rect class="over" width={side.clone()} height={side.clone()} rx="2" {fill} /> }
            <rect class="rim" width={side.clone()} height={side} rx="2" />
            <text class="number" aria-hidden="true" x={(CELL / 2.0).to_string()} y="17" text-anchor="middle">{ number }</text>
        </g>
    }
}
