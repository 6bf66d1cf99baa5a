//! What a script runs on: version, settings, a second run beside it; and scripts to begin with. Of a run on a real
//! PostgreSQL, what of it is equal to the simulator's.

use crate::examples::EXAMPLES;
use crate::link::Link;
use crate::playground::MAJORS;
use crate::real::PGLITE;
use crate::simulator::Server;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Fields to choose it with; `choose` hears of another server, `example` of a script to open.
pub fn draw(server: &Server, verdict: Option<&String>, choose: &Callback<Server>, example: &Callback<Link>) -> Html {
    let version = {
        let (server, choose) = (server.clone(), choose.clone());
        move |event: Event| {
            if let Some(version) = chosen(&event) {
                choose.emit(Server { version, ..server.clone() });
            }
        }
    };
    let settings = words(choose, server, |server, settings| Server { settings, ..server });
    let versus = words(choose, server, |server, versus| Server { versus, ..server });
    let example = {
        let (example, server) = (example.clone(), server.clone());
        move |event: Event| {
            let found = chosen(&event).and_then(|name| EXAMPLES.iter().find(|example| example.name == name));
            if let Some(found) = found {
                example.emit(Link { sql: found.sql.to_owned(), server: server.clone(), ..Link::default() });
            }
        }
    };
    let major = |major: u32| {
        let major = major.to_string();
        let selected = server.version == major || server.version.is_empty() && major == MAJORS[0].to_string();
        html! { <option value={major.clone()} {selected}>{ format!("PostgreSQL {major}") }</option> }
    };
    html! {
        <>
            <select aria-label="version" onchange={version}>
                { for MAJORS.into_iter().map(major) }
                <option value={PGLITE} selected={server.version == PGLITE}>{ "a real PostgreSQL, in this page (9 MB)" }</option>
            </select>
            <select aria-label="examples" onchange={example}>
                <option value="" selected=true>{ "examples" }</option>
                { for EXAMPLES.iter().map(|example| html! { <option>{ example.name }</option> }) }
            </select>
            <details>
                <summary>{ "settings" }</summary>
                <label>{ "of the server, or of tables" }
                    <input type="text" value={server.settings.join(" ")} placeholder="full_page_writes=off" onchange={settings} />
                </label>
                <label>{ "run a second time, beside it, with" }
                    <input type="text" value={server.versus.join(" ")} placeholder="fillfactor=80, pg=13" onchange={versus} />
                </label>
            </details>
            { for verdict.map(|verdict| html! { <p class="verdict" role="status">{ verdict }</p> }) }
        </>
    }
}

/// Hears of a field with words that are `name=value`.
fn words(
    choose: &Callback<Server>,
    server: &Server,
    with: impl Fn(Server, Vec<String>) -> Server + 'static,
) -> Callback<Event> {
    let (choose, server) = (choose.clone(), server.clone());
    Callback::from(move |event: Event| {
        let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else { return };
        let value = input.value();
        let words = value.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned);
        choose.emit(with(server.clone(), words.collect()));
    })
}

/// What was chosen of a list.
fn chosen(event: &Event) -> Option<String> {
    let select = event.target()?.dyn_into::<HtmlSelectElement>().ok()?;
    Some(select.value()).filter(|value| !value.is_empty())
}
