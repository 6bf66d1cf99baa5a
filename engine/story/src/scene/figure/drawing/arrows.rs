//! Arrows: beside a panel where both ends are in it, through the gap between neighbours, down to a row below. They end
//! in heads and carry words.

use super::super::{Arrow, FigureScene};
use super::{Anchor, Form, Paint, Pen, Place, Spot};
use crate::scene::PartId;
use alloc::format;
use alloc::string::String;

/// Draws all; the event's lies over the others.
pub(super) fn draw(pen: &mut Pen, scene: &FigureScene) {
    for (n, arrow) in scene.arrows.iter().enumerate() {
        one(pen, scene, n, arrow);
    }
}

fn spot(pen: &Pen, panel: usize, piece: PartId) -> Option<Spot> {
    pen.spots.iter().find(|spot| spot.panel == panel && spot.piece == piece).copied()
}

fn one(pen: &mut Pen, scene: &FigureScene, n: usize, arrow: &Arrow) {
    let ends = [arrow.from, arrow.to].map(|(panel, piece)| spot(pen, panel, piece));
    let [Some(from), Some(to)] = ends else { return };
    let place = |panel: usize| pen.boxes.iter().find(|place| place.panel == panel).copied();
    let (Some(a), Some(b)) = (place(from.panel), place(to.panel)) else { return };
    if from.panel == to.panel {
        beside(pen, a, from, to, arrow);
    } else if a.y == b.y {
        across(pen, (a, from), (b, to), arrow);
    } else if a.bottom <= b.y {
        let siblings = scene.arrows.iter().filter(|other| other.from.0 == arrow.from.0).count() as i32;
        let before = scene.arrows.iter().take(n).filter(|other| other.from.0 == arrow.from.0).count() as i32;
        down(pen, a, b, before + 1, siblings + 1, arrow);
    }
}

fn stroke(pen: &mut Pen, path: String, head: String, bold: bool) {
    let (line, tip) = if bold { (Paint::Arrow, Paint::ArrowHead) } else { (Paint::Pointer, Paint::PointerHead) };
    pen.put(Form::Path(path), line, super::Fate::Same);
    pen.put(Form::Path(head), tip, super::Fate::Same);
}

fn words(pen: &mut Pen, words: &str, x: i32, y: i32, anchor: Anchor, bold: bool) {
    let paint = if bold { Paint::ArrowWord } else { Paint::PointerWord };
    let lines: alloc::vec::Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
    let first = y - (lines.len() as i32 - 1) * 8;
    for (line, n) in lines.into_iter().zip(0..) {
        pen.text(x, first + n * 17, anchor, line, paint);
    }
}

/// A head that points to the right (1) or left (-1).
fn head(x: i32, y: i32, way: i32) -> String {
    format!("M{x} {y}l{} -6v12z", -10 * way)
}

/// The way between the border of a panel, at `x`, and a spot in it: a line pointer is left and reached from below,
/// where there is a gap between it and what follows. Gives the height at the border.
fn gate(spot: Spot) -> i32 {
    if spot.chip.is_some() { spot.y + spot.h + 3 } else { spot.y + spot.h / 2 }
}

/// The path out of a spot to the border.
fn out(spot: Spot, x: i32) -> String {
    let y = gate(spot);
    spot.chip.map_or_else(|| format!("M{x} {y}"), |middle| format!("M{middle} {}V{y}H{x}", spot.y + spot.h))
}

/// From the border at `x` into a spot, and its head; to bands it ends at the border.
fn into(spot: Spot, x: i32, way: i32) -> (String, String) {
    let y = gate(spot);
    match spot.chip {
        Some(middle) => {
            let tip = spot.y + spot.h;
            (format!("H{middle}"), format!("M{middle} {tip}l-5 7h10z"))
        }
        None => (String::new(), head(x, y, way)),
    }
}

fn beside(pen: &mut Pen, place: Place, from: Spot, to: Spot, arrow: &Arrow) {
    let x = place.x + place.w + 2;
    let (y1, y2) = (gate(from), gate(to));
    let (end, head) = into(to, x, -1);
    let stop = if to.chip.is_some() { x } else { x + 9 };
    let path = format!("{}C{} {y1} {} {y2} {stop} {y2}{end}", out(from, x), x + 34, x + 34);
    stroke(pen, path, head, arrow.bold);
    words(pen, &arrow.word, x + 36, i32::midpoint(y1, y2) + 5, Anchor::Start, arrow.bold);
}

fn across(pen: &mut Pen, (a, from): (Place, Spot), (b, to): (Place, Spot), arrow: &Arrow) {
    let way = if a.x < b.x { 1 } else { -1 };
    let (x1, x2) = if way > 0 { (a.x + a.w + 2, b.x - 2) } else { (a.x - 2, b.x + b.w + 2) };
    let (y1, y2) = (gate(from), gate(to));
    let middle = i32::midpoint(x1, x2);
    let (end, head) = into(to, x2, way);
    let stop = if to.chip.is_some() { x2 } else { x2 - 9 * way };
    stroke(pen, format!("{}C{middle} {y1} {middle} {y2} {stop} {y2}{end}", out(from, x1)), head, arrow.bold);
    // above the end that lies higher, where the curve does not go
    let (x, y) = if y1 <= y2 { (x1, y1) } else { (x2, y2) };
    let anchor = if x == a.x + a.w + 2 || x == b.x + b.w + 2 { Anchor::Start } else { Anchor::End };
    let lines = arrow.word.split(' ').count() as i32;
    words(
        pen,
        &arrow.word,
        x + if anchor == Anchor::Start { 4 } else { -4 },
        y - 9 - (lines - 1) * 9,
        anchor,
        arrow.bold,
    );
}

fn down(pen: &mut Pen, a: Place, b: Place, n: i32, of: i32, arrow: &Arrow) {
    let (x1, x2) = (a.x + a.w * n / of, b.x + b.w / 2);
    let (y1, y2) = (a.bottom + 2, b.y - 2);
    let middle = i32::midpoint(y1, y2);
    let tip = format!("M{x2} {y2}l-6 -10h12z");
    stroke(pen, format!("M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {}", y2 - 9), tip, arrow.bold);
    words(pen, &arrow.word, i32::midpoint(x1, x2) + 10, middle, Anchor::Start, arrow.bold);
}
