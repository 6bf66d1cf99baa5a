//! What can be said on the command line of `ffviz experiment`.

use crate::on::OnArgs;
use clap::{Args, ValueEnum};

/// Examples, and what is written.
pub const HELP: &str = "Examples:
  ffviz experiment --list
  ffviz experiment wal-of-update
  ffviz experiment fillfactor-over-time --scale 10 --format svg > curves.svg
  ffviz experiment wal-of-update --scale article        ten million rows, twelve times: minutes, and 2 GB
  ffviz experiment --all --format markdown > results.md
  ffviz experiment index-bloat --on \"host=localhost\"   on a server too

--on runs it on a server too, in databases of its own there that are dropped: its rows stand below the
simulator's, which simulates that version then. Checkpoints need --allow-server-wide. Settings of the whole
server are left as they are: what a case needs otherwise is named, and the case left out.

Each takes seconds at its own scale. --format json gives an object, or of --all a list of them:
{\"experiment\":NAME,\"scale\":N,\"rows\":[{\"system\":\"PostgreSQL 18\",\"case\":{…},\"measured\":{…},
\"published\":{…},\"origin\":\"simulated\" or \"server\"}]}; case says what is varied, measured and published have the
same keys, which --list explains: published those that the article has at that scale.";

/// `ffviz experiment [NAME…]`
#[derive(Debug, Clone, Args)]
pub struct ExperimentCommand {
    /// Which experiments
    #[arg(value_name = "NAME", required_unless_present_any = ["list", "all"], conflicts_with_all = ["list", "all"])]
    pub names: Vec<String>,
    /// Name the experiments, what the articles say, and what is measured
    #[arg(long, conflicts_with = "all")]
    pub list: bool,
    /// Run all of them
    #[arg(long)]
    pub all: bool,
    /// How large: a number, which --list explains, or article
    #[arg(long, value_name = "N|article", value_parser = scale)]
    pub scale: Option<Scale>,
    /// The server beside
    #[command(flatten)]
    pub on: OnArgs,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// so many of what the experiment counts
    Of(u64),
    /// as the article
    Article,
}

/// How an experiment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// a table, and charts of characters
    Text,
    /// a section of a document
    Markdown,
    /// figures for programs
    Json,
    /// the curves as a picture
    Svg,
}

fn scale(text: &str) -> Result<Scale, String> {
    if text == "article" {
        return Ok(Scale::Article);
    }
    let number = text.parse().ok().filter(|n| *n > 0);
    number.map(Scale::Of).ok_or_else(|| format!("{text:?} is no scale: a whole number from 1, or article"))
}
