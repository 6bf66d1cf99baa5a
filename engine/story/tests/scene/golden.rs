//! A few pictures as text, to be read by people when they change. Renew them with `INSTA_UPDATE=always cargo test -p
//! ffviz-story --test scene golden`. What a step did and why is not in them: that is golden elsewhere.

use crate::shared::{library, open_settled as open};
use ffviz_format::page::ForkNumber;
use ffviz_format::state::RelKind;
use ffviz_story::app::{Command, Model, Msg, ViewName, update, view};
use ffviz_story::scene::text::{self, Options, Rows};

/// The picture and the inspector of what is open, as text.
fn picture(model: &Model, width: usize, ascii: bool) -> String {
    let (view, options) = (view(model), Options { width, ascii, rows: Rows::Changed });
    let parts = [
        text::scene(&view.scene, options),
        text::legend(&view.legend, options),
        text::inspector(&view.inspector, options),
        view.status + "\n",
    ];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n") + "\n"
}

fn press(model: &mut Model, commands: &[Command]) {
    for command in commands {
        update(model, Msg::Command(*command));
    }
}

/// Shows the index of what is open.
fn show_index(model: &mut Model, view: ViewName) {
    let relations = &model.look().expect("open").state.relations;
    let index = relations.values().find(|relation| relation.kind == RelKind::Index).expect("an index").oid;
    update(model, Msg::ShowRelation(index, ForkNumber::Main));
    update(model, Msg::Show(view));
}

#[test]
fn list_of_the_library() {
    let mut model = Model::new(library());
    update(&mut model, Msg::Filter("hot".to_string()));
    insta::assert_snapshot!(picture(&model, 80, false));
}

#[test]
fn heap_page_with_a_hot_chain() {
    let mut model = open("18/hot-chain");
    press(&mut model, &[Command::StepForward, Command::StepForward, Command::GoToChange, Command::Activate]);
    insta::assert_snapshot!(picture(&model, 100, false));
}

#[test]
fn the_same_in_ascii_on_a_narrow_screen() {
    let mut model = open("18/hot-chain");
    press(&mut model, &[Command::StepForward, Command::StepForward, Command::GoToChange]);
    insta::assert_snapshot!(picture(&model, 80, true));
}

#[test]
fn the_same_without_row_data() {
    let mut model = open("18/hot-chain");
    press(&mut model, &[Command::StepForward, Command::StepForward, Command::GoToChange, Command::Redact]);
    insta::assert_snapshot!(picture(&model, 100, false));
}

#[test]
fn index_page_with_a_killed_entry() {
    let mut model = open("18/update-not-hot");
    press(&mut model, &[Command::StepForward, Command::StepForward]);
    show_index(&mut model, ViewName::Page);
    press(&mut model, &[Command::GoToChange]);
    insta::assert_snapshot!(picture(&model, 100, false));
}

#[test]
fn tree_of_three_levels() {
    let mut model = open("18/btree-grow");
    update(&mut model, Msg::Seek(usize::MAX));
    show_index(&mut model, ViewName::Tree);
    insta::assert_snapshot!(picture(&model, 120, false));
}

#[test]
fn map_of_a_table_by_room_for_hot_updates() {
    let mut model = open("18/fillfactor-80");
    press(&mut model, &[Command::StepForward, Command::PreviousView]);
    press(&mut model, &[Command::NextMeasure, Command::NextMeasure, Command::NextMeasure]);
    insta::assert_snapshot!(picture(&model, 100, false));
}

#[test]
fn maps_as_pages() {
    let mut model = open("18/delete-vacuum-reuse");
    let table = model.place.page.expect("a page").relation;
    // until VACUUM has made the visibility map
    while model.look().expect("open").relation(table).expect("the table").blocks.vm == 0 {
        press(&mut model, &[Command::StepForward]);
    }
    for fork in [ForkNumber::Vm, ForkNumber::Fsm] {
        update(&mut model, Msg::ShowRelation(table, fork));
        press(&mut model, &[Command::Down]);
        insta::assert_snapshot!(fork.name(), picture(&model, 100, false));
    }
}
