//! The list: recordings of the library, or tables of a database.

use super::canvas::{caption, sends_some};
use super::rows;
use ffviz_engine::app::{Msg, View};
use ffviz_engine::scene::ListScene;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Title, hint, filter and rows.
pub fn draw(scene: &ListScene, view: &View, send: &Callback<Msg>) -> Html {
    let filter = sends_some(send, |event: InputEvent| {
        let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
        Some(Msg::Filter(input.value()))
    });
    html! {
        <section class="list">
            { caption(&scene.title, &[]) }
            <p class="hint">{ &scene.hint }</p>
            <input type="search" id="filter" placeholder="/" aria-label="filter"
                value={view.filter.clone().unwrap_or_default()} oninput={filter} />
            { rows::draw(&scene.columns, &scene.rows, &[], view) }
        </section>
    }
}
