//! A plot as a chart of characters, by ratatui's canvas; each curve has a sign beside its colour.

use crate::show::ansi;
use crate::theme::{Depth, Family, Ink, Theme, to_ascii};
use ffviz_story::scene::PlotScene;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line as TextLine, Span};
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line};

/// Lines of a chart's grid.
const HEIGHT: u16 = 12;
/// How many signs a curve has.
const SIGNS: usize = 5;
const GLYPHS: [[char; 2]; 7] = [['●', 'o'], ['▲', '^'], ['■', '#'], ['◆', '*'], ['○', '@'], ['△', '+'], ['□', 'x']];
/// What colours curves have.
pub(super) const FAMILIES: [Family; 7] =
    [Family::Hot, Family::Dead, Family::Settled, Family::Redirect, Family::Cold, Family::Lock, Family::Pointer];

/// The charts, one below the other; with colours, where the theme has any.
#[must_use]
pub fn text(plots: &[PlotScene], width: u16, theme: &Theme) -> String {
    let mut out = String::new();
    for plot in plots {
        let height = HEIGHT + 2 + legend(plot, width, theme).len() as u16 + plot.notes.len() as u16;
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        draw(plot, area, &mut buffer, theme);
        if theme.ascii {
            in_ascii(&mut buffer);
        }
        out.push('\n');
        out.push_str(&if theme.depth == Depth::None { plain(&buffer) } else { ansi(&buffer) });
    }
    out
}

/// The canvas has no sign of its own for a point that is ASCII, and titles have words with dashes.
fn in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let sign = cell.symbol().chars().next().map_or(' ', to_ascii);
        cell.set_char(sign);
    }
}

fn plain(buffer: &Buffer) -> String {
    let lines = buffer.content.chunks(usize::from(buffer.area.width));
    lines.map(|line| line.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned() + "\n").collect()
}

fn sign(curve: usize, theme: &Theme) -> char {
    GLYPHS[curve % GLYPHS.len()][usize::from(theme.ascii)]
}

fn colour(curve: usize, theme: &Theme) -> Style {
    match theme.depth {
        Depth::None => Style::new(),
        _ => Style::new().fg(theme.color(theme.palette.tone(FAMILIES[curve % FAMILIES.len()]))),
    }
}

/// Title, what the signs mean, the grid with its marks, notes.
fn draw(plot: &PlotScene, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let (strong, dim) = (theme.ink(Ink::Strong), theme.ink(Ink::Dim));
    let title = [
        Span::styled(plot.title.clone(), strong),
        Span::styled(format!("  {} over {}", plot.y.label, plot.x.label), dim),
    ];
    TextLine::from_iter(title).render(Rect { height: 1, ..area }, buffer);
    let legend = legend(plot, area.width, theme);
    let top = 1 + legend.len() as u16;
    for (line, y) in legend.into_iter().zip(1..) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
    let left = plot.y.ticks.iter().map(|tick| tick.label.len()).max().unwrap_or(0) as u16 + 1;
    let grid = Rect { x: left, y: top, width: area.width.saturating_sub(left + 1), height: HEIGHT };
    for tick in &plot.y.ticks {
        let from_below = (tick.at / plot.y.end * f64::from(grid.height - 1)).round() as u16;
        let line = Rect { x: 0, y: grid.bottom() - 1 - from_below, width: left - 1, height: 1 };
        TextLine::styled(tick.label.clone(), dim).right_aligned().render(line, buffer);
    }
    curves(plot, grid, buffer, theme);
    let below = Rect { x: left, y: grid.bottom(), width: grid.width, height: 1 };
    marks(plot, below, buffer, dim);
    for (note, y) in plot.notes.iter().zip(grid.bottom() + 1..) {
        TextLine::styled(note.clone(), dim).render(Rect { x: left, y, width: grid.width, height: 1 }, buffer);
    }
}

/// What the signs mean, in as many lines as that takes.
fn legend(plot: &PlotScene, width: u16, theme: &Theme) -> Vec<TextLine<'static>> {
    let mut lines = vec![TextLine::default()];
    for (n, series) in plot.series.iter().enumerate() {
        let word = Span::styled(format!("{} {}   ", sign(n, theme), series.name), colour(n, theme));
        let used = lines.last().map_or(0, TextLine::width);
        if used > 0 && used + word.width() > usize::from(width) {
            lines.push(TextLine::default());
        }
        lines.last_mut().expect("one at least").push_span(word);
    }
    lines
}

fn curves(plot: &PlotScene, grid: Rect, buffer: &mut Buffer, theme: &Theme) {
    let marker = if theme.ascii { Marker::Dot } else { Marker::Braille };
    let canvas = Canvas::default().marker(marker).x_bounds([0.0, plot.x.end]).y_bounds([0.0, plot.y.end]);
    let paint = |context: &mut ratatui::widgets::canvas::Context<'_>| {
        for (n, series) in plot.series.iter().enumerate() {
            let color = colour(n, theme).fg.unwrap_or(Color::Reset);
            for pair in series.points.windows(2) {
                context.draw(&Line { x1: pair[0].0, y1: pair[0].1, x2: pair[1].0, y2: pair[1].1, color });
            }
        }
        for (n, series) in plot.series.iter().enumerate() {
            // signs of different curves stand side by side
            let every = series.points.len().div_ceil(SIGNS).max(1);
            let shown = series.points.iter().skip(every * n / plot.series.len().max(1)).step_by(every);
            shown.for_each(|point| {
                context.print(point.0, point.1, Span::styled(sign(n, theme).to_string(), colour(n, theme)));
            });
        }
    };
    canvas.paint(paint).render(grid, buffer);
}

/// The marks below.
fn marks(plot: &PlotScene, line: Rect, buffer: &mut Buffer, style: Style) {
    let mut free = line.x;
    for tick in &plot.x.ticks {
        let at = line.x + (tick.at / plot.x.end * f64::from(line.width - 1)).round() as u16;
        let width = tick.label.len() as u16;
        let x = at.saturating_sub(width / 2).min(line.right().saturating_sub(width));
        if x >= free {
            buffer.set_string(x, line.y, &tick.label, style);
            free = x + width + 1;
        }
    }
}
