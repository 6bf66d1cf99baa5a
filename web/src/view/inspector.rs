//! Every field of what is selected: bytes, name, value, meaning, bits.

use super::canvas::button;
use super::{FaceProps, wal};
use ffviz_format::page::Bit;
use ffviz_story::app::{Command, Msg};
use ffviz_story::scene::{Change, InspectorField, InspectorScene, Scene};
use yew::prelude::*;

/// What is selected; beside a figure, which says what matters, the reader asks for it.
pub fn draw(props: &FaceProps) -> Html {
    let (view, send) = (&props.view, &props.send);
    if matches!(view.scene, Scene::Figure(_)) && view.selected.is_none() {
        return html! {
            <details class="details"><summary>{ "details" }</summary>{ fields(&view.inspector, send) }</details>
        };
    }
    fields(&view.inspector, send)
}

/// Title, sentence, fields.
fn fields(scene: &InspectorScene, send: &Callback<Msg>) -> Html {
    html! {
        <section class="inspector" aria-labelledby="inspected">
            <div class="head">
                <h2 id="inspected" aria-live="polite">{ &scene.title }</h2>
                { button(Command::FollowBack, html! { "↖" }, send) }
                { button(Command::Activate, html! { "↘" }, send) }
            </div>
            if !scene.intro.is_empty() { <p class="intro">{ &scene.intro }</p> }
            if !scene.strip.parts.is_empty() { { wal::bar(&scene.strip, scene.strip.length(), "") } }
            if !scene.fields.is_empty() { <dl class="fields">{ for scene.fields.iter().map(field) }</dl> }
        </section>
    }
}

fn field(shown: &InspectorField) -> Html {
    let field = &shown.field;
    let class = classes!("field", (shown.change != Change::Same).then_some("is-modified"));
    let place = format!("{}–{}", field.bytes.start, field.bytes.end.saturating_sub(1));
    html! {
        <div {class} data-field={field.name.clone()}>
            <dt>{ &field.name }</dt>
            <dd class="value">{ &field.value }</dd>
            if !shown.hex.is_empty() { <dd class="hex" title={place}>{ &shown.hex }</dd> }
            if !field.meaning.is_empty() { <dd class="meaning">{ &field.meaning }</dd> }
            if !field.bits.is_empty() { <dd class="bits"><ul>{ for field.bits.iter().map(bit) }</ul></dd> }
        </div>
    }
}

fn bit(bit: &Bit) -> Html {
    let (class, sign) = if bit.set { ("set", "1") } else { ("unset", "0") };
    html! {
        <li {class} title={format!("0x{:04X} {}", bit.mask, bit.meaning)}>
            <b>{ sign }</b><code>{ bit.name }</code>
            if bit.set { <span>{ bit.meaning }</span> }
        </li>
    }
}
