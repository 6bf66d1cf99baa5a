//! The wasm module of the simulator's web worker: runs a script, and gives its steps as lines of a recording.
//!
//! ```text
//!  page ──script, version, settings──▶ worker ──next, next, …──▶ Playing
//!    ▲                                                             │
//!    └────────────── lines of a recording, as they come ◀──lines───┘
//! ```
//!
//! The viewer knows no simulator and the simulator no page: what goes between them is a recording (`*.ffrec`), the form
//! that captures and lessons come in too. `web/simulator/worker.js` calls this and posts the answers.

mod advice;

use ffviz_simulator::sql::run::{DEFAULT, Mistake, Play, RunOptions, engine, is_storage_parameter, simulated_version};
use ffviz_simulator::sql::script::{Item, Script};
use ffviz_story::recording::Saver;
use js_sys::{Array, JsString, Object, Reflect};
use std::ops::Range;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Room on the simulated disk: with what is kept to look at, a run fits into the memory that the module may have.
const DISK_BLOCKS: u64 = 256 * 1024 * 1024 / 8192;
/// Steps that are kept one by one: what comes after is a step a statement.
const STEPS: usize = 20_000;

/// A script that is being run.
#[wasm_bindgen]
pub struct Playing {
    play: Play,
    saver: Saver,
}

#[wasm_bindgen]
impl Playing {
    /// A script that is not begun yet. `version` is such as `18` or `18.4`, empty for the newest; each of `settings` is
    /// `name=value`, of the server or a storage parameter of tables that have none of their own; `whole`: every step is
    /// kept, as for a comparison.
    ///
    /// # Errors
    /// A sentence: a text that is no script, a version or setting that there is not.
    #[wasm_bindgen(constructor)]
    pub fn new(text: String, version: &str, settings: &Array, whole: bool) -> Result<Playing, JsValue> {
        let kept =
            |options: RunOptions| RunOptions { steps: if whole { usize::MAX } else { options.steps }, ..options };
        let play = options(version, settings).and_then(|options| Play::new(text, &kept(options)));
        Ok(Self { play: play.map_err(|sentence| JsValue::from_str(&sentence))?, saver: Saver::default() })
    }

    /// Runs the next statement or directive; `false` where there is none left.
    #[expect(clippy::should_implement_trait, reason = "called from JavaScript, where it is a method like any other")]
    pub fn next(&mut self) -> bool {
        self.play.next()
    }

    /// Statements and directives that are done.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn done(&self) -> usize {
        self.play.progress().0
    }

    /// Statements and directives that there are.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn of(&self) -> usize {
        self.play.progress().1
    }

    /// Where in the text each of them ends, in bytes.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn ends(&self) -> Vec<u32> {
        self.play.ends().into_iter().map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect()
    }

    /// What happened since this was asked last, as lines of a recording.
    pub fn lines(&mut self) -> String {
        self.saver.more(self.play.timeline(), None)
    }
}

/// The statements and directives of a script, for another engine: objects with `sql` (`null` of a directive, which is
/// for the simulator alone), `label`, and `end`, where in the text it ends, in bytes.
///
/// # Errors
/// A text that is no script, as `mistake` tells it.
#[wasm_bindgen]
pub fn statements(text: &str) -> Result<Array, JsValue> {
    let (script, spans) = Script::parse_with_spans(text).map_err(|_| mistake(text))?;
    let item = |(item, span): (&Item, Range<usize>)| {
        let (sql, label) = match item {
            Item::Statement(statement) => (JsValue::from_str(&statement.sql), statement.sql.clone()),
            Item::Directive { .. } => (JsValue::NULL, text.get(span.clone()).unwrap_or_default().trim().to_owned()),
        };
        object([("sql", sql), ("label", label.into()), ("end", (span.end as u32).into())])
    };
    Ok(script.items.iter().zip(spans).map(item).collect())
}

/// What is wrong with a text: an object with `line`, `column`, `sentence`, `runs` and `valid`; `undefined`, where
/// nothing is.
#[wasm_bindgen]
#[must_use]
pub fn mistake(text: &str) -> JsValue {
    let Some(Mistake { line, column, sentence, runs, is_valid }) = Play::mistake(text) else {
        return JsValue::UNDEFINED;
    };
    let column = column.map_or(JsValue::UNDEFINED, JsValue::from);
    object([
        ("line", line.into()),
        ("column", column),
        ("sentence", sentence.into()),
        ("runs", runs.into()),
        ("valid", is_valid.into()),
    ])
}

fn object<const N: usize>(fields: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // a plain object takes any property
        let _ = Reflect::set(&object, &JsString::from(name), &value);
    }
    object.into()
}

fn options(version: &str, settings: &Array) -> Result<RunOptions, String> {
    let version = if version.is_empty() { DEFAULT } else { simulated_version(version)? };
    let mut options = RunOptions { steps: STEPS, disk_blocks: DISK_BLOCKS, ..RunOptions::new(version) };
    for setting in settings.iter().filter_map(|setting| setting.as_string()) {
        let (name, value) = setting.split_once('=').ok_or("a setting is NAME=VALUE, such as full_page_writes=off")?;
        let pair = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        if pair.0 == "engine" {
            options.engine = engine(&pair.1)?;
            continue;
        }
        if is_storage_parameter(&pair.0) { options.storage.push(pair) } else { options.settings.push(pair) }
    }
    Ok(options)
}
