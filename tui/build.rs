//! Tells the program which commit it is built from, where that is known: of a package what cargo noted when it was
//! made, else what the repository's HEAD says. git itself is not needed; where nothing is known, nothing is told.

use std::fs;
use std::path::{Path, PathBuf};

/// digits of a commit that are shown
const DIGITS: usize = 9;

fn main() {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    let packed = here.join(".cargo_vcs_info.json");
    let commit = if packed.is_file() { of_package(&packed) } else { of_repository(&here.join("../.git")) };
    let is_one = |commit: &String| commit.len() >= DIGITS && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
    if let Some(commit) = commit.filter(is_one) {
        println!("cargo::rustc-env=FFVIZ_COMMIT={}", &commit[..DIGITS]);
    }
}

/// `{"git":{"sha1":"…"}, …}`, as `cargo package` writes it.
fn of_package(file: &Path) -> Option<String> {
    let text = watched(file)?;
    text.split("\"sha1\"").nth(1)?.split('"').nth(1).map(str::to_owned)
}

/// What HEAD stands for; of a worktree its own HEAD, and the branches that all worktrees share.
fn of_repository(dot_git: &Path) -> Option<String> {
    let own = match fs::read_to_string(dot_git) {
        Ok(file) => dot_git.parent()?.join(file.strip_prefix("gitdir:")?.trim()),
        Err(_) => dot_git.to_owned(),
    };
    let shared = fs::read_to_string(own.join("commondir")).map_or_else(|_| own.clone(), |path| own.join(path.trim()));
    let head = watched(&own.join("HEAD"))?;
    let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return Some(head.trim().to_owned()) };
    if let Some(commit) = watched(&shared.join(branch)) {
        return Some(commit.trim().to_owned());
    }
    let packed = watched(&shared.join("packed-refs"))?;
    let of_branch = |line: &str| line.split_once(' ').filter(|(_, name)| *name == branch).map(|(it, _)| it.to_owned());
    packed.lines().find_map(of_branch)
}

/// The text of a file; when it changes, cargo asks anew. One that there is not is not watched: cargo would ask at every
/// build.
fn watched(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    println!("cargo::rerun-if-changed={}", file.display());
    Some(text)
}
