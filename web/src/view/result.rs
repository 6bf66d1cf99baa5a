//! The rows that a statement gave, above what happened and why.

use ffviz_story::scene::{Column, ResultScene};
use yew::prelude::*;

/// A table for each statement. Not inlined: it is fetched after the first picture.
#[inline(never)]
pub fn draw(results: &[ResultScene]) -> Html {
    results.iter().map(table).collect()
}

fn table(scene: &ResultScene) -> Html {
    let name = if scene.title.is_empty() { "rows" } else { &scene.title };
    let heading =
        |column: &Column| html! { <th scope="col" class={column.right.then_some("right")}>{ &column.title }</th> };
    html! {
        <section class="result">
            <div class="table" tabindex="0" role="group" aria-label={name.to_owned()}>
                <table>
                    if !scene.title.is_empty() { <caption>{ &scene.title }</caption> }
                    <thead><tr>{ for scene.columns.iter().map(heading) }</tr></thead>
                    <tbody>{ for scene.rows.iter().map(|row| row_of(row, &scene.columns)) }</tbody>
                </table>
            </div>
            <p>{ &scene.footer }</p>
        </section>
    }
}

/// NULL is empty, as in psql, and is said to those who hear the table.
fn row_of(cells: &[Option<String>], columns: &[Column]) -> Html {
    let cell = |(cell, column): (&Option<String>, &Column)| {
        let null = || html! { <span class="heard">{ "NULL" }</span> };
        let face = cell.as_ref().map_or_else(null, |text| html! { text });
        html! { <td class={column.right.then_some("right")}>{ face }</td> }
    };
    html! { <tr>{ for cells.iter().zip(columns).map(cell) }</tr> }
}
