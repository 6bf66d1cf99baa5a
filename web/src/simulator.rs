//! The simulator's web worker, seen from the page: a run that is asked for, what has arrived of it, and its end.
//!
//! ```text
//!  RunRequest ──▶ worker ──lines of a recording──▶ Arriving ──▶ RunReport
//!                   └─ Stop ends it; what has arrived stays
//! ```

use crate::library::{self, Failure};
use crate::real::{PGLITE, Real, SETTINGS};
use ffviz_story::app::{Problem, RunReport, RunRequest};
use ffviz_story::recording;
use ffviz_story::timeline::Run;
use js_sys::{Array, Object, Reflect, Uint8Array, WebAssembly};
use std::cell::RefCell;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, MessageEvent, Url, Worker, WorkerOptions, WorkerType};
use yew::Callback;

/// The worker's script and its module, beside the page.
const SCRIPT: &str = "ffviz_worker.js";
const MODULE: &str = "ffviz_simulator.wasm";
/// The worker of PostgreSQL in the page, where that is shipped.
const PGLITE_WORKER: &str = "pglite/worker.js";

/// What a worker is made of.
#[derive(Clone)]
pub struct Parts {
    /// the compiled module
    module: JsValue,
    /// the worker's script, where it is no file of its own
    script: Option<String>,
}

thread_local! {
    /// what was fetched and compiled, once somebody asked for it: every run has a worker of its own
    static PARTS: RefCell<Option<Parts>> = const { RefCell::new(None) };
}

/// The simulated server, and a second one that the same script runs on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Server {
    /// `18`, `18.4`; empty for the newest
    pub version: String,
    /// `name=value` each
    pub settings: Vec<String>,
    /// what the second one has otherwise, `name=value` each; empty where there is none
    pub versus: Vec<String>,
}

impl Server {
    /// What the second run is called.
    #[must_use]
    pub fn other(&self) -> Option<String> {
        (!self.versus.is_empty()).then(|| self.versus.join(" "))
    }

    /// What each run begins with, as the worker takes it.
    fn ways(&self) -> Array {
        let way = |version: &str, settings: &[&String]| {
            let settings: Array = settings.iter().map(|setting| JsValue::from_str(setting)).collect();
            object(&[("version", version.into()), ("settings", settings.into())])
        };
        let own: Vec<&String> = self.settings.iter().collect();
        let ways = Array::of1(&way(&self.version, &own));
        if !self.versus.is_empty() {
            let version = self.versus.iter().rev().find_map(|setting| setting.strip_prefix("pg="));
            let others = self.versus.iter().filter(|setting| !setting.starts_with("pg="));
            let settings: Vec<&String> = own.into_iter().chain(others).collect();
            ways.push(&way(version.unwrap_or(&self.version), &settings));
        }
        ways
    }
}

/// A run that goes on.
pub struct Running {
    /// the request's number
    pub number: u32,
    text: String,
    /// how many ways there are
    ways: usize,
    arriving: [Arriving; 2],
    /// where it runs on a real PostgreSQL
    real: Option<Real>,
    /// what that is compared with, once it has ended: the simulator's parts
    judge: Option<Parts>,
    is_judged: bool,
    /// of a run on a real PostgreSQL: what is equal to the simulator's
    pub verdict: Option<String>,
    /// hears what the workers post
    tell: Callback<JsValue>,
    worker: Option<Worker>,
    /// kept so that the browser can call it
    _heard: Option<Closure<dyn FnMut(MessageEvent)>>,
}

/// What has arrived of one way.
#[derive(Default)]
struct Arriving {
    lines: Vec<u8>,
    ends: Vec<usize>,
    /// bytes that the timeline was made of last
    shown: usize,
}

impl Running {
    /// A run that is asked for; its worker is still to come.
    #[must_use]
    pub fn new(request: &RunRequest, server: &Server) -> Self {
        let ways = 1 + usize::from(!server.versus.is_empty());
        let (text, number) = (request.text.clone(), request.number);
        let real = (server.version == PGLITE).then(Real::default);
        let (arriving, tell) = ([Arriving::default(), Arriving::default()], Callback::noop());
        let (judge, is_judged, verdict) = (None, false, None);
        Self { number, text, ways, arriving, real, judge, is_judged, verdict, tell, worker: None, _heard: None }
    }

    /// Starts the worker; `tell` hears what it posts.
    ///
    /// # Errors
    /// When the browser has no workers, or its policy forbids them.
    pub fn start(
        &mut self,
        parts: &Parts,
        request: &RunRequest,
        server: &Server,
        tell: Callback<JsValue>,
    ) -> Result<(), Failure> {
        self.tell = tell;
        self.judge = self.real.is_some().then(|| parts.clone());
        let anyway = JsValue::from_bool(request.anyway);
        let text = JsValue::from_str(&request.text);
        let how = match self.real {
            Some(_) => ("split", JsValue::TRUE),
            None => ("ways", server.ways().into()),
        };
        let message = object(&[("module", parts.module.clone()), ("text", text), ("anyway", anyway), how]);
        self.ask(worker(parts.script.as_deref()), &message).map_err(|error| library::sentence(SCRIPT, &error))
    }

    /// A worker is to do this, in place of one that is done.
    fn ask(&mut self, worker: Result<Worker, JsValue>, message: &JsValue) -> Result<(), JsValue> {
        let (worker, tell) = (worker?, self.tell.clone());
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| tell.emit(event.data()));
        worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        let tell = self.tell.clone();
        // what is not there, or not allowed, is told so
        let failed = Closure::<dyn FnMut(JsValue)>::new(move |_: JsValue| {
            tell.emit(object(&[("failed", "it cannot be started in this page".into())]));
        });
        worker.set_onerror(Some(failed.into_js_value().unchecked_ref()));
        worker.post_message(message)?;
        if let Some(done) = self.worker.replace(worker) {
            done.terminate();
        }
        self._heard = Some(heard);
        Ok(())
    }

    /// Takes in what a real PostgreSQL posted.
    fn take_in_real(&mut self, posted: &JsValue) -> Vec<RunReport> {
        let field = |name: &str| Reflect::get(posted, &name.into()).unwrap_or_default();
        let Some(real) = &mut self.real else { return Vec::new() };
        if field("statements").is_object() {
            let statements = real.split(&field("statements"));
            let options = WorkerOptions::new();
            options.set_type(WorkerType::Module);
            let worker = Worker::new_with_options(&library::address(PGLITE_WORKER), &options);
            let asked = self.ask(worker, &object(&[("statements", statements.into())]));
            return asked
                .err()
                .map(|error| RunReport::BrokeOff(library::sentence(PGLITE_WORKER, &error)))
                .into_iter()
                .collect();
        }
        if field("end").is_truthy() {
            return self.judge();
        }
        real.take_in(posted);
        let (done, of) = real.progress();
        vec![RunReport::Running(done, of)]
    }

    /// The simulator is to do the same as the real PostgreSQL did.
    fn judge(&mut self) -> Vec<RunReport> {
        let (Some(real), Some(parts)) = (&self.real, &self.judge) else { return Vec::new() };
        let (text, version) = real.annotated();
        let settings: Array = SETTINGS.iter().map(|setting| JsValue::from_str(setting)).collect();
        let way = object(&[("version", version.into()), ("settings", settings.into()), ("whole", JsValue::TRUE)]);
        let message = object(&[
            ("module", parts.module.clone()),
            ("text", text.into()),
            ("anyway", JsValue::TRUE),
            ("ways", Array::of1(&way).into()),
        ]);
        self.is_judged = true;
        let asked = self.ask(worker(parts.script.as_deref()), &message);
        match asked {
            Ok(()) => Vec::new(),
            Err(_) => self.judged(None),
        }
    }

    /// The run on the real PostgreSQL is done, and with it what the simulator makes of it, if it could.
    fn judged(&mut self, simulated: Option<Run>) -> Vec<RunReport> {
        let Some(real) = &self.real else { return Vec::new() };
        self.verdict = Some(match simulated {
            Some(run) => real.verdict(&run),
            None => "Not compared with the simulator: it did not run the script.".to_owned(),
        });
        real.run(&self.text).map(|run| RunReport::Ran(Box::new(run), None)).into_iter().collect()
    }

    /// Takes in what the simulator posts of the run that it is to be compared with.
    fn take_in_judge(&mut self, posted: &JsValue) -> Vec<RunReport> {
        let field = |name: &str| Reflect::get(posted, &name.into()).unwrap_or_default();
        if field("failed").is_string() || field("wrong").is_object() {
            return self.judged(None);
        }
        let arriving = &mut self.arriving[0];
        arriving.lines.extend_from_slice(field("lines").as_string().unwrap_or_default().as_bytes());
        if !field("last").is_truthy() {
            return Vec::new();
        }
        let run = arriving.run("");
        self.judged(run)
    }

    /// Takes in what the worker posted; gives what the model is to hear, in order.
    pub fn take_in(&mut self, posted: &JsValue) -> Vec<RunReport> {
        let field = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or_default();
        let number = |object: &JsValue, name: &str| field(object, name).as_f64().map(|number| number as usize);
        if self.is_judged {
            return self.take_in_judge(posted);
        }
        if let Some(why) = field(posted, "failed").as_string() {
            let mut reports = self.so_far();
            reports.push(RunReport::BrokeOff(format!("The run broke off: {why}. The steps up to there are kept.")));
            return reports;
        }
        let wrong = field(posted, "wrong");
        if wrong.is_object() {
            return vec![RunReport::Wrong(Problem {
                line: number(&wrong, "line").unwrap_or(1),
                column: number(&wrong, "column"),
                sentence: field(&wrong, "sentence").as_string().unwrap_or_default(),
                runs: field(&wrong, "runs").is_truthy(),
                is_valid: field(&wrong, "valid").is_truthy(),
            })];
        }
        if self.real.is_some() {
            return self.take_in_real(posted);
        }
        let way = number(posted, "way").unwrap_or(0).min(1);
        let arriving = &mut self.arriving[way];
        arriving.lines.extend_from_slice(field(posted, "lines").as_string().unwrap_or_default().as_bytes());
        arriving.ends =
            Array::from(&field(posted, "ends")).iter().filter_map(|end| Some(end.as_f64()? as usize)).collect();
        let is_last = field(posted, "last").is_truthy();
        if is_last && way + 1 == self.ways {
            let [first, other] = [0, 1].map(|way| self.arriving[way].run(&self.text).map(Box::new));
            return first.map(|first| RunReport::Ran(first, other)).into_iter().collect();
        }
        let (done, of) = (number(posted, "done").unwrap_or(0), number(posted, "of").unwrap_or(0));
        let progress = RunReport::Running(way * of + done, self.ways * of);
        // to read it takes as long as there is of it: only when there is twice as much
        let is_more = way == 0 && self.ways == 1 && arriving.lines.len() >= 2 * arriving.shown;
        let partly = is_more.then(|| arriving.run(&self.text)).flatten().map(|run| RunReport::Partly(Box::new(run)));
        partly.into_iter().chain([progress]).collect()
    }

    /// What has arrived and was not shown yet.
    pub fn so_far(&mut self) -> Vec<RunReport> {
        if let Some(real) = &self.real {
            return real.run(&self.text).map(|run| RunReport::Partly(Box::new(run))).into_iter().collect();
        }
        let first = &mut self.arriving[0];
        let is_new = self.ways == 1 && first.lines.len() > first.shown;
        let run = is_new.then(|| first.run(&self.text)).flatten();
        run.map(|run| RunReport::Partly(Box::new(run))).into_iter().collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(worker) = &self.worker {
            worker.terminate();
        }
    }
}

impl Arriving {
    fn run(&mut self, text: &str) -> Option<Run> {
        self.shown = self.lines.len();
        let timeline = recording::read(&self.lines).timeline?;
        Some(Run::new(text.to_owned(), self.ends.clone(), timeline))
    }
}

/// Fetches and compiles what a worker is made of, once.
///
/// # Errors
/// When it cannot be fetched or compiled: a sentence.
pub async fn parts() -> Result<Parts, Failure> {
    if let Some(parts) = PARTS.with_borrow(Clone::clone) {
        return Ok(parts);
    }
    let bytes = library::shipped(MODULE).await?;
    let compiled = JsFuture::from(WebAssembly::compile(&Uint8Array::from(&bytes[..]))).await;
    let module = compiled.map_err(|error| library::sentence(MODULE, &error))?;
    let script = match library::inside(SCRIPT) {
        Some(_) => Some(String::from_utf8_lossy(&library::shipped(SCRIPT).await?).into_owned()),
        None => None,
    };
    let parts = Parts { module, script };
    PARTS.set(Some(parts.clone()));
    Ok(parts)
}

/// A worker with our script: from its file, or from its text where the page is all in one file.
fn worker(script: Option<&str>) -> Result<Worker, JsValue> {
    let Some(script) = script else { return Worker::new(&library::address(SCRIPT)) };
    let kind = BlobPropertyBag::new();
    kind.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&script.into()), &kind)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    Worker::new(&url)
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // a plain object takes any property
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}
