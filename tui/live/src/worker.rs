//! The background thread: does the effects of the face one after the other, captures at an interval while watching, and
//! connects again when the server goes away.

use super::access::Access;
use super::capture::{Capture, Source};
use super::connect::Connector;
use super::failure::{Failure, Kind};
use super::pages::Pace;
use super::session::Session;
use super::tables;
use super::wal::Follower;
use ffviz_format::page::Oid;
use ffviz_format::state::{PageId, Relation, State};
use ffviz_story::app::{Effect, Msg};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::MissedTickBehavior;

/// Pauses between attempts to connect again.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// What the thread knows.
pub struct Worker<F> {
    /// how to connect again
    pub connector: Connector,
    /// the connection
    pub session: Session,
    /// what can be done there
    pub access: Access,
    /// where messages go; false when nobody listens any more
    pub deliver: F,
    /// requests
    pub effects: UnboundedReceiver<Effect>,
    /// options
    pub options: Options,
    /// what is watched
    pub subject: Subject,
    /// how fast
    pub pace: Pace,
    /// the WAL between captures
    pub wal: Follower,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct Options {
    /// time between captures while watching
    pub interval: Duration,
    /// pages of a table a capture
    pub pages: u32,
    /// system catalogs too
    pub system: bool,
}

/// The table looked at, and what is known of it.
#[derive(Debug, Default)]
pub struct Subject {
    /// the tables; one, unless several were named with -t
    pub tables: Vec<Oid>,
    /// pages that were looked at
    pub looked_at: BTreeSet<PageId>,
    /// the last capture
    pub last: Option<State>,
}

impl<F: FnMut(Msg) -> bool> Worker<F> {
    /// Works until nobody listens.
    pub async fn run(mut self) {
        let mut ticks = tokio::time::interval(self.options.interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watching = false;
        loop {
            let effect = tokio::select! {
                effect = self.effects.recv() => effect,
                _ = ticks.tick(), if watching && !self.subject.tables.is_empty() => Some(Effect::Watch(true)),
            };
            let Some(effect) = effect else { return };
            if let Effect::Watch(on) = effect {
                watching = on;
                ticks.reset();
            }
            if !self.serve(&effect).await {
                return;
            }
        }
    }

    /// Does what is asked; again, when the server went away over it and came back. Is there still somebody listening?
    async fn serve(&mut self, effect: &Effect) -> bool {
        loop {
            match self.perform(effect).await {
                Ok(listening) => return listening,
                Err(failure) if failure.kind == Kind::Gone || self.session.is_closed() => {
                    if !self.reconnect(failure).await {
                        return false;
                    }
                }
                Err(failure) => return (self.deliver)(Msg::Failed(failure.sentence)),
            }
        }
    }

    async fn perform(&mut self, effect: &Effect) -> Result<bool, Failure> {
        match effect {
            Effect::Quit => Ok(false),
            Effect::ListTables => self.list().await,
            Effect::Capture { table, pages } => self.capture(*table, pages).await,
            Effect::ReadPages { table, pages } => self.read_pages(*table, pages).await,
            Effect::Watch(true) => self.look_again().await,
            _ => Ok(true),
        }
    }

    async fn list(&mut self) -> Result<bool, Failure> {
        let tables = tables::list(&self.session, &self.access, self.options.system).await?;
        Ok((self.deliver)(Msg::Tables(tables)))
    }

    /// The user asks for a capture: it is a step even when nothing changed.
    async fn capture(&mut self, table: Oid, pages: &[PageId]) -> Result<bool, Failure> {
        if !self.subject.tables.contains(&table) {
            self.subject = Subject { tables: vec![table], ..Subject::default() };
        }
        self.subject.looked_at.extend(pages.iter().copied());
        let before = self.subject.last.clone();
        let Capture { state, notes } = self.read().await?;
        let refusal = self.access.refusal().map(str::to_owned);
        Ok(self.hand_out(before.as_ref(), state) && self.tell(refusal.into_iter().chain(notes)))
    }

    /// Watching: a step only when something changed.
    async fn look_again(&mut self) -> Result<bool, Failure> {
        let before = self.subject.last.clone();
        let Capture { state, notes } = self.read().await?;
        let same = before.as_ref().is_some_and(|before| looks_same(before, &state));
        Ok(same || self.hand_out(before.as_ref(), state) && self.tell(notes))
    }

    /// Gives a capture to the face, with the WAL since the one before.
    fn hand_out(&mut self, before: Option<&State>, state: State) -> bool {
        (self.deliver)(match self.wal.take(before) {
            Some(wal) => Msg::CapturedWithWal(state, wal),
            None => Msg::Captured(state),
        })
    }

    /// Captures the subject.
    async fn read(&mut self) -> Result<Capture, Failure> {
        let subject = &self.subject;
        let mut source =
            Source { session: &self.session, access: &self.access, pace: &mut self.pace, pages: self.options.pages };
        let capture = source.capture(&subject.tables, &subject.looked_at, subject.last.as_ref()).await?;
        if self.access.refusal().is_none() {
            self.wal.follow(&self.session, &mut self.pace, subject.last.as_ref(), &capture.state).await;
        }
        self.subject.last = Some(capture.state.clone());
        Ok(capture)
    }

    async fn read_pages(&mut self, table: Oid, pages: &[PageId]) -> Result<bool, Failure> {
        self.subject.looked_at.extend(pages.iter().copied());
        let mut source =
            Source { session: &self.session, access: &self.access, pace: &mut self.pace, pages: self.options.pages };
        let Capture { state, notes } = source.read_pages(table, pages, self.subject.last.as_ref()).await?;
        Ok((self.deliver)(Msg::PagesRead(state)) && self.tell(notes))
    }

    fn tell(&mut self, notes: impl IntoIterator<Item = String>) -> bool {
        notes.into_iter().all(|note| (self.deliver)(Msg::Failed(note)))
    }

    /// Says that the server is gone, and connects again. Is there still somebody listening?
    async fn reconnect(&mut self, failure: Failure) -> bool {
        let place = self.connector.place();
        let sentence = format!("connection lost, connecting again …; the last picture stays ({place}: {failure})");
        let mut listening = (self.deliver)(Msg::Failed(sentence));
        let mut pause = FIRST_PAUSE;
        while listening && !self.effects.is_closed() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            listening = match self.open().await {
                Ok(()) => return (self.deliver)(Msg::Done(format!("connected again to {place}"))),
                Err(failure) => (self.deliver)(Msg::Failed(format!("still no connection, trying again … ({failure})"))),
            };
        }
        false
    }

    async fn open(&mut self) -> Result<(), Failure> {
        self.session = Session::open(&mut self.connector).await?;
        self.access = Access::find(&self.session).await?;
        Ok(())
    }
}

/// The same pages of the same relations? Statistics do not count.
fn looks_same(before: &State, after: &State) -> bool {
    let same_relation = |(a, b): (&Arc<Relation>, &Arc<Relation>)| {
        Relation { stats: None, ..Relation::clone(a) } == Relation { stats: None, ..Relation::clone(b) }
    };
    before.pages == after.pages
        && before.relations.len() == after.relations.len()
        && before.relations.values().zip(after.relations.values()).all(same_relation)
}
