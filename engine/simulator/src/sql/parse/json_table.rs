//! SQL/JSON's queries: `JSON_VALUE`, `JSON_QUERY`, `JSON_EXISTS`, and `JSON_TABLE`, which becomes a query over them
//! (`transformJsonFuncExpr`, src/backend/parser/parse_expr.c; `transformJsonTable`, parse_jsontable.c).
//!
//! ```text
//!  JSON_TABLE(d, '$.a[*]' COLUMNS (n FOR ORDINALITY, x int PATH '$.x', NESTED PATH '$.b' COLUMNS (…)))
//!  (SELECT n, JSON_VALUE(j, '$.x' RETURNING int), … FROM path('$.a[*]') r(j, n) LEFT JOIN path('$.b') ON true)
//! ```

use super::cursor::Parser;
use super::expr::function;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, Literal, Select, Target};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// What stands before the name of such a function, which no other has.
pub const JSON_ITEM: &str = "json item.";
/// The tables that rows of `JSON_TABLE` are read from; EXPLAIN knows them by it.
pub const JSON_ROWS: &str = "json_table rows ";

const JSON: u32 = 114;
const JSONB: u32 = 3802;

/// A column with what it reads.
struct Columns {
    targets: Vec<Target>,
    names: Vec<String>,
    /// tables that are read for it
    from: Option<FromItem>,
    /// which of their rows count
    filter: Vec<Expr>,
}

impl Columns {
    /// A table that is read beside those before.
    fn add(&mut self, right: FromItem, position: Position) {
        let on = JoinCondition::On(Expr { node: ExprNode::Literal(Literal::Bool(true)), position });
        self.from = Some(match self.from.take() {
            None => right,
            Some(left) => FromItem::Join(Box::new(Join { kind: JoinKind::Left, left, right, condition: on })),
        });
    }

    /// Paths side by side have their rows one after another: a number says whose turn it is.
    fn add_siblings(&mut self, count: usize, table: &str, position: Position) {
        let number = |n: usize| Expr { node: ExprNode::Literal(Literal::Number(n.to_string())), position };
        let call = Expr { node: function("generate_series", vec![number(1), number(count)]), position };
        let (alias, columns) = (Some(table.into()), vec!["k".into()]);
        self.add(FromItem::Function { call, alias, columns, ordinality: false }, position);
    }
}

/// What is done where nothing is found, and where it fails: a letter each, and a value.
#[derive(Default)]
struct Behaviours {
    empty: Option<(char, Option<Expr>)>,
    error: Option<(char, Option<Expr>)>,
}

fn text(text: &str, position: Position) -> Expr {
    Expr { node: ExprNode::Literal(Literal::String(text.into())), position }
}

fn cast(expr: Expr, ty: SqlType) -> Expr {
    let position = expr.position;
    Expr { node: ExprNode::Cast(Box::new(expr), ty), position }
}

impl Parser {
    /// The document, as jsonb.
    fn document(&mut self) -> Result<Expr, StatementError> {
        let document = self.expr()?;
        self.eat("format json");
        Ok(cast(document, SqlType::plain(JSONB)))
    }

    fn path_text(&mut self) -> Result<Expr, StatementError> {
        let position = self.position();
        let Token::String(path) = self.peek().clone() else {
            return Err(self.unsupported("a path of SQL/JSON that is no literal"));
        };
        self.step();
        Ok(text(&path, position))
    }

    /// PASSING: an object of the values.
    fn passing(&mut self) -> Result<Expr, StatementError> {
        let position = self.position();
        let mut args = Vec::new();
        if self.eat("passing") {
            let all = self.list(|parser| {
                let value = parser.expr()?;
                parser.expect("as")?;
                Ok((value, text(&parser.name()?, position)))
            })?;
            args.extend(all.into_iter().flat_map(|(value, name)| [name, value]));
        }
        Ok(Expr { node: function("jsonb_build_object", args), position })
    }

    /// `JSON_VALUE` and its like.
    pub(super) fn json_item(&mut self, word: &str) -> Result<ExprNode, StatementError> {
        let kind = word.trim_start_matches("json_");
        self.step();
        self.expect_op("(")?;
        let context = self.document()?;
        self.expect_op(",")?;
        let path = self.path_text()?;
        let first = self.text().to_string();
        let vars = self.passing()?;
        let mut ty = match kind {
            "value" => SqlType::TEXT,
            "exists" => SqlType::BOOL,
            _ => SqlType::plain(JSONB),
        };
        if kind != "exists" && self.eat("returning") {
            ty = self.type_name()?;
            self.eat("format json");
        }
        let node = self.item(kind, (context, path, vars), ty, (&first, ""))?;
        self.expect_op(")")?;
        Ok(node)
    }

    /// WRAPPER, QUOTES, what is done ON EMPTY and ON ERROR. `first`: the word at which an older parser stops.
    fn item(
        &mut self,
        kind: &str,
        (context, path, vars): (Expr, Expr, Expr),
        ty: SqlType,
        (first, column): (&str, &str),
    ) -> Result<ExprNode, StatementError> {
        let at = self.position();
        let wrapper = if self.eat("without") {
            self.eat("array");
            self.expect("wrapper")?;
            'n'
        } else if self.eat("with") {
            let conditional = self.eat("conditional");
            self.eat("unconditional");
            self.eat("array");
            self.expect("wrapper")?;
            if conditional { 'c' } else { 'u' }
        } else {
            'n'
        };
        let omits = self.eat("omit");
        if omits || self.eat("keep") {
            self.expect("quotes")?;
            self.eat("on scalar string");
        }
        // a column of documents is asked for as one
        let asks = if kind == "column" {
            let is_document = matches!(ty.oid, JSON | JSONB) || wrapper != 'n' || omits;
            if is_document { "query" } else { "value" }
        } else {
            kind
        };
        let behaviours = self.behaviours()?;
        let quotes = if omits { 'o' } else { 'k' };
        let (mut letters, mut values) = (String::new(), Vec::new());
        for (given, usual) in [(behaviours.empty, 'n'), (behaviours.error, if asks == "exists" { 'f' } else { 'n' })] {
            let (letter, value) = given.unwrap_or((usual, None));
            letters.push(letter);
            let null = Expr { node: ExprNode::Literal(Literal::Null), position: at };
            values.push(cast(value.unwrap_or(null), ty));
        }
        let spec = format!("{wrapper}{quotes}{letters} {} {} {first} {column}", ty.oid, ty.typmod);
        let mut args = vec![context, path, vars, text(&spec, at)];
        args.extend(values);
        Ok(function(&format!("{JSON_ITEM}json_{asks}"), args))
    }

    fn behaviours(&mut self) -> Result<Behaviours, StatementError> {
        const WORDS: &[(&str, char)] = &[
            ("error", 'e'),
            ("null", 'n'),
            ("true", 't'),
            ("false", 'f'),
            ("unknown", 'n'),
            ("empty array", 'a'),
            ("empty object", 'o'),
            ("empty", 'a'),
        ];
        let mut found = Behaviours::default();
        loop {
            let mark = self.mark();
            let one = match WORDS.iter().find(|(word, _)| self.eat(word)) {
                Some((_, letter)) => (*letter, None),
                None if self.eat("default") => ('d', Some(self.expr()?)),
                None => return Ok(found),
            };
            if self.eat("on empty") {
                found.empty = Some(one);
            } else if self.eat("on error") {
                found.error = Some(one);
            } else {
                self.back_to(mark);
                return Ok(found);
            }
        }
    }

    /// `JSON_TABLE`, behind LATERAL.
    pub(super) fn json_table(&mut self) -> Result<FromItem, StatementError> {
        self.step();
        self.expect_op("(")?;
        let context_position = self.position();
        let context = self.document()?;
        self.expect_op(",")?;
        let path = self.path_text()?;
        let mut names = Vec::new();
        let first = self.text().to_string();
        if self.eat("as") {
            names.push(self.name()?);
        }
        let vars = self.passing()?;
        self.expect("columns")?;
        let mut number = 0;
        let mut columns = Columns { targets: Vec::new(), names, from: None, filter: Vec::new() };
        // its rows are read before the columns say which tables there are
        self.json_columns(&mut columns, (context, path, &vars), &mut number, &first)?;
        let is_loud = self.eat("error on error");
        if !is_loud && !self.eat("empty on error") {
            self.eat("empty array on error");
        }
        self.expect_op(")")?;
        let (alias, renamed) = self.alias_and_columns()?;
        let Some(mut from) = columns.from else { return Err(self.refuse()) };
        if is_loud {
            make_loud(&mut from);
        }
        let position = context_position;
        let filter = match columns.filter.len() {
            0 | 1 => columns.filter.pop(),
            _ => Some(Expr { node: ExprNode::And(columns.filter), position }),
        };
        let query = Box::new(Select { targets: columns.targets, from: vec![from], filter, ..Select::default() });
        let alias = alias.or_else(|| Some("json_table".to_string()));
        Ok(FromItem::Query { query, alias, columns: renamed, lateral: true })
    }

    fn json_columns(
        &mut self,
        columns: &mut Columns,
        (context, path, vars): (Expr, Expr, &Expr),
        number: &mut usize,
        first: &str,
    ) -> Result<(), StatementError> {
        let position = self.position();
        *number += 1;
        let table = format!("{JSON_ROWS}{number}");
        let column = |name: &str| column_of(&table, name, position);
        // a failure is no row
        let silent = Expr { node: ExprNode::Literal(Literal::Bool(true)), position };
        let asks = Expr { node: function("jsonb_path_query", vec![context, path, vars.clone(), silent]), position };
        let right = FromItem::Function {
            call: asks,
            alias: Some(table.clone()),
            columns: vec!["j".into(), "n".into()],
            ordinality: true,
        };
        columns.add(right, position);
        self.expect_op("(")?;
        let siblings = self.count_nested();
        let sibling = format!("{JSON_ROWS}of {number}");
        let turn = |n: usize| {
            let number = Expr { node: ExprNode::Literal(Literal::Number(n.to_string())), position };
            let left = Box::new(column_of(&sibling, "k", position));
            Expr { node: ExprNode::Binary(BinaryOp::Eq, left, Box::new(number)), position }
        };
        let mut nested = 0;
        if siblings > 1 {
            columns.add_siblings(siblings, &sibling, position);
        }
        let (mut ways, mut missing) = (Vec::new(), Vec::new());
        loop {
            let at = self.position();
            if self.is_word("nested") && *self.peek_second() != Token::Word("for".into()) {
                self.step();
                self.eat("path");
                let path = self.path_text()?;
                nested += 1;
                if self.eat("as") {
                    let name = self.name()?;
                    add_name(columns, name, at)?;
                }
                self.expect("columns")?;
                let mut context = column("j");
                if siblings > 1 {
                    let child = format!("{JSON_ROWS}{}", *number + 1);
                    let expr = Box::new(column_of(&child, "n", position));
                    let is_there = Expr { node: ExprNode::IsNull { expr, negated: true }, position };
                    ways.push(Expr { node: ExprNode::And(vec![turn(nested), is_there]), position });
                    missing.push(finds_nothing(&context, &path, vars));
                    let case = ExprNode::Case { operand: None, whens: vec![(turn(nested), context)], otherwise: None };
                    context = Expr { node: case, position };
                }
                self.json_columns(columns, (context, path, vars), number, first)?;
            } else {
                self.json_column(columns, &table, vars, first)?;
            }
            if !self.eat_op(",") {
                break;
            }
        }
        if siblings > 1 {
            // without rows of any of them there is one row all the same
            missing.insert(0, turn(1));
            ways.push(Expr { node: ExprNode::And(missing), position });
            columns.filter.push(Expr { node: ExprNode::Or(ways), position });
        }
        self.expect_op(")")
    }

    /// A column, of the rows of that table.
    fn json_column(
        &mut self,
        columns: &mut Columns,
        table: &str,
        vars: &Expr,
        first: &str,
    ) -> Result<(), StatementError> {
        let at = self.position();
        let name = self.name()?;
        add_name(columns, name.clone(), at)?;
        let expr = if self.eat("for ordinality") {
            cast(column_of(table, "n", at), SqlType::INT4)
        } else {
            let ty = self.type_name()?;
            let kind = if self.eat("format json") {
                "query"
            } else if self.eat("exists") {
                "exists"
            } else {
                "column"
            };
            let quoted: String =
                name.chars().flat_map(|c| ['\\', c].into_iter().skip(usize::from(!matches!(c, '"' | '\\')))).collect();
            let path = if self.eat("path") { self.path_text()? } else { text(&format!("$.\"{quoted}\""), at) };
            let node = self.item(kind, (column_of(table, "j", at), path, vars.clone()), ty, (first, &name))?;
            Expr { node, position: at }
        };
        columns.targets.push(Target::Expr { expr, alias: Some(name) });
        Ok(())
    }

    /// How many NESTED stand in the parentheses that have begun.
    fn count_nested(&self) -> usize {
        let (mut depth, mut count, mut begins) = (0, 0, true);
        for lexeme in self.lexemes().get(self.mark()..).unwrap_or(&[]) {
            let is = |op: &str| lexeme.token == Token::Op(op.into());
            count += usize::from(begins && depth == 0 && lexeme.token == Token::Word("nested".into()));
            begins = is(",");
            depth += i32::from(is("(")) - i32::from(is(")"));
            if depth < 0 {
                break;
            }
        }
        count
    }
}

fn add_name(columns: &mut Columns, name: String, at: Position) -> Result<(), StatementError> {
    if columns.names.contains(&name) {
        let message = format!("duplicate JSON_TABLE column or path name: {name}");
        return Err(StatementError::server("42712", message).at(at));
    }
    columns.names.push(name);
    Ok(())
}

fn column_of(table: &str, name: &str, position: Position) -> Expr {
    Expr { node: ExprNode::Column { table: Some(table.into()), name: name.into() }, position }
}

/// Does a path find nothing, also where it fails?
fn finds_nothing(context: &Expr, path: &Expr, vars: &Expr) -> Expr {
    let position = context.position;
    let silent = Expr { node: ExprNode::Literal(Literal::Bool(true)), position };
    let asks = function("jsonb_path_exists", vec![context.clone(), path.clone(), vars.clone(), silent]);
    let expr = Box::new(Expr { node: asks, position });
    Expr { node: ExprNode::IsTruth { expr, value: Some(true), negated: true }, position }
}

/// The rows of the uppermost path, where it fails, are an error.
fn make_loud(from: &mut FromItem) {
    match from {
        FromItem::Join(join) => make_loud(&mut join.left),
        FromItem::Function { call: Expr { node: ExprNode::Function { args, .. }, .. }, .. } => {
            if let Some(silent) = args.last_mut() {
                silent.node = ExprNode::Literal(Literal::Bool(false));
            }
        }
        _ => {}
    }
}
