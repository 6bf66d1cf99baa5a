//! What the views draw with: textures, arrow heads, samples of roles, buttons, headings.

use crate::keymap;
use crate::theme::{self, Texture};
use ffviz_story::app::{COMMANDS, Command, Msg};
use ffviz_story::scene::{Change, Fact, LinkKind, Role};
use yew::prelude::*;

/// Patterns and arrow heads that all pictures of the page refer to.
pub fn definitions() -> Html {
    let pattern = |(texture, id): (Texture, &'static str)| {
        let path = match texture {
            Texture::Hatch => "M-1 1 1 -1M0 6 6 0M5 7 7 5",
            Texture::Cross => "M0 0 6 6M0 6 6 0",
            Texture::Bars => "M1.5 0V6M4.5 0V6",
            Texture::Plain | Texture::Dots => "M1 1.5h1M4 4.5h1",
        };
        html! {
            <pattern {id} width="6" height="6" patternUnits="userSpaceOnUse">
                <path class="texture" d={path} />
            </pattern>
        }
    };
    let head = |kind: LinkKind| {
        let class = theme::link_class(kind);
        html! {
            <marker id={format!("ffviz-{class}")} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
                orient="auto" markerUnits="userSpaceOnUse">
                <path class={classes!("head", class)} d="M0 0 8 4 0 8 2 4z" />
            </marker>
        }
    };
    let kinds = [
        LinkKind::Item,
        LinkKind::Redirect,
        LinkKind::HotUpdate,
        LinkKind::ColdUpdate,
        LinkKind::Downlink,
        LinkKind::RightLink,
    ];
    html! {
        <svg class="definitions" aria-hidden="true" width="0" height="0">
            <defs>{ for Texture::PATTERNS.into_iter().map(pattern) }{ for kinds.into_iter().map(head) }</defs>
        </svg>
    }
}

/// A sample of a role: its colours, texture and glyph; named where no words stand beside it.
pub fn swatch(role: Role, named: bool) -> Html {
    let texture = theme::look(role).1.fill();
    html! {
        <svg class={classes!("swatch", theme::classes(role, Change::Same, false))} viewBox="0 0 18 14"
            role="img" aria-label={named.then_some(role.word())} aria-hidden={(!named).then_some("true")}>
            <rect class="fill" width="18" height="14" rx="2" />
            if let Some(fill) = texture { <rect class="over" width="18" height="14" rx="2" {fill} /> }
            <text class="glyph" aria-hidden="true" x="9" y="10.5" text-anchor="middle">{ role.glyph() }</text>
        </svg>
    }
}

/// letters of a cell that are always shown: 26rem of ffviz.css have room for some more
const CELL: usize = 48;

/// What the mouse is told of a cell: its text, where that may be cut. To tell it of every cell takes the browser a good
/// part of a step.
pub fn whole(text: &str) -> Option<String> {
    (text.len() > CELL).then(|| text.to_owned())
}

/// A handler that sends always the same.
pub fn sends<E>(send: &Callback<Msg>, msg: Msg) -> Callback<E> {
    send.reform(move |_| msg.clone())
}

/// A handler that sends what it can make of an event.
pub fn sends_some<E: 'static>(send: &Callback<Msg>, message: impl Fn(E) -> Option<Msg> + 'static) -> Callback<E> {
    let send = send.clone();
    Callback::from(move |event| {
        if let Some(msg) = message(event) {
            send.emit(msg);
        }
    })
}

/// A button for a command, named by its words and keys.
pub fn button(command: Command, face: Html, send: &Callback<Msg>) -> Html {
    let what = COMMANDS.iter().find(|info| info.command == command).map_or("", |info| info.what);
    let key = keymap::keys(command).next().unwrap_or_default();
    html! {
        <button type="button" title={format!("{what} ({key})")} aria-label={what}
            onclick={sends(send, Msg::Command(command))}>{ face }</button>
    }
}

/// A button for a command with words on it, which are its name.
pub fn worded(command: Command, face: Html, send: &Callback<Msg>) -> Html {
    let what = COMMANDS.iter().find(|info| info.command == command).map_or("", |info| info.what);
    html! { <button type="button" title={what} onclick={sends(send, Msg::Command(command))}>{ face }</button> }
}

/// Title and summary of a picture.
pub fn caption(title: &str, facts: &[Fact]) -> Html {
    let fact = |fact: &Fact| html! { <div><dt>{ &fact.label }</dt><dd>{ &fact.value }</dd></div> };
    html! {
        <>
            <h2>{ title }</h2>
            if !facts.is_empty() { <dl class="facts">{ for facts.iter().map(fact) }</dl> }
        </>
    }
}
