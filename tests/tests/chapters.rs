//! The chapters of the book: each can be read and played, its figures are what the engine computes, and its questions
//! have one right answer. `tests/sim/chapters.rs` compares what their SQL does with servers.

use ffviz_simulator::sql::player::play;
use ffviz_story::lesson::{Block, plain, read};
use ffviz_tui::book::{entries, find};

#[test]
fn every_chapter_is_what_the_engine_computes() {
    let (mut chapters, mut sections, mut questions, mut states, mut wrong) = (0, 0, 0, 0, Vec::new());
    for entry in entries() {
        let chapter = find(&entry.name).expect("a chapter of the list");
        let lesson = read(chapter.text).unwrap_or_else(|error| panic!("{}: {error}", chapter.name));
        let played = play(lesson).unwrap_or_else(|error| panic!("{}: {error}", chapter.name));
        wrong.extend(played.wrong.iter().map(|figure| format!("{}.md: {figure}", chapter.name)));
        let asked = played.lesson.sections.iter().filter_map(|section| section.question.as_ref());
        for question in asked {
            let right = question.choices.iter().filter(|choice| choice.right).count();
            assert_eq!(right, 1, "{}: {:?}", chapter.name, question.asked);
            questions += 1;
        }
        let headings = played.lesson.sections.iter().flat_map(|section| &section.prose);
        let mut headings =
            headings.filter_map(|block| if let Block::Heading(words) = block { Some(plain(words)) } else { None });
        assert_eq!(headings.next_back().as_deref(), Some("What this simplifies"), "{}", chapter.name);
        chapters += 1;
        sections += played.lesson.sections.len();
        states += played.timeline.len();
    }
    println!("{chapters} chapters, {sections} sections, {questions} questions, {states} states");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(chapters >= 3 && questions >= 3);
}

/// What a chapter says, and what would be wrong or give a question's answer away.
const SENTENCES: [(&str, &str, bool); 9] = [
    // heap_page_prune_opt asks for the larger of a tenth and what fillfactor reserves
    ("heap-page", "less than a tenth of the page is free, or less than `fillfactor` keeps for updates", true),
    ("hot-update", "less than a tenth of the page is free, or less than `fillfactor` keeps for updates", true),
    ("btree-growth", "- 5: one for each leaf of the index", true),
    ("btree-growth", "6: one for each leaf", false),
    ("btree-growth", "all pages are 90 % full", false),
    ("btree-growth", "the row's key ends with it", false),
    ("full-page-writes", "this one counts for `t` too", true),
    ("version-churn", "13.23, 14.23 and 18.4", true),
    ("heap-page", "data checksums are off here", false),
];

#[test]
fn what_was_wrong_once_stays_right() {
    for (name, sentence, is_told) in SENTENCES {
        let text = find(name).expect("a chapter").text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.contains(sentence), is_told, "{name}: {sentence}");
    }
}
