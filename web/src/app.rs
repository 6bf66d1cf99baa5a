//! The program in a page: keeps the model, performs its effects, passes on keys, dropped files and the address.

use crate::address::Address;
use crate::library::{self, Failure};
use crate::rest::{self, Rest};
use crate::window::{self, Listener, Scheme};
use crate::{keymap, view::Face};
use ffviz_story::app::{self, Command, Effect, LESSONS, LibraryEntry, Model, Msg, Source, View, ViewName};
use ffviz_story::recording;
use ffviz_story::scene::Verdict;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
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
}

impl Incoming {
    /// What the reader does may lead anywhere in the program; only what is typed into the library's filter does not.
    fn needs_rest(&self) -> bool {
        match self {
            Self::Msg(msg) => !matches!(msg, Msg::Filter(_)),
            Self::Key(_) | Self::Address => true,
            _ => false,
        }
    }
}

/// A recording's file, as far as it could be read.
pub struct ReadFile {
    name: String,
    bytes: Result<Vec<u8>, Failure>,
    /// the state to go to
    state: usize,
}

/// What is to be in sight: when it changes, the page is scrolled there.
#[derive(PartialEq)]
struct Seen {
    selected: Option<String>,
    overlay: bool,
    /// a question: how was it answered?
    asked: Option<Option<Verdict>>,
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
    /// it is going to be written
    keeping: bool,
    _listeners: Vec<Listener>,
}

impl Component for App {
    type Message = Incoming;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        answer(ctx, library::index(), Incoming::Library);
        let wanted = window::address();
        let awaited = wanted.is_some();
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
            keeping: false,
            _listeners: listeners(ctx),
        };
        if let Some(Address { recording, state }) = wanted {
            if !is_beginning(&recording, state) {
                // both files are on their way at the same time
                app.complete(ctx);
            }
            open(ctx, recording, state);
        }
        app
    }

    fn update(&mut self, ctx: &Context<Self>, incoming: Incoming) -> bool {
        if self.rest != Rest::Here && incoming.needs_rest() {
            self.hold(incoming);
            return false;
        }
        match incoming {
            Incoming::Msg(msg) => self.send(ctx, msg),
            Incoming::Library(library) => self.start(ctx, library),
            Incoming::Rest(result) => self.completed(ctx, result),
            Incoming::File(file) if !self.can_open(&file) => {
                self.early = Some(file);
                self.complete(ctx);
            }
            Incoming::File(file) => self.opened(ctx, file),
            Incoming::Given(file) => {
                let name = file.name();
                let take = |bytes| Incoming::File(ReadFile { name, bytes, state: 0 });
                answer(ctx, async move { library::file(&file).await }, take);
                return false;
            }
            Incoming::Key(event) => return self.key(ctx, &event),
            Incoming::Address => self.go_to_address(ctx),
            Incoming::KeepAddress => {
                self.kept = self.address();
                self.keeping = false;
                window::keep_address(self.kept.as_ref());
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
                <input type="file" id="file" accept=".ffrec,.gz" hidden=true ref={self.input.clone()} onchange={given} />
                <button type="button" title="open a file (o)" aria-label="open a file" onclick={choose}>{ "⇪" }</button>
                <button type="button" title={format!("colours: {} (t)", self.scheme.word())} aria-label="light or dark"
                    onclick={ctx.link().callback(|_| Incoming::NextScheme)}>{ self.scheme.sign() }</button>
            </>
        };
        html! { <Face view={view.clone()} send={ctx.link().callback(Incoming::Msg)} narrow={self.narrow} {tools} /> }
    }

    fn rendered(&mut self, ctx: &Context<Self>, _: bool) {
        let Some(view) = self.view.clone().filter(|_| !self.awaited) else { return };
        self.complete(ctx);
        window::set_title(&view.title);
        let question = view.narration.as_ref().and_then(|narration| narration.question.as_ref());
        let asked = question.filter(|question| question.in_sight).map(|question| question.verdict);
        let now = Seen { selected: view.selected.map(|part| part.to_string()), overlay: view.overlay.is_some(), asked };
        if self.seen.as_ref() != Some(&now) {
            let closed = self.seen.as_ref().is_some_and(|seen| seen.overlay) && !now.overlay;
            if now.overlay {
                window::focus("dialog");
            } else if closed {
                window::focus("figure");
            }
            window::show(window::SELECTION);
            if asked.is_some() {
                window::show(window::QUESTION);
            }
            self.seen = Some(now);
        }
        if !self.keeping && self.address() != self.kept {
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
        self.open_early(ctx);
    }

    /// Opens what came too early, if it no longer is.
    fn open_early(&mut self, ctx: &Context<Self>) {
        match self.early.take() {
            Some(file) if self.can_open(&file) => self.opened(ctx, file),
            early => self.early = early,
        }
    }

    fn can_open(&self, file: &ReadFile) -> bool {
        self.model.is_some() && (is_beginning(&file.name, file.state) || self.rest == Rest::Here)
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
                self.open_early(ctx);
                for incoming in std::mem::take(&mut self.held) {
                    Component::update(self, ctx, incoming);
                }
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
                    open(ctx, entry.name.clone(), 0);
                }
            }
            Effect::Quit => self.send(ctx, Msg::Show(ViewName::List)),
            Effect::ListTables
            | Effect::Capture { .. }
            | Effect::ReadPages { .. }
            | Effect::Watch(_)
            | Effect::Run(_)
            | Effect::StopRun
            | Effect::Save => {
                self.send(ctx, Msg::Failed("there is no server: this is a recording".to_owned()));
            }
        }
    }

    fn opened(&mut self, ctx: &Context<Self>, file: ReadFile) {
        self.awaited = false;
        let ReadFile { name, bytes, state } = file;
        match bytes.map(recording::read) {
            Ok(recording::Recording { timeline: Some(timeline), lesson: Some(lesson), .. }) => {
                self.send(ctx, Msg::Lesson { name, lesson, timeline });
                self.send(ctx, Msg::Seek(state));
            }
            Ok(recording::Recording { timeline: Some(timeline), lost, .. }) => {
                self.send(ctx, Msg::Opened { name, timeline, lost });
                self.send(ctx, Msg::Seek(state));
            }
            Ok(recording) => {
                let why = recording.lost.into_iter().next().unwrap_or_default();
                self.send(ctx, Msg::Failed(format!("{name} is no recording. {why}")));
            }
            Err(failure) => self.send(ctx, Msg::Failed(failure)),
        }
    }

    /// Where we are, as an address; a file of the reader's has none.
    fn address(&self) -> Option<Address> {
        let model = self.model.as_ref().filter(|model| model.view != ViewName::List)?;
        let (Source::Recording(name), Some(timeline)) = (&model.source, &model.timeline) else { return None };
        let shipped = model.library.iter().any(|entry| entry.name == *name);
        shipped.then(|| Address { recording: name.clone(), state: timeline.current() })
    }

    fn go_to_address(&mut self, ctx: &Context<Self>) {
        match (window::address(), self.address()) {
            (wanted, here) if wanted == here => {}
            (Some(wanted), Some(here)) if wanted.recording == here.recording => {
                self.send(ctx, Msg::Seek(wanted.state));
            }
            (Some(wanted), _) => open(ctx, wanted.recording, wanted.state),
            (None, _) => self.send(ctx, Msg::Show(ViewName::List)),
        }
    }

    /// A key that means something is used up; any other goes on to the browser.
    fn key(&mut self, ctx: &Context<Self>, event: &KeyboardEvent) -> bool {
        let Some(view) = self.view.clone() else { return false };
        let key = event.key();
        // a key that stands for one character; the others have names
        let sign = key.chars().next().filter(|sign| key.len() == sign.len_utf8());
        let asked = view.narration.as_ref().and_then(|narration| narration.question.as_ref());
        let answer = sign.filter(|_| view.overlay.is_none()).and_then(|letter| asked?.answer(letter));
        let tab = sign.and_then(ViewName::of_digit);
        let msg = match key.as_str() {
            "t" => Incoming::NextScheme,
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
fn is_beginning(name: &str, state: usize) -> bool {
    name.split('/').next() == Some(LESSONS) && state == 0
}

/// Reads a recording of the library.
fn open(ctx: &Context<App>, name: String, state: usize) {
    let wanted = name.clone();
    let take = move |bytes| Incoming::File(ReadFile { name, bytes, state });
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
