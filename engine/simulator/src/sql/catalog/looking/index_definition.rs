//! `pg_get_indexdef` (src/backend/utils/adt/ruleutils.c): what an index is, as a statement. What is not told for
//! certain as a server does is
//! not told.

use crate::sql::error::NOT_SIMULATED;
use crate::sql::ruleutils::{Style, quote_identifier};
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
        let style = Style { pretty: is_pretty };
        let columns = self.told_columns(table, index, form, style)?;
        let (keys, included) = columns.split_at(usize::from(form.n_keys).min(columns.len()));
        let mut text = format!("CREATE {unique}INDEX {name} ON {of} USING {am} ({})", keys.join(", "));
        if !included.is_empty() {
            text += &format!(" INCLUDE ({})", included.join(", "));
        }
        if form.nulls_not_distinct {
            text += " NULLS NOT DISTINCT";
        }
        text += &if form.summarizing { self.told_options(index.oid) } else { options(index, form)? };
        if let Some(predicate) = self.told_predicate(table, index.oid, style) {
            text += &format!(" WHERE {}", predicate?);
        }
        Some(text)
    }

    /// The definition of a column of an index: its name, or its expression; none where it has no such column.
    ///
    /// # Errors
    /// It is an expression that is not told.
    pub(super) fn index_column(&self, index: Oid, place: usize, is_pretty: bool) -> Result<Option<String>, SqlError> {
        let Some(relation) = self.cluster.pg.relations.get(&index) else { return Ok(None) };
        let Some(form) = &relation.index else { return Ok(None) };
        let Some(table) = self.cluster.pg.relations.get(&form.table) else { return Ok(None) };
        let style = Style { pretty: is_pretty };
        let place = place.min(u16::MAX.into()) as u16;
        match form.columns.get(usize::from(place)) {
            None => Ok(Some(String::new())),
            Some(key) if key.attnum > 0 => Ok(column_name(table, key.attnum)),
            Some(_) => match self.told_key(table, index, place, style) {
                Some(told) => Ok(Some(told)),
                None => {
                    let message = "pg_get_indexdef of a column that is such an expression is not supported";
                    Err(SqlError::new(NOT_SIMULATED, message))
                }
            },
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
        style: Style,
    ) -> Option<Vec<String>> {
        let typed = self.index_expressions(table, index);
        let columns = form.columns.iter().zip(&typed).enumerate();
        let told = columns.map(|(n, (key, typed))| {
            let text = match key.attnum {
                0 => self.told_key(table, index.oid, n as u16, style)?,
                attnum => column_name(table, attnum)?,
            };
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

fn column_name(table: &RelationData, attnum: u16) -> Option<String> {
    let attribute = table.desc.attributes().get(usize::from(attnum.checked_sub(1)?))?;
    Some(quote_identifier(&attribute.name))
}

/// Storage parameters; how a switch was written, and which of several was first, is not known.
fn options(index: &RelationData, form: &IndexForm) -> Option<String> {
    match (index.fillfactor, form.deduplicate_items) {
        (None, true) => Some(String::new()),
        (Some(percent), true) => Some(format!(" WITH (fillfactor='{percent}')")),
        (_, false) => None,
    }
}
