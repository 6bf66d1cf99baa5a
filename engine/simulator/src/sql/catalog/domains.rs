//! What a value of a domain has to satisfy (`domain_check_input`, src/backend/utils/adt/domains.c; the order of
//! constraints is that of `load_domaintype_info`, src/backend/utils/cache/typcache.c).

use crate::cluster::DomainType;
use crate::cluster::pg_class::ExprId;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::eval;
use crate::sql::expr::{Column, RangeTable, Typed};
use crate::sql::tcop::Database;
use crate::storage::Stop;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::enums::mark;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::Oid;

/// What a CHECK of a domain is over: VALUE alone.
pub(in crate::sql) fn range_of_value(base: SqlType) -> RangeTable {
    let mut range = RangeTable::default();
    range.add("", Vec::from([Column { name: String::from("value"), ty: base }]));
    range
}

impl Database {
    /// The value, where the domain may have it.
    ///
    /// # Errors
    /// PostgreSQL's, where it may not.
    pub(in crate::sql) fn coerce_to_domain(&mut self, value: &Value, domain: Oid) -> Result<Value, SqlError> {
        let Some(domain) = self.cluster.catalog.domain(domain).cloned() else {
            return Err(SqlError::new(NOT_SIMULATED, "a domain that was dropped meanwhile is not supported"));
        };
        let name = mark(domain.oid);
        if domain.not_null.is_some() && value.is_null() {
            return Err(SqlError::new("23502", format!("domain {name} does not allow null values")));
        }
        for check in &domain.checks {
            if !self.domain_check_holds(&domain, check.expr, value)? {
                let check = &check.name;
                let message = format!("value for domain {name} violates check constraint \"{check}\"");
                return Err(SqlError::new("23514", message));
            }
        }
        Ok(value.clone())
    }

    /// NULL is no violation.
    pub(in crate::sql) fn domain_check_holds(
        &mut self,
        domain: &DomainType,
        check: ExprId,
        value: &Value,
    ) -> Result<bool, SqlError> {
        for part in self.domain_condition(domain, check) {
            match eval(self, &part, core::slice::from_ref(value), &[]) {
                Ok(Value::Bool(false)) => return Ok(false),
                Ok(_) => {}
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Wait(_)) => return Err(SqlError::new("XX000", "a CHECK of a domain waits")),
            }
        }
        Ok(true)
    }

    fn domain_condition(&self, domain: &DomainType, check: ExprId) -> Vec<Typed> {
        let Some(stored) = self.expressions.get(check) else { return Vec::new() };
        self.condition_over(&range_of_value(domain.base), stored)
    }
}
