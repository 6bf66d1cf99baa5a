//! The playground: a script that the reader writes, the server that it runs on, and the run that goes on.
//!
//! ```text
//!  editor ──text──▶ model ──Effect::Run──▶ Playground ──▶ worker
//!                     ▲                        │
//!                     └──── RunReport ◀────────┘
//! ```

use crate::link::Link;
use crate::simulator::{Running, Server};
use ffviz_format::page::PgVersion;
use ffviz_format::state;
use ffviz_story::app::{Model, Msg, Source, ViewName};
use ffviz_story::scene::{StepName, address};
use ffviz_story::timeline::Run;

/// How the script is called.
pub const NAME: &str = "playground";
/// The versions that can be chosen, newest first.
pub const MAJORS: [u32; 6] = [18, 17, 16, 15, 14, 13];

/// What is open in the playground.
#[derive(Default)]
pub struct Playground {
    /// the server that the next run has
    pub server: Server,
    /// the one that the script on screen ran on
    ran_on: Option<Server>,
    /// the run that goes on
    pub running: Option<Running>,
    /// where a link leads, until there are steps
    place: Option<(String, String)>,
}

impl Playground {
    /// Opens a script that is not run yet.
    pub fn open(&mut self, link: Link) -> Msg {
        let Link { sql, server, step, view } = link;
        self.server = server;
        self.place = Some((step, view));
        self.anew(sql)
    }

    /// What has to be sent before a text is run: where the server is another now, all branches are of another server.
    pub fn before(&mut self, text: &str) -> Option<Msg> {
        (self.ran_on.as_ref() != Some(&self.server)).then(|| self.anew(text.to_owned()))
    }

    fn anew(&mut self, text: String) -> Msg {
        self.running = None;
        self.ran_on = Some(self.server.clone());
        let major = self.server.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        let version = PgVersion(major.unwrap_or(MAJORS[0]) * 10_000);
        let server = state::Server { version, block_size: 8192, data_checksums: false, log_hints: false };
        Msg::Scripted { name: NAME.to_owned(), run: Run::none(text, server) }
    }

    /// Does a link wait for its steps? What it holds is run as it is, mistakes and all.
    #[must_use]
    pub const fn awaits_place(&self) -> bool {
        self.place.is_some()
    }

    /// The messages that lead to where the link leads.
    pub fn go_there(&mut self, model: &Model) -> Vec<Msg> {
        let Some((step, view)) = self.place.take() else { return Vec::new() };
        let state = model.timeline.as_ref().and_then(|timeline| step.parse::<StepName>().ok()?.find(timeline).ok());
        let view = ViewName::of_name(&view).map(Msg::Show);
        state.map(Msg::Seek).into_iter().chain(view).collect()
    }

    /// What a link to here holds; none where no script of ours is open.
    #[must_use]
    pub fn link(&self, model: &Model, text: &str) -> Option<Link> {
        let (Source::Script(_), Some(timeline)) = (&model.source, &model.timeline) else { return None };
        let here = timeline.current();
        let step = address(timeline, here).unwrap_or_else(|| here.to_string());
        let view = model.view.name().to_owned();
        Some(Link { sql: text.to_owned(), server: self.server.clone(), step, view })
    }
}
