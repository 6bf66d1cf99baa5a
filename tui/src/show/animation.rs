//! Figures of several steps as one animated SVG: CSS keyframes only, so that it plays in an `<img>`.
//!
//! ```text
//!  0                   s1                  s2
//!  ├ figure 0 ─────────┼ figure 1 ─────────┼ figure 2 ───────── … three times, then the last figure rests
//!    new parts come      what was there slides to its place, what is gone fades, what is new comes: 700 ms
//! ```
//!
//! Which things are the same in two figures says the engine (`Identity`). Without animation, or where the reader wants
//! less motion, the last figure is all there is.

use super::figure;
use crate::theme::Palette;
use ffviz_story::scene::figure::drawing::{Anchor, Drawing, Form, Paint, Shape};
use ffviz_story::scene::figure::{Fate, Identity};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How long a change takes, in milliseconds.
const CHANGE: i32 = 700;
/// How long a figure is shown, its change included.
const FIGURE: i32 = 3200;
/// How much longer the last one is.
const REST: i32 = 1600;
/// How often it plays.
const TIMES: i32 = 3;
/// Height of the title above a figure.
const TITLE: i32 = 26;

/// Where things stand in a drawing: those that are there, and ghosts.
#[derive(Default)]
struct Places {
    there: BTreeMap<Identity, (i32, i32)>,
    ghosts: BTreeMap<Identity, (i32, i32)>,
}

impl Places {
    fn of(drawing: &Drawing) -> Self {
        let mut places = Self::default();
        for shape in &drawing.shapes {
            let is_box = shape.part.is_some() || matches!(shape.paint, Paint::Frame | Paint::FrameNew);
            if let (Some(identity), Form::Rect { x, y, .. }, true) = (shape.of, &shape.form, is_box) {
                let map = if shape.fate.is_ghost() { &mut places.ghosts } else { &mut places.there };
                map.entry(identity).or_insert((*x, *y));
            }
        }
        places
    }
}

/// How a shape moves while its figure appears and goes.
enum Motion {
    /// it stands where it stood
    None,
    /// it was there, so many units from here
    Slides(i32, i32),
    /// it is new
    Comes,
    /// it says what happened: it comes when that has happened
    Says,
}

/// The figures with their titles, one after the other.
#[must_use]
pub fn svg(figures: Vec<(String, Drawing)>, title: &str, palettes: [Palette; 2], is_plain: bool) -> String {
    let figures: Vec<Drawing> = figures.into_iter().map(|(title, drawing)| titled(title, drawing)).collect();
    let size = |side: fn(&Drawing) -> i32| figures.iter().map(side).max().unwrap_or(0);
    let (width, height) = (size(|drawing| drawing.width), size(|drawing| drawing.height));
    let told: Vec<&str> = figures.iter().map(|drawing| drawing.alternative.as_str()).collect();
    let mut out = String::new();
    figure::head(&mut out, width, height, title, &told.join(" Then: "));
    let shapes: Vec<Shape> = figures.iter().flat_map(|drawing| drawing.shapes.clone()).collect();
    let style = figure::style(&shapes, palettes, is_plain);
    let _ = writeln!(out, "<style>{style}{}</style>", keyframes(figures.len() as i32));
    figure::ground(&mut out, width, height);
    let places: Vec<Places> = figures.iter().map(Places::of).collect();
    for (n, drawing) in figures.iter().enumerate() {
        let before = n.checked_sub(1).map(|before| &places[before]);
        let next = places.get(n + 1);
        let _ = writeln!(out, "<g class=\"k{n}\">");
        for shape in &drawing.shapes {
            animated(&mut out, shape, before, &places[n], next);
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// With its title above it.
fn titled(title: String, drawing: Drawing) -> Drawing {
    let mut drawing = drawing;
    for shape in &mut drawing.shapes {
        lower(&mut shape.form);
    }
    let form = Form::Text { x: 12, y: 24, anchor: Anchor::Start, text: title };
    drawing.shapes.insert(0, Shape { form, paint: Paint::Tag, fate: Fate::Same, part: None, of: None });
    Drawing { height: drawing.height + TITLE, ..drawing }
}

fn lower(form: &mut Form) {
    match form {
        Form::Rect { y, .. } | Form::Text { y, .. } | Form::Circle { y, .. } => *y += TITLE,
        // paths have absolute coordinates: they are moved as a whole
        Form::Path(_) => {}
    }
}

fn animated(out: &mut String, shape: &Shape, before: Option<&Places>, here: &Places, next: Option<&Places>) {
    let mut classes = String::new();
    let mut attributes = String::new();
    match motion(shape, before, here) {
        Motion::None => {}
        Motion::Comes => classes.push_str(" c"),
        Motion::Says => classes.push_str(" d"),
        Motion::Slides(x, y) => {
            classes.push_str(" s");
            attributes = format!(" style=\"--x:{x}px;--y:{y}px\"");
        }
    }
    let goes = |identity: Identity| next.is_some_and(|next| !next.there.contains_key(&identity));
    if !shape.fate.is_ghost() && shape.of.is_some_and(goes) && classes.is_empty() {
        classes.push_str(" l");
    }
    if let Form::Path(_) = shape.form {
        let _ = write!(attributes, " transform=\"translate(0 {TITLE})\"");
    }
    figure::shape(out, shape, (&classes, &attributes));
}

fn motion(shape: &Shape, before: Option<&Places>, here: &Places) -> Motion {
    let says = matches!(shape.paint, Paint::Tag | Paint::Mark | Paint::MarkNumber);
    let Some(identity) = shape.of.filter(|_| !says) else { return Motion::Says };
    let at = if shape.fate.is_ghost() { here.ghosts.get(&identity) } else { here.there.get(&identity) };
    let was = match shape.fate {
        // from the page where it was
        Fate::Arrived => here.ghosts.get(&identity),
        _ => before.and_then(|before| before.there.get(&identity)),
    };
    let is_new = here.there.contains_key(&identity) && matches!(shape.fate, Fate::New | Fate::Arrived);
    match (at, was) {
        (Some(at), Some(was)) if at == was => Motion::None,
        (Some(at), Some(was)) => Motion::Slides(was.0 - at.0, was.1 - at.1),
        (_, None) if is_new || before.is_some() => Motion::Comes,
        _ => Motion::None,
    }
}

/// The style that makes so many figures move.
fn keyframes(count: i32) -> String {
    let whole = count * FIGURE + REST;
    let percent = |ms: i32| format!("{:.2}%", f64::from(ms) * 100.0 / f64::from(whole));
    let mut css = String::new();
    for n in 0..count {
        let (from, to) = (n * FIGURE, if n + 1 == count { whole } else { (n + 1) * FIGURE });
        let (s, half, e, end) = (percent(from), percent(from + CHANGE / 2), percent(from + CHANGE), percent(to));
        let hidden = if n == 0 { "" } else { "0%{visibility:hidden}" };
        let rest = if n + 1 == count { "100%{visibility:visible}" } else { "100%{visibility:hidden}" };
        let _ = write!(css, "@keyframes k{n}{{{hidden}{s}{{visibility:visible}}{end}{{visibility:hidden}}{rest}}}");
        let _ = write!(css, "@keyframes c{n}{{0%,{s}{{opacity:0}}{e},100%{{opacity:1}}}}");
        let _ = write!(css, "@keyframes d{n}{{0%,{half}{{opacity:0}}{e},100%{{opacity:1}}}}");
        let _ = write!(
            css,
            "@keyframes s{n}{{0%,{s}{{transform:translate(var(--x),var(--y))}}{e},100%{{transform:none}}}}"
        );
        let _ = write!(css, ".k{n}{{animation:k{n} {whole}ms step-end {TIMES}}}");
        for class in ["c", "d", "s"] {
            let _ = write!(css, ".k{n} .{class}{{animation:{class}{n} {whole}ms {TIMES}}}");
        }
        if n + 1 < count {
            let gone = percent(to + CHANGE / 2);
            let _ = write!(
                css,
                "@keyframes l{n}{{0%,{s}{{visibility:hidden}}{s},{end}{{visibility:visible;opacity:1}}{gone},100%{{visibility:hidden;opacity:0}}}}\
                 .k{n} .l{{animation:l{n} {whole}ms {TIMES}}}.k{n}{{visibility:hidden}}"
            );
        }
    }
    css + "@media(prefers-reduced-motion:reduce){*{animation:none!important}}"
}
