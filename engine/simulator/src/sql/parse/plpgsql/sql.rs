//! SQL within PL/pgSQL: where it ends, and which variables it may name (`read_sql_construct`, `make_execsql_stmt`,
//! src/pl/plpgsql/src/pl_gram.y; `resolve_column_ref`, src/pl/plpgsql/src/pl_comp.c).

use super::Compiler;
use crate::sql::StatementError;
use crate::sql::ast::{Datum, Embedded, Into, Object, Statement, Step, Transaction};
use crate::sql::error::Position;
use crate::sql::parse::cursor::Parser;
use crate::sql::parse::lex::{Lexeme, Token, on_one_line};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Names, and the variables that they are.
type Variables = Vec<(String, usize)>;

impl Compiler<'_> {
    /// The tokens until a semicolon or one of these outside of parentheses; `..` is two points.
    pub(super) fn until(&mut self, ends: &[&str]) -> Result<Vec<Lexeme>, StatementError> {
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        loop {
            let is_end = match self.parser.peek() {
                Token::End => return Err(self.syntax()),
                Token::Op(op) if depth == 0 && op == ";" => true,
                Token::Op(op) if depth == 0 && op == "." => {
                    ends.contains(&"..") && *self.parser.peek_second() == Token::Op(".".to_string())
                }
                Token::Op(op) if depth == 0 => ends.contains(&op.as_str()),
                Token::Word(word) if depth == 0 => ends.contains(&word.as_str()),
                _ => false,
            };
            if is_end {
                return Ok(tokens);
            }
            match self.parser.peek() {
                Token::Op(op) if op == "(" || op == "[" => depth += 1,
                Token::Op(op) if op == ")" || op == "]" => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Err(self.syntax()),
                },
                _ => {}
            }
            tokens.push(self.parser.lexeme().clone());
            self.parser.step();
        }
    }

    /// An expression until one of these.
    pub(super) fn expression_until(&mut self, ends: &[&str]) -> Result<Embedded, StatementError> {
        let tokens = self.until(ends)?;
        self.expression(tokens)
    }

    /// Several with commas between.
    pub(super) fn expressions_until(&mut self, ends: &[&str]) -> Result<Vec<Embedded>, StatementError> {
        let ends: Vec<&str> = ends.iter().copied().chain([","]).collect();
        let mut all = Vec::from([self.expression_until(&ends)?]);
        while self.parser.eat_op(",") {
            all.push(self.expression_until(&ends)?);
        }
        Ok(all)
    }

    /// An expression: what may stand behind SELECT.
    pub(super) fn expression(&mut self, tokens: Vec<Lexeme>) -> Result<Embedded, StatementError> {
        if tokens.is_empty() {
            return Err(self.syntax());
        }
        self.embedded(tokens, "select ", |parser| parser.after_select().map(Statement::Select))
    }

    /// A query.
    pub(super) fn query_until(&mut self, ends: &[&str]) -> Result<Embedded, StatementError> {
        let tokens = self.until(ends)?;
        let embedded = self.embedded(tokens, "", Parser::statement)?;
        match &embedded.statement {
            Statement::Select(_) => Ok(embedded),
            _ => Err(self.parser.unsupported("rows of anything but a SELECT")),
        }
    }

    /// A query, or a statement that may return rows.
    pub(super) fn rows_until(&mut self, ends: &[&str]) -> Result<Embedded, StatementError> {
        use Statement as S;
        let tokens = self.until(ends)?;
        let embedded = self.embedded(tokens, "", Parser::statement)?;
        match &embedded.statement {
            S::Select(_) | S::Insert(_) | S::Update(_) | S::Delete(_) => Ok(embedded),
            _ => Err(self.parser.unsupported("rows of this statement")),
        }
    }

    /// What stands behind PERFORM.
    pub(super) fn query_after_select(&mut self) -> Result<Embedded, StatementError> {
        let tokens = self.until(&[])?;
        self.expression(tokens)
    }

    /// A statement of SQL, perhaps with INTO.
    pub(super) fn sql_statement(&mut self) -> Result<(), StatementError> {
        let at = self.parser.position();
        let (mut tokens, mut into) = (Vec::new(), None);
        let mut before = String::new();
        while !self.parser.is_op(";") {
            let is_into = self.parser.is_word("into") && before != "insert" && before != "merge";
            if is_into {
                self.parser.step();
                if into.is_some() {
                    return Err(StatementError::server("42601", "INTO specified more than once"));
                }
                into = Some(self.into()?);
                before.clear();
                continue;
            }
            if *self.parser.peek() == Token::End {
                return Err(self.syntax());
            }
            before = match self.parser.peek() {
                Token::Word(word) => word.clone(),
                _ => String::new(),
            };
            tokens.push(self.parser.lexeme().clone());
            self.parser.step();
        }
        let sql = self.embedded(tokens, "", Parser::statement)?;
        self.check_statement(&sql, into.as_ref(), at)?;
        self.step(Step::Sql(sql, into, false));
        Ok(())
    }

    fn check_statement(&self, sql: &Embedded, into: Option<&Into>, at: Position) -> Result<(), StatementError> {
        use Statement as S;
        let refuse = |what: &str| Err(StatementError { position: Some(at), ..self.parser.unsupported(what) });
        match &sql.statement {
            S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) | S::Select(_) => Ok(()),
            _ if into.is_some() => refuse("INTO of this statement"),
            S::With(_) => Ok(()),
            S::CreateTableAs(_) if !sql.params.is_empty() => refuse("CREATE TABLE AS with variables"),
            S::CreateTable(_) | S::CreateTableAs(_) | S::CreateSequence(_) | S::Drop(_) | S::Truncate(_) => Ok(()),
            S::CreateIndex(create) if !create.concurrently => Ok(()),
            S::AlterTable(_) | S::Rename(_) | S::AlterSequence(_) | S::Analyze(..) | S::Set(_) => Ok(()),
            S::Comment(_) | S::Lock(_) | S::Grant(_) | S::Notification(_) | S::Checkpoint | S::SetConstraints(_) => {
                Ok(())
            }
            S::RefreshMatView(_) | S::Show(_) | S::Explain(..) => Ok(()),
            S::Cluster(cluster) if cluster.table.is_some() => Ok(()),
            S::Reindex(reindex) if !reindex.concurrently => Ok(()),
            S::Object(object) if is_done_at_once(object) => Ok(()),
            S::Transaction(Transaction::Set(_)) => refuse("SET TRANSACTION within PL/pgSQL"),
            _ => refuse("this statement within PL/pgSQL"),
        }
    }

    /// After INTO.
    pub(super) fn into(&mut self) -> Result<Into, StatementError> {
        let strict = self.parser.eat("strict");
        let mut targets = Vec::from([self.one_target()?]);
        while self.parser.eat_op(",") {
            targets.push(self.one_target()?);
        }
        self.check_targets(&targets)?;
        Ok(Into { targets, strict })
    }

    /// A row alone, or values.
    fn check_targets(&self, targets: &[usize]) -> Result<(), StatementError> {
        let is_row = |target: &usize| matches!(self.routine.datums[*target], Datum::Record { .. });
        if targets.len() > 1 && targets.iter().any(is_row) {
            return Err(StatementError::server("42601", "record variable cannot be part of multiple-item INTO list"));
        }
        Ok(())
    }

    /// Where the rows of a loop go to, and IN.
    pub(super) fn targets_until_in(&mut self) -> Result<Vec<usize>, StatementError> {
        let mut targets = Vec::new();
        loop {
            let mark = self.parser.mark();
            let at = self.parser.position();
            let name = self.parser.name()?;
            if self.find(&name).is_none() && !self.parser.is_op(".") {
                let message = "loop variable of loop over rows must be a record variable or list of scalar variables";
                return Err(StatementError::server("42804", message).at(at));
            }
            self.parser.back_to(mark);
            targets.push(self.one_target()?);
            if !self.parser.eat_op(",") {
                break;
            }
        }
        self.check_targets(&targets)?;
        self.parser.expect("in")?;
        Ok(targets)
    }

    /// A part of the text that is SQL; `before` stands before it, where it is not whole.
    pub(super) fn embedded(
        &mut self,
        tokens: Vec<Lexeme>,
        before: &str,
        read: impl FnOnce(&mut Parser) -> Result<Statement, StatementError>,
    ) -> Result<Embedded, StatementError> {
        let at = tokens.first().map_or_else(|| self.parser.position(), |lexeme| lexeme.position);
        let (params, rows) = self.params(&tokens)?;
        let written = on_one_line(&tokens);
        let words: Vec<&str> = tokens.iter().map(|lexeme| lexeme.text.as_str()).collect();
        let text = before.to_string() + &words.join(" ");
        let end = self.parser.lexeme().clone();
        let mut parser = Parser::part(tokens, end, self.parser.types.clone());
        let read = read(&mut parser).and_then(|statement| parser.expect_end().map(|()| statement));
        let statement = read.map_err(|error| StatementError { position: Some(at), ..parser.judged(&text, error) })?;
        let site = self.routine.sites;
        self.routine.sites += 1;
        Ok(Embedded { site, text: written, statement, params, rows })
    }

    /// The variables that the tokens name, in their order; before them the arguments, where one is named by number. And
    /// rows that they name as a whole.
    fn params(&mut self, tokens: &[Lexeme]) -> Result<(Variables, Variables), StatementError> {
        let (mut params, mut rows) = (Variables::new(), Variables::new());
        let numbers = tokens.iter().filter_map(|lexeme| match lexeme.token {
            Token::Param(number) => Some(usize::from(number)),
            _ => None,
        });
        if let Some(most) = numbers.max() {
            if most > self.routine.arguments {
                return Err(StatementError::server("42P02", alloc::format!("there is no parameter ${most}")));
            }
            params.extend((0..most).map(|number| (String::new(), number)));
        }
        let name = |at: usize| match &tokens.get(at)?.token {
            Token::Word(name) | Token::Quoted(name) => Some(name.as_str()),
            _ => None,
        };
        let is_point = |at: usize| tokens.get(at).is_some_and(|lexeme| lexeme.token == Token::Op(".".to_string()));
        for at in 0..tokens.len() {
            if at > 0 && is_point(at - 1) {
                continue;
            }
            let Some(first) = name(at) else { continue };
            let second = is_point(at + 1).then(|| name(at + 2)).flatten();
            let found = match (second, self.find(first)) {
                (Some(second), Some(record)) if matches!(self.routine.datums[record], Datum::Record { .. }) => {
                    Some((alloc::format!("{first}.{second}"), self.field(record, second)))
                }
                (Some(second), _) => {
                    self.find_in(first, second).map(|datum| (alloc::format!("{first}.{second}"), datum))
                }
                (None, Some(datum)) => match self.routine.datums[datum] {
                    Datum::Record { .. } => {
                        let row = (first.to_string(), datum);
                        if !names_table(tokens, at) && !rows.contains(&row) {
                            rows.push(row);
                        }
                        None
                    }
                    _ => Some((first.to_string(), datum)),
                },
                (None, None) => None,
            };
            if let Some((_, datum)) = &found
                && matches!(self.routine.datums[*datum], Datum::Record { .. })
            {
                return Err(self.parser.unsupported("a row as a value"));
            }
            if let Some(found) = found.filter(|found| !params.contains(found)) {
                params.push(found);
            }
        }
        Ok((params, rows))
    }
}

/// What has a name and no pages, and is made or dropped within PL/pgSQL as it is outside.
pub(in crate::sql) const fn is_done_at_once(object: &Object) -> bool {
    matches!(
        object,
        Object::CreateSchema(_)
            | Object::DropSchema(_)
            | Object::CreateView(_)
            | Object::DropView(_)
            | Object::CreateFunction(_)
            | Object::DropFunction(_)
            | Object::AlterFunction(_)
            | Object::CreateTrigger(_)
            | Object::DropTrigger(_)
            | Object::RenameTrigger(_)
            | Object::Enum(_)
            | Object::Domain(_)
            | Object::Statistics(_)
            | Object::Role(_)
            | Object::Prepare(_)
            | Object::Deallocate(_)
    )
}

/// Does the name stand where that of a table does?
fn names_table(tokens: &[Lexeme], at: usize) -> bool {
    const BEFORE_TABLE: [&str; 5] = ["from", "join", "into", "update", "table"];
    let is_word = |back: usize, is_it: &dyn Fn(&str) -> bool| {
        let token = at.checked_sub(back).map(|before| &tokens[before].token);
        matches!(token, Some(Token::Word(word)) if is_it(word))
    };
    is_word(1, &|word| BEFORE_TABLE.contains(&word)) && !is_word(2, &|word| word == "distinct")
}
