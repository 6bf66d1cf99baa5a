//! Two runs of one script: their pictures side by side, and below what both cost.

use super::{FaceProps, picture};
use ffviz_story::app::{Beside, View};
use ffviz_story::scene::Column;
use yew::prelude::*;

/// Both runs and the totals.
pub fn draw(beside: &Beside, props: &FaceProps) -> Html {
    let [one, two] = &beside.names;
    let other = FaceProps { view: beside.view.clone(), ..props.clone() };
    let totals = &beside.totals;
    html! {
        <section class="versus">
            <div class="runs">{ side(one, props) }{ side(two, &other) }</div>
            <table class="totals">
                <thead><tr>{ for totals.columns.iter().map(|column| html! { <th scope="col">{ &column.title }</th> }) }</tr></thead>
                <tbody>{ for totals.rows.iter().map(|row| row_of(row, &totals.columns)) }</tbody>
            </table>
        </section>
    }
}

fn row_of(cells: &[String], columns: &[Column]) -> Html {
    let cell = |(cell, column): (&String, &Column)| html! { <td class={column.right.then_some("right")}>{ cell }</td> };
    html! { <tr>{ for cells.iter().zip(columns).map(cell) }</tr> }
}

/// One run: its name, what the step did there, its picture.
fn side(name: &str, props: &FaceProps) -> Html {
    let View { timeline, .. } = &*props.view;
    let step = format!("{} / {}", timeline.current, timeline.count.saturating_sub(1));
    html! {
        <div class="run">
            <h2>{ name }{ " " }<span class="step">{ step }</span></h2>
            <p class="headline">{ &timeline.headline }</p>
            { picture(props) }
        </div>
    }
}
