//! The `ffviz` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ffviz_tui::cli::main()
}
