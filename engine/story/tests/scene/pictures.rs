//! What must hold of every picture of every step of every shipped recording.

use crate::shared::{command, library, open};
use ffviz_format::page::RegionKind;
use ffviz_story::app::{Command, Msg, ViewName, update, view};
use ffviz_story::scene::{Measure, PageScene, PartId, RelationMapScene, Role, Scene, TreeScene, inspect, words};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_picture_holds_together() {
    let (mut pictures, mut parts) = (0, 0);
    for name in library().into_iter().map(|entry| entry.name) {
        let mut model = open(&name);
        for state in 0..view(&model).timeline.count {
            update(&mut model, Msg::Seek(state));
            let look = model.look().expect("open");
            let ids: Vec<_> =
                look.state.pages.keys().map(|id| (*id, look.change(*id).is_some() || state == 0)).collect();
            for (id, changed) in ids.into_iter().filter(|(_, changed)| *changed) {
                for view_name in [ViewName::Page, ViewName::Map, ViewName::Tree] {
                    (model.place.page, model.place.view, model.place.selected) = (Some(id), view_name, None);
                    let shown = view(&model);
                    let place = format!("{name} state {state} {id} {view_name:?}");
                    signs_differ(&shown.legend, &place);
                    match &shown.scene {
                        Scene::Page(scene) => {
                            check_page(scene, &place);
                            let look = model.look().expect("open");
                            for region in scene.regions.iter().filter(|_| changed) {
                                let fields = inspect(&look, &shown.scene, Some(id), Some(region.part));
                                assert_ne!(fields.title, "", "{place} {}", region.part);
                                assert!(!fields.fields.is_empty(), "{place} {}: no field", region.part);
                                parts += 1;
                            }
                        }
                        Scene::RelationMap(map) => check_map(map, &place),
                        Scene::Tree(tree) => check_tree(tree, &place),
                        Scene::List(_) | Scene::Figure(_) | Scene::Wal(_) | Scene::Charts(_) => {
                            panic!("{place}: a list")
                        }
                    }
                    pictures += 1;
                }
            }
        }
    }
    println!("{pictures} pictures checked, {parts} parts inspected");
    assert!(pictures > 100 && parts > 1000);
}

pub fn check_page(scene: &PageScene, place: &str) {
    let mut end = 0;
    for region in &scene.regions {
        assert_eq!(region.bytes.start, end, "{place}: a gap or overlap before {region:?}");
        assert!(region.bytes.start < region.bytes.end, "{place}: {region:?} is empty");
        assert!(region.changed.iter().all(|run| run.start >= region.bytes.start && run.end <= region.bytes.end));
        end = region.bytes.end;
    }
    assert_eq!(end, scene.size, "{place}: the regions do not cover the page");
    assert!(scene.rows.iter().all(|row| row.cells.len() == scene.columns.len()), "{place}: cells and columns");
    let rows = distinct(scene.rows.iter().map(|row| row.part), place);
    let regions = distinct(scene.regions.iter().map(|region| region.part), place);
    for link in &scene.links {
        for part in [link.from, link.to] {
            let exists = rows.contains(&part) || regions.contains(&part) || matches!(part, PartId::Block(_));
            assert!(exists, "{place}: {link:?} leads nowhere");
        }
    }
}

fn distinct(parts: impl Iterator<Item = PartId>, place: &str) -> BTreeSet<PartId> {
    let mut seen = BTreeSet::new();
    for part in parts {
        assert!(seen.insert(part), "{place}: {part} occurs twice");
    }
    seen
}

pub fn check_map(map: &RelationMapScene, place: &str) {
    assert_eq!(map.cells.len() as u32, map.blocks.div_ceil(map.zoom), "{place}");
    distinct(map.cells.iter().map(|cell| cell.part), place);
    assert!(map.cells.iter().all(|cell| cell.percent.is_none_or(|percent| percent <= 100)), "{place}");
}

pub fn check_tree(tree: &TreeScene, place: &str) {
    let nodes = tree.levels.iter().flat_map(|level| &level.nodes);
    let nodes = distinct(nodes.map(|node| node.part), place);
    for link in &tree.links {
        assert!(nodes.contains(&link.from) && nodes.contains(&link.to), "{place}: {link:?} leads nowhere");
    }
}

/// Roles of one picture can be told apart without colour. What is empty is blank.
fn signs_differ(roles: &[Role], place: &str) {
    for sign in [Role::glyph, Role::ascii] {
        let mut seen = BTreeMap::new();
        for role in roles.iter().filter(|role| sign(**role) != ' ') {
            let other = seen.insert(sign(*role), role);
            assert_eq!(other, None, "{place}: {role:?} has the sign of another role");
        }
    }
}

#[test]
fn forward_and_back_give_the_same_views() {
    let mut compared = 0;
    for name in library().into_iter().map(|entry| entry.name) {
        let mut model = open(&name);
        let mut seen = vec![view(&model)];
        for _ in 1..seen[0].timeline.count {
            seen.push(command(&mut model, Command::StepForward));
        }
        for expected in seen.iter().rev().skip(1) {
            assert_eq!(&command(&mut model, Command::StepBack), expected, "{name}");
            compared += 1;
        }
    }
    println!("{compared} views compared");
    assert!(compared > 20);
}

/// What the maps say of a page must agree with its bytes, as far as a map may be relied on.
#[test]
fn a_map_without_pages_agrees_with_the_pages() {
    let mut compared = 0;
    for name in library().into_iter().map(|entry| entry.name) {
        for state in crate::shared::states(&name) {
            let mut blind = state.clone();
            blind.pages.retain(|id, _| id.fork != ffviz_format::page::ForkNumber::Main);
            for oid in state.relations.keys() {
                let shown = [&state, &blind].map(|state| {
                    let timeline = ffviz_story::timeline::Timeline::new(state.clone(), None);
                    let look = ffviz_story::scene::Look::new(&timeline, false);
                    ffviz_story::scene::map::scene(&look, *oid, Measure::Visibility, None)
                });
                let [seen, blind] = shown.map(|map| map.cells.into_iter().map(|cell| cell.percent).collect::<Vec<_>>());
                assert_eq!(seen, blind, "{name}: the visibility map alone tells all-visible pages");
                compared += seen.len();
            }
        }
    }
    println!("{compared} cells compared");
    assert!(compared > 20);
}

/// `--redact`: no value of a row is in any picture.
#[test]
fn nothing_of_a_row_is_shown_when_redacting() {
    let mut looked = 0;
    for name in library().into_iter().map(|entry| entry.name) {
        let mut model = open(&name);
        for state in 0..view(&model).timeline.count {
            update(&mut model, Msg::Seek(state));
            let changed: Vec<_> = model.look().expect("open").step.pages.iter().map(|change| change.id).collect();
            for id in changed {
                (model.place.page, model.place.view, model.place.selected, model.redact) =
                    (Some(id), ViewName::Page, None, false);
                let values = values(&view(&model).scene);
                model.redact = true;
                update(&mut model, Msg::Select(PartId::Region(RegionKind::PageHeader)));
                let mut texts = format!("{:?}", view(&model));
                (model.place.view, model.place.selected) = (ViewName::Tree, None);
                texts.push_str(&format!("{:?}", view(&model)));
                for value in values {
                    assert!(!texts.contains(&value), "{name} state {state} {id}: {value:?} is shown");
                    looked += 1;
                }
            }
        }
    }
    println!("{looked} values looked for");
    assert!(looked > 100);
}

/// The text values of a page's rows that cannot occur by chance: those with letters.
fn values(scene: &Scene) -> BTreeSet<String> {
    let Scene::Page(page) = scene else { return BTreeSet::new() };
    let Some(column) = page.columns.iter().position(|column| ["row", "key"].contains(&column.title.as_str())) else {
        return BTreeSet::new();
    };
    let cells = page.rows.iter().flat_map(|row| row.cells[column].split([',', '(', ')', '…']));
    let values = cells.map(|value| value.trim().to_string());
    let is_word = |value: &String| value.len() > 3 && value.chars().any(|c| c.is_ascii_lowercase());
    values
        .filter(|value| is_word(value) && !["-inf", "NULL", words::HIDDEN, "null"].contains(&value.as_str()))
        .collect()
}
