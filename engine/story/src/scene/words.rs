//! Numbers and texts as every label shows them: one place, so that all views agree.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, OffsetNumber};
pub use ffviz_format::page::{bytes, count, thousands};
use ffviz_format::state::{PageId, Relation};

/// What stands in place of row data while it is hidden.
pub const HIDDEN: &str = "▒▒▒";

/// A size in bytes with the unit that `pg_size_pretty` takes: bytes, kB, MB, GB, TB, from 10 of each on.
#[must_use]
pub fn size(n: u64) -> String {
    let (mut whole, mut rest) = (n, 0);
    for unit in ["bytes", "kB", "MB", "GB"] {
        if whole < 10 * 1024 {
            return format!("{} {unit}", thousands(whole + u64::from(rest >= 512)));
        }
        (whole, rest) = (whole / 1024, whole % 1024);
    }
    format!("{} TB", thousands(whole + u64::from(rest >= 512)))
}

/// Share in percent, rounded, but 0 and 100 only where they are exact.
#[must_use]
pub fn percent(part: u64, whole: u64) -> u8 {
    if whole == 0 || part == 0 {
        return 0;
    }
    if part >= whole {
        return 100;
    }
    ((part * 100 + whole / 2) / whole).clamp(1, 99) as u8
}

/// bytes of a field shown in hex; of more, the first and the last
const HEX_SHOWN: usize = 16;

/// Bytes in hex, pairs apart; of many, the first and the last.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let pairs = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    if bytes.len() <= HEX_SHOWN {
        return pairs(bytes);
    }
    let (head, tail) = (&bytes[..HEX_SHOWN / 2], &bytes[bytes.len() - HEX_SHOWN / 4..]);
    format!("{} … {}", pairs(head), pairs(tail))
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

/// A value on one line, without long runs of blanks, such as those that fill up a `character(n)`.
#[must_use]
pub fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(80));
    let mut blanks = 0;
    for sign in printable(text).chars() {
        if sign == ' ' {
            blanks += 1;
            continue;
        }
        out.push_str(if blanks > 2 { "…" } else { &"  "[..blanks] });
        blanks = 0;
        out.push(sign);
    }
    out
}

/// Share in percent of two of the statistics' counters; nothing where there is nothing to share.
#[must_use]
pub fn share(part: i64, whole: i64) -> Option<u8> {
    (whole > 0).then(|| percent(part.max(0).unsigned_abs(), whole.unsigned_abs()))
}

/// At most `max` characters; what is cut ends in an ellipsis.
#[must_use]
pub fn shorten(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_string(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// At most `max` characters; what is cut out of the middle is an ellipsis: beginning and end tell values apart.
#[must_use]
pub fn middle(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_string();
    }
    let kept = max.saturating_sub(1);
    let head = kept.div_ceil(2);
    let tail = text.chars().skip(count - (kept - head));
    text.chars().take(head).chain(['…']).chain(tail).collect()
}

/// What a fork is called in a sentence; nothing for the main fork.
#[must_use]
pub const fn fork(fork: ForkNumber) -> &'static str {
    match fork {
        ForkNumber::Main => "",
        ForkNumber::Fsm => "free space map",
        ForkNumber::Vm => "visibility map",
        ForkNumber::Init => "init fork",
    }
}

/// `t`, `t free space map`.
#[must_use]
pub fn relation_fork(rel: &Relation, number: ForkNumber) -> String {
    match fork(number) {
        "" => rel.told().into_owned(),
        words => format!("{} {words}", rel.told()),
    }
}

/// `t block 3`, `t visibility map block 0`; the oid where the relation is not known.
#[must_use]
pub fn page(rel: Option<&Relation>, id: PageId) -> String {
    let name = rel.map_or_else(|| format!("relation {}", id.relation), |rel| relation_fork(rel, id.fork));
    format!("{name} block {}", id.block)
}

/// `(3,7)`, a TID as PostgreSQL writes it.
#[must_use]
pub fn tid(block: BlockNumber, offset: OffsetNumber) -> String {
    format!("({block},{offset})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2].map(bytes), ["1 byte", "2 bytes"]);
        assert_eq!([8192, 10_240, 81_920, 1_073_741_824].map(size), ["8,192 bytes", "10 kB", "80 kB", "1,024 MB"]);
    }

    #[test]
    fn percent_is_0_or_100_only_when_exact() {
        assert_eq!(
            [(0, 9), (1, 1000), (1, 2), (999, 1000), (9, 9), (1, 0)].map(|(a, b)| percent(a, b)),
            [0, 1, 50, 99, 100, 0]
        );
    }

    #[test]
    fn blanks_are_squeezed() {
        assert_eq!(squeeze("a  b   c (Oslo      ) "), "a  b…c (Oslo…)");
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!([shorten("naïve", 5), shorten("naïve", 4)], ["naïve", "naï…"]);
        assert_eq!([middle("naïve", 5), middle("customer 12", 8), middle("naïve", 2)], ["naïve", "cust… 12", "n…"]);
    }
}
