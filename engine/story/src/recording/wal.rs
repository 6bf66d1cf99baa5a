//! `wal` lines: the records between two captures, each a line of its own, so that damage costs no more than it must.

use super::line::{RebuiltFacts, WalLine};
use crate::timeline::{Group, How, Timeline, WalBetween};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ffviz_format::page::{Lsn, Page};
use ffviz_format::state::Server;
use ffviz_format::wal::{Compression, Rebuilt, Record};

/// The line of a record. Images that only some builds can decompress are written as pages besides.
pub(super) fn line(record: &Record, server: &Server) -> WalLine<'static> {
    let base64 = |(id, page): &(u8, Page)| (*id, STANDARD.encode(page.bytes()));
    let mut restored: alloc::collections::BTreeMap<u8, String> = record.restored.iter().map(base64).collect();
    if let Ok(decoded) = record.decode(server.version) {
        for block in &decoded.blocks {
            let method = block.image.and_then(|image| image.compression);
            if matches!(method, Some(Compression::Lz4 | Compression::Zstd)) && !restored.contains_key(&block.id) {
                restored.extend(decoded.restore(block, server.block_size).ok().map(|page| base64(&(block.id, page))));
            }
        }
    }
    WalLine {
        start: record.start.to_string().into(),
        end: record.end.to_string().into(),
        data: STANDARD.encode(&record.bytes).into(),
        restored,
        rebuilt: record.rebuilt.as_ref().map(|rebuilt| RebuiltFacts {
            untold: rebuilt.untold.iter().map(|untold| (untold.start, untold.end)).collect(),
            lacks_main_data: rebuilt.lacks_main_data,
            description: rebuilt.description.clone(),
        }),
    }
}

/// The record of a line, or why it cannot be one.
pub(super) fn record(line: &WalLine, server: &Server) -> Result<Record, String> {
    let (start, end): (Lsn, Lsn) = (line.start.parse()?, line.end.parse()?);
    let unpack = |text: &str| STANDARD.decode(text).map_err(|error| format!("its base64 is damaged: {error}"));
    let mut record = Record::new(start, end, Arc::from(unpack(&line.data)?));
    for (id, data) in &line.restored {
        let bytes = unpack(data)?;
        if bytes.len() != usize::from(server.block_size) {
            return Err(format!("a page of it has {} bytes instead of {}", bytes.len(), server.block_size));
        }
        record.restored.push((*id, Page::new(&bytes)));
    }
    record.rebuilt = line.rebuilt.as_ref().map(|facts| Arc::new(rebuilt(facts)));
    if !record.is_crc_right() {
        return Err(String::from("the record's CRC is wrong"));
    }
    record.decode(server.version).map(drop)?;
    Ok(record)
}

fn rebuilt(facts: &RebuiltFacts) -> Rebuilt {
    Rebuilt {
        untold: facts.untold.iter().map(|(start, end)| *start..*end).collect(),
        lacks_main_data: facts.lacks_main_data,
        description: facts.description.clone(),
    }
}

/// The WAL that led to the last state of a group, as it was pushed; `None` where none was asked for.
pub(super) fn between(timeline: &Timeline, group: &Group) -> Option<WalBetween> {
    match &group.how {
        How::Start | How::Measured(None) => None,
        How::Simulated { .. } => {
            let records = group.states.clone().filter_map(|n| timeline.record(n).cloned()).collect();
            Some(WalBetween { records, ..WalBetween::default() })
        }
        How::Measured(gap) => Some(WalBetween { gap: gap.clone(), ..WalBetween::default() }),
        How::Replayed { others, gap, .. } => {
            let records = group.states.clone().filter_map(|n| timeline.record(n).cloned()).collect();
            Some(WalBetween { records, others: *others, gap: gap.clone() })
        }
    }
}

/// The `wal` lines of a capture that is being read.
#[derive(Default)]
pub(super) struct Lines {
    /// what was read, if the capture says that there is WAL
    between: Option<WalBetween>,
    /// lines seen, readable or not
    pub seen: usize,
    /// a line was lost: the records behind it do not follow those before it
    broken: bool,
}

impl Lines {
    /// The capture's own words about its WAL.
    pub fn new(facts: Option<super::line::WalFacts>) -> Self {
        let between = facts.map(|facts| WalBetween { records: Vec::new(), others: facts.others, gap: facts.gap });
        Self { between, ..Self::default() }
    }

    /// A record; one that does not come after the last one is none.
    ///
    /// # Errors
    /// A sentence.
    pub fn push(&mut self, record: Record) -> Result<(), String> {
        if self.broken {
            return Ok(());
        }
        let records = &mut self.between.get_or_insert_default().records;
        match records.last() {
            Some(last) if record.start < last.end => {
                Err(format!("it begins before {}, where the last one ended", last.end))
            }
            _ => {
                records.push(record);
                Ok(())
            }
        }
    }

    /// A line was lost that may have been, or was, a record: what follows is not used.
    pub fn lose(&mut self, line: usize) {
        if let Some(between) = self.between.as_mut().filter(|_| !self.broken) {
            between.gap = Some(format!("line {line} of the recording is damaged; the WAL from there on is not used"));
            self.broken = true;
        }
    }

    /// Nobody knows which lines are missing: none of the records is used.
    pub fn lose_all(&mut self, why: &str) {
        if let Some(between) = &mut self.between {
            *between = WalBetween { gap: Some(why.to_string()), others: between.others, ..WalBetween::default() };
        }
    }

    /// Are all lines there, as far as is known?
    pub const fn is_whole(&self) -> bool {
        !self.broken
    }

    /// The WAL, if there was any.
    pub fn finish(self) -> Option<WalBetween> {
        self.between
    }
}
