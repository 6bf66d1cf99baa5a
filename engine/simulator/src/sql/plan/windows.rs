//! The windows of a query, and the nodes that work them out: `select_active_windows`, `optimize_window_clauses`,
//! `make_window_input_target`, `create_window_paths` (src/backend/optimizer/plan/planner.c), `cost_windowagg`,
//! `get_windowclause_startup_tuples` (src/backend/optimizer/path/costsize.c).
//!
//! ```text
//!  rows ─▶ Sort by a, c ─▶ WindowAgg (PARTITION BY a ORDER BY c) ─▶ WindowAgg (ORDER BY a) ─▶ Sort by b ─▶ WindowAgg …
//! ```

use super::cost::{CPU_OPERATOR, CPU_TUPLE, Cost, quals};
use super::num_groups::num_groups_of_join;
use super::upper::{Candidate, Search, cheapest};
use super::upper_keys::{columns_of, is_same_key, order_of, presorted};
use super::{SelectPlan, StepNode};
use crate::sql::ast::{Exclude, Frame, FrameBound, FrameUnit};
use crate::sql::expr::{Node, SortKey, Typed, WindowCall, WindowFunction};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use ffviz_format::page::PgVersion;

/// A window, and the calls that are over it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::sql) struct ActiveWindow {
    /// its name in WINDOW, with its place there
    pub called: Option<(usize, String)>,
    /// PARTITION BY, each key as it is sorted
    pub partition: Vec<SortKey>,
    /// ORDER BY
    pub order: Vec<SortKey>,
    /// which rows around each row; none: from the first to the last that is equal to it
    pub frame: Option<Frame>,
    /// offsets of its bounds that are worked out when it runs
    pub offsets: [Option<Typed>; 2],
    /// the calls, by their number in the query
    pub calls: Vec<usize>,
}

/// The frame that numbers of rows are worked out in.
const ROWS_SO_FAR: Frame = Frame {
    unit: FrameUnit::Rows,
    between: false,
    start: FrameBound::First,
    end: FrameBound::By(0),
    exclude: Exclude::Nothing,
};

impl ActiveWindow {
    fn of(call: &WindowCall, plan: &SelectPlan) -> Self {
        let over = |key: SortKey| SortKey { expr: plan.over_rows(&key.expr), ..key };
        let mut partition: Vec<SortKey> = call.keys().into_iter().map(over).collect();
        let order = partition.split_off(call.partition.len());
        let (called, offsets) = (call.called.clone(), call.offsets.clone());
        Self { called, partition, order, frame: call.frame, offsets, calls: Vec::new() }
    }

    /// Are these over the same rows, in the same order?
    fn is_over(&self, other: &Self) -> bool {
        self.partition == other.partition
            && self.order == other.order
            && self.frame == other.frame
            && self.offsets == other.offsets
    }

    /// All that it sorts by, each key once.
    fn keys(&self) -> Vec<SortKey> {
        let mut keys: Vec<SortKey> = Vec::new();
        for key in self.partition.iter().chain(&self.order) {
            if !keys.iter().any(|known| is_same_key(known, key)) {
                keys.push(key.clone());
            }
        }
        keys
    }

    /// The order in which it wants the rows (`make_pathkeys_for_window`).
    pub fn wanted(&self, clauses: &[Typed]) -> Vec<SortKey> {
        order_of(&self.keys(), clauses)
    }
}

/// Does a function number rows, so that the frame says nothing?
const fn numbers(call: &WindowCall) -> bool {
    matches!(
        call.function,
        WindowFunction::RowNumber
            | WindowFunction::Rank
            | WindowFunction::DenseRank
            | WindowFunction::PercentRank
            | WindowFunction::CumeDist
            | WindowFunction::Ntile
    )
}

impl SelectPlan {
    /// The windows in the order in which they are worked out: those with more keys first, so that others need no sort.
    pub(in crate::sql) fn active_windows(&self, version: PgVersion) -> Vec<ActiveWindow> {
        let mut windows: Vec<ActiveWindow> = Vec::new();
        let mut order: Vec<usize> = (0..self.windows.len()).collect();
        // windows of WINDOW come first, as they stand there
        order.sort_by_key(|n| self.windows[*n].called.as_ref().map_or(usize::MAX, |(place, _)| *place));
        for n in order {
            let new = ActiveWindow::of(&self.windows[n], self);
            let is_it = |known: &&mut ActiveWindow| known.called == new.called && known.is_over(&new);
            match windows.iter_mut().find(is_it) {
                Some(known) => known.calls.push(n),
                None => windows.push(ActiveWindow { calls: Vec::from([n]), ..new }),
            }
        }
        if version.counts_rows_without_frame() {
            windows = self.without_frames(windows);
        }
        let keys = self.sort_group_keys(&windows);
        let place = |key: &SortKey| keys.iter().position(|known| known.node == key.expr.node).unwrap_or(keys.len());
        let sorted = |key: &SortKey| Reverse((place(key), key.descending, key.nulls_first));
        windows.sort_by(|one, other| {
            let (one, other) = (one.keys(), other.keys());
            let by_key = one.iter().map(sorted).zip(other.iter().map(sorted)).map(|(a, b)| a.cmp(&b));
            by_key.fold(Ordering::Equal, Ordering::then).then_with(|| other.len().cmp(&one.len()))
        });
        windows
    }

    /// Windows of numbers of rows have all the same frame, and are one then where they were only that apart.
    fn without_frames(&self, windows: Vec<ActiveWindow>) -> Vec<ActiveWindow> {
        let mut kept: Vec<ActiveWindow> = windows;
        let mut at = 0;
        while at < kept.len() {
            let window = &mut kept[at];
            if !window.calls.iter().all(|n| numbers(&self.windows[*n])) || window.frame == Some(ROWS_SO_FAR) {
                at += 1;
                continue;
            }
            (window.frame, window.offsets) = (Some(ROWS_SO_FAR), [None, None]);
            let window = window.clone();
            let same = kept.iter().enumerate().position(|(n, known)| n != at && known.is_over(&window));
            match same {
                Some(same) => {
                    kept[same].calls.extend(window.calls);
                    kept.remove(at);
                }
                None => at += 1,
            }
        }
        kept
    }

    /// What the query sorts and groups by, in the order in which the parser comes to it (`assignSortGroupRef`).
    fn sort_group_keys(&self, windows: &[ActiveWindow]) -> Vec<Typed> {
        let distinct = match self.distinct.as_deref() {
            Some([]) => self.targets.iter().filter_map(|target| target.value.expr()).collect(),
            Some(on) => on.iter().collect(),
            None => Vec::new(),
        };
        let of_query = self.sort.iter().map(|key| &key.expr).chain(&self.group).chain(distinct);
        let of_query = of_query.map(|expr| self.over_rows(expr));
        let of_windows = windows.iter().flat_map(|window| window.order.iter().chain(&window.partition));
        of_query.chain(of_windows.map(|key| key.expr.clone())).collect()
    }

    /// What is there of each row or group before the windows: what they sort by, keys of groups, and the columns and
    /// aggregates of all else (`make_window_input_target`).
    pub(super) fn window_input(&self, version: PgVersion) -> Vec<Typed> {
        let windows = self.active_windows(version);
        let by = || windows.iter().flat_map(|window| window.partition.iter().chain(&window.order)).map(|key| &key.expr);
        let is_key = |expr: &Typed| by().chain(&self.group).any(|key| key.node == expr.node);
        let outputs = self.targets.iter().filter_map(|target| target.value.expr()).chain(&self.junk);
        let outputs: Vec<Typed> = outputs.map(|output| self.over_rows(output)).chain(by().cloned()).collect();
        let (mut input, mut others): (Vec<Typed>, Vec<Typed>) = (Vec::new(), Vec::new());
        for output in outputs {
            match is_key(&output) {
                true if input.iter().any(|known| known.node == output.node) => {}
                true => input.push(output),
                false => others.push(output),
            }
        }
        others.iter().for_each(|expr| self.read_before_windows(expr, &mut input));
        input
    }

    /// Columns and aggregates, each once; of a window function those of its arguments.
    fn read_before_windows(&self, expr: &Typed, found: &mut Vec<Typed>) {
        if let Some(call) = self.window_of(expr) {
            let read = call.args.iter().chain(&call.filter);
            return read.for_each(|arg| self.read_before_windows(&self.over_rows(arg), found));
        }
        if let Node::Aggregate(_) = expr.node {
            if !found.iter().any(|known| known.node == expr.node) {
                found.push(expr.clone());
            }
            return;
        }
        match expr.node {
            Node::Slot(_) => columns_of(expr, found),
            _ => expr.children().into_iter().for_each(|child| self.read_before_windows(child, found)),
        }
    }

    /// The window function that it is.
    pub(in crate::sql) fn window_of(&self, expr: &Typed) -> Option<&WindowCall> {
        self.windows.get(self.window_number(expr)?)
    }

    /// Its number in the query.
    pub(super) fn window_number(&self, expr: &Typed) -> Option<usize> {
        let Node::Aggregate(number) = expr.node else { return None };
        let sets = usize::from(!self.grouping_sets.is_empty());
        usize::from(number).checked_sub(self.aggregates.len() + self.group.len() + sets)
    }

    /// What `estimate_num_groups` looks at: of a window function its arguments.
    pub(super) fn grouped_by(&self, exprs: &[Typed]) -> Vec<Typed> {
        let has_window =
            |expr: &Typed| expr.any(&|node| self.window_of(&Typed { node: node.clone(), ty: expr.ty }).is_some());
        let mut found = Vec::new();
        for expr in exprs {
            if has_window(expr) {
                self.read_before_windows(expr, &mut found);
            } else {
                found.push(expr.clone());
            }
        }
        found
    }
}

impl Search<'_> {
    /// `create_window_paths`
    pub(super) fn windowed(&self, ways: &[Candidate]) -> Option<Vec<Candidate>> {
        let windows = self.plan.active_windows(self.version());
        let first = windows.first()?.wanted(&self.wanted.clauses);
        let cheapest = cheapest(ways);
        let mut kept = Vec::new();
        for (n, way) in ways.iter().enumerate() {
            if n == cheapest || first.is_empty() || presorted(&way.order, &first) > 0 {
                let new = self.over_windows(way, &windows)?;
                self.add(&mut kept, new);
            }
        }
        Some(kept)
    }

    /// `create_one_window_path`
    fn over_windows(&self, way: &Candidate, windows: &[ActiveWindow]) -> Option<Candidate> {
        let input = self.plan.window_input(self.version());
        let each = quals(&input, self.major());
        let outputs = self.plan.targets.iter().filter_map(|target| target.value.expr()).chain(&self.plan.junk);
        let mut outputs: Vec<Typed> = outputs.map(|output| self.plan.over_rows(output)).collect();
        // keys of windows stay columns
        for key in windows.iter().flat_map(|window| window.order.iter().chain(&window.partition)) {
            if !outputs.iter().any(|output| output.node == key.expr.node) {
                outputs.push(key.expr.clone());
            }
        }
        let mut way = way.clone();
        for (n, window) in windows.iter().enumerate() {
            let keys = window.wanted(&self.wanted.clauses);
            let ordered = presorted(&way.order, &keys);
            if ordered < keys.len() {
                way = match ordered {
                    0 => self.sort(&way, &keys, None)?,
                    _ if !self.wanted.enabled.incremental_sort => self.sort(&way, &keys, None)?,
                    _ => self.sort_more(&way, &keys, ordered, None),
                };
            }
            let mut cost = self.window_cost(&way, window);
            let (target, width) = if n + 1 < windows.len() {
                let calls = window.calls.iter().map(|call| super::size::typavgwidth(self.plan.windows[*call].ty));
                (each, way.width + calls.sum::<u32>())
            } else {
                (quals(&outputs, self.major()), self.width(&outputs))
            };
            cost.startup += target.startup;
            cost.total += target.startup + target.total * way.rows;
            way = self.step(&way, StepNode::Window(n), cost, way.rows, width);
        }
        Some(way)
    }

    /// `cost_windowagg`
    fn window_cost(&self, way: &Candidate, window: &ActiveWindow) -> Cost {
        let Candidate { cost: input, rows, .. } = *way;
        let mut cost = input;
        for call in window.calls.iter().map(|n| &self.plan.windows[*n]) {
            let read: Vec<Typed> = call.args.iter().chain(&call.filter).map(|arg| self.plan.over_rows(arg)).collect();
            let args = quals(&read, self.major());
            cost.startup += args.startup;
            cost.total += (CPU_OPERATOR + args.total) * rows;
        }
        cost.total += CPU_OPERATOR * (window.partition.len() + window.order.len()) as f64 * rows;
        cost.total += CPU_TUPLE * rows;
        if self.version().reads_ahead_of_windows() {
            let before = self.read_before_first(window, rows);
            if before > 1.0 {
                cost.startup += (cost.total - cost.startup) / rows * (before - 1.0);
            }
        }
        cost
    }

    /// `get_windowclause_startup_tuples`: rows that are read before the first one comes out.
    fn read_before_first(&self, window: &ActiveWindow, rows: f64) -> f64 {
        let groups = |keys: &[SortKey], rows: f64| {
            let exprs: Vec<&Typed> = keys.iter().map(|key| &key.expr).collect();
            num_groups_of_join(&exprs, self.relations, rows)
        };
        let (is_parted, is_ordered) = (!window.partition.is_empty(), !window.order.is_empty());
        let of_partition = if is_parted { rows / groups(&window.partition, rows) } else { rows };
        let peers = if is_ordered { of_partition / groups(&window.order, of_partition) } else { 1.0 };
        let (unit, end) = window.frame.map_or((FrameUnit::Range, FrameBound::By(0)), |frame| (frame.unit, frame.end));
        const UNKNOWN_RANGE: f64 = 1.0 / 3.0;
        let returned = match (end, unit) {
            (FrameBound::Last, _) => of_partition,
            (FrameBound::By(0), FrameUnit::Rows) | (FrameBound::First | FrameBound::Offset(true), _) => 1.0,
            (FrameBound::By(0), _) if is_ordered => peers,
            (FrameBound::By(0), _) => of_partition,
            (FrameBound::By(by), _) if by < 0 => 1.0,
            (FrameBound::By(by), FrameUnit::Rows) => by as f64 + 1.0,
            (FrameBound::By(by), _) => peers * (by as f64 + 1.0),
            (FrameBound::Offset(false), FrameUnit::Rows) => of_partition / peers * UNKNOWN_RANGE + 1.0,
            (FrameBound::Offset(false), _) => peers * (of_partition / peers * UNKNOWN_RANGE + 1.0),
        };
        // one more tells that the partition, or the rows that are equal, are over
        let more = if is_parted || is_ordered { 1.0 } else { 0.0 };
        super::size::clamp((returned + more).min(of_partition))
    }
}

/// The names of windows, as they stand in EXPLAIN: `w1`, `w2` where WINDOW gives none (`name_active_windows`).
pub(super) fn names(windows: &[ActiveWindow]) -> Vec<String> {
    let given: Vec<&str> =
        windows.iter().filter_map(|window| window.called.as_ref()).map(|(_, name)| &**name).collect();
    let mut next = 0;
    let name = |window: &ActiveWindow| match &window.called {
        Some((_, name)) => name.clone(),
        None => loop {
            next += 1;
            let name = format!("w{next}");
            if !given.contains(&&*name) {
                return name;
            }
        },
    };
    windows.iter().map(name).collect()
}
