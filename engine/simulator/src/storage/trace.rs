//! What happens inside, as it happens: the raw material of steps.
//!
//! ```text
//! change pages ─▶ Happening::Record   a WAL record, and the pages as it left them; Replayed where recovery did it
//!              ─▶ Happening::Hint     pages that changed without a record
//! decide       ─▶ Happening::Told     a decision worth telling, with its numbers
//! a function   ─▶ Happening::Within   what follows is done by a statement of a block or a function
//! ```

use super::buffers::Buffer;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Page;
use ffviz_format::state::PageId;
use ffviz_format::wal::Record;
use ffviz_story::timeline::{self, CALLS, Cause, Unlogged};

/// One thing that happened.
#[derive(Debug, Clone)]
pub enum Happening {
    /// a WAL record was written; the pages that it left
    Record(Arc<Record>, Vec<(Buffer, Page)>),
    /// recovery read a WAL record; the pages that it changed
    Replayed(Arc<Record>, Vec<(Buffer, Page)>),
    /// pages changed without a record
    NotLogged(Unlogged, Vec<(Buffer, Page)>),
    /// a decision
    Told(Telling),
    /// what follows is done by this statement of a block or of a function; by none: by the statement itself
    Within(Option<Arc<str>>),
}

impl Happening {
    /// The same as a step of a timeline; `page` names a page of a buffer, unless its relation is not shown.
    pub fn on_pages(self, page: impl Fn(Buffer) -> Option<PageId>) -> timeline::Happening {
        let (cause, pages) = match self {
            Self::Within(statement) => return timeline::Happening::Within(statement),
            Self::Record(record, pages) | Self::Replayed(record, pages) => (Cause::Record(record), pages),
            Self::NotLogged(why, pages) => (Cause::Unlogged(why), pages),
            Self::Told(Telling { sentence, facts, about }) => {
                (Cause::Told { sentence, facts, about: about.and_then(&page) }, Vec::new())
            }
        };
        let pages = pages.into_iter().filter_map(|(buf, after)| Some((page(buf)?, after))).collect();
        timeline::Happening::Step(cause, pages)
    }
}

/// A decision in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Telling {
    /// what was decided, with its numbers
    pub sentence: String,
    /// what it was decided by, a sentence each
    pub facts: Vec<String>,
    /// the page that it is about
    pub about: Option<Buffer>,
}

/// Collects what happens, when somebody wants to know.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// is anything collected?
    pub on: bool,
    /// what was
    pub happenings: Vec<Happening>,
    /// how much may be, in all
    most: usize,
    /// how much has been
    collected: usize,
    /// pages that changed and belong to the record that is written next, though it does not name them
    along: Vec<Buffer>,
    /// the statement of a block or of a function that runs
    within: Option<Arc<str>>,
}

impl Trace {
    /// Collects so much and no more: what happened keeps the pages that it left, some 4 kB each.
    #[must_use]
    pub fn of(most: usize) -> Self {
        Self { on: most > 0, most, ..Self::default() }
    }

    /// Was there more than may be collected?
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.most > 0 && self.collected == self.most
    }

    /// One thing happened.
    pub fn add(&mut self, happening: Happening) {
        self.happenings.push(happening);
        self.collected += 1;
        if self.collected == self.most {
            self.on = false;
            self.along = Vec::new();
        }
    }

    /// What happens from now on is done by this statement of a block or of a function. Gives the one before.
    pub fn enter(&mut self, statement: Option<Arc<str>>) -> Option<Arc<str>> {
        if self.on && self.within != statement {
            // nothing happened in one that another follows at once
            match self.happenings.last_mut() {
                Some(Happening::Within(last)) => *last = statement.clone(),
                _ => self.happenings.push(Happening::Within(statement.clone())),
            }
        }
        core::mem::replace(&mut self.within, statement)
    }

    /// What happens from now on is done by this, which what runs has called. Gives what runs, to go on with.
    pub fn enter_behind(&mut self, name: impl FnOnce() -> String) -> Option<Arc<str>> {
        let caller = self.within.clone();
        if self.on {
            let told = match &caller {
                Some(caller) => format!("{caller}{CALLS}{}", name()),
                None => name(),
            };
            self.enter(Some(Arc::from(told)));
        }
        caller
    }

    /// The statement of a block or of a function that runs.
    #[must_use]
    pub fn within(&self) -> Option<&Arc<str>> {
        self.within.as_ref()
    }

    /// The page changed, and the record that is written next is why, though it does not name it.
    pub fn along(&mut self, buf: Buffer) {
        if self.on {
            self.along.push(buf);
        }
    }

    /// The pages that go along with the record that was written.
    pub fn take_along(&mut self) -> Vec<Buffer> {
        core::mem::take(&mut self.along)
    }

    /// Tells a decision; the sentence is made only where somebody listens.
    pub fn tell(&mut self, about: Option<Buffer>, sentence: impl FnOnce() -> String) {
        self.tell_why(about, || (sentence(), Vec::new()));
    }

    /// Tells a decision, and what it was decided by.
    pub fn tell_why(&mut self, about: Option<Buffer>, words: impl FnOnce() -> (String, Vec<String>)) {
        if self.on {
            let (sentence, facts) = words();
            self.add(Happening::Told(Telling { sentence, facts, about }));
        }
    }
}
