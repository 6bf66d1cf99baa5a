//! Pictures of damaged pages: whatever the bytes are, the program shows them, follows them, and goes on.

use crate::pictures::{check_map, check_page, check_tree};
use crate::shared::{library, states};
use ffviz_format::page::{Page, RegionKind};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::app::{Command, Model, Msg, ViewName, update, view};
use ffviz_story::scene::{PartId, Scene, inspect};
use ffviz_story::timeline::Timeline;
use std::sync::Arc;

/// Numbers that are the same in every run (a linear congruential generator, Knuth's constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// Changes some bytes: mostly in header, line pointers and special space, where it hurts.
fn damage(page: &Page, numbers: &mut Numbers) -> Page {
    let mut bytes = page.bytes().to_vec();
    let size = bytes.len();
    for _ in 0..=numbers.below(12) {
        let at = match numbers.below(4) {
            0 => numbers.below(24),
            1 => 24 + numbers.below(80),
            2 => size - 1 - numbers.below(200),
            _ => numbers.below(size),
        };
        bytes[at] = numbers.below(256) as u8;
    }
    if numbers.below(20) == 0 {
        bytes.truncate(numbers.below(size));
    }
    Page::new(&bytes)
}

fn damaged(state: &State, numbers: &mut Numbers) -> State {
    let mut state = state.clone();
    for page in state.pages.values_mut() {
        *page = damage(page, numbers);
    }
    state
}

/// Looks at everything, and follows it.
fn visit(model: &mut Model, id: PageId, place: &str) -> usize {
    let mut parts = 0;
    for view_name in [ViewName::Page, ViewName::Map, ViewName::Tree] {
        (model.place.page, model.place.view, model.place.selected) = (Some(id), view_name, None);
        update(model, Msg::Select(PartId::Region(RegionKind::PageHeader)));
        let shown = view(model);
        match &shown.scene {
            Scene::Page(page) => {
                check_page(page, place);
                let look = model.look().expect("open");
                for part in page.regions.iter().map(|region| region.part) {
                    let _ = inspect(&look, &shown.scene, Some(id), Some(part));
                    parts += 1;
                }
                for part in page.rows.iter().map(|row| row.part).take(2) {
                    (model.place.page, model.place.view) = (Some(id), ViewName::Page);
                    update(model, Msg::Activate(part));
                    let _ = view(model);
                    update(model, Msg::Command(Command::FollowBack));
                    let _ = view(model);
                }
            }
            Scene::RelationMap(map) => check_map(map, place),
            Scene::Tree(tree) => check_tree(tree, place),
            Scene::List(_) | Scene::Figure(_) | Scene::Wal(_) | Scene::Charts(_) => panic!("{place}: a list"),
        }
    }
    parts
}

#[test]
fn damaged_pages_are_shown() {
    let (mut pages, mut parts, mut numbers) = (0, 0, Numbers(7));
    for name in library().into_iter().map(|entry| entry.name) {
        let last = states(&name).pop().expect("a state");
        let mut timeline = Timeline::new(last.clone(), None);
        timeline.push(damaged(&last, &mut numbers), None);
        let mut model = Model::new(Vec::new());
        update(&mut model, Msg::Opened { name: name.clone(), timeline, lost: Vec::new() });
        update(&mut model, Msg::Seek(1));
        let ids: Vec<PageId> = model.look().expect("open").state.pages.keys().copied().collect();
        for id in ids {
            parts += visit(&mut model, id, &format!("{name} {id}"));
            pages += 1;
        }
    }
    println!("{pages} damaged pages, {parts} parts inspected");
    assert!(pages > 100);
}

#[test]
fn an_access_method_that_is_not_known_is_shown_as_bytes() {
    let mut state = states("18/hot-chain").pop().expect("a state");
    for relation in state.relations.values_mut() {
        Arc::make_mut(relation).am = AccessMethod::Other("gin".to_string());
    }
    let ids: Vec<PageId> = state.pages.keys().copied().collect();
    let mut model = Model::new(Vec::new());
    let timeline = Timeline::new(state, None);
    update(&mut model, Msg::Opened { name: "gin".to_string(), timeline, lost: Vec::new() });
    for id in ids {
        visit(&mut model, id, &format!("gin {id}"));
    }
    model.place.view = ViewName::Page;
    let Scene::Page(page) = view(&model).scene else { panic!("a page") };
    assert!(page.title.ends_with("gin page"), "{}", page.title);
}

#[test]
fn a_page_of_zeros_and_a_page_that_is_not_there() {
    let mut state = states("18/hot-chain").pop().expect("a state");
    let id = *state.pages.keys().next().expect("a page");
    state.pages.insert(id, Page::new(&[0; 8192]));
    let mut model = Model::new(Vec::new());
    let timeline = Timeline::new(state, None);
    update(&mut model, Msg::Opened { name: "zeros".to_string(), timeline, lost: Vec::new() });
    for (block, words) in [(id.block, "never written"), (99, "does not exist at this step")] {
        (model.place.page, model.place.view) = (Some(PageId { block, ..id }), ViewName::Page);
        let Scene::Page(page) = view(&model).scene else { panic!("a page") };
        check_page(&page, words);
        assert!(page.title.contains(words), "{}", page.title);
    }
}
