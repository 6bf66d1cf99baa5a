//! CREATE FUNCTION and DROP FUNCTION, of functions in SQL and PL/pgSQL; CALL.

use super::cursor::Parser;
use super::lex::Token;
use super::plpgsql::{Body, compile};
use super::sql_body::body_of;
use crate::sql::StatementError;
use crate::sql::ast::{
    AlterFunction, AlterFunctionAction, Call, CreateFunction, DropFunction, FunctionBody, FunctionSetting, Object,
    Routine, RoutineKind, Statement, Volatility,
};
use crate::sql::error::{Position, Refusal};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, is_composite};

/// Attributes that change nothing of what a function gives here.
const ATTRIBUTES: &[&str] = &["volatile", "called on null input", "not leakproof"];

impl Parser {
    /// After CREATE, and OR REPLACE, and FUNCTION or PROCEDURE.
    pub fn create_function(&mut self, replace: bool, kind: RoutineKind) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        let mut function = CreateFunction { name, replace, kind, ..CreateFunction::default() };
        self.expect_op("(")?;
        if !self.eat_op(")") {
            self.list(|parser| parser.function_argument(&mut function))?;
            self.expect_op(")")?;
        }
        if kind == RoutineKind::Procedure && function.inouts.contains(&None) {
            return Err(self.unsupported("an OUT argument of a procedure"));
        }
        if kind == RoutineKind::Function && !self.is_word("returns null") && self.eat("returns") {
            self.function_result(&mut function)?;
        }
        let (mut body, mut language, mut at) = (None, String::new(), self.position());
        let mut statements = None;
        let mut given = Vec::new();
        loop {
            self.check_attribute(kind, &mut given)?;
            if self.eat("language") {
                language = match self.peek() {
                    Token::Word(name) | Token::String(name) => name.clone(),
                    _ => return Err(self.refuse()),
                };
                self.step();
            } else if self.eat("immutable") {
                function.volatility = Volatility::Immutable;
            } else if self.eat("stable") {
                function.volatility = Volatility::Stable;
            } else if self.eat("strict") || self.eat("returns null on null input") {
                function.is_strict = true;
            } else if self.eat("as") {
                let Token::String(text) = self.peek() else { return Err(self.refuse()) };
                body = Some(text.clone());
                at = self.position();
                self.step();
            } else if self.eat("return") {
                function.standard = Some("return");
                statements = Some(Vec::from([self.returned_expression()?]));
            } else if self.eat("begin atomic") {
                function.standard = Some("begin");
                statements = Some(self.atomic_statements()?);
            } else if self.eat("leakproof") {
                // of the operators and functions that views keep from others nothing is known here: there is one role
                function.source.leakproof = true;
            } else if !self.estimate_or_setting(&mut function)? && !ATTRIBUTES.iter().any(|words| self.eat(words)) {
                break;
            }
        }
        if !self.is_op(";") && *self.peek() != Token::End {
            return Err(self.unsupported("this part of CREATE FUNCTION"));
        }
        if let Some(statements) = statements {
            if !matches!(language.as_str(), "sql" | "") || function.kind != RoutineKind::Function {
                return Err(self.unsupported("this kind of function with a body that is no string"));
            }
            function.body = body_of(&function, statements);
            return Ok(Statement::Object(Object::CreateFunction(function)));
        }
        let Some(body) = body else { return Err(self.unsupported("a function without AS")) };
        function.body = self.body_as(&mut function, &language, (&body, at))?;
        function.source.text = Some(body);
        Ok(Statement::Object(Object::CreateFunction(function)))
    }

    /// ROWS, COST, PARALLEL, SET and SECURITY.
    fn estimate_or_setting(&mut self, function: &mut CreateFunction) -> Result<bool, StatementError> {
        if self.eat("rows") {
            let rows = self.positive("ROWS")?;
            function.rows = Some(rows);
            if !function.is_set {
                let message = "ROWS is not applicable when function does not return a set";
                return Err(StatementError::server("22023", message));
            }
        } else if self.eat("cost") {
            function.source.cost = Some(self.positive("COST")?);
        } else if self.eat("parallel") {
            let word = self.name()?;
            if !matches!(word.as_str(), "safe" | "unsafe" | "restricted") {
                let message = "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE";
                return Err(StatementError::server("42601", message));
            }
            function.source.parallel = word.chars().next();
        } else if self.is_word("set") || self.is_word("reset") {
            function.settings.push(self.function_setting()?);
        } else if self.eat("external security definer") || self.eat("security definer") {
            function.is_definer = true;
        } else if self.eat("external security invoker") || self.eat("security invoker") {
            function.is_definer = false;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `compute_common_attribute`: an attribute that there is already, or that procedures have not.
    fn check_attribute(&self, kind: RoutineKind, given: &mut Vec<&'static str>) -> Result<(), StatementError> {
        const WORDS: [(&str, &str); 14] = [
            ("language", "language"),
            ("immutable", "volatility"),
            ("stable", "volatility"),
            ("volatile", "volatility"),
            ("strict", "strict"),
            ("returns", "strict"),
            ("called", "strict"),
            ("as", "as"),
            ("rows", "rows"),
            ("cost", "cost"),
            ("parallel", "parallel"),
            ("security", "security"),
            ("external", "security"),
            ("leakproof", "leakproof"),
        ];
        let Some((_, item)) = WORDS.iter().find(|(word, _)| self.is_word(word)) else { return Ok(()) };
        if kind == RoutineKind::Procedure && !matches!(*item, "language" | "as" | "security") {
            let error = StatementError::server("42P13", "invalid attribute in procedure definition");
            return Err(error.at(self.position()));
        }
        if given.contains(item) {
            return Err(StatementError::server("42601", "conflicting or redundant options").at(self.position()));
        }
        given.push(item);
        Ok(())
    }

    /// A number above 0.
    fn positive(&mut self, what: &str) -> Result<f64, StatementError> {
        let is_negative = self.eat_op("-");
        let number = match self.peek() {
            Token::Number(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        let Some(number) = number else { return Err(self.refuse()) };
        self.step();
        if is_negative || number <= 0.0 {
            return Err(StatementError::server("22023", alloc::format!("{what} must be positive")));
        }
        Ok(number)
    }

    /// SET or RESET of a function.
    pub(super) fn function_setting(&mut self) -> Result<FunctionSetting, StatementError> {
        if self.eat("reset") {
            return Ok(FunctionSetting::Set(self.reset()?));
        }
        self.expect("set")?;
        let mark = self.mark();
        if let Ok(name) = self.setting_name()
            && self.eat("from current")
        {
            return Ok(FunctionSetting::Current(name));
        }
        self.back_to(mark);
        if self.is_word("local") || self.is_word("session") {
            return Err(self.refuse());
        }
        Ok(FunctionSetting::Set(self.set()?))
    }

    /// The body that stands as a string behind AS.
    fn body_as(
        &self,
        function: &mut CreateFunction,
        language: &str,
        (text, at): (&str, Position),
    ) -> Result<FunctionBody, StatementError> {
        Ok(match language {
            "plpgsql" => match self.routine(function, text, at) {
                Ok(routine) => FunctionBody::Block(Arc::new(routine)),
                Err(error) if error.refusal == Refusal::Unsupported => return Err(error),
                Err(error) => {
                    function.wrong = Some(error);
                    FunctionBody::Block(Arc::default())
                }
            },
            "sql" if function.kind == RoutineKind::Trigger => {
                let message = "SQL functions cannot return type trigger";
                return Err(StatementError::server("42P13", message));
            }
            "sql" if function.kind == RoutineKind::Procedure => {
                return Err(self.unsupported("a procedure in SQL"));
            }
            "sql" => self.body_in_sql(function, text, at)?,
            _ => return Err(self.unsupported("a function in a language other than SQL and PL/pgSQL")),
        })
    }

    /// `[IN | OUT | INOUT] [name] type [DEFAULT …]`
    fn function_argument(&mut self, function: &mut CreateFunction) -> Result<(), StatementError> {
        if self.is_word("variadic") {
            return Err(self.refuse());
        }
        function.source.has_other_types |= self.names_cursor();
        let is_inout = self.eat("inout") || self.eat("in out");
        let is_out = !is_inout && self.eat("out");
        if !is_inout && !is_out && !self.is_op(",") {
            self.eat("in");
        }
        let mark = self.mark();
        let alone = self.type_or_cursor().ok().flatten();
        let is_end = self.is_op(",") || self.is_op(")") || self.is_op("=") || self.is_word("default");
        let alone = alone.filter(|_| is_end);
        let (name, ty) = match alone {
            Some(ty) => (None, ty),
            None => {
                self.back_to(mark);
                let name = self.name()?;
                let ty = self.type_or_cursor()?;
                (Some(name), ty.map_or_else(|| self.type_name(), Ok)?)
            }
        };
        if !is_out && (self.eat("default") || self.eat_op("=")) {
            function.defaults.push(self.expr()?);
        } else if !is_out && !function.defaults.is_empty() {
            let message = "input parameters after one with a default value must also have defaults";
            return Err(StatementError::server("42P13", message));
        }
        if is_inout && is_composite(ty.oid) {
            return Err(self.unsupported("an INOUT argument that is a row"));
        }
        if is_out || is_inout {
            let number = function.columns.len() + 1;
            function.has_outs = true;
            function.inouts.push(is_inout.then_some(function.arguments.len()));
            let name = name.clone().unwrap_or_else(|| alloc::format!("column{number}"));
            function.columns.push((name, ty));
        }
        if !is_out {
            function.arguments.push((name, ty));
        }
        Ok(())
    }

    /// Is a cursor among what comes next, up to a comma?
    fn names_cursor(&mut self) -> bool {
        let mark = self.mark();
        let mut found = false;
        while !self.is_op(",") && !self.is_op(")") && *self.peek() != Token::End {
            found |= self.is_word("refcursor");
            self.step();
        }
        self.back_to(mark);
        found
    }

    /// A type; the name of a cursor is a text.
    fn type_or_cursor(&mut self) -> Result<Option<SqlType>, StatementError> {
        if self.is_word("refcursor") && !matches!(self.peek_second(), Token::Op(op) if op == "[") {
            self.step();
            return Ok(Some(SqlType::TEXT));
        }
        self.maybe_type_name()
    }

    /// After RETURNS.
    fn function_result(&mut self, function: &mut CreateFunction) -> Result<(), StatementError> {
        if self.eat("table") {
            if function.has_outs {
                let message = "OUT and INOUT arguments aren't allowed in TABLE functions";
                return Err(StatementError::server("42601", message));
            }
            (function.is_set, function.has_outs, function.source.is_table) = (true, true, true);
            function.columns = self.in_parens(|parser| Ok((parser.name()?, parser.type_name()?)))?;
            return Ok(());
        }
        function.is_set = self.eat("setof");
        if self.eat("record") {
            if function.columns.is_empty() {
                return Err(self.unsupported("a function whose rows have the columns that a call says"));
            }
            return Ok(());
        }
        if self.eat("void") {
            return Ok(());
        }
        if self.eat("trigger") {
            function.kind = RoutineKind::Trigger;
            return Ok(());
        }
        if self.is_word("event_trigger") {
            return Err(self.unsupported("a function for event triggers"));
        }
        function.source.has_other_types |= self.is_word("refcursor");
        let mark = self.mark();
        let Some(ty) = self.type_or_cursor()?.filter(|ty| !is_composite(ty.oid)) else {
            self.back_to(mark);
            function.row_type = Some(self.range_var()?);
            return Ok(());
        };
        if function.columns.is_empty() {
            function.columns.push((function.name.name.clone(), ty));
        }
        Ok(())
    }

    /// The body of a function in PL/pgSQL.
    fn routine(&self, function: &CreateFunction, text: &str, at: Position) -> Result<Routine, StatementError> {
        let name = &function.name.name;
        let is_void = function.columns.is_empty() && function.row_type.is_none();
        let body = match function.kind {
            RoutineKind::Procedure => Body::Procedure(name),
            RoutineKind::Trigger => Body::Trigger(name),
            RoutineKind::Function => Body::Function {
                name,
                is_void,
                is_set: function.is_set,
                has_outs: function.has_outs,
                is_row: function.row_type.is_some(),
            },
        };
        let outs = if function.has_outs { &function.columns[..] } else { &[] };
        compile(text, at, self.types.clone(), body, (&function.arguments, outs, &function.inouts))
    }

    /// After ALTER FUNCTION, or ALTER PROCEDURE.
    pub fn alter_function(&mut self, is_procedure: bool) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        let mut arguments = None;
        if self.eat_op("(") {
            let mut named = CreateFunction::default();
            if !self.eat_op(")") {
                self.list(|parser| parser.function_argument(&mut named))?;
                self.expect_op(")")?;
            }
            arguments = Some(named.arguments.iter().map(|(_, ty)| ty.oid).collect());
        }
        let action = if self.eat("rename to") {
            AlterFunctionAction::Rename(self.name()?)
        } else if self.eat("owner to") {
            AlterFunctionAction::Owner(self.any_word()?)
        } else {
            self.altered_options()?
        };
        Ok(Statement::Object(Object::AlterFunction(AlterFunction { is_procedure, name, arguments, action })))
    }

    fn altered_options(&mut self) -> Result<AlterFunctionAction, StatementError> {
        let (mut settings, mut volatility, mut is_strict, mut is_definer) = (Vec::new(), None, None, None);
        let mut is_any = false;
        loop {
            if self.is_word("set") && !matches!(self.peek_second(), Token::Word(word) if word == "schema")
                || self.is_word("reset")
            {
                settings.push(self.function_setting()?);
            } else if self.eat("immutable") {
                volatility = Some(Volatility::Immutable);
            } else if self.eat("stable") {
                volatility = Some(Volatility::Stable);
            } else if self.eat("volatile") {
                volatility = Some(Volatility::Volatile);
            } else if self.eat("strict") || self.eat("returns null on null input") {
                is_strict = Some(true);
            } else if self.eat("called on null input") {
                is_strict = Some(false);
            } else if self.eat("security definer") || self.eat("external security definer") {
                is_definer = Some(true);
            } else if self.eat("security invoker") || self.eat("external security invoker") {
                is_definer = Some(false);
            } else if self.eat("cost") {
                self.positive("COST")?;
            } else if !["parallel safe", "parallel unsafe", "parallel restricted", "leakproof", "not leakproof"]
                .iter()
                .any(|words| self.eat(words))
            {
                break;
            }
            is_any = true;
        }
        let _ = self.eat("restrict");
        if !is_any {
            return Err(self.unsupported("this part of ALTER FUNCTION"));
        }
        Ok(AlterFunctionAction::Options { settings, volatility, is_strict, is_definer })
    }

    /// CALL
    pub fn call_procedure(&mut self) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        if name.schema.is_some() {
            return Err(self.unsupported("a procedure in a schema"));
        }
        let mut arguments = Vec::new();
        self.expect_op("(")?;
        if !self.eat_op(")") {
            arguments = self.list(Self::argument)?;
            self.expect_op(")")?;
        }
        Ok(Statement::Object(Object::Call(Call { name: name.name, arguments })))
    }

    /// After DROP FUNCTION, or DROP PROCEDURE.
    pub fn drop_function(&mut self, is_procedure: bool) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(|parser| {
            let name = parser.range_var()?;
            if !parser.eat_op("(") {
                return Ok((name, None));
            }
            let mut named = CreateFunction::default();
            if !parser.eat_op(")") {
                parser.list(|parser| parser.function_argument(&mut named))?;
                parser.expect_op(")")?;
            }
            Ok((name, Some(named.arguments.iter().map(|(_, ty)| ty.oid).collect())))
        })?;
        let (names, arguments) = names.into_iter().unzip();
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Statement::Object(Object::DropFunction(DropFunction { is_procedure, names, arguments, if_exists, cascade })))
    }
}
