//! A value as text, as PostgreSQL's output functions print it with default settings.

use super::money::MONEY;
use super::types::{self, hex};
use super::varlena::{Compression, VarattExternal};
use super::{Attribute, Datum, Storage, pglz};
use crate::page::layout::Wire;
use crate::page::{Field, Oid, Page};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl Datum {
    /// The value as psql prints it, on one line; what it is where it is not stored plainly.
    #[must_use]
    pub fn text(&self, page: &Page, attribute: &Attribute) -> String {
        let payload = page.slice(self.payload());
        match self.storage {
            Storage::Null => "NULL".to_string(),
            Storage::Missing => attribute.missing.as_deref().map_or_else(|| "NULL".to_string(), printable),
            Storage::Broken => "unreadable".to_string(),
            Storage::External => VarattExternal::new(payload).words(),
            Storage::Compressed => {
                let value = self.decompressed(page).and_then(|raw| output(attribute, &raw));
                let words = self.compression(page).words(payload.len());
                value.map_or_else(|| words.clone(), |value| format!("{words}: {}", printable(&value)))
            }
            _ if attribute.dropped => hex(payload),
            Storage::Fixed | Storage::Cstring | Storage::Short | Storage::Plain => {
                output(attribute, payload).map_or_else(|| hex(payload), |value| printable(&value))
            }
        }
    }

    /// How the value is compressed, where it is so in line.
    fn compression(&self, page: &Page) -> Compression {
        const VA_TCINFO: u16 = 4;
        Compression(u32::get(page.slice(self.bytes.start + VA_TCINFO..self.bytes.end)))
    }

    /// The bytes of a value compressed in line; `None` where the method is not known, or they are damaged.
    fn decompressed(&self, page: &Page) -> Option<Vec<u8>> {
        let how = self.compression(page);
        how.is_pglz().then(|| pglz::decompress(page.slice(self.payload()), how.rawsize()))?
    }

    /// The column as a field of the inspector.
    #[must_use]
    pub fn field(&self, page: &Page, attribute: &Attribute) -> Field {
        let meaning = self.meaning(attribute);
        Field { is_data: true, ..Field::new(&attribute.name, self.bytes.clone(), self.text(page, attribute), &meaning) }
    }

    fn meaning(&self, attribute: &Attribute) -> String {
        let ty = if attribute.dropped { "dropped column" } else { attribute.type_name.as_str() };
        let len = self.payload().len();
        match self.storage {
            Storage::Null => format!("{ty}; NULL: nothing is stored"),
            Storage::Missing => format!("{ty}; the row is older than the column: nothing is stored"),
            Storage::Fixed | Storage::Cstring => format!("{ty}; {len} bytes"),
            Storage::Short => format!("{ty}; header of 1 byte, {len} bytes"),
            Storage::Plain => format!("{ty}; header of 4 bytes, {len} bytes"),
            Storage::Compressed => format!("{ty}; compressed in line: header of 8 bytes, {len} bytes"),
            Storage::External => format!("{ty}; stored in the TOAST table"),
            Storage::Broken => format!("{ty}; its bytes lead beyond the end of the tuple"),
        }
    }
}

/// A value on one line, with signs for what would break it or reach the terminal as a command (`pg_wcsformat`,
/// src/fe_utils/mbprint.c).
#[must_use]
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' => out.push('↵'),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            sign if sign.is_control() => out.push_str(&format!("\\x{:02X}", u32::from(sign))),
            sign => out.push(sign),
        }
    }
    out
}

/// The value as PostgreSQL prints it; `None` for a type, or bytes, that are not known. How money is printed says the
/// server's locale, which no
/// page tells.
fn output(attribute: &Attribute, bytes: &[u8]) -> Option<String> {
    if attribute.base.unwrap_or(attribute.typid) == MONEY {
        return None;
    }
    let label = || types::exact(bytes).and_then(|oid: Oid| attribute.labels.get(&oid).cloned());
    types::output(attribute.base.unwrap_or(attribute.typid), bytes).or_else(label)
}
