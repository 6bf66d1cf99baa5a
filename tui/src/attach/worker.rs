//! The background thread: does the effects of the face one after the other, captures at an interval while watching, and connects again when
//! the server goes away.

use super::access::Access;
use super::capture::{Capture, Source};
use super::connect::Connector;
use super::failure::{Failure, Kind};
use super::pages::Pace;
use super::session::Session;
use super::tables;
use ffviz_engine::app::{Effect, Msg};
use ffviz_engine::page::Oid;
use ffviz_engine::storage::{PageId, State};
use std::collections::BTreeSet;
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
}

/// How to read.
#[derive(Debug, Clone)]
pub struct Options {
    /// time between captures while watching
    pub interval: Duration,
    /// pages of a table a capture
    pub pages: u32,
    /// pages a second
    pub pages_per_second: u32,
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
        let mut pace = Pace::new(self.options.pages_per_second);
        let mut ticks = tokio::time::interval(self.options.interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watching = false;
        loop {
            let effect = tokio::select! {
                effect = self.effects.recv() => effect,
                _ = ticks.tick(), if watching && !self.subject.tables.is_empty() => Some(Effect::Watch(true)),
            };
            let outcome = match effect {
                None | Some(Effect::Quit) => return,
                Some(Effect::ListTables) => self.list().await,
                Some(Effect::Capture { table, pages }) => self.capture(Some(table), pages, &mut pace).await,
                Some(Effect::ReadPages { table, pages }) => self.read_pages(table, pages, &mut pace).await,
                Some(Effect::Watch(true)) => {
                    watching = true;
                    ticks.reset();
                    self.capture(None, Vec::new(), &mut pace).await
                }
                Some(Effect::Watch(false)) => {
                    watching = false;
                    Ok(true)
                }
                Some(_) => Ok(true),
            };
            let goes_on = match outcome {
                Ok(goes_on) => goes_on,
                Err(failure) => self.recover(failure, &mut watching).await,
            };
            if !goes_on {
                return;
            }
        }
    }

    async fn list(&mut self) -> Result<bool, Failure> {
        let tables = tables::list(&self.session, &self.access, self.options.system).await?;
        Ok((self.deliver)(Msg::Tables(tables)))
    }

    async fn capture(&mut self, table: Option<Oid>, pages: Vec<PageId>, pace: &mut Pace) -> Result<bool, Failure> {
        if let Some(table) = table.filter(|table| !self.subject.tables.contains(table)) {
            self.subject = Subject { tables: vec![table], ..Subject::default() };
        }
        self.subject.looked_at.extend(pages);
        let subject = &self.subject;
        let mut source = Source { session: &self.session, access: &self.access, pace, pages: self.options.pages };
        let Capture { state, notes } =
            source.capture(&subject.tables, &subject.looked_at, subject.last.as_ref()).await?;
        self.subject.last = Some(state.clone());
        let refusal = self.access.refusal().map(str::to_owned);
        Ok((self.deliver)(Msg::Captured(state)) && self.tell(refusal.into_iter().chain(notes)))
    }

    async fn read_pages(&mut self, table: Oid, pages: Vec<PageId>, pace: &mut Pace) -> Result<bool, Failure> {
        self.subject.looked_at.extend(pages.iter().copied());
        let mut source = Source { session: &self.session, access: &self.access, pace, pages: self.options.pages };
        let Capture { state, notes } = source.read_pages(table, &pages, self.subject.last.as_ref()).await?;
        Ok((self.deliver)(Msg::PagesRead(state)) && self.tell(notes))
    }

    fn tell(&mut self, notes: impl IntoIterator<Item = String>) -> bool {
        notes.into_iter().all(|note| (self.deliver)(Msg::Failed(note)))
    }

    /// Says what went wrong; connects again where that is what it takes. Is there still somebody listening?
    async fn recover(&mut self, failure: Failure, watching: &mut bool) -> bool {
        if failure.kind != Kind::Gone && !self.session.is_closed() {
            if failure.kind == Kind::Changed {
                *watching = false; // a table that is gone does not come back under its oid
            }
            return (self.deliver)(Msg::Failed(failure.sentence));
        }
        let place = self.connector.place();
        let sentence =
            format!("the connection to {place} is lost; the last picture stays, connecting again … ({failure})");
        if !(self.deliver)(Msg::Failed(sentence)) {
            return false;
        }
        let mut pause = FIRST_PAUSE;
        while !self.effects.is_closed() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            if let Err(failure) = self.reconnect().await {
                if !(self.deliver)(Msg::Failed(format!("still no connection to {place}, trying again … ({failure})")))
                {
                    return false;
                }
                continue;
            }
            return (self.deliver)(Msg::Done(format!("connected again to {place}")));
        }
        false
    }

    async fn reconnect(&mut self) -> Result<(), Failure> {
        self.session = Session::open(&mut self.connector).await?;
        self.access = Access::find(&self.session).await?;
        Ok(())
    }
}
