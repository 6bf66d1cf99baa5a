//! TABLESAMPLE: what is said of it, how much it is taken to give, what it costs (`transformRangeTableSample`,
//! src/backend/parser/parse_clause.c; `set_tablesample_rel_size`, src/backend/optimizer/path/allpaths.c;
//! `cost_samplescan`, src/backend/optimizer/path/costsize.c).
//!
//! Without REPEATABLE a server takes another sample each time: only that of no row, or of all, is known here.

use super::cost::{CPU_TUPLE, Cost, quals};
use super::size::{Size, clamp};
use crate::access::heap::scan::SampleMethod;
use crate::sql::StatementError;
use crate::sql::ast::TableSample;
use crate::sql::expr::Typed;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::{SqlType, Value};

/// The sample of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// how it is taken
    pub method: SampleMethod,
    /// of each hundred rows
    pub percent: f32,
    /// REPEATABLE
    pub seed: Option<f64>,
}

impl Sample {
    /// What is written.
    ///
    /// # Errors
    /// PostgreSQL's of a method that there is not; what is not supported.
    pub fn of(written: &TableSample) -> Result<Self, StatementError> {
        let method = match written.method.as_str() {
            "system" => SampleMethod::System,
            "bernoulli" => SampleMethod::Bernoulli,
            name @ ("system_rows" | "system_time") => {
                let message = format!("TABLESAMPLE {} is not supported; SYSTEM is", name.to_ascii_uppercase());
                return Err(StatementError::unsupported(message, None));
            }
            name => return Err(StatementError::server("42704", format!("tablesample method {name} does not exist"))),
        };
        let wrong = || StatementError::unsupported("this percentage or seed of TABLESAMPLE is not supported", None);
        let percent: f32 = written.percent.parse().map_err(|_| wrong())?;
        let seed = written.seed.as_deref().map(str::parse::<f64>).transpose().map_err(|_| wrong())?;
        Ok(Self { method, percent, seed })
    }

    /// Is the same sample taken each time?
    pub fn is_known(&self) -> bool {
        self.seed.is_some() || self.percent <= 0.0 || self.percent >= 100.0
    }

    /// `SampleScanGetSampleSize`
    pub fn size(&self, whole: Size) -> Size {
        let percent = f64::from(self.percent);
        let fraction = if (0.0..=100.0).contains(&percent) { f64::from(self.percent / 100.0) } else { 0.1 };
        let pages = match self.method {
            SampleMethod::System => clamp(whole.pages * fraction),
            SampleMethod::Bernoulli => whole.pages,
        };
        Size { pages, tuples: clamp(whole.tuples * fraction), ..whole }
    }

    /// `cost_samplescan`, of the sample's size.
    pub fn cost(&self, size: Size, clauses: &[Typed], major: u32) -> Cost {
        let qual = quals(clauses, major);
        let page = match self.method {
            SampleMethod::System => size.costs.random,
            SampleMethod::Bernoulli => size.costs.seq,
        };
        Cost { startup: qual.startup, total: qual.startup + page * size.pages + (CPU_TUPLE + qual.total) * size.tuples }
    }

    /// `show_tablesample`
    pub fn text(&self) -> String {
        let name = match self.method {
            SampleMethod::System => "system",
            SampleMethod::Bernoulli => "bernoulli",
        };
        let percent = Value::Float4(self.percent).described(700);
        let seed = self.seed.map(|seed| Value::Float8(seed).described(SqlType::FLOAT8.oid));
        let repeatable = seed.map_or_else(String::new, |seed| format!(" REPEATABLE ('{seed}'::double precision)"));
        format!("{name} ('{percent}'::real){repeatable}")
    }
}
