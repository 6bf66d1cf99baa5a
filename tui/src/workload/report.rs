//! The totals of a run.

use super::args::RunCommand;
use super::beside::Beside;
use ffviz_format::page::{PgVersion, thousands};
use ffviz_story::scene::totals;
use ffviz_story::scene::words::count;
use ffviz_story::timeline::{Samples, WalUsage};
use serde_json::{Value, json};
use std::fmt::Write;

/// Types of record that are listed.
const TYPES: usize = 12;

/// A run that is over.
pub(super) struct Report<'a> {
    /// the scripts
    pub name: String,
    pub args: &'a RunCommand,
    /// that is simulated
    pub version: PgVersion,
    /// transactions that are done, and that were to be
    pub progress: (u64, u64),
    pub failed: u64,
    pub seconds: f64,
    pub samples: Samples,
    /// what a server did with the same statements
    pub beside: Option<Beside>,
}

impl Report<'_> {
    /// What it was.
    pub fn title(&self) -> String {
        let clients = count(u64::from(self.args.clients), "client");
        let (major, minor) = (self.version.major(), self.version.0 % 10_000);
        format!("{}, {clients}, seed {}, PostgreSQL {major}.{minor}", self.name, self.args.random_seed)
    }

    /// Totals as lines.
    pub fn text(&self) -> String {
        let (done, of) = self.progress;
        let mut out = format!("{}\n", self.title());
        let failed = if self.failed > 0 { format!(", {} failed", thousands(self.failed)) } else { String::new() };
        let together = if self.beside.is_some() { " (with the server's turns)" } else { "" };
        let rate = thousands((done as f64 / self.seconds.max(0.001)) as u64);
        let _ = writeln!(
            out,
            "{} of {} transactions{failed}, simulated in {:.1} s{together}: {rate} a second\n",
            thousands(done),
            thousands(of),
            self.seconds
        );
        let usage = self.samples.usage();
        let _ = writeln!(out, "{}\n{}", totals::heading(), totals::line(&usage));
        self.wal(&mut out);
        self.sizes(&mut out);
        out.extend(self.beside.iter().map(|beside| beside.text(&self.samples)));
        out
    }

    fn wal(&self, out: &mut String) {
        let done = self.samples.transactions().max(1);
        let _ = writeln!(
            out,
            "\n{:<28}{:>12}{:>9}{:>15}{:>15}",
            "WAL by type", "records", "images", "bytes", "a transaction"
        );
        let all = self.samples.wal();
        for (name, usage) in all.iter().take(TYPES) {
            let each = usage.bytes as f64 / done as f64;
            let _ = writeln!(
                out,
                "{name:<28}{:>12}{:>9}{:>15}{each:>15.1}",
                thousands(usage.records),
                thousands(usage.fpi),
                thousands(usage.bytes)
            );
        }
        if let Some(more) = all.len().checked_sub(TYPES).filter(|more| *more > 0) {
            let _ = writeln!(out, "and {more} more types");
        }
    }

    fn sizes(&self, out: &mut String) {
        let (Some(first), Some(last)) = (self.samples.all.first(), self.samples.all.last()) else { return };
        let _ = writeln!(out, "\n{:<28}{:>12}{:>12}{:>12}{:>12}", "relation", "pages", "then", "free", "then");
        for relation in self.samples.relations() {
            let sides = [first, last].map(|sample| sample.relation(&relation.name));
            let blocks = sides.map(|side| side.map_or_else(|| "-".to_owned(), |side| thousands(side.blocks.into())));
            let free = sides.map(|side| match side.filter(|side| side.blocks > 0) {
                Some(side) => format!("{:.1}%", side.free as f64 * 100.0 / (f64::from(side.blocks) * 8192.0)),
                None => "-".to_owned(),
            });
            let _ =
                writeln!(out, "{:<28}{:>12}{:>12}{:>12}{:>12}", relation.name, blocks[0], blocks[1], free[0], free[1]);
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let usage = self.samples.usage();
        let wal = wal_json(&self.samples);
        let last = self.samples.all.last().map_or(&[][..], |sample| &sample.relations);
        let relations: Vec<Value> =
            last.iter().map(|size| json!({ "name": size.name, "pages": size.blocks, "free": size.free })).collect();
        json!({
            "script": self.name, "version": self.version.0, "clients": self.args.clients,
            "scale": self.args.scale, "seed": self.args.random_seed,
            "transactions": self.progress.0, "failed": self.failed,
            "records": usage.wal.records, "bytes": usage.wal.bytes, "images": usage.wal.fpi,
            "changed": usage.pages_changed, "dirtied": usage.blks_dirtied,
            "updated": usage.tup_updated, "hot": usage.tup_hot_updated,
            "wal": wal, "relations": relations,
        })
    }
}

/// WAL by type of record, for programs.
pub(super) fn wal_json(samples: &Samples) -> Vec<Value> {
    let one = |(name, usage): (String, WalUsage)| json!({ "type": name, "records": usage.records, "images": usage.fpi, "bytes": usage.bytes });
    samples.wal().into_iter().map(one).collect()
}
