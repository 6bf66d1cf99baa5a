//! Rows as values in expressions: ROW(…), their columns, their casts, their operators (`transformRowExpr`,
//! src/backend/parser/parse_expr.c; `ParseComplexProjection`, parse_func.c; `coerce_record_to_complex`,
//! parse_coerce.c).

use super::analyze::{Analyzer, truth};
use super::choose::Choice;
use super::domains::{AssignedType, REWRITE};
use super::function::{missing, no_function, type_name};
use super::pg_catalog::{
    Coercion, JSON, JSONB, RECORD, REGCLASS, REGNAMESPACE, REGPROC, REGPROCEDURE, REGTYPE, TEXT, UNKNOWN,
};
use super::pg_proc::Builtin;
use super::whole_row::typed_row;
use super::{Node, Typed};
use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode};
use crate::sql::catalog::SqlFunction;
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::input::input;
use ffviz_format::datum::record::record_in;
use ffviz_format::datum::{Attribute, RowType, SqlError, SqlType, TupleDesc, Value, is_composite, is_row, type_oid};
use ffviz_format::page::Oid;

impl Analyzer<'_> {
    /// ROW(…): a `row.*` among its values is all columns of that row.
    pub(super) fn written_row(&mut self, parts: &[Expr]) -> Result<Typed, StatementError> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            match self.columns_of_star(part)? {
                Some(columns) => values.extend(columns.into_iter().map(|(_, value)| value)),
                None => values.push(self.expr(part)?),
            }
        }
        let named = (1..).zip(values).map(|(n, value)| (format!("f{n}"), value));
        self.record_of(named.collect())
    }

    /// The columns of `row.*` or `(row).*` with their names; nothing of anything else.
    ///
    /// # Errors
    /// What is no row.
    pub fn columns_of_star(&mut self, expr: &Expr) -> Result<Option<Vec<(String, Typed)>>, StatementError> {
        let row = match &expr.node {
            ExprNode::Column { table: Some(_), name } if name == "*" => {
                let Some(row) = self.whole_row(expr)? else { return Ok(None) };
                row
            }
            ExprNode::Field(row, field) if field == "*" => self.expr(row)?,
            _ => return Ok(None),
        };
        if row.ty.oid == UNKNOWN || !is_row(row.ty.oid) {
            let message = format!("type {} is not composite", type_name(row.ty.oid));
            return Err(StatementError::server("42809", message).at(expr.position));
        }
        let Some(ty) = self.type_of_row(&row) else {
            return Err(StatementError::server("42809", "record type has not been registered").at(expr.position));
        };
        Ok(Some(ty.columns().map(|(n, column)| (column.name.clone(), column_of(&row, n, column))).collect()))
    }

    /// Values with their names as a row of no type of its own.
    pub(super) fn record_of(&mut self, columns: Vec<(String, Typed)>) -> Result<Typed, StatementError> {
        self.row_named(columns, None)
    }

    /// The same as a row of a type with that OID.
    pub(super) fn row_named(
        &mut self,
        columns: Vec<(String, Typed)>,
        oid: Option<Oid>,
    ) -> Result<Typed, StatementError> {
        let (mut attributes, mut values) = (Vec::new(), Vec::new());
        for (num, (name, value)) in (1..).zip(columns) {
            let value = match value.ty.oid {
                REGCLASS | REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE => self.printed(value)?,
                _ => value,
            };
            let mut attribute = self.attribute(value.ty, num, &name);
            if value.ty.oid == RECORD {
                let ty = self.type_of_row(&value);
                attribute.fields = ty.map_or_else(Vec::new, |ty| ty.desc.attributes().to_vec());
            }
            attribute.dropped = name.is_empty();
            attributes.push(attribute);
            values.push(if name.is_empty() { Typed::constant(Value::Null, value.ty) } else { value });
        }
        let ty = RowType { oid: oid.unwrap_or(RECORD), desc: Arc::new(TupleDesc::new(attributes)) };
        Ok(typed_row(&ty, values.into_iter()))
    }

    /// A column of a row, of that type.
    fn attribute(&self, ty: SqlType, num: u16, name: &str) -> Attribute {
        let mut attribute = ty.attribute(num, name);
        if ty.oid == UNKNOWN {
            // it is read as text, though it is not of that type
            attribute.base = Some(TEXT);
        }
        if let Some(labels) = self.enums.iter().find(|it| it.oid == ty.oid) {
            attribute.labels = labels.labels.iter().cloned().collect();
        }
        if let Some(row) = self.row_type(ty.oid) {
            attribute.fields = row.desc.attributes().to_vec();
        }
        attribute
    }

    /// The composite type, where statements have named it.
    pub(super) fn row_type(&self, typid: Oid) -> Option<&RowType> {
        self.row_types.iter().find(|ty| is_composite(typid) && ty.oid == type_oid(typid))
    }

    /// Which columns the values of an expression have.
    pub(super) fn type_of_row(&self, row: &Typed) -> Option<RowType> {
        match &row.node {
            Node::Row(ty, _) => Some(ty.clone()),
            Node::Const(Value::Record(record)) if row.ty.oid == RECORD => {
                Some(RowType { oid: RECORD, desc: record.desc().clone() })
            }
            Node::Case(case) => {
                let results = case.whens.iter().map(|(_, result)| result).chain([&case.otherwise]);
                results.into_iter().find_map(|result| self.type_of_row(result))
            }
            _ => self.row_type(row.ty.oid).cloned(),
        }
    }

    /// `(row).column` (`ParseFuncOrColumn`, src/backend/parser/parse_func.c); of functions that are called among the
    /// targets `plan::sets` has put it into FROM.
    pub(super) fn field(&mut self, row: &Expr, field: &str, at: Position) -> Result<Typed, StatementError> {
        if let ExprNode::Column { table: None, name } = &row.node
            && field != "*"
            && self.is_whole_row(row)
        {
            let node = ExprNode::Column { table: Some(name.clone()), name: field.into() };
            return self.expr(&Expr { node, position: at });
        }
        if let Some((_, _, columns)) = self.set_function(row)? {
            if field != "*" && !columns.iter().any(|column| column.name == field) {
                let message = format!("could not identify column \"{field}\" in record data type");
                return Err(StatementError::server("42703", message).at(row.position));
            }
            let message = "a column of a row as a value is not supported here; put the function into FROM";
            return Err(StatementError::unsupported(message, Some(at)));
        }
        if field == "*" {
            return Err(StatementError::server("0A000", "row expansion via \"*\" is not supported here").at(at));
        }
        let typed = self.expr(row)?;
        let found = self.field_of(typed, field).map_err(|error| error.at(row.position))?;
        if found.ty.oid == UNKNOWN {
            let message = "failed to find conversion function from unknown to text";
            return Err(StatementError::server("XX000", message));
        }
        Ok(found)
    }

    /// A column of an argument that is a row, of a function in SQL.
    pub(super) fn column_of_variable(
        &mut self,
        table: Option<&str>,
        name: &str,
    ) -> Result<Option<Typed>, StatementError> {
        let Some(number) = table.and_then(|table| self.variables.iter().position(|known| known == table)) else {
            return Ok(None);
        };
        let row = self.param(number as u16 + 1)?;
        if is_composite(row.ty.oid) && name != "*" { self.field_of(row, name).map(Some) } else { Ok(None) }
    }

    /// `row.f` where f is a function of rows.
    pub(super) fn called_by_column(
        &mut self,
        table: Option<&str>,
        name: &str,
        at: Position,
    ) -> Result<Option<Typed>, StatementError> {
        let Some(table) = table.filter(|table| self.range.entry(table).is_some()) else { return Ok(None) };
        let takes_row = |function: &Arc<SqlFunction>| {
            function.name == name && matches!(&function.arguments[..], [(_, ty)] if is_composite(ty.oid))
        };
        if !self.functions.iter().any(takes_row) {
            return Ok(None);
        }
        let arg = Expr { node: ExprNode::Column { table: None, name: table.into() }, position: at };
        self.call(name, &[arg], false, false, &[], None).map(Some)
    }

    /// A column of a row by its name.
    fn field_of(&mut self, row: Typed, field: &str) -> Result<Typed, StatementError> {
        if row.ty.oid == UNKNOWN || !is_row(row.ty.oid) {
            let ty = type_name(row.ty.oid);
            let message = format!("column notation .{field} applied to type {ty}, which is not a composite type");
            return Err(StatementError::server("42809", message));
        }
        let Some(ty) = self.type_of_row(&row) else {
            let message = format!("could not identify column \"{field}\" in record data type");
            return Err(StatementError::server("42703", message));
        };
        let Some(at) = ty.find(field) else {
            let message = match row.ty.oid {
                RECORD => format!("could not identify column \"{field}\" in record data type"),
                of => format!("column \"{field}\" not found in data type {}", type_name(of)),
            };
            return Err(StatementError::server("42703", message));
        };
        Ok(column_of(&row, at, &ty.desc.attributes()[at]))
    }

    /// What a column of that name and type becomes some of whose columns are assigned: that of the row at hand, or of a
    /// row that is new.
    pub(super) fn assigned_fields(
        &mut self,
        column: &str,
        ty: SqlType,
        fields: &[(Vec<String>, Expr)],
    ) -> Result<Typed, StatementError> {
        let target = self.range.entries.first().map(|entry| entry.name.clone());
        let found = match target {
            Some(target) => self.range.column(Some(&target), column)?,
            None => None,
        };
        let whole = match found {
            Some((slot, _)) => self.range.read(slot, ty),
            None => Typed::constant(Value::Null, ty),
        };
        let fields: Vec<_> = fields.iter().map(|(names, value)| (&names[..], value)).collect();
        self.with_fields(column, whole, &fields)
    }

    /// A row with some of its columns assigned (`FieldStore`; `transformAssignmentIndirection`,
    /// src/backend/parser/parse_target.c).
    pub(super) fn with_fields(
        &mut self,
        column: &str,
        whole: Typed,
        fields: &[(&[String], &Expr)],
    ) -> Result<Typed, StatementError> {
        let of = type_name(whole.ty.oid);
        let Some((first, at)) = fields.first().and_then(|(names, value)| Some((names.first()?, value.position))) else {
            return Ok(whole);
        };
        let Some(ty) = self.row_type(whole.ty.oid).cloned() else {
            let message = format!(
                "cannot assign to field \"{first}\" of column \"{column}\" because its type {of} is not a composite type"
            );
            return Err(StatementError::server("42804", message).at(at));
        };
        for (names, value) in fields {
            if let Some(name) = names.first().filter(|name| ty.find(name).is_none()) {
                let message = format!(
                    "cannot assign to field \"{name}\" of column \"{column}\" because there is no such column in data type {of}"
                );
                return Err(StatementError::server("42703", message).at(value.position));
            }
        }
        let mut values = Vec::with_capacity(ty.desc.attributes().len());
        for (n, attribute) in ty.desc.attributes().iter().enumerate() {
            let old = column_of(&whole, n, attribute);
            let is_it = |(names, _): &&(&[String], &Expr)| !attribute.dropped && names.first() == Some(&attribute.name);
            let mine: Vec<_> = fields.iter().filter(is_it).map(|(names, value)| (&names[1..], *value)).collect();
            values.push(match mine[..] {
                [] => old,
                [([], value)] => self.field_value(value, attribute)?,
                _ if mine.iter().any(|(names, _)| names.is_empty()) => {
                    let message = format!("multiple assignments to same column \"{column}\"");
                    return Err(StatementError::server("42601", message));
                }
                _ => self.with_fields(&attribute.name, old, &mine)?,
            });
        }
        Ok(typed_row(&ty, values.into_iter()))
    }

    /// The new value of a column of a row.
    fn field_value(&mut self, value: &Expr, attribute: &Attribute) -> Result<Typed, StatementError> {
        let typed = self.expr(value)?;
        let from = self.told_type(&typed);
        let to = AssignedType { ty: attribute.ty(), domain: attribute.domain() };
        let coerced = self.coerce(typed, to.ty, Coercion::Assignment)?.ok_or_else(|| {
            let (name, to) = (&attribute.name, to.name());
            let message = format!("subfield \"{name}\" is of type {to} but expression is of type {from}");
            StatementError::from(SqlError::new("42804", message).with_hint(REWRITE)).at(value.position)
        })?;
        self.as_domain(coerced, to.domain)
    }

    /// An operator beside a row (`record_eq` and its like).
    pub(super) fn row_operator(&mut self, op: BinaryOp, left: Typed, right: Typed) -> Result<Typed, StatementError> {
        let given = [left.ty.oid, right.ty.oid];
        if !op.is_comparison() || !given.into_iter().all(|oid| is_row(oid) || oid == UNKNOWN) {
            return Err(missing(op.name(), given, Choice::None));
        }
        let [l, r] = if given[0] == UNKNOWN { [given[1]; 2] } else { given };
        self.lookups.push(Lookup::Operator(op.name(), l, if r == UNKNOWN { l } else { r }));
        let mut operand = |side: Typed| match side.node {
            Node::Const(Value::Null) if side.ty.oid == UNKNOWN => {
                Ok(Typed::constant(Value::Null, SqlType::plain(RECORD)))
            }
            _ if side.ty.oid == UNKNOWN => self.implicit(side, RECORD),
            _ => Ok(side),
        };
        Ok(truth(Node::Binary(op, Box::new((operand(left)?, operand(right)?)))))
    }

    /// Casts of rows, and of what becomes one; nothing: it is none of them.
    pub(super) fn cast_row(
        &mut self,
        expr: &Typed,
        to: Oid,
        context: Coercion,
    ) -> Result<Option<Typed>, StatementError> {
        let ty = SqlType::plain(to);
        let is_string = |oid: Oid| matches!(oid, TEXT | super::pg_catalog::VARCHAR | super::pg_catalog::BPCHAR);
        Ok(Some(match (expr.ty.oid, &expr.node) {
            (UNKNOWN, Node::Const(Value::Text(text))) if is_composite(to) => {
                let row = self.record_in(&String::from_utf8_lossy(text), to)?;
                match self.has_domains(to) {
                    // they are asked when it is run
                    true => read_later(Typed::constant(Value::Text(text.clone()), SqlType::TEXT), ty),
                    false => Typed::constant(row, ty),
                }
            }
            (UNKNOWN, Node::Const(Value::Text(_))) if to == RECORD => {
                let message = "input of anonymous composite types is not implemented";
                return Err(StatementError::server("0A000", message));
            }
            (from, _) if is_string(from) && is_composite(to) => {
                let text = if from == TEXT { expr.clone() } else { self.implicit(expr.clone(), TEXT)? };
                read_later(text, ty)
            }
            (from, _) if is_row(from) && is_string(to) => {
                let node = Node::Call(const { Builtin::of("record_out") }, vec![expr.clone()]);
                let text = Typed { node, ty: SqlType::TEXT };
                if to == TEXT { text } else { self.implicit(text, to)? }
            }
            (from, node) if is_composite(from) && to == RECORD => Typed { node: node.clone(), ty },
            (RECORD, Node::Const(Value::Null)) if is_composite(to) => Typed::constant(Value::Null, ty),
            (RECORD, Node::Row(_, parts)) if is_composite(to) => self.coerce_record(parts, to, context)?,
            (RECORD, _) if is_composite(to) => {
                return Err(StatementError::server("42846", format!("cannot cast type record to {}", type_name(to))));
            }
            _ => return Ok(None),
        }))
    }

    /// `coerce_record_to_complex`
    fn coerce_record(&mut self, parts: &[Typed], to: Oid, context: Coercion) -> Result<Typed, StatementError> {
        let wrong = |detail: String| {
            let error = SqlError::new("42846", format!("cannot cast type record to {}", type_name(to)));
            StatementError::from(error.with_detail(detail))
        };
        let Some(row) = self.row_type(to).cloned() else {
            let message = "a type of rows that was dropped meanwhile is not supported";
            return Err(StatementError::unsupported(message, None));
        };
        let mut given = parts.iter();
        let mut values = Vec::with_capacity(parts.len());
        for (n, column) in (1..).zip(row.desc.attributes()) {
            if column.dropped {
                values.push(Typed::constant(Value::Null, SqlType::INT4));
                continue;
            }
            let Some(part) = given.next() else { return Err(wrong(String::from("Input has too few columns."))) };
            let to = AssignedType { ty: column.ty(), domain: column.domain() };
            let value = self.coerce(part.clone(), to.ty, context)?.ok_or_else(|| {
                let (from, to) = (self.told_type(part), to.name());
                wrong(format!("Cannot cast type {from} to {to} in column {n}."))
            })?;
            values.push(self.as_domain(value, to.domain)?);
        }
        if given.next().is_some() {
            return Err(wrong(String::from("Input has too many columns.")));
        }
        Ok(typed_row(&row, values.into_iter()))
    }

    /// `record_in`, of a literal.
    fn record_in(&self, text: &str, to: Oid) -> Result<Value, StatementError> {
        let Some(ty) = self.row_type(to) else {
            let message = "a type of rows that was dropped meanwhile is not supported";
            return Err(StatementError::unsupported(message, None));
        };
        Ok(record_in(text, ty, |text, column| self.column_in(text, column))?)
    }

    /// Has the row, or one within it, a column of a domain?
    fn has_domains(&self, typid: Oid) -> bool {
        let asks = |(_, column): (usize, &Attribute)| column.domain().is_some() || self.has_domains(column.ty().oid);
        self.row_type(typid).is_some_and(|row| row.columns().any(asks))
    }

    /// The type of an expression, or its domain, as messages name it.
    fn told_type(&self, typed: &Typed) -> String {
        AssignedType { ty: typed.ty, domain: self.domain_of(typed) }.name()
    }

    fn column_in(&self, text: &str, column: &Attribute) -> Result<Value, SqlError> {
        if let Some(row) = self.row_type(column.ty().oid) {
            return record_in(text, row, |text, column| self.column_in(text, column));
        }
        match self.enums.iter().find(|ty| ty.oid == column.typid) {
            Some(ty) => super::enum_in(text.as_bytes(), ty),
            None => input(text, column.ty(), &self.input),
        }
    }

    /// `composite_to_json`: a row as a document, where it is one.
    pub(super) fn row_to_document(&mut self, name: &str, arg: &Expr) -> Result<Option<Typed>, StatementError> {
        let is_row_at_all = matches!(arg.node, ExprNode::Row(_)) || self.is_whole_row(arg);
        if !is_row_at_all && name != "row_to_json" {
            return Ok(None);
        }
        let row = self.expr(arg)?;
        if !is_row(row.ty.oid) {
            return Err(no_function(name, &[row.ty.oid], Choice::None));
        }
        let (builtin, ty) = match name {
            "to_jsonb" => (const { Builtin::of("to_jsonb") }, JSONB),
            _ => (const { Builtin::of("row_to_json") }, JSON),
        };
        Ok(Some(Typed { node: Node::Call(builtin, vec![row]), ty: SqlType::plain(ty) }))
    }
}

/// A row that is a variable of PL/pgSQL, where it is stored: an expanded object.
pub(super) fn expanded(row: Typed) -> Typed {
    if !is_composite(row.ty.oid) {
        return row;
    }
    let ty = row.ty;
    Typed { node: Node::Call(const { Builtin::of("expanded row") }, vec![row]), ty }
}

/// `record_in`, of text that is known only when it is run.
fn read_later(text: Typed, ty: SqlType) -> Typed {
    let args = vec![text, Typed::constant(Value::Oid(type_oid(ty.oid)), SqlType::OID)];
    Typed { node: Node::Call(const { Builtin::of("record_in") }, args), ty }
}

/// A column of a row: of one that is written out the value itself.
fn column_of(row: &Typed, at: usize, column: &Attribute) -> Typed {
    match &row.node {
        Node::Row(_, parts) if parts.len() > at => parts[at].clone(),
        _ => Typed { node: Node::Field(Box::new(row.clone()), at as u16), ty: column.ty() },
    }
}

/// IS NULL of a row: are all its columns? With NOT: is none? (`ExecEvalRowNullInt`)
pub(super) fn row_is_null(row: Typed, negated: bool) -> Typed {
    if let Node::Row(ty, parts) = row.node {
        let parts = parts.into_iter().zip(ty.desc.attributes()).filter(|(_, column)| !column.dropped);
        return truth(Node::And(parts.map(|(part, _)| truth(Node::IsNull(Box::new(part), negated))).collect()));
    }
    let builtin = match negated {
        true => const { Builtin::of("row_is_not_null") },
        false => const { Builtin::of("row_is_null") },
    };
    truth(Node::Call(builtin, vec![row]))
}
