//! The program within another page: what `<ffviz-demo>` shows once it is live. It keeps to its element: no address, no
//! key of the page, no scrolling.
//!
//! ```text
//!  attributes ──Options──▶ Demo ──Msg──▶ engine ──View──▶ bar, picture, what there is to read
//!  methods    ──Order────▶   │
//!  events     ◀──Told────────┘
//! ```

use crate::library::{self, Failure};
use crate::link::Link;
use crate::player::Player;
use crate::playground::Playground;
use crate::simulator::{self, Parts, Server};
use crate::view::{self, FaceProps};
use crate::{keymap, window};
use ffviz_story::app::{self, Effect, Model, Msg, RunRequest, View, ViewName};
use ffviz_story::recording;
use ffviz_story::scene::{Scene, StepName, figure::drawing};
use ffviz_story::timeline::Timeline;
use std::future::Future;
use std::ops::RangeInclusive;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::KeyboardEvent;
use yew::platform::time::sleep;
use yew::prelude::*;

/// What is around the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Controls {
    /// bar of steps, views, the script, everything there is to read
    #[default]
    Full,
    /// buttons to step with
    Step,
    /// nothing
    None,
}

/// What a demo shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// a lesson, or a recording of the library
    pub lesson: Option<String>,
    /// the address of a recording
    pub recording: Option<String>,
    /// SQL, which is run here
    pub script: Option<String>,
    /// the version that it runs on
    pub pg: String,
    /// the step's address
    pub step: String,
    /// first and last step, `2-9`
    pub range: Option<String>,
    /// the view's name
    pub view: String,
    /// `full`, `step`, `none`
    pub controls: String,
    /// does it play by itself?
    pub autoplay: bool,
}

impl Options {
    fn controls(&self) -> Controls {
        match self.controls.as_str() {
            "none" => Controls::None,
            "step" => Controls::Step,
            _ => Controls::Full,
        }
    }
}

/// What the page around it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// a step forward
    Next,
    /// a step back
    Back,
    /// to a step's address
    Seek(String),
    /// other attributes
    Options(Box<Options>),
}

/// What the page around it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// the first picture is there
    Ready,
    /// another step is shown
    Step {
        /// its address
        step: String,
        /// which state, from 0, and how many there are
        states: (usize, usize),
        /// what it did, a line
        headline: String,
        /// the picture in words
        alternative: String,
    },
    /// something cannot be shown: a sentence
    Error(String),
}

/// What it is made with.
#[derive(Properties, Clone, PartialEq)]
pub struct DemoProps {
    /// what it shows first
    pub options: Options,
    /// hears what happens
    pub tell: Callback<Told>,
}

/// What it takes in.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum Incoming {
    /// for the model
    Msg(Msg),
    /// of the page around it
    Order(Order),
    /// what it shows was read
    Read(Result<Vec<u8>, Failure>),
    /// a key was pressed within
    Key(KeyboardEvent),
    /// the simulator was fetched for a request
    Simulator(RunRequest, Result<Parts, Failure>),
    /// the worker of a run posted something
    Posted(u32, JsValue),
    /// play, or stop playing
    Play,
    /// play at another pace
    Pace,
    /// time for the next step of that round
    Tick(u32),
}

/// The program within an element.
pub struct Demo {
    options: Options,
    model: Model,
    view: Rc<View>,
    /// states that can be gone to
    range: Option<RangeInclusive<usize>>,
    /// is there something to see?
    ready: bool,
    /// what was told last
    told: Option<Told>,
    playground: Playground,
    player: Player,
}

impl Component for Demo {
    type Message = Incoming;
    type Properties = DemoProps;

    fn create(ctx: &Context<Self>) -> Self {
        let model = Model::new(Vec::new());
        let view = Rc::new(app::view(&model));
        let options = ctx.props().options.clone();
        let demo = Self {
            options,
            model,
            view,
            range: None,
            ready: false,
            told: None,
            playground: Playground::default(),
            player: Player::default(),
        };
        demo.read(ctx);
        demo
    }

    fn update(&mut self, ctx: &Context<Self>, incoming: Incoming) -> bool {
        match incoming {
            Incoming::Msg(msg) => {
                self.player.stop();
                self.send(ctx, msg);
            }
            Incoming::Order(order) => self.obey(ctx, order),
            Incoming::Read(read) => match read {
                Ok(bytes) => self.open(ctx, bytes),
                Err(failure) => self.fail(ctx, failure),
            },
            Incoming::Key(event) => return self.key(ctx, &event),
            Incoming::Simulator(request, parts) => {
                let number = request.number;
                let tell = ctx.link().callback(move |posted| Incoming::Posted(number, posted));
                if let Some(failed) = self.playground.start(&request, parts, tell) {
                    self.send(ctx, failed);
                }
            }
            Incoming::Posted(number, posted) => self.posted(ctx, number, &posted),
            Incoming::Play if self.player.is_on() => self.player.stop(),
            Incoming::Play => self.play(ctx),
            Incoming::Pace => self.player.change_pace(),
            Incoming::Tick(round) => self.tick(ctx, round),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        if !self.ready {
            return Html::default();
        }
        let props = FaceProps {
            view: self.view.clone(),
            send: ctx.link().callback(Incoming::Msg),
            narrow: window::is_narrow(),
            tools: Html::default(),
            server: Html::default(),
            player: self
                .player
                .buttons(ctx.link().callback(|_| Incoming::Play), ctx.link().callback(|_| Incoming::Pace)),
        };
        let onkeydown = ctx.link().callback(Incoming::Key);
        let controls = self.options.controls();
        html! {
            <div class="demo" tabindex="0" role="group" aria-label={self.view.title.clone()} {onkeydown}>
                { view::embedded(&props, controls == Controls::Full, controls == Controls::None) }
            </div>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, _: bool) {
        if !self.ready {
            return;
        }
        let timeline = &self.view.timeline;
        let alternative = match &self.view.scene {
            Scene::Figure(figure) => drawing::draw(figure, 820).alternative,
            _ => timeline.headline.clone(),
        };
        let step = Told::Step {
            step: timeline.address.clone(),
            states: (timeline.current, timeline.count),
            headline: timeline.headline.clone(),
            alternative,
        };
        if self.told.as_ref() != Some(&step) {
            if self.told.is_none() {
                ctx.props().tell.emit(Told::Ready);
            }
            self.told = Some(step.clone());
            ctx.props().tell.emit(step);
        }
    }
}

impl Demo {
    /// Reads what is to be shown.
    fn read(&self, ctx: &Context<Self>) {
        let Options { lesson, recording, script, .. } = self.options.clone();
        let read = async move {
            let bytes = match (lesson, recording, script) {
                (Some(lesson), ..) => library::recording(&lesson_name(&lesson)).await?,
                (None, Some(address), _) => library::fetched(&address, &address).await?,
                (None, None, Some(_)) => Vec::new(),
                (None, None, None) => return Err("say what to show: lesson, recording, or SQL in a <pre>".to_owned()),
            };
            Ok(bytes)
        };
        answer(ctx, read, Incoming::Read);
    }

    fn open(&mut self, ctx: &Context<Self>, bytes: Vec<u8>) {
        if let Some(sql) = self.options.script.clone().filter(|_| bytes.is_empty()) {
            let server = Server { version: self.options.pg.clone(), ..Server::default() };
            let (step, view) = (self.options.step.clone(), self.options.view.clone());
            let open = self.playground.open(Link { sql: sql.clone(), server, step, view });
            self.send(ctx, open);
            self.send(ctx, Msg::Run(sql));
            return;
        }
        let name = self.options.lesson.as_deref().map_or_else(|| "recording".to_owned(), lesson_name);
        match recording::read(bytes) {
            recording::Recording { timeline: Some(timeline), lesson, .. } => {
                self.send(
                    ctx,
                    match lesson {
                        Some(lesson) => Msg::Lesson { name, lesson, timeline },
                        None => Msg::Opened { name, timeline, lost: Vec::new() },
                    },
                );
                self.send(ctx, Msg::Show(ViewName::Figure));
                self.go_to_options(ctx);
                self.ready = true;
                if self.options.autoplay && !window::wants_less_motion() {
                    self.play(ctx);
                }
            }
            recording => {
                let why = recording.lost.into_iter().next().unwrap_or_default();
                self.fail(ctx, format!("{name} is no recording. {why}"));
            }
        }
    }

    /// Goes to the step, range and view of the attributes.
    fn go_to_options(&mut self, ctx: &Context<Self>) {
        self.range = None;
        let Options { step, range, view, .. } = self.options.clone();
        match range.as_deref().map(|range| self.states(range)) {
            Some(Ok(range)) => {
                let start = *range.start();
                self.range = Some(range);
                self.send(ctx, Msg::Seek(start));
            }
            Some(Err(why)) => self.fail(ctx, format!("range: {why}")),
            None => {}
        }
        if !step.is_empty() {
            self.seek(ctx, &step);
        }
        match ViewName::of_name(&view) {
            Some(view) => self.send(ctx, Msg::Show(view)),
            None if view.is_empty() => {}
            None => self.fail(ctx, format!("view: {view} is none of figure, map, tree, page, wal, lesson")),
        }
    }

    /// First and last state of `2-9` or `6.1-6.4`.
    fn states(&self, range: &str) -> Result<RangeInclusive<usize>, String> {
        let (first, last) = range.split_once('-').ok_or("say the first and the last step, such as 2-9")?;
        let timeline = self.model.timeline.as_ref().ok_or("there are no steps")?;
        Ok(find(timeline, first.trim())?..=find(timeline, last.trim())?)
    }

    fn seek(&mut self, ctx: &Context<Self>, step: &str) {
        match self.model.timeline.as_ref().map(|timeline| find(timeline, step)) {
            Some(Ok(state)) => self.send(ctx, Msg::Seek(state)),
            Some(Err(why)) => self.fail(ctx, format!("step: {why}")),
            None => {}
        }
    }

    fn fail(&self, ctx: &Context<Self>, why: String) {
        ctx.props().tell.emit(Told::Error(why));
    }

    fn obey(&mut self, ctx: &Context<Self>, order: Order) {
        self.player.stop();
        match order {
            Order::Next => self.send(ctx, Msg::Command(app::Command::StepForward)),
            Order::Back => self.send(ctx, Msg::Command(app::Command::StepBack)),
            Order::Seek(step) => self.seek(ctx, &step),
            Order::Options(options) => {
                let same = |a: &Options, b: &Options| {
                    (&a.lesson, &a.recording, &a.script, &a.pg) == (&b.lesson, &b.recording, &b.script, &b.pg)
                };
                let is_same = same(&self.options, &options);
                self.options = *options;
                if is_same {
                    self.go_to_options(ctx);
                } else {
                    self.told = None;
                    self.read(ctx);
                }
            }
        }
    }

    /// Sends a message to the model, performs what it asks for, and stays within the range.
    fn send(&mut self, ctx: &Context<Self>, msg: Msg) {
        let first = match &msg {
            Msg::Command(app::Command::Back) => self.playground.so_far(),
            Msg::Run(text) => self.playground.before(text).into_iter().collect(),
            _ => Vec::new(),
        };
        for first in first {
            self.send(ctx, first);
        }
        for effect in app::update(&mut self.model, msg) {
            match effect {
                Effect::Run(request) => {
                    let request = self.playground.begin(request);
                    answer(ctx, simulator::parts(), |parts| Incoming::Simulator(request, parts));
                }
                Effect::StopRun => self.playground.running = None,
                // what needs a server, files or the program's end has no place in somebody else's page
                _ => {}
            }
        }
        if let (Some(range), Some(timeline)) = (&self.range, &self.model.timeline) {
            let within = timeline.current().clamp(*range.start(), *range.end());
            if within != timeline.current() {
                app::update(&mut self.model, Msg::Seek(within));
            }
        }
        self.view = Rc::new(app::view(&self.model));
    }

    fn posted(&mut self, ctx: &Context<Self>, number: u32, posted: &JsValue) {
        let beside = self.view.versus.is_some();
        for msg in self.playground.take_in(number, posted, beside) {
            self.ready |= matches!(&msg, Msg::RunReport { report, .. } if report.has_steps());
            self.send(ctx, msg);
        }
        let there = self.playground.go_there(&self.model);
        let arrived = !there.is_empty();
        there.into_iter().for_each(|msg| self.send(ctx, msg));
        if arrived {
            self.go_to_options(ctx);
        }
    }

    fn play(&mut self, ctx: &Context<Self>) {
        let (round, pace) = self.player.begin();
        answer(ctx, sleep(pace), move |()| Incoming::Tick(round));
    }

    fn tick(&mut self, ctx: &Context<Self>, round: u32) {
        let Some(pace) = self.player.goes_on(round) else { return };
        let before = self.view.timeline.current;
        self.send(ctx, Msg::Command(app::Command::StepForward));
        if self.view.timeline.current == before {
            self.player.stop();
        } else {
            answer(ctx, sleep(pace), move |()| Incoming::Tick(round));
        }
    }

    /// A key that means something is used up, so that the host's page does not turn; any other goes on to it.
    fn key(&mut self, ctx: &Context<Self>, event: &KeyboardEvent) -> bool {
        let key = event.key();
        if window::belongs_elsewhere(event) || self.options.controls() == Controls::None {
            return false;
        }
        let tab = key.chars().next().filter(|_| key.len() == 1).and_then(ViewName::of_digit);
        let msg = tab.map(Msg::Show).or_else(|| keymap::command(&key).map(Msg::Command));
        let Some(msg) = msg else { return false };
        event.prevent_default();
        event.stop_propagation();
        self.player.stop();
        self.send(ctx, msg);
        true
    }
}

/// `hot-update` is a lesson; with a folder before it, it is a recording of the library.
fn lesson_name(name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("{}/{name}", app::LESSONS) }
}

fn find(timeline: &Timeline, step: &str) -> Result<usize, String> {
    step.parse::<StepName>()?.find(timeline)
}

/// Sends what the future gives.
fn answer<T>(
    ctx: &Context<Demo>,
    future: impl Future<Output = T> + 'static,
    take: impl FnOnce(T) -> Incoming + 'static,
) {
    let link = ctx.link().clone();
    wasm_bindgen_futures::spawn_local(async move { link.send_message(take(future.await)) });
}
