//! CREATE TABLE and CREATE TABLE AS.

use super::constraint::is_collatable;
use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    ColumnDef, ColumnDefault, CommonTable, Constraint, CreateTable, CreateTableAs, CreateView, DefElem, Expr, ExprNode,
    FromItem, LikeOption, Object, OnCommit, Persistence, RangeVar, RefreshMatView, Select, SequenceOptions, Statement,
    TableLike, Target,
};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::Oid;

/// Names of integers whose values come from a sequence, and `pg_type.oid`.
const SERIAL: &[(&str, Oid)] =
    &[("smallserial", 21), ("serial2", 21), ("serial", 23), ("serial4", 23), ("bigserial", 20), ("serial8", 20)];

/// What CREATE TABLE begins with.
struct Head {
    name: RangeVar,
    persistence: Persistence,
    if_not_exists: bool,
}

impl Head {
    /// A table without columns.
    fn table(self) -> CreateTable {
        let Self { name, persistence, if_not_exists } = self;
        CreateTable {
            name,
            persistence,
            on_commit: None,
            if_not_exists,
            columns: Vec::new(),
            likes: Vec::new(),
            constraints: Vec::new(),
            options: Vec::new(),
            inherits: Vec::new(),
            partition_by: None,
            partition_of: None,
        }
    }
}

impl Parser {
    /// After CREATE, and UNLOGGED or TEMPORARY, and TABLE.
    pub fn create_table(&mut self, persistence: Persistence) -> Result<Statement, StatementError> {
        let if_not_exists = self.eat("if not exists");
        let head = Head { name: self.range_var()?, persistence, if_not_exists };
        if self.eat("partition of") {
            let mut table = head.table();
            table.partition_of = Some(self.partition_of()?);
            return self.after_elements(table);
        }
        if self.is_op("(") && !self.only_names_in_parens() {
            return self.table_elements(head.table());
        }
        let columns = self.names()?;
        let (options, on_commit) = (self.with_options()?, self.on_commit()?);
        self.expect("as")?;
        let query = Box::new(self.select()?);
        let with_data = !self.eat("with no data");
        if with_data {
            self.eat("with data");
        }
        let Head { name, persistence, if_not_exists } = head;
        Ok(Statement::CreateTableAs(CreateTableAs {
            name,
            persistence,
            on_commit,
            if_not_exists,
            columns,
            options,
            query,
            with_data,
            matview: false,
            is_select_into: false,
        }))
    }

    /// After CREATE MATERIALIZED VIEW.
    pub fn create_matview(&mut self) -> Result<Statement, StatementError> {
        let if_not_exists = self.eat("if not exists");
        let (name, columns, options) = (self.range_var()?, self.names()?, self.with_options()?);
        self.expect("as")?;
        let query = Box::new(self.select()?);
        let with_data = !self.eat("with no data");
        if with_data {
            self.eat("with data");
        }
        Ok(Statement::CreateTableAs(CreateTableAs {
            name,
            persistence: Persistence::Permanent,
            on_commit: None,
            if_not_exists,
            columns,
            options,
            query,
            with_data,
            matview: true,
            is_select_into: false,
        }))
    }

    /// After REFRESH.
    pub fn refresh_matview(&mut self) -> Result<RefreshMatView, StatementError> {
        self.expect("materialized view")?;
        let (concurrently, name) = (self.eat("concurrently"), self.range_var()?);
        let with_data = !self.eat("with no data");
        if with_data {
            self.eat("with data");
        }
        Ok(RefreshMatView { name, concurrently, with_data })
    }

    /// Is it `(a, b) … AS`, without types?
    fn only_names_in_parens(&mut self) -> bool {
        let mark = self.mark();
        let names = self.in_parens(Self::name).is_ok();
        self.back_to(mark);
        names
    }

    /// After CREATE, and OR REPLACE, and TEMPORARY, and VIEW.
    pub fn create_view(
        &mut self,
        replace: bool,
        temporary: bool,
        recursive: bool,
    ) -> Result<Statement, StatementError> {
        let (name, columns) = (self.range_var()?, self.names()?);
        if self.is_word("with") {
            return Err(self.unsupported("an option of a view"));
        }
        self.expect("as")?;
        let at = self.position();
        let query = self.select()?;
        let query = Box::new(if recursive { recursive_query(&name.name, &columns, query, at) } else { query });
        let mut check = None;
        if self.eat("with") {
            let is_local = self.eat("local");
            if !is_local {
                self.eat("cascaded");
            }
            self.expect("check option")?;
            check = Some(!is_local);
        }
        Ok(Statement::Object(Object::CreateView(CreateView { name, replace, temporary, columns, query, check })))
    }

    /// `WITH (…)`, where it is there.
    pub fn with_options(&mut self) -> Result<Vec<DefElem>, StatementError> {
        if self.is_word("with") && *self.peek_second() == Token::Op("(".into()) {
            self.step();
            return self.options();
        }
        Ok(Vec::new())
    }

    /// ON COMMIT …, where it is there.
    fn on_commit(&mut self) -> Result<Option<OnCommit>, StatementError> {
        const ALL: [(&str, OnCommit); 3] =
            [("preserve rows", OnCommit::Preserve), ("delete rows", OnCommit::DeleteRows), ("drop", OnCommit::Drop)];
        if !self.eat("on commit") {
            return Ok(None);
        }
        let found = ALL.into_iter().find(|(words, _)| self.eat(words));
        found.map(|(_, on_commit)| Some(on_commit)).ok_or_else(|| self.refuse())
    }

    fn table_elements(&mut self, mut table: CreateTable) -> Result<Statement, StatementError> {
        self.expect_op("(")?;
        if !self.eat_op(")") {
            self.list(|parser| parser.table_element(&mut table))?;
            self.expect_op(")")?;
        }
        self.after_elements(table)
    }

    /// What stands behind the columns.
    fn after_elements(&mut self, mut table: CreateTable) -> Result<Statement, StatementError> {
        if self.eat("inherits") {
            table.inherits = self.in_parens(Self::range_var)?;
        }
        table.partition_by = self.partition_by()?;
        table.options = self.with_options()?;
        table.on_commit = self.on_commit()?;
        Ok(Statement::CreateTable(table))
    }

    fn table_element(&mut self, table: &mut CreateTable) -> Result<(), StatementError> {
        if self.eat("like") {
            let after = table.columns.len();
            table.likes.push(self.table_like(after)?);
            return Ok(());
        }
        if self.is_table_constraint() {
            table.constraints.push(self.table_constraint()?);
            return Ok(());
        }
        let column = self.column_def(&mut table.constraints)?;
        table.columns.push(column);
        Ok(())
    }

    /// After LIKE.
    fn table_like(&mut self, after: usize) -> Result<TableLike, StatementError> {
        let name = self.opened_table()?;
        let mut including = Vec::new();
        loop {
            let is_taken = self.eat("including");
            if !is_taken && !self.eat("excluding") {
                return Ok(TableLike { after, name, including });
            }
            let all = self.eat("all");
            let named = LikeOption::ALL.into_iter().find(|(word, _)| !all && self.eat(word));
            if !all && named.is_none() {
                return Err(self.refuse());
            }
            let meant = LikeOption::ALL.map(|(_, option)| option).into_iter();
            let meant: Vec<LikeOption> =
                meant.filter(|option| all || named.is_some_and(|it| it.1 == *option)).collect();
            including.retain(|option| !meant.contains(option));
            if is_taken {
                including.extend(meant);
            }
        }
    }

    /// A column; its constraints go to `constraints`.
    pub fn column_def(&mut self, constraints: &mut Vec<Constraint>) -> Result<ColumnDef, StatementError> {
        let name = self.name()?;
        let serial = SERIAL.iter().find(|(word, _)| self.eat(word)).map(|(_, oid)| *oid);
        let mut domain = None;
        let (type_name, default) = match serial {
            Some(oid) => (SqlType { oid, typmod: -1 }, ColumnDefault::Serial),
            None => match self.domain()? {
                Some((ty, oid)) => {
                    domain = Some(oid);
                    (ty, ColumnDefault::Null)
                }
                None => (self.column_type()?, ColumnDefault::Null),
            },
        };
        let storage = if self.eat("storage") { Some(self.name_or_default()?) } else { None };
        let compression = if self.eat("compression") { Some(self.name_or_default()?) } else { None };
        let not_null = serial.is_some();
        let not_null_names = Vec::new();
        let mut column = ColumnDef { name, type_name, domain, storage, compression, not_null, not_null_names, default };
        let (at, is_text) =
            (self.lexemes().get(self.mark() + 1).map(|it| it.position), is_collatable(column.type_name.oid));
        let is_collated = self.is_word("collate");
        self.collation()?;
        if let (true, false, Some(at)) = (is_collated, is_text, at) {
            let message = format!("collations are not supported by type {}", column.type_name.name());
            return Err(StatementError::server("42804", message).at(at));
        }
        while self.column_constraint(&mut column, constraints)? {}
        Ok(column)
    }

    /// One of NOT NULL, DEFAULT …; false when none follows.
    fn column_constraint(&mut self, column: &mut ColumnDef, all: &mut Vec<Constraint>) -> Result<bool, StatementError> {
        let name = self.constraint_name()?;
        if self.eat("not null") {
            self.no_attributes()?;
            column.not_null = true;
            column.not_null_names.extend(name);
        } else if self.eat("null") {
            if column.not_null {
                let message = format!("conflicting NULL/NOT NULL declarations for column \"{}\"", column.name);
                return Err(StatementError::server("42601", message).at(self.position()));
            }
        } else if self.eat("default") {
            self.only_default(column)?;
            column.default = ColumnDefault::Expr(self.expr()?);
        } else if self.eat("generated") {
            self.only_default(column)?;
            self.generated(column)?;
        } else if let Some(constraint) = self.constraint_of_column(name.clone(), &column.name)? {
            all.push(constraint);
        } else if self.is_word("storage") || self.is_word("compression") {
            // they stand before all others
            return Err(self.refuse());
        } else if name.is_some() {
            return Err(self.refuse());
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Of STORAGE and COMPRESSION: a name, or DEFAULT.
    pub fn name_or_default(&mut self) -> Result<String, StatementError> {
        if self.eat("default") { Ok(String::from("default")) } else { self.name() }
    }

    fn only_default(&self, column: &ColumnDef) -> Result<(), StatementError> {
        match column.default {
            ColumnDefault::Null => Ok(()),
            _ => {
                let message = format!("multiple default values specified for column \"{}\"", column.name);
                Err(StatementError::server("42601", message).at(self.position()))
            }
        }
    }

    /// After GENERATED: of which kind, and whether the column is NOT NULL.
    fn generated(&mut self, column: &mut ColumnDef) -> Result<(), StatementError> {
        let always = self.eat("always as");
        if !always {
            self.expect("by default as")?;
        }
        if always && self.is_op("(") {
            self.step();
            let expr = self.expr()?;
            self.expect_op(")")?;
            if self.eat("stored") {
                column.default = ColumnDefault::Generated(expr);
                return Ok(());
            }
            let stops_at = String::from(self.text());
            self.eat("virtual");
            column.default = ColumnDefault::Virtual(expr, stops_at);
            return Ok(());
        }
        self.expect("identity")?;
        column.default = ColumnDefault::Identity { always, options: self.identity_options()? };
        column.not_null = true;
        Ok(())
    }

    /// Options of the sequence, in parentheses, where they are there.
    pub fn identity_options(&mut self) -> Result<SequenceOptions, StatementError> {
        if !self.eat_op("(") {
            return Ok(SequenceOptions::default());
        }
        let (options, count) = self.sequence_options()?;
        if count == 0 {
            return Err(self.refuse());
        }
        self.expect_op(")")?;
        Ok(options)
    }
}

/// `makeRecursiveViewSelect`: CREATE RECURSIVE VIEW v (a) AS … is WITH RECURSIVE v (a) AS (…) SELECT a FROM v.
fn recursive_query(name: &str, columns: &[String], query: Select, position: Position) -> Select {
    let column = |name: &String| Target::Expr {
        expr: Expr { node: ExprNode::Column { table: None, name: name.clone() }, position },
        alias: None,
    };
    let common = CommonTable {
        name: name.into(),
        columns: columns.to_vec(),
        materialized: None,
        statement: Box::new(Statement::Select(query)),
        marks: None,
    };
    let of = RangeVar { schema: None, name: name.into(), only: false };
    Select {
        with: Vec::from([common]),
        recursive: true,
        targets: columns.iter().map(column).collect(),
        from: Vec::from([FromItem::Table { name: of, alias: None, columns: Vec::new(), sample: None }]),
        ..Select::default()
    }
}
