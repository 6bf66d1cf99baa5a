//! The rest of the program: what the first picture does not need.
//!
//! The bundler cuts the module in two (`bundler/src/split.rs`). The second part is fetched when the first has drawn
//! something, or at once where nothing can be drawn without it; it has the same memory, and puts its functions where
//! the first part looks for them.

use crate::library::{self, Failure};
use js_sys::{Object, Promise, Reflect, WebAssembly};
use std::cell::RefCell;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

/// The file's name, beside the page.
const REST: &str = "ffviz_rest.wasm";
/// As what the rest imports the first part.
const FIRST: &str = "first";

/// Is it there?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// nobody asked for it yet
    Absent,
    /// it was asked for
    Awaited,
    /// every function can be called
    Here,
}

thread_local! {
    /// how that went, or goes: it is done once, for all that is drawn on a page
    static FETCHED: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Fetches the rest and makes it part of the program, once.
///
/// # Errors
/// When the file cannot be read, or is of another build than the first part.
pub async fn fetch() -> Result<(), Failure> {
    let begin = || future_to_promise(async { link().await.map(|()| JsValue::UNDEFINED).map_err(JsValue::from) });
    let promise = FETCHED.with_borrow_mut(|fetched| fetched.get_or_insert_with(begin).clone());
    JsFuture::from(promise).await.map(drop).map_err(|why| why.as_string().unwrap_or_default())
}

async fn link() -> Result<(), Failure> {
    let bytes = library::shipped(REST).await?;
    let imports = Object::new();
    let linked = Reflect::set(&imports, &FIRST.into(), &wasm_bindgen::exports());
    linked.map_err(|error| library::sentence(REST, &error))?;
    let instance = JsFuture::from(WebAssembly::instantiate_buffer(&bytes, &imports)).await;
    instance.map(drop).map_err(|error| library::sentence(REST, &error))
}
