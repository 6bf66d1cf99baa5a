//! A page as hexadecimal digits, two a byte.

use alloc::string::String;
use ffviz_format::page::Page;
use serde::Serializer;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(super) fn serialize<S: Serializer>(page: &Page, serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(2 * page.bytes().len());
    for byte in page.bytes() {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    serializer.serialize_str(&text)
}
