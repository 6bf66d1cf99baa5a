//! One page: its bytes as a map, and beside it its line pointers.

use super::canvas::caption;
use super::{FaceProps, byte_map, rows};
use ffviz_story::scene::PageScene;
use yew::prelude::*;

/// Title, summary, what cannot be, byte map, rows.
pub fn draw(scene: &PageScene, props: &FaceProps) -> Html {
    html! {
        <section class="page">
            { caption(&scene.title, &scene.facts) }
            if !scene.anomalies.is_empty() {
                <ul class="anomalies" role="alert">{ for scene.anomalies.iter().map(|text| html! { <li>{ text }</li> }) }</ul>
            }
            <div class="spread">
                { byte_map::draw(scene, &props.view, props.narrow) }
                { rows::draw(&scene.title, &scene.columns, &scene.rows, &scene.links, &props.view) }
            </div>
        </section>
    }
}
