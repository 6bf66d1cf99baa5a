//! Ctrl-C for commands without a screen.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The flag is set by the first Ctrl-C, which asks to end after what is under way; the second ends at once.
///
/// # Errors
/// A sentence.
pub fn flag() -> Result<Arc<AtomicBool>, String> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
            .map_err(|error| format!("signals cannot be handled: {error}"))?;
    }
    Ok(flag)
}
