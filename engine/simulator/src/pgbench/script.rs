//! A script to its commands (`ParseScript`, `process_backslash_command` and `CheckConditional` of
//! src/bin/pgbench/pgbench.c).
//!
//! SQL ends at a semicolon, which belongs to it, at a command that begins with a backslash, and at the script's end.

use super::expr::{Expr, parse};
use super::variables::Variables;
use crate::sql::script::token_length;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A script, and how often it is taken among several.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchScript {
    /// how it is called
    pub name: String,
    /// its weight
    pub weight: u32,
    /// its commands
    pub commands: Vec<Command>,
}

/// A command of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// the line that it begins in, from 1
    pub line: u32,
    /// what it does
    pub kind: CommandKind,
}

/// What a command does.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandKind {
    /// a statement
    Sql(SqlCommand),
    /// `\set NAME EXPRESSION`
    Set(String, Expr),
    /// `\if`, `\elif`, `\else`, `\endif`
    Branch(Branch),
    /// `\sleep`: no time passes; of `\sleep :name` the variable, which has to be there
    Sleep(Option<String>),
}

/// A part of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Branch {
    /// `\if`
    If(Expr),
    /// `\elif`
    Elif(Expr),
    /// `\else`
    Else,
    /// `\endif`
    Endif,
}

/// A statement with the variables in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlCommand {
    /// what stands between them, and they
    pub pieces: Vec<Piece>,
    /// `\gset`, `\aset`
    pub got: Option<Got>,
}

/// A piece of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// stays as it is
    Text(String),
    /// `:name`, which stays too where there is no such variable
    Variable(String),
}

/// Where the row goes that a statement gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    /// put before the names of the columns
    pub prefix: String,
    /// `\gset`: there has to be one row
    pub is_one: bool,
}

impl SqlCommand {
    /// `parseVariable`: where names begin and end
    fn new(text: &str) -> Self {
        let (mut pieces, mut start, mut at) = (Vec::new(), 0, 0);
        while let Some(colon) = text[at..].find(':').map(|found| at + found) {
            let rest = &text[colon + 1..];
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
            let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
            if !Variables::is_name(name) {
                at = colon + text[colon..].bytes().take_while(|byte| *byte == b':').count();
                continue;
            }
            pieces.extend((start < colon).then(|| Piece::Text(text[start..colon].to_string())));
            pieces.push(Piece::Variable(name.to_string()));
            at = colon + 1 + name.len();
            start = at;
        }
        pieces.extend((start < text.len()).then(|| Piece::Text(text[start..].to_string())));
        Self { pieces, got: None }
    }

    /// `assignVariables`: as it is sent
    #[must_use]
    pub fn text(&self, variables: &Variables) -> String {
        let mut sql = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => sql.push_str(text),
                Piece::Variable(name) => match variables.text(name) {
                    Some(value) => sql.push_str(&value),
                    None => sql.extend([":", name]),
                },
            }
        }
        sql
    }
}

impl BenchScript {
    /// Reads a script.
    ///
    /// # Errors
    /// A sentence with the line.
    pub fn parse(name: &str, text: &str, weight: u32) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0, start: None, depth: 0, commands: Vec::new() };
        reader.run().and_then(|()| check_conditions(&reader.commands)).map_err(|fault| {
            let Fault { line, sentence } = fault;
            format!("{name}, line {line}: {sentence}")
        })?;
        if reader.commands.is_empty() {
            return Err(format!("{name}: a script without a command"));
        }
        Ok(Self { name: name.to_string(), weight, commands: reader.commands })
    }

    /// Do the rows that its statements give matter?
    #[must_use]
    pub fn takes_rows(&self) -> bool {
        let takes = |command: &Command| matches!(&command.kind, CommandKind::Sql(sql) if sql.got.is_some());
        self.commands.iter().any(takes)
    }
}

/// What is wrong in a line.
struct Fault {
    line: u32,
    sentence: String,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// where the statement begins that is being read
    start: Option<usize>,
    depth: u32,
    commands: Vec<Command>,
}

impl Reader<'_> {
    fn line(&self, at: usize) -> u32 {
        1 + self.text[..at].bytes().filter(|byte| *byte == b'\n').count() as u32
    }

    fn run(&mut self) -> Result<(), Fault> {
        while let Some(c) = self.text[self.at..].chars().next() {
            let rest = &self.text[self.at..];
            match c {
                '\\' => self.backslash()?,
                ';' if self.depth == 0 => {
                    self.at += 1;
                    self.end_statement();
                }
                _ if c.is_whitespace() => self.at += c.len_utf8(),
                _ if rest.starts_with("--") => self.at += token_length(rest, c),
                _ => {
                    self.start.get_or_insert(self.at);
                    self.depth = match c {
                        '(' => self.depth + 1,
                        ')' => self.depth.saturating_sub(1),
                        _ => self.depth,
                    };
                    self.at += token_length(rest, c);
                }
            }
        }
        self.end_statement();
        Ok(())
    }

    fn end_statement(&mut self) {
        self.depth = 0;
        if let Some(start) = self.start.take() {
            let kind = CommandKind::Sql(SqlCommand::new(self.text[start..self.at].trim_end()));
            self.commands.push(Command { line: self.line(start), kind });
        }
    }

    /// A command up to the line's end.
    fn backslash(&mut self) -> Result<(), Fault> {
        let line = self.line(self.at);
        let fault = |sentence: String| Err(Fault { line, sentence });
        if self.text[self.at..].starts_with("\\;") {
            return fault("\\; sends several statements at once, which is not supported; write them one by one".into());
        }
        self.end_statement();
        let rest = &self.text[self.at + 1..];
        let mut length = rest.find('\n').unwrap_or(rest.len());
        while rest[..length].ends_with('\\') && length < rest.len() {
            length += 1 + rest[length + 1..].find('\n').unwrap_or(rest.len() - length - 1);
        }
        self.at += 1 + length;
        let command = rest[..length].replace("\\\n", " ");
        let command = command.trim();
        let (name, arguments) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let expression = |text: &str| {
            parse(text).map_err(|error| Fault {
                line,
                sentence: format!("{} in \\{name} {}", error.message, arguments.trim()),
            })
        };
        let kind = match name.to_ascii_lowercase().as_str() {
            "" => return Ok(()),
            "set" => {
                let Some(variable) = words.first() else { return fault("\\set needs a name and an expression".into()) };
                if !Variables::is_name(variable) {
                    return fault(format!("invalid variable name: \"{variable}\""));
                }
                let text = &arguments.trim_start()[variable.len()..];
                CommandKind::Set((*variable).to_string(), expression(text)?)
            }
            "if" => CommandKind::Branch(Branch::If(expression(arguments)?)),
            "elif" => CommandKind::Branch(Branch::Elif(expression(arguments)?)),
            "else" | "endif" if !words.is_empty() => return fault(format!("unexpected argument after \\{name}")),
            "else" => CommandKind::Branch(Branch::Else),
            "endif" => CommandKind::Branch(Branch::Endif),
            "sleep" => CommandKind::Sleep(sleep(&words).map_err(|sentence| Fault { line, sentence })?),
            command @ ("gset" | "aset") => {
                return self.got(command, &words).map_err(|sentence| Fault { line, sentence });
            }
            "shell" | "setshell" => {
                return fault(format!(
                    "\\{name} runs a program, which is not supported; -D NAME=VALUE gives a variable its value"
                ));
            }
            "startpipeline" | "endpipeline" | "syncpipeline" => {
                return fault(format!("\\{name} is not supported: statements are sent one by one; leave it out"));
            }
            _ => {
                return fault(format!(
                    "\\{name} is no command of pgbench: there are \\set, \\if, \\elif, \\else, \\endif, \\gset, \\aset and \\sleep"
                ));
            }
        };
        self.commands.push(Command { line, kind });
        Ok(())
    }

    /// The row of the statement before goes to variables.
    fn got(&mut self, command: &str, words: &[&str]) -> Result<(), String> {
        let [prefix] = match words {
            [] => [""],
            [prefix] => [*prefix],
            _ => return Err(format!("\\{command} takes one argument, what is put before the names")),
        };
        match self.commands.last_mut() {
            Some(Command { kind: CommandKind::Sql(sql), .. }) if sql.got.is_none() => {
                sql.got = Some(Got { prefix: prefix.to_string(), is_one: command == "gset" });
                Ok(())
            }
            _ => Err(format!("\\{command} must follow an SQL command")),
        }
    }
}

/// The arguments of `\sleep`: a number or a variable, and us, ms or s.
fn sleep(words: &[&str]) -> Result<Option<String>, String> {
    let (time, unit) = match words {
        [] => return Err("\\sleep needs a time".into()),
        [time] => (*time, None),
        [time, unit] => (*time, Some(*unit)),
        _ => return Err("\\sleep takes a time and a unit".into()),
    };
    let is_unit = |unit: &str| ["us", "ms", "s"].iter().any(|known| known.eq_ignore_ascii_case(unit));
    if let Some(name) = time.strip_prefix(':') {
        return if unit.is_none_or(is_unit) { Ok(Some(name.to_string())) } else { Err(no_unit(unit)) };
    }
    let digits = time.trim_start_matches(['-', '+']);
    let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == digits.len() || (unit.is_some() && !after.is_empty()) {
        return Err(format!("invalid sleep time, must be an integer ({time})"));
    }
    let unit = unit.or(Some(after).filter(|unit| !unit.is_empty()));
    if unit.is_none_or(is_unit) { Ok(None) } else { Err(no_unit(unit)) }
}

fn no_unit(unit: Option<&str>) -> String {
    format!("unrecognized time unit, must be us, ms or s ({})", unit.unwrap_or_default())
}

/// `CheckConditional`
fn check_conditions(commands: &[Command]) -> Result<(), Fault> {
    // of each \if that is open: was there an \else?
    let mut open: Vec<bool> = Vec::new();
    let mut last = 1;
    for command in commands {
        last = command.line;
        let CommandKind::Branch(branch) = &command.kind else { continue };
        let fault = |sentence: &str| Err(Fault { line: command.line, sentence: sentence.to_string() });
        match (branch, open.last_mut()) {
            (Branch::If(_), _) => open.push(false),
            (Branch::Elif(_), None) => return fault("\\elif without matching \\if"),
            (Branch::Elif(_), Some(true)) => return fault("\\elif after \\else"),
            (Branch::Elif(_), Some(false)) => {}
            (Branch::Else, None) => return fault("\\else without matching \\if"),
            (Branch::Else, Some(true)) => return fault("\\else after \\else"),
            (Branch::Else, Some(had_else)) => *had_else = true,
            (Branch::Endif, None) => return fault("\\endif without matching \\if"),
            (Branch::Endif, Some(_)) => drop(open.pop()),
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(Fault { line: last, sentence: "\\if without matching \\endif".to_string() })
}
