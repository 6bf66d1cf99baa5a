//! Every step of every lesson and recording has a figure, or says why there is nothing to draw; and nothing in a
//! drawing lies over anything else. Prints how many figures there are of each event.

use ffviz_format::page::PgVersion;
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_story::app::{self, LESSONS, LibraryEntry, Model, Msg, ViewName};
use ffviz_story::recording;
use ffviz_story::scene::figure::drawing::{self, Drawing, Form, Paint};
use ffviz_story::scene::figure::{Band, FigureScene, Panel, Whole};
use ffviz_story::scene::{Scene, StepName};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Widths of drawings: exported, and in a narrow window.
const WIDTHS: [i32; 2] = [820, 400];

fn open(entry: &LibraryEntry) -> Model {
    let mut model = Model::new(vec![entry.clone()]);
    let name = entry.name.clone();
    if let Some(chapter) = name.starts_with(LESSONS).then(|| ffviz_tui::book::find(&name)).flatten() {
        app::update(&mut model, ffviz_tui::book::play(chapter).expect("it can be played").into());
    } else {
        let mut text = Vec::new();
        let packed = ffviz_tui::library::find(&name).expect("every entry has its file");
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut text).expect("gzip");
        let recording = recording::read(&text);
        let timeline = recording.timeline.expect("a whole recording");
        app::update(&mut model, Msg::Opened { name, timeline, lost: recording.lost });
    }
    model
}

/// A rectangle: left, top, right, bottom.
type Box4 = [i32; 4];

fn boxes(drawing: &Drawing, wanted: fn(Paint) -> bool) -> Vec<Box4> {
    let of = |shape: &drawing::Shape| match shape.form {
        Form::Rect { x, y, w, h, .. } if wanted(shape.paint) => Some([x, y, x + w, y + h]),
        _ => None,
    };
    drawing.shapes.iter().filter_map(of).collect()
}

const fn overlap(a: Box4, b: Box4) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Panels apart from each other; bands and line pointers too, and each within a panel; all within the picture.
fn is_laid_out(figure: &FigureScene, place: &str) {
    for width in WIDTHS {
        let drawing = drawing::draw(figure, width);
        let frames = boxes(&drawing, |paint| matches!(paint, Paint::Frame | Paint::FrameNew));
        let pieces = boxes(&drawing, |paint| matches!(paint, Paint::Band(_) | Paint::Chip));
        for all in [&frames, &pieces] {
            for (n, one) in all.iter().enumerate() {
                let other = all[n + 1..].iter().find(|other| overlap(*one, **other));
                assert_eq!(other, None, "{place}, {width} wide: lies over {one:?}\n{figure:#?}");
            }
        }
        let within = |inner: &Box4, outer: Box4| {
            inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
        };
        let picture = [0, 0, drawing.width, drawing.height];
        assert!(
            frames.iter().all(|frame| within(frame, picture)),
            "{place}, {width} wide: out of the picture\n{figure:#?}"
        );
        let inside = |piece: &Box4| frames.iter().any(|frame| within(piece, *frame));
        assert!(pieces.iter().all(inside), "{place}, {width} wide: out of its panel\n{figure:#?}");
    }
}

#[derive(Default)]
struct Counted {
    kinds: BTreeMap<&'static str, usize>,
    arrows: usize,
}

/// The figure that a message leads to.
fn figure(model: &mut Model, to: Msg) -> FigureScene {
    app::update(model, to);
    app::update(model, Msg::Show(ViewName::Figure));
    let Scene::Figure(figure) = app::view(model).scene else { panic!("there are figures") };
    figure
}

fn figures(entry: &LibraryEntry) -> Counted {
    let mut model = open(entry);
    let mut counted = Counted::default();
    let groups = model.timeline.as_ref().map_or(&[][..], ffviz_story::timeline::Timeline::groups);
    let wholes: Vec<Msg> = groups.iter().map(|group| Msg::SeekWhole(group.states.end - 1)).collect();
    let steps = (0..app::view(&model).timeline.count).map(Msg::Seek);
    for to in steps.chain(wholes) {
        let place = format!("{}, {to:?}", entry.name);
        let figure = figure(&mut model, to);
        let place = format!("{place}, {}", figure.plot.name());
        let says_something = !figure.panels.is_empty() || !figure.notes.is_empty() || !figure.left_out.is_empty();
        assert!(says_something && !figure.title.is_empty(), "{place}: {figure:#?}");
        assert!(figure.panels.len() <= 6, "{place}: too much at once");
        is_laid_out(&figure, &place);
        *counted.kinds.entry(figure.plot.name()).or_default() += 1;
        counted.arrows += figure.arrows.len();
    }
    counted
}

/// What a statement is about, though its last step is a COMMIT, a hint bit or a map.
#[test]
fn a_statement_is_told_by_its_main_event() {
    let cases = [
        ("lesson/hot-update", "6.all", "hot-update"),
        ("lesson/hot-update", "9.all", "prune"),
        ("lesson/btree-growth", "3.all", "inserts"),
        ("lesson/btree-growth", "4.all", "new-root"),
        ("lesson/version-churn", "6.all", "updates"),
        ("lesson/version-churn", "3.all", "index-build"),
    ];
    let library = ffviz_tui::library::entries();
    for (name, step, plot) in cases {
        let entry = library.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{name}: no such lesson"));
        let mut model = open(entry);
        let step: StepName = step.parse().expect("an address");
        let state = step.find(model.timeline.as_ref().expect("steps")).expect("a state");
        let whole = figure(&mut model, Msg::SeekWhole(state));
        assert_eq!(whole.plot.name(), plot, "{name} {step:?}: {whole:#?}");
        // the same state reached by step is about that step
        app::update(&mut model, Msg::Seek(0));
        assert_ne!(figure(&mut model, Msg::Seek(state)).title, whole.title, "{name} {step:?}");
    }
}

#[test]
fn every_step_has_a_figure_in_which_nothing_lies_over_another() {
    let library = ffviz_tui::library::entries();
    let next = AtomicUsize::new(0);
    let work = || {
        let entries = std::iter::from_fn(|| library.get(next.fetch_add(1, Ordering::Relaxed)));
        entries.map(figures).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let counted: Vec<Counted> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("figures of all")).collect()
    });
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, count) in counted.iter().flat_map(|part| &part.kinds) {
        *kinds.entry(name).or_default() += count;
    }
    let arrows: usize = counted.iter().map(|part| part.arrows).sum();
    println!("{} lessons and recordings, {} figures, {arrows} arrows", counted.len(), kinds.values().sum::<usize>());
    for (name, count) in &kinds {
        println!("{count:>6} {name}");
    }
    assert!(counted.len() == library.len() && kinds.len() > 20 && arrows > 100, "too little was drawn");
}

/// The line above the figure of a script's last statement, and the figure.
fn last_statement(script: &str) -> (String, FigureScene) {
    let script = Script::parse(script).expect("a script");
    let (timeline, _) = Simulator::timeline(&script, &RunOptions::new(PgVersion(180_004))).expect("a run");
    let states = timeline.groups().last().expect("a statement").states.clone();
    let whole = Whole::of(&timeline, &states, false).expect("several steps");
    (whole.explanation.headline.clone(), whole.figure(&timeline, false, None))
}

/// Its bands: sign, values, what is said of them.
fn bands(figure: &FigureScene) -> Vec<(char, &str, &str)> {
    const fn told(band: &Band) -> (char, &str, &str) {
        (band.role.glyph(), band.text.as_str(), band.tag.as_str())
    }
    figure.panels.iter().flat_map(Panel::bands).map(told).collect()
}

#[test]
fn figures_name_who_changed_rows_in_place_of_the_statement() {
    let (line, figure) = last_statement(
        "create table t (a int, b int); create table log (a int);
         create function f() returns trigger language plpgsql as $$ begin insert into log values (new.a); return new; end $$;
         create trigger tr after update on t for each row execute function f();
         insert into t values (1, 1); update t set b = 2;",
    );
    assert_eq!(line, "t: UPDATE (0,1) → (0,2): HOT; trigger tr inserted 1 row in log");
    assert!(figure.panels.iter().any(|panel| panel.status.starts_with("by trigger tr")), "{figure:#?}");
    let (line, _) = last_statement(
        "create table p (a int primary key); create table c (a int references p on delete cascade);
         insert into p values (1); insert into c values (1), (1); delete from p;",
    );
    assert_eq!(line, "p: DELETE (0,1); cascade of foreign key c_a_fkey deleted 2 rows of c");
}

#[test]
fn figures_know_what_became_of_transactions() {
    // a block took a part back
    let (line, figure) = last_statement(
        "create table t (a int);
         do $$ begin insert into t values (1); begin insert into t values (2), (1 / (select 0)); exception when others then null; end;
         begin insert into t values (3); perform 1 / 0; exception when others then null; end; end $$;",
    );
    assert_eq!(line, "t: 3 rows inserted, 2 of them rolled back", "{figure:#?}");
    assert!(bands(&figure).contains(&('!', "a 3", "NEW · rolled back")), "{figure:#?}");
    // who locked is gone, and nobody noted it
    let (_, figure) = last_statement(
        "create table p (a int primary key); create table c (a int references p);
         insert into p values (1), (2); insert into c values (1); delete from p where a = 2;",
    );
    assert!(bands(&figure).contains(&('■', "a 1", "old lock")), "{figure:#?}");
    assert_eq!(figure.terms(), ["old lock: xmax is a lock that is over"]);
}

#[test]
fn what_many_rows_have_in_common_is_said_once() {
    let (_, figure) = last_statement(
        "create table t (a int, day date); insert into t select g, '2024-01-01' from generate_series(1, 40) g; delete from t;",
    );
    let said: Vec<&str> = bands(&figure).into_iter().map(|(_, _, tag)| tag).filter(|tag| !tag.is_empty()).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("40× xmax 0 → "), "{said:?}");
    // in the order of the table
    assert!(bands(&figure).iter().any(|(_, text, _)| *text == "a 40 · day 2024-01-01"), "{figure:#?}");
}
