//! Storage parameters that a run gives to tables and indexes which have none of their own: to see the same script with
//! another `fillfactor`.

use crate::sql::ast::{ConstraintKind, DefElem, Statement};
use alloc::string::String;
use alloc::vec::Vec;

/// Parameters of tables.
const OF_TABLES: [&str; 2] = ["fillfactor", "toast_tuple_target"];

/// Parameters of B-tree indexes. Their fillfactor is another one than that of tables, and stays.
const OF_INDEXES: [&str; 1] = ["deduplicate_items"];

/// Is it a storage parameter that a run can give?
#[must_use]
pub fn is_storage_parameter(name: &str) -> bool {
    OF_TABLES.contains(&name) || OF_INDEXES.contains(&name)
}

/// As they stand in WITH (…).
pub(super) fn as_options(parameters: &[(String, String)]) -> Vec<DefElem> {
    parameters.iter().map(|(name, value)| DefElem { name: name.clone(), value: Some(value.clone()) }).collect()
}

/// Adds parameters to a statement that makes a table or an index.
pub(super) fn give(parameters: &[(String, String)], tree: &mut Statement) {
    if parameters.is_empty() {
        return;
    }
    match tree {
        Statement::CreateTable(create) => {
            add(parameters, &OF_TABLES, &mut create.options);
            for constraint in &mut create.constraints {
                if let ConstraintKind::Index(index) = &mut constraint.kind {
                    add(parameters, &OF_INDEXES, &mut index.options);
                }
            }
        }
        Statement::CreateTableAs(create) => add(parameters, &OF_TABLES, &mut create.options),
        Statement::CreateIndex(create) => add(parameters, &OF_INDEXES, &mut create.options),
        _ => {}
    }
}

fn add(parameters: &[(String, String)], wanted: &[&str], options: &mut Vec<DefElem>) {
    for given in as_options(parameters) {
        if wanted.contains(&given.name.as_str()) && !options.iter().any(|option| option.name == given.name) {
            options.push(given);
        }
    }
}
