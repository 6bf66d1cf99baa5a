//! A client: where it is in its script, its variables, its random numbers (`CState`, `chooseScript` of
//! src/bin/pgbench/pgbench.c).

use super::expr::{Expr, ExprError, Scope, eval};
use super::prng::Prng;
use super::script::{BenchScript, Branch, Command, CommandKind, Got, SqlCommand};
use super::variables::Variables;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;
use ffviz_story::timeline::ResultSet;

/// The generators that one seed gives, in the order in which pgbench draws them.
#[derive(Debug, Clone)]
pub struct Seeds {
    /// `cs_func_rs` of each client
    pub clients: Vec<Prng>,
    /// `:default_seed`, where `-D` gives none
    pub default_seed: Option<i64>,
    /// `ts_choose_rs`: which of several scripts is taken
    pub choose: Prng,
}

impl Seeds {
    /// Of `--random-seed`, for so many clients.
    #[must_use]
    pub fn new(version: PgVersion, seed: u64, clients: u32, has_default_seed: bool) -> Self {
        let mut base = Prng::seed(version, seed);
        let clients = (0..clients).map(|_| base.child()).collect();
        let default_seed = (!has_default_seed).then(|| base.default_seed());
        Self { clients, default_seed, choose: base.child() }
    }

    /// `chooseScript`: by weight, without a draw where there is one only
    pub fn choose(&mut self, scripts: &[BenchScript]) -> usize {
        let total: i64 = scripts.iter().map(|script| i64::from(script.weight)).sum();
        if scripts.len() == 1 || total == 0 {
            return 0;
        }
        let mut left = self.choose.range(0, total - 1);
        let place = scripts.iter().position(|script| {
            left -= i64::from(script.weight);
            left < 0
        });
        place.unwrap_or(0)
    }
}

/// `ConditionalStack`: how it is with an `\if`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// its commands are done
    True,
    /// no branch was taken yet
    False,
    /// one was taken, or the whole is passed over
    Ignored,
}

/// What a client does next.
#[derive(Debug)]
pub enum Next<'a> {
    /// it sends this statement
    Send(&'a Command, &'a SqlCommand),
    /// the script is at its end
    End,
}

/// A client that runs scripts.
#[derive(Debug, Clone)]
pub struct Client {
    /// its variables
    pub variables: Variables,
    prng: Prng,
    version: PgVersion,
    /// the next command
    at: usize,
    conditions: Vec<Condition>,
}

impl Client {
    /// One that is at the beginning of a script.
    #[must_use]
    pub const fn new(version: PgVersion, prng: Prng, variables: Variables) -> Self {
        Self { variables, prng, version, at: 0, conditions: Vec::new() }
    }

    /// Goes back to the beginning of a script; variables stay.
    pub fn rewind(&mut self) {
        self.at = 0;
        self.conditions.clear();
    }

    /// Does what is not SQL, up to the next statement.
    ///
    /// # Errors
    /// A sentence with the line.
    pub fn next<'a>(&mut self, script: &'a BenchScript) -> Result<Next<'a>, String> {
        while let Some(command) = script.commands.get(self.at) {
            self.at += 1;
            let is_active = self.conditions.iter().all(|condition| *condition == Condition::True);
            let done = match &command.kind {
                CommandKind::Branch(branch) => self.branch(branch),
                _ if !is_active => Ok(()),
                CommandKind::Sql(sql) => return Ok(Next::Send(command, sql)),
                CommandKind::Set(name, expr) => {
                    eval(expr, &mut self.scope()).map(|value| self.variables.set(name, value))
                }
                CommandKind::Sleep(Some(name)) => self.variables.value(name).map(drop),
                CommandKind::Sleep(None) => Ok(()),
            };
            done.map_err(|error| format!("{}, line {}: {}", script.name, command.line, error.message))?;
        }
        Ok(Next::End)
    }

    const fn scope(&mut self) -> Scope<'_> {
        Scope { variables: &self.variables, prng: &mut self.prng, version: self.version }
    }

    fn branch(&mut self, branch: &Branch) -> Result<(), ExprError> {
        let (last, outer) = match self.conditions.split_last() {
            Some((last, outer)) => (Some(*last), outer),
            None => (None, &[][..]),
        };
        let runs = |conditions: &[Condition]| conditions.iter().all(|condition| *condition == Condition::True);
        let is_outer_active = runs(outer);
        match branch {
            Branch::If(expr) => {
                let condition = if runs(&self.conditions) { self.test(expr)? } else { Condition::Ignored };
                self.conditions.push(condition);
            }
            Branch::Elif(expr) => {
                let next = match last {
                    Some(Condition::False) if is_outer_active => self.test(expr)?,
                    _ => Condition::Ignored,
                };
                self.replace(next);
            }
            Branch::Else => {
                self.replace(if last == Some(Condition::False) { Condition::True } else { Condition::Ignored });
            }
            Branch::Endif => drop(self.conditions.pop()),
        }
        Ok(())
    }

    fn test(&mut self, expr: &Expr) -> Result<Condition, ExprError> {
        Ok(if eval(expr, &mut self.scope())?.is_true() { Condition::True } else { Condition::False })
    }

    fn replace(&mut self, condition: Condition) {
        if let Some(last) = self.conditions.last_mut() {
            *last = condition;
        }
    }

    /// `\gset`, `\aset`: the row's values become variables.
    ///
    /// # Errors
    /// Not the one row that has to be there.
    pub fn take(&mut self, got: &Got, rows: Option<&ResultSet>) -> Result<(), String> {
        let count = rows.map_or(0, |rows| rows.count);
        if got.is_one && count != 1 {
            return Err(format!("expected one row, got {count}"));
        }
        let Some(rows) = rows else { return Ok(()) };
        let Some(row) = rows.rows.last().filter(|_| rows.rows.len() as u64 == count) else { return Ok(()) };
        for (column, value) in rows.columns.iter().zip(row) {
            let name = format!("{}{column}", got.prefix);
            if !Variables::is_name(&name) {
                return Err(format!("invalid variable name: \"{name}\""));
            }
            // libpq gives NULL as an empty text
            self.variables.set_text(&name, value.as_deref().unwrap_or_default());
        }
        Ok(())
    }
}
