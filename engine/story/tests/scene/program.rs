//! The program driven by messages: walks through recordings as data, and a live database played by the test.

use crate::shared::{command, open, states, timeline};
use ffviz_format::page::{ForkNumber, OffsetNumber, Oid, RegionKind};
use ffviz_format::state::{PageId, RelKind, RelationStats, State};
use ffviz_story::app::{self, Command, Effect, Model, Msg, Overlay, TableEntry, View, ViewName, update, view};
use ffviz_story::recording;
use ffviz_story::scene::{Measure, PartId, Provenance, Role, Scene};
use ffviz_story::timeline::Event;

/// Where we are: view, page and selected part, such as `Page city 0 lp:3`.
fn place(model: &Model) -> String {
    let shown = view(model);
    let relation = model.place.page.and_then(|id| {
        let look = model.look()?;
        let name = &look.relation(id.relation)?.name;
        let fork = if id.fork == ForkNumber::Main { String::new() } else { format!(".{}", id.fork.name()) };
        Some(format!(" {name}{fork} {}", id.block))
    });
    let part = shown.selected.map_or_else(String::new, |part| format!(" {part}"));
    format!("{:?}{}{part}", model.place.view, relation.unwrap_or_default())
}

/// A recording, looked at page by page.
fn open_page(name: &str) -> Model {
    let mut model = open(name);
    update(&mut model, Msg::Show(ViewName::Page));
    model
}

/// A page is named as `--page` takes it.
#[test]
fn pages_have_names() {
    let state = timeline("13/delete-vacuum-reuse").state().clone();
    let (oid, name) = state.relations.iter().map(|(oid, relation)| (*oid, relation.name.clone())).next().expect("one");
    for (fork, fork_name) in [(ForkNumber::Main, ""), (ForkNumber::Vm, "/vm"), (ForkNumber::Fsm, "/fsm")] {
        let id = PageId { relation: oid, fork, block: 7 };
        assert_eq!(state.page_name(id), format!("{name}{fork_name}:7"));
    }
}

/// What is selected in a figure leads to the page that it stands on.
#[test]
fn a_figure_leads_to_its_pages() {
    let mut model = open("18/hot-chain");
    walk(
        &mut model,
        &[
            ('>', "Figure city 0"),
            ('c', "Figure city 0 piece:0:2"),
            ('e', "Page city 0 lp:3"),
            ('u', "Figure city 0 piece:0:2"),
            ('c', "Figure city 0 piece:0:3"),
            ('e', "Page city 0 tuple:3"),
        ],
    );
}

/// Keys as tests write them.
fn key(sign: char) -> Command {
    match sign {
        '>' => Command::StepForward,
        '<' => Command::StepBack,
        'j' => Command::Down,
        'k' => Command::Up,
        'e' => Command::Activate,
        'b' => Command::FollowBack,
        'c' => Command::GoToChange,
        'u' => Command::Back,
        't' => Command::NextView,
        'T' => Command::PreviousView,
        ']' => Command::NextPage,
        '[' => Command::PreviousPage,
        'r' => Command::NextRelation,
        'm' => Command::NextMeasure,
        'Z' => Command::ZoomOut,
        'z' => Command::ZoomIn,
        _ => panic!("no such key: {sign}"),
    }
}

/// Presses keys one after another; after each the place must be as written.
fn walk(model: &mut Model, steps: &[(char, &str)]) {
    for (n, (sign, expected)) in steps.iter().enumerate() {
        let status = command(model, key(*sign)).status;
        assert_eq!(place(model), *expected, "after step {n}, key {sign}; {status}");
    }
}

#[test]
fn a_hot_chain_is_followed_forth_and_back() {
    let mut model = open_page("18/hot-chain");
    assert_eq!(place(&model), "Page city 0");
    walk(
        &mut model,
        &[
            ('>', "Page city 0"),
            ('c', "Page city 0 lp:1"),
            ('e', "Page city 0 tuple:1"),
            // t_ctid leads to the next version on the same page
            ('e', "Page city 0 tuple:3"),
            ('k', "Page city 0 lp:2"),
            ('j', "Page city 0 lp:3"),
            // a heap-only tuple is reached through the entry for its root
            ('b', "Page city_pkey 1 lp:1"),
            ('e', "Page city 0 lp:1"),
            ('u', "Page city_pkey 1 lp:1"),
            ('u', "Page city 0 lp:3"),
            ('u', "Page city 0 tuple:1"),
            ('u', "Page city 0 lp:1"),
        ],
    );
}

#[test]
fn a_cold_update_leads_to_another_page_and_has_two_entries() {
    let mut model = open_page("18/update-not-hot");
    walk(
        &mut model,
        &[
            ('>', "Page city 0"),
            ('c', "Page city 0 lp:7"),
            ('e', "Page city 0 tuple:7"),
            ('e', "Page city 1 tuple:1"),
            ('b', "Page city_pkey 1 lp:8"),
            ('u', "Page city 1 tuple:1"),
            ('u', "Page city 0 tuple:7"),
        ],
    );
}

/// A tab that is not there is asked for by its number.
#[test]
fn a_view_that_is_not_there_says_why() {
    let mut model = open("18/hot-chain");
    let before = place(&model);
    for (wanted, why) in [
        (ViewName::Tree, "view 4: only a B-tree index has a tree"),
        (ViewName::Wal, "view 6: no WAL was read"),
        (ViewName::Lesson, "view 7: no lesson is open"),
    ] {
        update(&mut model, Msg::Show(wanted));
        assert_eq!((view(&model).status.as_str(), place(&model)), (why, before.clone()));
    }
    update(&mut model, Msg::Show(ViewName::Map));
    assert_eq!(view(&model).status, "");
}

#[test]
fn a_tree_is_walked_down_and_up() {
    let mut model = open("18/btree-grow");
    update(&mut model, Msg::Seek(usize::MAX));
    let relations = &model.look().expect("open").state.relations;
    let index = relations.values().find(|relation| relation.kind == RelKind::Index).expect("an index");
    let (index, name) = (index.oid, index.name.clone());
    update(&mut model, Msg::ShowRelation(index, ForkNumber::Main));
    update(&mut model, Msg::Show(ViewName::Tree));
    update(&mut model, Msg::Select(PartId::Block(0)));
    walk(&mut model, &[('e', &format!("Page {name} 0")), ('j', &format!("Page {name} 0 header"))]);
    walk(&mut model, &[('j', &format!("Page {name} 0 meta"))]);
    let root = {
        command(&mut model, Command::Activate);
        model.place.page.expect("a page").block
    };
    let Scene::Page(page) = view(&model).scene else { panic!("a page") };
    assert!(page.title.contains("root, level 2"), "{}", page.title);
    // down along the first downlinks
    for level in ["internal page, level 1", "leaf"] {
        command(&mut model, Command::Down);
        if let Scene::Page(page) = &view(&model).scene {
            let first = page.rows.iter().find(|row| row.cells[1].contains("pivot")).expect("a downlink").part;
            update(&mut model, Msg::Activate(first));
        }
        let Scene::Page(page) = view(&model).scene else { panic!("a page") };
        assert!(page.title.ends_with(level), "{}", page.title);
    }
    // and up again
    command(&mut model, Command::FollowBack);
    command(&mut model, Command::FollowBack);
    assert_eq!(model.place.page.expect("a page").block, root);
    command(&mut model, Command::FollowBack);
    assert_eq!(place(&model), format!("Page {name} 0 meta"));
}

#[test]
fn back_undoes_view_measure_zoom_and_relation() {
    let mut model = open_page("18/fillfactor-80");
    let start = view(&model);
    let expected = format!("Map {} 0 block:0", relation_name(&model));
    walk(&mut model, &[('T', &expected)]);
    let map = view(&model);
    for sign in ['m', 'Z', 't', 'r'] {
        command(&mut model, key(sign));
    }
    for _ in 0..4 {
        command(&mut model, Command::Back);
        if view(&model) == map {
            break;
        }
    }
    assert_eq!(view(&model), map);
    command(&mut model, Command::Back);
    assert_eq!(view(&model), start);
}

fn relation_name(model: &Model) -> String {
    let (look, id) = (model.look().expect("open"), model.place.page.expect("a page"));
    look.relation(id.relation).expect("it exists").name.clone()
}

#[test]
fn stepping_follows_to_the_page_that_changed_and_returns() {
    let mut model = open("18/btree-grow");
    update(&mut model, Msg::Show(ViewName::Page));
    let home = model.place.page.expect("a page");
    let (mut followed, mut returned) = (0, 0);
    for _ in 1..view(&model).timeline.count {
        let shown = command(&mut model, Command::StepForward);
        let changed = |id: PageId| model.look().is_some_and(|look| look.change(id).is_some());
        let here = model.place.page.expect("a page");
        if changed(home) {
            assert_eq!((here, shown.status.as_str()), (home, ""));
            returned += 1;
        } else if here != home {
            assert!(changed(here) && shown.status.starts_with("Followed the change from "), "{}", shown.status);
            followed += 1;
        }
    }
    println!("followed {followed} times, {returned} times on the page that was chosen");
    assert!(followed > 0 && returned > 0);
}

#[test]
fn pinned_a_step_that_changes_other_pages_says_so_and_c_goes_there() {
    let mut model = open("18/btree-grow");
    update(&mut model, Msg::Show(ViewName::Page));
    command(&mut model, Command::Pin);
    let first = model.place.page;
    let count = view(&model).timeline.count;
    let mut told = 0;
    for _ in 1..count {
        let shown = command(&mut model, Command::StepForward);
        assert_eq!(model.place.page, first, "pinned, stepping does not leave the page");
        let changes = model.look().expect("open").step.pages.iter().map(|change| change.id).collect::<Vec<_>>();
        if !changes.is_empty() && !changes.contains(&first.expect("a page")) {
            assert!(shown.status.starts_with("This step did not change this page. It changed "), "{}", shown.status);
            let mut other = model.clone();
            command(&mut other, Command::GoToChange);
            assert!(changes.contains(&other.place.page.expect("a page")), "c goes to a page that changed");
            told += 1;
        }
    }
    assert!(told > 0);
}

#[test]
fn events_lead_to_where_they_happened() {
    let mut followed = 0;
    for name in ["18/hot-chain", "18/update-not-hot", "14/delete-vacuum-reuse"] {
        let mut model = open(name);
        for state in 0..view(&model).timeline.count {
            update(&mut model, Msg::Seek(state));
            for (n, event) in view(&model).timeline.events.iter().enumerate() {
                update(&mut model, Msg::SelectEvent(n));
                assert_eq!(model.place.page, Some(event.page), "{name} state {state} event {n}");
                let shown = view(&model);
                // a line pointer may have been cut off the array
                let Scene::Page(page) = &shown.scene else { panic!("a page") };
                let is_there = page.rows.iter().any(|row| Some(row.part) == event.part);
                assert_eq!(shown.selected, event.part.filter(|_| is_there), "{name} state {state}: {event:?}");
                followed += 1;
            }
        }
    }
    println!("{followed} events followed");
    assert!(followed > 10);
}

#[test]
fn the_library_is_grouped_filtered_and_opened() {
    let mut model = Model::new(crate::shared::library());
    let Scene::List(list) = view(&model).scene else { panic!("a list") };
    let headings: Vec<&str> = list
        .rows
        .iter()
        .filter(|row| matches!(row.part, PartId::Heading(_)))
        .map(|row| row.cells[0].as_str())
        .collect();
    assert!(headings.contains(&"PostgreSQL 18"), "{headings:?}");
    assert!(headings.contains(&"PostgreSQL 14: the same statements again"), "{headings:?}");
    command(&mut model, Command::Filter);
    assert_eq!(view(&model).filter.as_deref(), Some(""));
    update(&mut model, Msg::Filter("14 hot-chain".to_string()));
    let shown = view(&model);
    let Scene::List(list) = &shown.scene else { panic!("a list") };
    let entries = list.rows.iter().filter(|row| matches!(row.part, PartId::Entry(_))).count();
    assert_eq!(entries, 1, "{:?}", list.rows);
    let Some(PartId::Entry(n)) = shown.selected else { panic!("the entry is selected") };
    assert_eq!(model.library[n as usize].name, "14/hot-chain");
    assert_eq!(update(&mut model, Msg::Command(Command::Activate)), [Effect::OpenEntry(n as usize)]);
    let opened = Msg::Opened { name: "14/hot-chain".to_string(), timeline: timeline("14/hot-chain"), lost: vec![] };
    update(&mut model, opened);
    assert_eq!(place(&model), "Figure city 0");
    command(&mut model, Command::Back);
    assert_eq!(model.place.view, ViewName::List);
}

#[test]
fn what_was_lost_of_a_recording_is_told() {
    let mut model = Model::new(Vec::new());
    let lost = vec!["line 7: cut off".to_string()];
    update(&mut model, Msg::Opened { name: "x".to_string(), timeline: timeline("18/hot-chain"), lost: lost.clone() });
    assert_eq!(view(&model).overlay, Some(Overlay::Text("x: parts could not be read".to_string(), lost)));
    command(&mut model, Command::Back);
    assert_eq!((view(&model).overlay, place(&model).as_str()), (None, "Figure city 0"));
}

/// A live database that has the captures of a recording to give.
struct Live {
    model: Model,
    captures: Vec<State>,
    table: Oid,
}

fn live(name: &str) -> Live {
    let captures = states(name);
    let table = captures[0].relations.values().find(|relation| relation.table.is_none()).expect("a table").clone();
    let mut model = Model::live("shop on db1".to_string(), captures[0].server.clone());
    let entry = TableEntry {
        oid: table.oid,
        name: table.name.clone(),
        kind: "table".to_string(),
        bytes: 8192,
        dead: 0,
        hot_percent: Some(50),
        fillfactor: 100,
        refused: None,
    };
    update(&mut model, Msg::Tables(vec![entry]));
    Live { model, captures, table: table.oid }
}

fn send(live: &mut Live, msg: Msg) -> (Vec<Effect>, View) {
    let effects = update(&mut live.model, msg);
    (effects, view(&live.model))
}

#[test]
fn a_live_table_is_captured_watched_and_saved() {
    let mut live = live("18/hot-chain");
    let table = live.table;
    let (effects, shown) = send(&mut live, Msg::Command(Command::Activate));
    assert_eq!(effects, [Effect::Capture { table, pages: vec![] }]);
    assert_eq!(shown.busy.as_deref(), Some("reading city …"));
    for (n, capture) in live.captures.clone().into_iter().enumerate() {
        let (_, shown) = send(&mut live, Msg::Captured(capture.clone()));
        assert_eq!((shown.busy, shown.timeline.count, shown.timeline.current), (None, n + 1, n));
        let (_, shown) = send(&mut live, Msg::Captured(capture));
        assert_eq!(shown.status, "Nothing changed since the last capture.");
        assert_eq!(shown.timeline.count, n + 1);
    }
    let (effects, _) = send(&mut live, Msg::Command(Command::Capture));
    assert!(matches!(&effects[..], [Effect::Capture { pages, .. }] if !pages.is_empty()), "{effects:?}");
    assert_eq!(send(&mut live, Msg::Command(Command::Watch)).0, [Effect::Watch(true)]);
    assert_eq!(send(&mut live, Msg::Command(Command::Save)).0, [Effect::Save]);
    let again = recording::read(app::recording(&live.model).expect("something is open"));
    assert_eq!((again.lost, again.timeline.expect("a timeline").len()), (vec![], live.captures.len()));
    let (_, shown) = send(&mut live, Msg::Failed("the server went away".to_string()));
    assert_eq!((shown.status.as_str(), shown.timeline.count), ("the server went away", live.captures.len()));
}

#[test]
fn while_looking_at_the_past_a_capture_does_not_move_us() {
    let mut live = live("18/hot-chain");
    let captures = live.captures.clone();
    for capture in captures.iter().take(2) {
        send(&mut live, Msg::Captured(capture.clone()));
    }
    send(&mut live, Msg::Command(Command::StepBack));
    let (_, shown) = send(&mut live, Msg::Captured(captures[2].clone()));
    assert_eq!((shown.timeline.current, shown.timeline.count), (0, 3));
}

#[test]
fn a_table_that_is_dropped_while_watched_keeps_its_pictures() {
    let mut live = live("18/hot-chain");
    let first = live.captures[0].clone();
    send(&mut live, Msg::Captured(first.clone()));
    send(&mut live, Msg::Command(Command::Watch));
    let (effects, shown) = send(&mut live, Msg::Captured(State::empty(first.server)));
    assert_eq!(effects, [Effect::Watch(false)]);
    assert_eq!(shown.status, "The table is gone: it was dropped. Its last pages are one step back.");
    let (_, shown) = send(&mut live, Msg::Command(Command::StepBack));
    let Scene::Page(page) = shown.scene else { panic!("a page") };
    assert!(!page.rows.is_empty());
}

#[test]
fn a_program_that_began_with_a_table_asks_for_the_others_once() {
    let captures = states("18/hot-chain");
    let mut model = Model::live("shop on db1".to_string(), captures[0].server.clone());
    update(&mut model, Msg::Captured(captures[0].clone()));
    assert_eq!(update(&mut model, Msg::Show(ViewName::List)), [Effect::ListTables]);
    assert_eq!(view(&model).busy.as_deref(), Some("reading the list of tables …"));
    assert_eq!(update(&mut model, Msg::Tables(vec![])), []);
    let Scene::List(list) = view(&model).scene else { panic!("the list is shown") };
    assert_eq!(list.hint, "There are no tables in this database that this role may see.");
}

#[test]
fn a_page_is_asked_for_when_it_is_looked_at_and_only_once() {
    let mut live = live("18/fillfactor-100");
    let table = live.table;
    let whole = live.captures.last().expect("captures").clone();
    let page = PageId { relation: table, fork: ForkNumber::Main, block: 1 };
    assert!(whole.pages.contains_key(&page), "the recording has a second page");
    let mut part = whole.clone();
    part.pages.remove(&page);
    send(&mut live, Msg::Captured(part.clone()));
    live.model.place.page = Some(PageId { block: 0, ..page });
    let (effects, shown) = send(&mut live, Msg::Command(Command::NextPage));
    assert_eq!(effects, [Effect::ReadPages { table, pages: vec![page] }]);
    assert!(shown.busy.is_some_and(|busy| busy.starts_with("reading ")));
    assert_eq!(send(&mut live, Msg::Command(Command::Down)).0, []);
    part.pages.clear();
    part.pages.insert(page, whole.pages[&page].clone());
    let (effects, shown) = send(&mut live, Msg::PagesRead(part));
    assert_eq!((effects, shown.busy), (vec![], None));
    let Scene::Page(scene) = shown.scene else { panic!("a page") };
    assert!(!scene.rows.is_empty(), "the page is there without a step: {}", scene.title);
}

#[test]
fn without_pages_the_statistics_are_shown_as_estimates() {
    let mut live = live("18/hot-chain");
    let refused = Some("pageinspect is missing".to_string());
    let tables =
        live.model.tables().iter().map(|table| TableEntry { refused: refused.clone(), ..table.clone() }).collect();
    send(&mut live, Msg::Tables(tables));
    let (effects, shown) = send(&mut live, Msg::Command(Command::Activate));
    assert!(matches!(&effects[..], [Effect::Capture { .. }]));
    assert_eq!(shown.status, "pageinspect is missing");
    let mut blind = live.captures[0].clone();
    blind.pages.clear();
    for relation in blind.relations.values_mut().map(std::sync::Arc::make_mut) {
        relation.stats = Some(RelationStats { n_live_tup: 20_000, ..relation.stats.unwrap_or_default() });
    }
    let (effects, shown) = send(&mut live, Msg::Captured(blind));
    assert_eq!((effects, shown.provenance), (vec![], Provenance::Statistics));
    let Scene::RelationMap(map) = shown.scene else { panic!("a map") };
    assert!(map.facts.iter().any(|fact| fact.label.contains("estimated")), "{:?}", map.facts);
    assert!(shown.title.ends_with("estimated: statistics only"), "{}", shown.title);
    let told = live.model.timeline.as_ref().expect("a capture").explain();
    let estimate = |event: &Event| event.what.contains(", about 20,000 tuples (estimated)");
    assert!(told.events.iter().any(estimate), "{:?}", told.events);
}

#[test]
fn every_command_at_every_view_keeps_the_program_whole() {
    let mut pressed = 0;
    for name in ["13/delete-vacuum-reuse"] {
        for first in app::COMMANDS {
            let mut model = open(name);
            for second in app::COMMANDS {
                for command in [first.command, second.command] {
                    update(&mut model, Msg::Command(command));
                    pressed += 1;
                }
                let shown = view(&model);
                assert!(shown.tabs.iter().filter(|(_, _, here)| *here).count() == 1, "{name}: {:?}", shown.tabs);
            }
        }
    }
    println!("{pressed} commands");
}

/// The cursor of a list stands on what is open, or on its first entry.
#[test]
fn the_list_begins_at_what_is_open() {
    let mut model = open("18/hot-chain");
    update(&mut model, Msg::Show(ViewName::List));
    let Some(PartId::Entry(n)) = view(&model).selected else { panic!("an entry") };
    assert_eq!(model.library[n as usize].name, "18/hot-chain");
    let mut live = live("18/hot-chain");
    let table = live.model.tables()[0].clone();
    let other = |oid| TableEntry { oid, name: format!("other_{oid}"), ..table.clone() };
    send(&mut live, Msg::Tables(vec![other(1), other(2), table.clone(), other(3)]));
    send(&mut live, Msg::Activate(PartId::Entry(2)));
    let capture = live.captures[0].clone();
    send(&mut live, Msg::Captured(capture));
    let (_, shown) = send(&mut live, Msg::Show(ViewName::List));
    assert_eq!(shown.selected, Some(PartId::Entry(2)));
}

/// A page that was not read is told as such in the map, whatever the free space map says of it.
#[test]
fn pages_not_read_are_told_in_the_map() {
    let mut state = states("18/fillfactor-80").pop().expect("a state");
    let table = state.relations.values().find(|relation| relation.table.is_none()).expect("a table").oid;
    let unread = PageId { relation: table, fork: ForkNumber::Main, block: 1 };
    // nor is the visibility map, which would tell that nothing on it is dead
    let maps: Vec<PageId> = state.pages.keys().copied().filter(|id| id.fork == ForkNumber::Vm).collect();
    maps.iter().for_each(|id| drop(state.pages.remove(id)));
    assert!(state.pages.remove(&unread).is_some(), "the table has a second page");
    let timeline = ffviz_story::timeline::Timeline::new(state, None);
    let mut model = Model::new(Vec::new());
    update(&mut model, Msg::Opened { name: "partly read".to_string(), timeline, lost: Vec::new() });
    update(&mut model, Msg::Show(ViewName::Map));
    for measure in Measure::ALL {
        update(&mut model, Msg::Measure(measure));
        let shown = view(&model);
        let Scene::RelationMap(map) = &shown.scene else { panic!("a map") };
        let cell = &map.cells[1];
        assert_eq!(cell.role, Role::BlockUnknown, "{measure:?}: {}", cell.label);
        assert!(cell.label.starts_with("block 1: not read"), "{}", cell.label);
        assert!(measure != Measure::Dead || cell.percent.is_none(), "nobody knows of dead rows on it");
        assert!(shown.legend.contains(&Role::BlockUnknown));
        assert!(map.cells[0].role != Role::BlockUnknown);
    }
}

#[test]
fn parts_that_are_not_there_cannot_be_selected() {
    let mut model = open("18/hot-chain");
    let before = view(&model);
    update(&mut model, Msg::Select(PartId::Region(RegionKind::LinePointer(OffsetNumber(2000)))));
    update(&mut model, Msg::Select(PartId::Heading(0)));
    update(&mut model, Msg::Measure(Measure::Fill));
    assert_eq!(view(&model), before);
}

#[test]
fn a_posting_list_leads_to_one_tuple_after_the_other() {
    let mut model = open("18/dedup-bottomup");
    let count = view(&model).timeline.count;
    let (mut found, mut state) = (None, 0);
    while found.is_none() {
        assert!(state < count, "there is a posting list in the recording");
        update(&mut model, Msg::Seek(state));
        let ids: Vec<PageId> = model.look().expect("open").state.pages.keys().copied().collect();
        for id in ids {
            (model.place.page, model.place.view) = (Some(id), ViewName::Page);
            let Scene::Page(page) = view(&model).scene else { panic!("a page") };
            found = found.or(page.rows.iter().find(|row| row.role == Role::PostingList).map(|row| (id, row.clone())));
        }
        state += 1;
    }
    let (id, row) = found.expect("a posting list");
    let mut reached = Vec::new();
    for n in 1..=3 {
        (model.place.page, model.place.selected) = (Some(id), Some(row.part));
        let shown = command(&mut model, Command::Activate);
        assert!(shown.status.starts_with(&format!("TID {n} of ")), "{}", shown.status);
        let (block, part) = (model.place.page.expect("a page").block, shown.selected.expect("a line pointer"));
        reached.push(format!("({block},{})", part.to_string().trim_start_matches("lp:")));
    }
    // the row lists the first three TIDs
    assert!(row.cells[4].starts_with(&reached.join(" ")), "{reached:?} of {}", row.cells[4]);
}

/// A reason that holds for all tables is said once and leaves the rows to their names; where reasons differ, a row has
/// the number of its own.
#[test]
fn why_tables_are_not_shown_is_said_once() {
    let captures = states("18/hot-chain");
    let list = |reasons: &[Option<&str>]| {
        let entry = |(n, reason): (usize, &Option<&str>)| TableEntry {
            oid: 20_000 + n as u32,
            name: format!("t{n}"),
            kind: "table".to_string(),
            bytes: 8192,
            dead: 0,
            hot_percent: None,
            fillfactor: 100,
            refused: reason.map(str::to_string),
        };
        let mut model = Model::live("shop on db1".to_string(), captures[0].server.clone());
        update(&mut model, Msg::Tables(reasons.iter().enumerate().map(entry).collect()));
        let Scene::List(list) = view(&model).scene else { panic!("a list") };
        let cells: Vec<String> = list.rows.iter().map(|row| row.cells[..2].join(" ")).collect();
        let (said, _) = list.hint.split_once("Sizes with indexes").expect("what the columns are");
        (said.to_string(), cells.join(", "))
    };
    let check = |reasons: &[Option<&str>], said: &str, cells: &str| {
        assert_eq!(list(reasons), (said.to_string(), cells.to_string()), "{reasons:?}");
    };
    check(&[None, None], "", "t0 table, t1 table");
    check(&[Some("no rights"), Some("no rights")], "no rights. ", "t0 table, t1 table");
    check(&[None, Some("no rights"), Some("no rights")], "(1) no rights. ", "t0 , t1 (1), t2 (1)");
    check(&[Some("no rights"), Some("no pages")], "(1) no rights. (2) no pages. ", "t0 (1), t1 (2)");
}
