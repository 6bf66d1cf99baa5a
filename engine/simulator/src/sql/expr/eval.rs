//! Evaluation over one row (`ExecInterpExpr`, src/backend/executor/execExprInterp.c).

use super::operate::{self, compare};
use super::pg_proc::Builtin;
use super::unread::{is_hashed, is_stored_null, is_told_by_lengths};
use super::{Case, Node, SubPlan, Typed};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::SqlFunction;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::form::SHORT_MAX;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::random::Random;
use ffviz_format::datum::varlena::VARHDRSZ;
use ffviz_format::datum::{RowType, SqlType, Value, ops};

/// What functions with a memory ask for.
pub trait Context {
    /// The server's version, and `now()`.
    fn input(&self) -> Input;
    /// The session's generator.
    fn random(&mut self) -> &mut Random;
    /// `setseed`
    fn set_random(&mut self, random: Random);
    /// The clock, in nanoseconds since 1970.
    fn clock(&mut self) -> u64;
    /// `nextval` of the sequence, given by its name or its OID.
    ///
    /// # Errors
    /// The sequence is not there, or at its end.
    fn nextval(&mut self, sequence: &Value) -> Result<i64>;
    /// `currval` of the sequence.
    ///
    /// # Errors
    /// The sequence is not there, or gave this session nothing yet.
    fn currval(&mut self, sequence: &Value) -> Result<i64>;
    /// `lastval`: of the sequence whose `nextval` was called last.
    ///
    /// # Errors
    /// None was yet.
    fn lastval(&mut self) -> Result<i64> {
        Err(SqlError::new("55000", "lastval is not yet defined in this session"))
    }
    /// `setval` of the sequence; `is_called`: does the next value come behind this one?
    ///
    /// # Errors
    /// The sequence is not there, or has no such value.
    fn setval(&mut self, sequence: &Value, value: i64, is_called: bool) -> Result<()>;
    /// `txid_current()`: assigns one where there is none.
    ///
    /// # Errors
    /// The transaction may not write.
    fn txid_current(&mut self) -> Result<i64>;
    /// `current_setting`; `None` where there is none of that name and that may be.
    ///
    /// # Errors
    /// There is none of that name.
    fn current_setting(&mut self, name: &str, missing_ok: bool) -> Result<Option<String>>;
    /// `set_config`: what the setting is then; `None`: its default is meant.
    ///
    /// # Errors
    /// As those of SET; where no session is.
    fn set_config(&mut self, name: &str, _value: Option<&str>, _local: bool) -> Result<String> {
        Err(SqlError::new("0A000", alloc::format!("{name} is set in a session only")))
    }
    /// `pg_reload_conf()`
    fn reload_conf(&mut self);
    /// `pg_sleep`: so many seconds pass.
    ///
    /// # Errors
    /// That is more than a statement may take.
    fn sleep(&mut self, seconds: f64) -> Result<()>;
    /// What functions read that look at pages, WAL and the catalog; `None` where there is no more than an expression.
    fn database(&mut self) -> Option<&mut Database> {
        None
    }
    /// The first rows of a query within an expression, at most so many where a number is given.
    ///
    /// # Errors
    /// As the query raises them.
    fn query(&mut self, _plan: &Arc<SubPlan>, _scope: Scope<'_>, _most: Option<usize>) -> Result<Arc<Rows>> {
        Err(SqlError::new(NOT_SIMULATED, "a query is not supported here"))
    }
}

/// Rows of a query, all there are of them.
pub type Rows = Vec<Vec<Value>>;

/// What a query within an expression can read of what is around it.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// the row
    pub slots: &'a [Value],
    /// `$1` …
    pub params: &'a [Value],
    /// rows of the queries around, the outermost first
    pub outer: &'a [Vec<Value>],
}

/// The row at hand, and what else an expression reads.
pub struct Env<'a> {
    /// the row
    pub slots: &'a [Value],
    /// the row as it is stored, where `slots` has values that were fetched from the TOAST table
    pub stored: &'a [Value],
    /// `$1` …
    pub params: &'a [Value],
    /// results of the aggregates
    pub aggregates: &'a [Value],
    /// rows of the queries around, the outermost first
    pub outer: &'a [Vec<Value>],
    /// operands of the CASEs around the expression, the innermost last
    pub cases: Vec<Value>,
    /// what functions with a memory ask for
    pub context: &'a mut dyn Context,
    /// what [`Context::input`] said
    input: Option<Input>,
}

impl<'a> Env<'a> {
    /// For a row without aggregates.
    pub fn new(slots: &'a [Value], params: &'a [Value], context: &'a mut dyn Context) -> Self {
        Self { slots, stored: slots, params, aggregates: &[], outer: &[], cases: Vec::new(), context, input: None }
    }

    /// The server's version and the transaction's time: asked for by the few operations that depend on them.
    pub(super) fn input(&mut self) -> Input {
        *self.input.get_or_insert_with(|| self.context.input())
    }
}

impl Typed {
    /// The value for that row.
    ///
    /// # Errors
    /// As PostgreSQL's functions raise them.
    #[inline]
    pub fn eval(&self, env: &mut Env<'_>) -> Result<Value> {
        match &self.node {
            Node::Const(value) => Ok(value.clone()),
            Node::Slot(slot) => plain(&env.slots[usize::from(*slot)], self.ty),
            _ => self.compute(env),
        }
    }

    /// The same, but of a column that is the result the value as it is stored: compressed, or a pointer to the TOAST
    /// table.
    ///
    /// # Errors
    /// As those of [`Self::eval`].
    #[inline]
    pub fn eval_stored(&self, env: &mut Env<'_>) -> Result<Value> {
        match &self.node {
            Node::Slot(slot) => Ok(env.slots[usize::from(*slot)].clone()),
            Node::Case(case) => case.eval(env, Self::eval_stored),
            Node::Cast(operand, _) if self.is_relabeled(operand) => operand.eval_stored(env),
            Node::Call(builtin, _) if builtin.gives_expanded() => Ok(flattened(self.eval(env)?)),
            Node::Routine(function, _) if function.body.is_block() => Ok(match self.eval(env)? {
                row @ Value::Record(_) => flattened(row),
                value => value,
            }),
            _ => self.eval(env),
        }
    }

    fn compute(&self, env: &mut Env<'_>) -> Result<Value> {
        if let Some(value) = self.integer_value(env.slots, env.params) {
            return Ok(value);
        }
        match &self.node {
            Node::Const(_) | Node::Slot(_) => self.eval(env),
            Node::Param(number) => Ok(env.params[usize::from(*number)].clone()),
            Node::Aggregate(number) => Ok(env.aggregates[usize::from(*number)].clone()),
            Node::CaseTest => Ok(env.cases.last().cloned().unwrap_or(Value::Null)),
            Node::Binary(op, operands) if is_told_by_lengths(*op, &operands.0, &operands.1, env.slots) => {
                Ok(Value::Bool(*op == BinaryOp::Ne))
            }
            Node::Binary(op, operands) => {
                if op.is_comparison()
                    && let Some(left) = operands.0.integer(env.slots, env.params)
                    && let Some(right) = operands.1.integer(env.slots, env.params)
                {
                    return Ok(Value::Bool(satisfies(*op, left.cmp(&right))));
                }
                if is_stored_null(&operands.0, env.slots) || is_stored_null(&operands.1, env.slots) {
                    return computed_of_null(operands, env);
                }
                let (left, right) = (operands.0.eval(env)?, operands.1.eval(env)?);
                if left.is_null() || right.is_null() {
                    return Ok(Value::Null);
                }
                operate::binary(*op, &left, &right, [operands.0.ty.oid, operands.1.ty.oid], &env.input())
            }
            Node::Negate(operand) => match operand.eval(env)? {
                Value::Null => Ok(Value::Null),
                value => ops::negate(&value, &env.input()),
            },
            Node::And(operands) => connect(operands, false, env),
            Node::Or(operands) => connect(operands, true, env),
            Node::Not(operand) => Ok(match operand.eval(env)? {
                Value::Bool(value) => Value::Bool(!value),
                _ => Value::Null,
            }),
            Node::IsNull(operand, negated) => {
                let is_null = match operand.stored(env.slots) {
                    Some(value) => value.is_null(),
                    None => operand.eval(env)?.is_null(),
                };
                Ok(Value::Bool(is_null != *negated))
            }
            Node::AnyOf(left, list, negated) => any_of(left, list, *negated, env),
            Node::Rows(op, pairs) => rows(*op, pairs, env),
            Node::Case(case) => case.eval(env, Self::eval),
            Node::Cast(operand, explicit) => match operand.eval(env)? {
                Value::Null => Ok(Value::Null),
                value => ops::cast(&value, operand.ty, self.ty, *explicit, &env.input()),
            },
            Node::Array(elements) => {
                let values = elements.iter().map(|element| element.eval(env)).collect::<Result<Vec<_>>>()?;
                let is_nested = elements.first().is_some_and(|element| element.ty.oid == self.ty.oid);
                if is_nested { operate::nested(&values, self.ty) } else { Ok(operate::array(&values, self.ty)) }
            }
            Node::Row(..) | Node::Field(..) => self.of_row(env),
            Node::Call(builtin, args) => self.called(*builtin, args, env),
            Node::Routine(function, args) => Self::routine(function, args, env),
            Node::Outer(level, slot) => {
                let row = env.outer.len().checked_sub(usize::from(*level)).and_then(|at| env.outer.get(at));
                let missing = || SqlError::new("XX000", "a query around has no row");
                plain(row.and_then(|row| row.get(usize::from(*slot))).ok_or_else(missing)?, self.ty)
            }
            Node::Query(plan) => plan.eval(env),
            Node::AnyElement(parts, all) => any_element(parts, *all, env),
        }
    }

    /// A row, or a column of one.
    fn of_row(&self, env: &mut Env<'_>) -> Result<Value> {
        match &self.node {
            Node::Row(ty, parts) => {
                let values = parts.iter().map(|part| part.eval_stored(env)).collect::<Result<Vec<_>>>()?;
                form_row(ty, &values)
            }
            Node::Field(row, field) => match described(row.eval(env)?, env)? {
                Value::Record(record) => Ok(record.values().into_iter().nth((*field).into()).unwrap_or(Value::Null)),
                _ => Ok(Value::Null),
            },
            _ => self.eval(env),
        }
    }

    /// A function in PL/pgSQL.
    fn routine(function: &Arc<SqlFunction>, args: &[Self], env: &mut Env<'_>) -> Result<Value> {
        let values = args.iter().map(|arg| arg.eval(env)).collect::<Result<Vec<_>>>()?;
        if function.is_strict && values.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        let nowhere = || SqlError::new(NOT_SIMULATED, "a function in PL/pgSQL is not supported here");
        crate::sql::plpgsql::call(env.context.database().ok_or_else(nowhere)?, function, values)
    }

    fn called(&self, builtin: Builtin, args: &[Self], env: &mut Env<'_>) -> Result<Value> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match arg.node {
                Node::Slot(slot) if builtin.takes_stored() => env.stored[usize::from(slot)].clone(),
                _ if builtin.takes_stored() => arg.eval_stored(env)?,
                _ => arg.eval(env)?,
            });
        }
        if builtin.is_strict() && values.iter().any(Value::is_null) {
            return Ok(Value::Null);
        }
        builtin.call(&values, args, env)
    }

    /// Is it true of that row (`ExecQual`)? NULL is not.
    ///
    /// # Errors
    /// As [`Self::eval`].
    pub fn holds(&self, env: &mut Env<'_>) -> Result<bool> {
        Ok(matches!(self.eval(env)?, Value::Bool(true)))
    }
}

/// `EEOP_ROWCOMPARE_STEP`: the first pair that differs decides; NULL, where one before it has NULL.
fn rows(op: BinaryOp, pairs: &[(Typed, Typed)], env: &mut Env<'_>) -> Result<Value> {
    let mut order = Ordering::Equal;
    for (left, right) in pairs {
        let types = [left.ty.oid, right.ty.oid];
        let (left, right) = (left.eval(env)?, right.eval(env)?);
        if left.is_null() || right.is_null() {
            return Ok(Value::Null);
        }
        let input = env.input();
        let is = |op| operate::binary(op, &left, &right, types, &input).map(|is| is == Value::Bool(true));
        order = match (is(BinaryOp::Lt)?, is(BinaryOp::Gt)?) {
            (true, _) => Ordering::Less,
            (_, true) => Ordering::Greater,
            _ => continue,
        };
        break;
    }
    Ok(Value::Bool(match op {
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }))
}

/// `ExecEvalRow`
fn form_row(ty: &RowType, values: &[Value]) -> Result<Value> {
    let is_external = |value: &Value| matches!(value, Value::Stored(bytes) if bytes.first() == Some(&1));
    if values.iter().any(is_external) {
        return Err(SqlError::new("XX001", "a value in the TOAST table was not fetched"));
    }
    Ok(ty.form(values))
}

/// A row whose columns are known: of one that was compressed or in the TOAST table the catalog says them.
pub(super) fn described(value: Value, env: &mut Env<'_>) -> Result<Value> {
    let Value::Record(record) = &value else { return Ok(value) };
    if record.is_described() {
        return Ok(value);
    }
    let found = env.context.database().and_then(|db| db.row_type(record.typid()));
    let unknown = || SqlError::new(NOT_SIMULATED, "a row of a type that is not there is not supported");
    found.map(|ty| Value::Record(Arc::new(record.described(&ty.desc)))).ok_or_else(unknown)
}

/// A column's value, decompressed where it was compressed.
#[inline]
fn plain(value: &Value, ty: SqlType) -> Result<Value> {
    match value {
        Value::Stored(_) => value
            .detoasted(ty.kind())
            .ok_or_else(|| SqlError::new("XX001", "a value in the TOAST table was not fetched")),
        _ => Ok(value.clone()),
    }
}

/// An array or a row that was computed as an expanded object has a header of four bytes in its tuple, however short it
/// is (`fill_val`, src/backend/access/common/heaptuple.c).
fn flattened(value: Value) -> Value {
    let (Value::Array(_) | Value::Record(_), Some(bytes)) = (&value, value.bytes()) else { return value };
    let total = bytes.len() + VARHDRSZ;
    if bytes.len() > SHORT_MAX {
        return value;
    }
    let mut stored = Vec::from(((total as u32) << 2).to_le_bytes());
    stored.extend_from_slice(bytes);
    Value::Stored(stored.into())
}

/// AND, which ends at the first false, or OR, which ends at the first true.
fn connect(operands: &[Typed], end: bool, env: &mut Env<'_>) -> Result<Value> {
    let mut has_null = false;
    for operand in operands {
        match operand.eval(env)? {
            Value::Bool(value) if value == end => return Ok(Value::Bool(end)),
            Value::Bool(_) => {}
            _ => has_null = true,
        }
    }
    Ok(if has_null { Value::Null } else { Value::Bool(!end) })
}

/// An operator of which one operand is NULL: of the other one only what is computed is looked at, which may fail.
#[cold]
fn computed_of_null((left, right): &(Typed, Typed), env: &mut Env<'_>) -> Result<Value> {
    for operand in [left, right] {
        if operand.stored(env.slots).is_none() {
            operand.eval(env)?;
        }
    }
    Ok(Value::Null)
}

fn any_of(left: &Typed, list: &[Typed], negated: bool, env: &mut Env<'_>) -> Result<Value> {
    let is_hashed = is_hashed(list, negated, env.input().major);
    // a column is read with the first element that it is compared with
    let mut value = if left.stored(env.slots).is_some() { None } else { Some(left.eval(env)?) };
    let mut has_null = false;
    for item in list {
        if !is_hashed && is_told_by_lengths(BinaryOp::Eq, left, item, env.slots) {
            continue;
        }
        let other = item.eval(env)?;
        if other.is_null() {
            has_null = true;
            continue;
        }
        let value = match &mut value {
            Some(value) => &*value,
            unread => &*unread.insert(left.eval(env)?),
        };
        if value.is_null() {
            has_null = true;
        } else if compare(value, &other, [left.ty.oid, item.ty.oid], &env.input())? == Ordering::Equal {
            return Ok(Value::Bool(!negated));
        }
    }
    Ok(if has_null { Value::Null } else { Value::Bool(negated) })
}

/// `op ANY (array)`, and ALL.
fn any_element((array, test): &(Typed, Typed), all: bool, env: &mut Env<'_>) -> Result<Value> {
    let array = array.eval(env)?;
    let Some(elements) = ffviz_format::datum::array_elements(&array) else { return Ok(Value::Null) };
    decide(elements, test, all, env)
}

/// Does one of the values satisfy the test, or do all?
pub(super) fn decide(values: Vec<Value>, test: &Typed, all: bool, env: &mut Env<'_>) -> Result<Value> {
    let mut has_null = false;
    for value in values {
        env.cases.push(value);
        let holds = test.eval(env);
        env.cases.pop();
        match holds? {
            Value::Bool(holds) if holds != all => return Ok(Value::Bool(!all)),
            Value::Bool(_) => {}
            _ => has_null = true,
        }
    }
    Ok(if has_null { Value::Null } else { Value::Bool(all) })
}

/// How the chosen result of a CASE is evaluated.
type EvalResult = fn(&Typed, &mut Env<'_>) -> Result<Value>;

impl Case {
    fn eval(&self, env: &mut Env<'_>, result: EvalResult) -> Result<Value> {
        if let Some(operand) = &self.operand {
            let value = operand.eval(env)?;
            env.cases.push(value);
        }
        let chosen = self.choose(env, result);
        if self.operand.is_some() {
            env.cases.pop();
        }
        chosen
    }

    fn choose(&self, env: &mut Env<'_>, result: EvalResult) -> Result<Value> {
        for (when, then) in &self.whens {
            if when.holds(env)? {
                return result(then, env);
            }
        }
        result(&self.otherwise, env)
    }
}

/// Does the comparison hold for operands in that order?
pub const fn satisfies(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}
