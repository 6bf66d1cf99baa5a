//! The WAL between two captures, as far as it can be had; where it cannot, the sentence that says why. It never makes a
//! capture fail.

use super::ServerFiles;
use super::facts::{Facts, Way};
use super::inspect::{Stretch, Walinspect};
use super::mark::Mark;
use super::server::Records;
use crate::failure::Failure;
use crate::pages::Pace;
use crate::segments::files::Files;
use crate::segments::folder::Folder;
use crate::segments::reading::{Item, Reading};
use crate::session::Session;
use ffviz_format::page::{Lsn, TransactionId};
use ffviz_format::state::State;
use ffviz_format::wal::{DecodedRecord, Record, Rmgr};
use ffviz_story::timeline::{Sieve, Tally, WalBetween};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long WAL that is in memory only is waited for: the WAL writer wakes every `wal_writer_delay`, 200 ms.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(50);

/// Whether and how WAL is read.
#[derive(Debug, Default)]
pub struct WalOptions {
    /// not at all
    pub off: bool,
    /// bytes of WAL between two captures at most
    pub limit: u64,
    /// a folder of segments instead of the server's own
    pub folder: Option<Folder>,
}

/// Follows a server's WAL from capture to capture.
#[derive(Debug)]
pub struct Follower {
    options: WalOptions,
    mark: Option<Mark>,
    /// read for captures in which nothing had changed, and so not yet handed out
    pending: WalBetween,
    /// why the last look did not come to the end; the next one goes on there
    unflushed: Option<String>,
    /// does the next capture follow one of a recording that is continued?
    continues: bool,
    /// transactions that wrote about the tables, and of which no end was seen
    open: BTreeSet<TransactionId>,
}

/// What one look at the WAL gave: where to go on, and why it is not all.
struct Outcome {
    at: Lsn,
    gap: Option<String>,
}

impl Follower {
    /// One that has seen nothing.
    #[must_use]
    pub fn new(options: WalOptions) -> Self {
        let (pending, open) = (WalBetween::default(), BTreeSet::new());
        Self { options, mark: None, pending, unflushed: None, continues: false, open }
    }

    /// One that goes on from the last capture of a recording.
    #[must_use]
    pub fn continuing(self) -> Self {
        Self { continues: true, ..self }
    }

    /// Looks at the WAL since the capture before; to be called when the later one's pages have been read. What is found
    /// is kept until [`Self::take`].
    pub async fn follow(&mut self, session: &Session, pace: &mut Pace, before: Option<&State>, after: &State) {
        if self.options.off {
            return;
        }
        if let Err(failure) = self.look(session, pace, before, after).await {
            self.mark = None;
            self.miss(format!("WAL could not be read: {failure}"));
        }
    }

    /// The WAL since the capture that was handed out last; `None` where it was not asked for, or there was none before.
    pub fn take(&mut self, before: Option<&State>) -> Option<WalBetween> {
        self.unflushed.take().into_iter().for_each(|why| self.miss(why));
        let wal = std::mem::take(&mut self.pending);
        (!self.options.off && before.is_some()).then_some(wal)
    }

    /// Notes why WAL is not all there, once.
    fn miss(&mut self, why: String) {
        match &mut self.pending.gap {
            Some(told) if told.contains(&why) => {}
            Some(told) => *told = format!("{told}; {why}"),
            gap => *gap = Some(why),
        }
    }

    async fn look(
        &mut self,
        session: &Session,
        pace: &mut Pace,
        before: Option<&State>,
        after: &State,
    ) -> Result<(), Failure> {
        self.unflushed = None;
        let mut facts = Facts::ask(session).await?;
        let seen = newest(after, facts.insert);
        wait_for(session, &mut facts, seen).await?;
        let recorded = before.filter(|_| std::mem::take(&mut self.continues));
        let mark = self.mark.take().or_else(|| Mark::of_recording(recorded?, &facts));
        let outcome = match (before, mark) {
            (Some(before), Some(mark)) => self.since(&mark, session, &facts, pace, before, after).await?,
            (before, _) => {
                self.pending = WalBetween::default();
                let gap = before.map(|_| "the WAL since the last capture was not followed".to_owned());
                Outcome { at: after.lsn.unwrap_or(facts.insert), gap }
            }
        };
        if let Some(why) = outcome.gap {
            self.miss(why);
        }
        self.mark = Some(Mark {
            at: outcome.at,
            seen: seen.max(outcome.at),
            flush: facts.flush,
            system_identifier: facts.system_identifier,
            timeline: facts.timeline,
            started: facts.started,
        });
        Ok(())
    }

    /// The records since the mark.
    async fn since(
        &mut self,
        mark: &Mark,
        session: &Session,
        facts: &Facts,
        pace: &mut Pace,
        before: &State,
        after: &State,
    ) -> Result<Outcome, Failure> {
        let skip = |why: String| Ok(Outcome { at: facts.insert, gap: Some(why) });
        if let Some(why) = mark.broken(facts) {
            return skip(why);
        }
        let span = facts.insert.0.saturating_sub(mark.at.0);
        if span > self.options.limit {
            let (span, limit) = (megabytes(span), megabytes(self.options.limit));
            return skip(format!(
                "{span} of WAL since the last capture, more than --wal-limit {limit}: this step is measured"
            ));
        }
        let to = facts.flush.min(facts.insert);
        let is_told = matches!(facts.way, Way::Walinspect(_)) && self.options.folder.is_none();
        let records = match &facts.way {
            // a folder has what can be replayed in any case
            Way::Walinspect(_) if self.options.folder.is_none() && facts.timeline != mark.timeline => {
                return skip(format!(
                    "the server is on timeline {} now, and pg_walinspect does not tell how timeline {} leads there",
                    facts.timeline, mark.timeline
                ));
            }
            Way::Walinspect(schema) if self.options.folder.is_none() => {
                let files = before.relations.values().chain(after.relations.values());
                let files = files.map(|relation| i64::from(relation.filenode)).collect();
                let stretch = Stretch { from: mark.at, to, files };
                Records::Walinspect(Walinspect::new(session, pace, schema, facts.version, stretch))
            }
            Way::None(why) if self.options.folder.is_none() => return skip(why.clone()),
            way => {
                let server = (*way == Way::Segments).then_some(ServerFiles { session, pace });
                let mut files = Files { server, folder: self.options.folder.as_mut() };
                let format = facts.format(after.server.version, &mut files).await?;
                if let Some(why) = mark.left_behind(&format) {
                    return skip(why);
                }
                Records::Segments(Box::new(Reading::new(files, format, mark.at, to)))
            }
        };
        let sieve = Sieve::new(before, after).continuing(std::mem::take(&mut self.open));
        let found = read(records, mark.doubt(facts), sieve, after).await?;
        self.open = found.open;
        if is_told && found.lacking > 0 {
            self.miss(format!(
                "pg_walinspect tells too little of {} of the records to replay them; to read all: {}",
                found.lacking, facts.grant
            ));
        }
        self.pending.records.extend(found.records);
        self.pending.others.add(found.others);
        found.doubt.into_iter().for_each(|doubt| self.miss(doubt));
        self.unflushed = unflushed(newest(after, facts.insert), facts);
        found.stop.map_or(Ok(Outcome { at: found.at, gap: None }), skip)
    }
}

/// What a reading gave.
#[derive(Default)]
struct Found {
    records: Vec<Record>,
    others: Tally,
    at: Lsn,
    /// why they are not all
    stop: Option<String>,
    /// records of which too little is told to replay them
    lacking: usize,
    /// why it is not certain that they are all about the tables
    doubt: Option<String>,
    /// transactions of which no end was seen
    open: BTreeSet<TransactionId>,
}

/// The records about the tables. Where it is in doubt whether WAL up to a position reached the disk, and a server that
/// starts again has written there, what the earlier capture shows has never been: then there are none.
async fn read(mut reading: Records<'_>, doubt: Option<Lsn>, mut sieve: Sieve, after: &State) -> Result<Found, Failure> {
    let mut records = Vec::new();
    let stop = loop {
        match reading.next().await? {
            Item::Record(record) if doubt.is_some_and(|seen| record.start < seen) && is_restart(&record) => {
                let why = format!(
                    "the server crashed, and what the last capture shows after {} was lost with it: this step is measured",
                    record.start
                );
                return Ok(Found { stop: Some(why), ..Found::default() });
            }
            Item::Record(record) if sieve.takes(&record) => records.push(record),
            Item::Record(_) => {}
            Item::End(stop) => break stop,
        }
    };
    let stop = stop.map(|stop| format!("{}; what came after is measured", stop.why));
    let lacking = records.iter().filter(|record| is_lacking(record, after)).count();
    let (open, doubt) = (sieve.open(), sieve.doubt());
    Ok(Found { records, others: sieve.others, at: reading.position(), stop, lacking, doubt, open })
}

/// Is too little told of the record to say what it does to its pages?
fn is_lacking(record: &Record, state: &State) -> bool {
    let lacks = |record: &DecodedRecord<'_>| record.blocks.iter().any(|block| record.lacks(block));
    record.rebuilt.is_some() && record.decode(state.server.version).is_ok_and(|decoded| lacks(&decoded))
}

/// What recovery writes first when it is done: a checkpoint, or a note about the record that the crash cut off.
fn is_restart(record: &Record) -> bool {
    const CHECKPOINT_SHUTDOWN: u8 = 0x00;
    const FPW_CHANGE: u8 = 0x80;
    const END_OF_RECOVERY: u8 = 0x90;
    const OVERWRITE_CONTRECORD: u8 = 0xD0;
    let header = record.header();
    Rmgr(header.xl_rmid()) == Rmgr::XLOG
        && matches!(header.xl_info() & 0xF0, CHECKPOINT_SHUTDOWN | FPW_CHANGE | END_OF_RECOVERY | OVERWRITE_CONTRECORD)
}

/// Waits a moment until WAL is on disk up to a position.
async fn wait_for(session: &Session, facts: &mut Facts, to: Lsn) -> Result<(), Failure> {
    let end = tokio::time::Instant::now() + PATIENCE;
    while facts.flush < to && tokio::time::Instant::now() < end {
        tokio::time::sleep(PAUSE).await;
        facts.flush = Facts::ask(session).await?.flush;
    }
    Ok(())
}

/// The newest record that a capture's pages have; a damaged page may claim one that is not yet written.
fn newest(state: &State, insert: Lsn) -> Lsn {
    state.pages.values().map(|page| page.header().pd_lsn()).filter(|lsn| *lsn <= insert).max().unwrap_or_default()
}

fn unflushed(seen: Lsn, facts: &Facts) -> Option<String> {
    (facts.flush < seen).then(|| {
        format!(
            "WAL is on disk up to {} only, and pages show changes up to {seen} (a transaction that goes on, or synchronous_commit = off): \
             the last changes are measured",
            facts.flush
        )
    })
}

fn megabytes(bytes: u64) -> String {
    const MEGA: u64 = 1 << 20;
    if bytes < 10 * MEGA && !bytes.is_multiple_of(MEGA) {
        format!("{}kB", bytes.div_ceil(1024))
    } else {
        format!("{}MB", bytes.div_ceil(MEGA))
    }
}
