//! The scripts that the command line names: files and builtins, with their weights.

use super::args::RunCommand;
use crate::failure::Failure;
use crate::sim::file;
use ffviz_simulator::pgbench::{BUILTINS, BenchScript, find_builtin};
use std::path::Path;

/// All scripts: builtins, then files.
///
/// # Errors
/// A name that there is not, a file that cannot be read, a script with something wrong in it.
pub(super) fn scripts(args: &RunCommand) -> Result<Vec<BenchScript>, Failure> {
    let mut scripts = Vec::new();
    for text in &args.builtin {
        scripts.push(builtin(text)?);
    }
    for text in args.file.iter().chain(&args.scripts) {
        let (path, weight) = weight(text)?;
        let path = Path::new(path);
        scripts.push(BenchScript::parse(&file::name(path), &file::read(path)?, weight)?);
    }
    if scripts.is_empty() {
        scripts.push(builtin("tpcb-like")?);
    }
    if scripts.iter().all(|script| script.weight == 0) {
        return Err(Failure::wrong_use("total script weight must not be zero".to_owned()));
    }
    Ok(scripts)
}

/// Do the scripts work on pgbench's tables, as far as the command line says?
pub(super) fn wants_tables(args: &RunCommand) -> bool {
    let has_own = !args.file.is_empty() || !args.scripts.is_empty();
    args.initialize || !args.builtin.is_empty() || (!has_own && args.before.is_none())
}

fn builtin(text: &str) -> Result<BenchScript, Failure> {
    let (name, weight) = weight(text)?;
    let Some(builtin) = find_builtin(name) else {
        let names: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
        return Err(Failure::wrong_use(format!(
            "{name:?} is no builtin script, or several: there are {}",
            names.join(", ")
        )));
    };
    Ok(BenchScript::parse(builtin.name, builtin.text, weight)?)
}

/// `NAME@WEIGHT`
fn weight(text: &str) -> Result<(&str, u32), Failure> {
    let Some((name, weight)) = text.rsplit_once('@') else { return Ok((text, 1)) };
    let weight = weight.parse::<u32>().ok().filter(|weight| *weight <= i32::MAX.unsigned_abs());
    let wrong = || Failure::wrong_use(format!("{text}: after @ comes the script's weight, a whole number"));
    Ok((name, weight.ok_or_else(wrong)?))
}
