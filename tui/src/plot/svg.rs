//! Plots as an SVG file: one below the other, colours that follow the reader's light or dark scheme, no font within.

use super::chart::FAMILIES;
use crate::show::escape;
use crate::theme::Palette;
use ffviz_story::scene::PlotScene;
use ffviz_story::scene::plot::Series;
use std::fmt::Write;

/// Size of a plot, and of what is around its grid.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 36.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 34.0;
/// Height of a line of notes.
const LINE: f64 = 16.0;
/// Width of a character of the legend, of a font with wide letters.
const CHARACTER: f64 = 8.5;
/// Width of a curve's stroke in the legend, with the gaps beside it.
const STROKE: f64 = 33.0;

/// The plots as a file, in a light and a dark palette, which may be the same.
#[must_use]
pub fn svg(plots: &[PlotScene], title: &str, palettes: [Palette; 2]) -> String {
    let whole: f64 = plots.iter().map(height).sum::<f64>() + LINE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {whole}\" width=\"{WIDTH}\" height=\"{whole}\" role=\"img\" \
         aria-labelledby=\"t d\">\n<title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n<style>{}</style>\n\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{whole}\" rx=\"8\"/>\n",
        escape(title),
        escape(&description(plots)),
        style(palettes)
    );
    let mut y = 0.0;
    for plot in plots {
        let _ = writeln!(out, "<g transform=\"translate(0 {y})\">");
        draw(&mut out, plot);
        out.push_str("</g>\n");
        y += height(plot);
    }
    out.push_str("</svg>\n");
    out
}

fn height(plot: &PlotScene) -> f64 {
    HEIGHT + LINE * (plot.notes.len() + places(plot).1) as f64
}

/// For who does not see it: of each curve where it begins and ends.
fn description(plots: &[PlotScene]) -> String {
    let mut text = String::new();
    for plot in plots {
        let _ = write!(text, "{}, {} over {}: ", plot.title, plot.y.label, plot.x.label);
        let curves = plot.series.iter().filter_map(|series| {
            let (first, last) = (series.points.first()?, series.points.last()?);
            Some(format!("{} from {:.2} to {:.2}", series.name, first.1, last.1))
        });
        text.push_str(&curves.collect::<Vec<_>>().join(", "));
        text.push_str(". ");
    }
    text
}

fn style([light, dark]: [Palette; 2]) -> String {
    let mut css = format!(
        "text{{font:13px system-ui,\"Segoe UI\",\"DejaVu Sans\",sans-serif}}.title{{font-weight:700;font-size:15px}}\
         .curve{{fill:none;stroke-width:1.8;stroke-linejoin:round}}{}",
        colours(light)
    );
    if light != dark {
        let _ = write!(css, "@media(prefers-color-scheme:dark){{{}}}", colours(dark));
    }
    css
}

fn colours(palette: Palette) -> String {
    let hex = |[r, g, b]: [u8; 3]| format!("#{r:02x}{g:02x}{b:02x}");
    let [ground, text, dim, rule] =
        [palette.ground(), palette.text(), palette.dim(), palette.rule()].map(|swatch| hex(swatch.rgb));
    let mut css = format!(
        ".ground{{fill:{ground}}}text{{fill:{text}}}.dim{{fill:{dim}}}.grid{{stroke:{rule};stroke-width:1;stroke-opacity:.4;fill:none}}"
    );
    for (n, family) in FAMILIES.into_iter().enumerate() {
        let tone = hex(palette.tone(family).rgb);
        let _ = write!(css, ".s{n}{{stroke:{tone}}}.f{n}{{fill:{tone}}}");
    }
    css
}

fn draw(out: &mut String, plot: &PlotScene) {
    // names on more than one line push the grid down
    let below = LINE * places(plot).1 as f64;
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM + below);
    let x = |at: f64| LEFT + at / plot.x.end * (right - LEFT);
    let y = |at: f64| bottom - at / plot.y.end * (bottom - TOP - below);
    let _ = writeln!(
        out,
        "<text class=\"title\" x=\"14\" y=\"24\">{}</text><text class=\"dim\" x=\"{right}\" y=\"24\" text-anchor=\"end\">{}, over {}</text>",
        escape(&plot.title),
        escape(&plot.y.label),
        escape(&plot.x.label)
    );
    for tick in &plot.y.ticks {
        let at = y(tick.at);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/><text class=\"dim\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.5,
            tick.label
        );
    }
    for tick in &plot.x.ticks {
        let at = x(tick.at);
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{at:.1} {bottom}v5\"/><text class=\"dim\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 19.0,
            tick.label
        );
    }
    for (n, series) in plot.series.iter().enumerate() {
        let points: Vec<String> =
            series.points.iter().map(|point| format!("{:.1} {:.1}", x(point.0), y(point.1))).collect();
        if !points.is_empty() {
            let class = n % FAMILIES.len();
            let _ = writeln!(out, "<path class=\"curve s{class}\" d=\"M{}\"/>", points.join("L"));
        }
    }
    legend(out, plot);
    for (note, n) in plot.notes.iter().zip(0_u16..) {
        let y = HEIGHT + below + 4.0 + LINE * f64::from(n);
        let _ = writeln!(out, "<text class=\"dim\" x=\"{LEFT}\" y=\"{y}\">{}</text>", escape(note));
    }
}

/// A stroke and a name a curve.
fn legend(out: &mut String, plot: &PlotScene) {
    for ((n, series), (at, line)) in plot.series.iter().enumerate().zip(places(plot).0) {
        let class = n % FAMILIES.len();
        let y = 37.0 + LINE * line as f64;
        let _ = writeln!(
            out,
            "<rect class=\"f{class}\" x=\"{at}\" y=\"{y}\" width=\"12\" height=\"4\"/><text x=\"{}\" y=\"{}\">{}</text>",
            at + 17.0,
            y + 6.0,
            escape(&series.name)
        );
    }
}

/// Where the names of the curves stand, each with its line; and how many lines there are beyond the first.
fn places(plot: &PlotScene) -> (Vec<(f64, usize)>, usize) {
    let (mut at, mut line) = (LEFT, 0);
    let place = |series: &Series| {
        let width = STROKE + CHARACTER * series.name.chars().count() as f64;
        if at + width > WIDTH && at > LEFT {
            (at, line) = (LEFT, line + 1);
        }
        let place = (at, line);
        at += width;
        place
    };
    let places: Vec<(f64, usize)> = plot.series.iter().map(place).collect();
    (places, line)
}
