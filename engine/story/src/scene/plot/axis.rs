//! Axes from 0 to a round number, with marks at round numbers.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::thousands;

/// Steps between marks, at most.
const STEPS: f64 = 5.0;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// what it measures, with its unit
    pub label: String,
    /// its end; it begins at 0
    pub end: f64,
    /// its marks
    pub ticks: Vec<Tick>,
}

/// A mark of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// where
    pub at: f64,
    /// what stands there
    pub label: String,
}

impl Axis {
    /// An axis that has room for numbers up to `most`.
    #[must_use]
    pub fn new(label: &str, most: f64) -> Self {
        Self::with_steps(label, most, 0.0)
    }

    /// The same of things that are counted: with marks at whole numbers only.
    #[must_use]
    pub fn counted(label: &str, most: f64) -> Self {
        Self::with_steps(label, most, 1.0)
    }

    fn with_steps(label: &str, most: f64, least: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let step = round_step(most / STEPS).max(least);
        let mut ticks = Vec::new();
        let mut n = 0_u32;
        loop {
            let at = f64::from(n) * step;
            ticks.push(Tick { at, label: label_of(at, step) });
            if at >= most * 0.999_999 {
                return Self { label: label.to_string(), end: at, ticks };
            }
            n += 1;
        }
    }
}

/// 1, 2 or 5 times a power of ten: the smallest that is not below.
fn round_step(least: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 <= least {
        power *= 10.0;
    }
    while power > least {
        power /= 10.0;
    }
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step >= least * 0.999_999)
        .unwrap_or(power * 10.0)
}

/// With as many decimals as the step has; large ones with thousands apart.
fn label_of(at: f64, step: f64) -> String {
    let (mut decimals, mut step) = (0, step);
    while step < 0.999_999 && decimals < 9 {
        step *= 10.0;
        decimals += 1;
    }
    if decimals > 0 { format!("{at:.decimals$}") } else { thousands((at + 0.5) as u64) }
}
