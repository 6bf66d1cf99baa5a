//! INSERT, UPDATE, DELETE.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    Assignment, ConflictUpdate, Delete, Expr, ExprNode, Insert, InsertSource, Literal, OnConflict, Overriding,
    QueryKind, Select, Target, Update,
};
use crate::sql::expr::Analyzer;
use crate::sql::plan::{NEW, OLD};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

impl Parser {
    /// After INSERT.
    pub fn insert(&mut self) -> Result<Insert, StatementError> {
        self.expect("into")?;
        let table = self.opened_table()?;
        let alias = if self.is_word("as") { self.alias()? } else { None };
        let named = self.maybe_in_parens(Self::inserted_column)?;
        let overriding = self.overriding();
        let source = if self.eat("default values") {
            InsertSource::Defaults
        } else if self.eat("values") {
            InsertSource::Values(self.list(|parser| parser.in_parens(Self::value))?)
        } else {
            InsertSource::Select(Box::new(self.select()?))
        };
        let (columns, source) = match named.iter().any(|(_, fields)| !fields.is_empty()) {
            true => self.with_fields(named, source)?,
            false => (named.into_iter().map(|(name, _)| name).collect(), source),
        };
        let on_conflict = if self.eat("on conflict") { Some(self.on_conflict()?) } else { None };
        Ok(Insert { table, alias, columns, overriding, source, on_conflict, returning: self.returning()? })
    }

    /// INSERT of columns of columns: each of these columns gets one value, of those that are given.
    fn with_fields(
        &self,
        named: Vec<(String, Vec<String>)>,
        source: InsertSource,
    ) -> Result<(Vec<String>, InsertSource), StatementError> {
        let InsertSource::Values(rows) = source else {
            return Err(self.unsupported("INSERT of a column of a column by a query"));
        };
        let (mut columns, mut all) = (Vec::new(), Vec::with_capacity(rows.len()));
        for row in rows {
            if row.len() != named.len() {
                let what = if row.len() > named.len() {
                    "expressions than target columns"
                } else {
                    "target columns than expressions"
                };
                let message = alloc::format!("INSERT has more {what}");
                return Err(StatementError::server("42601", message));
            }
            let mut assigned = Vec::new();
            for ((column, fields), value) in named.iter().zip(row) {
                match (fields.is_empty(), value) {
                    (true, value) => assigned.push(Assignment { column: column.clone(), value }),
                    (false, Some(value)) => add_field(&mut assigned, column.clone(), (fields.clone(), value)),
                    (false, None) => {
                        return Err(StatementError::server("0A000", "cannot set a subfield to DEFAULT"));
                    }
                }
            }
            columns = assigned.iter().map(|it| it.column.clone()).collect();
            all.push(assigned.into_iter().map(|it| it.value).collect());
        }
        Ok((columns, InsertSource::Values(all)))
    }

    pub(super) fn overriding(&mut self) -> Option<Overriding> {
        if self.eat("overriding system value") {
            Some(Overriding::System)
        } else if self.eat("overriding user value") {
            Some(Overriding::User)
        } else {
            None
        }
    }

    /// An expression, or DEFAULT.
    pub(super) fn value(&mut self) -> Result<Option<Expr>, StatementError> {
        if self.eat("default") { Ok(None) } else { self.expr().map(Some) }
    }

    fn on_conflict(&mut self) -> Result<OnConflict, StatementError> {
        let constraint = if self.eat("on constraint") { Some(self.name()?) } else { None };
        let columns = if constraint.is_none() { self.maybe_in_parens(Self::conflict_key)? } else { Vec::new() };
        let filter = if !columns.is_empty() && self.eat("where") { Some(Box::new(self.expr()?)) } else { None };
        self.expect("do")?;
        if self.eat("nothing") {
            return Ok(OnConflict { columns, filter, constraint, update: None });
        }
        self.expect("update set")?;
        if columns.is_empty() && constraint.is_none() {
            let message = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
            return Err(StatementError::server("42601", message).at(self.position()));
        }
        let set = self.assignments()?;
        let update = Some(ConflictUpdate { set, filter: self.filter()? });
        Ok(OnConflict { columns, filter, constraint, update })
    }

    /// A key of the index that is looked for.
    fn conflict_key(&mut self) -> Result<Expr, StatementError> {
        let elem = self.index_elem()?;
        if elem.descending || elem.nulls_first {
            return Err(StatementError::server("42P10", "ASC/DESC is not allowed in ON CONFLICT clause"));
        }
        if elem.opclass.is_some() {
            return Err(self.unsupported("an operator class in ON CONFLICT"));
        }
        Ok(elem.expr)
    }

    /// The columns that are set, one after another.
    pub(super) fn assignments(&mut self) -> Result<Vec<Assignment>, StatementError> {
        let mut all = Vec::new();
        loop {
            if self.is_op("(") {
                all.extend(self.assigned_row()?);
            } else {
                let column = self.target_column()?;
                if self.is_op(".") {
                    let fields = self.fields_of_column()?;
                    self.expect_op("=")?;
                    let value = self.value_of_field(fields)?;
                    add_field(&mut all, column, value);
                    if !self.eat_op(",") {
                        return Ok(all);
                    }
                    continue;
                }
                let mut subscripts = Vec::new();
                while self.eat_op("[") {
                    subscripts.push(self.expr()?);
                    if self.is_op(":") {
                        return Err(self.unsupported("a slice of an array in SET"));
                    }
                    self.expect_op("]")?;
                }
                self.expect_op("=")?;
                if subscripts.is_empty() {
                    all.push(Assignment { column, value: self.value()? });
                } else {
                    let value = self.value_of_part()?;
                    add_part(&mut all, column, (subscripts, value));
                }
            }
            if !self.eat_op(",") {
                return Ok(all);
            }
        }
    }

    /// `.field…` behind the name of a column.
    fn fields_of_column(&mut self) -> Result<Vec<String>, StatementError> {
        let mut fields = Vec::new();
        while self.eat_op(".") {
            fields.push(self.name()?);
        }
        Ok(fields)
    }

    /// A value for a column of a column.
    fn value_of_field(&mut self, fields: Vec<String>) -> Result<(Vec<String>, Expr), StatementError> {
        let position = self.position();
        match self.value()? {
            Some(value) => Ok((fields, value)),
            None => Err(StatementError::server("0A000", "cannot set a subfield to DEFAULT").at(position)),
        }
    }

    /// A column of INSERT, or a column of one.
    fn inserted_column(&mut self) -> Result<(String, Vec<String>), StatementError> {
        Ok((self.target_column()?, self.fields_of_column()?))
    }

    /// A value for a part of a column.
    fn value_of_part(&mut self) -> Result<Expr, StatementError> {
        let position = self.position();
        let default = || StatementError::server("0A000", "cannot set an array element to DEFAULT").at(position);
        self.value()?.ok_or_else(default)
    }

    /// `(a, b) = (1, DEFAULT)`
    fn assigned_row(&mut self) -> Result<Vec<Assignment>, StatementError> {
        let columns = self.in_parens(Self::target_column)?;
        self.expect_op("=")?;
        self.eat("row");
        let at = self.position();
        if matches!(self.peek_second(), Token::Word(word) if word == "select") {
            return self.assigned_by_query(columns);
        }
        let values = self.in_parens(Self::value)?;
        if columns.len() != values.len() {
            let message = "number of columns does not match number of values";
            return Err(StatementError::server("42601", message).at(at));
        }
        Ok(columns.into_iter().zip(values).map(|(column, value)| Assignment { column, value }).collect())
    }

    /// `(a, b) = (SELECT …)`: a query a column, each of which gives what the one that is written gives for it
    /// (`MultiAssignRef`).
    fn assigned_by_query(&mut self, columns: Vec<String>) -> Result<Vec<Assignment>, StatementError> {
        let position = self.position();
        let query = self.parenthesised(|query| query)?;
        if query.set.is_some() || query.targets.iter().any(|target| matches!(target, Target::Star(_))) {
            return Err(self.unsupported("SET of several columns by a query whose columns are not written out"));
        }
        if columns.len() != query.targets.len() {
            let message = "number of columns does not match number of values";
            return Err(StatementError::server("42601", message).at(position));
        }
        // where one of the columns is an aggregate, the rows of the others are one group too
        let is_aggregated = |target: &Target| matches!(target, Target::Expr { expr, .. } if has_aggregate(expr));
        let mut query = query;
        if query.group_by.is_empty() && query.having.is_none() && query.targets.iter().any(is_aggregated) {
            query.having = Some(Expr { node: ExprNode::Literal(Literal::Bool(true)), position });
        }
        let of_target = |(column, target): (String, &Target)| {
            let query = Box::new(Select { targets: Vec::from([target.clone()]), ..(*query).clone() });
            let node = ExprNode::Query { kind: QueryKind::Scalar, query };
            Assignment { column, value: Some(Expr { node, position }) }
        };
        Ok(columns.into_iter().zip(&query.targets).map(of_target).collect())
    }

    fn filter(&mut self) -> Result<Option<Expr>, StatementError> {
        if !self.eat("where") {
            return Ok(None);
        }
        self.expr().map(Some)
    }

    /// WHERE, or WHERE CURRENT OF.
    fn filter_or_cursor(&mut self) -> Result<(Option<Expr>, Option<String>), StatementError> {
        if self.eat("where current of") {
            return Ok((None, Some(self.name()?)));
        }
        Ok((self.filter()?, None))
    }

    /// RETURNING, where it stands.
    pub(super) fn returning(&mut self) -> Result<Vec<Target>, StatementError> {
        if !self.eat("returning") {
            return Ok(Vec::new());
        }
        let renamed = if self.eat("with") { self.in_parens(Self::renamed_image)? } else { Vec::new() };
        let mut targets = self.list(Self::target)?;
        for target in &mut targets {
            match target {
                Target::Star(name) => renamed.iter().for_each(|(of, to)| rename(name, of, to)),
                Target::Expr { expr, .. } => rename_in(expr, &renamed),
            }
        }
        Ok(targets)
    }

    /// `OLD AS name` or `NEW AS name`: the name, and what it means.
    fn renamed_image(&mut self) -> Result<(String, &'static str), StatementError> {
        let image = if self.eat("old") {
            OLD
        } else {
            self.expect("new")?;
            NEW
        };
        self.expect("as")?;
        Ok((self.name()?, image))
    }

    /// After UPDATE.
    pub fn update(&mut self) -> Result<Update, StatementError> {
        let table = self.opened_table()?;
        let alias = self.alias()?;
        self.expect("set")?;
        let set = self.assignments()?;
        let from = if self.eat("from") { self.list(Self::item_of_from)? } else { Vec::new() };
        let (filter, current_of) = self.filter_or_cursor()?;
        if current_of.is_some() && !from.is_empty() {
            return Err(self.unsupported("WHERE CURRENT OF beside FROM"));
        }
        Ok(Update { table, alias, set, from, filter, current_of, returning: self.returning()? })
    }

    /// After DELETE.
    pub fn delete(&mut self) -> Result<Delete, StatementError> {
        self.expect("from")?;
        let table = self.opened_table()?;
        let alias = self.alias()?;
        let using = if self.eat("using") { self.list(Self::item_of_from)? } else { Vec::new() };
        let (filter, current_of) = self.filter_or_cursor()?;
        if current_of.is_some() && !using.is_empty() {
            return Err(self.unsupported("WHERE CURRENT OF beside USING"));
        }
        Ok(Delete { table, alias, using, filter, current_of, returning: self.returning()? })
    }

    /// Names in parentheses, where there are any.
    pub fn names(&mut self) -> Result<Vec<String>, StatementError> {
        self.maybe_in_parens(Self::name)
    }
}

/// One more part of a column: that gets one value, of all of them.
fn add_part(all: &mut Vec<Assignment>, column: String, part: (Vec<Expr>, Expr)) {
    let position = part.1.position;
    for known in all.iter_mut().filter(|known| known.column == column) {
        if let Some(Expr { node: ExprNode::AssignedParts(parts), .. }) = &mut known.value {
            parts.push(part);
            return;
        }
    }
    let value = Some(Expr { node: ExprNode::AssignedParts(Vec::from([part])), position });
    all.push(Assignment { column, value });
}

/// One more column of a column: that gets one value, of all of them.
fn add_field(all: &mut Vec<Assignment>, column: String, field: (Vec<String>, Expr)) {
    let position = field.1.position;
    for known in all.iter_mut().filter(|known| known.column == column) {
        if let Some(Expr { node: ExprNode::AssignedFields(fields), .. }) = &mut known.value {
            fields.push(field);
            return;
        }
    }
    let value = Some(Expr { node: ExprNode::AssignedFields(Vec::from([field])), position });
    all.push(Assignment { column, value });
}

fn rename(name: &mut Option<String>, of: &str, to: &str) {
    if name.as_deref() == Some(of) {
        *name = Some(to.into());
    }
}

fn rename_in(expr: &mut Expr, renamed: &[(String, &'static str)]) {
    if let ExprNode::Column { table, .. } = &mut expr.node {
        renamed.iter().for_each(|(of, to)| rename(table, of, to));
    }
    expr.children_mut().into_iter().for_each(|child| rename_in(child, renamed));
}

/// Is an aggregate of the query's own in it?
fn has_aggregate(expr: &Expr) -> bool {
    match &expr.node {
        ExprNode::Function { name, over: None, .. } if Analyzer::is_aggregate(name) => true,
        ExprNode::Query { .. } => false,
        _ => expr.children().into_iter().any(has_aggregate),
    }
}
