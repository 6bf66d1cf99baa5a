//! The wish that the running statement ends (`CHECK_FOR_INTERRUPTS`, src/include/miscadmin.h; `ProcessInterrupts`,
//! src/backend/tcop/postgres.c).

use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, Ordering};
use ffviz_format::datum::SqlError;

/// Why a statement is to end before it is done.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    /// set by somebody else
    flag: Option<Arc<AtomicBool>>,
    /// an error that was met where none could be given
    raised: Option<SqlError>,
}

impl Interrupt {
    /// As that flag says.
    #[must_use]
    pub const fn new(flag: Arc<AtomicBool>) -> Self {
        Self { flag: Some(flag), raised: None }
    }

    /// The running statement is to end with that error.
    pub fn raise(&mut self, error: SqlError) {
        self.raised = Some(error);
    }

    /// A statement begins, which what was raised before does not concern.
    pub fn begin_statement(&mut self) {
        self.raised = None;
    }

    /// Is the statement to go on?
    ///
    /// # Errors
    /// PostgreSQL's, where it is to end.
    #[inline]
    pub fn check(&self) -> Result<(), SqlError> {
        let is_flagged = || self.flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if self.raised.is_some() || is_flagged() { Err(self.reason()) } else { Ok(()) }
    }

    /// `ProcessInterrupts`
    #[cold]
    fn reason(&self) -> SqlError {
        let canceled = || SqlError::new("57014", "canceling statement due to user request");
        self.raised.clone().unwrap_or_else(canceled)
    }
}
