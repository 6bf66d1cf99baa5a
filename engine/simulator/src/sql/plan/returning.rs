//! RETURNING (`transformReturningList`, src/backend/parser/analyze.c).

use super::fold::fold;
use super::statement::{Planner, domains_of, generated_of, range_of};
use super::targets::{name_of, star};
use super::{Output, Returning};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Target};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{RangeTable, SystemColumns, Typed};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl Planner<'_> {
    /// What is given of each row; `makes_rows`: the rows are new, as those of INSERT and UPDATE are.
    pub(super) fn returning(
        &mut self,
        table: &TableInfo,
        alias: Option<&str>,
        targets: &[Target],
        makes_rows: bool,
    ) -> Result<Option<Arc<Returning>>, StatementError> {
        self.returning_of(table, range_of(table, alias), targets, makes_rows)
    }

    /// The same over these columns, of which the first are the table's.
    pub(super) fn returning_of(
        &mut self,
        table: &TableInfo,
        mut range: RangeTable,
        targets: &[Target],
        makes_rows: bool,
    ) -> Result<Option<Arc<Returning>>, StatementError> {
        if targets.is_empty() {
            return Ok(None);
        }
        let input = self.catalog.input();
        let images = self.add_images(&mut range, table, targets);
        let (mut all, mut names) = (Vec::new(), Vec::new());
        for target in targets {
            match target {
                Target::Star(name) => {
                    let mut outputs = Vec::new();
                    star(&range, name.as_deref(), &mut outputs)?;
                    for Output { name, value } in outputs {
                        all.extend(value.expr().cloned());
                        names.push(name);
                    }
                }
                Target::Expr { expr, alias } => {
                    let typed = self.analyze(&range, "RETURNING", |analyzer| analyzer.decided(expr))?;
                    all.push(fold(typed, input)?);
                    names.push(name_of(expr, alias.as_ref(), self.major()));
                }
            }
        }
        let width = table.columns.len();
        let slots: Vec<usize> = all.iter().flat_map(slots_of).collect();
        if makes_rows
            && !self.version().returns_headers()
            && slots.iter().any(|slot| (width + 1..width + 5).contains(slot))
        {
            let message = "xmin, xmax, cmin and cmax in RETURNING of INSERT and UPDATE are not supported before 14";
            return Err(StatementError::unsupported(message, None));
        }
        self.look_up_outputs(all.iter());
        // what WITH reads of it stays as it is
        if !self.is_nested {
            all.iter_mut().for_each(super::select::name_relation);
        }
        let system = slots.iter().any(|slot| *slot >= width);
        Ok(Some(Arc::new(Returning { targets: all, names, system, images })))
    }

    /// `addNSItemForReturning`: from 18 on `old` and `new` are the row before and after, where nothing else is called
    /// so. Where these begin, if they are read.
    pub(super) fn add_images(&mut self, range: &mut RangeTable, table: &TableInfo, targets: &[Target]) -> Option<u16> {
        const IMAGES: [(&str, &str); 2] = [("old", OLD), ("new", NEW)];
        if !self.version().has_old_and_new() || !targets.iter().any(|target| reads(target, &["old", "new", OLD, NEW])) {
            return None;
        }
        let before = range.width();
        let attributes: Vec<_> = table.columns.iter().map(|column| column.attribute.clone()).collect();
        let names = IMAGES.map(|(name, _)| range.entry(name).is_none().then_some(name));
        for (name, (_, renamed)) in names.into_iter().zip(IMAGES) {
            let first = range.width();
            for name in name.into_iter().chain([renamed]) {
                range.add_table(name, &attributes);
                if let Some(entry) = range.entries.last_mut() {
                    (entry.first, entry.only_qualified, entry.relation) = (first, true, Some(table.oid));
                    (entry.generated, entry.domains) = (generated_of(table), domains_of(table));
                    entry.row_type = table.row_type;
                    entry.is_nullable = true;
                    entry.system = SystemColumns::Read;
                }
            }
        }
        Some(before)
    }
}

/// What WITH (OLD AS …, NEW AS …) renames, as the parser calls it then.
pub const OLD: &str = "?old?";
/// The other one.
pub const NEW: &str = "?new?";

/// Does it read one of these tables?
fn reads(target: &Target, names: &[&str]) -> bool {
    fn of_expr(expr: &Expr, names: &[&str]) -> bool {
        let is_it =
            matches!(&expr.node, ExprNode::Column { table: Some(table), .. } if names.contains(&table.as_str()));
        is_it || expr.children().into_iter().any(|child| of_expr(child, names))
    }
    match target {
        Target::Star(name) => name.as_deref().is_some_and(|name| names.contains(&name)),
        Target::Expr { expr, .. } => of_expr(expr, names),
    }
}

/// Does it read what WITH has renamed?
pub fn reads_renamed(target: &Target) -> bool {
    reads(target, &[OLD, NEW])
}

fn slots_of(expr: &Typed) -> Vec<usize> {
    let mut slots = Vec::new();
    expr.slots(&mut slots);
    slots.into_iter().map(usize::from).collect()
}
