//! Reading descriptions: `key: value, key: value` since 16, `key value key value` before.

use super::told::parse_locator;
use crate::describe::INFOBITS;
use alloc::vec::Vec;
use core::str::FromStr;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::RelFileLocator;

/// A description, or a part of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a>(pub &'a str);

impl<'a> Words<'a> {
    /// What stands behind a key.
    pub fn after(self, key: &str) -> Option<&'a str> {
        let is_part_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.0.match_indices(key).find_map(|(at, _)| {
            let (before, behind) = (&self.0[..at], &self.0[at + key.len()..]);
            let value = behind.strip_prefix(": ").or_else(|| behind.strip_prefix(' '))?;
            (!before.ends_with(is_part_of_word)).then_some(value)
        })
    }

    /// The number behind a key.
    pub fn number<T: TryFrom<u64>>(self, key: &str) -> Option<T> {
        leading(self.after(key)?)
    }

    /// The words from a key on.
    pub fn from(self, key: &str) -> Option<Self> {
        self.after(key).map(Self)
    }

    /// The numbers in brackets behind a key: `[1, 2]`.
    pub fn list<T: FromStr>(self, key: &str) -> Option<Vec<T>> {
        self.brackets(key)?.split(", ").filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect()
    }

    fn brackets(self, key: &str) -> Option<&'a str> {
        Some(self.after(key)?.strip_prefix('[')?.split_once(']')?.0)
    }

    /// `T` or `F`
    pub fn truth(self, key: &str) -> Option<bool> {
        self.after(key).map(|value| value.starts_with('T'))
    }

    /// A file: `1663/5/16384`.
    pub fn locator(self, key: &str) -> Option<RelFileLocator> {
        parse_locator(self.after(key)?.split([' ', ';', ',']).next()?)
    }

    /// A transaction id with its epoch: `0:734`.
    pub fn full_xid(self, key: &str) -> Option<u64> {
        let (epoch, xid) = self.after(key)?.split_once(':')?;
        Some(leading::<u64>(epoch)? << 32 | leading::<u64>(xid)?)
    }

    /// What `t_xmax` does to the tuple: in brackets since 16, bare words before.
    pub fn infobits(self, key: &str, version: PgVersion) -> Option<u8> {
        let names: Vec<&str> = if version.describes_by_keys() {
            self.brackets(key)?.split(", ").collect()
        } else {
            self.0.split([' ', ';']).filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).collect()
        };
        let short = |name: &'static str| name.trim_start_matches("XLHL_").trim_start_matches("XMAX_");
        names.iter().filter(|name| !name.is_empty()).try_fold(0, |bits, name| {
            let bit = INFOBITS.iter().find(|bit| short(bit.name) == *name)?;
            Some(bits | bit.mask as u8)
        })
    }
}

/// The number that a text begins with, decimal or with 0x.
pub(super) fn leading<T: TryFrom<u64>>(text: &str) -> Option<T> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    T::try_from(u64::from_str_radix(&digits[..end], radix).ok()?).ok()
}
