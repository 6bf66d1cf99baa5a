//! How fast the terminal is: draw, key to screen, start to first screen. `cargo bench -p ffviz-tests --bench faces`;
//! BENCHMARKS.md has the figures.

use divan::{Bencher, black_box};
use ffviz_format::wal::Record;
use ffviz_story::app::{Command, Model, Msg, View, ViewName, update, view};
use ffviz_story::scene::{Look, figure};
use ffviz_story::timeline::{Timeline, WalBetween};
use ffviz_tests::recorded;
use ffviz_tui::relation_file::Hints;
use ffviz_tui::source;
use ffviz_tui::theme::{Depth, Palette, Theme};
use ffviz_tui::view::{Local, draw};
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;

const SCREEN: Rect = Rect { x: 0, y: 0, width: 200, height: 60 };
const THEME: Theme = Theme { palette: Palette::Dark, depth: Depth::True, ascii: false, opaque: false };
/// The recording with the fullest pages.
const FULL: &str = "18/fillfactor-100";

fn main() {
    divan::main();
}

fn model() -> Model {
    let opened = source::open(FULL, &Hints::default()).expect("a shipped recording");
    let mut model = Model::new(Vec::new());
    update(&mut model, Msg::Opened { name: FULL.to_owned(), timeline: opened.timeline, lost: Vec::new() });
    model
}

#[divan::bench]
fn draw_200x60(bencher: Bencher) {
    let view = view(&model());
    let mut buffer = Buffer::empty(SCREEN);
    bencher.bench_local(|| {
        buffer.reset();
        draw(black_box(&view), SCREEN, &mut buffer, &THEME, &Local::default())
    });
}

/// Update, view and draw: all that happens between a key and the screen, but for the terminal's own work.
#[divan::bench]
fn key_to_screen_200x60(bencher: Bencher) {
    let mut model = model();
    let mut buffer = Buffer::empty(SCREEN);
    let mut forward = false;
    bencher.bench_local(|| {
        forward = !forward;
        let command = if forward { Command::StepForward } else { Command::StepBack };
        update(&mut model, Msg::Command(command));
        buffer.reset();
        draw(&view(&model), SCREEN, &mut buffer, &THEME, &Local::default())
    });
}

/// All steps of all lessons, one after the other.
fn lessons() -> impl Iterator<Item = Model> {
    let chapters = ffviz_tui::book::entries().filter_map(|entry| ffviz_tui::book::find(&entry.name));
    chapters.flat_map(|chapter| {
        let mut model = Model::new(Vec::new());
        update(&mut model, ffviz_tui::book::play(chapter).expect("it can be played").into());
        let count = view(&model).timeline.count;
        (0..count).map(move |state| {
            update(&mut model, Msg::Seek(state));
            model.clone()
        })
    })
}

/// The figure of a step, from pages taken apart to marks and arrows.
#[divan::bench(sample_count = 2000, sample_size = 1)]
fn figure_made(bencher: Bencher) {
    let moment = |model: Model| {
        let timeline = model.timeline.expect("steps");
        (timeline.state().clone(), timeline.step().clone(), timeline.explain(), model.place.page)
    };
    let moments: Vec<_> = lessons().map(moment).collect();
    let mut next = (0..moments.len()).cycle();
    bencher.with_inputs(|| next.next().expect("a step")).bench_local_values(|n| {
        let (state, step, told, home) = &moments[n];
        {
            let (fates, within) = (Default::default(), None);
            figure::scene(&Look { state, step, outcome: None, fates, within, redact: false }, told, *home)
        }
    });
}

/// The figure of all steps of a statement in one.
#[divan::bench(sample_count = 2000, sample_size = 1)]
fn figure_of_a_statement(bencher: Bencher) {
    let mut statements = Vec::new();
    for chapter in ffviz_tui::book::entries().filter_map(|entry| ffviz_tui::book::find(&entry.name)) {
        let Msg::Lesson { timeline, .. } = ffviz_tui::book::play(chapter).expect("it can be played").into() else {
            unreachable!("a lesson")
        };
        let timeline = Rc::new(timeline);
        statements.extend(timeline.groups().iter().map(|group| (Rc::clone(&timeline), group.states.clone())));
    }
    let mut next = (0..statements.len()).cycle();
    bencher.with_inputs(|| next.next().expect("a statement")).bench_local_values(|n| {
        let (timeline, states) = &statements[n];
        figure::Whole::of(timeline, states, false).map(|whole| whole.figure(timeline, false, None))
    });
}

/// The figure on a screen of 200×60.
#[divan::bench(sample_count = 2000, sample_size = 1)]
fn figure_drawn_200x60(bencher: Bencher) {
    let shown = |mut model: Model| {
        update(&mut model, Msg::Show(ViewName::Figure));
        view(&model)
    };
    let views: Vec<View> = lessons().map(shown).collect();
    let mut next = (0..views.len()).cycle();
    let mut buffer = Buffer::empty(SCREEN);
    bencher.with_inputs(|| next.next().expect("a step")).bench_local_values(|n| {
        buffer.reset();
        draw(&views[n], SCREEN, &mut buffer, &THEME, &Local::default())
    });
}

/// A timeline of 100,000 records, standing in the middle: those of a recording again and again, each at a place of its
/// own.
fn wal_model() -> Model {
    let recorded = recorded::wal();
    let records: Vec<&Record> = (1..recorded.len()).filter_map(|state| recorded.record(state)).collect();
    let mut at = recorded.last().lsn.expect("a position");
    let mut again = |record: &Record| {
        let start = at;
        at = start.plus(record.end.0 - record.start.0);
        Record { start, end: at, ..record.clone() }
    };
    let many = records.iter().cycle().take(100_000).map(|record| again(record)).collect();
    let mut timeline = Timeline::new(recorded.last().clone(), None);
    let last = recorded.last().clone();
    timeline.push_replayed(last, None, WalBetween { records: many, ..WalBetween::default() });
    timeline.seek(timeline.len() / 2);
    let mut model = Model::new(Vec::new());
    update(&mut model, Msg::Opened { name: "wal".to_owned(), timeline, lost: Vec::new() });
    model
}

/// A key in the WAL view of 100,000 records.
#[divan::bench]
fn wal_key_to_screen_200x60(bencher: Bencher) {
    let mut model = wal_model();
    update(&mut model, Msg::Show(ViewName::Wal));
    let mut buffer = Buffer::empty(SCREEN);
    let mut down = false;
    bencher.bench_local(|| {
        down = !down;
        update(&mut model, Msg::Command(if down { Command::Down } else { Command::Up }));
        buffer.reset();
        draw(&view(&model), SCREEN, &mut buffer, &THEME, &Local::default())
    });
}

/// A step in a timeline of 100,000 records, a page shown.
#[divan::bench]
fn wal_step_to_screen_200x60(bencher: Bencher) {
    let mut model = wal_model();
    let mut buffer = Buffer::empty(SCREEN);
    let mut forward = false;
    bencher.bench_local(|| {
        forward = !forward;
        let command = if forward { Command::StepForward } else { Command::StepBack };
        update(&mut model, Msg::Command(command));
        buffer.reset();
        draw(&view(&model), SCREEN, &mut buffer, &THEME, &Local::default())
    });
}

/// Showing the WAL of 100,000 records for the first time: all of it is summed up.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn wal_first_shown(bencher: Bencher) {
    let model = wal_model();
    bencher.with_inputs(|| model.clone()).bench_local_values(|mut model| {
        update(&mut model, Msg::Show(ViewName::Wal));
        model
    });
}

/// A letter typed into the filter of 100,000 records.
#[divan::bench(sample_count = 10, sample_size = 2)]
fn wal_filter(bencher: Bencher) {
    let mut model = wal_model();
    update(&mut model, Msg::Show(ViewName::Wal));
    let mut odd = false;
    bencher.bench_local(|| {
        odd = !odd;
        update(&mut model, Msg::Filter(if odd { "insert" } else { "insert_" }.to_owned()));
    });
}

/// The released program, built beside this benchmark.
fn program() -> PathBuf {
    let beside = std::env::current_exe().expect("a path of our own");
    let release = beside.ancestors().nth(2).expect("target/release").join("ffviz");
    assert!(release.exists(), "no {}: cargo build --release", release.display());
    release
}

/// A program that is ended when its measurement is over: what is returned is dropped outside the measured time.
struct Running(Box<dyn Child + Send + Sync>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

/// From exec to the first picture in a terminal of 200×60.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn start_to_first_screen(bencher: Bencher) {
    let program = program();
    bencher.bench_local(|| {
        let size = PtySize { rows: 60, cols: 200, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).expect("a pty");
        let mut command = CommandBuilder::new(&program);
        command.env("TERM", "xterm-256color");
        let child = pty.slave.spawn_command(command).expect("the program starts");
        let mut reader = pty.master.try_clone_reader().expect("its output");
        let mut seen = Vec::new();
        let mut bytes = [0; 4096];
        while !String::from_utf8_lossy(&seen).contains("hot-chain") {
            let read = reader.read(&mut bytes).expect("its output");
            assert!(read > 0, "it ended before its first screen");
            seen.extend_from_slice(&bytes[..read]);
        }
        Running(child)
    });
}
