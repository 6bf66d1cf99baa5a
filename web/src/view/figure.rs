//! The figure of a step: the engine's drawing as SVG. What is new fades in, what is gone fades out, once.

use super::{FaceProps, timeline};
use crate::theme;
use ffviz_story::scene::figure::drawing::{Anchor, Drawing, Form, Paint, Shape, draw as lay_out};
use ffviz_story::scene::figure::{Fate, FigureScene};
use yew::prelude::*;

/// Width of a drawing in its own units, and in a narrow window.
const WIDTH: [i32; 2] = [820, 400];

/// Heading and drawing; what it shows in words for who does not see it.
pub fn draw(scene: &FigureScene, props: &FaceProps) -> Html {
    let drawing = lay_out(scene, WIDTH[usize::from(props.narrow)]);
    let Drawing { width, height, .. } = drawing;
    // another step is another drawing: what is new in it moves
    let key = props.view.timeline.current;
    html! {
        <section class="figure">
            <h2>{ &scene.title }</h2>
            { timeline::headline(&props.view.timeline) }
            <svg {key} class="drawing" role="group" aria-label={drawing.alternative.clone()}
                viewBox={format!("0 0 {width} {height}")}>
                { for drawing.shapes.iter().map(|shape| self::shape(shape, props)) }
            </svg>
        </section>
    }
}

fn shape(shape: &Shape, props: &FaceProps) -> Html {
    let Some((part, role, words)) = &shape.part else { return form(&shape.form, class(shape, false)) };
    let class = class(shape, props.view.selected == Some(*part));
    html! {
        <g data-part={part.to_string()} data-role={role.word()} role="img" aria-label={words.clone()}>
            { form(&shape.form, class) }
        </g>
    }
}

/// Paint, fate, and of a band the family of its role.
fn class(shape: &Shape, selected: bool) -> Classes {
    let family = if let Paint::Band(role) = shape.paint { Some(format!("f-{}", theme::look(role).0)) } else { None };
    let fate = (shape.fate != Fate::Same).then(|| shape.fate.name());
    classes!(shape.paint.name(), fate, family, selected.then_some("is-selected"))
}

fn form(form: &Form, class: Classes) -> Html {
    match form {
        Form::Rect { x, y, w, h, r } => html! {
            <rect {class} x={x.to_string()} y={y.to_string()} width={w.to_string()} height={h.to_string()} rx={r.to_string()} />
        },
        Form::Circle { x, y, r } => {
            html! { <circle {class} cx={x.to_string()} cy={y.to_string()} r={r.to_string()} /> }
        }
        Form::Path(d) => html! { <path {class} d={d.clone()} /> },
        Form::Text { x, y, anchor, text } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            html! {
                <text {class} x={x.to_string()} y={y.to_string()} text-anchor={anchor} aria-hidden="true">{ text }</text>
            }
        }
    }
}
