//! The `ffviz` command.

fn main() {}
