//! A value as text, as PostgreSQL's output functions print it with default settings.

use super::money::MONEY;
use super::types::{self, hex};
use super::varlena::{Compression, VarattExternal};
use super::{Attribute, Datum, Record, Storage, TupleDesc, pglz};
use crate::page::layout::Wire;
use crate::page::{Field, Oid, Page};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Datum {
    /// The value as PostgreSQL prints it; what it is where it is not stored plainly.
    #[must_use]
    pub fn text(&self, page: &Page, attribute: &Attribute) -> String {
        let payload = page.slice(self.payload());
        match self.storage {
            Storage::Null => "NULL".to_string(),
            Storage::Missing => attribute.missing.clone().unwrap_or_else(|| "NULL".to_string()),
            Storage::Broken => "unreadable".to_string(),
            Storage::External => VarattExternal::new(payload).words(),
            Storage::Compressed => {
                let value = self.decompressed(page).and_then(|raw| output(attribute, &raw));
                let words = self.compression(page).words(payload.len());
                value.map_or_else(|| words.clone(), |value| format!("{words}: {value}"))
            }
            _ if attribute.dropped => hex(payload),
            Storage::Fixed | Storage::Cstring | Storage::Short | Storage::Plain => {
                output(attribute, payload).unwrap_or_else(|| hex(payload))
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

/// The value as PostgreSQL prints it; `None` for a type, or bytes, that are not known. How money is printed says the
/// server's locale, which no
/// page tells.
fn output(attribute: &Attribute, bytes: &[u8]) -> Option<String> {
    if attribute.base.unwrap_or(attribute.typid) == MONEY {
        return None;
    }
    if !attribute.fields.is_empty() {
        return Some(Record::stored(Arc::new(TupleDesc::new(attribute.fields.clone())), bytes).output());
    }
    let label = || types::exact(bytes).and_then(|oid: Oid| attribute.labels.get(&oid).cloned());
    types::output(attribute.base.unwrap_or(attribute.typid), bytes).or_else(label)
}
