//! Values of domains in expressions (`coerce_to_domain`, src/backend/parser/parse_coerce.c; `ExecEvalConstraintCheck`,
//! src/backend/executor/execExprInterp.c). They have the type that the domain is over, so operators and functions see
//! that type; what becomes one passes through a function that asks what the domain asks.

use super::analyze::Analyzer;
use super::function::type_name;
use super::pg_catalog::Coercion;
use super::pg_proc::Builtin;
use super::{Node, RangeTable, Typed};
use crate::cluster::DomainType;
use crate::sql::StatementError;
use crate::sql::ast::Expr;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::enums::mark;
use ffviz_format::datum::{Attribute, SqlError, SqlType, Value};
use ffviz_format::page::Oid;

/// The function that a value passes through, by a name that no statement can write.
const COERCE: Builtin = Builtin::of("coerce to domain");

/// What is said of a value that does not become its column's type.
pub(super) const REWRITE: &str = "You will need to rewrite or cast the expression.";

/// What a value that is assigned becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssignedType {
    /// its type
    pub ty: SqlType,
    /// the domain over that type
    pub domain: Option<Oid>,
}

impl From<SqlType> for AssignedType {
    fn from(ty: SqlType) -> Self {
        Self { ty, domain: None }
    }
}

impl AssignedType {
    /// `format_type_be`
    #[must_use]
    pub fn name(self) -> String {
        self.domain.map_or_else(|| type_name(self.ty.oid), mark)
    }
}

/// Is it the function that a value of a domain passes through?
#[must_use]
pub fn coerces_to_domain(node: &Node) -> bool {
    matches!(node, Node::Call(builtin, _) if *builtin == COERCE)
}

/// The domain that an expression over these columns is of.
#[must_use]
pub fn domain_of(expr: &Typed, range: &RangeTable) -> Option<Oid> {
    match &expr.node {
        Node::Slot(slot) => range.domain(*slot),
        Node::Call(builtin, args) if *builtin == COERCE => match args.get(1)?.node {
            Node::Const(Value::Oid(domain)) => Some(domain),
            _ => None,
        },
        _ => None,
    }
}

/// NULL that becomes a domain's as NULL alone.
#[must_use]
pub fn without_null_check(expr: Typed) -> Typed {
    match &expr.node {
        Node::Call(builtin, args) if *builtin == COERCE && args[0].node == Node::Const(Value::Null) => args[0].clone(),
        _ => expr,
    }
}

impl Analyzer<'_> {
    fn domain(&self, oid: Oid) -> Result<Arc<DomainType>, StatementError> {
        let missing = || StatementError::unsupported("a domain that was dropped meanwhile is not supported", None);
        self.domains.iter().find(|domain| domain.oid == oid).cloned().ok_or_else(missing)
    }

    /// The domain that an expression is of: a column of a row may be of one, too.
    pub(super) fn domain_of(&self, expr: &Typed) -> Option<Oid> {
        match &expr.node {
            Node::Field(row, field) => {
                self.type_of_row(row)?.desc.attributes().get(usize::from(*field)).and_then(Attribute::domain)
            }
            _ => domain_of(expr, self.range),
        }
    }

    /// `x::domain`
    pub(super) fn cast_to_domain(&mut self, inner: &Expr, oid: Oid) -> Result<Typed, StatementError> {
        let base = self.domain(oid)?.base;
        let typed = self.expr(inner)?;
        if self.domain_of(&typed) == Some(oid) {
            return Ok(typed);
        }
        let from = self.domain_of(&typed).map_or_else(|| type_name(typed.ty.oid), mark);
        let cast = self.coerce(typed, base, Coercion::Explicit)?;
        let cast =
            cast.ok_or_else(|| StatementError::server("42846", format!("cannot cast type {from} to {}", mark(oid))))?;
        self.as_domain(cast, Some(oid))
    }

    /// A value of the type that a domain is over as one of the domain.
    pub(super) fn as_domain(&self, value: Typed, domain: Option<Oid>) -> Result<Typed, StatementError> {
        let Some(oid) = domain.filter(|oid| self.domain_of(&value) != Some(*oid)) else { return Ok(value) };
        self.domain(oid)?;
        let ty = value.ty;
        let args = Vec::from([value, Typed::constant(Value::Oid(oid), SqlType::OID)]);
        Ok(Typed { node: Node::Call(COERCE, args), ty })
    }

    /// The value that a column of that name and type is to have, of an expression that has its type
    /// (`transformAssignedExpr`).
    ///
    /// # Errors
    /// A type that is not cast without being asked for.
    pub fn assign(&mut self, typed: Typed, column: &str, to: impl Into<AssignedType>) -> Result<Typed, StatementError> {
        let to = to.into();
        let from = AssignedType { ty: typed.ty, domain: self.domain_of(&typed) };
        if from.domain.is_some() && from.domain == to.domain {
            return Ok(typed);
        }
        let assigned = self.coerce(typed, to.ty, Coercion::Assignment)?;
        let assigned = assigned.ok_or_else(|| {
            let (to, from) = (to.name(), from.name());
            let message = format!("column \"{column}\" is of type {to} but expression is of type {from}");
            StatementError::from(SqlError::new("42804", message).with_hint(REWRITE))
        })?;
        self.as_domain(assigned, to.domain)
    }

    /// `pg_typeof` of a domain's value.
    pub(super) fn name_of_domain(&self, name: &str, args: &[Typed]) -> Option<Typed> {
        let [arg] = args else { return None };
        let domain = self.domain_of(arg).filter(|_| name == "pg_typeof")?;
        Some(Typed::constant(Value::text(&mark(domain)), SqlType::TEXT))
    }
}
