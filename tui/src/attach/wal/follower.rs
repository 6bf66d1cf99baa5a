//! The WAL between two captures, as far as it can be had; where it cannot, the sentence that says why. It never makes a capture fail.

use super::ServerFiles;
use super::facts::{Facts, Way};
use super::inspect::{self, Walinspect};
use crate::attach::failure::Failure;
use crate::attach::pages::Pace;
use crate::attach::session::Session;
use crate::wal::files::Files;
use crate::wal::folder::Folder;
use crate::wal::reading::{Format, Item, Reading, Stop};
use ffviz_engine::page::Lsn;
use ffviz_engine::storage::State;
use ffviz_engine::timeline::{Sieve, WalBetween};
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
}

/// Up to where WAL was read, and of which server.
#[derive(Debug, Clone)]
struct Mark {
    at: Lsn,
    /// the newest record that the capture's pages have, and up to where WAL was on disk then
    seen: Lsn,
    flush: Lsn,
    system_identifier: u64,
    timeline: u32,
    started: String,
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
        Self { options, mark: None, pending: WalBetween::default() }
    }

    /// Looks at the WAL since the capture before; to be called when the later one's pages have been read. What is found is kept until
    /// [`Self::take`].
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
        let wal = std::mem::take(&mut self.pending);
        (!self.options.off && before.is_some()).then_some(wal)
    }

    fn miss(&mut self, why: String) {
        let gap = &mut self.pending.gap;
        *gap = Some(
            gap.take()
                .map_or_else(|| why.clone(), |first| if first == why { first } else { format!("{first}; {why}") }),
        );
    }

    async fn look(
        &mut self,
        session: &Session,
        pace: &mut Pace,
        before: Option<&State>,
        after: &State,
    ) -> Result<(), Failure> {
        let mut facts = Facts::ask(session).await?;
        let seen = newest(after, facts.insert);
        wait_for(session, &mut facts, seen).await?;
        let mark = self.mark.take();
        let outcome = match (before, mark) {
            (Some(before), Some(mark)) => self.since(&mark, session, &facts, pace, (before, after)).await?,
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
        (before, after): (&State, &State),
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
        let server = (facts.way == Way::Segments).then_some(ServerFiles { session, pace });
        let folder = self.options.folder.as_mut();
        if server.is_none() && folder.is_none() {
            return self.describe(mark, session, facts, pace, (before, after)).await;
        }
        let mut files = Files { server, folder };
        let format = facts.format(after.server.version, &mut files).await?;
        if let Some(why) = mark.left_behind(&format) {
            return skip(why);
        }
        let to = facts.flush.min(facts.insert);
        let mut sieve = Sieve::new(before, after);
        let mut reading = Reading::new(files, format, mark.at, to);
        let why = loop {
            match reading.next().await? {
                Item::Record(record) if sieve.takes(&record) => self.pending.records.push(record),
                Item::Record(_) => {}
                Item::End(why) => break why,
            }
        };
        let at = reading.position();
        self.pending.others.add(sieve.others);
        if let Some(doubt) = sieve.doubt() {
            self.miss(doubt);
        }
        match why {
            Some(Stop { why, .. }) => skip(format!("{why}; what came after is measured")),
            None => Ok(Outcome { at, gap: unflushed(newest(after, facts.insert), facts) }),
        }
    }
}

impl Follower {
    /// What can be said of WAL whose bytes cannot be read.
    async fn describe(
        &self,
        mark: &Mark,
        session: &Session,
        facts: &Facts,
        pace: &mut Pace,
        (before, after): (&State, &State),
    ) -> Result<Outcome, Failure> {
        let schema = match &facts.way {
            Way::Walinspect(schema) => schema,
            Way::Segments => return Ok(Outcome { at: facts.insert, gap: None }),
            Way::None(why) => return Ok(Outcome { at: facts.insert, gap: Some(why.clone()) }),
        };
        let records = Walinspect::new(session, pace, schema, mark.at, facts.flush.min(facts.insert));
        let (told, at) = inspect::summary(records, before, after).await?;
        let grant = &facts.grant;
        Ok(Outcome {
            at,
            gap: Some(format!("described by pg_walinspect, not replayed: {told}; to replay them: {grant}")),
        })
    }
}

impl Mark {
    /// Why WAL does not lead from here to what the server is now.
    fn broken(&self, facts: &Facts) -> Option<String> {
        if self.system_identifier != facts.system_identifier {
            return Some(format!(
                "another cluster answers now (system identifier {}, before {}): no WAL leads from one to the other",
                facts.system_identifier, self.system_identifier
            ));
        }
        if self.started != facts.started && self.flush < self.seen {
            return Some(format!(
                "the server was started anew, and its WAL was on disk only up to {} while the capture before shows changes up to {}: \
                 what was in between may be lost",
                self.flush, self.seen
            ));
        }
        (facts.insert < self.at).then(|| {
            format!(
                "the server is back at {}, the capture before was taken at {}: it has gone another way",
                facts.insert, self.at
            )
        })
    }

    /// Why the timelines that the server went along do not pass here.
    fn left_behind(&self, format: &Format) -> Option<String> {
        let history = &format.history;
        if !history.has(self.timeline) {
            return Some(format!(
                "the server is on timeline {} now, and nothing says how timeline {} leads there",
                history.timeline(),
                self.timeline
            ));
        }
        let left = history.left(self.timeline).filter(|left| *left < self.seen)?;
        Some(format!(
            "the server left timeline {} at {left}, before what the last capture shows ({}): it has gone another way since",
            self.timeline, self.seen
        ))
    }
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
