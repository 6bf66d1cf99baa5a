//! A figure as JSON: panels with their lines, arrows by panel and part, notes in the order of their marks.

use ffviz_story::scene::figure::{Arrow, Band, Chip, FigureScene, Panel, PanelLine};
use serde_json::{Value, json};

/// The figure as an object.
pub fn json(figure: &FigureScene) -> Value {
    json!({
        "view": "figure", "event": figure.plot.name(), "title": figure.title,
        "panels": figure.panels.iter().map(panel).collect::<Vec<_>>(),
        "arrows": figure.arrows.iter().map(arrow).collect::<Vec<_>>(),
        "notes": figure.notes, "left_out": figure.left_out, "alternative": figure.alternative(),
    })
}

fn panel(panel: &Panel) -> Value {
    json!({
        "page": panel.page.map(|id| id.to_string()), "title": panel.title, "status": panel.status,
        "new": panel.is_new, "row": panel.row, "mark": panel.mark,
        "lines": panel.lines.iter().map(line).collect::<Vec<_>>(),
    })
}

fn line(line: &PanelLine) -> Value {
    match line {
        PanelLine::Chips(chips) => {
            json!({ "line_pointers": chips.iter().map(|chip| chip.as_ref().map(self::chip)).collect::<Vec<_>>() })
        }
        PanelLine::Free(words) => json!({ "free": words }),
        PanelLine::Band(band) => self::band(band),
        PanelLine::More(words) => json!({ "more": words }),
        PanelLine::Tear(words) => json!({ "tear": words }),
    }
}

fn chip(chip: &Chip) -> Value {
    json!({
        "part": chip.part.to_string(), "text": chip.text, "role": chip.role.word(), "fate": chip.fate.name(),
        "mark": chip.mark,
    })
}

fn band(band: &Band) -> Value {
    json!({
        "part": band.part.to_string(), "label": band.label, "text": band.text, "leads": band.leads, "tag": band.tag,
        "role": band.role.word(), "fate": band.fate.name(), "bytes": band.bytes, "mark": band.mark,
    })
}

fn arrow(arrow: &Arrow) -> Value {
    let end = |(panel, part): (usize, ffviz_story::scene::PartId)| json!({ "panel": panel, "piece": part.to_string() });
    json!({ "from": end(arrow.from), "to": end(arrow.to), "bold": arrow.bold, "word": arrow.word })
}
