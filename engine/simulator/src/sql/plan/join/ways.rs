//! Every way to join two tables, in the order in which a server tries them: `add_paths_to_joinrel`,
//! `sort_inner_and_outer`, `match_unsorted_outer`, `hash_inner_and_outer` (src/backend/optimizer/path/joinpath.c).

use super::cost::{self, Inner, Sorted};
use super::estimate::{self, Matches, Part, Side};
use super::{Between, JoinInput, JoinNode, JoinPlan, JoinSide, JoinSource, JoinTable};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, SYSTEM, SortKey, Typed};
use crate::sql::plan::cost::{CPU_OPERATOR, sort_of_width};
use crate::sql::plan::path::{Kept, LookedUp, Path, add_path};
use crate::sql::plan::query::Wanted;
use crate::sql::plan::size::{WORK_MEM, byte_size, clamp};
use crate::sql::plan::{Cost, Method};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::SqlType;
use ffviz_format::page::PgVersion;

/// `disable_cost`
const DISABLED: f64 = 1.0e10;

/// A way to join.
#[derive(Clone)]
pub(super) struct Way {
    node: JoinNode,
    kind: JoinSide,
    /// which table is the outer one
    pub outer: usize,
    /// how many keys of the order that is wanted above it its rows have
    pub sorted: usize,
    scans: [Path; 2],
    between: [Between; 2],
    /// does the inner scan read the outer row?
    looks_up: bool,
    outer_left: bool,
    pub cost: Cost,
    /// forbidden nodes, and whether the join itself is one
    pub disabled: (u32, bool),
}

impl Kept for Way {
    fn price(&self) -> (u32, Cost) {
        (self.disabled.0, self.cost)
    }

    fn order(&self, other: &Self) -> Option<Ordering> {
        Some(self.sorted.cmp(&other.sorted))
    }
}

/// The joins with that side outside.
struct Search<'a> {
    sides: &'a [Side<'a>; 2],
    outer: usize,
    kind: JoinSide,
    version: PgVersion,
    matches: Option<Matches>,
    /// does the outer side's key stand on the left of what is looked up?
    outer_left: bool,
    /// is there a condition above the join, which counts as one of the join's?
    filtered: bool,
    /// pairs of rows that are equal (`approx_tuple_count`)
    pairs: f64,
    kept: &'a mut Vec<Way>,
}

/// All ways that are worth something; `None` where rows do not fit into memory. `left`: which table stands on the left
/// of the equality wherever it is asked; else the one that is looked up. `filtered`: is there a condition above?
pub(super) fn all(
    sides: &[Side<'_>; 2],
    (keeps_left, filtered): (bool, bool),
    left: Option<usize>,
    major: u32,
) -> Option<Vec<Way>> {
    if sides.iter().any(|side| byte_size(side.rows, side.width) > WORK_MEM) {
        return None;
    }
    let mut kept = Vec::new();
    let share = estimate::inner(&sides[0], &sides[1]);
    for outer in 0..2 {
        let kind = match (keeps_left, outer) {
            (false, _) => JoinSide::Neither,
            (true, 0) => JoinSide::Outer,
            (true, _) => JoinSide::Inner,
        };
        let (one, other) = (&sides[outer], &sides[1 - outer]);
        let matches = other.unique.then(|| estimate::matches(one, other));
        let pairs = clamp(share * one.rows * other.rows);
        let version = PgVersion::of_major(major);
        let outer_left = left == Some(outer);
        Search { sides, outer, kind, version, matches, outer_left, filtered, pairs, kept: &mut kept }.run()?;
    }
    Some(kept)
}

impl Search<'_> {
    fn run(mut self) -> Option<()> {
        let (paths, inner_paths) = (self.outer().paths.clone(), self.inner().paths.clone());
        let (first, inner_first) = (cheapest(&paths)?.clone(), cheapest(&inner_paths)?.clone());
        let enabled = self.outer().wanted.enabled;
        let (merges, hashes) = (enabled.mergejoin, enabled.hashjoin);
        let has_key = self.outer().key.is_some();
        if has_key && merges {
            self.merge(&first, &inner_first)?;
        }
        let lookups = self.lookups();
        for path in &paths {
            if self.kind != JoinSide::Inner {
                self.nested(path, &inner_first, &lookups);
            }
            if has_key && merges && path.ordered > 0 {
                self.merge(path, &inner_first)?;
                let is_ordered = |path: &&Path| path.ordered > 0;
                let ordered: Vec<Path> = inner_paths.iter().filter(is_ordered).cloned().collect();
                let cheapest = cheapest(&ordered)
                    .filter(|path| inner_first.ordered == 0 || path.cost.total < inner_first.cost.total);
                if let Some(inner) = cheapest {
                    self.merge(path, inner)?;
                }
            }
        }
        if has_key && hashes {
            self.hash(&paths, &first, &inner_first)?;
        }
        Some(())
    }

    fn outer(&self) -> &Side<'_> {
        &self.sides[self.outer]
    }

    fn inner(&self) -> &Side<'_> {
        &self.sides[1 - self.outer]
    }

    /// Scans of the inner side for a row of the outer one.
    fn lookups(&self) -> Vec<Path> {
        let (outer, inner) = (self.outer(), self.inner());
        inner.looked_up(outer, self.outer_left).map_or_else(Vec::new, |wanted| wanted.scans())
    }

    fn add(&mut self, way: Way, is_enabled: bool, more: u32) {
        let counts = self.version.counts_disabled_nodes();
        let mut way = way;
        let below: u32 = way.scans.iter().map(|path| path.disabled).sum::<u32>() + more;
        if !is_enabled && !counts {
            way.cost = Cost { startup: way.cost.startup + DISABLED, total: way.cost.total + DISABLED };
        }
        way.disabled = (below + u32::from(!is_enabled && counts), !is_enabled);
        add_path(self.kept, way, self.outer().wanted.startup_counts());
    }

    fn way(&self, node: JoinNode, scans: [&Path; 2], between: [Between; 2], cost: Cost) -> Way {
        let disabled = (0, false);
        Way {
            node,
            kind: self.kind,
            outer: self.outer,
            sorted: self.sorted(node, scans[0], between[0]),
            scans: scans.map(Clone::clone),
            between,
            looks_up: false,
            outer_left: self.outer_left,
            cost,
            disabled,
        }
    }

    /// `build_join_pathkeys`: the order of the outer side, unless rows of the inner one are left that come last.
    fn sorted(&self, node: JoinNode, scan: &Path, above: Between) -> usize {
        let outer = self.outer();
        if node == JoinNode::Hash || self.kind == JoinSide::Inner {
            return 0;
        }
        if matches!(above, Between::Sort(_)) {
            let is_key = |key: &SortKey| outer.key.as_ref().is_some_and(|it| it.node == key.expr.node);
            return usize::from(outer.order.first().is_some_and(is_key));
        }
        let place = outer.paths.iter().position(|path| path.method == scan.method);
        place.map_or(0, |place| outer.sorted[place])
    }

    fn nested(&mut self, path: &Path, whole: &Path, lookups: &[Path]) {
        let enabled = self.outer().wanted.enabled;
        let quals = if self.outer().key.is_some() { CPU_OPERATOR } else { 0.0 };
        let outer = (path.cost, self.outer().rows);
        let all = Inner { cost: whole.cost, again: whole.cost, rows: self.inner().rows, indexed: false };
        let no = [Between::Nothing, Between::Nothing];
        let cost = cost::nested(outer, all, self.matches, quals);
        self.add(self.way(JoinNode::Nested, [path, whole], no, cost), enabled.nestloop, 0);
        for lookup in lookups {
            let one = Inner { cost: lookup.cost, again: lookup.cost, rows: lookup.rows, indexed: true };
            let indexed = !matches!(&lookup.method, Method::Bitmap(super::super::Bitmap::And(_)));
            let cost = cost::nested(outer, Inner { indexed, ..one }, self.matches, 0.0);
            let way = Way { looks_up: true, ..self.way(JoinNode::Nested, [path, lookup], no, cost) };
            self.add(way, enabled.nestloop, 0);
            let memory = if self.version.doubles_hash_memory() { 2.0 * WORK_MEM } else { WORK_MEM };
            let memoizes = self.version.has_memoize()
                && enabled.memoize
                && outer.1 >= 2.0
                && !(self.filtered && self.matches.is_some());
            let width = self.inner().width;
            let kept = cost::memoize(lookup.cost, lookup.rows, width, self.outer(), memory).filter(|_| memoizes);
            if let Some((cost, again)) = kept {
                let between = [Between::Nothing, Between::Memoize(cost)];
                let memoized = Inner { cost, again, indexed: false, ..one };
                let cost = cost::nested(outer, memoized, self.matches, 0.0);
                let way = Way { looks_up: true, ..self.way(JoinNode::Nested, [path, lookup], between, cost) };
                self.add(way, enabled.nestloop, 0);
            }
        }
        if enabled.material {
            let (cost, again) = cost::material(whole.cost, self.inner().rows);
            let between = [Between::Nothing, Between::Materialize(cost)];
            let cost = cost::nested(outer, Inner { cost, again, ..all }, self.matches, quals);
            self.add(self.way(JoinNode::Nested, [path, whole], between, cost), enabled.nestloop, 0);
        }
    }

    fn merge(&mut self, outer: &Path, inner: &Path) -> Option<()> {
        let enabled = self.outer().wanted.enabled;
        let parts = estimate::parts(self.outer(), self.inner());
        let parts = match self.kind {
            JoinSide::Neither => parts,
            JoinSide::Outer => (Part::WHOLE, parts.1),
            _ => (parts.0, Part::WHOLE),
        };
        let counts = self.version.counts_disabled_nodes();
        let sorted = |path: &Path, side: &Side<'_>, part: Part| {
            if path.ordered > 0 {
                let goes_back = matches!(path.method, Method::Index(_));
                return Some((
                    Sorted { cost: path.cost, rows: side.rows, part, sorted: None, goes_back },
                    Between::Nothing,
                ));
            }
            let bytes = byte_size(side.rows, side.width);
            let mut cost = sort_of_width(path.cost, side.rows, side.width, None, side.wanted.table.page_costs)?;
            if !enabled.sort && !counts {
                cost = Cost { startup: cost.startup + DISABLED, total: cost.total + DISABLED };
            }
            let sorted = Sorted { cost, rows: side.rows, part, sorted: Some(bytes), goes_back: true };
            Some((sorted, Between::Sort(cost)))
        };
        let (one, above) = sorted(outer, self.outer(), parts.0)?;
        let (other, inner_above) = sorted(inner, self.inner(), parts.1)?;
        let sorts = [&above, &inner_above].iter().filter(|it| matches!(it, Between::Sort(_))).count() as u32;
        let (cost, is_kept) = cost::merge(
            (&one, &other),
            self.pairs,
            (self.matches.is_some() && !self.filtered, false),
            [CPU_OPERATOR, 0.0],
            (enabled.material, WORK_MEM),
        );
        // what is kept of rows that are sorted is told in a node of its own above the sort
        if is_kept && matches!(inner_above, Between::Sort(_)) {
            return None;
        }
        let kept = Cost { total: inner.cost.total + CPU_OPERATOR * self.inner().rows, ..inner.cost };
        let inner_above = if is_kept { Between::Materialize(kept) } else { inner_above };
        let way = self.way(JoinNode::Merge, [outer, inner], [above, inner_above], cost);
        self.add(way, enabled.mergejoin, if enabled.sort || !counts { 0 } else { sorts });
        Some(())
    }

    fn hash(&mut self, paths: &[Path], first: &Path, inner: &Path) -> Option<()> {
        /// a row's header in a hash table, and that of its group
        const HEADER: f64 = 32.0;
        let enabled = self.outer().wanted.enabled;
        let side = self.inner();
        let bytes = side.rows * (HEADER + f64::from(side.width.next_multiple_of(8)) + 16.0);
        if bytes > WORK_MEM {
            return None;
        }
        let startup = paths.iter().fold(first, |best, next| {
            let key = |path: &Path| (path.disabled, path.cost.startup, path.cost.total);
            if key(next) < key(best) { next } else { best }
        });
        for outer in [startup, first] {
            let sides = (self.outer(), self.inner());
            let cost = cost::hash(outer.cost, inner.cost, sides, self.pairs, self.matches);
            let way = self.way(JoinNode::Hash, [outer, inner], [Between::Nothing, Between::Hash], cost);
            self.add(way, enabled.hashjoin, 0);
        }
        Some(())
    }
}

impl<'a> Side<'a> {
    /// The columns that are read above the scan.
    fn columns(&self) -> Vec<Typed> {
        let columns = &self.wanted.table.columns;
        let ty = |slot: usize| match columns.get(slot) {
            Some(column) => Some(column.ty()),
            None => SYSTEM.get(slot - columns.len()).map(|(_, ty)| *ty),
        };
        let column = |slot: &u16| Some(Typed { node: Node::Slot(*slot), ty: ty(usize::from(*slot))? });
        self.wanted.needed.iter().flatten().filter_map(column).collect()
    }

    /// A scan with the row of the other side.
    fn looked_up(&self, outer: &Side<'_>, outer_left: bool) -> Option<Wanted<'a>> {
        let (key, other) = (self.key.as_ref()?, outer.key.as_ref()?);
        let Node::Slot(slot) = other.node else { return None };
        let read = Typed { node: Node::Outer(1, outer.start + slot), ty: other.ty };
        let operands = if outer_left { (read, key.clone()) } else { (key.clone(), read) };
        let node = Node::Binary(BinaryOp::Eq, Box::new(operands));
        let mut wanted = self.wanted.clone();
        wanted.clauses.insert(0, Typed { node, ty: SqlType::BOOL });
        wanted.order = Vec::new();
        wanted.looked_up = Some(LookedUp { clauses: 1, loops: outer.rows });
        Some(wanted)
    }
}

impl Way {
    pub fn plan(
        self,
        sides: &[Side<'_>; 2],
        names: [String; 2],
        first: u16,
        clause: Option<(Typed, Typed)>,
    ) -> JoinPlan {
        let [one, other] = self.scans;
        let (outer, inner) = (&sides[self.outer], &sides[1 - self.outer]);
        let looked_up = inner.looked_up(outer, self.outer_left).filter(|_| self.looks_up);
        let inner_scan = looked_up.as_ref().unwrap_or(&inner.wanted).scan_of(other);
        let [above, inner_above] = self.between;
        let start = |table: usize| if table == 1 { first } else { 0 };
        let at = |expr: &Typed, table: usize| match expr.node {
            Node::Slot(slot) => Typed { node: Node::Slot(slot + start(table)), ty: expr.ty },
            _ => expr.clone(),
        };
        let input = |table, scan: crate::sql::plan::Scan, side: &Side<'_>, between| JoinInput {
            source: JoinSource::Scan(table, scan.into()),
            width: side.width,
            columns: side.columns().iter().map(|column| at(column, table)).collect(),
            rows: side.rows,
            distinct: None,
            between,
            cached: match between {
                Between::Memoize(_) => sides[1 - table].key.iter().map(|key| at(key, 1 - table)).collect(),
                _ => Vec::new(),
            },
        };
        let names = names.into_iter().enumerate();
        let tables = names.map(|(n, name)| JoinTable { oid: sides[n].wanted.table.oid, name, start: start(n) });
        let second = sides[1].wanted.table.columns.len() + SYSTEM.len();
        JoinPlan {
            tables: tables.collect(),
            width: usize::from(first) + second,
            kind: self.kind,
            node: self.node,
            inputs: [
                input(self.outer, outer.wanted.scan_of(one), outer, above),
                input(1 - self.outer, inner_scan, inner, inner_above),
            ],
            keys: clause.into_iter().filter(|_| !self.looks_up).collect(),
            others: Vec::new(),
            cost: self.cost,
            rows: 0.0,
            row_width: 0,
            groups: 0.0,
            is_estimated: false,
            filter: Vec::new(),
            disabled: self.disabled.1,
            is_unique: inner.unique,
            skips_marks: false,
            looks_up: self.looks_up,
        }
    }
}

fn cheapest(paths: &[Path]) -> Option<&Path> {
    let key = |path: &Path| (path.disabled, path.cost.total, path.cost.startup);
    paths.iter().reduce(|best, next| if key(next) < key(best) { next } else { best })
}
