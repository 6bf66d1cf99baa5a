//! Scans of partitions as EXPLAIN prints them: each has the name of its table with a number (`set_rtable_names`,
//! src/backend/utils/adt/ruleutils.c; `show_modifytable_info`, src/backend/commands/explain.c).
//!
//! ```text
//!  Append
//!    ->  Seq Scan on c1 p_1        one that is alone stands for itself, under the name of its table
//!    ->  Seq Scan on c2 p_2
//! ```

use super::figures::Figures;
use super::format::Shape;
use super::upper::direction;
use super::{Explained, Told, Tree, quote_identifier};
use crate::sql::expr::{Node, SortKey, Typed};
use crate::sql::plan::cost::CPU_TUPLE;
use crate::sql::plan::size::rint;
use crate::sql::plan::{Append, AppendOrder, Cost, Method, Scan};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::PgVersion;

impl Explained<'_> {
    /// What the scans of partitions are, and what they cost together (`cost_append`).
    pub(super) fn append(&self, append: &Append, rechecks: bool, exprs: &[&Typed]) -> Option<Tree> {
        if append.prunes_later {
            return None;
        }
        let mut below = Vec::new();
        for (part, name) in append.scans.iter().zip(self.part_names(append)?) {
            let table = self.parts.iter().find(|table| table.oid == part.table);
            let one = Explained { table, alias: Some(&name), ..*self };
            below.push(one.scan_for(part, rechecks, exprs)?);
        }
        if below.len() == 1 {
            return below.pop();
        }
        let figures = appended(&below, append);
        let node = if append.merged().is_some() { "Merge Append" } else { "Append" };
        let mut tree = Tree { below, ..Tree::new(node) }.costing(figures).shaped(Shape::of(node));
        if let Some(keys) = append.merged() {
            let key = |key: &SortKey| Some(self.key_of_parts(key)? + direction(key));
            tree.tell_all("Sort Key", keys.iter().map(key).collect::<Option<Vec<_>>>()?);
        }
        // of partitions each scan computes what is wanted, above others a node of its own does
        let is_computed = append.is_inherited && !are_columns(exprs);
        Some(if is_computed { Tree::over("Result", tree) } else { tree })
    }

    /// Before 14 each of the tables has a scan of its own (`inheritance_planner`).
    fn over_each(&self, node: &str, scan: &Scan, append: &Append) -> Option<Tree> {
        let mut tree = Tree::new(self.named(node, &scan.name));
        for (n, part) in append.scans.iter().enumerate() {
            let name = self.alias.unwrap_or(&scan.name);
            let name = if n == 0 { String::from(name) } else { format!("{name}_{n}") };
            let table = self.parts.iter().find(|table| table.oid == part.table);
            let one = Explained { table, alias: Some(&name), ..*self };
            tree.told.push(Told::Line(one.named(node, &part.name)));
            tree.below.push(one.scan(part, true)?.costing(None));
        }
        let operation = node.split(' ').next().unwrap_or(node);
        Some(tree.shaped(self.modify_shape(operation, &scan.name)))
    }

    /// A column of a table of which there are several parts has the table's name before it.
    pub(super) fn key_of_parts(&self, key: &SortKey) -> Option<String> {
        let table = self.table?;
        let Node::Slot(slot) = key.expr.node else { return None };
        let column = table.columns.get(usize::from(slot))?;
        let name = self.alias.unwrap_or(&table.name);
        Some(format!("{}.{}", quote_identifier(name), quote_identifier(&column.attribute.name)))
    }

    fn part_names(&self, append: &Append) -> Option<Vec<String>> {
        let name = self.alias.or(self.table.map(|table| table.name.as_str()))?;
        let is_alone = append.scans.len() == 1;
        let numbered = |n: usize| if is_alone { String::from(name) } else { format!("{name}_{}", n + 1) };
        let names = (0..append.scans.len()).map(numbered);
        Some(match append.order {
            AppendOrder::OfPartitions { backward: true } => names.rev().collect(),
            _ => names.collect(),
        })
    }

    /// UPDATE or DELETE, of whose partitions each is told.
    pub(super) fn over_partitions(&self, node: &str, scan: &Scan, below: Tree) -> Option<Tree> {
        let operation = node.split(' ').next().unwrap_or(node);
        let has_one_plan = PgVersion::of_major(self.major).updates_partitions_by_one_plan();
        if let Method::Append(append) = &scan.method
            && append.is_inherited
            && !has_one_plan
        {
            return self.over_each(node, scan, append);
        }
        let mut tree =
            Tree::over(&self.named(node, &scan.name), below).shaped(self.modify_shape(operation, &scan.name));
        let Method::Append(append) = &scan.method else { return Some(tree) };
        if !has_one_plan {
            return None;
        }
        let is_alone = append.scans.len() == 1;
        for (n, part) in append.scans.iter().enumerate() {
            let name = self.alias.unwrap_or(&scan.name);
            let name = format!("{name}_{}", n + 1);
            tree.told.push(Told::Line(Explained { alias: Some(&name), ..*self }.named(node, &part.name)));
        }
        // a partition alone has the number there, too
        if is_alone && let [only] = &append.scans[..] {
            let name = format!("{}_1", self.alias.unwrap_or(&scan.name));
            let table = self.parts.iter().find(|table| table.oid == only.table);
            let one = Explained { table, alias: Some(&name), ..*self };
            tree.below = Vec::from([one.scan(&Arc::clone(only), true)?.costing(None)]);
        }
        Some(tree)
    }
}

/// Are these columns, each once, and at most the place of the row (`tlist_same_exprs`)?
fn are_columns(exprs: &[&Typed]) -> bool {
    let is_column = |expr: &Typed| matches!(expr.node, Node::Slot(_)) || expr.ty == SqlType::TID;
    exprs
        .iter()
        .enumerate()
        .all(|(n, expr)| is_column(expr) && !exprs[..n].iter().any(|before| before.node == expr.node))
}

/// All rows of these; as wide as they are on average (`set_append_rel_size`).
fn appended(below: &[Tree], append: &Append) -> Option<Figures> {
    const EACH: f64 = 0.5 * CPU_TUPLE;
    let all = below.iter().map(|tree| tree.figures).collect::<Option<Vec<_>>>()?;
    let rows: f64 = all.iter().map(|figures| figures.rows).sum();
    let size: f64 = all.iter().map(|figures| figures.rows * f64::from(figures.width)).sum();
    let total = all.iter().map(|figures| figures.cost.total).sum::<f64>() + EACH * rows;
    let cost = match append.order {
        AppendOrder::None => Cost { startup: all.first()?.cost.startup, total },
        _ => append.cost(),
    };
    Some(Figures { cost, rows, width: rint(size / rows) as u32 })
}
