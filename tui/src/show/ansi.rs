//! A buffer with the escape sequences of terminal colours (ECMA-48 SGR).

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

/// The characters with their colours; every line ends without any.
#[must_use]
pub fn ansi(buffer: &Buffer) -> String {
    let mut text = String::new();
    for line in super::lines(buffer) {
        let mut last = String::new();
        let end = line.iter().rposition(|cell| cell.symbol() != " " || cell.bg != Color::Reset).map_or(0, |at| at + 1);
        for cell in &line[..end] {
            let style = sgr(cell);
            if style != last {
                let _ = write!(text, "\x1b[0{style}m");
                last = style;
            }
            text.push_str(cell.symbol());
        }
        if !last.is_empty() {
            text.push_str("\x1b[0m");
        }
        text.push('\n');
    }
    text
}

fn sgr(cell: &Cell) -> String {
    let mut codes = String::new();
    let modifiers = [(Modifier::BOLD, 1), (Modifier::DIM, 2), (Modifier::UNDERLINED, 4), (Modifier::REVERSED, 7)];
    for (modifier, code) in modifiers {
        if cell.modifier.contains(modifier) {
            let _ = write!(codes, ";{code}");
        }
    }
    color(&mut codes, cell.fg, 30);
    color(&mut codes, cell.bg, 40);
    codes
}

/// `base` is 30 for text, 40 for the ground.
fn color(codes: &mut String, color: Color, base: u8) {
    let named = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    let _ = match (color, named.iter().position(|n| *n == color)) {
        (Color::Rgb(r, g, b), _) => write!(codes, ";{};2;{r};{g};{b}", base + 8),
        (Color::Indexed(n), _) => write!(codes, ";{};5;{n}", base + 8),
        (_, Some(n @ 0..8)) => write!(codes, ";{}", usize::from(base) + n),
        (_, Some(n)) => write!(codes, ";{}", usize::from(base) + 60 + n - 8),
        _ => Ok(()),
    };
}
