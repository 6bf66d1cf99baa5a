//! Advice for a table that a page describes, a fillfactor at a time: `ffviz advise` without a server.
//!
//! ```text
//!  sliders ──Advising──▶ next, next, … ──a case each──▶ recommendation
//! ```

use super::object;
use ffviz_simulator::advice::{
    Case, Fact, Observed, Origin, Pattern, Scale, Shape, Updates, hot_on_full_pages, obstacles, recommend, simulate,
};
use ffviz_simulator::experiment::Lab;
use js_sys::Array;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The fillfactors that are compared, with today's.
const FILLFACTORS: [u32; 8] = [100, 95, 90, 85, 80, 70, 60, 50];

/// The name of a table that has none.
const TABLE: &str = "your_table";

/// Rows that sizes are told of.
const ROWS: f64 = 1_000_000.0;

/// A table of which each fillfactor is simulated in turn.
#[wasm_bindgen]
pub struct Advising {
    shape: Shape,
    pattern: Pattern,
    scale: Scale,
    fillfactors: Vec<u32>,
    cases: Vec<Case>,
}

#[wasm_bindgen]
impl Advising {
    /// `width`: bytes of a row's columns; `indexed`: per cent of the updates that change a column of an index;
    /// `rounds`: updates of each row, on average.
    ///
    /// # Errors
    /// A sentence: a row that does not fit.
    #[wasm_bindgen(constructor)]
    pub fn new(
        width: u16,
        indexes: u32,
        indexed: f64,
        rounds: u32,
        fillfactor: u32,
        major: u32,
    ) -> Result<Advising, JsValue> {
        let wrong = |sentence: String| JsValue::from_str(&sentence);
        let mut shape = Shape::of_width(width, indexes, major, ROWS).map_err(wrong)?;
        shape.fillfactor = fillfactor;
        shape.name = TABLE.to_owned();
        for index in &mut shape.indexes {
            let column = index.keys.first().and_then(|key| shape.columns.get(*key));
            index.name = match column {
                Some(column) if !index.is_unique => format!("the index on {}", column.name),
                _ => "the primary key".to_owned(),
            };
        }
        let pattern = Pattern::new(&shape, &Updates::Indexed(indexed / 100.0, Origin::Given)).map_err(wrong)?;
        let scale = Scale { rounds: (f64::from(rounds), Origin::Given), ..Scale::of(&shape, &Observed::default()) };
        let mut fillfactors = FILLFACTORS.to_vec();
        fillfactors.push(fillfactor);
        fillfactors.sort_unstable();
        fillfactors.dedup();
        Ok(Self { shape, pattern, scale, fillfactors, cases: Vec::new() })
    }

    /// Simulates the next fillfactor, the largest first: an object with `fillfactor`, `hot` (a share), `wal` (bytes an
    /// update), `touched` (pages an update), `table` and `indexes` (MB); `undefined` where none is left.
    ///
    /// # Errors
    /// A sentence: what does not fit on the simulated disk.
    pub fn next(&mut self) -> Result<JsValue, JsValue> {
        let Some(fillfactor) = self.fillfactors.pop() else { return Ok(JsValue::UNDEFINED) };
        let mut say = |_: &str| {};
        // nothing is compressed
        let mut lab = Lab::new(Arc::new(AtomicBool::new(false)), &mut say, &|_, block| block.len());
        let case = simulate(&mut lab, &self.shape, &self.pattern, self.scale, fillfactor);
        let case = case.map_err(|sentence| JsValue::from_str(&sentence))?;
        let megabytes = |pages: u32| f64::from(pages) / 128.0 * self.shape.rows / self.scale.rows as f64;
        let told = object([
            ("fillfactor", case.fillfactor.into()),
            ("hot", case.hot.into()),
            ("wal", case.wal.into()),
            ("touched", case.touched.into()),
            ("table", megabytes(case.heap_pages).into()),
            ("indexes", megabytes(case.index_pages).into()),
        ]);
        self.cases.push(case);
        Ok(told)
    }

    /// What to do: an object with `fillfactor`, `change`, `because`, `statement`, `effect`, `why` (why updates are
    /// HOT though pages are full), `obstacles` (sentences), and `facts`, sentences that say what it rests on.
    #[must_use]
    pub fn recommendation(&self) -> JsValue {
        let advice = recommend(&self.shape, &self.cases);
        let text = |text: Option<String>| text.map_or(JsValue::UNDEFINED, JsValue::from);
        let sizes = Fact::new(Origin::Assumed, "sizes are those of a million rows");
        let facts =
            self.pattern.facts.iter().cloned().chain(self.scale.facts(&self.shape, &self.pattern)).chain([sizes]);
        let facts: Array = facts.map(|fact| JsValue::from(format!("{}: {}", fact.origin.word(), fact.text))).collect();
        let obstacles = obstacles(&self.shape, &self.pattern, &Observed::default());
        let obstacles: Array = obstacles.into_iter().map(JsValue::from).collect();
        object([
            ("fillfactor", advice.fillfactor.into()),
            ("change", advice.is_change.into()),
            ("because", advice.because.into()),
            ("statement", text(advice.statement)),
            ("effect", text(advice.effect)),
            ("why", text(hot_on_full_pages(self.scale, &self.cases))),
            ("obstacles", obstacles.into()),
            ("facts", facts.into()),
        ])
    }
}
