//! Terminal and browser show the same: for every step of every recording of the library, in every view, the same parts,
//! as the same roles, in the same words. The terminal says what it drew by its hit map, the browser by its markup.

use ffviz_format::page::PgVersion;
use ffviz_format::state::PageId;
use ffviz_simulator::sql::run::{Play, RunOptions};
use ffviz_story::app::{self, COMMANDS, Command, LESSONS, LibraryEntry, Model, Msg, View, ViewName};
use ffviz_story::lesson::{Block, plain};
use ffviz_story::recording;
use ffviz_story::scene::{ChartScene, Measure, Role, Scene, WalList};
use ffviz_tests::markup::{self, Shown};
use ffviz_tests::recorded;
use ffviz_tui::theme::{Depth, Palette, Theme};
use ffviz_tui::view::{self as terminal, Local};
use ffviz_web::{Face, FaceProps};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use yew::LocalServerRenderer;

/// A screen on which nothing has to be left out: a byte a cell, and a line for every row.
const SCREEN: Rect = Rect { x: 0, y: 0, width: 320, height: 420 };

fn in_terminal(view: &View) -> BTreeSet<Shown> {
    let theme = Theme { palette: Palette::Dark, depth: Depth::True, ascii: false, opaque: true };
    let mut buffer = Buffer::empty(SCREEN);
    let map = terminal::draw(view, SCREEN, &mut buffer, &theme, &Local::default());
    map.parts().map(|(part, role, words)| Shown::new(&part.to_string(), role.word(), words)).collect()
}

fn in_browser(view: &View) -> BTreeSet<Shown> {
    markup::parts(&html(view)).into_iter().collect()
}

fn html(view: &View) -> String {
    let props = FaceProps {
        view: Rc::new(view.clone()),
        send: yew::Callback::noop(),
        narrow: false,
        tools: yew::Html::default(),
        server: yew::Html::default(),
        player: yew::Html::default(),
    };
    let renderer = LocalServerRenderer::<Face>::with_props(props).hydratable(false);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, renderer.render())
}

/// What was compared.
#[derive(Default)]
struct Counted {
    states: usize,
    views: usize,
    parts: usize,
    /// paragraphs of lessons
    words: usize,
    roles: BTreeSet<String>,
}

fn compare(model: &Model, what: &str, counted: &mut Counted) {
    let view = app::view(model);
    let (terminal, browser) = (in_terminal(&view), in_browser(&view));
    let missing = |a: &BTreeSet<Shown>, b: &BTreeSet<Shown>| a.difference(b).take(5).cloned().collect::<Vec<_>>();
    let (only_terminal, only_browser) = (missing(&terminal, &browser), missing(&browser, &terminal));
    assert!(
        only_terminal.is_empty() && only_browser.is_empty(),
        "{what}\nonly in the terminal: {only_terminal:#?}\nonly in the browser: {only_browser:#?}"
    );
    counted.views += 1;
    counted.parts += browser.len();
    counted.roles.extend(browser.into_iter().map(|shown| shown.role));
}

/// The pages worth looking at in a state: all of the first, then those that the step changed.
fn pages(model: &Model) -> Vec<PageId> {
    let timeline = model.timeline.as_ref().expect("a recording is open");
    match Some(timeline.step()).filter(|_| timeline.current() > 0) {
        Some(step) => step.pages.iter().filter(|change| change.after.is_some()).map(|change| change.id).collect(),
        None => timeline.state().pages.keys().copied().collect(),
    }
}

/// Pages, maps and trees of one state; on the last state the map with all it can show.
fn compare_state(model: &Model, what: &str, is_last: bool, counted: &mut Counted) {
    for id in pages(model) {
        let mut model = model.clone();
        model.go_to(id.relation, id.fork, id.block);
        compare(&model, &format!("{what}, page {id}"), counted);
    }
    for tab in app::view(model).relations {
        let mut model = model.clone();
        app::update(&mut model, Msg::ShowRelation(tab.relation, tab.fork));
        for (view, ..) in app::view(&model).tabs {
            let what = format!("{what}, {view:?} of {}", tab.name);
            app::update(&mut model, Msg::Show(view));
            if view == ViewName::Map {
                for measure in Measure::ALL.into_iter().take(if is_last { Measure::ALL.len() } else { 1 }) {
                    app::update(&mut model, Msg::Measure(measure));
                    compare(&model, &format!("{what}, {measure:?}"), counted);
                }
            } else if view == ViewName::Tree {
                compare(&model, &what, counted);
            }
        }
    }
}

/// A lesson: in each section its contents and its last state with what is read there, the question open and answered.
fn compare_lesson(library: &[LibraryEntry], name: &str) -> Counted {
    let chapter = ffviz_tui::book::find(name).expect("every lesson has its chapter");
    let mut model = Model::new(library.to_vec());
    app::update(&mut model, ffviz_tui::book::play(chapter).expect("it can be played").into());
    let mut counted = Counted { states: app::view(&model).timeline.count, ..Counted::default() };
    let mut place = None;
    while Some(model.timeline.as_ref().map(|timeline| timeline.current())) != place {
        place = Some(model.timeline.as_ref().map(|timeline| timeline.current()));
        for command in [Command::StepForward, Command::NextSection, Command::NextSection] {
            app::update(&mut model, Msg::Command(command));
            compare(&model, &format!("{name}, state {place:?}, {command:?}"), &mut counted);
            compare_narration(&model, &mut counted);
        }
        app::update(&mut model, Msg::Choose(0));
        compare_narration(&model, &mut counted);
        app::update(&mut model, Msg::Command(Command::ShowAnswer));
        compare_narration(&model, &mut counted);
        app::update(&mut model, Msg::Command(Command::NextSection));
    }
    counted
}

/// What is read beside a step is the same words in both, blanks and line ends apart.
fn compare_narration(model: &Model, counted: &mut Counted) {
    let view = app::view(model);
    let Some(narration) = &view.narration else { return };
    let theme = Theme { palette: Palette::Dark, depth: Depth::True, ascii: false, opaque: true };
    let mut buffer = Buffer::empty(SCREEN);
    terminal::draw(&view, SCREEN, &mut buffer, &theme, &Local::default());
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (screen, page) = (letters(&ffviz_tui::show::text(&buffer)), letters(&markup::words(&html(&view))));
    let asked = narration.question.iter();
    let asked = asked.flat_map(|question| question.choices.iter().map(|choice| plain(&choice.words)));
    let read = narration.prose.iter().filter_map(|block| match block {
        Block::Paragraph(spans) | Block::Heading(spans) => Some(plain(spans)),
        _ => None,
    });
    for words in asked.chain(read) {
        // of a paragraph the first words: the terminal has the picture's lines beside those that follow
        let beginning: String = letters(&words).chars().take(20).collect();
        assert!(page.contains(&beginning), "not in the browser: {words}");
        assert!(screen.contains(&beginning), "not in the terminal: {words}\n{}", ffviz_tui::show::text(&buffer));
        counted.words += 1;
    }
}

fn compare_entry(library: &[LibraryEntry], name: &str) -> Counted {
    if name.starts_with(LESSONS) { compare_lesson(library, name) } else { compare_recording(library, name) }
}

fn compare_recording(library: &[LibraryEntry], name: &str) -> Counted {
    let packed = ffviz_tui::library::find(name).expect("every entry has its file");
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut text).expect("gzip");
    let recording = recording::read(&text);
    let timeline = recording.timeline.expect("a whole recording");
    let count = timeline.len();
    let mut model = Model::new(library.to_vec());
    app::update(&mut model, Msg::Opened { name: name.to_owned(), timeline, lost: recording.lost });
    let mut counted = Counted { states: count, ..Counted::default() };
    // of a long recording every fifth state; the drawings of neighbours differ little
    let by = if count > 30 { 5 } else { 2 };
    for state in (0..count).filter(|state| state % by == 0 || state + 1 == count) {
        app::update(&mut model, Msg::Seek(state));
        compare_state(&model, &format!("{name}, state {state}"), state + 1 == count, &mut counted);
    }
    counted
}

/// The rows that a statement gives: names of columns, values, and how many more there are.
#[test]
fn both_faces_show_the_rows_of_a_statement() {
    const SCRIPT: &str = "create table t (id int, note text);
        insert into t values (1, 'first'), (2, null), (3, 'a & <b>') returning ctid, *;
        select i as number, md5(i::text) from generate_series(1, 40) i;";
    let mut play = Play::new(SCRIPT.to_owned(), &RunOptions::new(PgVersion(180_004))).expect("a script");
    while play.next() {}
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Scripted { name: "a.sql".to_owned(), run: play.finish() });
    let mut cells = 0;
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    for state in 0..app::view(&model).timeline.count {
        app::update(&mut model, Msg::Seek(state));
        let view = app::view(&model);
        let theme = Theme { palette: Palette::Dark, depth: Depth::True, ascii: false, opaque: true };
        let mut buffer = Buffer::empty(SCREEN);
        terminal::draw(&view, SCREEN, &mut buffer, &theme, &Local::default());
        let (screen, page) = (letters(&ffviz_tui::show::text(&buffer)), letters(&markup::words(&html(&view))));
        for rows in &view.timeline.results {
            let titles = rows.columns.iter().map(|column| &column.title);
            for words in titles.chain(rows.rows.iter().flatten().flatten()).chain([&rows.footer]) {
                assert!(screen.contains(&letters(words)), "not in the terminal: {words}");
                assert!(page.contains(&letters(words)), "not in the browser: {words}");
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 3 + 3 * 3 - 1 + 1 + 2 + 2 * 20 + 1);
}

#[test]
fn both_faces_show_the_same_parts_roles_and_words() {
    let library = ffviz_tui::library::entries();
    let mut total = Counted::default();
    compare(&Model::new(library.clone()), "the library", &mut total);
    let next = AtomicUsize::new(0);
    let work = || {
        let names = std::iter::from_fn(|| library.get(next.fetch_add(1, Ordering::Relaxed)));
        names.map(|entry| compare_entry(&library, &entry.name)).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let counted: Vec<Counted> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let counted = workers.into_iter().map(|worker| worker.join().expect("the faces show the same"));
        counted.flatten().collect()
    });
    let recordings = counted.len();
    for part in counted {
        total.states += part.states;
        total.views += part.views;
        total.parts += part.parts;
        total.words += part.words;
        total.roles.extend(part.roles);
    }
    let Counted { states, views, parts, words, roles } = total;
    println!(
        "{recordings} lessons and recordings, {states} states, {views} views, {parts} parts in {} roles, {words} paragraphs compared",
        roles.len()
    );
    assert!(recordings == library.len() && parts > 1000 && words > 50 && roles.len() > 8, "too little was compared");
}

/// Charts have no parts: their titles, curves, values and notes are what both show.
#[test]
fn both_faces_show_the_same_charts() {
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Opened { name: "wal".to_owned(), timeline: recorded::wal(), lost: Vec::new() });
    app::update(&mut model, Msg::Show(ViewName::Charts));
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    for state in [0, 11, usize::MAX] {
        app::update(&mut model, Msg::Seek(state));
        let view = app::view(&model);
        let Scene::Charts(scene) = &view.scene else { panic!("charts are shown") };
        let page = markup::words(&html(&view));
        // one column, so that the words of a chart are not among those of its neighbour
        let area = Rect { width: 100, ..SCREEN };
        let theme = Theme { palette: Palette::Dark, depth: Depth::True, ascii: false, opaque: true };
        let mut buffer = Buffer::empty(area);
        terminal::draw(&view, area, &mut buffer, &theme, &Local::default());
        let (screen, page) = (letters(&ffviz_tui::show::text(&buffer)), letters(&page));
        assert_eq!(scene.charts.len(), 4);
        let of = |chart: &ChartScene| {
            let plot = &chart.plot;
            let names = plot.series.iter().map(|series| series.name.clone());
            let words = [plot.title.clone(), plot.y.label.clone()].into_iter().chain(plot.notes.clone()).chain(names);
            words.chain(chart.here.clone()).collect::<Vec<_>>()
        };
        for words in scene.charts.iter().flat_map(of).chain([scene.title.clone(), scene.hint.clone()]) {
            assert!(screen.contains(&letters(&words)), "not in the terminal: {words}\n{screen}");
            assert!(page.contains(&letters(&words)), "not in the browser: {words}\n{page}");
        }
    }
}

/// A recording with a server's WAL: steps that are records, and the WAL itself.
#[test]
fn both_faces_show_the_same_wal() {
    let timeline = recorded::wal();
    let count = timeline.len();
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Opened { name: "wal".to_owned(), timeline, lost: Vec::new() });
    let mut counted = Counted { states: count, ..Counted::default() };
    for state in (0..count).step_by(9) {
        app::update(&mut model, Msg::Seek(state));
        compare_state(&model, &format!("wal, state {state}"), state + 9 >= count, &mut counted);
        for list in WalList::ALL {
            let mut model = model.clone();
            app::update(&mut model, Msg::Show(ViewName::Wal));
            app::update(&mut model, Msg::WalList(list));
            compare(&model, &format!("wal, state {state}, {list:?}"), &mut counted);
        }
    }
    println!("{} views, {} parts in {} roles compared", counted.views, counted.parts, counted.roles.len());
    assert!(counted.views > 50 && counted.roles.contains(Role::WalRecord.word()));
}

/// Two runs of a script side by side, and the editor over them.
#[test]
fn both_faces_show_the_same_runs() {
    let script = "create table t (id int primary key, note text);\n\
                  insert into t select i, repeat('x', 1000) from generate_series(1, 8) i;\n\
                  update t set note = repeat('y', 1000) where id = 1;\n";
    let options = RunOptions::new(PgVersion(180_004));
    let other = RunOptions { storage: vec![("fillfactor".into(), "80".into())], ..options.clone() };
    let run = |options| ffviz_tui::sim::command::play("a.sql", script.into(), options).expect("a script").0;
    let mut model = Model::new(Vec::new());
    app::update(&mut model, Msg::Scripted { name: "a.sql".into(), run: run(&options) });
    app::update(&mut model, Msg::Versus { names: ["as written".into(), "fillfactor=80".into()], run: run(&other) });
    let mut counted = Counted::default();
    let count = app::view(&model).timeline.count;
    for state in 0..count {
        app::update(&mut model, Msg::Seek(state));
        compare_state(&model, &format!("two runs, state {state}"), state + 1 == count, &mut counted);
    }
    app::update(&mut model, Msg::Command(Command::Edit));
    compare(&model, "the editor", &mut counted);
    println!("{} views, {} parts in {} roles compared", counted.views, counted.parts, counted.roles.len());
    assert!(counted.views > count && counted.roles.contains(Role::TupleHeapOnly.word()));
}

#[test]
fn both_faces_have_the_same_keys() {
    for info in COMMANDS {
        // what page keys do in the terminal depends on the pane, so that its help says it elsewhere
        let browser = ffviz_web::keymap::keys(info.command).filter(|key| !key.starts_with("Pg"));
        let browser: Vec<&str> = browser.collect();
        if browser.is_empty() {
            assert!(!ffviz_web::keymap::works(info.command), "{:?} works in the browser, and has no key", info.command);
            continue;
        }
        assert_eq!(browser.join(" "), ffviz_tui::keymap::keys(info.command), "{:?}", info.command);
        assert_eq!(
            ffviz_web::keymap::brief(info.command),
            ffviz_tui::keymap::brief(info.command),
            "{:?}",
            info.command
        );
    }
}
