//! The inspector: a line a field, a line a bit that is set.

use super::{Options, change_sign, paragraph};
use crate::scene::{InspectorField, InspectorScene, words};
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

/// characters of the column of hex bytes
const HEX_WIDTH: usize = 18;
/// characters of the column of values
const VALUE_WIDTH: usize = 12;
/// where meanings begin that have a line of their own
const INDENT: usize = 15;

/// Every field of what is selected.
#[must_use]
pub fn inspector(inspector: &InspectorScene, options: Options) -> String {
    let mut text = format!("{}\n{}", inspector.title, paragraph(&inspector.intro, "", options.columns()));
    if !inspector.strip.parts.is_empty() {
        let width = options.columns().min(100);
        let strip = super::wal::bar(&inspector.strip, inspector.strip.length(), width, options);
        let _ = writeln!(text, "  {}", strip.trim_end());
    }
    let plain = inspector.fields.iter().all(|shown| shown.field.bytes.is_empty());
    let names = inspector.fields.iter().map(|shown| shown.field.name.chars().count()).max().unwrap_or(0);
    for shown in &inspector.fields {
        match plain {
            true => _ = writeln!(text, "  {:<names$}  {}", shown.field.name, shown.field.value),
            false => field(&mut text, shown, names, options),
        }
    }
    options.finish(text)
}

fn field(text: &mut String, shown: &InspectorField, names: usize, options: Options) {
    let InspectorField { field, hex, change } = shown;
    let place =
        if field.bytes.is_empty() { String::new() } else { format!("{}..{}", field.bytes.start, field.bytes.end) };
    let hex = words::shorten(hex, HEX_WIDTH);
    let front = format!("{} {place:>11}  {hex:<HEX_WIDTH$}  {:<names$}  ", change_sign(*change), field.name);
    let room = options.columns().saturating_sub(front.chars().count()).max(10);
    let (value, meaning) = (words::squeeze(&field.value), &field.meaning);
    let whole = format!("{front}{value:<VALUE_WIDTH$}  {meaning}");
    if whole.trim_end().chars().count() <= options.columns() {
        let _ = writeln!(text, "{}", whole.trim_end());
    } else {
        let _ = writeln!(text, "{front}{}", words::shorten(&value, room));
        text.push_str(&paragraph(meaning, &" ".repeat(INDENT), options.columns()));
    }
    for bit in field.bits.iter().filter(|bit| bit.set) {
        let line = format!("{:#06x}  {}: {}", bit.mask, bit.name, bit.meaning);
        text.push_str(&paragraph(&line, &" ".repeat(INDENT), options.columns()));
    }
}
