//! Totals of WAL: by type of record, as `pg_waldump --stats=record` counts them, and by relation.

use super::entry::Entry;
use super::text::grouped;
use ffviz_live::segments::names::Names;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sums of some records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sum {
    /// number of records
    pub records: u64,
    /// their bytes, images included
    pub bytes: u64,
    /// full-page images
    pub images: u64,
    /// bytes of these
    pub image_bytes: u64,
}

impl Sum {
    const fn add(&mut self, records: u64, bytes: u64, images: u64, image_bytes: u64) {
        self.records += records;
        self.bytes += bytes;
        self.images += images;
        self.image_bytes += image_bytes;
    }
}

/// All sums.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// of everything
    pub total: Sum,
    /// by `Rmgr/TYPE`
    pub types: BTreeMap<String, Sum>,
    /// by relation: each has the bytes of its block references; the rest of a record goes to the first one, or to none
    pub relations: BTreeMap<String, Sum>,
}

/// Records about no page: commits, checkpoints, locks.
const NONE: &str = "(no relation)";

impl Stats {
    /// Counts a record.
    pub fn add(&mut self, entry: &Entry, names: &Names) {
        let images = entry.blocks.iter().filter(|block| block.has_image).count() as u64;
        let (bytes, image_bytes) = (u64::from(entry.length), u64::from(entry.images));
        self.total.add(1, bytes, images, image_bytes);
        self.types.entry(entry.type_name()).or_default().add(1, bytes, images, image_bytes);
        let mut rest = bytes;
        let mut counted = Vec::new();
        for block in entry.blocks.iter().rev() {
            let is_first = block.id == entry.blocks[0].id;
            let own = if is_first { rest } else { u64::from(block.bytes).min(rest) };
            rest -= own;
            let name = names.of(block.tag.locator);
            let records = u64::from(!counted.contains(&name));
            let images = u64::from(block.has_image);
            self.relations.entry(name.clone()).or_default().add(records, own, images, u64::from(block.image));
            counted.push(name);
        }
        if entry.blocks.is_empty() {
            self.relations.entry(NONE.to_owned()).or_default().add(1, bytes, 0, 0);
        }
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        table(&mut out, "type of record", &self.types, self.total);
        out.push('\n');
        table(&mut out, "relation", &self.relations, self.total);
        let share = percent(self.total.image_bytes, self.total.bytes);
        let _ = writeln!(
            out,
            "\nFull-page images are {share} % of the bytes: {} in {} records.\n\
             Bytes are those of the records alone, without page headers and padding; those of images are without their own headers, as in pg_waldump.",
            self.total.images,
            grouped(self.total.records)
        );
        out
    }

    /// For programs: one line.
    #[must_use]
    pub fn json(&self) -> String {
        let types = largest(&self.types).map(|(name, sum)| TypeLine { name, sum: *sum }).collect();
        let relations = largest(&self.relations).map(|(name, sum)| RelationLine { name, sum: *sum }).collect();
        // string keys and no fallible serializer, so there is no error to lose
        serde_json::to_string(&StatsLine { total: self.total, types, relations }).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct StatsLine<'a> {
    total: Sum,
    types: Vec<TypeLine<'a>>,
    relations: Vec<RelationLine<'a>>,
}

#[derive(Serialize)]
struct TypeLine<'a> {
    #[serde(rename = "type")]
    name: &'a str,
    #[serde(flatten)]
    sum: Sum,
}

#[derive(Serialize)]
struct RelationLine<'a> {
    #[serde(rename = "relation")]
    name: &'a str,
    #[serde(flatten)]
    sum: Sum,
}

/// The largest first.
fn largest(sums: &BTreeMap<String, Sum>) -> impl Iterator<Item = (&String, &Sum)> {
    let mut list: Vec<_> = sums.iter().collect();
    list.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.bytes));
    list.into_iter()
}

fn table(out: &mut String, title: &str, sums: &BTreeMap<String, Sum>, total: Sum) {
    let _ = writeln!(
        out,
        "{title:<27} {:>9} {:>12} {:>5} {:>7} {:>12} {:>5}",
        "records", "bytes", "%", "images", "image bytes", "FPI%"
    );
    let mut line = |name: &str, sum: &Sum| {
        let (records, bytes, images, image_bytes) =
            (grouped(sum.records), grouped(sum.bytes), grouped(sum.images), grouped(sum.image_bytes));
        let (share, fpi) = (percent(sum.bytes, total.bytes), percent(sum.image_bytes, sum.bytes));
        let _ = writeln!(out, "{name:<27} {records:>9} {bytes:>12} {share:>5} {images:>7} {image_bytes:>12} {fpi:>5}");
    };
    largest(sums).for_each(|(name, sum)| line(name, sum));
    line("total", &total);
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1}", part as f64 * 100.0 / whole as f64) }
}
