//! Rows on their way to the client, which is where their values are read at last
//! (src/backend/access/common/printtup.c).

use super::Query;
use crate::sql::executor::row::{fetch_value, is_external};
use crate::sql::tcop::Database;
use crate::sql::tcop::dest::{DestReceiver, Kept};
use crate::storage::Outcome;

impl Query {
    /// `printtup`: the next row is sent, with values from the TOAST table fetched. Is there one?
    ///
    /// # Errors
    /// What finding it and fetching its values meets.
    pub fn send_next(&mut self, db: &mut Database, dest: Option<&mut DestReceiver>) -> Outcome<bool> {
        let is_there = self.next(db)?.is_some();
        if is_there && self.result.iter().any(is_external) {
            for (target, value) in self.plan.targets.iter().zip(&mut self.result) {
                fetch_value(db, target.value.ty().kind(), value)?;
            }
        }
        if let Some(dest) = dest.filter(|_| is_there) {
            dest.receive(&self.result);
        }
        Ok(is_there)
    }

    /// Where its rows go to the client: what keeps them.
    pub fn receiver(&self, kept: Kept) -> DestReceiver {
        DestReceiver::new(kept, self.plan.targets.iter().map(|target| (target.name.clone(), target.value.ty())))
    }
}
