//! The WAL view, on a recording with a server's own WAL: its rows and totals are the records', and it leads to the
//! bytes they changed.

mod make;

use ffviz_format::page::{ForkNumber, Lsn};
use ffviz_format::state::{PageId, State};
use ffviz_format::wal::Record;
use ffviz_story::app::{self, Command, Model, Msg, View, ViewName};
use ffviz_story::describe::{self, Before, RecordPart};
use ffviz_story::scene::{Bar, MarkKind, Measure, PartId, Provenance, Role, Scene, WalList, WalScene, words};
use ffviz_story::timeline::{Cause, IMAGES, Timeline};
use ffviz_tests::recorded;
use std::collections::{BTreeMap, BTreeSet};

fn open() -> Model {
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Opened { name: "wal".to_owned(), timeline: recorded::wal(), lost: Vec::new() });
    app::update(&mut model, Msg::Show(ViewName::Page));
    model
}

fn shown(model: &mut Model, messages: &[Msg]) -> View {
    for msg in messages {
        app::update(model, msg.clone());
    }
    app::view(model)
}

fn wal(view: &View) -> &WalScene {
    let Scene::Wal(scene) = &view.scene else { panic!("the WAL view is shown") };
    scene
}

fn timeline(model: &Model) -> &Timeline {
    model.timeline.as_ref().expect("a recording is open")
}

fn number(cell: &str) -> u64 {
    cell.replace(',', "").parse().unwrap_or_else(|_| panic!("{cell}: a number"))
}

fn role(part: RecordPart) -> Role {
    match part {
        RecordPart::Header => Role::WalHeader,
        RecordPart::BlockReference => Role::WalBlockRef,
        RecordPart::Image => Role::WalImage,
        RecordPart::BlockData => Role::WalBlockData,
        _ => Role::WalMainData,
    }
}

/// What the record's explanation says that it costs, by part.
fn costs(record: &Record, timeline: &Timeline) -> BTreeMap<Role, u64> {
    let decoded = record.decode(timeline.last().server.version).expect("a sound record");
    let mut costs = BTreeMap::new();
    for share in describe::cost(&decoded, &Before::default()) {
        *costs.entry(role(share.part)).or_default() += u64::from(share.bytes);
    }
    costs
}

fn parts(bar: &Bar) -> BTreeMap<Role, u64> {
    bar.parts.iter().map(|part| (part.role, part.bytes)).collect()
}

#[test]
fn each_record_has_a_row_with_all_its_bytes() {
    let mut model = open();
    let view = shown(&mut model, &[Msg::Show(ViewName::Wal)]);
    let (scene, timeline) = (wal(&view), timeline(&model));
    let (mut total, mut records) = (0, 0);
    for row in &scene.rows {
        let PartId::Record(state) = row.row.part else { continue };
        let Some(record) = timeline.record(state as usize) else {
            assert!(row.bar.parts.is_empty(), "a step without a record has no bytes");
            continue;
        };
        let cells = &row.row.cells;
        total += record.bytes.len() as u64;
        records += 1;
        assert_eq!(cells[0], record.start.to_string());
        assert_eq!((number(&cells[4]), number(&cells[5])), (record.bytes.len() as u64, total), "{cells:?}");
        assert_eq!(parts(&row.bar), costs(record, timeline), "{cells:?}");
        assert!(row.bar.length() <= scene.full, "no bar is longer than the longest");
        assert!(!cells[6].is_empty() && cells[2].contains(' '), "{cells:?}");
    }
    assert_eq!(records, (1..timeline.len()).filter(|state| timeline.record(*state).is_some()).count());
    println!("{records} records of {total} bytes compared");
    assert!(records > 60, "too few");
}

#[test]
fn totals_are_the_sums_of_the_records() {
    let mut model = open();
    let mut by_type: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut all = BTreeMap::new();
    let opened = timeline(&model).clone();
    for record in (1..opened.len()).filter_map(|state| opened.record(state)) {
        let decoded = record.decode(opened.last().server.version).expect("sound");
        let sum = by_type.entry(format!("{} {}", decoded.rmgr().name(), decoded.type_name())).or_default();
        *sum = (sum.0 + 1, sum.1 + record.bytes.len() as u64);
        for (role, bytes) in costs(record, &opened) {
            *all.entry(role).or_default() += bytes;
        }
    }
    let view = shown(&mut model, &[Msg::Show(ViewName::Wal), Msg::WalList(WalList::Types)]);
    let scene = wal(&view);
    assert_eq!(parts(&scene.whole), all);
    let shown_types: BTreeMap<String, (u64, u64)> = (scene.rows.iter())
        .map(|row| (row.row.cells[0].clone(), (number(&row.row.cells[1]), number(&row.row.cells[2]))))
        .collect();
    assert_eq!(shown_types, by_type);
    let bytes: Vec<u64> = scene.rows.iter().map(|row| number(&row.row.cells[2])).collect();
    assert!(bytes.is_sorted_by(|a, b| a >= b), "most bytes first");
    let view = shown(&mut model, &[Msg::WalList(WalList::Relations)]);
    let ours = wal(&view).rows.iter().filter(|row| row.row.part != PartId::WalOthers);
    let sum: u64 = ours.map(|row| number(&row.row.cells[2])).sum();
    assert_eq!(sum, all.values().sum::<u64>(), "each record is in one relation, or in none");
    println!("{} types, {sum} bytes compared", by_type.len());
}

/// The numbers of the captures are those of their records, counted one by one; and what the statements of `make.rs`
/// must come to.
#[test]
fn charts_have_the_numbers_of_the_records() {
    let opened = recorded::wal();
    let version = opened.last().server.version;
    let captures = opened.captures();
    assert_eq!((captures.len(), captures[0].wal.is_some()), (opened.groups().len(), false), "the first has no WAL");
    let mut with_images = 0;
    for (n, (capture, group)) in captures.iter().zip(opened.groups()).enumerate().skip(1) {
        let (mut by_type, mut pages) = (BTreeMap::new(), BTreeSet::new());
        for state in group.states.clone() {
            pages.extend(opened.touched(state));
            let Some(record) = opened.record(state) else { continue };
            let decoded = record.decode(version).expect("sound");
            let name = format!("{}/{}", decoded.rmgr().name(), record.type_name(version)).replace("+INIT", "");
            let images: u64 = decoded.blocks.iter().map(|block| block.image_at.len() as u64).sum();
            *by_type.entry(name).or_insert(0) += record.bytes.len() as u64 - images;
            if images > 0 {
                *by_type.entry(IMAGES.to_owned()).or_insert(0) += images;
                with_images += 1;
            }
        }
        let found: BTreeMap<String, u64> = capture.wal.clone().expect("WAL").into_iter().collect();
        assert_eq!((found, capture.gap.as_deref()), (by_type, None), "capture {n}");
        assert!(capture.pages >= pages.len() as u64, "capture {n}");
    }
    assert!(with_images > 2, "records bring images: {with_images}");
    let updates: Vec<(u64, u64)> = captures.iter().map(|capture| (capture.hot, capture.updates)).collect();
    assert_eq!(updates, [(0, 0), (0, 0), (1, 1), (2, 2), (0, 0), (0, 0), (0, 0)], "HOT, of all");
    // an old version; two more, one of which came back; 12 deleted rows; VACUUM
    let dead: Vec<u64> = captures.iter().map(|capture| capture.dead.iter().map(|(_, dead)| dead).sum()).collect();
    println!("dead row versions: {dead:?}; pages {:?}", captures.iter().map(|c| c.pages).collect::<Vec<_>>());
    assert!(dead[4] < dead[5] && dead[6] == 0, "DELETE leaves dead row versions, and VACUUM none: {dead:?}");
}

#[test]
fn a_record_leads_to_the_bytes_it_changed_and_back_returns() {
    let mut model = open();
    shown(&mut model, &[Msg::Seek(5), Msg::Show(ViewName::Wal)]);
    let (mut led, mut nowhere) = (0, 0);
    for state in 1..timeline(&model).len() {
        let mut model = model.clone();
        let start = shown(&mut model, &[Msg::Select(PartId::Record(state as u32))]);
        let there = shown(&mut model, &[Msg::Activate(PartId::Record(state as u32))]);
        assert_eq!(timeline(&model).current(), state);
        let touched: Vec<_> = timeline(&model).touched(state).collect();
        if touched.is_empty() {
            assert_eq!((model.place.view, there.status.is_empty()), (ViewName::Wal, false), "it says why it stays");
            nowhere += 1;
            continue;
        }
        let id = model.place.page.expect("a page");
        assert!(touched.contains(&id) && model.place.view == ViewName::Page, "state {state}");
        let Scene::Page(page) = &there.scene else { panic!("a page") };
        let changed = page.rows.iter().any(|row| Some(row.part) == there.selected)
            || page.regions.iter().any(|region| Some(region.part) == there.selected && !region.changed.is_empty());
        assert!(changed, "state {state}: {:?} is selected", there.selected);
        let back = shown(&mut model, &[Msg::Command(Command::Back)]);
        assert_eq!((timeline(&model).current(), &back.scene), (5, &start.scene), "state {state}");
        led += 1;
    }
    println!("{led} records led to their bytes, {nowhere} changed no page");
    assert!(led > 50 && nowhere > 5);
}

#[test]
fn the_last_writer_of_each_part_is_found() {
    let mut model = open();
    shown(&mut model, &[Msg::Command(Command::Pin)]);
    let (mut asked, mut older) = (0, 0);
    for state in (1..timeline(&model).len()).step_by(7) {
        shown(&mut model, &[Msg::Seek(state)]);
        for id in timeline(&model).state().pages.keys().copied().collect::<Vec<_>>() {
            let mut model = model.clone();
            model.go_to(id.relation, id.fork, id.block);
            let Scene::Page(page) = app::view(&model).scene else { panic!("a page") };
            for region in &page.regions {
                let mut model = model.clone();
                let view = shown(&mut model, &[Msg::Select(region.part), Msg::Command(Command::LastWriter)]);
                let writer = written(timeline(&model), state, id, region.bytes.clone());
                match writer {
                    Some(writer) => {
                        assert_eq!(timeline(&model).current(), writer, "{id} {:?}: {}", region.part, view.status)
                    }
                    None => {
                        assert!(view.status.contains("older than the first capture"), "{}", view.status);
                        older += 1;
                    }
                }
                let back = shown(&mut model, &[Msg::Command(Command::Back)]);
                assert!(timeline(&model).current() == state || writer == Some(state), "{}", back.status);
                asked += 1;
            }
        }
    }
    println!("{asked} parts asked for their last writer, {older} older than the first capture");
    assert!(asked > 300);
}

/// The last step up to a state after which these bytes are not as before: found by comparing pages, not by asking the
/// timeline.
fn written(timeline: &Timeline, upto: usize, id: PageId, bytes: std::ops::Range<u16>) -> Option<usize> {
    let mut at = timeline.clone();
    (1..=upto).rev().find(|state| {
        at.seek(*state);
        let slice = |state: &State| state.pages.get(&id).map(|page| page.slice(bytes.clone()).to_vec());
        at.touches(*state, id) && slice(at.state()) != at.before().and_then(slice)
    })
}

#[test]
fn groups_are_stepped_by_transaction_and_capture() {
    let mut model = open();
    let mut ends = Vec::new();
    while timeline(&model).current() + 1 < timeline(&model).len() {
        shown(&mut model, &[Msg::Command(Command::NextGroup)]);
        ends.push(timeline(&model).current());
    }
    let opened = timeline(&model).clone();
    let is_end = |state: &usize| {
        let name = opened.record(*state).map(|r| r.decode(opened.last().server.version).expect("sound").type_name());
        let ends_transaction = name.is_some_and(|name| name == "COMMIT" || name == "ABORT");
        ends_transaction || opened.groups().iter().any(|group| group.states.end == state + 1)
    };
    assert_eq!(ends, (1..opened.len()).filter(is_end).collect::<Vec<_>>());
    let mut back = Vec::new();
    while timeline(&model).current() > 0 {
        shown(&mut model, &[Msg::Command(Command::PreviousGroup)]);
        back.push(timeline(&model).current());
    }
    back.reverse();
    assert_eq!(back[1..], ends[..ends.len() - 1], "the same ends on the way back");
    println!("{} ends of transactions and captures in {} states", ends.len(), opened.len());
}

#[test]
fn each_step_says_how_it_became_known() {
    let mut model = open();
    let mut kinds: BTreeMap<MarkKind, usize> = BTreeMap::new();
    for state in 0..timeline(&model).len() {
        let view = shown(&mut model, &[Msg::Seek(state)]);
        let expected = match timeline(&model).cause(state) {
            Some(Cause::Record(record)) => (Provenance::Replayed, format!("replayed: record {} ", record.start)),
            Some(Cause::NotLogged) => (Provenance::Inferred, "inferred".to_owned()),
            _ => (Provenance::Measured, String::new()),
        };
        assert!(view.provenance == expected.0 && view.timeline.how.starts_with(&expected.1), "{}", view.timeline.how);
        assert!(view.title.ends_with(view.provenance.word()), "{}", view.title);
        let mark = view.timeline.marks.iter().find(|mark| mark.state == state).expect("a mark");
        *kinds.entry(mark.kind).or_default() += 1;
    }
    println!("{kinds:?}");
    for kind in [MarkKind::Equal, MarkKind::Record, MarkKind::End, MarkKind::Checkpoint, MarkKind::Redo] {
        assert!(kinds.contains_key(&kind), "there is no {kind:?}");
    }
    assert!(!kinds.contains_key(&MarkKind::Differs), "replay and captures agree");
}

#[test]
fn typing_leaves_the_records_that_have_all_words() {
    let mut model = open();
    shown(&mut model, &[Msg::Show(ViewName::Wal), Msg::Command(Command::Filter)]);
    let all = timeline(&model).len() - 1;
    let mut count = |text: &str| {
        let view = shown(&mut model, &[Msg::Filter(text.to_owned())]);
        assert_eq!(view.filter.as_deref(), Some(text));
        let rows = wal(&view).rows.iter().filter(|row| matches!(row.row.part, PartId::Record(_)));
        (rows.count(), wal(&view).rows.first().map_or(String::new(), |row| row.row.cells.join(" ")))
    };
    let opened = recorded::wal();
    let named = |name: &str| {
        let records = (1..opened.len()).filter_map(|state| opened.record(state));
        records.filter(|r| r.decode(opened.last().server.version).expect("sound").type_name() == name).count()
    };
    assert_eq!(count("").0, all);
    assert_eq!(count("hot_update").0, named("HOT_UPDATE"));
    assert_eq!(count("btree city_pkey insert_leaf").0, named("INSERT_LEAF"));
    assert_eq!(count("checkpoint_online").0, 1);
    assert!(count("side by side").0 >= 8, "the label of a capture");
    // what a record did: the arrow stands there only
    let arrows = |record: &&Record| {
        describe::headline(&record.decode(opened.last().server.version).expect("sound")).contains('→')
    };
    let arrows = (1..opened.len()).filter_map(|state| opened.record(state)).filter(arrows).count();
    assert!(arrows > 0 && named("HOT_UPDATE") > 0);
    assert_eq!((count("→").0, count("→ hot_").0), (arrows, named("HOT_UPDATE")));
    assert_eq!(count("nothing of the sort"), (0, String::new()));
    let first: Lsn = opened.record(1).expect("a record").start;
    assert_eq!(count(&first.to_string()).0, 1);
}

#[test]
fn a_pages_age_is_the_wal_since_its_lsn() {
    let mut model = open();
    let mut ages = Vec::new();
    for state in [20, 40, timeline(&model).len() - 1] {
        shown(&mut model, &[Msg::Seek(state)]);
        for tab in app::view(&model).relations.iter().filter(|tab| tab.fork == ForkNumber::Main) {
            let messages =
                [Msg::ShowRelation(tab.relation, tab.fork), Msg::Show(ViewName::Map), Msg::Measure(Measure::Age)];
            let Scene::RelationMap(map) = shown(&mut model, &messages).scene else { panic!("a map") };
            let at = timeline(&model).state();
            let lsn = |block| at.pages[&PageId { relation: tab.relation, fork: tab.fork, block }].header().pd_lsn();
            let now = at.fork(tab.relation, tab.fork).map(|(block, _)| lsn(block)).chain(at.lsn).max();
            for cell in &map.cells {
                let PartId::Block(block) = cell.part else { panic!("a block") };
                let age = now.expect("a position").0 - lsn(block).0;
                let said = if age == 0 {
                    "written just now".to_owned()
                } else {
                    format!("written {} of WAL ago", words::size(age))
                };
                assert!(cell.label.contains(&said), "{}: {said}", cell.label);
                ages.push((age, cell.percent.expect("a page that was read has an age")));
            }
        }
    }
    ages.sort_unstable();
    assert!(ages.is_sorted_by_key(|(_, percent)| *percent), "what is older is fuller: {ages:?}");
    println!("{} ages compared, from {:?} to {:?}", ages.len(), ages[0], ages[ages.len() - 1]);
    assert!(ages.len() > 6 && ages[0].1 < ages[ages.len() - 1].1);
}

#[test]
fn nothing_of_a_row_is_shown_when_row_data_is_hidden() {
    let values = ["Oslo", "Rome", "Lima", "Cairo", "4c696d61", "4c 69 6d 61", "city 15"];
    let mut model = open();
    let mut count = |redact: bool| {
        model.redact = redact;
        let mut found = 0;
        for state in 1..timeline(&model).len() {
            let view = shown(&mut model, &[Msg::Seek(state), Msg::Show(ViewName::Wal)]);
            let text = format!("{:?} {:?} {:?}", view.scene, view.inspector, view.timeline);
            for value in values.iter().filter(|value| text.contains(**value)) {
                assert!(!redact, "state {state}: {value} is shown");
                found += 1;
            }
        }
        found
    };
    let found = count(false);
    assert!(found > 20 && count(true) == 0);
    println!("{found} values shown, none of them when hidden");
}
