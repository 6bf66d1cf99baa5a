//! Operators that are functions by another name, and tests that never give NULL (`pg_operator.oprcode`;
//! `transformAExprDistinct`, src/backend/parser/parse_expr.c).

use super::analyze::{Analyzer, truth};
use super::choose::{Choice, choose};
use super::function::{missing, type_name};
use super::pg_catalog::{
    ANYELEMENT, ANYRANGE, BIT, BOOL, BPCHAR, FLOAT8, INT4, INT8, JSONB, NUMERIC, TEXT, TEXT_ARRAY, UNKNOWN, is_range,
};
use super::pg_proc::Builtin;
use super::server_operators::of_server;
use super::{Case, Node, Typed};
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::range::range_subtype;
use ffviz_format::datum::{SqlType, Value, array_elements, element_of, is_row};
use ffviz_format::page::Oid;

/// `oprname`, operands, result, the function that it is.
type Operator = (&'static str, &'static [Oid], Oid, Builtin);

const fn of(name: &str) -> Builtin {
    Builtin::of(name)
}

const JSON: Oid = 114;
const ANYARRAY: Oid = super::pg_catalog::ANYARRAY;

const OPERATORS: &[Operator] = &[
    ("~~", &[TEXT, TEXT], BOOL, of("like")),
    ("~~", &[BPCHAR, TEXT], BOOL, of("like")),
    ("!~~", &[TEXT, TEXT], BOOL, of("notlike")),
    ("!~~", &[BPCHAR, TEXT], BOOL, of("notlike")),
    ("~~*", &[TEXT, TEXT], BOOL, of("texticlike")),
    ("~~*", &[BPCHAR, TEXT], BOOL, of("texticlike")),
    ("!~~*", &[TEXT, TEXT], BOOL, of("texticnlike")),
    ("!~~*", &[BPCHAR, TEXT], BOOL, of("texticnlike")),
    ("~", &[TEXT, TEXT], BOOL, of("textregexeq")),
    ("~", &[BPCHAR, TEXT], BOOL, of("textregexeq")),
    ("!~", &[TEXT, TEXT], BOOL, of("textregexne")),
    ("!~", &[BPCHAR, TEXT], BOOL, of("textregexne")),
    ("~*", &[TEXT, TEXT], BOOL, of("texticregexeq")),
    ("~*", &[BPCHAR, TEXT], BOOL, of("texticregexeq")),
    ("!~*", &[TEXT, TEXT], BOOL, of("texticregexne")),
    ("!~*", &[BPCHAR, TEXT], BOOL, of("texticregexne")),
    ("^@", &[TEXT, TEXT], BOOL, of("starts_with")),
    ("^", &[FLOAT8, FLOAT8], FLOAT8, of("power")),
    ("^", &[NUMERIC, NUMERIC], NUMERIC, of("power")),
    ("&", &[INT4, INT4], INT4, of("int8and")),
    ("&", &[INT8, INT8], INT8, of("int8and")),
    ("|", &[INT4, INT4], INT4, of("int8or")),
    ("|", &[INT8, INT8], INT8, of("int8or")),
    ("#", &[INT4, INT4], INT4, of("int8xor")),
    ("#", &[INT8, INT8], INT8, of("int8xor")),
    ("<<", &[INT4, INT4], INT4, of("int8shl")),
    ("<<", &[INT8, INT4], INT8, of("int8shl")),
    (">>", &[INT4, INT4], INT4, of("int8shr")),
    (">>", &[INT8, INT4], INT8, of("int8shr")),
    ("~", &[INT4], INT4, of("int8not")),
    ("~", &[INT8], INT8, of("int8not")),
    ("&", &[BIT, BIT], BIT, of("bitand")),
    ("|", &[BIT, BIT], BIT, of("bitor")),
    ("#", &[BIT, BIT], BIT, of("bitxor")),
    ("<<", &[BIT, INT4], BIT, of("bitshiftleft")),
    (">>", &[BIT, INT4], BIT, of("bitshiftright")),
    ("~", &[BIT], BIT, of("bitnot")),
    ("@", &[INT4], INT4, of("abs")),
    ("@", &[NUMERIC], NUMERIC, of("abs")),
    ("|/", &[FLOAT8], FLOAT8, of("sqrt")),
    ("@>", &[ANYARRAY, ANYARRAY], BOOL, of("arraycontains")),
    ("<@", &[ANYARRAY, ANYARRAY], BOOL, of("arraycontained")),
    ("&&", &[ANYARRAY, ANYARRAY], BOOL, of("arrayoverlap")),
    ("->", &[JSON, TEXT], JSON, of("json_object_field")),
    ("->", &[JSON, INT4], JSON, of("json_array_element")),
    ("->>", &[JSON, TEXT], TEXT, of("json_object_field_text")),
    ("->>", &[JSON, INT4], TEXT, of("json_array_element_text")),
    ("->", &[JSONB, TEXT], JSONB, of("jsonb_object_field")),
    ("->", &[JSONB, INT4], JSONB, of("jsonb_array_element")),
    ("->>", &[JSONB, TEXT], TEXT, of("jsonb_object_field_text")),
    ("->>", &[JSONB, INT4], TEXT, of("jsonb_array_element_text")),
    ("#>", &[JSONB, TEXT_ARRAY], JSONB, of("jsonb_extract_path")),
    ("#>>", &[JSONB, TEXT_ARRAY], TEXT, of("jsonb_extract_path_text")),
    ("#>", &[JSON, TEXT_ARRAY], JSON, of("json_extract_path")),
    ("#>>", &[JSON, TEXT_ARRAY], TEXT, of("json_extract_path_text")),
    ("@?", &[JSONB, TEXT], BOOL, of("jsonb_path_exists_opr")),
    ("@@", &[JSONB, TEXT], BOOL, of("jsonb_path_match_opr")),
    ("?", &[JSONB, TEXT], BOOL, of("jsonb_exists")),
    ("?|", &[JSONB, TEXT_ARRAY], BOOL, of("jsonb_exists_any")),
    ("?&", &[JSONB, TEXT_ARRAY], BOOL, of("jsonb_exists_all")),
    ("@>", &[JSONB, JSONB], BOOL, of("jsonb_contains")),
    ("<@", &[JSONB, JSONB], BOOL, of("jsonb_contained")),
    ("#-", &[JSONB, TEXT_ARRAY], JSONB, of("jsonb_delete_path")),
    ("&&", &[ANYRANGE, ANYRANGE], BOOL, of("range_overlaps")),
    ("@>", &[ANYRANGE, ANYRANGE], BOOL, of("range_contains")),
    ("@>", &[ANYRANGE, ANYELEMENT], BOOL, of("range_contains_elem")),
    ("<@", &[ANYRANGE, ANYRANGE], BOOL, of("range_contained_by")),
    ("<@", &[ANYELEMENT, ANYRANGE], BOOL, of("elem_contained_by_range")),
    ("<<", &[ANYRANGE, ANYRANGE], BOOL, of("range_before")),
    (">>", &[ANYRANGE, ANYRANGE], BOOL, of("range_after")),
    ("&<", &[ANYRANGE, ANYRANGE], BOOL, of("range_overleft")),
    ("&>", &[ANYRANGE, ANYRANGE], BOOL, of("range_overright")),
    ("-|-", &[ANYRANGE, ANYRANGE], BOOL, of("range_adjacent")),
    ("+", &[ANYRANGE, ANYRANGE], ANYRANGE, of("range_union")),
    ("-", &[ANYRANGE, ANYRANGE], ANYRANGE, of("range_minus")),
    ("*", &[ANYRANGE, ANYRANGE], ANYRANGE, of("range_intersect")),
];

/// The operator that a function is only called by; not of those that have a name of their own in SQL.
pub(in crate::sql) fn symbol(builtin: Builtin) -> Option<&'static str> {
    const NAMED: [&str; 4] = ["power", "abs", "sqrt", "starts_with"];
    let found = OPERATORS.iter().find(|(.., function)| *function == builtin)?;
    (!NAMED.contains(&builtin.name())).then_some(found.0)
}

impl Builtin {
    /// The function of an operator of ranges, between two of them or a range and a value.
    pub(in crate::sql) fn of_range_operator(symbol: &str, takes_ranges: bool) -> Option<Self> {
        let operands: &[Oid] = if takes_ranges { &[ANYRANGE, ANYRANGE] } else { &[ANYRANGE, ANYELEMENT] };
        OPERATORS.iter().find(|row| row.0 == symbol && row.1 == operands).map(|row| row.3)
    }
}

impl Analyzer<'_> {
    /// An operator by its name, with two operands.
    pub(super) fn named_operator(&mut self, name: &str, left: Typed, right: Typed) -> Result<Typed, StatementError> {
        use BinaryOp::{Add, Concat, Div, Eq, Ge, Gt, Le, Lt, Mod, Mul, Ne, Sub};
        match [Eq, Ne, Lt, Le, Gt, Ge, Add, Sub, Mul, Div, Mod, Concat].into_iter().find(|op| op.name() == name) {
            Some(op) => self.binary(op, left, right),
            None => self.operator_of(name, Some(left), right),
        }
    }

    /// An operator that is a function.
    pub(super) fn operator_of(
        &mut self,
        name: &str,
        left: Option<Typed>,
        right: Typed,
    ) -> Result<Typed, StatementError> {
        if let Some(left) = &left
            && (is_range(left.ty.oid) || is_range(right.ty.oid))
        {
            return self.range_operator(name, left.clone(), right);
        }
        let operands: Vec<Typed> = left.into_iter().chain([right]).collect();
        let mut given: Vec<Oid> = operands.iter().map(|operand| operand.ty.oid).collect();
        let is_free = |operator: &&Operator| !operator.1.contains(&ANYRANGE);
        let of_name = |operator: &&Operator| operator.0 == name && operator.1.len() == given.len() && is_free(operator);
        let rows: Vec<&Operator> = OPERATORS.iter().filter(of_name).collect();
        if let [UNKNOWN, known] | [known, UNKNOWN] = given[..] {
            // a literal is taken for what stands beside it, where there is such an operator
            if rows.iter().any(|row| row.1 == [known, known]) {
                given = Vec::from([known, known]);
            }
        }
        let candidates: Vec<&[Oid]> = rows.iter().map(|row| row.1).collect();
        let Choice::One(found) = choose(&candidates, &given, self.major()) else {
            let choice = of_server(name, &given, self.major());
            if !matches!(choice, Choice::One(_)) {
                let pair = if let [left, right] = given[..] { [left, right] } else { [0, given[0]] };
                return Err(missing(name, pair, choice));
            }
            let types: Vec<_> = operands.iter().map(|operand| type_name(operand.ty.oid)).collect();
            let signature = match &types[..] {
                [right] => format!("{name} {right}"),
                all => format!("{} {name} {}", all[0], all[1]),
            };
            let message = format!(
                "operator {signature} is not supported; the simulator knows LIKE and ~, of arrays @> <@ &&, of json -> ->>, of integers and bits & | # << >>"
            );
            return Err(StatementError::unsupported(message, None));
        };
        let (_, types, result, function) = rows[found];
        let mut args = Vec::with_capacity(operands.len());
        for (operand, to) in operands.into_iter().zip(*types) {
            args.push(if *to == ANYARRAY { operand } else { self.implicit(operand, *to)? });
        }
        let array = args.iter().map(|arg| arg.ty).find(|ty| element_of(ty.oid).is_some());
        if let (Some(array), ANYARRAY) = (array, types[0]) {
            let is_other = |arg: &Typed| arg.ty.oid != array.oid && arg.ty.oid != UNKNOWN;
            if let ([left, right], true) = (&given[..], args.iter().any(is_other)) {
                return Err(missing(name, [*left, *right], Choice::None));
            }
            args = args.into_iter().map(|arg| self.implicit(arg, array.oid)).collect::<Result<_, _>>()?;
        }
        Ok(Typed { node: Node::Call(*function, args), ty: SqlType::plain(*result) })
    }

    /// An operator beside a range: the other operand is one of the same type, or a value that could lie in it.
    pub(super) fn range_operator(&mut self, name: &str, left: Typed, right: Typed) -> Result<Typed, StatementError> {
        let given = [left.ty.oid, right.ty.oid];
        let range = if is_range(given[0]) { given[0] } else { given[1] };
        // a literal is taken for what stands beside it
        let alike = given.map(|oid| if oid == UNKNOWN { range } else { oid });
        let subtype = range_subtype(range).unwrap_or(UNKNOWN);
        let fits = |(to, oid): (&Oid, Oid)| match *to {
            ANYRANGE => oid == range,
            ANYELEMENT => oid == subtype,
            _ => false,
        };
        let found = OPERATORS.iter().find(|row| row.0 == name && row.1.len() == 2 && row.1.iter().zip(alike).all(fits));
        let Some((_, _, result, function)) = found else {
            return Err(missing(name, given, Choice::None));
        };
        let args = Vec::from([self.implicit(left, alike[0])?, self.implicit(right, alike[1])?]);
        let result = if *result == ANYRANGE { range } else { *result };
        Ok(Typed { node: Node::Call(*function, args), ty: SqlType::plain(result) })
    }

    /// IS DISTINCT FROM: the comparison, where NULL is a value like any other.
    pub(super) fn is_distinct(&mut self, operands: &(Expr, Expr), negated: bool) -> Result<Typed, StatementError> {
        if let (ExprNode::Row(left), ExprNode::Row(right)) = (&operands.0.node, &operands.1.node) {
            return self.rows_distinct(left, right, negated);
        }
        let (left, right) = (self.expr(&operands.0)?, self.expr(&operands.1)?);
        // `make_nulltest_from_distinct`: of a row it asks whether it is NULL as a whole
        let is_null = |expr: &Typed| expr.node == Node::Const(Value::Null) && expr.ty.oid == UNKNOWN;
        for (row, other) in [(&left, &right), (&right, &left)] {
            if is_row(row.ty.oid) && is_null(other) {
                return Ok(truth(Node::IsNull(Box::new(row.clone()), !negated)));
            }
        }
        self.distinct(left, right, negated)
    }

    /// The same of what has its type.
    pub(super) fn distinct(&mut self, left: Typed, right: Typed, negated: bool) -> Result<Typed, StatementError> {
        let Typed { node: Node::Binary(_, operands), .. } = self.binary(BinaryOp::Ne, left, right)? else {
            return Err(StatementError::server("42883", "IS DISTINCT FROM needs an operator"));
        };
        let (left, right) = *operands;
        let is_null = |expr: &Typed, negated| truth(Node::IsNull(Box::new(expr.clone()), negated));
        let whens = alloc::vec![
            (is_null(&left, false), is_null(&right, !negated)),
            (is_null(&right, false), Typed::constant(Value::Bool(!negated), SqlType::BOOL)),
        ];
        let op = if negated { BinaryOp::Eq } else { BinaryOp::Ne };
        let otherwise = truth(Node::Binary(op, Box::new((left, right))));
        Ok(truth(Node::Case(Box::new(Case { operand: None, whens, otherwise }))))
    }

    /// The same of rows: one pair of columns is enough.
    fn rows_distinct(&mut self, left: &[Expr], right: &[Expr], negated: bool) -> Result<Typed, StatementError> {
        if left.len() != right.len() {
            return Err(StatementError::server("42601", "unequal number of entries in row expressions"));
        }
        let mut tests = Vec::with_capacity(left.len());
        for pair in left.iter().zip(right) {
            tests.push(self.is_distinct(&(pair.0.clone(), pair.1.clone()), negated)?);
        }
        Ok(truth(if negated { Node::And(tests) } else { Node::Or(tests) }))
    }

    /// IS TRUE and its like.
    pub(super) fn is_truth(
        &mut self,
        expr: &Expr,
        value: Option<bool>,
        negated: bool,
    ) -> Result<Typed, StatementError> {
        let operand = self.boolean(expr, "IS TRUE")?;
        let Some(value) = value else { return Ok(truth(Node::IsNull(Box::new(operand), negated))) };
        let test = if value { operand } else { truth(Node::Not(Box::new(operand))) };
        let result = |value| Typed::constant(Value::Bool(value), SqlType::BOOL);
        let whens = alloc::vec![(test, result(!negated))];
        Ok(truth(Node::Case(Box::new(Case { operand: None, whens, otherwise: result(negated) }))))
    }

    /// `op ANY (array)`
    pub(super) fn any_element(
        &mut self,
        expr: &Expr,
        op: &str,
        array: &Expr,
        all: bool,
    ) -> Result<Typed, StatementError> {
        let left = self.expr(expr)?;
        let mut array = self.expr(array)?;
        if array.ty.oid == UNKNOWN
            && let Some(to) = ffviz_format::datum::array_of(left.ty.oid)
        {
            array = self.implicit(array, to)?;
        }
        let Some(element) = element_of(array.ty.oid) else {
            return Err(StatementError::server("42809", "op ANY/ALL (array) requires array on right side"));
        };
        // an array that is written out is a list
        if let (Node::Const(value), Some(negated)) = (&array.node, is_list(op, all))
            && let Some(items) = array_elements(value).filter(|items| !items.is_empty())
        {
            let ty = SqlType::plain(element);
            let items = items.into_iter().map(|item| Typed::constant(item, ty)).collect();
            return self.any_of(left, items, element, negated);
        }
        let value = Typed { node: Node::CaseTest, ty: SqlType::plain(element) };
        let test = self.named_operator(op, left, value)?;
        Ok(truth(Node::AnyElement(Box::new((array, test)), all)))
    }
}

/// Is it IN (false) or NOT IN (true)?
fn is_list(op: &str, all: bool) -> Option<bool> {
    match (op, all) {
        ("=", false) => Some(false),
        ("<>" | "!=", true) => Some(true),
        _ => None,
    }
}
