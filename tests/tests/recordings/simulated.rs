//! What was simulated is read back step by step: the same pages, causes, statements and words, and of a lesson what is
//! read beside them.

use super::states;
use ffviz_format::page::PgVersion;
use ffviz_format::state::State;
use ffviz_simulator::sql::player::{Played, play};
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_simulator::sql::script::Script;
use ffviz_story::lesson::{Lesson, read};
use ffviz_story::recording;
use ffviz_story::timeline::{Explanation, How, Step, Timeline};
use ffviz_tui::book::{entries, find};

fn played(name: &str) -> Played {
    let chapter = find(name).expect("a chapter of the book");
    play(read(chapter.text).expect(name)).expect(name)
}

/// A lesson as a file, in which one step in some is enough to damage.
pub fn short() -> String {
    let Played { lesson, timeline, .. } = played("lesson/hot-update");
    recording::save_lesson(&timeline, &lesson)
}

/// All that is shown of a state.
fn shown(timeline: &Timeline) -> Vec<(State, Step, Explanation)> {
    let mut at = timeline.clone();
    let show = |n| {
        at.seek(n);
        let mut step = at.step().clone();
        if let ffviz_story::timeline::Cause::Record(record) = &mut step.cause {
            // images that not every program can unpack are in the file besides
            std::sync::Arc::make_mut(record).restored.clear();
        }
        (at.state().clone(), step, at.explain())
    };
    (0..timeline.len()).map(show).collect()
}

/// What is read, without what it was computed from.
fn narration(lesson: &Lesson) -> serde_json::Value {
    serde_json::to_value(lesson).expect("a lesson is JSON")
}

#[test]
fn lessons_survive_writing() {
    let (mut chapters, mut steps, mut bytes) = (0, 0, 0);
    for entry in entries() {
        let Played { lesson, timeline, .. } = played(&entry.name);
        let file = recording::save_lesson(&timeline, &lesson);
        let again = recording::read(&file);
        assert_eq!(again.lost, [""; 0], "{}", entry.name);
        assert_eq!(again.title.as_deref(), Some(&*lesson.title));
        assert_eq!(narration(&again.lesson.expect("a lesson")), narration(&lesson), "{}", entry.name);
        let read = again.timeline.expect("a timeline");
        assert_eq!(read.groups(), timeline.groups(), "{}", entry.name);
        assert!(timeline.groups().iter().skip(1).all(|group| matches!(group.how, How::Simulated { .. })));
        let (before, after) = (shown(&timeline), shown(&read));
        assert_eq!(before.len(), after.len(), "{}", entry.name);
        for (n, (before, after)) in before.iter().zip(&after).enumerate() {
            assert!(before == after, "{} state {n}: {:?}\n{:?}", entry.name, before.1.cause, after.1.cause);
        }
        let plain = recording::read(recording::save(&timeline, None));
        assert!(plain.lesson.is_none() && shown(&plain.timeline.expect("a timeline")) == before);
        chapters += 1;
        steps += timeline.len();
        bytes += file.len();
    }
    println!("{chapters} lessons, {steps} states, {bytes} bytes");
    assert!(chapters >= 6);
}

#[test]
fn the_statement_of_a_function_survives_writing() {
    let script = "create table t (a int); do $$ begin for i in 1..2 loop insert into t values (i); end loop; end $$;";
    let script = Script::parse(script).expect("a script");
    let (timeline, _) = Simulator::timeline(&script, &RunOptions::new(PgVersion(180_004))).expect("a run");
    let read = recording::read(recording::save(&timeline, None)).timeline.expect("a timeline");
    let within = |timeline: &Timeline| (0..timeline.len()).map(|n| timeline.within(n).cloned()).collect::<Vec<_>>();
    assert!(within(&timeline).contains(&Some("insert into t values (i) · i = 2".into())));
    assert_eq!(within(&read), within(&timeline));
}

#[test]
fn no_step_is_built_on_one_that_is_lost() {
    let file = short();
    let whole = states(&recording::read(&file).timeline.expect("a timeline"));
    let lines: Vec<&str> = file.lines().collect();
    let (mut files, mut kept) = (0, 0);
    for lost in (0..lines.len()).step_by(7) {
        let rest: Vec<&str> = lines.iter().enumerate().filter(|(n, _)| *n != lost).map(|(_, line)| *line).collect();
        let read = recording::read(rest.join("\n"));
        assert!(!read.lost.is_empty() || lost == 0, "losing line {} is not noticed: {:.60}", lost + 1, lines[lost]);
        let found = read.timeline.iter().flat_map(states).collect::<Vec<_>>();
        assert!(found.len() < whole.len() || lost == 0, "line {}", lost + 1);
        assert!(found.iter().zip(&whole).all(|(found, whole)| found == whole), "line {}: {:?}", lost + 1, read.lost);
        if let Some(lesson) = read.lesson {
            assert_eq!(
                lesson.sections.last().map(|section| section.states.end),
                Some(found.len()),
                "line {}",
                lost + 1
            );
        }
        files += 1;
        kept += found.len();
    }
    println!("{files} files with one line lost, {kept} states as they were simulated");
}
