//! The wasm module of the viewer: nothing but its entry points, for a page of ours and for an element in another's.

use ffviz_web::{Demo, DemoProps, Options, Order, Told};
use js_sys::{Function, Object, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;
use yew::{AppHandle, Callback, Renderer};

/// Starts the program in the element named `ffviz` of the page that loaded the module.
///
/// # Errors
/// When the page has no such element.
#[wasm_bindgen]
pub fn page() -> Result<(), JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let root = document.and_then(|document| document.get_element_by_id("ffviz")).ok_or("no element named ffviz")?;
    Renderer::<ffviz_web::App>::with_root(root).render();
    Ok(())
}

/// Says where our files are, with `/` at the end, when that is not beside the page.
#[wasm_bindgen]
pub fn base(address: String) {
    ffviz_web::set_base(address);
}

/// Fetches the rest of the program: an element needs all of it.
///
/// # Errors
/// When it cannot be read: a sentence.
#[wasm_bindgen]
pub async fn whole() -> Result<(), JsValue> {
    ffviz_web::fetch_rest().await.map_err(JsValue::from)
}

/// The program within an element of another page; `whole` comes before it.
#[wasm_bindgen]
pub struct Player(AppHandle<Demo>);

#[wasm_bindgen]
impl Player {
    /// Draws into `root`. `options` has the element's attributes; `tell` is called with `ready`, `step` or `error`, and
    /// an object that says more.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(root: Element, options: &JsValue, tell: Function) -> Player {
        let tell = Callback::from(move |told: Told| {
            let (name, detail) = event(told);
            // what a handler throws is the page's own affair
            let _ = tell.call2(&JsValue::NULL, &name.into(), &detail);
        });
        let props = DemoProps { options: self::options(options), tell };
        Self(Renderer::<Demo>::with_root_and_props(root, props).render())
    }

    /// A step forward.
    pub fn next(&self) {
        self.order(Order::Next);
    }

    /// A step back.
    pub fn back(&self) {
        self.order(Order::Back);
    }

    /// To a step, by its address.
    pub fn seek(&self, step: String) {
        self.order(Order::Seek(step));
    }

    /// Other attributes.
    pub fn set(&self, options: &JsValue) {
        self.order(Order::Options(Box::new(self::options(options))));
    }

    /// Takes the program out of the page.
    pub fn remove(self) {
        self.0.destroy();
    }

    fn order(&self, order: Order) {
        self.0.send_message(ffviz_web::DemoIncoming::Order(order));
    }
}

/// The element's attributes, as JavaScript has them.
fn options(object: &JsValue) -> Options {
    let field = |name: &str| Reflect::get(object, &name.into()).ok().and_then(|value| value.as_string());
    let word = |name: &str| field(name).unwrap_or_default();
    Options {
        lesson: field("lesson"),
        recording: field("recording"),
        script: field("script"),
        pg: word("pg"),
        step: word("step"),
        range: field("range"),
        view: word("view"),
        controls: word("controls"),
        autoplay: field("autoplay").is_some(),
    }
}

/// An event's name, and what it says.
fn event(told: Told) -> (&'static str, JsValue) {
    let object = Object::new();
    let set = |name: &str, value: JsValue| {
        // a plain object takes any property
        let _ = Reflect::set(&object, &name.into(), &value);
    };
    let name = match told {
        Told::Ready => "ready",
        Told::Step { step, states: (state, count), headline, alternative } => {
            set("step", step.into());
            set("state", state.into());
            set("states", count.into());
            set("headline", headline.into());
            set("alternative", alternative.into());
            "step"
        }
        Told::Error(message) => {
            set("message", message.into());
            "error"
        }
    };
    (name, object.unchecked_into())
}
