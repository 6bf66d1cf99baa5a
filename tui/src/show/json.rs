//! What there is to see as one JSON object: the parts with their roles, words and bytes, the fields of what is
//! selected, the step.

mod figure;

use crate::plot;
use ffviz_story::app::View;
use ffviz_story::scene::{
    Bar, Change, Column, Fact, InspectorField, Link, MapCell, PartRegion, ResultScene, Row, Scene, TimelineScene,
    TreeLevel, TreeNode, WalPanel, WalRow,
};
use serde_json::{Value, json};

/// The view as one line of JSON.
#[must_use]
pub fn json(view: &View) -> String {
    let value = json!({
        "title": view.title,
        "scene": scene(&view.scene),
        "selected": view.selected.map(|part| part.to_string()),
        "inspector": {
            "title": view.inspector.title,
            "intro": view.inspector.intro,
            "strip": bar(&view.inspector.strip),
            "fields": view.inspector.fields.iter().map(field).collect::<Vec<_>>(),
        },
        "step": step(&view.timeline),
        "versus": view.versus.as_ref().map(|beside| json!({
            "names": beside.names, "scene": scene(&beside.view.scene), "step": step(&beside.view.timeline),
            "totals": { "columns": columns(&beside.totals.columns), "rows": beside.totals.rows },
        })),
        "legend": view.legend.iter().map(|role| role.word()).collect::<Vec<_>>(),
        "status": view.status,
    });
    format!("{value}\n")
}

fn scene(scene: &Scene) -> Value {
    match scene {
        Scene::List(list) => json!({
            "view": "list", "title": list.title, "hint": list.hint,
            "columns": columns(&list.columns), "rows": list.rows.iter().map(row).collect::<Vec<_>>(),
        }),
        Scene::Figure(figure) => figure::json(figure),
        Scene::RelationMap(map) => json!({
            "view": "map", "title": map.title, "measure": map.measure, "facts": facts(&map.facts),
            "blocks": map.blocks, "zoom": map.zoom, "cells": map.cells.iter().map(cell).collect::<Vec<_>>(),
        }),
        Scene::Page(page) => json!({
            "view": "page", "page": page.id.to_string(), "title": page.title, "facts": facts(&page.facts),
            "size": page.size, "regions": page.regions.iter().map(region).collect::<Vec<_>>(),
            "columns": columns(&page.columns), "rows": page.rows.iter().map(row).collect::<Vec<_>>(),
            "links": links(&page.links), "anomalies": page.anomalies,
        }),
        Scene::Tree(tree) => json!({
            "view": "tree", "title": tree.title, "facts": facts(&tree.facts),
            "levels": tree.levels.iter().map(level).collect::<Vec<_>>(), "links": links(&tree.links),
        }),
        Scene::Charts(charts) => json!({
            "view": "charts", "title": charts.title, "hint": charts.hint, "current": charts.current,
            "charts": charts.charts.iter().map(|chart| plot::one(&chart.plot)).collect::<Vec<_>>(),
        }),
        Scene::Wal(wal) => json!({
            "view": "wal", "title": wal.title, "hint": wal.hint, "facts": facts(&wal.facts), "bytes": bar(&wal.whole),
            "columns": columns(&wal.columns), "rows": wal.rows.iter().map(wal_row).collect::<Vec<_>>(),
            "above": wal.above, "below": wal.below, "totals": wal.panels.iter().map(panel).collect::<Vec<_>>(),
        }),
    }
}

const fn change(change: Change) -> &'static str {
    match change {
        Change::Same => "same",
        Change::Added => "added",
        Change::Modified => "modified",
        Change::Moved => "moved",
    }
}

fn facts(facts: &[Fact]) -> Value {
    facts.iter().map(|fact| json!({"label": fact.label, "value": fact.value})).collect()
}

fn columns(columns: &[Column]) -> Value {
    columns.iter().map(|column| json!(column.title)).collect()
}

fn row(row: &Row) -> Value {
    json!({
        "part": row.part.to_string(), "role": row.role.word(), "change": change(row.change), "cells": row.cells,
        "chain": row.chain.map(|mark| json!({"chain": mark.chain, "place": mark.place, "last": mark.last})),
    })
}

/// Bytes by what they are spent on; how long the bar is drawn is of no use to a program.
fn bar(bar: &Bar) -> Value {
    bar.parts.iter().map(|part| json!({"role": part.role.word(), "bytes": part.bytes})).collect()
}

fn wal_row(wal: &WalRow) -> Value {
    json!({
        "part": wal.row.part.to_string(), "role": wal.row.role.word(), "cells": wal.row.cells, "bytes": bar(&wal.bar),
        "current": wal.current,
    })
}

fn panel(panel: &WalPanel) -> Value {
    json!({
        "title": panel.title, "columns": columns(&panel.columns),
        "rows": panel.rows.iter().map(wal_row).collect::<Vec<_>>(),
    })
}

fn region(region: &PartRegion) -> Value {
    json!({
        "part": region.part.to_string(), "role": region.role.word(), "change": change(region.change),
        "bytes": [region.bytes.start, region.bytes.end], "label": region.label,
        "changed": region.changed.iter().map(|bytes| json!([bytes.start, bytes.end])).collect::<Vec<_>>(),
    })
}

fn cell(cell: &MapCell) -> Value {
    json!({
        "part": cell.part.to_string(), "role": cell.role.word(), "change": change(cell.change),
        "percent": cell.percent, "label": cell.label,
    })
}

fn level(level: &TreeLevel) -> Value {
    json!({"title": level.title, "nodes": level.nodes.iter().map(node).collect::<Vec<_>>()})
}

fn node(node: &TreeNode) -> Value {
    json!({
        "part": node.part.to_string(), "role": node.role.word(), "change": change(node.change),
        "percent": node.percent, "lines": node.lines,
    })
}

fn links(links: &[Link]) -> Value {
    let link =
        |link: &Link| json!({"from": link.from.to_string(), "to": link.to.to_string(), "kind": link.kind.word()});
    links.iter().map(link).collect()
}

fn field(field: &InspectorField) -> Value {
    let bits = field.field.bits.iter().filter(|bit| bit.set).map(|bit| bit.name).collect::<Vec<_>>();
    json!({
        "name": field.field.name, "bytes": [field.field.bytes.start, field.field.bytes.end], "hex": field.hex,
        "value": field.field.value, "meaning": field.field.meaning, "bits": bits, "change": change(field.change),
    })
}

fn step(timeline: &TimelineScene) -> Value {
    let events = timeline.events.iter().map(|event| {
        json!({
            "page": event.page.to_string(), "part": event.part.map(|part| part.to_string()),
            "what": event.what, "why": event.why,
        })
    });
    json!({
        "current": timeline.current, "count": timeline.count, "statement": timeline.statement,
        "address": timeline.address, "label": timeline.label,
        "headline": timeline.headline, "how": timeline.how, "events": events.collect::<Vec<_>>(),
        "reference": timeline.reference.map(|reference| json!({
            "file": format!("src/backend/{}", reference.file), "function": reference.function, "manual": reference.url(),
        })),
        "results": timeline.results.iter().map(result).collect::<Vec<_>>(),
    })
}

fn result(scene: &ResultScene) -> Value {
    json!({
        "title": scene.title, "columns": columns(&scene.columns), "rows": scene.rows, "footer": scene.footer,
    })
}
