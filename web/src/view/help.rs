//! What lies over the view: the keys, made from the engine's commands and this face's keys, or a text to read.

use super::canvas::{button, sends};
use crate::keymap;
use ffviz_story::app::{COMMANDS, Command, CommandInfo, Msg};
use yew::prelude::*;

/// All keys.
pub fn keys(send: &Callback<Msg>) -> Html {
    let here = || COMMANDS.iter().filter(|info| keymap::works(info.command));
    let mut groups: Vec<&str> = here().map(|info| info.group).collect();
    groups.dedup();
    let command = |info: &CommandInfo| {
        let keys = keymap::keys(info.command).map(|key| html! { <kbd>{ key }</kbd> });
        html! { <div><dt>{ for keys }</dt><dd>{ info.what }</dd></div> }
    };
    let group = |group: &str| {
        let commands = here().filter(|info| info.group == group);
        html! { <section><h3>{ group }</h3><dl>{ for commands.map(command) }</dl></section> }
    };
    let local = |(key, what): &(&str, &str)| html! { <div><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></div> };
    let body = html! {
        <div class="groups">
            { for groups.into_iter().map(group) }
            <section><h3>{ "Browser" }</h3><dl>{ for keymap::LOCAL_HELP.iter().map(local) }</dl></section>
        </div>
    };
    dialog("Keys", body, send)
}

/// A text.
pub fn text(title: &str, lines: &[String], send: &Callback<Msg>) -> Html {
    dialog(title, lines.iter().map(|line| html! { <p>{ line }</p> }).collect(), send)
}

/// A text or a form over the view.
pub(super) fn dialog(title: &str, body: Html, send: &Callback<Msg>) -> Html {
    html! {
        <div class="veil" onclick={sends(send, Msg::Command(Command::Back))}>
            <div class="dialog" id="dialog" role="dialog" aria-modal="true" aria-labelledby="dialog-title" tabindex="-1"
                onclick={|event: MouseEvent| event.stop_propagation()}>
                <div class="head">
                    <h2 id="dialog-title">{ title }</h2>
                    { button(Command::Back, html! { "✕" }, send) }
                </div>
                { body }
            </div>
        </div>
    }
}
