//! What a figure of a chapter is computed from: `wal.len HOT_UPDATE`, `free t 0`, `hot is 0`.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;
use ffviz_format::page::BlockNumber;

/// A quantity; or the statement that it has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    /// what is counted
    pub quantity: Quantity,
    /// the value that it is said to have: behind `is`
    pub is: Option<String>,
}

/// What can be counted of the SQL of a fence, or of the state after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// records about the lesson's tables and indexes
    WalRecords,
    /// their bytes
    WalBytes,
    /// full-page images in them
    WalImages,
    /// bytes of those
    WalImageBytes,
    /// records of a type
    WalCount(String),
    /// length of the first record of a type
    WalLen(String),
    /// pages of all forks that changed
    PagesDirtied,
    /// updates of rows, by their records
    Updates,
    /// those of them that were HOT
    Hot,
    /// splits of index pages
    Splits,
    /// length of the main fork
    Blocks(String),
    /// bytes between `pd_lower` and `pd_upper`
    Free(String, BlockNumber),
    /// number of line pointers
    Lps(String, BlockNumber),
    /// state of a line pointer, as `LP_NORMAL`
    Lp(String, BlockNumber, u16),
    /// level of an index' root, 0 where it is a leaf
    Level(String),
    /// entries of an index page, the high key apart
    Entries(String, BlockNumber),
    /// bytes in use on the leaves of an index in percent, as `pgstatindex` has it
    Density(String),
    /// row versions that are not deleted
    Live(String),
    /// row versions that are, or were inserted by a transaction that was rolled back
    Dead(String),
    /// the one value that a SELECT gives
    Query(String),
}

const ALL: &str = "quantities are wal.records, wal.bytes, wal.images, wal.image_bytes, wal.count TYPE, wal.len TYPE, pages.dirtied, updates, hot, splits, blocks REL, \
                   free REL BLOCK, lps REL BLOCK, lp REL BLOCK N, level INDEX, entries INDEX BLOCK, density INDEX, live REL, dead REL, query SQL; `is VALUE` may follow";

impl FromStr for Expression {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(sql) = text.strip_prefix("query ") {
            return Ok(Self { quantity: Quantity::Query(sql.trim().to_owned()), is: None });
        }
        let (quantity, is) = match text.split_once(" is ") {
            Some((quantity, value)) => (quantity, Some(value.trim().to_owned())),
            None => (text, None),
        };
        let words: Vec<&str> = quantity.split_whitespace().collect();
        let quantity = Quantity::of(&words).ok_or_else(|| format!("{text:?} is no expression; {ALL}"))?;
        Ok(Self { quantity, is })
    }
}

impl Quantity {
    fn of(words: &[&str]) -> Option<Self> {
        let name = |name: &&str| (*name).to_owned();
        Some(match words {
            ["wal.records"] => Self::WalRecords,
            ["wal.bytes"] => Self::WalBytes,
            ["wal.images"] => Self::WalImages,
            ["wal.image_bytes"] => Self::WalImageBytes,
            ["wal.count", kind] => Self::WalCount(name(kind)),
            ["wal.len", kind] => Self::WalLen(name(kind)),
            ["pages.dirtied"] => Self::PagesDirtied,
            ["updates"] => Self::Updates,
            ["hot"] => Self::Hot,
            ["splits"] => Self::Splits,
            ["blocks", rel] => Self::Blocks(name(rel)),
            ["free", rel, block] => Self::Free(name(rel), block.parse().ok()?),
            ["lps", rel, block] => Self::Lps(name(rel), block.parse().ok()?),
            ["lp", rel, block, n] => Self::Lp(name(rel), block.parse().ok()?, n.parse().ok()?),
            ["level", rel] => Self::Level(name(rel)),
            ["entries", rel, block] => Self::Entries(name(rel), block.parse().ok()?),
            ["density", rel] => Self::Density(name(rel)),
            ["live", rel] => Self::Live(name(rel)),
            ["dead", rel] => Self::Dead(name(rel)),
            _ => return None,
        })
    }
}
