//! `ffviz wal`: the records of a server's WAL, or of a folder of segments, on standard output.

use super::args::{Format, WalCommand};
use super::entry::Entry;
use super::output::{Output, Written};
use super::text::Layout;
use crate::{environment, interrupt};
use ffviz_format::page::{Lsn, Oid, PgVersion};
use ffviz_format::wal::{RelFileLocator, XLOG_BLCKSZ};
use ffviz_live::Failure;
use ffviz_live::segments::archive::Archive;
use ffviz_live::segments::folder::Folder;
use ffviz_live::segments::names::Names;
use ffviz_live::segments::reading::{Item, Stop};
use ffviz_live::wal::{Records, WalServer, Way};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// WAL that is read of a server when nobody says from where, at most.
const DEFAULT_SPAN: u64 = 64 << 20;

/// Lists or counts.
///
/// # Errors
/// One sentence that says what is wrong and what to do; what could be read is written before.
pub fn run(args: &WalCommand, ascii: bool) -> Result<(), String> {
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from >= to
    {
        return Err(format!("--from {from} is not before --to {to}"));
    }
    let interrupted = interrupt::flag()?;
    let runtime = ffviz_live::runtime()?;
    runtime.block_on(list(args, ascii, interrupted)).map_err(|failure| failure.sentence)
}

async fn list(args: &WalCommand, ascii: bool, interrupted: Arc<AtomicBool>) -> Result<(), Failure> {
    let (files, tables): (Vec<_>, Vec<_>) = args.tables.iter().cloned().partition(|name| file(name).is_some());
    let (conninfo, place) = args.places()?;
    if !tables.is_empty() && conninfo.is_none() && place.is_some() {
        return Err(
            "names are in a database's catalogs: name the database too, or say -t tablespace/database/filenode"
                .to_owned()
                .into(),
        );
    }
    let server = if conninfo.is_some() || place.is_none() {
        let conninfo = conninfo.unwrap_or_default();
        Some(WalServer::connect(conninfo, &tables, args.pages_per_second).await?)
    } else {
        None
    };
    let wanted = Wanted {
        tables: server.as_ref().map(|server| server.tables.clone()).unwrap_or_default(),
        files: files.iter().filter_map(|name| file(name)).collect(),
    };
    let mut listing = Listing {
        args,
        wanted,
        names: server.as_ref().map(|server| server.names.clone()).unwrap_or_default(),
        version: server.as_ref().map_or(PgVersion(180_000), |server| server.facts.version),
        interrupted,
        output: Output::new(args, Layout { width: width(), lsn: 10, ascii }),
        left: args.limit.unwrap_or(u64::MAX),
        read: 0,
    };
    let done = match (place, server) {
        (Some(place), server) => listing.folder(&mut folder(place)?, server.as_ref()).await,
        (None, Some(mut server)) => listing.server(&mut server).await,
        (None, None) => Ok(()),
    };
    // what could be read is written, whatever comes after
    listing.output.finish().and(done)
}

/// A folder, or one segment.
fn folder(place: &Path) -> Result<Folder, String> {
    if !place.is_file() {
        return Folder::open(place);
    }
    let (folder, note) = Folder::of_file(place)?;
    if let Some(note) = note {
        environment::note(&note);
    }
    Ok(folder)
}

/// Columns of the terminal, if it is one.
fn width() -> Option<usize> {
    let size = std::io::stdout().is_terminal().then(ratatui::crossterm::terminal::size)?;
    size.ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns >= 40)
}

/// `1663/5/16384`
fn file(name: &str) -> Option<RelFileLocator> {
    let mut numbers = name.split('/').map(|number| number.parse().ok());
    let found = RelFileLocator { spc: numbers.next()??, db: numbers.next()??, rel: numbers.next()?? };
    numbers.next().is_none().then_some(found)
}

/// Which records are asked for.
struct Wanted {
    tables: Vec<Oid>,
    files: Vec<RelFileLocator>,
}

impl Wanted {
    fn takes(&self, entry: &Entry, names: &Names) -> bool {
        let is_all = self.tables.is_empty() && self.files.is_empty();
        is_all
            || entry.blocks.iter().any(|block| {
                let file = block.tag.locator;
                self.files.contains(&file) || names.served(file).is_some_and(|table| self.tables.contains(&table))
            })
    }
}

struct Listing<'a> {
    args: &'a WalCommand,
    wanted: Wanted,
    names: Names,
    version: PgVersion,
    interrupted: Arc<AtomicBool>,
    output: Output,
    /// records that may still be written
    left: u64,
    /// records that were read, whether they are written or not
    read: u64,
}

impl Listing<'_> {
    /// A server's own WAL.
    async fn server(&mut self, server: &mut WalServer) -> Result<(), Failure> {
        let facts = &server.facts;
        let end = facts.flush.min(facts.insert);
        let to = self.args.to.map_or(end, |to| to.min(end));
        if let Some(from) = self.args.from.filter(|from| *from >= end) {
            return Err(format!("--from {from} is not before the end of the server's WAL, {end}").into());
        }
        if let Some(asked) = self.args.to.filter(|asked| *asked > end) {
            environment::note(&format!("WAL is written up to {end} only; --to {asked} is ahead of it"));
        }
        let from = self.args.from.unwrap_or_else(|| {
            let back = Lsn(to.0.saturating_sub(DEFAULT_SPAN));
            facts.redo.max(back)
        });
        let by = if matches!(facts.way, Way::Walinspect(_)) { " · by pg_walinspect" } else { "" };
        let what = format!("{} · PostgreSQL {}{by}", server.place, version(facts.version));
        self.output.begin(&what, from, to)?;
        let records = server.read(page(from), to).await?;
        let Some(stop) = self.write(records, from, to).await? else { return Ok(()) };
        let oldest = server.oldest().await.filter(|oldest| *oldest > stop.at);
        let there = oldest.map(|oldest| format!("; what is there begins at {oldest}")).unwrap_or_default();
        Err(format!("{}{there}", stop.why).into())
    }

    /// The segments of a folder, stretch by stretch.
    async fn folder(&mut self, folder: &mut Folder, server: Option<&WalServer>) -> Result<(), Failure> {
        let archive = Archive::find(folder)?;
        if let Some(server) = server
            && archive.format.system_identifier != Some(server.facts.system_identifier)
        {
            environment::note(&format!("these are not the segments of {}; its names are not used", server.place));
            self.names = Names::default();
        }
        self.version = archive.format.version;
        let (first, last) = (archive.stretches[0].0, archive.stretches[archive.stretches.len() - 1].1);
        let (from, to) = (self.args.from.unwrap_or(first), self.args.to.unwrap_or(last));
        if from >= last || to <= first {
            return Err(format!("{} has WAL from {first} to {last} only", folder.path().display()).into());
        }
        let what = format!("{} · PostgreSQL {}", folder.path().display(), self.version.major());
        self.output.begin(&what, from, to)?;
        let (mut after, mut damage) = (None, Vec::new());
        for &(start, end) in &archive.stretches {
            let (start, end) = (start.max(from), end.min(to));
            if start >= end || self.is_over() {
                continue;
            }
            if let Some(hole) = after.replace(end) {
                environment::note(&format!("there is no segment for {hole} to {start}"));
            }
            let records = Records::of_folder(folder, archive.format.clone(), page(start), end);
            let Some(stop) = self.write(records, start, end).await? else { continue };
            match archive.goes_on(folder, stop.looked_to)? {
                Some(on) => {
                    damage.push(format!("{}; it goes on at {on}, so something is damaged or missing", stop.why))
                }
                None if !stop.is_plain => damage.push(stop.why),
                // the end of what was written is as it should be, unless it is the beginning too
                None if self.read == 0 => environment::note(&format!("no record was read: {}", stop.why)),
                None => {}
            }
        }
        let last = damage.pop();
        damage.iter().for_each(|why| environment::note(why));
        last.map_or(Ok(()), |why| Err(why.into()))
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.interrupted.load(Ordering::Relaxed) || self.output.is_closed()
    }

    /// Writes the records from a position on; says why not up to the end.
    async fn write(&mut self, mut records: Records<'_>, from: Lsn, to: Lsn) -> Result<Option<Stop>, Failure> {
        while !self.is_over() {
            let record = match records.next().await? {
                Item::Record(record) => record,
                Item::End(stop) => return Ok(stop),
            };
            self.read += 1;
            let entry = Entry::of(&record, self.version)?;
            if entry.start < from || !self.wanted.takes(&entry, &self.names) {
                self.output.progress(entry.end, to);
                continue;
            }
            self.left -= 1;
            if self.output.write(&entry, &self.names)? == Written::Closed {
                return Ok(None);
            }
            self.output.progress(entry.end, to);
        }
        if self.interrupted.load(Ordering::Relaxed) {
            self.output.note("interrupted; this is what was read until then");
        }
        Ok(None)
    }
}

/// Where the page of WAL begins that holds a position: from there on records can be found.
const fn page(at: Lsn) -> Lsn {
    Lsn(at.0 - at.0 % XLOG_BLCKSZ as u64)
}

/// `18.4`
fn version(version: PgVersion) -> String {
    format!("{}.{}", version.major(), version.0 % 10_000)
}

impl Format {
    /// Is it for people?
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text)
    }
}
