//! The chapters of the book on a server: what a lesson shows is what PostgreSQL does, to every page and record.

use super::oracle::Oracle;
use super::suite::both;
use ffviz_simulator::sql::script::Script;
use ffviz_story::lesson::read;
use ffviz_tests::instance::NEWEST;
use ffviz_tui::book::{entries, find};
use ffviz_verify::compare::{self, Counts, report_counts};

#[test]
fn equal_the_server() {
    let (mut counts, mut wrong, mut chapters) = (Counts::default(), Vec::new(), 0);
    for entry in entries() {
        let chapter = find(&entry.name).expect("a chapter of the list");
        let lesson = read(chapter.text).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        // a chapter about another server would need that one here
        assert_eq!(lesson.options.version.as_deref(), Some(NEWEST.to_string().as_str()), "{}", entry.name);
        assert!(lesson.options.settings.is_empty(), "{}: {:?}", entry.name, lesson.options.settings);
        let script = Script::parse(&lesson.script()).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        // one each, since a chapter may change the server's settings
        let oracle = Oracle::start(NEWEST, false);
        let comparison = both(&oracle, &script).unwrap_or_else(|why| panic!("{}: {why}", entry.name));
        counts.add(comparison.counts);
        if !comparison.differences.is_empty() {
            wrong.push(format!("{}:\n{}", entry.name, compare::text(&comparison)));
        }
        chapters += 1;
    }
    let told = format!("{chapters} chapters; {}", report_counts(&counts));
    println!("{told}");
    assert!(wrong.is_empty(), "{told}\n{}", wrong.join("\n"));
    assert!(chapters > 0 && counts.is_something(), "nothing was compared");
}
