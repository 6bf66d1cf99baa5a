//! What can be taken from a step: a link, a tag for another page, the picture, a report of a mistake.

use crate::link::Link;
use crate::window;
use ffviz_story::app::{Model, Source};
use ffviz_story::scene::address;
use std::fmt::Write;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// What is to be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// a link to here
    Link,
    /// the tag that shows this step in another page
    Embed,
    /// the figure as it is drawn
    Svg,
}

/// Where mistakes are told.
const ISSUES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues/new");

/// A menu; `share` hears what was chosen, `headline` is what a report begins with.
pub fn menu(share: &Callback<Share>, headline: &str) -> Html {
    let button = |what: Share, word: &'static str| {
        let onclick = share.reform(move |_: MouseEvent| what);
        html! { <button type="button" {onclick}>{ word }</button> }
    };
    html! {
        <details class="share">
            <summary>{ "share" }</summary>
            <div>
                { button(Share::Link, "copy link") }
                { button(Share::Embed, "copy embed") }
                { button(Share::Svg, "copy SVG") }
                <a href={report(headline)} target="_blank" rel="noreferrer">{ "report a mistake" }</a>
            </div>
        </details>
    }
}

/// The address of a report with the step filled in; nothing is sent before the reader does.
fn report(headline: &str) -> String {
    let place = window::whole_address().unwrap_or_default();
    let body = format!("What is shown: {headline}\n\nAt: {place}\n\nWhat is wrong with it:\n");
    let encoded = |text: &str| String::from(js_sys::encode_uri_component(text));
    format!("{ISSUES}?title={}&body={}", encoded("A step shows something wrong"), encoded(&body))
}

/// Copies it; says how that went.
pub async fn copy(what: Share, text: Option<String>) -> String {
    let (name, text) = match what {
        Share::Link => ("The link", window::whole_address()),
        Share::Embed => ("The tag", text),
        Share::Svg => ("The picture", drawing()),
    };
    let Some(text) = text else { return format!("{name} cannot be made of this view: show the figure of a step.") };
    match window::copy(&text).await {
        Ok(()) => format!("{name} was copied."),
        Err(_) => "The browser does not let anything be copied here.".to_owned(),
    }
}

/// The tag that shows this step in another page; SQL stands in it, of a lesson its name.
pub fn embed(model: &Model, link: Option<&Link>, headline: &str) -> Option<String> {
    let timeline = model.timeline.as_ref()?;
    let here = timeline.current();
    let step = address(timeline, here).unwrap_or_else(|| here.to_string());
    let mut tag = String::from("<ffviz-demo");
    let mut attribute = |name: &str, value: &str| {
        // writing to a String cannot fail
        let _ = write!(tag, " {name}=\"{}\"", escaped(value));
    };
    match (&model.source, link) {
        (_, Some(link)) if !link.server.version.is_empty() => attribute("pg", &link.server.version),
        (Source::Recording(name) | Source::Lesson(name, _), None) => {
            attribute("lesson", name.strip_prefix("lesson/").unwrap_or(name))
        }
        (_, Some(_)) => {}
        _ => return None,
    }
    attribute("step", &step);
    attribute("view", model.place.view.name());
    let inside = match link {
        Some(link) => format!("<pre>{}</pre>", escaped(&link.sql)),
        None => format!("<p>{}</p>", escaped(headline)),
    };
    Some(format!("{tag}>\n{inside}\n</ffviz-demo>\n<script type=\"module\" src=\"define.js\"></script>\n"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The drawing on screen as a file of its own, in its present colours.
fn drawing() -> Option<String> {
    const STYLE: [&str; 9] = [
        "fill",
        "stroke",
        "stroke-width",
        "stroke-dasharray",
        "font-family",
        "font-size",
        "font-weight",
        "text-anchor",
        "text-decoration-line",
    ];
    let window = web_sys::window()?;
    let drawn = window.document()?.query_selector("svg.drawing").ok()??;
    let copy: Element = drawn.clone_node_with_deep(true).ok()?.unchecked_into();
    let each = |of: &Element| of.query_selector_all("rect, circle, path, text").ok();
    let (from, to) = (each(&drawn)?, each(&copy)?);
    for n in 0..from.length() {
        let (from, to) = (from.get(n)?.unchecked_into::<Element>(), to.get(n)?.unchecked_into::<Element>());
        let style = window.get_computed_style(&from).ok()??;
        for name in STYLE {
            let value = style.get_property_value(name).unwrap_or_default();
            let name = if name == "text-decoration-line" { "text-decoration" } else { name };
            to.set_attribute(name, &value).ok()?;
        }
        to.remove_attribute("class").ok()?;
    }
    copy.set_attribute("xmlns", "http://www.w3.org/2000/svg").ok()?;
    Some(copy.outer_html())
}
