//! The story: where we stand in time, what was done, what happened and why.

use super::FaceProps;
use super::canvas::{button, sends, sends_some};
use ffviz_story::app::{Command, Msg};
use ffviz_story::scene::{BandScene, EventLine, Scene, StepMark, TimelineScene};
use std::fmt::Write;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

/// height of the bar of states in its own coordinates
const BAR: f32 = 14.0;

/// Buttons, bar of states, label and headline.
pub fn story(props: &FaceProps) -> Html {
    let (scene, send) = (&props.view.timeline, &props.send);
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
                    { props.player.clone() }
                </div>
                <span class="step">{ format!("{} / {last}", scene.current) }</span>
                if !scene.statement.is_empty() { <span class="statement">{ &scene.statement }</span> }
                <div class="track">
                    <input type="range" id="time" min="0" max={last.to_string()} value={scene.current.to_string()}
                        aria-label="step" aria-valuetext={format!("{} {}", scene.current, scene.label)} oninput={slide} />
                    { marks(props) }
                    { bands(scene, props.narrow, send) }
                </div>
            </div>
            <pre class="label">{ &scene.label }</pre>
            if !scene.excerpt.is_empty() { <pre class="excerpt">{ scene.excerpt.join("\n") }</pre> }
            // it is the heading of a figure
            if !matches!(props.view.scene, Scene::Figure(_)) { { headline(scene) } }
        </section>
    }
}

/// What the step did, and how that became known.
pub fn headline(scene: &TimelineScene) -> Html {
    html! {
        <>
            <p class="headline" aria-live="polite">{ &scene.headline }</p>
            if !scene.how.is_empty() { <p class="how">{ &scene.how }</p> }
        </>
    }
}

/// The statements, as wide as they have steps among those that the bar shows: a sign each, the word where there is
/// room.
fn bands(scene: &TimelineScene, narrow: bool, send: &Callback<Msg>) -> Html {
    // letters that the whole bar has room for
    let letters = if narrow { 28.0 } else { 66.0 };
    let Some((first, last)) = scene.marks.first().zip(scene.marks.last()) else { return Html::default() };
    let all = (last.state - first.state).max(1) as f32;
    // steps have half their width to either side
    let place = |state: usize| (state - first.state) as f32;
    let percent = |part: f32| format!("{:.3}%", 100.0 * (part / all).clamp(0.0, 1.0));
    let band = |band: &BandScene| {
        let (from, to) = ((place(band.states.start) - 0.5).max(0.0), (place(band.states.end) - 0.5).min(all));
        let share = (to - from) / all;
        let words = match share {
            share if share * letters > band.word.len() as f32 => band.word.clone(),
            share if share > 0.012 => band.glyph.to_string(),
            _ => String::new(),
        };
        let onclick = sends(send, Msg::Seek(band.states.start));
        html! {
            <g class={classes!("band", band.current.then_some("current"))} {onclick}>
                <title>{ &band.label }</title>
                <rect x={percent(from)} width={percent(to - from)} height="20" />
                // cut off at the band's end, where letters are larger than was thought
                <svg x={percent(from)} width={percent(to - from)} height="20">
                    <text x="50%" y="14" text-anchor="middle">{ words }</text>
                </svg>
            </g>
        }
    };
    html! { <svg class="bands" aria-hidden="true">{ for scene.bands.iter().map(band) }</svg> }
}

/// One stroke a state, below the slider's positions: longer where the page that is shown changed. One path for all that
/// look alike: each step moves the window of states on, and with an element a state it would write every one of them
/// anew.
fn marks(props: &FaceProps) -> Html {
    let scene = &props.view.timeline;
    let Some(first) = scene.marks.first() else { return Html::default() };
    let width = scene.marks.len().saturating_sub(1).max(1);
    let strokes = |wanted: &dyn Fn(&&StepMark) -> bool| {
        scene.marks.iter().filter(wanted).fold(String::new(), |mut path, mark| {
            // writing to a String cannot fail
            let _ = write!(path, "M{} 0V{}", mark.state - first.state, if mark.here { BAR } else { BAR / 2.0 });
            path
        })
    };
    let stroke =
        |class: &'static str, path: String| html! { <path {class} d={path} vector-effect="non-scaling-stroke" /> };
    let view = props.view.clone();
    let onclick = sends_some(&props.send, move |event| Some(Msg::Seek(pointed(&event, &view.timeline)?.1.state)));
    let view = props.view.clone();
    // the words of the state under the mouse, without an element for each
    let onmousemove = move |event: MouseEvent| {
        if let Some((bar, mark)) = pointed(&event, &view.timeline) {
            let words = format!("{} {} ({})", mark.state, mark.label, mark.kind.word());
            bar.first_element_child().into_iter().for_each(|title| title.set_text_content(Some(&words)));
        }
    };
    html! {
        <svg class="marks" aria-hidden="true" preserveAspectRatio="none" viewBox={format!("0 0 {width} {BAR}")} {onclick} {onmousemove}>
            <title></title>
            { stroke("elsewhere", strokes(&|mark| !mark.here)) }
            { stroke("here", strokes(&|mark| mark.here)) }
            { stroke("current", strokes(&|mark| mark.state == scene.current)) }
        </svg>
    }
}

/// The bar, and the state nearest to where the mouse is on it.
fn pointed<'a>(event: &MouseEvent, scene: &'a TimelineScene) -> Option<(Element, &'a StepMark)> {
    let bar = event.target()?.dyn_into::<Element>().ok()?.closest(".marks").ok()??;
    let place = bar.get_bounding_client_rect();
    let share = (f64::from(event.client_x()) - place.left()) / place.width();
    let last = scene.marks.len().checked_sub(1)?;
    let mark = scene.marks.get((share * last as f64).round() as usize)?;
    Some((bar, mark))
}

/// What happened and why; a click goes there.
pub fn events(scene: &TimelineScene, send: &Callback<Msg>) -> Html {
    let event = |(n, event): (usize, &EventLine)| {
        let onclick = send.reform(move |_| Msg::SelectEvent(n));
        // what the headline says is not said again
        if event.what == scene.headline && event.why.is_empty() {
            return Html::default();
        }
        html! {
            <li>
                if event.what != scene.headline { <button type="button" class="what" {onclick}>{ &event.what }</button> }
                if !event.why.is_empty() { <p class="why">{ &event.why }</p> }
            </li>
        }
    };
    let reference = scene.reference.map(|reference| {
        html! {
            <p class="why">
                <code>{ reference.source() }</code>{ " · " }<a href={reference.url()} rel="noreferrer">{ "manual" }</a>
            </p>
        }
    });
    html! {
        <section class="events" aria-label="explanation">
            <ol>{ for scene.events.iter().enumerate().map(event) }</ol>
            { for reference }
        </section>
    }
}
