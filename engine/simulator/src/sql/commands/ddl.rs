//! Storage parameters, and DROP: from the tree of a statement to what the cluster is asked to do (`RemoveRelations`,
//! src/backend/commands/tablecmds.c).

use super::{concurrent, inherit, partition, view};
use crate::cluster::ddl::{ColumnSpec, TableSpec};
use crate::sql::ast::{DefElem, Drop, DropKind, RangeVar};
use crate::sql::catalog::dependency;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::storage::VacuumOptions;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// What is said of the storage of a table or an index in WITH (…).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RelOptions {
    pub fillfactor: Option<u8>,
    pub toast_tuple_target: Option<u16>,
    pub deduplicate_items: bool,
    pub vacuum: VacuumOptions,
}

/// Which relations have them (`relopt_kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionsOf {
    Table,
    Btree,
    Brin,
    Gist,
}

impl OptionsOf {
    /// The index's, or the table's.
    pub fn of(relation: &RelationData) -> Self {
        match &relation.index {
            None => Self::Table,
            Some(index) if index.summarizing => Self::Brin,
            Some(index) if index.gist.is_some() => Self::Gist,
            Some(_) => Self::Btree,
        }
    }

    fn has(self, name: &str) -> bool {
        const OF_INDEXES: [&str; 4] = ["deduplicate_items", "pages_per_range", "autosummarize", "buffering"];
        match self {
            Self::Table => !OF_INDEXES.contains(&name),
            Self::Btree => ["fillfactor", "deduplicate_items"].contains(&name),
            Self::Brin => ["pages_per_range", "autosummarize"].contains(&name),
            Self::Gist => ["fillfactor", "buffering"].contains(&name),
        }
    }
}

impl RelOptions {
    /// Reads options; `least` is the smallest fillfactor.
    pub fn read(options: &[DefElem]) -> Result<Self, SqlError> {
        let vacuum = VacuumOptions::default();
        let mut read = Self { fillfactor: None, toast_tuple_target: None, deduplicate_items: true, vacuum };
        for option in options {
            match option.name.as_str() {
                "fillfactor" => read.fillfactor = Some(number(option, 10, 100)? as u8),
                "toast_tuple_target" => read.toast_tuple_target = Some(number(option, 128, 8160)? as u16),
                "deduplicate_items" => read.deduplicate_items = switch(option)?,
                "vacuum_truncate" => read.vacuum.truncate = Some(switch(option)?),
                "vacuum_index_cleanup" if is_auto(option) => {}
                "vacuum_index_cleanup" => read.vacuum.index_cleanup = Some(switch(option)?),
                _ => without_effect(option)?,
            }
        }
        Ok(read)
    }

    /// The same of what a relation of that kind has.
    ///
    /// # Errors
    /// As `PostgreSQL` says it.
    pub fn of(kind: OptionsOf, options: &[DefElem]) -> Result<Self, SqlError> {
        match options.iter().find(|option| !kind.has(&option.name)) {
            Some(other) => Err(SqlError::new("22023", format!("unrecognized parameter \"{}\"", other.name))),
            None => Self::read(options),
        }
    }

    /// A table with these.
    pub fn table(self, schema: String, name: &str, columns: Vec<ColumnSpec>) -> TableSpec {
        TableSpec {
            schema,
            name: name.to_string(),
            columns,
            fillfactor: self.fillfactor,
            toast_tuple_target: self.toast_tuple_target,
            vacuum: self.vacuum,
            ..TableSpec::default()
        }
    }
}

/// One that decides nothing here, or has the value that it has anyhow; a TOAST table has some of its own, also about
/// VACUUM.
fn without_effect(option: &DefElem) -> Result<(), SqlError> {
    let name = option.name.strip_prefix("toast.").unwrap_or(&option.name);
    let value = option.value.as_deref().unwrap_or("true");
    match name {
        "autovacuum_enabled" | "user_catalog_table" | "autosummarize" => switch(option).map(|_| ()),
        // where autovacuum does not run, and what is written in parallel is not planned
        name if name.starts_with("autovacuum_") || name == "log_autovacuum_min_duration" => within_bounds(option, name),
        "parallel_workers" => number(option, 0, 1024).map(|_| ()),
        // read where a BRIN index is built
        "pages_per_range" => number(option, 1, 131_072).map(|_| ()),
        "vacuum_truncate" if switch(option)? => Ok(()),
        "vacuum_index_cleanup" if is_auto(option) || switch(option)? => Ok(()),
        "vacuum_truncate" | "vacuum_index_cleanup" => {
            let message = format!("{} = {value} is not supported; VACUUM has options of these names", option.name);
            Err(SqlError::new(NOT_SIMULATED, message))
        }
        _ => Err(SqlError::new("22023", format!("unrecognized parameter \"{}\"", option.name))),
    }
}

/// Parameters of autovacuum: the least, the most, and is it a whole number (src/backend/access/common/reloptions.c)?
const BOUNDS: &[(&str, f64, f64, bool)] = &[
    ("autovacuum_vacuum_threshold", 0.0, 2_147_483_647.0, true),
    ("autovacuum_vacuum_max_threshold", -1.0, 2_147_483_647.0, true),
    ("autovacuum_vacuum_insert_threshold", -1.0, 2_147_483_647.0, true),
    ("autovacuum_analyze_threshold", 0.0, 2_147_483_647.0, true),
    ("autovacuum_vacuum_cost_limit", 1.0, 10_000.0, true),
    ("autovacuum_freeze_min_age", 0.0, 1_000_000_000.0, true),
    ("autovacuum_multixact_freeze_min_age", 0.0, 1_000_000_000.0, true),
    ("autovacuum_freeze_max_age", 100_000.0, 2_000_000_000.0, true),
    ("autovacuum_multixact_freeze_max_age", 10_000.0, 2_000_000_000.0, true),
    ("autovacuum_freeze_table_age", 0.0, 2_000_000_000.0, true),
    ("autovacuum_multixact_freeze_table_age", 0.0, 2_000_000_000.0, true),
    ("log_autovacuum_min_duration", -1.0, 2_147_483_647.0, true),
    ("autovacuum_vacuum_scale_factor", 0.0, 100.0, false),
    ("autovacuum_vacuum_insert_scale_factor", 0.0, 100.0, false),
    ("autovacuum_analyze_scale_factor", 0.0, 100.0, false),
    ("autovacuum_vacuum_cost_delay", 0.0, 100.0, false),
];

/// `parse_one_reloption` of a number about autovacuum.
fn within_bounds(option: &DefElem, name: &str) -> Result<(), SqlError> {
    let text = option.value.as_deref().unwrap_or("true");
    let Some((_, least, most, is_whole)) = BOUNDS.iter().find(|(known, ..)| *known == name) else {
        return Err(SqlError::new("22023", format!("unrecognized parameter \"{}\"", option.name)));
    };
    let Ok(number) = text.parse::<f64>() else {
        let kind = if *is_whole { "integer" } else { "floating point" };
        return Err(SqlError::new("22023", format!("invalid value for {kind} option \"{name}\": {text}")));
    };
    if (*least..=*most).contains(&number) {
        return Ok(());
    }
    let error = SqlError::new("22023", format!("value {text} out of bounds for option \"{name}\""));
    let digits = if *is_whole { 0 } else { 6 };
    Err(error.with_detail(format!("Valid values are between \"{least:.digits$}\" and \"{most:.digits$}\".")))
}

/// `transformRelOptions`: what `pg_class.reloptions` says; what is given anew goes to the end.
pub(super) fn kept_options(db: &mut Database, relation: Oid, given: &[DefElem], reset: &[String]) {
    if given.is_empty() && reset.is_empty() {
        return;
    }
    let of_toast = |name: &str| name.starts_with("toast.");
    db.cluster.edit_class(relation, |class| {
        let is_gone = |name: &str| given.iter().any(|it| it.name == name) || reset.iter().any(|it| it == name);
        class.options.retain(|(name, _)| !is_gone(name));
        let own = given.iter().filter(|option| !of_toast(&option.name));
        let text = |option: &DefElem| option.value.clone().unwrap_or_else(|| String::from("true"));
        class.options.extend(own.map(|option| (option.name.clone(), text(option))));
    });
}

/// Is it the value under which VACUUM decides itself?
fn is_auto(option: &DefElem) -> bool {
    option.value.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("auto"))
}

/// `parse_one_reloption`, of a switch.
fn switch(option: &DefElem) -> Result<bool, SqlError> {
    let value = option.value.as_deref().unwrap_or("true");
    match value.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Ok(true),
        "off" | "false" | "no" | "0" => Ok(false),
        _ => {
            let message = format!("invalid value for boolean option \"{}\": {value}", option.name);
            Err(SqlError::new("22023", message))
        }
    }
}

/// Are these storage parameters, with values that they can have?
///
/// # Errors
/// As `PostgreSQL` says it.
pub fn check_storage_parameters(options: &[DefElem]) -> Result<(), SqlError> {
    RelOptions::read(options).map(|_| ())
}

fn number(option: &DefElem, least: u32, most: u32) -> Result<u32, SqlError> {
    let text = option.value.as_deref().unwrap_or("true");
    let name = &option.name;
    let invalid = || SqlError::new("22023", format!("invalid value for integer option \"{name}\": {text}"));
    let value: u32 = text.parse().map_err(|_| invalid())?;
    let outside = || {
        let error = SqlError::new("22023", format!("value {text} out of bounds for option \"{name}\""));
        error.with_detail(format!("Valid values are between \"{least}\" and \"{most}\"."))
    };
    Some(value).filter(|value| (least..=most).contains(value)).ok_or_else(outside)
}

/// DROP TABLE, DROP INDEX, DROP SEQUENCE.
pub(in crate::sql) fn drop(db: &mut Database, drop: &Drop) -> Result<String, SqlError> {
    if drop.concurrently {
        concurrent::before_drop(db, drop)?;
    }
    let (wanted, word) = (drop.kind.relkind(), drop.kind.word());
    let mut found = Vec::new();
    for name in &drop.names {
        match find(db, name, wanted, word) {
            // a name that stands twice
            Ok(oid) if found.contains(&oid) => {}
            Ok(oid) => found.push(oid),
            Err(error) if drop.if_exists && error.sqlstate != "42809" => {}
            Err(error) => return Err(error),
        }
    }
    match drop.kind {
        DropKind::Table => {
            inherit::drop_children(db, &found, drop.cascade)?;
            view::drop_dependents(db, &with_partitions(db, &found), drop.cascade)?;
            dependency::drop_references(db, &with_partitions(db, &found), drop.cascade)?;
        }
        DropKind::MaterializedView => view::drop_dependents(db, &found, drop.cascade)?,
        DropKind::Index => found.iter().try_for_each(|index| {
            if db.cluster.catalog.partition_parent(*index).is_some() {
                return Err(partition::refuse("dropping a partition's part of an index"));
            }
            dependency::check_drop_index(db, *index)
        })?,
        DropKind::Sequence => dependency::check_drop_sequences(db, &found, drop.cascade)?,
    }
    for oid in found {
        // it may have gone with a parent
        if db.cluster.catalog.class(oid).is_none() {
            continue;
        }
        with_partitions(db, &[oid]).into_iter().try_for_each(|oid| db.cluster.check_serializable_drop(oid))?;
        db.cluster.drop_relation(oid);
    }
    Ok(format!("DROP {}", word.to_uppercase()))
}

/// The tables with their partitions, or indexes with their parts.
pub(super) fn with_partitions(db: &Database, tables: &[Oid]) -> Vec<Oid> {
    tables.iter().flat_map(|table| db.cluster.catalog.inheritors(*table)).collect()
}

/// A table by its name.
pub(super) fn find_table(db: &Database, name: &RangeVar) -> Result<Oid, SqlError> {
    let relation = db.open(name)?;
    match relation.kind {
        RelKind::Table => Ok(relation.oid),
        RelKind::PartitionedTable => {
            let message = format!("this statement is not supported of the partitioned table {name}");
            Err(SqlError::new(NOT_SIMULATED, message))
        }
        _ => Err(SqlError::new("42809", format!("\"{}\" is not a table", name.name))),
    }
}

fn find(db: &Database, name: &RangeVar, wanted: RelKind, word: &str) -> Result<Oid, SqlError> {
    let article = match wanted {
        RelKind::Index => "an index",
        RelKind::Sequence => "a sequence",
        RelKind::MaterializedView => "a materialized view",
        _ => "a table",
    };
    let other = || SqlError::new("42809", format!("\"{}\" is not {article}", name.name));
    let is_view = db.cluster.find_view(name.schema.as_deref(), &name.name).is_some();
    let missing = || if is_view { other() } else { db.missing(name, word) };
    let oid = db.find(name).ok_or_else(missing)?;
    let is_it = db.cluster.catalog.class(oid).is_some_and(|class| partition::plain_kind(class.relkind()) == wanted);
    is_it.then_some(oid).ok_or_else(other)
}
