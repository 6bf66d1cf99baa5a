//! The query of a view as text (`pg_get_viewdef`, src/backend/utils/adt/ruleutils.c).

use super::layout::{Style, trimmed};
use super::query::Shown;
use super::written::Deparser;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::{SqlError, Value};

impl Database {
    /// `pg_get_viewdef` of a view's OID, and whether it is to be pretty, or how long its lines may be.
    pub(in crate::sql) fn pg_get_viewdef(&self, args: &[Value]) -> Result<Value, SqlError> {
        let [Value::Oid(oid), rest @ ..] = args else { return Ok(Value::Null) };
        let (pretty, wrap) = match rest {
            [Value::Bool(pretty)] => (*pretty, 0),
            [Value::Int4(wrap)] => (true, *wrap),
            _ => (false, 0),
        };
        let of_view = self.cluster.catalog.views().find(|(_, view)| view.oid == *oid);
        let of_matview = || Some(self.cluster.catalog.class(*oid)?.matview.as_ref()?.query);
        let number = of_view.map(|(_, view)| view.query).or_else(of_matview);
        let Some(number) = number else { return Ok(Value::Null) };
        let told = self.told_view(number, Style { pretty }, wrap).ok_or_else(|| {
            let message = format!("the text of the view {} is not supported", self.regclass_out(*oid));
            SqlError::new(NOT_SIMULATED, message)
        })?;
        Ok(Value::text(&told))
    }

    /// The same of its name.
    pub(in crate::sql) fn pg_get_viewdef_name(&mut self, args: &[Value]) -> Result<Value, SqlError> {
        let mut args = args.to_vec();
        args[0] = self.regclassin(&args[0])?;
        self.pg_get_viewdef(&args)
    }

    fn told_view(&self, number: u32, style: Style, wrap: i32) -> Option<String> {
        let view = self.views.get(number as usize)?;
        let shown = Shown { names: &view.columns, is_visible: true, aliased: &view.aliased, ..Shown::default() };
        let told = Deparser::of_query(self, style, wrap).query(&view.query, &shown)?;
        Some(trimmed(&told) + ";")
    }
}
