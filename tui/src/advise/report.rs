//! Advice as sentences and a table, and for programs.

use ffviz_format::page::thousands;
use ffviz_simulator::advice::{Case, Fact, Origin, Recommendation, Scale, Shape};
use serde_json::{Value, json};
use std::fmt::Write;

/// Columns of running text.
const WIDTH: usize = 100;

/// What there is to say.
pub(super) struct Report<'a> {
    /// the server, where there is one
    pub place: String,
    pub shape: &'a Shape,
    pub scale: Scale,
    pub obstacles: Vec<String>,
    /// how near the simulation comes to what was measured
    pub comparison: Option<String>,
    pub cases: &'a [Case],
    pub recommendation: Recommendation,
    /// why updates are HOT though pages are full
    pub why: Option<String>,
    pub facts: Vec<Fact>,
}

impl Report<'_> {
    /// What it is about.
    pub fn title(&self) -> String {
        let place = if self.place.is_empty() { String::new() } else { format!(" in {}", self.place) };
        format!("{}{place}, PostgreSQL {}", self.shape.name, self.shape.major)
    }

    /// Size of so many simulated pages in the table, by its rows.
    pub fn megabytes(&self, pages: u32) -> f64 {
        f64::from(pages) / 128.0 * self.shape.rows / self.scale.rows as f64
    }

    /// As text: what stands in the way, the cases, what to do, what it rests on.
    pub fn text(&self) -> String {
        let mut out = format!("{}, fillfactor {}\n", self.title(), self.shape.fillfactor);
        if !self.obstacles.is_empty() {
            out.push_str("\nUpdates today\n");
            self.obstacles.iter().for_each(|sentence| out.push_str(&item(sentence)));
        }
        out.push_str("\nRecommendation\n");
        self.recommended(&mut out);
        let (rows, updates) = (thousands(self.scale.rows), thousands(self.scale.updates()));
        let all = thousands(self.shape.rows.max(0.0) as u64);
        let _ = writeln!(
            out,
            "\nSimulated with each fillfactor: {rows} rows, then {updates} updates; sizes are scaled to {all} rows\n"
        );
        self.table(&mut out);
        if let Some(comparison) = &self.comparison {
            let _ = writeln!(out, "{comparison}.");
        }
        out.push_str("\nWhat this rests on\n");
        for origin in [Origin::Measured, Origin::Given, Origin::NotRead, Origin::Assumed] {
            for fact in self.facts.iter().filter(|fact| fact.origin == origin) {
                out.push_str(&item(&format!("{}: {}", origin.word(), told(fact))));
            }
        }
        out
    }

    fn table(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "{:>12}{:>12}{:>12}{:>9}{:>12}{:>12}",
            "fillfactor", "table MB", "indexes MB", "HOT", "WAL bytes", "pages"
        );
        let mark = |fillfactor| match fillfactor {
            _ if fillfactor == self.shape.fillfactor => "  today",
            _ if fillfactor == self.recommendation.fillfactor => "  recommended",
            _ => "",
        };
        for case in self.cases {
            let hot = format!("{:.1} %", case.hot * 100.0);
            let _ = writeln!(
                out,
                "{:>12}{:>12.1}{:>12.1}{hot:>9}{:>12.0}{:>12.2}{}",
                case.fillfactor,
                self.megabytes(case.heap_pages),
                self.megabytes(case.index_pages),
                case.wal,
                case.touched,
                mark(case.fillfactor)
            );
        }
        out.push_str("WAL and changed pages are those of an update.\n");
    }

    fn recommended(&self, out: &mut String) {
        let advice = &self.recommendation;
        let what = if advice.is_change { "fillfactor" } else { "leave fillfactor" };
        out.push_str(&item(&format!("{what} {}: {}", advice.fillfactor, advice.because)));
        if let Some(statement) = &advice.statement {
            let _ = writeln!(out, "\n    {statement}\n");
        }
        if let Some(effect) = &advice.effect {
            out.push_str(&item(effect));
        }
        if let Some(why) = &self.why {
            out.push_str(&item(why));
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let cases: Vec<Value> = self
            .cases
            .iter()
            .map(|case| {
                json!({
                    "fillfactor": case.fillfactor, "hot": case.hot, "wal": case.wal, "touched": case.touched,
                    "heap_mb": self.megabytes(case.heap_pages), "index_mb": self.megabytes(case.index_pages),
                })
            })
            .collect();
        let facts: Vec<Value> =
            self.facts.iter().map(|fact| json!({ "origin": fact.origin.word(), "text": told(fact) })).collect();
        let advice = &self.recommendation;
        let place = Some(&self.place).filter(|place| !place.is_empty());
        json!({
            "table": self.shape.name, "server": place, "version": self.shape.major, "obstacles": self.obstacles, "facts": facts,
            "scale": { "rows": self.scale.rows, "updates": self.scale.updates(), "seed": self.scale.seed },
            "cases": cases, "comparison": self.comparison,
            "recommendation": {
                "fillfactor": advice.fillfactor, "change": advice.is_change, "because": advice.because,
                "statement": advice.statement,
            },
        })
    }
}

/// What is known, and the option that says it otherwise.
fn told(fact: &Fact) -> String {
    fact.option.map_or_else(|| fact.text.clone(), |option| format!("{}; {option}", fact.text))
}

/// An item of a list, in lines that fit.
fn item(text: &str) -> String {
    let mut lines = vec![String::from("  -")];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("    {word}")),
        }
    }
    lines.join("\n") + "\n"
}
