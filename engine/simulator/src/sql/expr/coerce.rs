//! Casts: `coerce_type`, `coerce_type_typmod`, `coerce_to_target_type` (src/backend/parser/parse_coerce.c).

use super::analyze::Analyzer;
use super::pg_catalog::{
    BIT, BPCHAR, Coercion, INT2_ARRAY, INT2_VECTOR, INT4, INT8, OID, REGCLASS, REGNAMESPACE, REGPROC, REGPROCEDURE,
    REGTYPE, TEXT, UNKNOWN, VARCHAR, can_coerce,
};
use super::pg_proc::Builtin;
use super::{Node, Typed};
use crate::cluster::Lookup;
use crate::sql::StatementError;
use alloc::boxed::Box;
use alloc::string::String;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::input::input;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;

impl Analyzer<'_> {
    /// As [`Self::coerce`] in any expression, to a type without modifier.
    pub(super) fn implicit(&mut self, expr: Typed, to: Oid) -> Result<Typed, StatementError> {
        self.coerce(expr, SqlType::plain(to), Coercion::Implicit)?.ok_or_else(|| {
            StatementError::server("42846", alloc::format!("cannot cast to type {}", SqlType::plain(to).name()))
        })
    }

    /// The expression as that type; `None` where no cast leads there in that context.
    pub(super) fn coerce(
        &mut self,
        expr: Typed,
        to: SqlType,
        context: Coercion,
    ) -> Result<Option<Typed>, StatementError> {
        if !can_coerce(expr.ty.oid, to.oid, context, self.major()) {
            return Ok(None);
        }
        let explicit = context == Coercion::Explicit;
        if expr.ty.oid == UNKNOWN {
            self.lookups.push(Lookup::Type(to.oid));
        } else if expr.ty.oid != to.oid {
            self.lookups.push(Lookup::Cast(expr.ty.oid, to.oid));
        }
        let expr = match self.cast_row(&expr, to.oid, context)? {
            Some(row) => row,
            None if expr.ty.oid == to.oid => expr,
            // the fields say of what a number is
            None if expr.ty.oid == UNKNOWN
                && to.kind() == Kind::Interval
                && let Node::Const(Value::Text(text)) = &expr.node =>
            {
                let text = String::from_utf8_lossy(text);
                Typed::constant(input(&text, to, &self.input)?, to)
            }
            // the length is an argument of the function that casts
            None if to.oid == BIT && matches!(expr.ty.oid, INT4 | INT8) => {
                return Ok(Some(Typed { node: Node::Cast(Box::new(expr), explicit), ty: to }));
            }
            None => self.cast_to(expr, to.oid, explicit)?,
        };
        // a length: what is too long is an error, or is cut with ::
        if to.typmod < 0 || expr.ty.typmod == to.typmod {
            return Ok(Some(expr));
        }
        self.lookups.push(Lookup::Cast(to.oid, to.oid));
        Ok(Some(Typed { node: Node::Cast(Box::new(expr), explicit), ty: to }))
    }

    /// `regtypein`, of a name that stands in the statement.
    fn regtype(&self, text: &[u8]) -> Result<Typed, StatementError> {
        let name = String::from_utf8_lossy(text);
        let name = name.trim();
        let of_domain = || self.domains.iter().find(|ty| ty.name == name).map(|ty| ty.oid);
        let of_enum = || self.enums.iter().find(|ty| ty.name == name).map(|ty| ty.oid).or_else(of_domain);
        let number = || name.parse().ok();
        let lower = name.to_ascii_lowercase();
        match SqlType::named(&lower).map(|ty| ty.oid).or_else(of_enum).or_else(number) {
            Some(oid) => Ok(Typed::constant(Value::Oid(oid), SqlType::plain(REGTYPE))),
            None => Err(StatementError::unsupported(alloc::format!("type {name} is not supported"), None)),
        }
    }

    /// `regclassin`: which relation that is says the catalog, when it runs; a literal's has to be there before.
    fn regclass(&mut self, from: Oid, node: Node) -> Typed {
        if let (UNKNOWN, Node::Const(Value::Text(name))) = (from, &node) {
            self.relations.push(String::from_utf8_lossy(name).into_owned());
        }
        let text = Typed { node, ty: SqlType::TEXT };
        let node = Node::Call(const { Builtin::of("regclassin") }, alloc::vec![text]);
        Typed { node, ty: SqlType::plain(REGCLASS) }
    }

    fn cast_to(&mut self, expr: Typed, to: Oid, explicit: bool) -> Result<Typed, StatementError> {
        let ty = SqlType::plain(to);
        match (expr.ty.oid, expr.node) {
            (UNKNOWN, Node::Const(Value::Text(text))) if is_enum(to) => self.label(&text, to),
            (TEXT | VARCHAR | BPCHAR, node) if is_enum(to) => self.enum_in(Typed { node, ty: expr.ty }, to),
            (from, node) if is_enum(from) => self.enum_out(Typed { node, ty: expr.ty }, ty),
            (from @ (UNKNOWN | TEXT | VARCHAR), node) if to == REGCLASS && node != Node::Const(Value::Null) => {
                Ok(self.regclass(from, node))
            }
            // the same bytes: the elements stay counted from 0
            (INT2_VECTOR, node) if to == INT2_ARRAY => Ok(Typed { node, ty }),
            (REGCLASS, node) if to == TEXT || to == VARCHAR => {
                let class = Typed { node, ty: SqlType::plain(REGCLASS) };
                Ok(Typed { node: Node::Call(const { Builtin::of("regclassout") }, alloc::vec![class]), ty })
            }
            (UNKNOWN, Node::Const(Value::Text(text))) if to == REGTYPE => self.regtype(&text),
            (UNKNOWN | TEXT | VARCHAR, node)
                if matches!(to, REGNAMESPACE | REGPROC | REGPROCEDURE) && node != Node::Const(Value::Null) =>
            {
                let text = Typed { node, ty: SqlType::TEXT };
                Ok(Typed { node: Node::Call(reg_in(to), alloc::vec![text]), ty })
            }
            (from @ (REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE), node) if to == TEXT || to == VARCHAR => {
                let oid = Typed { node, ty: expr.ty };
                Ok(Typed { node: Node::Call(reg_out(from), alloc::vec![oid]), ty })
            }
            (TEXT | VARCHAR, _) if to == REGTYPE => {
                let message = "a text that becomes a regtype is not supported; write the type's name as a literal";
                Err(StatementError::unsupported(message, None))
            }
            (OID | REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE, node)
                if matches!(to, OID | REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE) =>
            {
                Ok(Typed { node, ty })
            }
            (REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE, node) => {
                let oid = Typed { node, ty: SqlType::plain(OID) };
                Ok(Typed { node: Node::Cast(Box::new(oid), explicit), ty })
            }
            (_, node) if matches!(to, REGTYPE | REGNAMESPACE | REGPROC | REGPROCEDURE) => {
                let number = Typed { node, ty: expr.ty };
                let oid = Node::Cast(Box::new(number), explicit);
                Ok(Typed { node: oid, ty: SqlType::plain(OID) }).map(|oid| Typed { node: oid.node, ty })
            }
            (REGCLASS, node) if to == OID => Ok(Typed { node, ty }),
            (OID, node) if to == REGCLASS => Ok(Typed { node, ty }),
            // a number of a relation is an OID
            (_, node) if to == REGCLASS => {
                let number = Typed { node, ty: expr.ty };
                let oid = Typed { node: Node::Cast(Box::new(number), explicit), ty: SqlType::plain(OID) };
                Ok(Typed { node: Node::Call(const { Builtin::of("oid_of") }, alloc::vec![oid]), ty })
            }
            (REGCLASS, node) => {
                let oid = Typed { node, ty: SqlType::plain(OID) };
                Ok(Typed { node: Node::Cast(Box::new(oid), explicit), ty })
            }
            (UNKNOWN, Node::Const(Value::Text(bytes))) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(Typed::constant(input(&text, ty, &self.input)?, ty))
            }
            (UNKNOWN, Node::Param(number)) => {
                self.params[usize::from(number)] = to;
                Ok(Typed { node: Node::Param(number), ty })
            }
            (UNKNOWN, node) => Ok(Typed { node, ty }),
            // the same bytes
            (TEXT | VARCHAR, node) if to == TEXT || to == VARCHAR => Ok(Typed { node, ty }),
            (_, node) => {
                let inner = Typed { node, ty: expr.ty };
                Ok(Typed { node: Node::Cast(Box::new(inner), explicit), ty })
            }
        }
    }
}

/// What reads a name as a value of that type.
const fn reg_in(ty: Oid) -> Builtin {
    match ty {
        REGPROC => const { Builtin::of("regprocin") },
        REGPROCEDURE => const { Builtin::of("regprocedurein") },
        _ => const { Builtin::of("regnamespacein") },
    }
}

/// What tells such a value by its name.
const fn reg_out(ty: Oid) -> Builtin {
    match ty {
        REGPROC => const { Builtin::of("regprocout") },
        REGPROCEDURE => const { Builtin::of("regprocedureout") },
        REGTYPE => const { Builtin::of("regtypeout") },
        _ => const { Builtin::of("regnamespaceout") },
    }
}
