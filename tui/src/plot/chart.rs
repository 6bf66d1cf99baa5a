//! A plot as a chart of characters, by ratatui's canvas; each curve has a sign beside its colour.

use crate::show::ansi;
use crate::theme::{Depth, Family, Ink, Theme, to_ascii};
use crate::view::wrap;
use ffviz_story::scene::PlotScene;
use ffviz_story::scene::plot::SIGNS;
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
const EACH: usize = 5;
/// What colours curves have.
pub(super) const FAMILIES: [Family; 7] =
    [Family::Hot, Family::Dead, Family::Settled, Family::Redirect, Family::Cold, Family::Lock, Family::Pointer];

/// A chart to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Chart<'a> {
    /// what it shows
    pub plot: &'a PlotScene,
    /// where a line stands, and what the curves come to there: what is looked at beside the chart
    pub here: Option<(f64, &'a [String])>,
    /// lines of its grid
    pub grid: u16,
}

/// The charts, one below the other; with colours, where the theme has any.
#[must_use]
pub fn text(plots: &[PlotScene], width: u16, theme: &Theme) -> String {
    let mut out = String::new();
    for plot in plots {
        let chart = Chart { plot, here: None, grid: HEIGHT };
        let area = Rect::new(0, 0, width, chart.height(width));
        let mut buffer = Buffer::empty(area);
        chart.draw(area, &mut buffer, theme);
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
    SIGNS[curve % SIGNS.len()][usize::from(theme.ascii)]
}

fn colour(curve: usize, theme: &Theme) -> Style {
    match theme.depth {
        Depth::None => Style::new(),
        _ => Style::new().fg(theme.color(theme.palette.tone(FAMILIES[curve % FAMILIES.len()]))),
    }
}

impl Chart<'_> {
    /// Lines that it takes.
    #[must_use]
    pub fn height(&self, width: u16) -> u16 {
        let notes = self.notes(width).len() as u16;
        if self.plot.is_empty() { 1 + notes } else { self.grid + 2 + self.legend(width).len() as u16 + notes }
    }

    /// Columns before the grid.
    fn left(&self) -> u16 {
        self.plot.y.ticks.iter().map(|tick| tick.label.len()).max().unwrap_or(0) as u16 + 1
    }

    fn notes(&self, width: u16) -> Vec<String> {
        self.plot.notes.iter().flat_map(|note| wrap(note, width.saturating_sub(self.left() + 1))).collect()
    }

    /// Title, what the signs mean, the grid with its marks, notes; of one without curves title and notes.
    pub fn draw(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let plot = self.plot;
        let (strong, dim) = (theme.ink(Ink::Strong), theme.ink(Ink::Dim));
        let title = [
            Span::styled(plot.title.clone(), strong),
            Span::styled(format!("  {} over {}", plot.y.label, plot.x.label), dim),
        ];
        TextLine::from_iter(title).render(Rect { height: 1, ..area }, buffer);
        let left = self.left();
        let mut y = area.y + 1;
        if !plot.is_empty() {
            for line in self.legend(area.width) {
                let word = |(n, word)| Span::styled(format!("{} {word}", sign(n, theme)), colour(n, theme));
                TextLine::from_iter(line.into_iter().map(word)).render(Rect { y, height: 1, ..area }, buffer);
                y += 1;
            }
            let grid = Rect { x: area.x + left, y, width: area.width.saturating_sub(left + 1), height: self.grid };
            self.steps(area.x, grid, buffer, dim);
            self.line(grid, buffer, theme);
            curves(plot, grid, buffer, theme);
            let below = Rect { y: grid.bottom(), height: 1, ..grid };
            marks(plot, below, buffer, dim);
            self.mark(below, buffer, strong);
            y = below.bottom();
        }
        for (note, y) in self.notes(area.width).into_iter().zip(y..) {
            let line = Rect { x: area.x + left, y, width: area.width.saturating_sub(left + 1), height: 1 };
            TextLine::styled(note, dim).render(line, buffer);
        }
    }

    /// The marks at the left.
    fn steps(&self, x: u16, grid: Rect, buffer: &mut Buffer, style: Style) {
        for tick in &self.plot.y.ticks {
            let from_below = (tick.at / self.plot.y.end * f64::from(grid.height - 1)).round() as u16;
            let line = Rect { x, y: grid.bottom() - 1 - from_below, width: grid.x - x - 1, height: 1 };
            TextLine::styled(tick.label.clone(), style).right_aligned().render(line, buffer);
        }
    }

    /// The curves with their names, in as many lines as that takes.
    fn legend(&self, width: u16) -> Vec<Vec<(usize, String)>> {
        let mut lines: Vec<Vec<(usize, String)>> = vec![Vec::new()];
        let mut used = 0;
        for (n, series) in self.plot.series.iter().enumerate() {
            let here = self.here.and_then(|(_, here)| here.get(n)).filter(|here| !here.is_empty());
            let word = format!("{}{}   ", series.name, here.map_or_else(String::new, |here| format!(" {here}")));
            let needed = 2 + Span::raw(word.as_str()).width();
            if used > 0 && used + needed > usize::from(width) {
                lines.push(Vec::new());
                used = 0;
            }
            used += needed;
            lines.last_mut().expect("one at least").push((n, word));
        }
        lines
    }

    /// A line where one looks, under the curves.
    fn line(&self, grid: Rect, buffer: &mut Buffer, theme: &Theme) {
        let Some((at, _)) = self.here else { return };
        let x = column(at, self.plot, grid);
        for y in grid.top()..grid.bottom() {
            buffer.set_string(x, y, "│", theme.ink(Ink::Rule));
        }
    }

    /// The number where one looks, over the marks below.
    fn mark(&self, line: Rect, buffer: &mut Buffer, style: Style) {
        let Some((at, _)) = self.here else { return };
        let word = format!("[{at}]");
        let width = word.len() as u16;
        let x = column(at, self.plot, line).saturating_sub(width / 2).clamp(line.x, line.right().saturating_sub(width));
        // a number that is cut would be another one
        for x in [x.saturating_sub(1), x + width] {
            clear_word(x, line, buffer);
        }
        buffer.set_string(x, line.y, word, style);
    }
}

/// Empties the word that stands at a place, and the words within are gone as well.
fn clear_word(x: u16, line: Rect, buffer: &mut Buffer) {
    let is_word = |buffer: &Buffer, x: u16| buffer.cell((x, line.y)).is_some_and(|cell| cell.symbol() != " ");
    let before = (line.x..=x).rev().take_while(|x| is_word(buffer, *x)).last();
    let after = (x..line.right()).take_while(|x| is_word(buffer, *x)).last();
    if let (Some(first), Some(last)) = (before, after) {
        (first..=last).for_each(|x| {
            buffer.set_string(x, line.y, " ", Style::new());
        });
    }
}

/// The column of a place of the axis to the right.
fn column(at: f64, plot: &PlotScene, grid: Rect) -> u16 {
    grid.x + (at / plot.x.end * f64::from(grid.width - 1)).round() as u16
}

fn curves(plot: &PlotScene, grid: Rect, buffer: &mut Buffer, theme: &Theme) {
    let marker = if theme.ascii { Marker::Dot } else { Marker::Braille };
    let ground = theme.ground().bg.unwrap_or(Color::Reset);
    let canvas = Canvas::default().background_color(ground).marker(marker);
    let canvas = canvas.x_bounds([0.0, plot.x.end]).y_bounds([0.0, plot.y.end]);
    let paint = |context: &mut ratatui::widgets::canvas::Context<'_>| {
        for (n, series) in plot.series.iter().enumerate() {
            let color = colour(n, theme).fg.unwrap_or(Color::Reset);
            for pair in series.points.windows(2) {
                context.draw(&Line { x1: pair[0].0, y1: pair[0].1, x2: pair[1].0, y2: pair[1].1, color });
            }
        }
        for (n, series) in plot.series.iter().enumerate() {
            // signs of different curves stand side by side
            let every = series.points.len().div_ceil(EACH).max(1);
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
        let at = column(tick.at, plot, line);
        let width = tick.label.len() as u16;
        let x = at.saturating_sub(width / 2).min(line.right().saturating_sub(width));
        if x >= free {
            buffer.set_string(x, line.y, &tick.label, style);
            free = x + width + 1;
        }
    }
}
