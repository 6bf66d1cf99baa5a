//! SELECT: the clauses of a query, from top to bottom.
//!
//! ```text
//! WITH … ( SELECT … FROM … WHERE … GROUP BY … HAVING … │ VALUES … ) UNION … ORDER BY … LIMIT … FOR UPDATE
//! ```
//!
//! FROM is in `from.rs`.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    CommonTable, CreateTableAs, CycleClause, Expr, ExprNode, FromItem, InsertSource, Literal, LockStrength, LockWait,
    Locking, Marks, Persistence, SearchClause, Select, SetKind, SetOperation, SortBy, Statement, Target, With,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Parser {
    /// SELECT, VALUES or TABLE, and what follows.
    pub fn select(&mut self) -> Result<Select, StatementError> {
        // it takes as much stack as so many expressions within each other
        const AS_DEEP_AS: u16 = 8;
        self.deeper(AS_DEEP_AS)?;
        let query = self.whole_query();
        self.depth -= AS_DEEP_AS;
        query
    }

    fn whole_query(&mut self) -> Result<Select, StatementError> {
        let recursive = self.is_word("with") && *self.peek_second() == Token::Word("recursive".into());
        let with = if self.eat("with") { self.common_tables()? } else { Vec::new() };
        let query = self.set_operations()?;
        let query = self.ends(query)?;
        if with.is_empty() {
            return Ok(query);
        }
        if !query.with.is_empty() {
            return Err(self.unsupported("WITH within the query of WITH"));
        }
        Ok(Select { with, recursive, ..query })
    }

    /// WITH and the statement that follows it; an INSERT of a query has it in its query.
    pub fn after_with(&mut self) -> Result<Statement, StatementError> {
        let mark = self.mark();
        let recursive = *self.peek_second() == Token::Word("recursive".into());
        self.expect("with")?;
        let with = self.common_tables()?;
        let statement = if self.eat("update") {
            Statement::Update(self.update()?)
        } else if self.eat("delete") {
            Statement::Delete(self.delete()?)
        } else if self.eat("merge") {
            Statement::Merge(Box::new(self.merge()?))
        } else if self.eat("insert") {
            let mut insert = self.insert()?;
            if let InsertSource::Select(query) = &mut insert.source
                && query.with.is_empty()
            {
                (query.with, query.recursive) = (with, recursive);
                return Ok(Statement::Insert(insert));
            }
            Statement::Insert(insert)
        } else {
            self.back_to(mark);
            return self.select_statement();
        };
        Ok(Statement::With(Box::new(With { with, recursive, statement })))
    }

    /// Does a query begin here?
    pub fn is_query(&self) -> bool {
        ["select", "values", "with", "table"].into_iter().any(|word| self.is_word(word))
    }

    /// The queries of WITH.
    pub fn common_tables(&mut self) -> Result<Vec<CommonTable>, StatementError> {
        self.eat("recursive");
        self.list(Self::common_table)
    }

    fn common_table(&mut self) -> Result<CommonTable, StatementError> {
        let name = self.name()?;
        let columns = self.names()?;
        self.expect("as")?;
        let materialized = match (self.eat("materialized"), self.eat("not materialized")) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        self.expect_op("(")?;
        let statement = Box::new(self.query_or_change()?);
        self.expect_op(")")?;
        let mut marks = Marks::default();
        let position = self.position();
        if self.eat("search") {
            let breadth = self.eat("breadth");
            self.expect(if breadth { "first by" } else { "depth first by" })?;
            let columns = self.list(Self::name)?;
            self.expect("set")?;
            marks.search = Some(SearchClause { position, breadth, columns, name: self.name()? });
        }
        let position = self.position();
        if self.eat("cycle") {
            let columns = self.list(Self::name)?;
            self.expect("set")?;
            let mark = self.name()?;
            let mut values = ["true".into(), "false".into()];
            if self.eat("to") {
                values[0] = self.constant()?;
                self.expect("default")?;
                values[1] = self.constant()?;
            }
            self.expect("using")?;
            marks.cycle = Some(CycleClause { position, columns, mark, values, path: self.name()? });
        }
        let marks = Some(marks).filter(|marks| *marks != Marks::default()).map(Box::new);
        Ok(CommonTable { name, columns, materialized, statement, marks })
    }

    /// `AexprConst`: a constant as it is written.
    fn constant(&mut self) -> Result<String, StatementError> {
        let is_plain = matches!(self.peek(), Token::Number(_) | Token::String(_))
            || ["true", "false", "null"].into_iter().any(|word| self.is_word(word));
        if !is_plain {
            return Err(self.unsupported("this value of CYCLE"));
        }
        let text = self.text().into();
        self.step();
        Ok(text)
    }

    pub(super) fn query_or_change(&mut self) -> Result<Statement, StatementError> {
        if self.eat("insert") {
            self.insert().map(Statement::Insert)
        } else if self.eat("update") {
            self.update().map(Statement::Update)
        } else if self.eat("delete") {
            self.delete().map(Statement::Delete)
        } else if self.eat("merge") {
            Ok(Statement::Merge(Box::new(self.merge()?)))
        } else {
            self.select().map(Statement::Select)
        }
    }

    /// UNION and EXCEPT, which join from the left; INTERSECT binds more tightly.
    fn set_operations(&mut self) -> Result<Select, StatementError> {
        let mut left = self.intersections()?;
        loop {
            let kind = if self.eat("union") {
                SetKind::Union
            } else if self.eat("except") {
                SetKind::Except
            } else {
                return Ok(left);
            };
            let all = self.all_or_distinct();
            let right = self.intersections()?;
            left = joined(kind, all, left, right);
        }
    }

    fn intersections(&mut self) -> Result<Select, StatementError> {
        let mut left = self.simple_query()?;
        while self.eat("intersect") {
            let all = self.all_or_distinct();
            let right = self.simple_query()?;
            left = joined(SetKind::Intersect, all, left, right);
        }
        Ok(left)
    }

    fn all_or_distinct(&mut self) -> bool {
        let all = self.eat("all");
        if !all {
            self.eat("distinct");
        }
        all
    }

    /// A query without ORDER BY and what follows that, unless it stands in parentheses.
    fn simple_query(&mut self) -> Result<Select, StatementError> {
        if self.eat_op("(") {
            let query = self.select()?;
            self.expect_op(")")?;
            return Ok(query);
        }
        if self.eat("values") {
            let values = self.list(|parser| parser.in_parens(Self::expr))?;
            return Ok(Select { values, ..Select::default() });
        }
        if self.eat("table") {
            let table = FromItem::Table { name: self.opened_table()?, alias: None, columns: Vec::new(), sample: None };
            let targets = Vec::from([Target::Star(None)]);
            return Ok(Select { targets, from: Vec::from([table]), ..Select::default() });
        }
        self.expect("select")?;
        self.clauses()
    }

    /// After PERFORM.
    pub fn after_select(&mut self) -> Result<Select, StatementError> {
        let query = self.clauses()?;
        self.ends(query)
    }

    /// From the targets to HAVING.
    fn clauses(&mut self) -> Result<Select, StatementError> {
        let mut select = Select::default();
        if self.eat("distinct") {
            select.distinct = Some(if self.eat("on") { self.in_parens(Self::expr)? } else { Vec::new() });
        } else {
            self.eat("all");
        }
        if !self.is_word("from") {
            select.targets = self.list(Self::target)?;
        }
        self.maybe_into()?;
        if self.eat("from") {
            select.from = self.list(Self::item_of_from)?;
        }
        if self.eat("where") {
            select.filter = Some(self.expr()?);
        }
        if self.eat("group by") {
            self.group_by(&mut select)?;
        }
        if self.eat("having") {
            select.having = Some(self.expr()?);
        }
        self.windows = if self.eat("window") { self.window_clause()? } else { Vec::new() };
        for target in &mut select.targets {
            if let Target::Expr { expr, .. } = target {
                self.resolve_windows(expr)?;
            }
        }
        select.windows.clone_from(&self.windows);
        Ok(select)
    }

    /// `into_clause`: kept until the statement is at its end, as only a statement's own first SELECT may have it.
    fn maybe_into(&mut self) -> Result<(), StatementError> {
        let at = self.position();
        if !self.eat("into") {
            return Ok(());
        }
        if self.into.is_some() {
            return Err(StatementError::server("42601", "SELECT ... INTO is not allowed here").at(at));
        }
        let persistence = if self.eat("temporary") || self.eat("temp") {
            Persistence::Temporary
        } else if self.eat("unlogged") {
            Persistence::Unlogged
        } else {
            Persistence::Permanent
        };
        self.eat("table");
        self.into = Some((self.range_var()?, persistence, at));
        Ok(())
    }

    /// A query that is a statement: one with INTO is CREATE TABLE AS.
    pub(super) fn select_statement(&mut self) -> Result<Statement, StatementError> {
        let query = self.select()?;
        let Some((name, persistence, _)) = self.into.take() else { return Ok(Statement::Select(query)) };
        Ok(Statement::CreateTableAs(CreateTableAs {
            name,
            persistence,
            on_commit: None,
            if_not_exists: false,
            columns: Vec::new(),
            options: Vec::new(),
            query: Box::new(query),
            with_data: true,
            matview: false,
            is_select_into: true,
        }))
    }

    /// ORDER BY, LIMIT, FOR UPDATE. A query in parentheses that has them already gets no others.
    fn ends(&mut self, mut select: Select) -> Result<Select, StatementError> {
        let begins = ["order", "limit", "offset", "fetch", "for"].into_iter().any(|word| self.is_word(word));
        if begins && (!select.order_by.is_empty() || select.limit.is_some() || select.locking.is_some()) {
            return Err(self.unsupported("ORDER BY or LIMIT of a query in parentheses that has its own"));
        }
        let mut order_by = self.order_by()?;
        order_by.iter_mut().try_for_each(|by| self.resolve_windows(&mut by.expr))?;
        select.order_by.extend(order_by);
        self.limit(&mut select)?;
        self.locking(&mut select)?;
        self.limit(&mut select)?;
        Ok(select)
    }

    /// An item between SELECT and FROM, or after RETURNING.
    pub fn target(&mut self) -> Result<Target, StatementError> {
        if self.eat_op("*") {
            return Ok(Target::Star(None));
        }
        let mark = self.mark();
        if let Some(table) = self.maybe_name()
            && self.eat_op(".")
            && self.eat_op("*")
            && !self.goes_on_from_row()
        {
            return Ok(Target::Star(Some(table)));
        }
        self.back_to(mark);
        if let (Some(schema), true) = (self.maybe_name(), self.eat_op("."))
            && let (Some(table), true) = (self.maybe_name(), self.eat_op("."))
            && self.eat_op("*")
        {
            return Ok(Target::Star(Some(alloc::format!("{schema}.{table}"))));
        }
        self.back_to(mark);
        let expr = self.expr()?;
        Ok(Target::Expr { expr, alias: self.alias()? })
    }

    /// Is the row that was named a part of an expression: cast, compared, asked whether it IS something?
    fn goes_on_from_row(&self) -> bool {
        const OPERATORS: [&str; 7] = ["::", "=", "<>", "!=", "<", ">", "<="];
        self.is_word("is") || self.is_op(">=") || OPERATORS.iter().any(|op| self.is_op(op))
    }

    /// ORDER BY, where it stands.
    pub fn order_by(&mut self) -> Result<Vec<SortBy>, StatementError> {
        if self.eat("order by") { self.list(Self::sort_by) } else { Ok(Vec::new()) }
    }

    /// An item of ORDER BY.
    fn sort_by(&mut self) -> Result<SortBy, StatementError> {
        let expr = self.expr()?;
        let (descending, nulls_first) = self.direction()?;
        Ok(SortBy { expr, descending, nulls_first })
    }

    /// ASC or DESC, NULLS FIRST or LAST; without it NULL is the greatest value.
    pub fn direction(&mut self) -> Result<(bool, bool), StatementError> {
        let descending = !self.eat("asc") && self.eat("desc");
        if !self.eat("nulls") {
            return Ok((descending, descending));
        }
        let nulls_first = self.eat("first");
        if !nulls_first {
            self.expect("last")?;
        }
        Ok((descending, nulls_first))
    }

    fn limit(&mut self, select: &mut Select) -> Result<(), StatementError> {
        loop {
            if select.limit.is_none() && self.eat("limit") {
                // LIMIT ALL is no limit
                select.limit = if self.eat("all") { None } else { Some(self.expr()?) };
            } else if select.offset.is_none() && self.eat("offset") {
                select.offset = Some(self.expr()?);
                let _ = self.eat("rows") || self.eat("row");
            } else if select.limit.is_none() && self.eat("fetch") {
                select.limit = Some(self.fetch_first()?);
            } else {
                return Ok(());
            }
        }
    }

    /// After FETCH, which says by other words what LIMIT says.
    fn fetch_first(&mut self) -> Result<Expr, StatementError> {
        if !self.eat("first") {
            self.expect("next")?;
        }
        let position = self.position();
        let count = if self.is_word("row") || self.is_word("rows") {
            Expr { node: ExprNode::Literal(Literal::Number("1".into())), position }
        } else if self.is_op("(") || matches!(self.peek(), Token::Number(_) | Token::Param(_)) {
            self.primary()?
        } else {
            return Err(self.refuse());
        };
        if !self.eat("rows") {
            self.expect("row")?;
        }
        if self.is_word("with") {
            return Err(self.unsupported("FETCH FIRST … WITH TIES"));
        }
        self.expect("only")?;
        Ok(count)
    }

    /// After OF: the one table that there is.
    fn of_the_table(&mut self, select: &Select) -> Result<(), StatementError> {
        let position = self.position();
        let names = self.list(Self::name)?;
        let [FromItem::Table { name, alias, .. }] = &select.from[..] else {
            return Err(self.unsupported("FOR … OF where there is more than a table"));
        };
        let shown = alias.as_ref().unwrap_or(&name.name);
        match names.iter().find(|name| *name != shown) {
            None => Ok(()),
            Some(other) => {
                let message = format!("relation \"{other}\" in FOR UPDATE clause not found in FROM clause");
                Err(StatementError { position: Some(position), ..StatementError::server("42P01", message) })
            }
        }
    }

    fn locking(&mut self, select: &mut Select) -> Result<(), StatementError> {
        if !self.eat("for") {
            return Ok(());
        }
        let words = [
            ("update", LockStrength::Update),
            ("no key update", LockStrength::NoKeyUpdate),
            ("share", LockStrength::Share),
            ("key share", LockStrength::KeyShare),
        ];
        let found = words.into_iter().find(|(words, _)| self.eat(words));
        let Some((_, strength)) = found else { return Err(self.refuse()) };
        if self.eat("of") {
            self.of_the_table(select)?;
        }
        let wait = if self.eat("nowait") {
            LockWait::Error
        } else if self.eat("skip locked") {
            LockWait::Skip
        } else {
            LockWait::Block
        };
        if self.is_word("for") {
            return Err(self.unsupported("a second FOR"));
        }
        select.locking = Some(Locking { strength, wait });
        Ok(())
    }
}

fn joined(kind: SetKind, all: bool, left: Select, right: Select) -> Select {
    Select { set: Some(Box::new(SetOperation { kind, all, left, right })), ..Select::default() }
}
