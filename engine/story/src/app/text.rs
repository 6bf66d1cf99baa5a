//! A whole view as plain text: `ffviz show --format text`, playback without a terminal, golden files.

use super::{Beside, Overlay, View};
use crate::scene::text::{self, Options};
use crate::scene::{Provenance, Scene};
use alloc::string::String;

/// Title, what is read beside the step, step with its reasons, picture, legend, inspector, status; parts apart by empty
/// lines.
#[must_use]
pub fn text(view: &View, options: Options) -> String {
    let is_list = matches!(view.scene, Scene::List(_));
    // the list of what else there is stands where a script made no page; it is no picture of its steps
    let is_picture = !is_list || !view.relations.is_empty() || view.provenance != Provenance::Simulated;
    let inspector =
        if view.selected.is_some() && !is_list { text::inspector(&view.inspector, options) } else { String::new() };
    let legend = if is_list { String::new() } else { text::legend(&view.legend, options) };
    let overlay = match &view.overlay {
        Some(Overlay::Text(title, lines)) => [title.as_str()]
            .into_iter()
            .chain(lines.iter().map(String::as_str))
            .map(|line| alloc::format!("{line}\n"))
            .collect(),
        Some(Overlay::Editor(scene)) => {
            let problem = scene.problem.as_ref();
            let problem = problem.map_or_else(String::new, |it| alloc::format!("line {}: {}\n", it.line, it.sentence));
            alloc::format!("{}\n{}\n{}{problem}", scene.title, scene.hint, scene.text)
        }
        Some(Overlay::Help) | None => String::new(),
    };
    let (first, beside) = view.versus.as_ref().map_or_else(Default::default, |beside| versus(view, beside, options));
    let parts = [
        view.title.clone() + "\n",
        view.narration.as_ref().map_or_else(String::new, |narration| text::narration(narration, options)),
        text::timeline(&view.timeline, options),
        first,
        if is_picture { text::scene(&view.scene, options) } else { String::new() },
        beside,
        legend,
        inspector,
        view.status.clone(),
        overlay,
    ];
    let shown = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty());
    options.finish(shown.collect::<alloc::vec::Vec<_>>().join("\n\n") + "\n")
}

/// Two runs of one script: the name of the first; the other, and what both cost.
fn versus(view: &View, beside: &Beside, options: Options) -> (String, String) {
    let [one, two] = &beside.names;
    let name = |name: &str, view: &View| {
        let timeline = &view.timeline;
        let last = timeline.count.saturating_sub(1);
        alloc::format!("-- {name}, step {} of {last}: {}", timeline.current, timeline.headline)
    };
    let totals = text::totals(&beside.totals, options);
    let other = text::scene(&beside.view.scene, options);
    (name(one, view), [name(two, &beside.view), other.trim_end().into(), totals].join("\n\n"))
}
