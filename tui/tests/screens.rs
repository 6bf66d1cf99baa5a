//! What screens look like: goldens with their colours, and that everything there is to see is drawn.
//!
//! A golden has the characters, then a letter a cell for its colours, then what the letters mean. `INSTA_UPDATE=always
//! cargo test -p ffviz --test screens` makes them anew.

use ffviz_format::page::{PgVersion, RegionKind};
use ffviz_simulator::sql::run::{Play, RunOptions};
use ffviz_story::app::{self, Command, Model, Msg, RunReport, View, ViewName};
use ffviz_story::scene::{Change, Measure, PartId, QuestionScene, Role, Scene, Verdict, WalList};
use ffviz_story::timeline::Run;
use ffviz_tests::recorded;
use ffviz_tui::theme::{Depth, Palette, Theme};
use ffviz_tui::view::{self, Local};
use ffviz_tui::{book, library, show, sim, source};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::collections::BTreeSet;
use std::fmt::Write;

const THEME: Theme = Theme { palette: Palette::Dark, depth: Depth::True, ascii: false, opaque: true };
const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (160, 50);

fn open(name: &str) -> Model {
    let opened = source::read_recording(name, library::find(name).expect("it is in the library")).expect("it is sound");
    let mut model = Model::new(library::entries());
    app::update(&mut model, opened.into());
    model
}

fn at(name: &str, messages: &[Msg]) -> View {
    let mut model = open(name);
    for msg in messages {
        app::update(&mut model, msg.clone());
    }
    app::view(&model)
}

/// The recording with a server's own WAL.
fn with_wal(messages: &[Msg]) -> View {
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Opened { name: "wal".into(), timeline: recorded::wal(), lost: Vec::new() });
    for msg in messages {
        app::update(&mut model, msg.clone());
    }
    app::view(&model)
}

/// Characters, a letter a cell for its colours, the letters.
fn golden(buffer: &Buffer) -> String {
    const LETTERS: &[u8] = b".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut styles: Vec<Style> = Vec::new();
    let mut plane = String::new();
    for line in buffer.content.chunks(usize::from(buffer.area.width)) {
        for cell in line {
            let style = cell.style();
            let n = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            plane.push(char::from(*LETTERS.get(n).unwrap_or(&b'?')));
        }
        plane.push('\n');
    }
    let mut text = format!("{}\n{plane}\n", show::text(buffer));
    for (style, letter) in styles.iter().zip(LETTERS) {
        let color = |c: Option<ratatui::style::Color>| c.map_or("-".into(), |c| c.to_string());
        let _ = writeln!(
            text,
            "{} {} on {} {:?}",
            char::from(*letter),
            color(style.fg),
            color(style.bg),
            style.add_modifier
        );
    }
    text
}

fn check(name: &str, view: &View, sizes: &[(u16, u16)]) {
    check_in(&THEME, name, view, sizes);
}

fn check_in(theme: &Theme, name: &str, view: &View, sizes: &[(u16, u16)]) {
    for size in sizes {
        let buffer = show::screen(view, *size, theme);
        insta::assert_snapshot!(format!("{name}-{}x{}", size.0, size.1), golden(&buffer));
    }
}

#[test]
fn library_of_recordings() {
    check("library", &app::view(&Model::new(library::entries())), &[SMALL]);
}

#[test]
fn help() {
    check("help", &at("18/hot-chain", &[Msg::Command(Command::Help)]), &[SMALL, LARGE]);
}

#[test]
fn hot_chain() {
    let select = |n| Msg::Select(PartId::Region(RegionKind::LinePointer(ffviz_format::page::OffsetNumber(n))));
    check("hot-chain-2", &at("18/hot-chain", &[Msg::Seek(2), Msg::Show(ViewName::Page), select(3)]), &[SMALL, LARGE]);
    check(
        "hot-chain-last",
        &at("18/hot-chain", &[Msg::Command(Command::Last), Msg::Show(ViewName::Page), select(1)]),
        &[SMALL, LARGE],
    );
}

const SCRIPT: &str = "create table t (id int primary key, note text);
insert into t select i, repeat('x', 1000) from generate_series(1, 8) i;
checkpoint;
update t set note = repeat('y', 1000) where id = 1;
";

fn run(options: &RunOptions) -> Run {
    sim::command::play("a.sql", SCRIPT.into(), options).expect("a script").0
}

/// A script in the simulator, and beside it with another fillfactor.
fn simulated(messages: &[Msg]) -> View {
    let options = RunOptions::new(PgVersion(180_004));
    let other = RunOptions { storage: vec![("fillfactor".into(), "80".into())], ..options.clone() };
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Scripted { name: "a.sql".into(), run: run(&options) });
    let names = ["as written".into(), "fillfactor=80".into()];
    app::update(&mut model, Msg::Versus { names, run: run(&other) });
    for msg in messages {
        app::update(&mut model, msg.clone());
    }
    app::view(&model)
}

#[test]
fn two_runs_side_by_side() {
    let long = Msg::Command(Command::NextGroup);
    check("versus", &simulated(&[long.clone(), long.clone(), long]), &[SMALL, LARGE]);
}

const ROWS: &str = "create table t (id int primary key, price numeric(8,2), note text);
insert into t values (1, 12.5, 'one'), (2, null, '漢字 and ü'), (3, -0.05, null);
update t set price = price + 1 where id < 3 returning ctid, id, price as \"new price\";
select i, repeat('long ', i) from generate_series(1, 30) i;
";

/// At the last step of a statement, the rows that it gave.
#[test]
fn rows_of_a_statement() {
    let run = sim::command::play("a.sql", ROWS.into(), &RunOptions::new(PgVersion(180_004))).expect("a script").0;
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Scripted { name: "a.sql".into(), run });
    let mut long_steps = |n| (0..n).for_each(|_| drop(app::update(&mut model, Msg::Command(Command::NextGroup))));
    long_steps(2);
    check("rows-returning", &app::view(&model), &[SMALL, LARGE]);
    let text = show::show(&app::view(&model), SMALL, &THEME, show::Format::Text);
    let table = "    ctid  │ id │ new price\n    ──────┼────┼──────────\n    (0,4) │  1 │     13.50\n    (0,5) │  2 │\n    (2 rows)\n";
    assert!(text.contains(table), "{text}");
    app::update(&mut model, Msg::Command(Command::Redact));
    check("rows-hidden", &app::view(&model), &[SMALL]);
    app::update(&mut model, Msg::Command(Command::Redact));
    app::update(&mut model, Msg::Command(Command::NextGroup));
    let view = app::view(&model);
    assert!(show::show(&view, SMALL, &THEME, show::Format::Text).contains("\n    … 10 more rows\n"));
    check("rows-many", &view, &[SMALL, LARGE]);
}

#[test]
fn editor_with_a_problem() {
    let wrong = SCRIPT.replace("update t set", "update t sat");
    let problem = sim::runner::problem(Play::mistake(&wrong).expect("a problem"));
    let messages =
        [Msg::Command(Command::Edit), Msg::Run(wrong), Msg::RunReport { number: 1, report: RunReport::Wrong(problem) }];
    check("editor", &simulated(&messages), &[SMALL, LARGE]);
}

/// What is read beside the steps, what is asked before the next ones, what is said of a wrong answer.
#[test]
fn lesson_with_a_question() {
    let mut model = Model::new(library::entries());
    let chapter = book::find("hot-update").expect("a chapter of the book");
    app::update(&mut model, book::play(chapter).expect("it can be played").into());
    app::update(&mut model, Msg::Command(Command::NextSection));
    check("lesson-read", &app::view(&model), &[SMALL, LARGE]);
    app::update(&mut model, Msg::Show(ViewName::Wal));
    check("lesson-wal", &app::view(&model), &[SMALL, LARGE]);
    let asked = |model: &Model| app::view(model).narration.and_then(|narration| narration.question);
    while asked(&model).is_none_or(|question| !question.waits) {
        app::update(&mut model, Msg::Command(Command::NextSection));
    }
    check("lesson-asked", &app::view(&model), &[SMALL, LARGE]);
    app::update(&mut model, Msg::Choose(0));
    let verdict = asked(&model).and_then(|question| question.verdict);
    assert_eq!(verdict, Some(Verdict::Wrong), "the first answer of the first question is a wrong one");
    check("lesson-answered", &app::view(&model), &[SMALL, LARGE]);
    // it is still open: another answer may be tried, and the right one is the last
    let right = [1, 2].into_iter().find(|n| {
        app::update(&mut model, Msg::Choose(*n));
        asked(&model).is_some_and(|question| !question.is_open())
    });
    let question = asked(&model).expect("it stays");
    assert_eq!((right, question.verdict), (Some(2), Some(Verdict::Right)));
    let marks: Vec<char> = question.choices.iter().map(|choice| choice.mark.glyph()).collect();
    assert_eq!(marks, ['✗', '✗', '✓']);
    assert!(!question.reason.is_empty(), "why is said at the end");
}

/// The answer can be had without a guess; until then the lesson waits.
#[test]
fn lesson_whose_answer_is_shown() {
    let mut model = Model::new(library::entries());
    let chapter = book::find("hot-update").expect("a chapter of the book");
    app::update(&mut model, book::play(chapter).expect("it can be played").into());
    let asked = |model: &Model| app::view(model).narration.and_then(|narration| narration.question);
    while asked(&model).is_none_or(|question| !question.waits) {
        app::update(&mut model, Msg::Command(Command::NextSection));
    }
    for (msg, verdict) in [
        (Msg::Command(Command::NextSection), None),
        (Msg::Choose(0), Some(Verdict::Wrong)),
        (Msg::Command(Command::NextSection), Some(Verdict::Wrong)),
        (Msg::Command(Command::ShowAnswer), Some(Verdict::Shown)),
        // what is settled cannot be answered any more
        (Msg::Choose(2), Some(Verdict::Shown)),
    ] {
        app::update(&mut model, msg.clone());
        assert_eq!(asked(&model).expect("the lesson waits").verdict, verdict, "{msg:?}");
    }
    app::update(&mut model, Msg::Command(Command::NextSection));
    assert!(asked(&model).is_none(), "the lesson goes on");
}

/// Keys of views are digits, in the order of the tabs; answers have letters. Neither is a key of a command that comes
/// first in the help.
#[test]
fn digits_are_views_and_letters_answers() {
    let digits: String = ViewName::ALL.into_iter().map(ViewName::digit).collect();
    assert_eq!(digits, "12345678");
    assert!(ViewName::ALL.into_iter().all(|view| ViewName::of_digit(view.digit()) == Some(view)));
    let choices = book::entries().flat_map(|entry| {
        let chapter = book::find(&entry.name).expect("a chapter of the list");
        let Msg::Lesson { lesson, .. } = book::play(chapter).expect("it can be played").into() else {
            panic!("a lesson")
        };
        lesson.sections.into_iter().filter_map(|section| Some(section.question?.choices.len()))
    });
    let letters: Vec<String> =
        (0..choices.max().expect("questions")).map(|n| QuestionScene::letter(n).into()).collect();
    for info in app::COMMANDS {
        let key = ffviz_tui::keymap::first_key(info.command);
        assert!(!letters.contains(&key) && !key.starts_with(|c: char| c.is_ascii_digit()), "{:?}: {key}", info.command);
    }
}

fn play(script: &str) -> Model {
    let run = sim::command::play("a.sql", script.into(), &RunOptions::new(PgVersion(180_004))).expect("a script").0;
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Scripted { name: "a.sql".into(), run });
    model
}

fn drawn(view: &View, (width, height): (u16, u16)) -> (String, view::HitMap) {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    let map = view::draw(view, area, &mut buffer, &THEME, &Local::default());
    (show::text(&buffer), map)
}

/// What a step changed is in sight, the row it added before the one it changed; a selected row goes before both.
#[test]
fn changed_rows_are_in_sight() {
    const SCRIPT: &str = "create table t (id int, n int);
        insert into t select g, 0 from generate_series(1, 90) g;
        update t set n = 1 where id = 2;
        delete from t where id = 70;";
    let pointer = |n| PartId::Region(RegionKind::LinePointer(ffviz_format::page::OffsetNumber(n)));
    for (word, row_number) in [("update", 91), ("delete", 70)] {
        let mut model = play(SCRIPT);
        app::update(&mut model, Msg::Show(ViewName::Page));
        let is_it = |model: &Model| {
            let view = app::view(model);
            let Scene::Page(page) = &view.scene else { return false };
            // not the scan before, which sets hint bits on all of them
            let changed = page.rows.iter().filter(|row| row.change != Change::Same).count();
            let it = page.rows.iter().find(|row| row.part == pointer(row_number));
            view.timeline.label.starts_with(word) && changed <= 2 && it.is_some_and(|row| row.change != Change::Same)
        };
        let steps = app::view(&model).timeline.count;
        for _ in 0..steps {
            if !is_it(&model) {
                app::update(&mut model, Msg::Command(Command::StepForward));
            }
        }
        for size in [SMALL, (120, 35), LARGE] {
            let in_sight = |model: &Model| {
                let (_, map) = drawn(&app::view(model), size);
                map.parts().map(|(part, ..)| part).collect::<Vec<_>>()
            };
            let shown = in_sight(&model);
            assert!(shown.contains(&pointer(row_number)), "{word} at {size:?}: {shown:?}");
            let mut model = model.clone();
            app::update(&mut model, Msg::Select(pointer(40)));
            assert!(in_sight(&model).contains(&pointer(40)), "{word} at {size:?}");
        }
    }
}

/// A page whose split is not complete says so at any size.
#[test]
fn incomplete_split_is_said() {
    const SCRIPT: &str = "create table n (o int, k int);
        create index n_k on n (k);
        insert into n select g, g from generate_series(1, 400) g;
        begin;
        insert into n select g, g from generate_series(401, 420) g;
        --@ crash before NEWROOT
        select count(*) from n where k > 300;";
    let mut model = play(SCRIPT);
    app::update(&mut model, Msg::Command(Command::Last));
    let index = app::view(&model).relations.into_iter().find(|tab| tab.name == "n_k").expect("the index");
    app::update(&mut model, Msg::ShowRelation(index.relation, index.fork));
    app::update(&mut model, Msg::Show(ViewName::Tree));
    for size in [SMALL, (100, 24), (120, 35), LARGE] {
        let text = drawn(&app::view(&model), size).0;
        assert!(text.contains("incomplete split"), "{size:?}\n{text}");
    }
}

/// A message that is too long for the line of keys has lines of its own, and is read whole.
#[test]
fn long_messages_are_read_whole() {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let long = "The server closed the connection unexpectedly while block 17 of the table was read; what was captured \
                before is kept, and a new capture with r begins a new connection as soon as the server can be reached again.";
    for text in ["short", &long[..70], long] {
        let view = at("18/hot-chain", &[Msg::Failed(text.to_owned())]);
        for size in [(60, 16), SMALL, LARGE] {
            let (screen, _) = drawn(&view, size);
            let shown = words(&screen);
            let wanted = words(&view.status);
            assert!(shown.windows(wanted.len()).any(|w| w == wanted), "{text} at {size:?}\n{screen}");
            assert!(screen.contains("? help"), "{screen}");
        }
    }
}

#[test]
fn cold_update() {
    check("update-not-hot-last", &at("18/update-not-hot", &[Msg::Command(Command::Last)]), &[SMALL]);
}

#[test]
fn relation_map() {
    let messages = [Msg::Command(Command::Last), Msg::Show(ViewName::Map)];
    check("map", &at("18/fillfactor-80", &messages), &[SMALL, LARGE]);
}

#[test]
fn wal_records() {
    let view = with_wal(&[Msg::Seek(11), Msg::Show(ViewName::Wal)]);
    check("wal", &view, &[SMALL, LARGE, (200, 60)]);
    let plain = Theme { palette: Palette::Dark, depth: Depth::None, ascii: true, opaque: false };
    check_in(&plain, "wal-plain", &view, &[SMALL, LARGE]);
}

#[test]
fn wal_totals() {
    let messages = [Msg::Command(Command::Last), Msg::Show(ViewName::Wal), Msg::WalList(WalList::Types)];
    check("wal-types", &with_wal(&messages), &[SMALL, LARGE]);
}

#[test]
fn charts_of_captures() {
    let view = with_wal(&[Msg::Seek(11), Msg::Show(ViewName::Charts)]);
    check("charts", &view, &[SMALL, (120, 35), LARGE]);
    let plain = Theme { palette: Palette::Dark, depth: Depth::None, ascii: true, opaque: false };
    check_in(&plain, "charts-plain", &view, &[SMALL]);
    let without = at("18/fillfactor-80", &[Msg::Command(Command::Last), Msg::Show(ViewName::Charts)]);
    check("charts-without-wal", &without, &[SMALL]);
}

#[test]
fn wal_step() {
    let select = Msg::Select(PartId::Region(RegionKind::LinePointer(ffviz_format::page::OffsetNumber(3))));
    check("wal-step", &with_wal(&[Msg::Seek(11), select]), &[SMALL, LARGE]);
    let messages = [Msg::Command(Command::Last), Msg::Show(ViewName::Map), Msg::Measure(Measure::Age)];
    check("wal-age", &with_wal(&messages), &[LARGE]);
}

#[test]
fn index_tree() {
    let mut model = open("18/btree-grow");
    app::update(&mut model, Msg::Command(Command::Last));
    for tab in app::view(&model).relations {
        app::update(&mut model, Msg::ShowRelation(tab.relation, tab.fork));
        app::update(&mut model, Msg::Show(ViewName::Tree));
        if matches!(app::view(&model).scene, Scene::Tree(_)) {
            break;
        }
    }
    let view = app::view(&model);
    assert!(matches!(view.scene, Scene::Tree(_)), "the recording has an index");
    check("tree", &view, &[SMALL, LARGE]);
}

/// Every part with its role, as the scene has them.
fn parts(scene: &Scene) -> BTreeSet<(PartId, Role)> {
    match scene {
        Scene::List(list) => list.rows.iter().map(|row| (row.part, row.role)).collect(),
        Scene::Charts(_) => BTreeSet::new(),
        Scene::Figure(figure) => figure.pieces().map(|piece| (piece.part, piece.role)).collect(),
        Scene::RelationMap(map) => map.cells.iter().map(|cell| (cell.part, cell.role)).collect(),
        Scene::Page(page) => {
            let regions = page.regions.iter().map(|region| (region.part, region.role));
            regions.chain(page.rows.iter().map(|row| (row.part, row.role))).collect()
        }
        Scene::Tree(tree) => tree.levels.iter().flat_map(|l| &l.nodes).map(|node| (node.part, node.role)).collect(),
        Scene::Wal(wal) => {
            let in_panels = wal.panels.iter().flat_map(|panel| &panel.rows);
            wal.rows.iter().chain(in_panels).map(|row| (row.row.part, row.row.role)).collect()
        }
    }
}

#[test]
fn everything_there_is_to_see_is_drawn() {
    let (mut screens, mut count) = (0, 0);
    // the scenarios are the same on every version
    for entry in library::entries().into_iter().filter(|entry| entry.name.starts_with("18/")) {
        let mut model = open(&entry.name);
        let states = app::view(&model).timeline.count;
        // every other one: neighbours differ little
        for state in (0..states).step_by(2) {
            app::update(&mut model, Msg::Seek(state));
            for tab in app::view(&model).relations {
                app::update(&mut model, Msg::ShowRelation(tab.relation, tab.fork));
                for (name, ..) in app::view(&model).tabs {
                    app::update(&mut model, Msg::Show(name));
                    let view = app::view(&model);
                    let area = Rect::new(0, 0, 200, 400);
                    let map = view::draw(&view, area, &mut Buffer::empty(area), &THEME, &Local::default());
                    let drawn: BTreeSet<(PartId, Role)> = map.parts().map(|(part, role, _)| (part, role)).collect();
                    let missing: Vec<_> = parts(&view.scene).difference(&drawn).copied().collect();
                    assert!(missing.is_empty(), "{} state {state} {name:?} {}: {missing:?}", entry.name, tab.name);
                    (screens, count) = (screens + 1, count + drawn.len());
                }
            }
        }
    }
    println!("{screens} screens with {count} parts compared");
    assert!(screens > 100);
}

#[test]
fn no_size_is_too_odd() {
    let views = [
        at("18/hot-chain", &[Msg::Seek(3)]),
        at("18/btree-grow", &[Msg::Command(Command::Last)]),
        at("18/btree-grow", &[Msg::Command(Command::Last), Msg::Show(ViewName::Map)]),
        app::view(&Model::new(library::entries())),
        with_wal(&[Msg::Seek(20)]),
        with_wal(&[Msg::Seek(20), Msg::Show(ViewName::Wal)]),
        with_wal(&[Msg::Show(ViewName::Wal), Msg::WalList(WalList::Relations)]),
    ];
    let mut count = 0;
    for view in &views {
        for width in (1..260).step_by(13) {
            for height in (1..90).step_by(5) {
                let _ = show::screen(view, (width, height), &THEME);
                count += 1;
            }
        }
    }
    println!("{count} sizes drawn");
}

#[test]
fn drawing_is_fast_enough_to_be_forgotten() {
    let view = at("18/btree-grow", &[Msg::Command(Command::Last)]);
    let start = std::time::Instant::now();
    for _ in 0..50 {
        let _ = show::screen(&view, (200, 60), &THEME);
    }
    println!("200×60 drawn in {:?} (this build)", start.elapsed() / 50);
}

#[test]
fn svg_has_title_description_and_both_themes() {
    let view = at("18/hot-chain", &[Msg::Seek(3)]);
    let unchosen = Theme { opaque: false, ..THEME };
    let picture = show::show(&view, (100, 30), &unchosen, show::Format::Svg);
    assert_eq!(picture, show::show(&view, (100, 30), &unchosen, show::Format::Svg));
    for needed in ["<title", "<desc", "prefers-color-scheme:dark", "textLength", "</svg>"] {
        assert!(picture.contains(needed), "{needed}");
    }
    assert!(!picture.contains("@font-face") && picture.len() < 40_000, "{} bytes", picture.len());
}

/// A theme that was chosen is the picture's own, whatever the reader's is.
#[test]
fn svg_has_the_theme_that_was_chosen() {
    let view = at("18/hot-chain", &[Msg::Seek(3)]);
    for format in [show::Format::Svg, show::Format::Figure] {
        let mut pictures = BTreeSet::new();
        for palette in Palette::ALL {
            let picture = show::show(&view, (100, 30), &Theme { palette, ..THEME }, format);
            assert!(!picture.contains("prefers-color-scheme"), "{palette:?}");
            pictures.insert(picture);
        }
        assert_eq!(pictures.len(), Palette::ALL.len(), "each has its own colours");
        let plain = show::show(&view, (100, 30), &Theme { depth: Depth::None, ..THEME }, format);
        let colours: BTreeSet<&str> = plain.split("fill:").skip(1).filter_map(|rest| rest.get(..7)).collect();
        let colours = colours.into_iter().filter(|colour| colour.starts_with('#'));
        assert_eq!(colours.count(), 2, "text and ground: {}", &plain[..1000]);
    }
}

/// Where there is room, titles are whole; where there is little, names are.
#[test]
fn lists_use_the_room_there_is() {
    let view = app::view(&Model::new(library::entries()));
    let wide = show::text(&show::screen(&view, (160, 50), &THEME));
    // what is cut goes up to the scroll bar
    let is_full = |line: &str| line.chars().skip(154).any(|c| c == '…') || !line.contains('…');
    let entries = wide.lines().filter(|line| line.contains('▫'));
    assert!(entries.clone().count() > 20 && entries.clone().all(is_full), "{wide}");
    let narrow = show::text(&show::screen(&view, (80, 50), &THEME));
    for entry in library::entries() {
        let name = entry.name.rsplit('/').next().unwrap_or_default();
        assert!(narrow.contains(name), "{name}:\n{narrow}");
    }
}
