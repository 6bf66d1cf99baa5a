//! `pg_get_indexdef` (src/backend/utils/adt/ruleutils.c): what an index is, as a statement. What is not told for
//! certain as a server does is
//! not told.

use crate::cluster::ddl::quote_identifier;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{Node, Typed, deparse};
use crate::sql::tcop::Database;
use crate::storage::{IndexForm, RelationData};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

impl Database {
    /// The definition of an index; `None` where there is none of that OID.
    ///
    /// # Errors
    /// A sentence, where it has parts that are not told.
    pub(super) fn index_definition(&self, index: Oid, is_pretty: bool) -> Result<Option<String>, SqlError> {
        let Some(relation) = self.cluster.pg.relations.get(&index) else { return Ok(None) };
        let Some(form) = &relation.index else { return Ok(None) };
        let told = self.told_index(relation, form, is_pretty);
        told.map(Some).ok_or_else(|| {
            let name = &relation.name;
            SqlError::new(
                NOT_SIMULATED,
                format!("the definition of index {name}, which has more than columns, is not supported"),
            )
        })
    }

    fn told_index(&self, index: &RelationData, form: &IndexForm, is_pretty: bool) -> Option<String> {
        let table = self.cluster.pg.relations.get(&form.table)?;
        let (unique, am) = (
            if form.unique { "UNIQUE " } else { "" },
            match form {
                _ if form.summarizing => "brin",
                _ if form.gist.is_some() => "gist",
                _ => "btree",
            },
        );
        let of = match is_pretty {
            true => self.regclass_out(table.oid),
            false => {
                format!("{}.{}", quote_identifier(self.cluster.schema_of(table.oid)), quote_identifier(&table.name))
            }
        };
        let name = quote_identifier(&index.name);
        let columns = self.told_columns(table, index, form)?;
        let (keys, included) = columns.split_at(usize::from(form.n_keys).min(columns.len()));
        let mut text = format!("CREATE {unique}INDEX {name} ON {of} USING {am} ({})", keys.join(", "));
        if !included.is_empty() {
            text += &format!(" INCLUDE ({})", included.join(", "));
        }
        if form.nulls_not_distinct {
            text += " NULLS NOT DISTINCT";
        }
        text += &if form.summarizing { self.told_options(index.oid) } else { options(index, form)? };
        if let Some(predicate) = self.told_predicate(table, index.oid) {
            text += &format!(" WHERE {}", bare(&predicate?, is_pretty)?);
        }
        Some(text)
    }

    /// The definition of a column of an index: its name, or its expression; none where it has no such column.
    ///
    /// # Errors
    /// It is more than a function of columns.
    pub(super) fn index_column(&self, index: Oid, place: usize) -> Result<Option<String>, SqlError> {
        let Some(relation) = self.cluster.pg.relations.get(&index) else { return Ok(None) };
        let Some(form) = &relation.index else { return Ok(None) };
        let Some(table) = self.cluster.pg.relations.get(&form.table) else { return Ok(None) };
        let typed = self.index_expressions(table, relation);
        let range = crate::sql::catalog::plancat::range_of(table);
        match typed.get(place) {
            None => Ok(Some(String::new())),
            Some(typed) if is_told(typed) => Ok(deparse::index_key(typed, &range)),
            Some(_) => {
                let message = "pg_get_indexdef of a column that is more than a function of columns is not supported";
                Err(SqlError::new(NOT_SIMULATED, message))
            }
        }
    }

    /// `flatten_reloptions`, of a BRIN index: values are quoted unless they are plain words.
    fn told_options(&self, index: Oid) -> String {
        const RESERVED: [&str; 3] = ["true", "false", "on"];
        let given = self.cluster.catalog.class(index).map_or(&[][..], |class| &class.options);
        let told = given.iter().map(|(name, value)| {
            let is_word = value.chars().all(|c| c.is_ascii_lowercase()) && !RESERVED.contains(&value.as_str());
            if is_word { format!("{name}={value}") } else { format!("{name}='{value}'") }
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() { String::new() } else { format!(" WITH ({})", told.join(", ")) }
    }

    pub(super) fn told_columns(
        &self,
        table: &RelationData,
        index: &RelationData,
        form: &IndexForm,
    ) -> Option<Vec<String>> {
        let range = crate::sql::catalog::plancat::range_of(table);
        let typed = self.index_expressions(table, index);
        let columns = form.columns.iter().zip(&typed).enumerate();
        let told = columns.map(|(n, (key, typed))| {
            let text = if is_told(typed) { deparse::index_key(typed, &range)? } else { return None };
            let order = match (key.desc, key.nulls_first) {
                // only ordered ones are told with their order
                _ if n >= usize::from(form.n_keys) || form.gist.is_some() => "",
                (false, false) => "",
                (false, true) => " NULLS FIRST",
                (true, true) => " DESC",
                (true, false) => " DESC NULLS LAST",
            };
            let opclass = match typed.ty.oid {
                _ if !key.pattern => "",
                1042 => " bpchar_pattern_ops",
                1043 => " varchar_pattern_ops",
                _ => " text_pattern_ops",
            };
            Some(format!("{text}{opclass}{order}"))
        });
        told.collect()
    }
}

/// A condition as it is told: pretty without the parentheses around it, where it has no others.
fn bare(condition: &str, is_pretty: bool) -> Option<&str> {
    if !is_pretty {
        return Some(condition);
    }
    let inner = condition.strip_prefix('(')?.strip_suffix(')')?;
    (!inner.contains(['(', ')'])).then_some(inner)
}

/// A column, or a function of columns.
fn is_told(key: &Typed) -> bool {
    let is_column = |expr: &Typed| matches!(expr.node, Node::Slot(_));
    match &key.node {
        Node::Call(_, args) => args.iter().all(is_column),
        _ => is_column(key),
    }
}

/// Storage parameters; how a switch was written, and which of several was first, is not known.
fn options(index: &RelationData, form: &IndexForm) -> Option<String> {
    match (index.fillfactor, form.deduplicate_items) {
        (None, true) => Some(String::new()),
        (Some(percent), true) => Some(format!(" WITH (fillfactor='{percent}')")),
        (_, false) => None,
    }
}
