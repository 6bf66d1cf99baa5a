//! The browser face: it draws views and sends messages.

use yew::prelude::*;

/// Hello.
#[component]
pub fn App() -> Html {
    html! { <p>{ "ffviz" }</p> }
}
