//! What is read beside the steps of a lesson: heading, SQL, prose, and what is asked. The verdict is announced by the
//! status line.

use super::canvas::{button, sends, worded};
use crate::keymap;
use ffviz_story::app::{Command, Msg};
use ffviz_story::lesson::{Block, Span, SpanKind};
use ffviz_story::scene::{ChoiceLine, NarrationScene, QuestionScene};
use yew::prelude::*;

/// The section.
pub fn draw(scene: &NarrationScene, send: &Callback<Msg>) -> Html {
    html! {
        <section class="narration" aria-labelledby="section">
            <div class="head">
                <h2 id="section" aria-live="polite">{ &scene.title }</h2>
                <span class="place">{ &scene.place }</span>
                { button(Command::PreviousSection, html! { "‹" }, send) }
                { button(Command::NextSection, html! { "›" }, send) }
            </div>
            if !scene.sql.is_empty() { <pre class="sql">{ &scene.sql }</pre> }
            { blocks(&scene.prose) }
            if let Some(asked) = &scene.question { { question(asked, send) } }
        </section>
    }
}

fn question(scene: &QuestionScene, send: &Callback<Msg>) -> Html {
    let is_open = scene.is_open();
    // a choice is never `disabled`: whoever chose by the keyboard keeps the focus, and reads on from there
    let choice = |(n, choice): (usize, &ChoiceLine)| {
        let class = classes!("choice", choice.mark.word());
        html! {
            <li>
                <button type="button" {class} aria-disabled={(!is_open).then_some("true")} onclick={sends(send, Msg::Choose(n))}>
                    <kbd>{ QuestionScene::letter(n) }</kbd>
                    <span>{ spans(&choice.words) }</span>
                    if !choice.mark.word().is_empty() {
                        <span class="mark" role="img" aria-label={choice.mark.word()}>{ choice.mark.glyph() }</span>
                    }
                </button>
            </li>
        }
    };
    html! {
        <div class={classes!("question", scene.waits.then_some("waits"))}>
            <div role="group" aria-label="question">
                { blocks(&scene.asked) }
                <ol class="choices">{ for scene.choices.iter().enumerate().map(choice) }</ol>
            </div>
            if is_open { { worded(Command::ShowAnswer, html! { keymap::brief(Command::ShowAnswer) }, send) } }
            <div class="verdict">
                if let Some(verdict) = scene.verdict { <p><strong>{ verdict.word() }</strong></p> }
                { blocks(&scene.reason) }
            </div>
        </div>
    }
}

fn blocks(blocks: &[Block]) -> Html {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> Html {
    match block {
        Block::Heading(words) => html! { <h3>{ spans(words) }</h3> },
        Block::Paragraph(words) => html! { <p>{ spans(words) }</p> },
        Block::Code(text) => html! { <pre>{ text }</pre> },
        Block::Quote(inner) => html! { <blockquote>{ blocks(inner) }</blockquote> },
        Block::List { numbered, items } => {
            let items = items.iter().map(|item| html! { <li>{ blocks(item) }</li> });
            if *numbered {
                html! { <ol>{ for items }</ol> }
            } else {
                html! { <ul>{ for items }</ul> }
            }
        }
        Block::Table(rows) => {
            let head = rows
                .first()
                .map(|row| row.iter().map(|cell| html! { <th scope="col">{ spans(cell) }</th> }).collect::<Html>());
            let row = |row: &Vec<Vec<Span>>| html! { <tr>{ for row.iter().map(|cell| html! { <td>{ spans(cell) }</td> }) }</tr> };
            html! { <table><thead><tr>{ head }</tr></thead><tbody>{ for rows.iter().skip(1).map(row) }</tbody></table> }
        }
    }
}

fn spans(spans: &[Span]) -> Html {
    let span = |span: &Span| match span.kind {
        SpanKind::Text => html! { &span.text },
        SpanKind::Emphasis => html! { <em>{ &span.text }</em> },
        SpanKind::Strong => html! { <strong>{ &span.text }</strong> },
        SpanKind::Code => html! { <code>{ &span.text }</code> },
        SpanKind::Figure => html! { <data class="figure">{ &span.text }</data> },
    };
    spans.iter().map(span).collect()
}
