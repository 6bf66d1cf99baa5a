//! Rows on their way to the client, which is where their values are read at last
//! (src/backend/access/common/printtup.c).

use super::Query;
use crate::sql::executor::row::{fetch_value, is_external};
use crate::sql::tcop::Database;
use crate::sql::tcop::dest::{DestReceiver, Kept};
use crate::storage::Outcome;
use ffviz_format::datum::Value;

impl Query {
    /// `printtup`: the next row is sent, with values from the TOAST table fetched. Is there one?
    ///
    /// # Errors
    /// What finding it and fetching its values meets.
    pub fn send_next(&mut self, db: &mut Database, dest: Option<&mut DestReceiver>) -> Outcome<bool> {
        let is_there = self.next(db)?.is_some();
        if is_there {
            let mut result = core::mem::take(&mut self.result);
            let sent = self.send(db, &mut result, dest);
            self.result = result;
            sent?;
        }
        Ok(is_there)
    }

    /// Sends a row.
    ///
    /// # Errors
    /// What fetching its values meets.
    pub fn send(&self, db: &mut Database, row: &mut [Value], dest: Option<&mut DestReceiver>) -> Outcome<()> {
        if row.iter().any(is_external) {
            for (target, value) in self.plan.targets.iter().zip(row.iter_mut()) {
                fetch_value(db, target.value.ty().kind(), value)?;
            }
        }
        if let Some(dest) = dest {
            dest.receive(row)?;
        }
        Ok(())
    }

    /// Can its rows be read backward (`ExecSupportsBackwardScan`)? Nothing where that is not known here.
    pub fn goes_back(&self) -> Option<bool> {
        let plan = &self.plan;
        if plan.locking.is_some() || !plan.aggregates.is_empty() {
            return Some(false);
        }
        (plan.sources.is_empty() && !plan.is_general()).then_some(true)
    }

    /// Where its rows go to the client: what keeps them.
    pub fn receiver(&self, kept: Kept) -> DestReceiver {
        DestReceiver::new(kept, self.plan.targets.iter().map(|target| (target.name.clone(), target.value.ty())))
    }
}
