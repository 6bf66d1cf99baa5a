//! The program in a page: keeps the model, performs its effects, passes on keys, dropped files and the address.

use crate::address::Address;
use crate::examples::EXAMPLES;
use crate::library::{self, Failure};
use crate::link::Link;
use crate::player::Player;
use crate::playground::Playground;
use crate::rest::{self, Rest};
use crate::share::{self, Share};
use crate::simulator::{self, Parts};
use crate::view::{Face, editor};
use crate::window::{self, Listener, Scheme};
use crate::{keymap, server};
use ffviz_story::app::{
    self, Command, Effect, LESSONS, LibraryEntry, Model, Msg, Overlay, RunReport, RunRequest, Source, View, ViewName,
};
use ffviz_story::recording;
use ffviz_story::scene::{Scene, StepName, Verdict, address};
use ffviz_story::timeline::Timeline;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DragEvent, File, HtmlInputElement, KeyboardEvent};
use yew::platform::time::sleep;
use yew::prelude::*;

/// How long the address waits for a step: to change it takes a browser as long as to draw one, and it is to be done
/// seldom.
const KEEPING: Duration = Duration::from_millis(100);

/// What the page takes in besides the model's messages.
#[expect(clippy::large_enum_variant, reason = "nearly all are the model's, and there is one at a time")]
pub enum Incoming {
    /// for the model
    Msg(Msg),
    /// the library was read
    Library(Result<Vec<LibraryEntry>, Failure>),
    /// a recording's file was read
    File(ReadFile),
    /// the rest of the program is there, or cannot be had
    Rest(Result<(), Failure>),
    /// the reader gave a file
    Given(File),
    /// a key was pressed
    Key(KeyboardEvent),
    /// the address changed
    Address,
    /// it is time to say in the address where we are
    KeepAddress,
    /// the window changed its size
    Resized,
    /// light, dark, or as the system says
    NextScheme,
    /// a link was read, or the playground is to be opened with a script
    Link(Result<Link, Failure>),
    /// the playground is to be opened with what is at hand
    Write,
    /// what a link to here holds was packed
    Packed(Option<String>),
    /// the simulator was fetched for a request, or cannot be had
    Simulator(RunRequest, Result<Parts, Failure>),
    /// the worker of a run posted something
    Posted(u32, JsValue),
    /// the server of the next run is another
    Server(simulator::Server),
    /// something is to be copied
    Share(Share),
    /// something was done: a sentence
    Done(String),
    /// play, or stop playing
    Play,
    /// play at another pace
    Pace,
    /// time for the next step of that round
    Tick(u32),
}

impl Incoming {
    /// What the reader does may lead anywhere in the program; only what is typed into the library's filter does not.
    fn needs_rest(&self) -> bool {
        match self {
            Self::Msg(msg) => !matches!(msg, Msg::Filter(_)),
            Self::Key(_) | Self::Address | Self::Link(_) | Self::Write => true,
            _ => false,
        }
    }
}

/// A recording's file, as far as it could be read.
pub struct ReadFile {
    name: String,
    bytes: Result<Vec<u8>, Failure>,
    /// the step to go to, or the number of a state
    step: String,
}

/// What is to be in sight: when it changes, the page is scrolled there.
#[derive(PartialEq)]
struct Seen {
    selected: Option<String>,
    overlay: bool,
    /// a question: how was it answered?
    asked: Option<Option<Verdict>>,
    /// the section of a lesson
    section: Option<String>,
}

/// The program.
pub struct App {
    /// nothing before the library is there
    model: Option<Model>,
    /// the address led to a recording, which is still on its way: until it is there, nothing else is shown
    awaited: bool,
    /// what cannot be opened yet: it came before the library, or before the rest of the program
    early: Option<ReadFile>,
    rest: Rest,
    /// what the reader did before the rest was there
    held: Vec<Incoming>,
    view: Option<Rc<View>>,
    narrow: bool,
    scheme: Scheme,
    input: NodeRef,
    /// what was last brought into sight
    seen: Option<Seen>,
    /// the address as we last wrote it
    kept: Option<Address>,
    /// what the link in the address holds, and the script that it was written for last
    linked: Option<Link>,
    written: Option<String>,
    /// it is going to be written
    keeping: bool,
    playground: Playground,
    player: Player,
    _listeners: Vec<Listener>,
}

impl Component for App {
    type Message = Incoming;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        answer(ctx, library::index(), Incoming::Library);
        let wanted = window::address();
        let awaited = matches!(wanted, Some(Address::Recording { .. } | Address::Script(_)));
        let scheme = Scheme::kept();
        scheme.apply();
        let mut app = Self {
            model: None,
            awaited,
            early: None,
            rest: Rest::Absent,
            held: Vec::new(),
            view: None,
            narrow: window::is_narrow(),
            scheme,
            input: NodeRef::default(),
            seen: None,
            kept: None,
            linked: None,
            written: None,
            keeping: false,
            playground: Playground::default(),
            player: Player::default(),
            _listeners: listeners(ctx),
        };
        if let Some(wanted) = wanted {
            if !matches!(&wanted, Address::Recording { name, step } if is_beginning(name, step)) {
                // both files are on their way at the same time
                app.complete(ctx);
            }
            lead(ctx, wanted);
        }
        app
    }

    fn update(&mut self, ctx: &Context<Self>, incoming: Incoming) -> bool {
        if self.rest != Rest::Here && incoming.needs_rest() {
            self.hold(incoming);
            return false;
        }
        match incoming {
            Incoming::Msg(msg) => {
                self.player.stop();
                window::close_menu();
                self.send(ctx, msg);
            }
            Incoming::Library(library) => self.start(ctx, library),
            Incoming::Rest(result) => self.completed(ctx, result),
            Incoming::File(file) if !self.can_open(&file) => {
                self.early = Some(file);
                self.complete(ctx);
            }
            Incoming::File(file) => self.opened(ctx, file),
            Incoming::Given(file) => {
                let name = file.name();
                let take = |bytes| Incoming::File(ReadFile { name, bytes, step: String::new() });
                answer(ctx, async move { library::file(&file).await }, take);
                return false;
            }
            Incoming::Key(event) => return self.key(ctx, &event),
            Incoming::Address => self.go_to_address(ctx),
            Incoming::KeepAddress => {
                self.keep_address(ctx);
                return false;
            }
            Incoming::Packed(link) => {
                self.keep(link.map(Address::Script));
                return false;
            }
            Incoming::Resized => {
                let narrow = window::is_narrow();
                return std::mem::replace(&mut self.narrow, narrow) != narrow;
            }
            Incoming::NextScheme => {
                self.scheme = self.scheme.next();
                self.scheme.apply();
            }
            Incoming::Link(link) => self.write(ctx, link),
            Incoming::Write => self.write(ctx, Ok(self.to_write())),
            Incoming::Simulator(request, parts) => self.run(ctx, &request, parts),
            Incoming::Posted(number, posted) => self.posted(ctx, number, &posted),
            Incoming::Server(server) => self.playground.server = server,
            Incoming::Share(what) => {
                window::close_menu();
                let headline = self.view.as_ref().map_or("", |view| &view.timeline.headline);
                let embed = self.model.as_ref().and_then(|model| share::embed(model, self.link().as_ref(), headline));
                answer(ctx, share::copy(what, embed), Incoming::Done);
                return false;
            }
            Incoming::Done(what) => self.send(ctx, Msg::Done(what)),
            Incoming::Play if self.player.is_on() => self.player.stop(),
            Incoming::Play => {
                let (round, pace) = self.player.begin();
                answer(ctx, sleep(pace), move |()| Incoming::Tick(round));
            }
            Incoming::Pace => self.player.change_pace(),
            Incoming::Tick(round) => self.tick(ctx, round),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let Some(view) = self.view.as_ref().filter(|_| !self.awaited) else { return Html::default() };
        let given = ctx.link().batch_callback(|event: Event| {
            let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
            let file = input.files()?.get(0)?;
            // so that the same file can be chosen again
            input.set_value("");
            Some(Incoming::Given(file))
        });
        let input = self.input.clone();
        let choose = Callback::from(move |_: MouseEvent| choose_file(&input));
        let tools = html! {
                    <>
                        <button type="button" title="write SQL, and run it here (E)" onclick={ctx.link().callback(|_| Incoming::Write)}>{ "SQL" }</button>
        if view.timeline.count > 0 { { share::menu(&ctx.link().callback(Incoming::Share), &view.timeline.headline) } }
                        <input type="file" id="file" accept=".ffrec,.gz" hidden=true ref={self.input.clone()} onchange={given} />
                        <button type="button" title="open a file (o)" aria-label="open a file" onclick={choose}>
                            <span aria-hidden="true">{ "⇪" }</span><span class="word">{ " open" }</span>
                        </button>
                        <button type="button" title={format!("colours: {} (t)", self.scheme.word())} aria-label="colours, light or dark"
                            onclick={ctx.link().callback(|_| Incoming::NextScheme)}>
                            <span aria-hidden="true">{ self.scheme.sign() }</span><span class="word">{ " colours" }</span>
                        </button>
                    </>
                };
        let (choose_server, example) =
            (ctx.link().callback(Incoming::Server), ctx.link().callback(|link| Incoming::Link(Ok(link))));
        let server = match view.script {
            Some(_) => {
                server::draw(&self.playground.server, self.playground.verdict.as_ref(), &choose_server, &example)
            }
            None => Html::default(),
        };
        let player =
            self.player.buttons(ctx.link().callback(|_| Incoming::Play), ctx.link().callback(|_| Incoming::Pace));
        let send = ctx.link().callback(Incoming::Msg);
        html! { <Face view={view.clone()} {send} narrow={self.narrow} {tools} {server} {player} /> }
    }

    fn rendered(&mut self, ctx: &Context<Self>, _: bool) {
        let Some(view) = self.view.clone().filter(|_| !self.awaited) else { return };
        self.complete(ctx);
        window::set_title(&view.title);
        window::set_open(!matches!(view.scene, Scene::List(_)) || view.timeline.count > 0);
        let question = view.narration.as_ref().and_then(|narration| narration.question.as_ref());
        let asked = question.filter(|question| question.in_sight).map(|question| question.verdict);
        let section = view.narration.as_ref().map(|narration| narration.place.clone());
        let selected = view.selected.map(|part| part.to_string());
        let now = Seen { selected, overlay: view.overlay.is_some(), asked, section };
        if self.seen.as_ref() != Some(&now) {
            let closed = self.seen.as_ref().is_some_and(|seen| seen.overlay) && !now.overlay;
            if now.overlay {
                let is_script = matches!(view.overlay, Some(Overlay::Editor(_)));
                window::focus(if is_script { editor::PLACE } else { "dialog" });
            } else if closed {
                window::focus("figure");
            }
            // a page that was just opened is read from its beginning
            if self.seen.is_some() {
                window::show(window::SELECTION);
            }
            if self.seen.as_ref().is_some_and(|seen| seen.section != now.section) {
                window::read_from_the_top();
            }
            if asked.is_some() {
                window::show(window::QUESTION);
            }
            self.seen = Some(now);
        }
        if !self.keeping && self.has_moved() {
            self.keeping = true;
            answer(ctx, sleep(KEEPING), |()| Incoming::KeepAddress);
        }
    }
}

impl App {
    fn start(&mut self, ctx: &Context<Self>, library: Result<Vec<LibraryEntry>, Failure>) {
        let (library, failure) = library.map_or_else(|failure| (Vec::new(), Some(failure)), |all| (all, None));
        self.model = Some(Model::new(library));
        self.refresh();
        if let Some(failure) = failure {
            self.send(ctx, Msg::Failed(failure));
        }
        self.go_on(ctx);
    }

    /// Does what waited for the library, or for the rest of the program.
    fn go_on(&mut self, ctx: &Context<Self>) {
        self.open_early(ctx);
        if self.model.is_some() && self.rest == Rest::Here {
            for incoming in std::mem::take(&mut self.held) {
                Component::update(self, ctx, incoming);
            }
        }
    }

    /// Opens what came too early, if it no longer is.
    fn open_early(&mut self, ctx: &Context<Self>) {
        match self.early.take() {
            Some(file) if self.can_open(&file) => self.opened(ctx, file),
            early => self.early = early,
        }
    }

    fn can_open(&self, file: &ReadFile) -> bool {
        self.model.is_some() && (is_beginning(&file.name, &file.step) || self.rest == Rest::Here)
    }

    /// Keeps what waits for the rest of the program. What is typed after the key of the filter is for the filter, which
    /// is there already.
    fn hold(&mut self, incoming: Incoming) {
        if let Incoming::Key(event) = &incoming
            && keymap::command(&event.key()) == Some(Command::Filter)
        {
            event.prevent_default();
            window::focus("filter");
        }
        self.held.push(incoming);
    }

    /// Asks for the rest of the program, once.
    fn complete(&mut self, ctx: &Context<Self>) {
        if self.rest == Rest::Absent {
            self.rest = Rest::Awaited;
            answer(ctx, rest::fetch(), Incoming::Rest);
        }
    }

    /// Does what waited for the rest of the program.
    fn completed(&mut self, ctx: &Context<Self>, result: Result<(), Failure>) {
        match result {
            Ok(()) => {
                self.rest = Rest::Here;
                self.go_on(ctx);
                window::set_complete();
            }
            Err(failure) => {
                self.awaited = false;
                self.send(ctx, Msg::Failed(failure));
            }
        }
    }

    /// Sends a message to the model and performs what it asks for.
    fn send(&mut self, ctx: &Context<Self>, msg: Msg) {
        let first = match &msg {
            // the steps that have arrived stay when a run is stopped
            Msg::Command(Command::Back) => self.playground.so_far(),
            Msg::Run(text) => self.playground.before(text).into_iter().collect(),
            _ => Vec::new(),
        };
        for first in first {
            self.send(ctx, first);
        }
        let Some(model) = &mut self.model else { return };
        let effects = app::update(model, msg);
        for effect in effects {
            self.perform(ctx, effect);
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        self.view = self.model.as_ref().map(|model| Rc::new(app::view(model)));
    }

    fn perform(&mut self, ctx: &Context<Self>, effect: Effect) {
        match effect {
            Effect::OpenEntry(n) => {
                let entry = self.model.as_ref().and_then(|model| model.library.get(n));
                if let Some(entry) = entry {
                    open(ctx, entry.name.clone(), "0".to_owned());
                }
            }
            Effect::Quit => self.send(ctx, Msg::Show(ViewName::List)),
            Effect::Run(request) => {
                let request = self.playground.begin(request);
                answer(ctx, simulator::parts(), |parts| Incoming::Simulator(request, parts));
            }
            Effect::StopRun => self.playground.running = None,
            Effect::ListTables
            | Effect::Capture { .. }
            | Effect::ReadPages { .. }
            | Effect::Watch(_)
            | Effect::Save => {
                self.send(ctx, Msg::Failed("there is no server: this is a recording".to_owned()));
            }
        }
    }

    fn opened(&mut self, ctx: &Context<Self>, file: ReadFile) {
        self.awaited = false;
        let ReadFile { name, bytes, step } = file;
        match bytes.map(recording::read) {
            Ok(recording::Recording { timeline: Some(timeline), lesson, lost, .. }) => {
                let state = state_of(&timeline, &step);
                self.send(
                    ctx,
                    match lesson {
                        Some(lesson) => Msg::Lesson { name, lesson, timeline },
                        None => Msg::Opened { name, timeline, lost },
                    },
                );
                match state {
                    Ok(state) => self.send(ctx, Msg::Seek(state)),
                    Err(why) => self.send(ctx, Msg::Failed(why)),
                }
            }
            Ok(recording) => {
                let why = recording.lost.into_iter().next().unwrap_or_default();
                self.send(ctx, Msg::Failed(format!("{name} is no recording. {why}")));
            }
            Err(failure) => self.send(ctx, Msg::Failed(failure)),
        }
    }

    /// What the playground opens with: the script of the lesson that is open, at the same step, else an example.
    fn to_write(&self) -> Link {
        let at_hand = self.model.as_ref().and_then(|model| Some((model.lesson()?, model.timeline.as_ref()?)));
        at_hand.map_or_else(first_example, |(lesson, timeline)| Link {
            sql: lesson.script(),
            step: address(timeline, timeline.current()).unwrap_or_default(),
            ..Link::default()
        })
    }

    /// Opens the playground with what a link holds, and runs it.
    fn write(&mut self, ctx: &Context<Self>, link: Result<Link, Failure>) {
        self.awaited = false;
        let (link, failure) = match link {
            Ok(link) => (link, None),
            Err(failure) => (first_example(), Some(failure)),
        };
        let text = link.sql.clone();
        let open = self.playground.open(link);
        self.send(ctx, open);
        match failure {
            Some(failure) => self.send(ctx, Msg::Failed(failure)),
            None => self.send(ctx, Msg::Run(text)),
        }
    }

    /// Starts a run whose simulator is there.
    fn run(&mut self, ctx: &Context<Self>, request: &RunRequest, parts: Result<Parts, Failure>) {
        let number = request.number;
        let tell = ctx.link().callback(move |posted| Incoming::Posted(number, posted));
        if let Some(failed) = self.playground.start(request, parts, tell) {
            self.send(ctx, failed);
        }
    }

    /// Takes in what the worker of a run posted.
    fn posted(&mut self, ctx: &Context<Self>, number: u32, posted: &JsValue) {
        let beside = self.view.as_ref().is_some_and(|view| view.versus.is_some());
        let messages = self.playground.take_in(number, posted, beside);
        let has_run = messages.iter().any(|msg| matches!(msg, Msg::RunReport { report: RunReport::Ran(..), .. }));
        messages.into_iter().for_each(|msg| self.send(ctx, msg));
        if has_run {
            // who has run a script wants to step through it next; arrow keys are the editor's while it has the focus
            window::focus("figure");
        }
        let there = self.model.as_ref().map(|model| self.playground.go_there(model)).unwrap_or_default();
        there.into_iter().for_each(|msg| self.send(ctx, msg));
    }

    /// Where we are, as an address; a file of the reader's has none, and a script one that takes time to make.
    fn address(&self) -> Option<Address> {
        let model = self.model.as_ref().filter(|model| model.place.view != ViewName::List)?;
        let (Source::Recording(name) | Source::Lesson(name, _), Some(timeline)) = (&model.source, &model.timeline)
        else {
            return None;
        };
        let here = timeline.current();
        let step = address(timeline, here).unwrap_or_else(|| here.to_string());
        let shipped = model.library.iter().any(|entry| entry.name == *name);
        shipped.then(|| Address::Recording { name: name.clone(), step })
    }

    /// The next step of a round of playing; the last one ends it.
    fn tick(&mut self, ctx: &Context<Self>, round: u32) {
        let Some(pace) = self.player.goes_on(round) else { return };
        let current = |app: &Self| app.view.as_ref().map(|view| view.timeline.current);
        let before = current(self);
        self.send(ctx, Msg::Command(Command::StepForward));
        if current(self) == before {
            self.player.stop();
        } else {
            answer(ctx, sleep(pace), move |()| Incoming::Tick(round));
        }
    }

    fn link(&self) -> Option<Link> {
        let text = &self.view.as_ref()?.script.as_ref()?.text;
        self.playground.link(self.model.as_ref()?, text)
    }

    /// Are we elsewhere than the address says?
    fn has_moved(&self) -> bool {
        match self.link() {
            Some(link) => self.linked.as_ref() != Some(&link),
            None => self.address() != self.kept,
        }
    }

    fn keep_address(&mut self, ctx: &Context<Self>) {
        self.linked = self.link();
        match self.linked.clone() {
            Some(link) => answer(ctx, async move { link.write().await.ok() }, Incoming::Packed),
            None => self.keep(self.address()),
        }
    }

    /// Writes the address.
    fn keep(&mut self, here: Option<Address>) {
        self.keeping = false;
        let script = self.linked.as_ref().map(|link| link.sql.clone());
        let name = |address: &Option<Address>| match address {
            Some(Address::Recording { name, .. }) => Some(name.clone()),
            _ => None,
        };
        let opened = name(&here) != name(&self.kept) || script != self.written;
        window::keep_address(here.as_ref(), opened);
        (self.kept, self.written) = (here, script);
    }

    fn go_to_address(&mut self, ctx: &Context<Self>) {
        match (window::address(), self.kept.clone()) {
            (wanted, here) if wanted == here => {}
            (Some(Address::Recording { name, step }), Some(Address::Recording { name: here, .. })) if name == here => {
                let timeline = self.model.as_ref().and_then(|model| model.timeline.as_ref());
                match timeline.map(|timeline| state_of(timeline, &step)) {
                    Some(Ok(state)) => self.send(ctx, Msg::Seek(state)),
                    Some(Err(why)) => self.send(ctx, Msg::Failed(why)),
                    None => {}
                }
            }
            (Some(wanted), _) => {
                self.kept = Some(wanted.clone());
                lead(ctx, wanted);
            }
            (None, _) => self.send(ctx, Msg::Show(ViewName::List)),
        }
    }

    /// A key that means something is used up; any other goes on to the browser.
    fn key(&mut self, ctx: &Context<Self>, event: &KeyboardEvent) -> bool {
        let Some(view) = self.view.clone() else { return false };
        let key = event.key();
        if key == "Escape" && window::close_menu() {
            return false;
        }
        // a key that stands for one character; the others have names
        let sign = key.chars().next().filter(|sign| key.len() == sign.len_utf8());
        let asked = view.narration.as_ref().and_then(|narration| narration.question.as_ref());
        let answer = sign.filter(|_| view.overlay.is_none()).and_then(|letter| asked?.answer(letter));
        let tab = sign.and_then(ViewName::of_digit);
        let msg = match key.as_str() {
            "t" => Incoming::NextScheme,
            "E" => Incoming::Write,
            "o" => {
                choose_file(&self.input);
                return false;
            }
            _ => match (answer, tab, keymap::command(&key)) {
                (Some(answer), ..) => Incoming::Msg(Msg::Choose(answer)),
                (None, Some(tab), _) => Incoming::Msg(Msg::Show(tab)),
                (None, None, Some(command)) => Incoming::Msg(Msg::Command(command)),
                (None, None, None) => return false,
            },
        };
        let filters = matches!(msg, Incoming::Msg(Msg::Command(Command::Filter)));
        event.prevent_default();
        event.stop_propagation();
        Component::update(self, ctx, msg);
        if filters {
            window::focus("filter");
        }
        true
    }
}

/// A lesson's first picture needs the first part of the program only.
fn is_beginning(name: &str, step: &str) -> bool {
    name.split('/').next() == Some(LESSONS) && step == "0"
}

/// What the playground opens with.
fn first_example() -> Link {
    Link { sql: EXAMPLES[0].sql.to_owned(), ..Link::default() }
}

/// The state that a step's address names; the first, where it names none.
fn state_of(timeline: &Timeline, step: &str) -> Result<usize, String> {
    if step.is_empty() { Ok(0) } else { step.parse::<StepName>()?.find(timeline) }
}

/// Opens what an address leads to.
fn lead(ctx: &Context<App>, address: Address) {
    match address {
        Address::Recording { name, step } => open(ctx, name, step),
        Address::Write => ctx.link().send_message(Incoming::Link(Ok(first_example()))),
        Address::Script(link) => answer(ctx, async move { Link::read(&link).await }, Incoming::Link),
    }
}

/// Reads a recording of the library.
fn open(ctx: &Context<App>, name: String, step: String) {
    let wanted = name.clone();
    let take = move |bytes| Incoming::File(ReadFile { name, bytes, step });
    answer(ctx, async move { library::recording(&wanted).await }, take);
}

/// Sends what the future gives.
fn answer<T>(
    ctx: &Context<App>,
    future: impl Future<Output = T> + 'static,
    take: impl FnOnce(T) -> Incoming + 'static,
) {
    let link = ctx.link().clone();
    wasm_bindgen_futures::spawn_local(async move { link.send_message(take(future.await)) });
}

fn choose_file(input: &NodeRef) {
    if let Some(input) = input.cast::<HtmlInputElement>() {
        input.click();
    }
}

fn listeners(ctx: &Context<App>) -> Vec<Listener> {
    let link = ctx.link().clone();
    let keys = Listener::new("keydown", move |event: KeyboardEvent| {
        // told at once: the key may have to wait, and the focus move on
        if !window::belongs_elsewhere(&event) {
            link.send_message(Incoming::Key(event));
        }
    });
    let link = ctx.link().clone();
    let address = Listener::new("hashchange", move |_: Event| link.send_message(Incoming::Address));
    let link = ctx.link().clone();
    let size = Listener::new("resize", move |_: Event| link.send_message(Incoming::Resized));
    let link = ctx.link().clone();
    let over = Listener::new("dragover", |event: DragEvent| event.prevent_default());
    let drop = Listener::new("drop", move |event: DragEvent| {
        event.prevent_default();
        let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            link.send_message(Incoming::Given(file));
        }
    });
    vec![keys, address, size, over, drop]
}
