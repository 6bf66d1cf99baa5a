//! Syntax that a version does not know yet: there it is no SQL.

use crate::sql::ast::{
    AlterAction, ColumnDef, ColumnDefault, CommonTable, Constraint, ConstraintKind, DetachHow, EnumStatement, ExprNode,
    IndexConstraint, InsertSource, Literal, MergeMatch, Object, RoleStatement, Statement, StatisticsStatement,
};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::parse::{JSON_ITEM, is_later_number, lex};
use crate::sql::plan::reads_renamed;
use crate::version::{Behaviour, SqlBehaviour};
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::SqlError;
use ffviz_format::page::PgVersion;

/// The error of a version for which a statement is too new, at the word where its parser stops.
pub(super) fn newer_syntax(statement: &Statement, sql: &str, version: PgVersion) -> Option<SqlError> {
    if let Some(error) = newer_number(sql, version) {
        return Some(error);
    }
    let error = newer(statement, version)?;
    let word = error.message.split('"').nth(1).filter(|_| error.message.starts_with("syntax error at or near"));
    let Some(word) = word else { return Some(error) };
    // the word stands in the message as it does in the text
    let written = sql.split(|c: char| !c.is_alphanumeric() && c != '_').find(|it| it.eq_ignore_ascii_case(word));
    let written = written.unwrap_or(word);
    Some(SqlError::new(error.sqlstate, format!("syntax error at or near \"{written}\"")))
}

/// Numbers as they are written from 16 on.
fn newer_number(sql: &str, version: PgVersion) -> Option<SqlError> {
    if version.has_later_numbers() || !sql.contains(['_', 'x', 'X', 'o', 'O', 'b', 'B']) {
        return None;
    }
    let lexemes = lex(sql).ok()?;
    let number = &lexemes.iter().find(|lexeme| is_later_number(lexeme))?.text;
    Some(match version.refuses_junk_after_numbers() {
        true => SqlError::new("42601", format!("trailing junk after numeric literal at or near \"{number}\"")),
        false => SqlError::new(NOT_SIMULATED, format!("{number} before 15, a number and a name, is not supported")),
    })
}

fn newer(statement: &Statement, version: PgVersion) -> Option<SqlError> {
    if let Some(word) = newer_merge(statement, version) {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    if let Some(word) = marks_rows(statement).filter(|_| !version.marks_rows_found()) {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    if !version.has_json_queries()
        && let Some(word) = json_clause(statement)
    {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    if let Statement::Object(object) = statement
        && let Some(word) = newer_object(object, version)
    {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    if merges_within(statement) && !version.returns_from_merge() {
        return Some(SqlError::new("0A000", "MERGE not supported in WITH query"));
    }
    if renames_images(statement) && !version.returns_images() {
        return Some(SqlError::new("42601", "syntax error at or near \"with\""));
    }
    if let Statement::Vacuum(vacuum) = statement
        && vacuum.process_toast.is_some()
        && !version.can_leave_toast_out()
    {
        return Some(SqlError::new("42601", "unrecognized VACUUM option \"process_toast\""));
    }
    if let Some(option) = newer_option(statement, version) {
        return Some(SqlError::new("42601", option));
    }
    if let Some(word) = virtual_column(statement).filter(|_| !version.has_virtual_columns()) {
        let place = if word.is_empty() { String::from("end of input") } else { format!("or near \"{word}\"") };
        return Some(SqlError::new("42601", format!("syntax error at {place}")));
    }
    if let Some(word) = detaches_newly(statement).filter(|_| !version.detaches_concurrently()) {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    if let Some(word) = column_storage(statement, version) {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    if sets_expression(statement) && !version.sets_expressions() {
        return Some(SqlError::new("42601", "syntax error at or near \"expression\""));
    }
    if has_key(statement, |key| key.without_overlaps) && !version.has_temporal_keys() {
        return Some(SqlError::new("42601", "syntax error at or near \"without\""));
    }
    if has_not_null_constraint(statement) && !version.catalogs_not_null() {
        return Some(SqlError::new("42601", "syntax error at or near \"not\""));
    }
    let is_enforced = has_constraint(statement, |it| it.enforced.is_some()) || alters_enforced(statement);
    if is_enforced && !version.has_enforced_constraints() {
        return Some(SqlError::new("42601", "syntax error at or near \"enforced\""));
    }
    let sets_some =
        |it: &Constraint| matches!(&it.kind, ConstraintKind::Foreign { deleted, .. } if !deleted.is_empty());
    if has_constraint(statement, sets_some) && !version.sets_some_columns() {
        return Some(SqlError::new("42601", "syntax error at or near \"(\""));
    }
    if let Some(word) = nameless_statistics(statement).filter(|_| !version.names_statistics()) {
        return Some(SqlError::new("42601", format!("syntax error at or near \"{word}\"")));
    }
    let is_newer = has_nulls_not_distinct(statement) && !version.has_nulls_not_distinct();
    is_newer.then(|| SqlError::new("42601", "syntax error at or near \"nulls\""))
}

/// What is said of roles, types, functions and triggers: the word that an older version stops at.
fn newer_object(object: &Object, version: PgVersion) -> Option<&str> {
    match object {
        Object::Role(RoleStatement::Grant(grant)) => grant.newer.filter(|_| !version.has_options_of_members()),
        Object::Enum(EnumStatement::DropValue(_)) => (!version.names_dropping_values()).then_some("value"),
        Object::CreateFunction(create) => create.standard.filter(|_| !version.has_standard_bodies()),
        Object::CreateTrigger(create) => (create.replace && !version.replaces_triggers()).then_some("trigger"),
        _ => None,
    }
}

/// MERGE came with 15, NOT MATCHED BY and RETURNING with 17: the word that an older version stops at.
fn newer_merge(statement: &Statement, version: PgVersion) -> Option<&'static str> {
    let own = match statement {
        Statement::Merge(_) if !version.has_merge() => Some("merge"),
        Statement::Merge(merge) if !version.has_whole_merge() => {
            let by_source = merge.whens.iter().any(|when| when.kind == MergeMatch::BySource);
            let returns = (!merge.returning.is_empty()).then_some("returning");
            if by_source { Some("by") } else { returns }
        }
        Statement::Explain(inner, _) => newer_merge(inner, version),
        Statement::With(with) => newer_merge(&with.statement, version),
        _ => None,
    };
    let within = || common_tables(statement).iter().find_map(|common| newer_merge(&common.statement, version));
    within().or(own)
}

/// CREATE STATISTICS without a name came with 16: what stands in its place.
fn nameless_statistics(statement: &Statement) -> Option<&'static str> {
    let Statement::Object(Object::Statistics(StatisticsStatement::Create { name: None, kinds, .. })) = statement else {
        return None;
    };
    Some(if kinds.is_empty() { "on" } else { "(" })
}

/// The queries of a statement's WITH.
fn common_tables(statement: &Statement) -> &[CommonTable] {
    match statement {
        Statement::With(with) => &with.with,
        Statement::Select(select) => &select.with,
        Statement::Insert(insert) => match &insert.source {
            InsertSource::Select(select) => &select.with,
            _ => &[],
        },
        _ => &[],
    }
}

/// MERGE within WITH came with 17, like its RETURNING.
fn merges_within(statement: &Statement) -> bool {
    match statement {
        Statement::Explain(inner, _) => merges_within(inner),
        _ => common_tables(statement).iter().any(|common| matches!(*common.statement, Statement::Merge(_))),
    }
}

/// What the functions of SQL/JSON are asked with came with 17: the word that an older version stops at.
fn json_clause(statement: &Statement) -> Option<String> {
    let mut select = match statement {
        Statement::Explain(inner, _) => return json_clause(inner),
        Statement::Select(select) => select.clone(),
        _ => return None,
    };
    let mut found = None;
    select.visit_mut(&mut |expr| {
        if let ExprNode::Function { name, args, .. } = &expr.node
            && name.starts_with(JSON_ITEM)
            && let Some(ExprNode::Literal(Literal::String(spec))) = args.get(3).map(|arg| &arg.node)
        {
            let word = spec.split(' ').nth(3).filter(|word| *word != ")");
            found = found.take().or_else(|| word.map(String::from));
        }
    });
    found
}

/// SEARCH and CYCLE came with 14.
fn marks_rows(statement: &Statement) -> Option<&'static str> {
    if let Statement::Explain(inner, _) = statement {
        return marks_rows(inner);
    }
    let marks = common_tables(statement).iter().find_map(|common| common.marks.as_ref())?;
    Some(if marks.search.is_some() { "search" } else { "cycle" })
}

/// Options that came with a later version.
fn newer_option(statement: &Statement, version: PgVersion) -> Option<String> {
    match statement {
        Statement::Vacuum(vacuum) if !version.vacuums_toast_alone() => {
            vacuum.newer.map(|name| format!("unrecognized VACUUM option \"{name}\""))
        }
        Statement::Explain(_, options) if !version.explains_memory() => {
            options.newer.map(|name| format!("unrecognized EXPLAIN option \"{name}\""))
        }
        Statement::Reindex(reindex) if reindex.by_option && !version.has_reindex_options() => {
            Some(String::from("syntax error at or near \"concurrently\""))
        }
        _ => None,
    }
}

/// RETURNING WITH came with 18.
fn renames_images(statement: &Statement) -> bool {
    let returning = match statement {
        Statement::Insert(insert) => &insert.returning,
        Statement::Update(update) => &update.returning,
        Statement::Delete(delete) => &delete.returning,
        Statement::Merge(merge) => &merge.returning,
        Statement::With(with) => return renames_images(&with.statement),
        _ => return false,
    };
    returning.iter().any(reads_renamed)
}

/// Generated columns that are not STORED came with 18: the word that an older version stops at.
fn virtual_column(statement: &Statement) -> Option<&str> {
    fn word(column: &ColumnDef) -> Option<&str> {
        match &column.default {
            ColumnDefault::Virtual(_, word) => Some(word.as_str()),
            _ => None,
        }
    }
    match statement {
        Statement::CreateTable(create) => create.columns.iter().find_map(word),
        Statement::AlterTable(alter) => alter.actions.iter().find_map(|action| match action {
            AlterAction::AddColumn { column, .. } => word(column),
            _ => None,
        }),
        _ => None,
    }
}

/// COMPRESSION came with 14, STORAGE of a column that is made with 16: the word that an older version stops at.
fn column_storage(statement: &Statement, version: PgVersion) -> Option<&'static str> {
    let of_column = |column: &ColumnDef| {
        let storage = column.storage.is_some() && !version.has_storage_of_new_columns();
        let compression = column.compression.is_some() && !version.has_column_compression();
        if storage { Some("storage") } else { compression.then_some("compression") }
    };
    match statement {
        Statement::CreateTable(create) => create.columns.iter().find_map(of_column),
        Statement::AlterTable(alter) => alter.actions.iter().find_map(|action| match action {
            AlterAction::AddColumn { column, .. } => of_column(column),
            AlterAction::SetCompression { .. } if !version.has_column_compression() => Some("compression"),
            AlterAction::SetStorage { storage, .. }
                if storage == "default" && !version.has_storage_of_new_columns() =>
            {
                Some("default")
            }
            _ => None,
        }),
        _ => None,
    }
}

/// ALTER CONSTRAINT … ENFORCED came with 18.
fn alters_enforced(statement: &Statement) -> bool {
    let Statement::AlterTable(alter) = statement else { return false };
    alter.actions.iter().any(|it| matches!(it, AlterAction::AlterConstraint(_, to) if to.enforced.is_some()))
}

/// DETACH PARTITION in two transactions came with 14.
fn detaches_newly(statement: &Statement) -> Option<&'static str> {
    let Statement::AlterTable(alter) = statement else { return None };
    alter.actions.iter().find_map(|action| match action {
        AlterAction::DetachPartition(_, DetachHow::Concurrently) => Some("concurrently"),
        AlterAction::DetachPartition(_, DetachHow::Finalize) => Some("finalize"),
        _ => None,
    })
}

/// ALTER COLUMN … SET EXPRESSION came with 17.
fn sets_expression(statement: &Statement) -> bool {
    let Statement::AlterTable(alter) = statement else { return false };
    alter.actions.iter().any(|action| matches!(action, AlterAction::SetExpression { .. }))
}

/// NOT NULL as a constraint of a table came with 18.
fn has_not_null_constraint(statement: &Statement) -> bool {
    let is_it = |constraint: &Constraint| constraint.kind == ConstraintKind::NotNull;
    match statement {
        Statement::CreateTable(create) => create.constraints.iter().any(is_it),
        Statement::AlterTable(alter) => {
            alter.actions.iter().any(|action| matches!(action, AlterAction::AddConstraint(it) if is_it(it)))
        }
        _ => false,
    }
}

/// NULLS NOT DISTINCT came with 15.
fn has_nulls_not_distinct(statement: &Statement) -> bool {
    let is_index = matches!(statement, Statement::CreateIndex(create) if create.nulls_not_distinct);
    is_index || has_key(statement, |key| key.nulls_not_distinct)
}

/// Has a key that the statement makes such a word?
fn has_key(statement: &Statement, is_it: impl Fn(&IndexConstraint) -> bool) -> bool {
    has_constraint(statement, |constraint| matches!(&constraint.kind, ConstraintKind::Index(it) if is_it(it)))
}

/// Has a constraint that the statement makes such a word?
fn has_constraint(statement: &Statement, asks: impl Fn(&Constraint) -> bool) -> bool {
    match statement {
        Statement::CreateTable(create) => create.constraints.iter().any(asks),
        Statement::AlterTable(alter) => alter.actions.iter().any(|action| match action {
            AlterAction::AddConstraint(constraint) => asks(constraint),
            AlterAction::AddColumn { constraints, .. } => constraints.iter().any(&asks),
            _ => false,
        }),
        _ => false,
    }
}
