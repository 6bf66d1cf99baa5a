//! The wasm module of the viewer: nothing but its entry points.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Starts the program in the element named `ffviz` of the page that loaded the module.
///
/// # Errors
/// When the page has no such element.
#[wasm_bindgen(start)]
pub fn start() -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let root = document.and_then(|document| document.get_element_by_id("ffviz")).ok_or("no element named ffviz")?;
    yew::Renderer::<ffviz_web::App>::with_root(root).render();
    Ok(())
}
