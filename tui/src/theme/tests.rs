//! What eyes can tell apart: contrast after WCAG 2.2, and colour differences as colour-blind eyes have them.

use super::palette::{GRAPHICS, TEXT};
use super::{Family, Palette, Swatch};
use ratatui::style::Color;

/// Full protanopia, deuteranopia and tritanopia after Machado, Oliveira and Fernandes (2009), on amounts of light.
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ("protanopia", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
    ("tritanopia", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
];

/// CIE L*a*b*, white D65.
fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|c| c.clamp(0.0, 1.0));
    let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047;
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883;
    let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    [116.0 * f(y) - 16.0, 500.0 * (f(x) - f(y)), 200.0 * (f(y) - f(z))]
}

/// CIE 1976 colour difference as these eyes have it; 2 is just noticeable.
fn difference(eyes: &[[f64; 3]; 3], a: Swatch, b: Swatch) -> f64 {
    let seen = |s: Swatch| {
        let light = s.linear();
        lab(eyes.map(|row| row.iter().zip(light).map(|(weight, c)| weight * c).sum()))
    };
    seen(a).iter().zip(seen(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn text_can_be_read() {
    let mut count = 0;
    for palette in Palette::ALL {
        let ground = palette.ground();
        let mut pairs = vec![
            ("text", palette.text(), ground),
            ("dim", palette.dim(), ground),
            ("accent", palette.accent(), ground),
            ("selection", palette.selection_ink(), palette.selection()),
        ];
        for family in Family::ALL {
            pairs.push(("on fill", palette.on_fill(family), palette.fill(family)));
            pairs.push(("tone", palette.tone(family), ground));
        }
        let least = pairs.iter().map(|(_, a, b)| a.contrast(*b)).fold(f64::MAX, f64::min);
        println!("{palette:?}: least contrast of text {least:.1}");
        for (what, a, b) in pairs {
            assert!(a.contrast(b) >= 4.5, "{palette:?} {what}: {:02X?} on {:02X?}: {:.2}", a.rgb, b.rgb, a.contrast(b));
            count += 1;
        }
    }
    println!("{count} pairs compared");
}

/// Every pair of colours that a figure has: text, tags and signs on the areas, outlines and arrows on the ground.
#[test]
fn figures_can_be_read() {
    let grey = |c| Swatch { rgb: [c; 3], ansi: Color::Reset };
    assert!((grey(0).contrast(grey(255)) - 21.0).abs() < 0.01 && (grey(0x76).contrast(grey(255)) - 4.54).abs() < 0.01);
    let mut least = (f64::MAX, f64::MAX);
    for palette in Palette::ALL {
        let (ground, inks) = (palette.ground(), [palette.text(), palette.dim(), palette.accent()]);
        let numbers = [(ground, palette.accent())].into_iter();
        let areas = Family::ALL.map(|family| palette.soft(family)).into_iter().chain([ground]);
        let text = areas.flat_map(|area| inks.map(|ink| (ink, area))).chain(numbers);
        let lines = [palette.rule(), palette.dim(), palette.accent(), palette.text()].map(|line| (line, ground));
        let outlines = Family::ALL.into_iter().flat_map(|family| {
            let (tone, soft) = (palette.tone(family), palette.soft(family));
            [(tone, ground), (tone, soft), (palette.accent(), soft)]
        });
        for (pairs, wanted, least) in [
            (text.collect::<Vec<_>>(), TEXT, &mut least.0),
            (lines.into_iter().chain(outlines).collect(), GRAPHICS, &mut least.1),
        ] {
            for (a, b) in pairs {
                let found = a.contrast(b);
                assert!(found >= wanted, "{palette:?}: {:02X?} on {:02X?}: {found:.2}, not {wanted}", a.rgb, b.rgb);
                *least = least.min(found);
            }
        }
    }
    println!("least contrast of text {:.2}, of lines {:.2}", least.0, least.1);
}

/// Families that stand side by side on one page and mean different things.
const APART: [(Family, Family); 17] = [
    (Family::Live, Family::Hot),
    (Family::Live, Family::HotOld),
    (Family::Live, Family::Dead),
    (Family::Live, Family::Cold),
    (Family::Hot, Family::HotOld),
    (Family::Hot, Family::Dead),
    (Family::Hot, Family::Cold),
    (Family::HotOld, Family::Dead),
    (Family::Dead, Family::Cold),
    (Family::Pointer, Family::Redirect),
    (Family::Pointer, Family::Dead),
    (Family::Frame, Family::Pointer),
    (Family::Frame, Family::Lock),
    (Family::Frame, Family::Live),
    (Family::Pointer, Family::Lock),
    (Family::Lock, Family::Hot),
    (Family::Lock, Family::Live),
];

#[test]
fn colour_blind_eyes_tell_families_apart() {
    let mut count = 0;
    for palette in Palette::ALL {
        for (name, eyes) in EYES {
            let pairs = APART.map(|(a, b)| (difference(&eyes, palette.fill(a), palette.fill(b)), a, b));
            let least = pairs.iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are pairs");
            println!("{palette:?}, {name}: least difference {:.0} ({:?}, {:?})", least.0, least.1, least.2);
            for (difference, a, b) in pairs {
                assert!(difference >= 10.0, "{palette:?}, {name}: {a:?} and {b:?} differ by {difference:.1}");
                count += 1;
            }
            let changed = Family::ALL.map(|family| difference(&eyes, palette.accent(), palette.fill(family)));
            let least = changed.into_iter().fold(f64::MAX, f64::min);
            assert!(least >= 10.0, "{palette:?}, {name}: the accent is {least:.1} from a fill");
        }
    }
    println!("{count} pairs compared");
}
