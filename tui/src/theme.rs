//! Colours and glyphs. Roles fall into a dozen families; each family has one colour in each palette, after Okabe and
//! Ito's set, so that the families stay apart for colour-blind eyes. Two colours are kept for one meaning each:
//! *changed in this step* and *selected*. Colour is never the only sign: glyphs, letters and marks say the same.

mod palette;
#[cfg(test)]
mod tests;

pub use palette::{Family, Palette, Swatch};

use ffviz_story::scene::{Change, LinkKind, Role};
use ratatui::style::{Color, Modifier, Style};

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// none: bold, underline and reverse only (`NO_COLOR`)
    None,
    /// the terminal's sixteen
    Sixteen,
    /// xterm's 256
    Indexed,
    /// 24 bits
    True,
}

/// What a piece of text is, where it is not a part of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// running text
    Text,
    /// important text
    Strong,
    /// less important text
    Dim,
    /// lines and arrows that only guide the eye
    Rule,
    /// changed by this step
    Accent,
    /// selected
    Selection,
    /// an arrow that belongs to what is selected
    Arrow,
}

/// How everything looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// the colours
    pub palette: Palette,
    /// how many the terminal has
    pub depth: Depth,
    /// ASCII characters only
    pub ascii: bool,
    /// fill the background too, rather than leaving the terminal's
    pub opaque: bool,
}

impl Theme {
    /// The style under everything.
    #[must_use]
    pub fn ground(&self) -> Style {
        let style = Style::new().fg(self.color(self.palette.text()));
        if self.opaque { style.bg(self.color(self.palette.ground())) } else { style.bg(Color::Reset) }
    }

    /// The style of text that is not a part.
    #[must_use]
    pub fn ink(&self, ink: Ink) -> Style {
        let p = self.palette;
        let fg = |swatch: Swatch| Style::new().fg(self.color(swatch));
        match (ink, self.depth) {
            (Ink::Text, Depth::None) | (Ink::Rule, Depth::None) => Style::new(),
            (Ink::Dim, Depth::None) => Style::new().add_modifier(Modifier::DIM),
            (Ink::Selection, Depth::None) => Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
            (Ink::Accent, Depth::None) => Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            (Ink::Text, _) => fg(p.text()),
            (Ink::Strong, _) => fg(p.text()).add_modifier(Modifier::BOLD),
            (Ink::Dim, _) => fg(p.dim()),
            (Ink::Rule, _) => fg(p.rule()),
            (Ink::Accent, _) => fg(p.accent()).add_modifier(Modifier::BOLD),
            (Ink::Selection, _) => fg(p.selection_ink()).bg(self.color(p.selection())).add_modifier(Modifier::BOLD),
            (Ink::Arrow, _) => fg(p.text()).add_modifier(Modifier::BOLD),
        }
    }

    /// A part as a filled area with text on it.
    #[must_use]
    pub fn fill(&self, role: Role) -> Style {
        if self.depth == Depth::None {
            return Style::new();
        }
        let family = Family::of(role);
        if family == Family::Free {
            return self.ink(Ink::Dim);
        }
        Style::new().fg(self.color(self.palette.on_fill(family))).bg(self.color(self.palette.fill(family)))
    }

    /// The same a shade nearer to the ground: for every other one of neighbours that look alike.
    #[must_use]
    pub fn fill_other(&self, role: Role) -> Style {
        let family = Family::of(role);
        if self.depth < Depth::Indexed || family == Family::Free {
            return self.fill(role);
        }
        let (fill, ground) = (self.palette.fill(family), self.palette.ground());
        let mixed = |n: usize| ((u16::from(fill.rgb[n]) * 5 + u16::from(ground.rgb[n])) / 6) as u8;
        let other = Swatch { rgb: [mixed(0), mixed(1), mixed(2)], ..fill };
        Style::new().fg(self.color(self.palette.on_fill(family))).bg(self.color(other))
    }

    /// A part as a bar that shows how much of something there is, and text upon the bar.
    #[must_use]
    pub fn bar(&self, role: Role) -> (Style, Style) {
        let (family, p) = (Family::of(role), self.palette);
        if self.depth < Depth::Indexed {
            return (self.tone(role), self.fill(role));
        }
        let (fill, tone) = (p.fill(family), p.tone(family));
        let between = |n: usize| u8::midpoint(fill.rgb[n], tone.rgb[n]);
        let color = self.color(Swatch { rgb: [between(0), between(1), between(2)], ..tone });
        let text = self.color(if p.is_dark() { p.ground() } else { p.text() });
        (Style::new().fg(color), Style::new().fg(text).bg(color))
    }

    /// A part as a sign or word on the ground.
    #[must_use]
    pub fn tone(&self, role: Role) -> Style {
        match self.depth {
            Depth::None => Style::new(),
            _ => Style::new().fg(self.color(self.palette.tone(Family::of(role)))),
        }
    }

    /// The sign of a role.
    #[must_use]
    pub const fn glyph(&self, role: Role) -> char {
        if self.ascii { role.ascii() } else { role.glyph() }
    }

    /// The sign of an arrow.
    #[must_use]
    pub const fn arrow(&self, kind: LinkKind) -> char {
        if self.ascii { kind.ascii() } else { kind.glyph() }
    }

    /// The sign of what this step did to a part.
    #[must_use]
    pub const fn change(&self, change: Change) -> char {
        match change {
            Change::Same => ' ',
            Change::Added => '+',
            Change::Modified => '~',
            Change::Moved => {
                if self.ascii {
                    '>'
                } else {
                    '»'
                }
            }
        }
    }

    /// Of a picture for a document: that for light and that for dark, the same where one was chosen.
    #[must_use]
    pub const fn palettes(&self) -> [Palette; 2] {
        if self.opaque { [self.palette; 2] } else { [Palette::Light, Palette::Dark] }
    }

    /// The colour, as the terminal has it.
    pub(crate) fn color(&self, swatch: Swatch) -> Color {
        match self.depth {
            Depth::None => Color::Reset,
            Depth::Sixteen => swatch.ansi,
            Depth::Indexed => Color::Indexed(nearest_indexed(swatch.rgb)),
            Depth::True => {
                let [r, g, b] = swatch.rgb;
                Color::Rgb(r, g, b)
            }
        }
    }
}

/// The nearest of xterm's 6×6×6 cube and its 24 greys.
fn nearest_indexed(rgb: [u8; 3]) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let distance =
        |other: [u8; 3]| -> u32 { rgb.iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum() };
    let level = |channel: u8| (0..6).min_by_key(|i| LEVELS[*i].abs_diff(channel)).unwrap_or(0);
    let [r, g, b] = rgb.map(level);
    let cube = (16 + 36 * r + 6 * g + b) as u8;
    let grey = (0..24u8).min_by_key(|i| distance([8 + 10 * i; 3])).unwrap_or(0);
    if distance([8 + 10 * grey; 3]) < distance([LEVELS[r], LEVELS[g], LEVELS[b]]) { 232 + grey } else { cube }
}

/// The character that stands for another where only ASCII may be shown.
#[must_use]
pub const fn to_ascii(c: char) -> char {
    match c {
        '\0'..='\x7F' => c,
        '\u{A0}' => ' ',
        '─' | '━' | '╌' | '═' | '–' | '—' | '╍' | '┈' | '−' => '-',
        '│' | '┃' | '┊' | '║' | '╎' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╯' | '╰' | '╞' | '┏' | '┗' | '┣' | '╔'
        | '╗' | '╚' | '╝' => '+',
        '→' | '▶' | '►' | '⇒' | '⇢' | '›' | '»' | '▸' => '>',
        '←' | '◀' | '◄' | '‹' | '«' | '◂' => '<',
        '↑' | '▲' | '▴' => '^',
        '↓' | '▼' | '▾' => 'v',
        '·' | '•' | '⋅' => '.',
        '●' | '◆' => '@',
        '◉' => 'O',
        '○' | '◇' => 'o',
        '…' | '⋯' | '⋮' => ':',
        '█' | '▓' => '#',
        '×' | '✕' => 'x',
        '≥' => '}',
        '≤' => '{',
        '∞' => '8',
        '↵' => '+',
        '“' | '”' => '"',
        '‘' | '’' => '\'',
        _ => '?',
    }
}

#[cfg(test)]
mod depth {
    use super::*;

    #[test]
    fn nearest_of_256() {
        assert_eq!(nearest_indexed([0, 0, 0]), 16);
        assert_eq!(nearest_indexed([255, 255, 255]), 231);
        assert_eq!(nearest_indexed([128, 128, 128]), 244);
        assert_eq!(nearest_indexed([95, 135, 255]), 69);
    }
}
