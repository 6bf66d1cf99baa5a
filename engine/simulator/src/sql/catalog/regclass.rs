//! Names of relations as values (`regclassin`, `regclassout`, `stringToQualifiedNameList`,
//! src/backend/utils/adt/regproc.c).

use crate::cluster::ddl::quote_identifier;
use crate::cluster::namespace::split_identifiers;
use crate::sql::ast::RangeVar;
use crate::sql::catalog::looking::{PG_LOCKS, pg_locks_oid, system_name, system_relation};
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

impl Database {
    /// The relation that a value of regclass is, or that a text names; of a view there is nothing to look at.
    pub(in crate::sql) fn regclass(&self, value: &Value) -> Result<Oid, SqlError> {
        let oid = match value {
            Value::Oid(oid) => *oid,
            text => self.regclass_in(&String::from_utf8_lossy(text.plain_bytes().unwrap_or(&[])))?,
        };
        if let Some(name) = self.view_meant(&Value::Oid(oid))? {
            let message = format!("{name} is a view, of which this is not supported; tables have it");
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        // those of the system's own have no pages here
        match system_name(oid, self.cluster.version().major()) {
            Some(name) => Err(elsewhere::relation(&RangeVar::new(None, name.to_string()), "relation")),
            None => Ok(oid),
        }
    }

    /// The same of a relation that has pages, which a view has not.
    pub(in crate::sql) fn regclass_of_pages(&self, value: &Value) -> Result<Oid, SqlError> {
        let oid = self.regclass(value)?;
        match self.view_meant(&Value::Oid(oid))? {
            Some(view) => {
                let message = format!("{view} is a view, of which this is not supported; tables have it");
                Err(SqlError::new(NOT_SIMULATED, message))
            }
            None => Ok(oid),
        }
    }

    /// `regclassin`: a name, perhaps with its schema and quotes; or a number.
    pub(in crate::sql) fn regclass_in(&self, text: &str) -> Result<Oid, SqlError> {
        if text == "-" {
            return Ok(0);
        }
        if let Ok(oid) = text.parse() {
            return Ok(oid);
        }
        let name = qualified_name(text)?;
        if let (None, Some((_, view))) = (self.find(&name), self.cluster.find_view(name.schema.as_deref(), &name.name))
        {
            return Ok(view.oid);
        }
        let asks_softly = self.cluster.version().reads_regclass_softly();
        let missing =
            || if asks_softly { elsewhere::relation(&name, "relation") } else { self.missing(&name, "relation") };
        self.find(&name).or_else(|| looked_up_by_name(&name, self.cluster.version().major())).ok_or_else(missing)
    }

    /// The name of the view that a value of regclass is, or that a text names.
    pub(in crate::sql) fn view_meant(&self, value: &Value) -> Result<Option<String>, SqlError> {
        if let Value::Oid(oid) = value {
            let mut views = self.cluster.catalog.views();
            return Ok(views.find(|(_, view)| view.oid == *oid).map(|((_, name), _)| name.clone()));
        }
        let text = String::from_utf8_lossy(value.plain_bytes().unwrap_or(&[])).into_owned();
        if text.parse::<Oid>().is_ok() {
            return Ok(None);
        }
        let name = qualified_name(&text)?;
        Ok(self.cluster.find_view(name.schema.as_deref(), &name.name).map(|_| name.name))
    }

    /// `regclassout`: with its schema where it would not be found without; a number where there is no such relation.
    /// The name of a view.
    fn view_out(&self, oid: Oid) -> Option<String> {
        let ((schema, name), _) = self.cluster.catalog.views().find(|(_, view)| view.oid == oid)?;
        let is_found = self.cluster.find_view(None, name).is_some_and(|(_, found)| found.oid == oid);
        let qualified = || format!("{}.{}", quote_identifier(schema), quote_identifier(name));
        Some(if is_found { quote_identifier(name) } else { qualified() })
    }

    pub(in crate::sql) fn regclass_out(&self, oid: Oid) -> String {
        match self.cluster.catalog.class(oid) {
            Some(class) if self.cluster.find(None, &class.name) == Some(oid) => quote_identifier(&class.name),
            Some(class) => format!("{}.{}", quote_identifier(&class.schema), quote_identifier(&class.name)),
            None if oid == 0 => "-".to_string(),
            None => match system_name(oid, self.cluster.version().major()) {
                Some(name) => name.to_string(),
                None => self.view_out(oid).unwrap_or_else(|| format!("{oid}")),
            },
        }
    }
}

/// The system's own relation of that name.
fn looked_up_by_name(name: &RangeVar, major: u32) -> Option<Oid> {
    if name.name == PG_LOCKS { Some(pg_locks_oid(major)) } else { system_relation(name) }
}

/// `stringToQualifiedNameList`, `makeRangeVarFromNameList`
fn qualified_name(text: &str) -> Result<RangeVar, SqlError> {
    let names = split_identifiers(text, '.').filter(|names| !names.is_empty());
    let names: Vec<String> = names.ok_or_else(|| SqlError::new("42602", "invalid name syntax"))?;
    match <[String; 2]>::try_from(names) {
        Ok([schema, name]) => Ok(RangeVar::new(Some(schema), name)),
        Err(mut names) if names.len() == 1 => Ok(RangeVar::new(None, names.remove(0))),
        Err(names) if names.len() == 3 => Err(SqlError::new(
            NOT_SIMULATED,
            format!("the database before the name {} is not supported", names.join(".")),
        )),
        Err(names) => {
            let message = format!("improper relation name (too many dotted names): {}", names.join("."));
            Err(SqlError::new("42601", message))
        }
    }
}
