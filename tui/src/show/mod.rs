//! `ffviz show`: one picture of any step of any source, as text, with terminal colours, as SVG or as JSON.

mod animation;
mod ansi;
mod caption;
mod figure;
mod json;
mod request;
mod svg;

use crate::theme::{Depth, Theme};
use crate::view::{self, Local};
use clap::ValueEnum;
use ffviz_story::app::{self, Beside, View};
use ffviz_story::scene::Scene;
use ffviz_story::scene::figure::{FigureScene, drawing};
use ffviz_story::scene::text::{Options, Rows};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

pub use ansi::ansi;
pub use json::json;
pub use request::{Frames, Request, parts, seek, state_of};
pub(crate) use svg::escape;
pub use svg::svg;

/// How the picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// characters only, top to bottom, as long as it needs to be
    Text,
    /// with the escape sequences of terminal colours
    Ansi,
    /// a picture that follows the reader's light or dark theme, unless --theme names one
    Svg,
    /// the main picture alone, as long as it needs to be; SVG
    Figure,
    /// what there is to see, for programs
    Json,
}

/// Draws a view on a screen of the given size.
#[must_use]
pub fn screen(view: &View, size: (u16, u16), theme: &Theme) -> Buffer {
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buffer = Buffer::empty(area);
    view::draw(view, area, &mut buffer, theme, &Local::default());
    buffer
}

/// Draws the main picture alone, on so many lines at most.
#[must_use]
pub fn picture(view: &View, size: (u16, u16), theme: &Theme) -> Buffer {
    let area = Rect::new(0, 0, size.0, view::figure_height(view, size.0).min(size.1));
    let mut buffer = Buffer::empty(area);
    view::draw_figure(view, area, &mut buffer, theme);
    without_gaps(&buffer)
}

/// Of blank lines in a row, one stays.
fn without_gaps(buffer: &Buffer) -> Buffer {
    let is_blank = |line: &[Cell]| line.iter().all(|cell| cell.symbol() == " ");
    let mut kept: Vec<&[Cell]> = lines(buffer).collect();
    kept.dedup_by(|next, line| is_blank(next) && is_blank(line));
    let area = Rect { height: kept.len() as u16, ..buffer.area };
    Buffer { area, content: kept.concat() }
}

/// The picture in one of the formats; ends with a line break.
#[must_use]
pub fn show(view: &View, size: (u16, u16), theme: &Theme, format: Format) -> String {
    match format {
        Format::Text => app::text(view, Options { width: usize::from(size.0), ascii: theme.ascii, rows: Rows::All }),
        Format::Ansi => ansi(&screen(view, size, theme)),
        Format::Svg => pictured(view, size, theme, screen),
        Format::Figure => match &view.scene {
            Scene::Figure(scene) => drawn(view, scene, theme),
            _ => pictured(view, size, theme, picture),
        },
        Format::Json => json(view),
    }
}

/// Width of a figure, in the units of its SVG: it can be read where it is shown at 700 pixels.
const FIGURE_WIDTH: i32 = 820;

/// The figure of the step, in the colours that were chosen, or those of the reader's scheme.
fn drawn(view: &View, scene: &FigureScene, theme: &Theme) -> String {
    let draw = |scene| drawing::draw(scene, FIGURE_WIDTH);
    let beside = view.versus.as_deref().map(|beside| (beside, &beside.view.scene));
    let figures = match beside {
        Some((Beside { names: [one, two], view: other, .. }, Scene::Figure(second))) => {
            let of = |name: &str, view: &View| format!("{name} — {}", view.timeline.headline);
            vec![(of(one, view), draw(scene)), (of(two, other), draw(second))]
        }
        _ => vec![(view.timeline.headline.clone(), draw(scene))],
    };
    let above = caption::Above { statement: &view.timeline.label, figures };
    figure::svg(&above.drawings(), &description(view), theme.palettes(), theme.depth == Depth::None)
}

/// Figures of several steps as one animated picture.
///
/// # Errors
/// A sentence where there is nothing to animate.
pub fn animate(views: &[View], theme: &Theme) -> Result<String, String> {
    let palettes = theme.palettes();
    let figure = |view: &View| match &view.scene {
        Scene::Figure(scene) => Some((heading(view, scene), drawing::draw(scene, FIGURE_WIDTH))),
        _ => None,
    };
    let figures: Vec<_> = views.iter().filter_map(figure).collect();
    let last = views.last().filter(|_| !figures.is_empty()).ok_or("--animate: there are no figures to show")?;
    Ok(animation::svg(figures, &description(last), palettes, theme.depth == Depth::None))
}

/// The statement, and what happened.
fn heading(view: &View, scene: &FigureScene) -> String {
    let label = &view.timeline.label;
    if label.is_empty() { scene.title.clone() } else { format!("{label} — {}", scene.title) }
}

/// In the colours that were chosen; where nobody chose, in those for a light ground and those for a dark one.
fn pictured(view: &View, size: (u16, u16), theme: &Theme, draw: fn(&View, (u16, u16), &Theme) -> Buffer) -> String {
    let palettes = theme.palettes();
    let [light, dark] = palettes.map(|palette| {
        let theme = Theme { palette, opaque: true, ..*theme };
        let mut drawn = draw(view, size, &theme);
        if theme.depth == Depth::None {
            black_and_white(&mut drawn, &Theme { depth: Depth::True, ..theme });
        }
        drawn
    });
    svg(&light, &dark, &view.title, &description(view))
}

/// Gives a picture without colours those of text and ground, as a terminal would.
fn black_and_white(drawn: &mut Buffer, theme: &Theme) {
    let ground = theme.ground();
    for cell in &mut drawn.content {
        cell.set_style(ground);
    }
}

/// What the picture shows, in the engine's words.
fn description(view: &View) -> String {
    let parts = [view.timeline.label.as_str(), view.timeline.headline.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" — ")
}

/// The characters, without blanks at the ends of lines.
#[must_use]
pub fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for line in lines(buffer) {
        let line: String = line.iter().map(|cell| cell.symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn lines(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width.max(1)))
}
