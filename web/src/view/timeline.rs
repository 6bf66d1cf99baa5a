//! The story: where we stand in time, what was done, what happened and why.

use super::canvas::{button, sends_some};
use ffviz_engine::app::{Command, Msg};
use ffviz_engine::scene::{EventLine, StepMark, TimelineScene};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

/// height of the bar of states in its own coordinates
const BAR: f32 = 14.0;

/// Buttons, bar of states, label and headline.
pub fn story(scene: &TimelineScene, send: &Callback<Msg>) -> Html {
    let slide = sends_some(send, |event: InputEvent| {
        let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
        input.value().parse().ok().map(Msg::Seek)
    });
    let last = scene.count.saturating_sub(1);
    html! {
        <section class="story" aria-label="timeline">
            <div class="controls">
                <div class="buttons">
                    { button(Command::First, html! { "⇤" }, send) }
                    { button(Command::StepBack, html! { "←" }, send) }
                    { button(Command::StepForward, html! { "→" }, send) }
                    { button(Command::Last, html! { "⇥" }, send) }
                </div>
                <output class="step">{ format!("{} / {last}", scene.current) }</output>
                if !scene.statement.is_empty() { <span class="statement">{ &scene.statement }</span> }
                <div class="track">
                    <input type="range" id="time" min="0" max={last.to_string()} value={scene.current.to_string()}
                        aria-label="step" aria-valuetext={format!("{} {}", scene.current, scene.label)} oninput={slide} />
                    { marks(scene, send) }
                </div>
            </div>
            <pre class="label">{ &scene.label }</pre>
            <p class="headline" aria-live="polite">{ &scene.headline }</p>
            if !scene.how.is_empty() { <p class="how">{ &scene.how }</p> }
        </section>
    }
}

/// One stroke a state, below the slider's positions: longer where the page that is shown changed.
fn marks(scene: &TimelineScene, send: &Callback<Msg>) -> Html {
    let Some(first) = scene.marks.first() else { return Html::default() };
    let width = scene.marks.len().saturating_sub(1).max(1);
    let stroke = |mark: &StepMark| {
        let x = mark.state - first.state;
        let class = classes!(mark.here.then_some("is-here"), (mark.state == scene.current).then_some("is-current"));
        let bottom = if mark.here { BAR } else { BAR / 2.0 };
        html! {
            <g {class} data-state={mark.state.to_string()}>
                <title>{ format!("{} {} ({})", mark.state, mark.label, mark.kind.word()) }</title>
                <rect class="target" x={(x as f32 - 0.5).to_string()} width="1" height={BAR.to_string()} />
                <path d={format!("M{x} 0V{bottom}")} vector-effect="non-scaling-stroke" />
            </g>
        }
    };
    let onclick = sends_some(send, |event: MouseEvent| {
        let element = event.target()?.dyn_into::<Element>().ok()?;
        element.closest("[data-state]").ok()??.get_attribute("data-state")?.parse().ok().map(Msg::Seek)
    });
    html! {
        <svg class="marks" aria-hidden="true" preserveAspectRatio="none" viewBox={format!("0 0 {width} {BAR}")} {onclick}>
            { for scene.marks.iter().map(stroke) }
        </svg>
    }
}

/// What happened and why; a click goes there.
pub fn events(scene: &TimelineScene, send: &Callback<Msg>) -> Html {
    let event = |(n, event): (usize, &EventLine)| {
        let onclick = send.reform(move |_| Msg::SelectEvent(n));
        html! {
            <li>
                <button type="button" class="what" {onclick}>{ &event.what }</button>
                if !event.why.is_empty() { <p class="why">{ &event.why }</p> }
            </li>
        }
    };
    html! { <section class="events" aria-label="explanation"><ol>{ for scene.events.iter().enumerate().map(event) }</ol></section> }
}
