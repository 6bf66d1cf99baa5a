//! How what the program shows looks, as the command line and the environment say, and where it is printed.

use crate::environment::{self, variable};
use crate::failure::Failure;
use crate::show;
use crate::theme::{Depth, Palette, Theme};
use clap::{Args, ValueEnum};
use ffviz_story::app::{Model, Msg};
use ffviz_story::scene::StepName;
use std::io::{self, IsTerminal, Write};

/// How things look; for every command.
#[derive(Debug, Clone, Copy, Args)]
pub struct Look {
    /// Colours; auto takes the terminal's background, and a picture for a document has those for light and for dark
    #[arg(long, value_enum, default_value_t = ThemeName::Auto, global = true)]
    theme: ThemeName,
    /// Whether to use colours; auto asks NO_COLOR, CLICOLOR, COLORTERM and TERM
    #[arg(long, value_enum, default_value_t = ColorWhen::Auto, global = true)]
    color: ColorWhen,
    /// ASCII characters only, as where the locale has no UTF-8
    #[arg(long, global = true)]
    ascii: bool,
    /// Step to begin with: its number from 0, or statement and step (6.2), or statement and event (6.hot-update); 6.all
    /// is all steps of statement 6
    #[arg(long, value_name = "N", global = true)]
    pub(crate) step: Option<StepName>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ThemeName {
    Auto,
    Dark,
    Light,
    /// Okabe and Ito's colours undiluted, on black
    Cvd,
    /// The same on white
    CvdLight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorWhen {
    Auto,
    Always,
    Never,
}

impl Look {
    /// The theme for this terminal, or for a file when `forced` says how many colours it can take.
    #[must_use]
    pub fn theme(self, forced: Option<Depth>) -> Theme {
        let depth = match self.color {
            ColorWhen::Never => Depth::None,
            ColorWhen::Always => forced.unwrap_or(Depth::True),
            ColorWhen::Auto if environment::wants_no_colors(variable) => Depth::None,
            ColorWhen::Auto => forced.unwrap_or_else(|| environment::depth(variable)),
        };
        // "15;0": colours of text and ground, as rxvt, Konsole and others set it
        let light_ground = variable("COLORFGBG")
            .is_some_and(|v| v.rsplit(';').next().is_some_and(|ground| matches!(ground, "7" | "15")));
        let palette = match self.theme {
            ThemeName::Auto if light_ground => Palette::Light,
            ThemeName::Auto | ThemeName::Dark => Palette::Dark,
            ThemeName::Light => Palette::Light,
            ThemeName::Cvd => Palette::CvdDark,
            ThemeName::CvdLight => Palette::CvdLight,
        };
        Theme { palette, depth, ascii: self.is_ascii(), opaque: !matches!(self.theme, ThemeName::Auto) }
    }

    /// The theme of a picture that is a file of its own: what this terminal has does not matter to it.
    pub(crate) fn of_document(self) -> Theme {
        let depth = if self.color == ColorWhen::Never { Depth::None } else { Depth::True };
        Theme { depth, ascii: self.ascii, ..self.theme(Some(depth)) }
    }

    /// The theme of what is printed: with colours where that is a terminal, or where they are wanted.
    pub(crate) fn of_output(self) -> Theme {
        let plain = !io::stdout().is_terminal() && self.color != ColorWhen::Always;
        self.theme(plain.then_some(Depth::None))
    }

    pub(crate) fn is_ascii(self) -> bool {
        self.ascii || environment::is_ascii(variable)
    }

    /// Writes to standard output: words for people in ASCII, where they want that; what is for programs as it is.
    pub(crate) fn print(self, text: &str, is_for_people: bool) -> Result<(), String> {
        if is_for_people && self.is_ascii() {
            return print(environment::plain(text).as_bytes());
        }
        print(text.as_bytes())
    }

    /// What leads to the step to begin with.
    pub(crate) fn first(self, model: &Model) -> Result<Option<Msg>, Failure> {
        self.step.map(|step| show::seek(model, step)).transpose()
    }
}

/// Writes to standard output; whoever closed it early has seen enough.
pub(crate) fn print(bytes: &[u8]) -> Result<(), String> {
    match io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| format!("standard output: {error}")),
    }
}
