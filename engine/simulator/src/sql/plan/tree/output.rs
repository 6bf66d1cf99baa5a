//! What the rows of each node are, as VERBOSE tells it (`show_plan_tlist`, src/backend/commands/explain.c), and which
//! columns scans give (`use_physical_tlist`, src/backend/optimizer/plan/createplan.c).
//!
//! ```text
//!  Aggregate
//!    Output: count(*)
//!    ->  Seq Scan on public.t
//!          Output: a, b           all of the table's, as that saves a projection, unless rows are kept above it
//! ```

use super::{Explained, Tree, place};
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::{Bitmap, Method, Scan, SelectPlan, Step, StepNode, Upper};
use crate::sql::ruleutils::{Names, rule};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// it computes the values
    Scan,
    /// it has them from below
    Above,
}

impl Explained<'_> {
    /// With what it gives, where that is told.
    pub(super) fn with_output(&self, tree: Tree, exprs: &[&Typed], level: Level, names: &dyn Names) -> Option<Tree> {
        if self.schema.is_none() {
            return Some(tree);
        }
        let text = |expr: &&Typed| {
            if **expr == place() {
                return Some("ctid".to_string());
            }
            let text = rule(expr, names)?;
            let is_column = matches!(expr.node, Node::Slot(_));
            Some(if is_column || level == Level::Scan { text } else { format!("({text})") })
        };
        Some(tree.giving(exprs.iter().map(text).collect::<Option<Vec<String>>>()?))
    }

    /// A scan below something that takes all columns as they are.
    pub(super) fn with_all_columns(&self, tree: Tree, scan: &Scan, reads: &[&Typed]) -> Option<Tree> {
        if self.schema.is_none() {
            return Some(tree);
        }
        let table = self.table?;
        let mut slots = Vec::new();
        reads.iter().for_each(|expr| expr.slots(&mut slots));
        let is_plain = slots.iter().all(|slot| usize::from(*slot) < table.columns.len());
        let has_dropped = table.columns.iter().any(|column| column.attribute.dropped);
        let is_empty_bitmap = matches!(scan.method, Method::Bitmap(Bitmap::Index(_) | Bitmap::And(_) | Bitmap::Or(_)))
            && reads.is_empty();
        if has_dropped || !is_plain || is_empty_bitmap || scan.method == Method::Nothing {
            return self.with_output(tree, reads, Level::Scan, table);
        }
        let column = |slot: usize| Some(Typed { node: Node::Slot(slot as u16), ty: table.columns.get(slot)?.ty() });
        let all: Option<Vec<Typed>> = match &scan.method {
            Method::Index(index) if index.only => {
                let index = table.indexes.iter().find(|info| info.oid == index.index)?;
                let keys = index.keys.iter().map(|key| Some(key.expr.clone()));
                keys.chain(index.include.iter().map(|slot| column(usize::from(*slot)))).collect()
            }
            _ => (0..table.columns.len()).map(column).collect(),
        };
        let all = all?;
        self.with_output(tree, &all.iter().collect::<Vec<_>>(), Level::Scan, table)
    }

    /// The scan below grouping: what it gives depends on the node above it.
    pub(super) fn with_input(&self, tree: Tree, scan: &Scan, upper: &Upper, select: &SelectPlan) -> Option<Tree> {
        let reads: Vec<&Typed> = upper.input.iter().collect();
        let is_kept = matches!(upper.steps.first(), Some(Step { node: StepNode::Sort(..), .. }));
        // what rows are grouped by has to be a column there
        let is_computed = |expr: &Typed| !matches!(select.over_rows(expr).node, Node::Slot(_));
        let keys = select.group.iter().chain(select.distinct.iter().flatten());
        let is_distinct = select.distinct.as_ref().is_some_and(Vec::is_empty) && !select.grouped;
        let outputs = select.targets.iter().filter_map(|target| target.value.expr()).filter(|_| is_distinct);
        let exact = is_kept || keys.chain(outputs).any(is_computed);
        let is_top = upper.steps.iter().all(|step| matches!(step.node, StepNode::Limit | StepNode::Unique));
        if exact || is_top {
            return self.with_output(tree, &reads, Level::Scan, self.table?);
        }
        self.with_all_columns(tree, scan, &reads)
    }
}
