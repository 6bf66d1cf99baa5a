//! What README.md shows and says is so: its pictures come from the commands in the comments above them, as those of the
//! book do; its commands exist.
//!
//! `FFVIZ_RENEW=1 cargo test -p ffviz --test readme` makes the pictures anew.

use ffviz_tui::book;
use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tui/ is below the root")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("README.md")
}

fn ffviz(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_ffviz")).args(arguments).current_dir(root()).output().expect("it runs")
}

/// Compares the pictures of a document with what the program draws; gives how many there are.
fn pictures(document: &Path) -> usize {
    let text = fs::read_to_string(document).expect("a document");
    let mut compared = 0;
    for (above, line) in text.lines().zip(text.lines().skip(1)) {
        let Some(command) = above.strip_prefix("<!-- ffviz show ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let name =
            line.rsplit_once("](").and_then(|(_, rest)| rest.strip_suffix(')')).expect("a picture below the comment");
        let words = ["show"].into_iter().chain(command.split_whitespace()).collect::<Vec<_>>();
        let drawn = ffviz(&words);
        assert!(drawn.status.success(), "ffviz show {command}: {}", String::from_utf8_lossy(&drawn.stderr));
        let is_small = drawn.stdout.len() < 150_000;
        let has_script = String::from_utf8_lossy(&drawn.stdout).contains("<script");
        assert!(is_small && !has_script, "ffviz show {command}: {} bytes, script: {has_script}", drawn.stdout.len());
        let file = document.with_file_name(name);
        if std::env::var_os("FFVIZ_RENEW").is_some() {
            fs::write(&file, &drawn.stdout).expect("the picture can be written");
        }
        let kept = fs::read(&file).unwrap_or_default();
        let what = file.display();
        assert!(kept == drawn.stdout, "{what} is not what `ffviz show {command}` draws; FFVIZ_RENEW=1 makes it anew");
        compared += 1;
    }
    compared
}

#[test]
fn pictures_are_what_the_program_draws() {
    assert!(pictures(&root().join("README.md")) > 0, "no picture found in README.md");
}

#[test]
fn every_chapter_has_a_picture() {
    for entry in book::entries() {
        let chapter = book::find(&entry.name).expect("a chapter of the list");
        let document = root().join("tutorials").join(format!("{}.md", chapter.name));
        assert!(
            pictures(&document) > 0,
            "{} has no picture: tutorials/README.md says how to make one",
            document.display()
        );
    }
}

#[test]
fn commands_exist() {
    let text = readme();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `ffviz ")?.split(['`', ' ']).next());
    let commands: Vec<&str> = rows.collect();
    assert!(commands.len() >= 6, "the table of commands was not found: {commands:?}");
    for command in commands {
        let help = ffviz(&[command, "--help"]);
        assert!(help.status.success(), "ffviz {command} --help");
        let examples = String::from_utf8_lossy(&help.stdout).contains("Example");
        assert!(examples, "ffviz {command} --help has no examples");
    }
}

/// What `ffviz verify` does to a server, and which rights it needs: in README.md and in its help.
#[test]
fn verify_says_what_it_does_to_a_server() {
    let help = ffviz(&["verify", "--help"]);
    let help = String::from_utf8_lossy(&help.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = readme().split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["superuser", "pageinspect", "template0", "checkpoint", "--allow-server-wide", "not sent", "drop"] {
        assert!(help.contains(words), "ffviz verify --help does not say: {words}");
        assert!(text.contains(words), "README.md does not say: {words}");
    }
}
