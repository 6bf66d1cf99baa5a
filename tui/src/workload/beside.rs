//! A server's numbers beside the simulator's, of the same statements.
//!
//! ```text
//!                                 simulated   server 18.4
//!  WAL records                        8,123         8,123  =
//!  WAL bytes                        612,880       612,944  +0.01%
//! ```

use super::report::wal_json;
use ffviz_format::page::thousands;
use ffviz_live::WorkloadServer;
use ffviz_story::timeline::{RelationSize, Samples, Usage};
use serde_json::{Value, json};
use std::fmt::Write;

/// Types of record that are compared.
const TYPES: usize = 12;

/// Records that are of the whole server, and so not counted there: those of checkpoints.
const OF_SERVER: [&str; 2] = ["XLOG/CHECKPOINT", "Standby/"];

/// What a server did.
pub(super) struct Beside {
    /// `18.4`
    name: String,
    samples: Samples,
}

impl Beside {
    /// After so many transactions; what was made on the server is dropped.
    pub fn of(mut server: WorkloadServer, transactions: u64) -> Result<Self, String> {
        server.drain()?;
        if server.samples.transactions() < transactions {
            server.sample(transactions)?;
        }
        Ok(Self { name: server.name(), samples: server.finish()? })
    }

    /// The numbers of both, a line each.
    pub fn text(&self, simulated: &Samples) -> String {
        let mut out =
            format!("\n{:<28}{:>15}{:>15}\n", "the same statements", "simulated", format!("server {}", self.name));
        let (ours, theirs) = (simulated.wal(), self.samples.wal());
        let mut usage = simulated.usage();
        for (_, more) in ours.iter().filter(|(name, _)| OF_SERVER.iter().any(|prefix| name.starts_with(prefix))) {
            usage.wal = usage.wal - *more;
        }
        for (name, figure) in FIGURES {
            line(&mut out, name, Some(figure(&usage)), Some(figure(&self.samples.usage())));
        }
        out.push_str("records by type\n");
        for (name, usage) in theirs.iter().take(TYPES) {
            let own = ours.iter().find(|(known, _)| known == name).map(|(_, usage)| usage.records);
            line(&mut out, &format!("  {name}"), own, Some(usage.records));
        }
        let pages = |samples: &Samples| samples.all.last().map_or(Vec::new(), |last| last.relations.clone());
        let own = pages(simulated);
        out.push_str("pages at the end\n");
        for RelationSize { name, blocks, .. } in pages(&self.samples) {
            let same = own.iter().find(|known| known.name == name).map(|known| known.blocks.into());
            line(&mut out, &format!("  {name}"), same, Some(blocks.into()));
        }
        out
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let usage = self.samples.usage();
        let wal = wal_json(&self.samples);
        let last = self.samples.all.last().map_or(&[][..], |last| &last.relations);
        let relations: Vec<Value> =
            last.iter().map(|size| json!({ "name": size.name, "pages": size.blocks })).collect();
        json!({
            "version": self.name, "transactions": self.samples.transactions(),
            "records": usage.wal.records, "bytes": usage.wal.bytes, "images": usage.wal.fpi,
            "updated": usage.tup_updated, "hot": usage.tup_hot_updated,
            "wal": wal, "relations": relations,
        })
    }
}

type Figure = (&'static str, fn(&Usage) -> u64);

/// What both count.
const FIGURES: [Figure; 5] = [
    ("WAL records", |usage| usage.wal.records),
    ("WAL bytes", |usage| usage.wal.bytes),
    ("full-page images", |usage| usage.wal.fpi),
    ("rows updated", |usage| usage.tup_updated),
    ("of them HOT", |usage| usage.tup_hot_updated),
];

fn line(out: &mut String, name: &str, ours: Option<u64>, theirs: Option<u64>) {
    let told = |figure: Option<u64>| figure.map_or_else(|| "-".to_owned(), thousands);
    let sign = match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => "  =".to_owned(),
        (Some(ours), Some(theirs)) if ours > 0 => format!("  {:+.2}%", (theirs as f64 / ours as f64 - 1.0) * 100.0),
        _ => String::new(),
    };
    let _ = writeln!(out, "{name:<28}{:>15}{:>15}{sign}", told(ours), told(theirs));
}
