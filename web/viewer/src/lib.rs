//! The wasm module of the viewer: nothing but its entry points.

use wasm_bindgen::prelude::wasm_bindgen;

/// Starts the program in the page that loaded the module.
#[wasm_bindgen(start)]
pub fn start() {
    yew::Renderer::<ffviz_web::App>::new().render();
}
