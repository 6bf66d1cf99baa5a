//! The list: lessons and recordings of the library, tables of a database, or the contents of a lesson.

use super::canvas::{caption, sends_some};
use super::rows;
use ffviz_story::app::{Command, Msg, View};
use ffviz_story::scene::ListScene;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Title, hint, the filter where there is one, and rows. The selected one is said to those who do not see it: the focus
/// stays where it is.
pub fn draw(scene: &ListScene, view: &View, send: &Callback<Msg>) -> Html {
    let filter = sends_some(send, |event: InputEvent| {
        let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
        Some(Msg::Filter(input.value()))
    });
    let selected = scene.rows.iter().find(|row| view.row == Some(row.part));
    let said = selected.map_or_else(String::new, |row| row.cells.join(": "));
    let is_filtered = view.filter.is_some() || view.hints.contains(&Command::Filter);
    // the library is what a visitor sees first
    let placeholder = if view.timeline.count == 0 { "filter lessons and recordings (/)" } else { "filter (/)" };
    html! {
        <section class="list">
            { caption(&scene.title, &[]) }
            <p class="hint">{ &scene.hint }</p>
            <p class="heard" role="status">{ said }</p>
            if is_filtered {
                <input type="search" id="filter" {placeholder} aria-label="filter"
                    value={view.filter.clone().unwrap_or_default()} oninput={filter} />
            }
            { rows::draw(&scene.title, &scene.columns, &scene.rows, &[], view) }
        </section>
    }
}
