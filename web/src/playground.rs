//! The playground: a script that the reader writes, the server that it runs on, and the run that goes on.
//!
//! ```text
//!  editor ──text──▶ model ──Effect::Run──▶ Playground ──▶ worker
//!                     ▲                        │
//!                     └──── RunReport ◀────────┘
//! ```

use crate::library::Failure;
use crate::link::Link;
use crate::simulator::{Parts, Running, Server};
use ffviz_format::page::PgVersion;
use ffviz_format::state;
use ffviz_story::app::{Model, Msg, RunReport, RunRequest, Source, ViewName};
use ffviz_story::scene::{StepName, address};
use ffviz_story::timeline::Run;
use wasm_bindgen::JsValue;
use yew::Callback;

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
    /// of a run on a real PostgreSQL: what of it is equal to the simulator's
    pub verdict: Option<String>,
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

    /// What has to be sent before a text is run: where the server is another now, all branches are of another server;
    /// and two runs beside each other begin together.
    pub fn before(&mut self, text: &str) -> Option<Msg> {
        let begins = self.ran_on.as_ref() != Some(&self.server) || !self.server.versus.is_empty();
        begins.then(|| self.anew(text.to_owned()))
    }

    fn anew(&mut self, text: String) -> Msg {
        self.running = None;
        self.verdict = None;
        self.ran_on = Some(self.server.clone());
        let major = self.server.version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        let version = PgVersion(major.unwrap_or(MAJORS[0]) * 10_000);
        let server = state::Server { version, block_size: 8192, data_checksums: false, log_hints: false };
        Msg::Scripted { name: NAME.to_owned(), run: Run::none(text, server) }
    }

    /// Begins a run that the model asks for.
    pub fn begin(&mut self, request: RunRequest) -> RunRequest {
        // what a link or a page holds is run as it is, mistakes and all
        let request = RunRequest { anyway: request.anyway || self.place.is_some(), ..request };
        self.running = Some(Running::new(&request, &self.server));
        self.verdict = None;
        request
    }

    /// Starts a run whose simulator is there; `tell` hears what its worker posts.
    pub fn start(
        &mut self,
        request: &RunRequest,
        parts: Result<Parts, Failure>,
        tell: Callback<JsValue>,
    ) -> Option<Msg> {
        let number = request.number;
        let running = self.running.as_mut().filter(|running| running.number == number)?;
        let failure = parts.and_then(|parts| running.start(&parts, request, &self.server, tell)).err()?;
        self.running = None;
        Some(Msg::run(number, RunReport::BrokeOff(failure)))
    }

    /// What the model is to hear of what the worker of a run posted; `beside`: are two runs shown already?
    pub fn take_in(&mut self, number: u32, posted: &JsValue, beside: bool) -> Vec<Msg> {
        let Some(running) = self.running.as_mut().filter(|running| running.number == number) else { return Vec::new() };
        let mut messages = Vec::new();
        let reports = running.take_in(posted);
        self.verdict = running.verdict.take();
        for report in reports {
            if !matches!(report, RunReport::Running(..) | RunReport::Partly(_)) {
                self.running = None;
            }
            // the second of two runs that were not shown beside each other before
            let other = match &report {
                RunReport::Ran(_, Some(other)) if !beside => Some(Run::clone(other)).zip(self.server.other()),
                _ => None,
            };
            messages.push(Msg::run(number, report));
            messages.extend(other.map(|(run, name)| Msg::Versus { names: ["as written".to_owned(), name], run }));
        }
        messages
    }

    /// The steps of a run that have arrived and were not shown yet.
    pub fn so_far(&mut self) -> Vec<Msg> {
        let Some(running) = self.running.as_mut() else { return Vec::new() };
        let number = running.number;
        running.so_far().into_iter().map(|report| Msg::run(number, report)).collect()
    }

    /// The messages that lead to where the link leads, once its script was run.
    pub fn go_there(&mut self, model: &Model) -> Vec<Msg> {
        if self.running.is_some() {
            return Vec::new();
        }
        let Some((step, view)) = self.place.take() else { return Vec::new() };
        let state = model.timeline.as_ref().and_then(|timeline| step.parse::<StepName>().ok()?.find(timeline).ok());
        let view = ViewName::of_name(&view).map(Msg::Show);
        state.map(Msg::Seek).into_iter().chain(view).collect()
    }

    /// What a link to here holds; none where no script of ours is open.
    #[must_use]
    pub fn link(&self, model: &Model, text: &str) -> Option<Link> {
        let (Source::Script(..), Some(timeline)) = (&model.source, &model.timeline) else { return None };
        let here = timeline.current();
        let step = address(timeline, here).unwrap_or_else(|| here.to_string());
        let view = model.place.view.name().to_owned();
        Some(Link { sql: text.to_owned(), server: self.server.clone(), step, view })
    }
}
