//! Roles; GRANT and REVOKE of roles and of privileges.

use super::cursor::Parser;
use super::lex::Token;
use crate::cluster::roles::attribute;
use crate::sql::StatementError;
use crate::sql::ast::{Grant, GrantOn, GrantRole, Object, RangeVar, RoleOption, RoleStatement, SchemaOf, Statement};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Attributes as options call them; with NO before them it has them not.
const ATTRIBUTES: [(&str, u8); 7] = [
    ("superuser", attribute::SUPERUSER),
    ("createdb", attribute::CREATEDB),
    ("createrole", attribute::CREATEROLE),
    ("inherit", attribute::INHERIT),
    ("login", attribute::LOGIN),
    ("replication", attribute::REPLICATION),
    ("bypassrls", attribute::BYPASSRLS),
];

/// Options of a membership, and the first version that has each.
const OF_MEMBERS: [&str; 3] = ["admin", "inherit", "set"];

fn statement(role: RoleStatement) -> Statement {
    Statement::Object(Object::Role(role))
}

impl Parser {
    /// CREATE ROLE and its like.
    pub fn create_role(&mut self) -> Result<Option<Statement>, StatementError> {
        let login = self.is_word("user") && !matches!(self.peek_second(), Token::Word(next) if next == "mapping");
        if !login && !self.is_word("role") && !self.is_word("group") {
            return Ok(None);
        }
        self.step();
        let name = self.new_role()?;
        let options = self.role_options(true)?;
        Ok(Some(statement(RoleStatement::Create { name, login, options })))
    }

    /// ALTER ROLE and its like.
    pub fn alter_role(&mut self) -> Result<Option<Statement>, StatementError> {
        if let Some(owner) = self.alter_owner() {
            return Ok(Some(statement(owner)));
        }
        let is_group = self.is_word("group");
        let is_mapping = matches!(self.peek_second(), Token::Word(next) if next == "mapping");
        if is_mapping || !is_group && !self.is_word("role") && !self.is_word("user") {
            return Ok(None);
        }
        self.step();
        if self.is_word("all") {
            return Err(self.unsupported("ALTER ROLE ALL"));
        }
        let name = self.role()?;
        if self.eat("rename to") {
            let to = self.new_role()?;
            return Ok(Some(statement(RoleStatement::Rename { name, to })));
        }
        if is_group {
            let adds = self.eat("add");
            if !adds {
                self.expect("drop")?;
            }
            self.expect("user")?;
            let members = self.list(Self::role)?;
            let option = if adds { RoleOption::Members(members) } else { RoleOption::Leaves(members) };
            return Ok(Some(statement(RoleStatement::Alter { name, options: Vec::from([option]) })));
        }
        if ["set", "reset", "in"].into_iter().any(|word| self.is_word(word)) {
            return Err(self.unsupported("ALTER ROLE of settings"));
        }
        let options = self.role_options(false)?;
        Ok(Some(statement(RoleStatement::Alter { name, options })))
    }

    /// After ALTER: OWNER TO of what is neither a table nor a function, where it is that.
    fn alter_owner(&mut self) -> Option<RoleStatement> {
        let mark = self.mark();
        let of = SchemaOf::ALL.into_iter().skip(1).find(|of| self.eat(of.word()));
        if of.is_some() || self.eat("schema") {
            let name = self.range_var().ok().filter(|_| self.eat("owner to"));
            let owner = name.and_then(|name| Some(RoleStatement::Owner { of, name, to: self.role().ok()? }));
            if owner.is_some() {
                return owner;
            }
        }
        self.back_to(mark);
        None
    }

    /// DROP ROLE and its like, DROP OWNED.
    pub fn drop_role(&mut self) -> Result<Option<Statement>, StatementError> {
        if self.eat("owned by") {
            let roles = self.list(Self::role)?;
            let cascade = self.eat("cascade");
            if !cascade {
                self.eat("restrict");
            }
            return Ok(Some(statement(RoleStatement::DropOwned { roles, cascade })));
        }
        let is_mapping = matches!(self.peek_second(), Token::Word(next) if next == "mapping");
        if is_mapping || !["role", "user", "group"].into_iter().any(|word| self.eat(word)) {
            return Ok(None);
        }
        let if_exists = self.eat("if exists");
        let names = self.list(Self::role)?;
        Ok(Some(statement(RoleStatement::Drop { names, if_exists })))
    }

    /// After REASSIGN.
    pub fn reassign(&mut self) -> Result<Statement, StatementError> {
        self.expect("owned by")?;
        let roles = self.list(Self::role)?;
        self.expect("to")?;
        let to = self.role()?;
        Ok(statement(RoleStatement::Reassign { roles, to }))
    }

    /// A role, also one of the words that stand for the session's (`RoleSpec`).
    pub fn role(&mut self) -> Result<String, StatementError> {
        let own = ["current_user", "session_user", "current_role"].into_iter().find(|word| self.eat(word));
        match own {
            Some(word) => Ok(word.to_string()),
            None if self.is_word("none") => Err(self.reserved("role name \"none\" is reserved".to_string())),
            None => self.name(),
        }
    }

    /// `RoleId`: the name of a role that is to be.
    fn new_role(&mut self) -> Result<String, StatementError> {
        for word in ["current_user", "session_user", "current_role"] {
            if self.is_word(word) {
                let message = format!("{} cannot be used as a role name here", word.to_uppercase());
                return Err(self.reserved(message));
            }
        }
        for word in ["public", "none"] {
            if self.is_word(word) {
                return Err(self.reserved(format!("role name \"{word}\" is reserved")));
            }
        }
        self.name()
    }

    fn reserved(&self, message: String) -> StatementError {
        StatementError { position: Some(self.position()), ..StatementError::server("42939", message) }
    }

    fn role_options(&mut self, is_new: bool) -> Result<Vec<RoleOption>, StatementError> {
        self.eat("with");
        let (mut options, mut known) = (Vec::new(), Vec::new());
        while !self.is_op(";") && *self.peek() != Token::End {
            let at = self.position();
            let Some((option, what)) = self.role_option(is_new)? else {
                let message = format!("unrecognized role option \"{}\"", self.text());
                return Err(StatementError { position: Some(at), ..StatementError::server("42601", message) });
            };
            if known.contains(&what) {
                let twice = StatementError::server("42601", "conflicting or redundant options");
                return Err(StatementError { position: Some(at), ..twice });
            }
            known.push(what);
            options.extend(option);
        }
        Ok(options)
    }

    /// An option, and a word for what it is about.
    fn role_option(&mut self, is_new: bool) -> Result<Option<(Option<RoleOption>, &'static str)>, StatementError> {
        for (word, attribute) in ATTRIBUTES {
            let denies = self.eat(&format!("no{word}"));
            if denies || self.eat(word) {
                return Ok(Some((Some(RoleOption::Attribute(attribute, !denies)), word)));
            }
        }
        let option = if self.eat("connection limit") {
            let limit = i32::try_from(self.integer()?).map_err(|_| self.refuse())?;
            (Some(RoleOption::Limit(limit)), "limit")
        } else if self.eat("valid until") {
            (Some(RoleOption::Until(self.string()?)), "until")
        } else if self.eat("encrypted password") || self.eat("password") {
            if !self.eat("null") {
                self.string()?;
            }
            (Some(RoleOption::Password), "password")
        } else if is_new && (self.eat("in role") || self.eat("in group")) {
            (Some(RoleOption::In(self.list(Self::role)?)), "in")
        } else if is_new && (self.eat("role") || self.eat("user")) {
            (Some(RoleOption::Members(self.list(Self::role)?)), "members")
        } else if is_new && self.eat("admin") {
            (Some(RoleOption::Admins(self.list(Self::role)?)), "admins")
        } else if is_new && self.eat("sysid") {
            self.integer()?;
            (None, "sysid")
        } else {
            return Ok(None);
        };
        Ok(Some(option))
    }

    fn string(&mut self) -> Result<String, StatementError> {
        let Token::String(text) = self.peek() else { return Err(self.refuse()) };
        let text = text.clone();
        self.step();
        Ok(text)
    }

    /// After GRANT or REVOKE.
    pub fn grant(&mut self, revoke: bool) -> Result<Statement, StatementError> {
        let option_for = revoke && self.eat("grant option for");
        let mut options = [None; 3];
        let mut newer = None;
        for (option, word) in options.iter_mut().zip(OF_MEMBERS) {
            if revoke && self.eat(&format!("{word} option for")) {
                *option = Some(false);
                newer = (word != "admin").then_some("option");
            }
        }
        let mut privileges = Vec::new();
        if self.eat("all") {
            self.eat("privileges");
            if self.is_op("(") {
                privileges.push(("all".to_string(), self.in_parens(Self::name)?));
            }
        } else {
            privileges = self.list(Self::privilege)?;
        }
        if !privileges.is_empty() && (self.is_word("to") || self.is_word("from")) {
            return self.grant_role((revoke, privileges), options, newer);
        }
        self.expect("on")?;
        let on = self.granted_on()?;
        self.expect(if revoke { "from" } else { "to" })?;
        let roles = self.list(|parser| {
            parser.eat("group");
            parser.role()
        })?;
        let with_option = !revoke && self.eat("with grant option");
        if self.is_word("granted") {
            return Err(self.unsupported("GRANTED BY"));
        }
        let cascade = revoke && self.eat("cascade");
        if revoke && !cascade {
            self.eat("restrict");
        }
        Ok(Statement::Grant(Grant { revoke, option_for, privileges, on, roles, with_option, cascade }))
    }

    fn grant_role(
        &mut self,
        (revoke, privileges): (bool, Vec<(String, Vec<String>)>),
        mut options: [Option<bool>; 3],
        mut newer: Option<&'static str>,
    ) -> Result<Statement, StatementError> {
        self.expect(if revoke { "from" } else { "to" })?;
        let members = self.list(Self::role)?;
        if !revoke && self.eat("with") {
            loop {
                let Some(at) = OF_MEMBERS.iter().position(|word| self.eat(word)) else { return Err(self.refuse()) };
                let is_old = at == 0 && self.eat("option");
                let is_on = is_old || self.eat("true");
                if !is_on {
                    self.expect("false")?;
                }
                options[at] = Some(is_on);
                let word = if is_on { "true" } else { "false" };
                newer = newer.or((!is_old).then_some(if at == 0 { word } else { OF_MEMBERS[at] }));
                if !self.eat_op(",") {
                    break;
                }
            }
        }
        if self.is_word("granted") {
            return Err(self.unsupported("GRANTED BY"));
        }
        if revoke && self.is_word("cascade") {
            return Err(self.unsupported("REVOKE of roles with CASCADE"));
        }
        self.eat("restrict");
        let roles = privileges.into_iter().map(|(role, _)| role).collect();
        Ok(statement(RoleStatement::Grant(GrantRole { revoke, roles, members, options, newer })))
    }

    /// A privilege, perhaps of columns; or a role.
    fn privilege(&mut self) -> Result<(String, Vec<String>), StatementError> {
        let word = match self.peek() {
            Token::Quoted(_) => self.name()?,
            _ => self.any_word()?,
        };
        if word == "alter" {
            return Err(self.unsupported("GRANT of ALTER SYSTEM"));
        }
        Ok((word, self.maybe_in_parens(Self::name)?))
    }

    fn granted_on(&mut self) -> Result<GrantOn, StatementError> {
        if self.eat("all") {
            type Of = fn(Vec<String>) -> GrantOn;
            const KINDS: [(&str, Of); 5] = [
                ("tables", GrantOn::AllTables),
                ("sequences", GrantOn::AllSequences),
                ("functions", GrantOn::AllFunctions),
                ("routines", GrantOn::AllFunctions),
                ("procedures", GrantOn::AllFunctions),
            ];
            let Some((_, of)) = KINDS.into_iter().find(|(word, _)| self.eat(word)) else { return Err(self.refuse()) };
            self.expect("in schema")?;
            return self.list(Self::name).map(of);
        }
        // a table may be called so
        let is_kind = !matches!(self.peek_second(), Token::Word(next) if next == "to" || next == "from")
            && !matches!(self.peek_second(), Token::Op(next) if next == "," || next == ".");
        if is_kind {
            if self.eat("sequence") {
                return self.list(Self::range_var).map(GrantOn::Sequences);
            }
            if self.eat("schema") {
                return self.list(Self::name).map(GrantOn::Schemas);
            }
            if self.eat("database") {
                return self.list(Self::name).map(GrantOn::Databases);
            }
            for kind in ["function", "procedure", "routine"] {
                if self.eat(kind) {
                    return Ok(GrantOn::Functions(self.list(Self::routine_name)?, kind));
                }
            }
            for kind in ["language", "tablespace", "type", "domain", "large", "foreign", "parameter"] {
                if self.is_word(kind) {
                    return Err(self.unsupported(&format!("GRANT on a {kind}")));
                }
            }
            self.eat("table");
        }
        self.list(Self::range_var).map(GrantOn::Tables)
    }

    /// A function, and whether types of arguments are given, which are not looked at: there is one of each name.
    fn routine_name(&mut self) -> Result<(RangeVar, Option<bool>), StatementError> {
        let name = self.range_var()?;
        let mut typed = None;
        if self.eat_op("(") {
            typed = Some(!self.is_op(")"));
            let mut depth = 1;
            while depth > 0 {
                if *self.peek() == Token::End {
                    return Err(self.refuse());
                }
                depth += i32::from(self.is_op("(")) - i32::from(self.is_op(")"));
                self.step();
            }
        }
        Ok((name, typed))
    }
}
