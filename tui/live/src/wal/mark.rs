//! Where the WAL was read to, and whether it leads from there to what the server is now.

use super::Facts;
use crate::segments::reading::Format;
use ffviz_format::page::Lsn;
use ffviz_format::state::State;

/// Up to where WAL was read, and of which server.
#[derive(Debug, Clone)]
pub struct Mark {
    /// up to here
    pub at: Lsn,
    /// the newest record that the capture's pages have
    pub seen: Lsn,
    /// up to where WAL was on disk then
    pub flush: Lsn,
    /// which cluster
    pub system_identifier: u64,
    /// its timeline
    pub timeline: u32,
    /// when it was started
    pub started: String,
}

impl Mark {
    /// Where the last capture of a recording was taken, if it is one of the server that answers now. What a recording
    /// does not tell is taken to be as it is: the timeline, and that nothing was lost in between.
    #[must_use]
    pub fn of_recording(last: &State, facts: &Facts) -> Option<Self> {
        let at = last.lsn.filter(|_| last.system_identifier == Some(facts.system_identifier))?;
        Some(Self {
            at,
            seen: at,
            flush: at,
            system_identifier: facts.system_identifier,
            timeline: facts.timeline,
            started: facts.started.clone(),
        })
    }

    /// Why WAL does not lead from here to what the server is now.
    #[must_use]
    pub fn broken(&self, facts: &Facts) -> Option<String> {
        if self.system_identifier != facts.system_identifier {
            return Some(format!(
                "another cluster answers now (system identifier {}, before {}): no WAL leads from one to the other",
                facts.system_identifier, self.system_identifier
            ));
        }
        (facts.insert < self.at).then(|| {
            format!(
                "the server is back at {}, the capture before was taken at {}: it has gone another way",
                facts.insert, self.at
            )
        })
    }

    /// The server was started anew: up to where may WAL be lost that the capture shows?
    #[must_use]
    pub fn doubt(&self, facts: &Facts) -> Option<Lsn> {
        (self.started != facts.started && self.flush < self.seen).then_some(self.seen)
    }

    /// Why the timelines that the server went along do not pass here.
    #[must_use]
    pub fn left_behind(&self, format: &Format) -> Option<String> {
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
