//! What the page asks of the browser's window: listeners, focus, scrolling, address, colours.

use crate::address::Address;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition, Window};

/// where the choice of colours is kept
const KEPT: &str = "ffviz-colours";
/// pixels below which pictures are drawn narrow
const NARROW: f64 = 700.0;

fn window() -> Option<Window> {
    web_sys::window()
}

fn document() -> Option<Document> {
    window()?.document()
}

/// Says in the page that every part of the program is there: from now on a key is answered at once.
pub fn set_complete() {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        // setting an attribute of this name cannot fail
        let _ = root.set_attribute("data-complete", "");
    }
}

/// Hears an event of the window as long as it lives. Keys and files are for the page, wherever the focus is.
pub struct Listener {
    name: &'static str,
    /// kept so that the browser can call it
    handler: JsValue,
}

impl Listener {
    /// Calls `handle` for each event of this name.
    pub fn new<E: FromWasmAbi + 'static>(name: &'static str, handle: impl FnMut(E) + 'static) -> Self {
        let handler = Closure::<dyn FnMut(E)>::new(handle).into_js_value();
        if let Some(window) = window() {
            // fails for no name of an event
            let _ = window.add_event_listener_with_callback(name, handler.unchecked_ref());
        }
        Self { name, handler }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(window) = window() {
            let _ = window.remove_event_listener_with_callback(self.name, self.handler.unchecked_ref());
        }
    }
}

/// Is the window as narrow as a phone?
#[must_use]
pub fn is_narrow() -> bool {
    let width = window().and_then(|window| window.inner_width().ok()).and_then(|width| width.as_f64());
    width.is_some_and(|width| width < NARROW)
}

/// Closes a menu that is open; `false` where none is.
pub fn close_menu() -> bool {
    let open = document().and_then(|document| document.query_selector("details.share[open]").ok().flatten());
    open.is_some_and(|menu| menu.remove_attribute("open").is_ok())
}

/// Scrolls what is read beside the figure to its beginning.
pub fn read_from_the_top() {
    if let Some(aside) = document().and_then(|document| document.query_selector("aside").ok().flatten()) {
        aside.set_scroll_top(0);
    }
}

/// Does the reader want less motion?
#[must_use]
pub fn wants_less_motion() -> bool {
    let asked = window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    asked.is_some_and(|asked| asked.matches())
}

/// Says in the page whether something is open: where nothing is, readers are welcomed.
pub fn set_open(open: bool) {
    if let Some(root) = document().and_then(|document| document.document_element()) {
        // an attribute of this name can be set
        let _ = root.toggle_attribute_with_force("data-open", open);
    }
}

/// The title of the browser's tab.
pub fn set_title(title: &str) {
    if let Some(document) = document() {
        document.set_title(title);
    }
}

/// Gives the focus to an element of ours.
pub fn focus(id: &str) {
    let element = document().and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        // an element that cannot take the focus keeps things as they are
        let _ = element.focus();
    }
}

/// The selected row, cell or node.
pub const SELECTION: &str = "main tr.is-selected .sign, main g.is-selected";
/// What a lesson asks, and what it says of the answer.
pub const QUESTION: &str = ".question";

/// Scrolls so that the first of these can be seen.
pub fn show(css: &str) {
    if let Some(element) = document().and_then(|document| document.query_selector(css).ok().flatten()) {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Nearest);
        options.set_inline(ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Keys that are not for the page: the browser's own, and those that the element with the focus needs for typing into a
/// field, moving a slider, pressing a button.
#[must_use]
pub fn belongs_elsewhere(event: &web_sys::KeyboardEvent) -> bool {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return true;
    }
    let Some(element) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return false };
    let key = event.key();
    let key = key.as_str();
    match element.tag_name().as_str() {
        "INPUT" if element.get_attribute("type").as_deref() == Some("range") => {
            key.starts_with("Arrow") || key.starts_with("Page") || matches!(key, "Home" | "End")
        }
        "SELECT" => true,
        "INPUT" => !matches!(key, "Escape" | "Enter" | "ArrowUp" | "ArrowDown"),
        "TEXTAREA" | "FFVIZ-SQL" => key != "Escape",
        "BUTTON" => matches!(key, "Enter" | " "),
        _ => false,
    }
}

/// Where the address leads.
#[must_use]
pub fn address() -> Option<Address> {
    Address::parse(&window()?.location().hash().ok()?)
}

/// Makes the address say where we are. `opened`: is another thing open than before? That is another entry of the
/// browser's history; a step is not.
pub fn keep_address(here: Option<&Address>, opened: bool) {
    let history = window().and_then(|window| window.history().ok()).filter(|_| address().as_ref() != here);
    let Some(history) = history else { return };
    let hash = here.map_or_else(|| "#".to_owned(), Address::hash);
    // browsers refuse when it changes too often, and pages from files have none: the address is a convenience
    let _ = if !opened {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&hash))
    } else {
        history.push_state_with_url(&JsValue::NULL, "", Some(&hash))
    };
}

/// The page's whole address.
#[must_use]
pub fn whole_address() -> Option<String> {
    window()?.location().href().ok()
}

/// Puts a text where it can be pasted from.
pub async fn copy(text: &str) -> Result<(), JsValue> {
    let clipboard = window().ok_or("no window")?.navigator().clipboard();
    wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text)).await.map(drop)
}

/// Which colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// as the system says
    System,
    /// dark on light
    Light,
    /// light on dark
    Dark,
}

impl Scheme {
    /// What was chosen before.
    #[must_use]
    pub fn kept() -> Self {
        let storage = window().and_then(|window| window.local_storage().ok().flatten());
        match storage.and_then(|storage| storage.get_item(KEPT).ok().flatten()).as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// The next choice.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::System => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::System,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Its sign.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::System => "◐",
            Self::Light => "○",
            Self::Dark => "●",
        }
    }

    /// Makes it so, and keeps it for the next visit where the browser allows that.
    pub fn apply(self) {
        let root = document().and_then(|document| document.document_element());
        if let Some(root) = root {
            // setting an attribute of this name cannot fail
            let _ = root.set_attribute("data-scheme", self.word());
        }
        if let Some(storage) = window().and_then(|window| window.local_storage().ok().flatten()) {
            let _ = storage.set_item(KEPT, self.word());
        }
    }
}
