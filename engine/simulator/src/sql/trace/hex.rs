//! A page as hexadecimal digits, two a byte.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Page;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(super) fn serialize<S: Serializer>(page: &Page, serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(2 * page.bytes().len());
    for byte in page.bytes() {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    serializer.serialize_str(&text)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Page, D::Error> {
    let text = Cow::<str>::deserialize(deserializer)?;
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|value| value as u8);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.map(|bytes| Page::new(&bytes)).ok_or_else(|| D::Error::custom("a page is pairs of hexadecimal digits"))
}
