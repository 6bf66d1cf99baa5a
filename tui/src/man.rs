//! `ffviz man`: manual pages, made of what the command line says of itself.

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io;
use std::path::{Path, PathBuf};

/// Examples.
pub const HELP: &str = "Examples:
  ffviz man > ffviz.1
  ffviz man /usr/local/share/man/man1           a page for ffviz and one for each of its commands
  ffviz man | man -l -                          to read it at once";

/// `ffviz man [DIR]`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write ffviz.1 and a page for each command, such as ffviz-sim.1, to this folder, instead of ffviz.1 to standard
    /// output
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// The page of the command itself.
///
/// # Errors
/// None in memory; io's word for it.
pub fn page(command: Command) -> io::Result<Vec<u8>> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_commands = command.get_subcommands().any(|command| !command.is_hide_set());
    let man = Man::new(command).source(concat!("ffviz ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend(examples(&help).to_roff().into_bytes());
    Ok(page)
}

/// Writes a page for the command and for each of its commands; gives how many.
///
/// # Errors
/// A folder that cannot be written to: a sentence.
pub fn write(mut command: Command, dir: &Path) -> Result<usize, String> {
    command.build();
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let pages: Vec<Command> = commands.chain([command.clone()]).collect();
    for command in &pages {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let file = dir.join(format!("{name}.1"));
        let page = page(command.clone()).map_err(|error| error.to_string())?;
        std::fs::write(&file, page).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(pages.len())
}

/// What --help has at its end: examples are lines, and stay so; all else is running text.
fn examples(help: &str) -> Roff {
    let mut roff = Roff::new();
    let mut is_set = false;
    for line in help.lines() {
        let is_example = line.starts_with("  ");
        if is_example != is_set {
            roff.control(if is_example { "nf" } else { "fi" }, []);
            is_set = is_example;
        }
        match line {
            "" => _ = roff.control("PP", []),
            "Examples:" | "Example:" => _ = roff.control("SH", ["EXAMPLES"]),
            line => _ = roff.text([roman(line)]),
        }
    }
    if is_set {
        roff.control("fi", []);
    }
    roff
}
