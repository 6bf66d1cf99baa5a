//! A figure's drawing as an SVG file: colours that follow the reader's light or dark scheme, unless a theme was chosen;
//! no font and no script within.

use super::svg::escape;
use crate::theme::{Family, Palette};
use ffviz_story::scene::figure::Fate;
use ffviz_story::scene::figure::drawing::{Anchor, Drawing, Form, Paint, Shape};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A drawing, and where it begins in the file.
pub(super) struct Part {
    pub top: i32,
    pub drawing: Drawing,
}

/// Drawings one below the other as a file, in a light and a dark palette, which may be the same; plain: in the colours
/// of text and ground alone.
#[must_use]
pub(super) fn svg(parts: &[Part], title: &str, palettes: [Palette; 2], is_plain: bool) -> String {
    let width = parts.iter().map(|part| part.drawing.width).max().unwrap_or(0);
    let height = parts.iter().map(|part| part.top + part.drawing.height).max().unwrap_or(0);
    let told: Vec<&str> = parts.iter().map(|part| part.drawing.alternative.as_str()).collect();
    let told: Vec<&str> = told.into_iter().filter(|told| !told.is_empty()).collect();
    let shapes: Vec<Shape> = parts.iter().flat_map(|part| part.drawing.shapes.clone()).collect();
    let mut out = String::new();
    head(&mut out, width, height, title, &told.join(" Beside it: "));
    let _ = writeln!(out, "<style>{}</style>", style(&shapes, palettes, is_plain));
    ground(&mut out, width, height);
    for Part { top, drawing } in parts.iter().filter(|part| !part.drawing.shapes.is_empty()) {
        let _ = writeln!(out, "<g transform=\"translate(0 {top})\">");
        for shape in &drawing.shapes {
            self::shape(&mut out, shape, ("", ""));
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The first lines of the file, for who does not see it.
pub(super) fn head(out: &mut String, width: i32, height: i32, title: &str, alternative: &str) {
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-labelledby=\"t d\">\n<title id=\"t\">{}</title>\n<desc id=\"d\">{}</desc>\n",
        escape(title),
        escape(alternative)
    );
}

/// The ground behind everything.
pub(super) fn ground(out: &mut String, width: i32, height: i32) {
    let _ = writeln!(out, "<rect class=\"ground\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>");
}

/// The classes of a shape: its paint, its fate, of a band its family.
fn class(shape: &Shape) -> String {
    let mut class = shape.paint.name().to_owned();
    if shape.fate != Fate::Same {
        let _ = write!(class, " {}", shape.fate.name());
    }
    if let Paint::Band(role) = shape.paint {
        let _ = write!(class, " f{}", Family::of(role) as u8);
    }
    class
}

/// The shape as an element, with more classes and attributes.
pub(super) fn shape(out: &mut String, shape: &Shape, more: (&str, &str)) {
    let (classes, attributes) = more;
    let class = class(shape) + classes;
    let _ = match &shape.form {
        Form::Rect { x, y, w, h, r } => {
            writeln!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{r}\"{attributes}/>"
            )
        }
        Form::Circle { x, y, r } => {
            writeln!(out, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{attributes}/>")
        }
        Form::Path(d) => writeln!(out, "<path class=\"{class}\" d=\"{d}\"{attributes}/>"),
        Form::Text { text, .. } if text.is_empty() => Ok(()),
        Form::Text { x, y, anchor, text } => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}{attributes}>{}</text>", escape(text))
        }
    };
}

/// What does not depend on colours.
const FORMS: &str = "text{font:14px system-ui,\"Segoe UI\",\"DejaVu Sans\",sans-serif}\
.title{font-weight:700;font-size:15px}.strong,.tag,.arrow-word{font-weight:600}.mono{font:13px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace}\
.mark-number{font-weight:700;font-size:12px}.dim{font-size:13px}\
path{fill:none}.arrow{stroke-width:2.5}.pointer{stroke-width:1.3}.tear{stroke-width:2}.hatch{stroke-width:1}\
rect.gone,rect.left{stroke-dasharray:5 4}text.gone.strong{text-decoration:line-through}\
rect.new,rect.changed,rect.arrived,rect.damaged{stroke-width:2.5}.frame-new{stroke-width:2.5}rect.concerned{stroke-width:2}";

/// The style of all shapes: forms, and colours in a light and a dark palette.
pub(super) fn style(shapes: &[Shape], [light, dark]: [Palette; 2], is_plain: bool) -> String {
    let mut css = format!("{FORMS}{}", colours(shapes, light, is_plain));
    if light != dark {
        let _ = write!(css, "@media(prefers-color-scheme:dark){{{}}}", colours(shapes, dark, is_plain));
    }
    css
}

fn colours(shapes: &[Shape], palette: Palette, is_plain: bool) -> String {
    let hex = |[r, g, b]: [u8; 3]| format!("#{r:02x}{g:02x}{b:02x}");
    let [text, dim, rule, accent] = match is_plain {
        true => [palette.text(); 4],
        false => [palette.text(), palette.dim(), palette.rule(), palette.accent()],
    }
    .map(|swatch| hex(swatch.rgb));
    let plain = hex(palette.ground().rgb);
    let mut css = format!(
        ".ground{{fill:{plain}}}text{{fill:{text}}}.dim,.pointer-word,text.gone,text.left{{fill:{dim}}}.tag,.arrow-word{{fill:{accent}}}\
         .frame{{fill:{plain};stroke:{rule}}}.frame-new{{fill:{plain};stroke:{accent}}}.chip{{fill:{plain};stroke:{rule}}}\
         .mark,.arrow-head{{fill:{accent}}}.mark-number{{fill:{plain}}}.arrow,.tear{{stroke:{accent}}}.pointer,.hatch{{stroke:{dim}}}.pointer-head{{fill:{dim}}}"
    );
    let roles: BTreeSet<_> = shapes
        .iter()
        .filter_map(|shape| match shape.paint {
            Paint::Band(role) => Some(role),
            _ => None,
        })
        .collect();
    let mut families: Vec<Family> = roles.into_iter().map(Family::of).collect();
    families.sort_by_key(|family| *family as u8);
    families.dedup();
    for family in families {
        let (fill, tone) = match is_plain {
            true => (plain.clone(), text.clone()),
            false => (hex(palette.soft(family).rgb), hex(palette.tone(family).rgb)),
        };
        let _ = write!(css, ".f{}{{fill:{fill};stroke:{tone}}}", family as u8);
    }
    let _ = write!(
        css,
        "rect.gone,rect.left{{fill:{plain};stroke:{dim}}}rect.new,rect.changed,rect.arrived,rect.damaged{{stroke:{accent}}}rect.concerned{{stroke:{text}}}"
    );
    css
}
