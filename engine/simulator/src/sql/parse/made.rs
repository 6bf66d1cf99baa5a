//! What a statement would make or change by name, whether it can be read otherwise or not: where it is refused, what
//! comes later and asks for that is no mistake.

use super::cursor::Parser;
use super::lex::Token;
use alloc::string::String;
use alloc::vec::Vec;

/// Words between CREATE and the kind of object.
const HOW: &[&str] = &[
    "or",
    "replace",
    "global",
    "local",
    "temp",
    "temporary",
    "unlogged",
    "recursive",
    "unique",
    "materialized",
    "foreign",
    "constraint",
    "trusted",
    "procedural",
    "event",
    "default",
    "access",
];

/// How a constraint of a table begins: a server checks rows by it.
const CONSTRAINTS: &[&str] = &["constraint", "unique", "primary", "check", "foreign", "exclude"];

/// Words between the kind of object and its name.
const BEFORE_NAME: &[&str] = &["concurrently", "if", "not", "exists", "only"];

/// How long a role that is set stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// until another is set
    Session,
    /// SET LOCAL: until the transaction ends
    Transaction,
}

/// What a statement makes and changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Makes {
    /// names that there are after it: of objects, columns, constraints
    pub names: Vec<String>,
    /// the table that it changes
    pub changes: Option<String>,
    /// does that get an index?
    pub index: bool,
    /// the table whose rows it changes
    pub rows: Option<String>,
    /// tables that it refers to: rows of these may not go while others refer to them
    pub references: Vec<String>,
    /// does it say as which role what comes later runs?
    pub role: Option<Lasting>,
    /// does it say what roles may do, or which rows they see?
    pub rights: bool,
    /// objects that what it makes needs: they cannot be dropped without it
    pub needs: Vec<String>,
    /// the table or view to which it gives a rule, a trigger or a constraint, or takes one away
    pub acts: Option<String>,
}

/// What a statement makes and changes, by its words alone.
#[must_use]
pub fn makes(sql: &str) -> Makes {
    let Ok(mut parser) = Parser::new(sql) else { return Makes::default() };
    let mut makes = Makes { rights: parser.says_rights(), ..Makes::default() };
    match parser.any_word().as_deref() {
        Ok("create") => parser.created(&mut makes),
        Ok("alter") => parser.altered(&mut makes),
        Ok("insert" | "update" | "delete" | "merge" | "copy" | "truncate") => {
            let _ = parser.eat("into") || parser.eat("from");
            makes.rows = parser.last_name().filter(|_| !parser.is_word("to"));
        }
        Ok("set" | "reset") => {
            let lasting = if parser.eat("local") { Lasting::Transaction } else { Lasting::Session };
            let is_user = parser.eat("session authorization");
            parser.eat("session");
            makes.role = (is_user || parser.is_word("role")).then_some(lasting);
        }
        Ok("prepare") => makes.names.extend(parser.name()),
        Ok("declare") => makes.names.extend(parser.name()),
        Ok("select" | "with") => {
            while *parser.peek() != Token::End {
                if parser.eat("insert into") || parser.eat("delete from") || parser.eat("update") {
                    makes.rows = parser.last_name();
                } else if parser.eat("into") {
                    makes.names.extend(parser.last_name());
                    return makes;
                } else {
                    parser.step();
                }
            }
        }
        _ => {}
    }
    makes
}

impl Parser {
    fn says_rights(&mut self) -> bool {
        let mark = self.mark();
        let begin = ["grant", "revoke", "reassign", "drop owned", "alter default", "create policy", "alter policy"];
        let more = ["drop policy", "alter role", "alter user", "alter group"];
        let mut says = begin.into_iter().chain(more).any(|words| self.eat(words));
        if self.eat("alter table") {
            while !says && *self.peek() != Token::End {
                says = self.eat("level security");
                self.step();
            }
        }
        self.back_to(mark);
        says
    }

    /// The last of a name's parts: that of the object.
    fn last_name(&mut self) -> Option<String> {
        while HOW.iter().chain(BEFORE_NAME).chain(&["table"]).any(|word| self.eat(word)) {}
        let mut name = self.maybe_name()?;
        while self.eat_op(".") {
            name = self.maybe_name()?;
        }
        Some(name)
    }

    /// What could be names in the rest.
    fn words_left(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while *self.peek() != Token::End {
            match self.maybe_name() {
                Some(word) => words.push(word),
                None => self.step(),
            }
        }
        words
    }

    fn created(&mut self, makes: &mut Makes) {
        let mut is_unique = false;
        while HOW.iter().any(|word| {
            is_unique |= self.is_word("unique");
            self.eat(word)
        }) {}
        let Ok(kind) = self.any_word() else { return };
        let name = self.last_name();
        if kind == "index" {
            // a unique one may be what ON CONFLICT asks for
            let mark = self.mark();
            makes.changes = if self.eat("on") { self.last_name() } else { None };
            makes.index = true;
            makes.acts = makes.changes.clone().filter(|_| is_unique);
            self.back_to(mark);
        }
        if matches!(kind.as_str(), "rule" | "trigger") {
            // CREATE RULE … TO t, CREATE TRIGGER … ON t
            let before = if kind == "rule" { "to" } else { "on" };
            while *self.peek() != Token::End && !self.eat(before) {
                self.step();
            }
            makes.acts = self.last_name();
        }
        makes.names.extend(name);
        if matches!(kind.as_str(), "view" | "table" | "type" | "domain") {
            let mark = self.mark();
            makes.needs = self.words_left();
            self.back_to(mark);
        }
        while kind == "table" && *self.peek() != Token::End {
            if self.eat("references") {
                makes.references.extend(self.last_name());
            } else {
                self.step();
            }
        }
    }

    fn altered(&mut self, makes: &mut Makes) {
        let Ok(_) = self.any_word() else { return };
        makes.changes = self.last_name();
        let mark = self.mark();
        makes.needs = self.words_left();
        self.back_to(mark);
        if (self.eat("enable") || self.eat("disable")) && !self.is_word("row") {
            makes.acts.clone_from(&makes.changes);
        }
        while *self.peek() != Token::End {
            // a column, a constraint, a new name
            let adds = self.eat("add");
            if adds && CONSTRAINTS.iter().any(|word| self.is_word(word)) {
                makes.acts.clone_from(&makes.changes);
                // a key brings an index
                makes.index |= !["check", "foreign"].iter().any(|word| self.is_word(word));
            }
            if adds || self.eat("rename") && !self.is_word("to") {
                let _ = self.eat("column") || self.eat("constraint");
                makes.names.extend(self.last_name());
            } else if self.eat("to") {
                makes.names.extend(self.last_name());
            } else {
                self.step();
            }
        }
    }
}
