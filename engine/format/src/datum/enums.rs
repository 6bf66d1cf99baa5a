//! Values of enum types: the OIDs of their labels (src/backend/utils/adt/enum.c). Only a catalog knows the names of
//! labels and of enum types, so where there is none a text has the OID between two marks, and whoever has a catalog
//! puts the names in before anybody reads it.
//!
//! ```text
//!  invalid input value for enum <16385>  ──with_names──▶  invalid input value for enum mood
//! ```

use super::record::{is_composite, type_oid};
use crate::page::{FIRST_NORMAL_OBJECT_ID, Oid};
use alloc::format;
use alloc::string::String;

/// Of the private use area, which no text of PostgreSQL's has.
const MARK: char = '\u{F0E0}';

/// Is it an enum? Of the types that scripts make columns have those and composite ones, which expressions mark; one of
/// a domain has the type that this is over.
#[must_use]
pub const fn is_enum(typid: Oid) -> bool {
    typid >= FIRST_NORMAL_OBJECT_ID && !is_composite(typid)
}

/// What stands for the name of a type that a script made, or a label.
#[must_use]
pub fn mark(oid: Oid) -> String {
    format!("{MARK}{}{MARK}", type_oid(oid))
}

/// The text with names in place of marks; nothing where it has none.
#[must_use]
pub fn with_names(text: &str, name: impl Fn(Oid) -> Option<String>) -> Option<String> {
    let mut parts = text.split(MARK);
    let mut named = String::from(parts.next()?);
    let mut has_marks = false;
    while let Some(part) = parts.next() {
        named.push_str(&part.parse().ok().and_then(&name)?);
        named.push_str(parts.next()?);
        has_marks = true;
    }
    has_marks.then_some(named)
}

#[cfg(test)]
mod tests {
    use super::{mark, with_names};
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn names_in_place_of_marks() {
        let name = |oid| (oid == 16385).then(|| String::from("mood"));
        assert_eq!(with_names(&format!("enum {}: x", mark(16385)), name).as_deref(), Some("enum mood: x"));
        assert_eq!(with_names("enum", name), None);
        assert_eq!(with_names(&mark(16386), name), None);
    }
}
