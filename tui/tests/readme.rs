//! What README.md shows and says is so: its pictures come from the commands in the comments above them, its commands exist.
//!
//! `FFVIZ_RENEW=1 cargo test -p ffviz --test readme` makes the pictures anew.

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

#[test]
fn pictures_are_what_the_program_draws() {
    let text = readme();
    let mut compared = 0;
    for (above, line) in text.lines().zip(text.lines().skip(1)) {
        let Some(command) = above.strip_prefix("<!-- ffviz ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let name =
            line.rsplit_once("](").and_then(|(_, rest)| rest.strip_suffix(')')).expect("a picture below the comment");
        let drawn = ffviz(&command.split_whitespace().collect::<Vec<_>>());
        assert!(drawn.status.success(), "ffviz {command}: {}", String::from_utf8_lossy(&drawn.stderr));
        let file = root().join(name);
        if std::env::var_os("FFVIZ_RENEW").is_some() {
            fs::write(&file, &drawn.stdout).expect("the picture can be written");
        }
        let kept = fs::read(&file).unwrap_or_default();
        assert!(kept == drawn.stdout, "{name} is not what `ffviz {command}` draws; FFVIZ_RENEW=1 makes it anew");
        compared += 1;
    }
    assert!(compared > 0, "no picture found in README.md");
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
