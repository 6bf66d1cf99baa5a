//! The script beside the picture: what is written, what is wrong with it, and what it runs on.
//!
//! ```text
//! ┌ run · server ──────┐
//! │ 1  create table …  │   <ffviz-sql>, which keeps what is typed
//! │ 2  insert …        │
//! ├ what is wrong ─────┤
//! └────────────────────┘
//! ```

use super::FaceProps;
use super::canvas::sends_some;
use ffviz_story::app::{Command, EditorScene, Msg, Overlay, Problem, ScriptScene};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;
use yew::prelude::*;

/// The element that holds what is typed.
pub const PLACE: &str = "script";

/// The script that is open, or what is written in its place.
pub fn draw(script: &ScriptScene, props: &FaceProps) -> Html {
    let send = &props.send;
    let writing = match &props.view.overlay {
        Some(Overlay::Editor(scene)) => Some(scene),
        _ => None,
    };
    let text = writing.map_or(&script.text, |scene| &scene.text);
    let problem = writing.and_then(|scene| scene.problem.as_ref());
    let run = sends_some(send, |event: SubmitEvent| {
        event.prevent_default();
        typed(&event).map(Msg::Run)
    });
    let stop = sends_some(send, |_: MouseEvent| Some(Msg::Command(Command::Back)));
    let close = sends_some(send, |event: MouseEvent| typed(&event).map(Msg::CloseEditor));
    html! {
        <section class="script" aria-label="script">
            <form onsubmit={run}>
                <div class="script-bar">
                    if script.running {
                        // another element than that to run with, which the click would press when it is drawn meanwhile
                        <button key="stop" type="button" class="run" onclick={stop}><span aria-hidden="true">{ "■ " }</span>{ "stop" }</button>
                    } else {
                        <button key="run" type="submit" class="run" title="run (Ctrl+Enter)"><span aria-hidden="true">{ "▶ " }</span>{ "run" }</button>
                    }
                    if writing.is_some() { <button type="button" onclick={close}>{ "cancel" }</button> }
                    { props.server.clone() }
                </div>
                // always there, so that the editor stays the same element and remembers what was typed
                <div class="about">{ for writing.map(about) }</div>
                <ffviz-sql id={PLACE} label="SQL" value={text.clone()} line={problem.map(|problem| problem.line.to_string())}>
                    <pre>{ text }</pre>
                </ffviz-sql>
                <div>{ for problem.map(wrong) }</div>
            </form>
        </section>
    }
}

/// What will be done with it; of the whole script nothing needs to be said.
fn about(scene: &EditorScene) -> Html {
    html! { <p><b>{ &scene.title }</b>{ ". " }{ &scene.hint }</p> }
}

fn wrong(problem: &Problem) -> Html {
    let column = problem.column.map_or_else(String::new, |column| format!(", column {column}"));
    let anyway = match (problem.runs, problem.is_valid) {
        (true, true) => {
            " Run once more to run the rest all the same; the real PostgreSQL in the list of versions runs all of it."
        }
        (true, false) => " Run once more, and the error is part of the play.",
        (false, _) => "",
    };
    let sentence = problem.sentence.trim_end_matches('.');
    html! { <p role="alert">{ format!("Line {}{column}: {sentence}.{anyway}", problem.line) }</p> }
}

/// What stands in the editor of the form that an event comes from.
fn typed(event: &Event) -> Option<String> {
    let form = event.target()?.dyn_into::<Element>().ok()?.closest("form").ok()??;
    let place = form.query_selector("ffviz-sql").ok()??;
    js_sys::Reflect::get(&place, &JsValue::from_str("value")).ok()?.as_string()
}
