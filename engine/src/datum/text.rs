//! A value as text, as PostgreSQL's output functions print it with default settings.

use super::varlena::{VarattExternal, compressed_words};
use super::{Attribute, Datum, Storage};
use crate::page::layout::Wire;
use crate::page::{Field, Page};
use alloc::format;
use alloc::string::{String, ToString};

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
                compressed_words(u32::get(page.slice(self.bytes.start + 4..self.bytes.end)), payload.len())
            }
            _ if attribute.dropped => hex(payload),
            Storage::Fixed | Storage::Cstring | Storage::Short | Storage::Plain => {
                output(attribute, payload).unwrap_or_else(|| hex(payload))
            }
        }
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

/// The bytes in hexadecimal, as bytea.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("\\x".to_string(), |text, byte| format!("{text}{byte:02x}"))
}

/// The output function of the type; `None` for a type, or bytes, that it does not know.
fn output(attribute: &Attribute, bytes: &[u8]) -> Option<String> {
    const BOOL: u32 = 16;
    const INT8: u32 = 20;
    const INT2: u32 = 21;
    const INT4: u32 = 23;
    const TEXT: u32 = 25;
    const OID: u32 = 26;
    const BPCHAR: u32 = 1042;
    const VARCHAR: u32 = 1043;
    Some(match attribute.typid {
        BOOL => if bytes.first()? == &0 { "f" } else { "t" }.to_string(),
        INT2 => i16::get(bytes).to_string(),
        INT4 => i32::get(bytes).to_string(),
        INT8 => i64::get(bytes).to_string(),
        OID => u32::get(bytes).to_string(),
        TEXT | BPCHAR | VARCHAR => core::str::from_utf8(bytes).ok()?.to_string(),
        _ => return None,
    })
}
