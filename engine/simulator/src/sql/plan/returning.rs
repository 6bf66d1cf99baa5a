//! RETURNING (`transformReturningList`, src/backend/parser/analyze.c).

use super::fold::fold;
use super::statement::{Planner, range_of};
use super::targets::{name_of, star};
use super::{Output, Returning};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, Target};
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{RangeTable, Typed};
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
        if targets.is_empty() {
            return Ok(None);
        }
        let (range, input) = (range_of(table, alias), self.catalog.input());
        let (mut all, mut names) = (Vec::new(), Vec::new());
        for target in targets {
            match target {
                Target::Star(name) => {
                    let mut outputs = Vec::new();
                    star(&range, name.as_deref(), &mut outputs).map_err(|error| self.refuse_old_and_new(error))?;
                    for Output { name, value } in outputs {
                        all.extend(value.expr().cloned());
                        names.push(name);
                    }
                }
                Target::Expr { expr, alias } => {
                    all.push(fold(self.returned(&range, expr)?, input)?);
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
        Ok(Some(Arc::new(Returning { targets: all, names, system: slots.iter().any(|slot| *slot >= width) })))
    }

    fn returned(&mut self, range: &RangeTable, expr: &Expr) -> Result<Typed, StatementError> {
        let typed = self.analyze(range, "RETURNING", |analyzer| analyzer.decided(expr));
        typed.map_err(|error| self.refuse_old_and_new(error))
    }

    fn refuse_old_and_new(&self, error: StatementError) -> StatementError {
        let names = |name: &str| error.error.message.ends_with(&alloc::format!("\"{name}\""));
        if self.version().has_old_and_new() && error.error.sqlstate == "42P01" && (names("old") || names("new")) {
            return StatementError::unsupported("old and new in RETURNING are not supported", error.position);
        }
        error
    }
}

fn slots_of(expr: &Typed) -> Vec<usize> {
    let mut slots = Vec::new();
    expr.slots(&mut slots);
    slots.into_iter().map(usize::from).collect()
}
