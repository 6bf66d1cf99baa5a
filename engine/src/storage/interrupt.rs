//! The wish that the running statement ends (`CHECK_FOR_INTERRUPTS`, src/include/miscadmin.h; `ProcessInterrupts`, src/backend/tcop/postgres.c).

use crate::datum::SqlError;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};

/// A flag that somebody else may set; without one nothing is ever interrupted.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    /// As that flag says.
    #[must_use]
    pub const fn new(flag: Arc<AtomicBool>) -> Self {
        Self(Some(flag))
    }

    /// Is the statement to go on?
    ///
    /// # Errors
    /// PostgreSQL's, where it is to end.
    pub fn check(&self) -> Result<(), SqlError> {
        match &self.0 {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(SqlError::new("57014", "canceling statement due to user request"))
            }
            _ => Ok(()),
        }
    }
}
