//! The inspector: a line a field, a line a bit that is set.

use super::{Options, change_sign, paragraph};
use crate::scene::{InspectorField, InspectorScene, words};
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

/// characters of the column of hex bytes
const HEX_WIDTH: usize = 24;
/// characters of the column of values
const VALUE_WIDTH: usize = 20;

/// Every field of what is selected.
#[must_use]
pub fn inspector(inspector: &InspectorScene, options: Options) -> String {
    let mut text = format!("{}\n{}", inspector.title, paragraph(&inspector.intro, "", options.columns()));
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
    let value = words::shorten(&field.value, usize::max(VALUE_WIDTH, options.columns().saturating_sub(70)));
    let line = format!(
        "{} {place:>11}  {hex:<HEX_WIDTH$}  {:<names$}  {value:<VALUE_WIDTH$}  {}",
        change_sign(*change),
        field.name,
        field.meaning
    );
    let _ = writeln!(text, "{}", words::shorten(line.trim_end(), options.columns()));
    for bit in field.bits.iter().filter(|bit| bit.set) {
        let line = format!("{:15}{:#06x}  {}: {}", "", bit.mask, bit.name, bit.meaning);
        let _ = writeln!(text, "{}", words::shorten(&line, options.columns()));
    }
}
