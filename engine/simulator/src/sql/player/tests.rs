//! A chapter read and played: sections, figures, questions; what is wrong with one is said with its line.

use super::{Played, play};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_story::lesson::{Look, plain, read};

const CHAPTER: &str = include_str!("../../../tests/lesson/update.md");

fn played(text: &str) -> Result<Played, String> {
    play(read(text).map_err(|error| error.to_string())?)
}

#[test]
fn a_chapter_is_played() {
    let Played { lesson, timeline, wrong } = played(CHAPTER).expect("a chapter");
    assert_eq!(wrong, Vec::new());
    assert_eq!(lesson.title, "An UPDATE that is HOT");
    let states: Vec<_> = lesson.sections.iter().map(|section| section.states.clone()).collect();
    assert_eq!(states.first(), Some(&(0..1)));
    assert!(states.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[1].is_empty()), "{states:?}");
    assert_eq!(states.last().map(|last| last.end), Some(timeline.len()));
    assert_eq!(lesson.sections[1].look, Some(Look::Page { relation: "t".to_string(), block: 0, tuple: None }));
    let question = lesson.sections[1].question.as_ref().expect("a question");
    let right: Vec<String> =
        question.choices.iter().filter(|choice| choice.right).map(|choice| plain(&choice.words)).collect();
    assert_eq!(right, ["71 bytes"]);
    assert_eq!(question.reason.len(), 1);
}

#[track_caller]
fn fails(replace: &str, by: &str, sentence: &str) {
    let text = CHAPTER.replacen(replace, by, 1);
    assert_ne!(text, CHAPTER, "{replace} is not in the chapter");
    assert_eq!(played(&text).map(|_| ()), Err(sentence.to_string()));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    fails(
        "# An UPDATE that is HOT\n",
        "\n",
        "line 1: a chapter begins with its title, a line such as # An UPDATE without room",
    );
    fails(
        "look: page",
        "look: pge",
        "line 13: look: pge t 0 is not understood; it is page REL BLOCK, page REL BLOCK tuple N, map REL, tree INDEX, or wal",
    );
    fails(
        "<!-- = wal.len HOT_UPDATE -->\n> - 154",
        "\n> - 154",
        "line 17: no choice is the right one: it has a comment such as <!-- = wal.len HOT_UPDATE -->",
    );
    fails("live t", "live u", "line 31: there is no relation u here");
    fails("where a = 1;", "where a in 1;", "statement 3 (line 28): syntax error at or near \"1\"");
}

#[test]
fn figures_that_differ_are_found_and_put_right() {
    let played = played(&CHAPTER.replace("3<!-- = live t -->", "4<!-- = live t -->")).expect("a chapter");
    let wrong: Vec<String> = played.wrong.iter().map(|wrong| format!("{wrong}")).collect();
    assert_eq!(wrong, ["line 31: the text says 4, computed is 3"]);
}
