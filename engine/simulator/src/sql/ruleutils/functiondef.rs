//! Functions and procedures of the script's as text, and their rows in `pg_proc` (`pg_get_functiondef`,
//! `print_function_arguments`, src/backend/utils/adt/ruleutils.c; `regprocedurein`, src/backend/utils/adt/regproc.c).

use super::constants::{literal, quote_identifier};
use super::layout::PLAIN;
use super::scope::Scope;
use super::written::Deparser;
use crate::sql::ast::{RoutineKind, Volatility};
use crate::sql::catalog::SqlFunction;
use crate::sql::catalog::looking::Rows;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{RangeTable, is_of_servers, type_of_name};
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Oid};

const RECORD: Oid = 2249;
const VOID: Oid = 2278;
const TRIGGER: Oid = 2279;

fn untold() -> SqlError {
    SqlError::new(NOT_SIMULATED, "the text of a function of this kind is not supported")
}

impl Database {
    fn functions_with_oids(&self) -> impl Iterator<Item = (Oid, &Arc<SqlFunction>)> {
        let all = self.cluster.catalog.functions_with_oids();
        all.filter_map(|(oid, number)| Some((oid, self.functions.get(number as usize)?)))
    }

    fn function_of(&self, args: &[Value]) -> Option<&Arc<SqlFunction>> {
        let [Value::Oid(oid), ..] = args else { return None };
        self.functions_with_oids().find(|(known, _)| known == oid).map(|(_, function)| function)
    }

    fn type_text(&self, oid: Oid) -> String {
        let text = self.regtypeout(&Value::Oid(oid));
        String::from_utf8_lossy(text.plain_bytes().unwrap_or(&[])).into_owned()
    }

    /// `prorettype`
    fn result_type(function: &SqlFunction) -> Oid {
        match (function.kind, &function.columns[..]) {
            (RoutineKind::Trigger, _) => TRIGGER,
            (_, []) => VOID,
            (RoutineKind::Procedure, _) => RECORD,
            _ if function.row_type.is_some() => function.row_oid.unwrap_or(RECORD),
            (_, [(_, ty)]) => ty.oid,
            _ => RECORD,
        }
    }

    /// `print_function_arguments`
    fn arguments_text(&self, function: &SqlFunction, with_defaults: bool) -> Result<String, SqlError> {
        let is_procedure = function.kind == RoutineKind::Procedure;
        // in which order arguments that come in and those that go out stand is not kept
        if function.source.has_other_types || function.has_outs && !function.source.is_table {
            return Err(untold());
        }
        let mode = if is_procedure && self.cluster.version().marks_in_arguments() { "IN " } else { "" };
        let first_default = function.arguments.len() - function.defaults.len();
        let mut texts = Vec::with_capacity(function.arguments.len());
        for (n, (name, ty)) in function.arguments.iter().enumerate() {
            let name = name.as_ref().map_or_else(String::new, |name| quote_identifier(name) + " ");
            let default = n.checked_sub(first_default).and_then(|n| function.defaults.get(n)).filter(|_| with_defaults);
            let default = match default {
                None => String::new(),
                Some(expr) => {
                    let range = RangeTable::default();
                    let typed = self.analyzer(&range).assigned(expr, "", *ty).map_err(|error| error.error)?;
                    let told = Deparser::new(self, PLAIN, Scope::default()).told(expr, &typed);
                    format!(" DEFAULT {}", told.ok_or_else(untold)?)
                }
            };
            texts.push(format!("{mode}{name}{}{default}", self.type_text(ty.oid)));
        }
        Ok(texts.join(", "))
    }

    /// `print_function_rettype`
    fn result_text(&self, function: &SqlFunction) -> Result<String, SqlError> {
        if function.source.has_other_types {
            return Err(untold());
        }
        if function.source.is_table {
            let column = |(name, ty): &(String, _)| format!("{} {}", quote_identifier(name), self.type_text(*ty));
            let columns = function.columns.iter().map(|(name, ty)| (name.clone(), ty.oid));
            return Ok(format!("TABLE({})", columns.map(|it| column(&it)).collect::<Vec<_>>().join(", ")));
        }
        let of_rows = function.row_type.filter(|oid| self.cluster.catalog.class(*oid).is_some());
        let text = match (of_rows, Self::result_type(function)) {
            (Some(table), _) => self.regclass_out(table),
            (None, VOID) => "void".to_string(),
            (None, TRIGGER) => "trigger".to_string(),
            (None, RECORD) => "record".to_string(),
            (None, ty) => self.type_text(ty),
        };
        Ok(if function.is_set { format!("SETOF {text}") } else { text })
    }

    /// `pg_get_function_arguments`
    pub(in crate::sql) fn pg_get_function_arguments(&self, args: &[Value]) -> Result<Value, SqlError> {
        let told = self.function_of(args).map(|function| self.arguments_text(function, true));
        Ok(told.transpose()?.map_or(Value::Null, |text| Value::text(&text)))
    }

    /// `pg_get_function_identity_arguments`
    pub(in crate::sql) fn function_identity_arguments(&self, args: &[Value]) -> Result<Value, SqlError> {
        let told = self.function_of(args).map(|function| self.arguments_text(function, false));
        Ok(told.transpose()?.map_or(Value::Null, |text| Value::text(&text)))
    }

    /// `pg_get_function_result`
    pub(in crate::sql) fn pg_get_function_result(&self, args: &[Value]) -> Result<Value, SqlError> {
        let function = self.function_of(args).filter(|function| function.kind != RoutineKind::Procedure);
        let told = function.map(|function| self.result_text(function));
        Ok(told.transpose()?.map_or(Value::Null, |text| Value::text(&text)))
    }

    /// `pg_get_functiondef`
    pub(in crate::sql) fn pg_get_functiondef(&self, args: &[Value]) -> Result<Value, SqlError> {
        const COST: f64 = 100.0;
        const ROWS: f64 = 1000.0;
        let Some(function) = self.function_of(args) else { return Ok(Value::Null) };
        let source = &function.source;
        let body = source.text.as_ref().ok_or_else(untold)?;
        let is_procedure = function.kind == RoutineKind::Procedure;
        let what = if is_procedure { "procedure" } else { "function" };
        let (schema, name) = (quote_identifier(&source.schema), quote_identifier(&function.name));
        let arguments = self.arguments_text(function, true)?;
        let mut text = format!("CREATE OR REPLACE {} {schema}.{name}({arguments})\n", what.to_uppercase());
        if !is_procedure {
            text += &format!(" RETURNS {}\n", self.result_text(function)?);
        }
        text += if function.body.is_block() { " LANGUAGE plpgsql\n" } else { " LANGUAGE sql\n" };
        let before = text.len();
        text += match function.volatility {
            Volatility::Immutable => " IMMUTABLE",
            Volatility::Stable => " STABLE",
            Volatility::Volatile => "",
        };
        text += match source.parallel {
            Some('s') => " PARALLEL SAFE",
            Some('r') => " PARALLEL RESTRICTED",
            _ => "",
        };
        let flags = [(function.is_strict, " STRICT"), (function.is_definer, " SECURITY DEFINER")];
        let flags = flags.into_iter().chain([(source.leakproof, " LEAKPROOF")]);
        flags.filter(|(is, _)| *is).for_each(|(_, word)| text += word);
        if let Some(cost) = source.cost.filter(|cost| (cost - COST).abs() > 0.0) {
            text += &format!(" COST {cost}");
        }
        if function.is_set && (function.rows - ROWS).abs() > 0.0 {
            text += &format!(" ROWS {}", function.rows);
        }
        text += if text.len() > before { "\n" } else { "" };
        for set in &function.settings {
            let (Some(name), Some(value)) = (&set.name, &set.value) else { return Err(untold()) };
            // those are lists of names
            if value.contains(['"', ',']) {
                return Err(untold());
            }
            text += &format!(" SET {name} TO {}\n", literal(value));
        }
        let mut tag = format!("${what}");
        while body.contains(&tag) {
            tag.push('x');
        }
        Ok(Value::text(&format!("{text}AS {tag}${body}{tag}$\n")))
    }

    /// `regprocin`
    pub(in crate::sql) fn regprocin(&self, name: &Value) -> Result<Value, SqlError> {
        let text = String::from_utf8_lossy(name.plain_bytes().unwrap_or(&[])).into_owned();
        if let Ok(oid) = text.parse() {
            return Ok(Value::Oid(oid));
        }
        let bare = text.strip_prefix("public.").unwrap_or(&text);
        if let Some((oid, _)) = self.functions_with_oids().find(|(_, function)| function.name == bare) {
            return Ok(Value::Oid(oid));
        }
        Err(missing(&text, &text))
    }

    /// `regprocedurein`: a name with the types of its arguments.
    pub(in crate::sql) fn regprocedurein(&self, signature: &Value) -> Result<Value, SqlError> {
        let text = String::from_utf8_lossy(signature.plain_bytes().unwrap_or(&[])).into_owned();
        if let Ok(oid) = text.parse() {
            return Ok(Value::Oid(oid));
        }
        let Some((name, types)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
            let what = if text.contains('(') { "expected a right parenthesis" } else { "expected a left parenthesis" };
            return Err(SqlError::new("22P02", what));
        };
        let types = types.split(',').map(str::trim).filter(|name| !name.is_empty());
        let types = types.map(|name| type_of_name(name).map(|ty| ty.oid)).collect::<Option<Vec<Oid>>>();
        let Some(types) = types else {
            let message = "a type of this name in a regprocedure is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        };
        let bare = name.strip_prefix("public.").unwrap_or(name).trim();
        let is_it = |function: &SqlFunction| {
            function.name == bare && function.arguments.iter().map(|(_, ty)| ty.oid).eq(types.iter().copied())
        };
        let found = self.functions_with_oids().find(|(_, function)| is_it(function));
        found.map(|(oid, _)| Value::Oid(oid)).ok_or_else(|| missing(bare, &text))
    }

    /// `regprocedureout`, `regprocout`: a number where there is no such function.
    pub(in crate::sql) fn regprocedureout(&self, args: &[Value], with_types: bool) -> Result<Value, SqlError> {
        let [Value::Oid(oid)] = args else { return Ok(Value::Null) };
        let Some(function) = self.function_of(args) else {
            if *oid != 0 && *oid < FIRST_NORMAL_OBJECT_ID {
                let message = "the name of a function of the system's own is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message));
            }
            return Ok(Value::text(&if *oid == 0 { "-".to_string() } else { oid.to_string() }));
        };
        let name = quote_identifier(&function.name);
        if !with_types {
            return Ok(Value::text(&name));
        }
        let types = function.arguments.iter().map(|(_, ty)| self.type_text(ty.oid));
        Ok(Value::text(&format!("{name}({})", types.collect::<Vec<_>>().join(","))))
    }

    /// The rows of `pg_proc` that are the script's own.
    pub(in crate::sql) fn procs(&self) -> Rows {
        let row = |(oid, function): (Oid, &Arc<SqlFunction>)| {
            let source = &function.source;
            let kind = if function.kind == RoutineKind::Procedure { b'p' } else { b'f' };
            let volatility = match function.volatility {
                Volatility::Immutable => b'i',
                Volatility::Stable => b's',
                Volatility::Volatile => b'v',
            };
            Vec::from([
                Value::Oid(oid),
                Value::text(&function.name),
                Value::Oid(self.cluster.catalog.namespace(&source.schema)),
                Value::Char(kind),
                Value::Bool(function.is_definer),
                Value::Bool(source.leakproof),
                Value::Bool(function.is_strict),
                Value::Bool(function.is_set),
                Value::Char(volatility),
                Value::Char(source.parallel.map_or(b'u', |letter| letter as u8)),
                Value::Int2(function.arguments.len() as i16),
                Value::Int2(function.defaults.len() as i16),
                Value::Oid(Self::result_type(function)),
                Value::Float4(source.cost.unwrap_or(100.0) as f32),
                Value::Float4(if function.is_set { function.rows as f32 } else { 0.0 }),
                Value::text(source.text.as_deref().unwrap_or("")),
            ])
        };
        self.functions_with_oids().map(row).collect()
    }
}

fn missing(name: &str, text: &str) -> SqlError {
    let bare = name.strip_prefix("pg_catalog.").unwrap_or(name);
    if is_of_servers(bare) || name.contains(['"', '.']) {
        return SqlError::new(NOT_SIMULATED, "a function of the system's own as a value is not supported");
    }
    SqlError::new("42883", format!("function \"{text}\" does not exist"))
}
