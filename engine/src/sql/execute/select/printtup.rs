//! Rows on their way to the client, which is where their values are read at last (src/backend/access/common/printtup.c).

use super::Query;
use crate::sql::execute::Database;
use crate::sql::execute::row::{fetch_value, is_external};
use crate::storage::Outcome;

impl Query {
    /// `printtup`: the next row is sent, with values from the TOAST table fetched. Is there one?
    ///
    /// # Errors
    /// What finding it and fetching its values meets.
    pub fn send_next(&mut self, db: &mut Database) -> Outcome<bool> {
        let is_there = self.next(db)?.is_some();
        if is_there && self.result.iter().any(is_external) {
            for (target, value) in self.plan.targets.iter().zip(&mut self.result) {
                let Some(expr) = target.value.expr() else { continue };
                fetch_value(db, expr.ty.kind(), value)?;
            }
        }
        Ok(is_there)
    }
}
