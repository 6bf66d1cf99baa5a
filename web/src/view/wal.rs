//! The WAL: a record a row with the bar of its bytes, and what all bytes were spent on.

use super::FaceProps;
use super::canvas::{caption, sends, sends_some, swatch, whole};
use crate::theme;
use ffviz_story::app::{Msg, View};
use ffviz_story::scene::{Bar, BarPart, Change, Column, Role, WalList, WalPanel, WalRow, WalScene};
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// height of a bar in the picture's own coordinates
const HEIGHT: u32 = 12;

/// Totals, switch, filter and rows.
pub fn draw(scene: &WalScene, props: &FaceProps) -> Html {
    let (view, send) = (&*props.view, &props.send);
    let list = |(list, word, here): &(WalList, &'static str, bool)| {
        let onclick = sends(send, Msg::WalList(*list));
        html! { <button type="button" aria-pressed={here.to_string()} {onclick}>{ *word }</button> }
    };
    let filter = sends_some(send, |event: InputEvent| {
        let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
        Some(Msg::Filter(input.value()))
    });
    html! {
        <section class="wal">
            { caption(&scene.title, &scene.facts) }
            <p class="hint">{ &scene.hint }</p>
            <div class="whole">{ bar(&scene.whole, scene.whole.length(), &scene.whole_words) }</div>
            <div class="measures" role="group" aria-label="lists">{ for scene.lists.iter().map(list) }</div>
            <input type="search" id="filter" placeholder="/" aria-label="filter"
                value={view.filter.clone().unwrap_or_default()} oninput={filter} />
            <div class="panels">{ for scene.panels.iter().map(|panel| draw_panel(panel, view)) }</div>
            { more(scene.above, "above") }
            { table(&scene.title, &scene.columns, &scene.rows, scene.full, Bars::First, view) }
            { more(scene.below, "below") }
            <p class="hint">{ &scene.scale }</p>
        </section>
    }
}

fn more(rows: usize, place: &str) -> Html {
    if rows == 0 {
        Html::default()
    } else {
        html! { <p class="more">{ format!("{rows} more {place}") }</p> }
    }
}

fn draw_panel(panel: &WalPanel, view: &View) -> Html {
    let name = panel.columns.first().map_or("", |column| &column.title);
    html! { <div class="panel">{ table(name, &panel.columns, &panel.rows, panel.full, Bars::Below, view) }</div> }
}

/// Where a table has its bars: a chart at the left, or thin ones below the names where there is little room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bars {
    First,
    Below,
}

fn table(name: &str, columns: &[Column], rows: &[WalRow], full: u32, bars: Bars, view: &View) -> Html {
    if rows.is_empty() {
        return Html::default();
    }
    let heading = |column: &Column| {
        html! { <th scope="col" class={classes!(column.right.then_some("right"))}>{ &column.title }</th> }
    };
    html! {
        <div class="rows" tabindex="0" role="group" aria-label={name.to_owned()}>
            <table>
                <thead>
                    <tr><td class="sign"></td>if bars == Bars::First { <td class="chart"></td> }{ for columns.iter().map(heading) }</tr>
                </thead>
                <tbody>{ for rows.iter().map(|row| table_row(row, columns, full, bars, view)) }</tbody>
            </table>
        </div>
    }
}

fn table_row(row: &WalRow, columns: &[Column], full: u32, bars: Bars, view: &View) -> Html {
    let (part, role, cells) = (row.row.part.to_string(), row.row.role, &row.row.cells);
    let selected = view.selected == Some(row.row.part);
    if let [text] = &cells[..] {
        let colspan = (columns.len() + 2).to_string();
        return html! {
            <tr class="heading" data-part={part} data-role={role.word()}>
                <th {colspan} scope="rowgroup" aria-label={format!("{} {text}", role.word())}>{ text }</th>
            </tr>
        };
    }
    let change = row.row.change;
    // the chart's words come after the cells, wherever it is drawn: as they are heard in the terminal
    let chart = bar(&row.bar, full, "");
    let last = cells.len().min(columns.len()).saturating_sub(1);
    let cell = |(at, (text, column)): (usize, (&String, &Column))| {
        let below = (bars == Bars::Below && at == 0).then(|| chart.clone());
        let heard = (at == last).then(|| html! { <span class="heard">{ &row.bar_words }</span> });
        html! { <td class={classes!(column.right.then_some("right"))} title={whole(text)}>{ text }{ for below }{ for heard }</td> }
    };
    html! {
        <tr class={theme::classes(role, change, selected)} data-part={part} data-role={role.word()}
            aria-current={row.current.then_some("step")}>
            <td class="sign">{ swatch(role, true) }</td>
            if bars == Bars::First { <td class="chart">{ chart.clone() }</td> }
            { for cells.iter().zip(columns).enumerate().map(cell) }
        </tr>
    }
}

/// Parts side by side, each with its letter where there is room.
pub fn bar(bar: &Bar, full: u32, words: &str) -> Html {
    if bar.parts.is_empty() {
        return Html::default();
    }
    let mut x = 0;
    let piece = |part: &BarPart| {
        let at = x;
        x += part.length;
        draw_part(part, at)
    };
    let pieces: Html = bar.parts.iter().map(piece).collect();
    html! {
        <svg class="stack" role="img" aria-label={words.to_owned()} aria-hidden={words.is_empty().then_some("true")} preserveAspectRatio="none"
            viewBox={format!("0 0 {} {HEIGHT}", full.max(1))} width="100%" height={HEIGHT.to_string()}>{ pieces }</svg>
    }
}

fn draw_part(part: &BarPart, x: u32) -> Html {
    let (x, width, height) = (x.to_string(), part.length.to_string(), HEIGHT.to_string());
    let texture = theme::look(part.role).1.fill();
    html! {
        <g class={theme::classes(part.role, Change::Same, false)}>
            <title>{ title(part.role, part.bytes) }</title>
            <rect class="fill" x={x.clone()} width={width.clone()} height={height.clone()} />
            if let Some(fill) = texture { <rect class="over" {x} {width} {height} {fill} /> }
        </g>
    }
}

fn title(role: Role, bytes: u64) -> String {
    format!("{}: {bytes}", role.word())
}
