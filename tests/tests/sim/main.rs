//! The simulator against real servers, and the runner of the servers' side against itself.

mod determinism;
