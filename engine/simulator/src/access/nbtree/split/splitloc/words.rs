//! The choice of a split point in words, made only where somebody listens.

use super::{Finder, NONLEAF_FILLFACTOR, SINGLEVAL_FILLFACTOR, SplitPoint, Strategy};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{bytes, count, thousands};

/// So many of the places that were weighed are listed.
const LISTED: usize = 4;

impl Finder<'_> {
    pub(super) const fn listened(&self) -> bool {
        self.index.pg.trace.on
    }

    /// Split right after the new item, whatever that leaves on the pages.
    pub(super) fn words_after_new_item(&self, chosen: SplitPoint) -> (String, Vec<String>) {
        let facts = Vec::from([
            format!("{} in all; this one is taken without weighing it against the others.", places(self.splits.len())),
            "The item before has the same first columns, its row was inserted just before: keys ascend within this part of the index. \
             The next ones go to the left page's end."
                .to_string(),
            self.shares(chosen),
        ]);
        (format!("{}: right after the new item", at(chosen)), facts)
    }

    pub(super) fn words(
        &self,
        fill: Option<f64>,
        strategy: Strategy,
        interval: usize,
        chosen: SplitPoint,
    ) -> (String, Vec<String>) {
        let short = match (strategy, fill) {
            (Strategy::SingleValue, _) => format!("single value: {SINGLEVAL_FILLFACTOR} % stay on the left"),
            (Strategy::ManyDuplicates, _) => "many duplicates: between two different keys".to_string(),
            (Strategy::Default, Some(fill)) => format!("{:.0} % stay on the left", fill * 100.0),
            (Strategy::Default, None) => "about half each".to_string(),
        };
        let mut facts = Vec::from([self.wanted(fill), self.rule(strategy, interval)]);
        facts.extend(self.listed(interval, chosen));
        facts.push(self.shares(chosen));
        (format!("{}: {short}", at(chosen)), facts)
    }

    /// How full the left page is to be, and why.
    fn wanted(&self, fill: Option<f64>) -> String {
        let places = places(self.splits.len());
        let percent = fill.map(|fill| format!("{:.0}", fill * 100.0));
        match (percent, self.opaque.is_leaf(), self.opaque.is_rightmost()) {
            (Some(percent), true, true) => format!(
                "{places}. Rightmost leaf: keys that ascend will not come back to the left page, so {percent} % of it are to be used (fillfactor)."
            ),
            (Some(percent), true, false) => format!(
                "{places}. The new item ends an ascending run within the index: {percent} % of the left page are to be used (fillfactor)."
            ),
            (Some(_), false, _) => {
                format!("{places}. Rightmost internal page: {NONLEAF_FILLFACTOR} % of the left page are to be used.")
            }
            (None, ..) => format!("{places}. Keys may come anywhere: both pages are to have the same free space."),
        }
    }

    /// Which of the places count, and what decides among them.
    fn rule(&self, strategy: Strategy, interval: usize) -> String {
        let cost = match self.opaque.is_leaf() {
            true => "the high key with the fewest columns",
            false => "the smallest downlink",
        };
        match strategy {
            Strategy::Default if interval == 1 => String::from("One of them is better than all others."),
            Strategy::Default => {
                format!("The best {interval} are about as good as one another: among them {cost} wins.")
            }
            Strategy::ManyDuplicates => format!(
                "Strategy \"many duplicates\": the best few are within one run of equal keys, so all {interval} are weighed, and a place between two different keys wins."
            ),
            Strategy::SingleValue => format!(
                "Strategy \"single value\": all keys are equal, so the left page is packed to {SINGLEVAL_FILLFACTOR} %, as later duplicates have higher TIDs and go to the right."
            ),
        }
    }

    /// Some of the places that were weighed, the best first, and the one that won.
    fn listed(&self, interval: usize, chosen: SplitPoint) -> Vec<String> {
        let weighed = self.splits.iter().take(interval).enumerate();
        let line = |(n, split): (usize, &SplitPoint)| {
            let won = if *split == chosen { ": this one" } else { "" };
            let cost = self.penalty(*split);
            let cost = match self.opaque.is_leaf() {
                true if cost > i32::from(self.index.n_keys()) => "a high key of all columns and a TID".to_string(),
                true => format!("a high key of {cost} of {}", count(self.index.n_keys().into(), "column")),
                false => format!("a downlink of {}", bytes(cost as u64)),
            };
            let away = bytes(split.delta as u64);
            format!("{}. {}: {away} away from the share that is wanted, and {cost}{won}", n + 1, at(*split))
        };
        weighed.filter(|(n, split)| *n < LISTED || **split == chosen).map(line).collect()
    }

    /// What both pages have left.
    fn shares(&self, split: SplitPoint) -> String {
        let side = if split.newitemonleft { "left" } else { "right" };
        let (left, right) = (thousands(split.leftfree as u64), thousands(split.rightfree as u64));
        format!("The new item goes to the {side} page; free bytes then: {left} on the left, {right} on the right.")
    }
}

/// `before item 203`
fn at(split: SplitPoint) -> String {
    let new = if split.newitemonleft { " and behind the new one" } else { "" };
    format!("before item {}{new}", split.firstrightoff)
}

fn places(n: usize) -> String {
    if n == 1 { "1 place to split is possible".to_string() } else { format!("{n} places to split are possible") }
}
