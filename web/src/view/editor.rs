//! The editor: what is edited, what will be done with it, why it was not run, and the text.

use super::canvas::sends_some;
use super::help;
use ffviz_story::app::{EditorScene, Msg, Problem};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement};
use yew::prelude::*;

/// A form with the text; the browser keeps what is typed until it is sent.
pub fn draw(scene: &EditorScene, send: &Callback<Msg>) -> Html {
    let run = sends_some(send, |event: SubmitEvent| {
        event.prevent_default();
        let form = event.target()?.dyn_into::<Element>().ok()?;
        let text = form.query_selector("textarea").ok()??.dyn_into::<HtmlTextAreaElement>().ok()?;
        Some(Msg::Run(text.value()))
    });
    let problem = |problem: &Problem| {
        let column = problem.column.map_or_else(String::new, |column| format!(", column {column}"));
        html! { <p role="alert">{ format!("line {}{column}: {}", problem.line, problem.sentence) }</p> }
    };
    let body = html! {
        <form class="editor" onsubmit={run}>
            <p>{ &scene.hint }</p>
            <textarea aria-label={scene.title.clone()} rows="16" spellcheck="false" defaultvalue={scene.text.clone()} />
            { for scene.problem.iter().map(problem) }
            <button type="submit">{ "run" }</button>
        </form>
    };
    help::dialog(&scene.title, body, send)
}
