//! `pg_constraint` and `pg_get_constraintdef` (src/backend/utils/adt/ruleutils.c). The OID of a constraint is known to
//! nobody here; it stands for the constraint's definition, which `pg_get_constraintdef` tells.

use super::Rows;
use super::catalogs::{BOOL, CHAR, OID, PG_NODE_TREE, TEXT};
use super::expressions::NOT_TOLD;
use crate::cluster::Class;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::inherit::Inherited;
use crate::cluster::pg_class::{Constraint, ForeignAction, ForeignActions, Trigger};
use crate::sql::expr::INT2_ARRAY;
use crate::sql::ruleutils::PLAIN;
use crate::sql::tcop::Database;
use crate::storage::{Deferrable, IndexForm, RelationData};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Value, make_array};
use ffviz_format::page::{Oid, PgVersion};

const INT2: Oid = 21;
const INT4: Oid = 23;

pub(super) fn pg_constraint(major: u32) -> Vec<(&'static str, Oid)> {
    let mut columns = Vec::from([
        ("oid", PG_NODE_TREE),
        ("conname", TEXT),
        ("connamespace", OID),
        ("contype", CHAR),
        ("condeferrable", BOOL),
        ("condeferred", BOOL),
        ("convalidated", BOOL),
        ("conrelid", OID),
        ("conindid", OID),
        ("confrelid", OID),
        ("confupdtype", CHAR),
        ("confdeltype", CHAR),
        ("confmatchtype", CHAR),
        ("conislocal", BOOL),
        ("connoinherit", BOOL),
        ("coninhcount", if PgVersion::of_major(major).has_narrow_inheritance_counts() { INT2 } else { INT4 }),
        ("conkey", INT2_ARRAY),
        ("confkey", INT2_ARRAY),
    ]);
    let has_new = PgVersion::of_major(major).has_enforced_constraints();
    columns.extend(if has_new { &[("conenforced", BOOL), ("conperiod", BOOL)][..] } else { &[] });
    columns
}

/// What a row says beside the constraint's name and table.
struct Told {
    contype: u8,
    definition: Option<String>,
    validated: bool,
    index: Oid,
    foreign: Option<(Oid, ForeignActions)>,
    columns: Vec<u16>,
    /// of a foreign key: the columns that it refers to
    referenced: Vec<u16>,
    period: bool,
    deferrable: Deferrable,
}

/// The rows.
pub(super) fn rows(db: &Database) -> Rows {
    let mut rows = Rows::new();
    for class in db.cluster.catalog.classes() {
        let Some(table) = db.cluster.pg.relations.get(&class.oid) else { continue };
        let told = class.constraints.iter().filter_map(|constraint| Some((constraint, told(db, table, constraint)?)));
        rows.extend(told.map(|(constraint, told)| row(db, class, constraint, told)));
        rows.extend(class.triggers.iter().filter_map(|trigger| of_trigger(db, class, trigger)));
    }
    rows
}

/// That of a constraint trigger.
fn of_trigger(db: &Database, table: &Class, trigger: &Trigger) -> Option<Vec<Value>> {
    let definition = match trigger.constraint? {
        Deferrable::No => "TRIGGER",
        Deferrable::Immediate => "TRIGGER DEFERRABLE",
        Deferrable::Deferred => "TRIGGER DEFERRABLE INITIALLY DEFERRED",
    };
    let deferrable = trigger.constraint?;
    let mut row = Vec::from([
        Value::text(definition),
        Value::text(&trigger.name),
        Value::Oid(db.cluster.catalog.namespace(&table.schema)),
        Value::Char(b't'),
        Value::Bool(deferrable != Deferrable::No),
        Value::Bool(deferrable == Deferrable::Deferred),
        Value::Bool(true),
        Value::Oid(table.oid),
        Value::Oid(0),
        Value::Oid(0),
    ]);
    row.extend([b' '; 3].map(Value::Char));
    row.extend([true; 2].map(Value::Bool));
    let narrow = db.cluster.version().has_narrow_inheritance_counts();
    row.extend([if narrow { Value::Int2(0) } else { Value::Int4(0) }, Value::Null, Value::Null]);
    if db.cluster.version().has_enforced_constraints() {
        row.extend([true, false].map(Value::Bool));
    }
    Some(row)
}

fn row(db: &Database, class: &Class, constraint: &Constraint, told: Told) -> Vec<Value> {
    let (table, actions) = told.foreign.unwrap_or_default();
    let of_foreign = |letter: u8| Value::Char(if told.foreign.is_some() { letter } else { b' ' });
    // children have no indexes and foreign keys of it
    let no_inherit = match constraint {
        Constraint::Check { no_inherit, .. } => *no_inherit,
        Constraint::Index(_) | Constraint::Foreign { .. } => class.partitioning.key.is_none(),
        Constraint::NotNull { .. } => false,
    };
    let numbers = |columns: &[u16]| match columns.iter().map(|it| Value::Int2(*it as i16)).collect::<Vec<_>>() {
        columns if columns.is_empty() => Value::Null,
        columns => make_array(INT2, &columns),
    };
    let name = db.cluster.catalog.constraint_name(constraint);
    let inherited = match class.partitioning.parent {
        Some(_) => Inherited::OF_PARTITION,
        None => class.inheritance.constraint(name),
    };
    let mut row = Vec::from([
        Value::text(&told.definition.unwrap_or_else(|| NOT_TOLD.to_string())),
        Value::text(name),
        Value::Oid(db.cluster.catalog.namespace(&class.schema)),
        Value::Char(told.contype),
        Value::Bool(told.deferrable != Deferrable::No),
        Value::Bool(told.deferrable == Deferrable::Deferred),
        Value::Bool(told.validated),
        Value::Oid(class.oid),
        Value::Oid(told.index),
        Value::Oid(table),
        of_foreign(letter(actions.update)),
        of_foreign(letter(actions.delete)),
        of_foreign(if actions.full { b'f' } else { b's' }),
        Value::Bool(inherited.local),
        Value::Bool(no_inherit),
        match db.cluster.version().has_narrow_inheritance_counts() {
            true => Value::Int2(inherited.count as i16),
            false => Value::Int4(inherited.count.into()),
        },
        numbers(&told.columns),
        numbers(&told.referenced),
    ]);
    if db.cluster.version().has_enforced_constraints() {
        let enforced = !matches!(
            constraint,
            Constraint::Foreign { enforced: false, .. } | Constraint::Check { enforced: false, .. }
        );
        row.extend([Value::Bool(enforced), Value::Bool(told.period)]);
    }
    row
}

pub(super) const fn letter(action: ForeignAction) -> u8 {
    match action {
        ForeignAction::NoAction => b'a',
        ForeignAction::Restrict => b'r',
        ForeignAction::Cascade => b'c',
        ForeignAction::SetNull => b'n',
        ForeignAction::SetDefault => b'd',
    }
}

const fn action(action: ForeignAction) -> Option<&'static str> {
    match action {
        ForeignAction::NoAction => None,
        ForeignAction::Restrict => Some("RESTRICT"),
        ForeignAction::Cascade => Some("CASCADE"),
        ForeignAction::SetNull => Some("SET NULL"),
        ForeignAction::SetDefault => Some("SET DEFAULT"),
    }
}

fn told(db: &Database, table: &RelationData, constraint: &Constraint) -> Option<Told> {
    Some(match constraint {
        Constraint::Index(oid) => {
            let form = db.cluster.pg.relations.get(oid)?.index.as_ref()?;
            let keys = form.columns.iter().take(form.n_keys.into()).map(|key| key.attnum).collect();
            let is_exclusion = form.gist.as_ref().is_some_and(|gist| !gist.without_overlaps);
            let contype = match (form.primary, is_exclusion) {
                (true, _) => b'p',
                (_, true) => b'x',
                _ => b'u',
            };
            let definition = if is_exclusion { of_exclusion(db, table, *oid) } else { of_index(table, form) };
            let definition = definition.map(|text| text + deferrable(form.deferrable));
            let period = form.gist.as_ref().is_some_and(|gist| gist.without_overlaps);
            Told {
                contype,
                definition,
                validated: true,
                index: *oid,
                foreign: None,
                columns: keys,
                referenced: Vec::new(),
                period,
                deferrable: form.deferrable,
            }
        }
        Constraint::Check { columns, expr, validated, enforced, no_inherit, .. } => {
            let no_inherit = if *no_inherit { " NO INHERIT" } else { "" };
            let state = state(*validated, *enforced);
            let text = db.told_condition(table, *expr, PLAIN).map(|text| format!("CHECK ({text}){no_inherit}{state}"));
            let columns = columns.clone();
            Told {
                contype: b'c',
                definition: text,
                validated: *validated,
                index: 0,
                foreign: None,
                columns,
                referenced: Vec::new(),
                period: false,
                deferrable: Deferrable::No,
            }
        }
        Constraint::NotNull { column, validated, .. } => {
            let column = *column;
            let text = names(table, core::iter::once(column));
            Told {
                contype: b'n',
                definition: text.map(|text| format!("NOT NULL {text}{}", not_valid(*validated))),
                validated: *validated,
                index: 0,
                foreign: None,
                columns: Vec::from([column]),
                referenced: Vec::new(),
                period: false,
                deferrable: Deferrable::No,
            }
        }
        Constraint::Foreign { .. } => told_foreign(db, table, constraint)?,
    })
}

/// The same of a foreign key.
fn told_foreign(db: &Database, table: &RelationData, constraint: &Constraint) -> Option<Told> {
    let Constraint::Foreign { columns, table: to, columns_to, index, actions, deleted, .. } = constraint else {
        return None;
    };
    let Constraint::Foreign { validated, enforced, deferrable, .. } = constraint else { return None };
    let text = of_foreign(db, table, (columns, deleted), (*to, columns_to), *actions);
    Some(Told {
        contype: b'f',
        definition: text.map(|text| text + self::deferrable(*deferrable) + state(*validated, *enforced)),
        validated: *validated,
        index: *index,
        foreign: Some((*to, *actions)),
        columns: columns.clone(),
        referenced: columns_to.clone(),
        period: false,
        deferrable: *deferrable,
    })
}

const fn deferrable(deferrable: Deferrable) -> &'static str {
    match deferrable {
        Deferrable::No => "",
        Deferrable::Immediate => " DEFERRABLE",
        Deferrable::Deferred => " DEFERRABLE INITIALLY DEFERRED",
    }
}

pub(super) const fn state(validated: bool, enforced: bool) -> &'static str {
    if enforced { not_valid(validated) } else { " NOT ENFORCED" }
}

const fn not_valid(validated: bool) -> &'static str {
    if validated { "" } else { " NOT VALID" }
}

fn names(table: &RelationData, columns: impl Iterator<Item = u16>) -> Option<String> {
    let name = |number: u16| {
        let attribute = table.desc.attributes().get(usize::from(number.checked_sub(1)?))?;
        Some(quote_identifier(&attribute.name))
    };
    Some(columns.map(name).collect::<Option<Vec<String>>>()?.join(", "))
}

fn of_index(table: &RelationData, form: &IndexForm) -> Option<String> {
    let (keys, included) = form.columns.split_at(usize::from(form.n_keys).min(form.columns.len()));
    let word = if form.primary { "PRIMARY KEY" } else { "UNIQUE" };
    let nulls = if form.nulls_not_distinct { " NULLS NOT DISTINCT" } else { "" };
    let overlaps = if form.gist.is_some() { " WITHOUT OVERLAPS" } else { "" };
    let mut text = format!("{word}{nulls} ({}{overlaps})", names(table, keys.iter().map(|key| key.attnum))?);
    if !included.is_empty() {
        text += &format!(" INCLUDE ({})", names(table, included.iter().map(|key| key.attnum))?);
    }
    Some(text)
}

/// `pg_get_indexdef_worker`, of an exclusion constraint.
fn of_exclusion(db: &Database, table: &RelationData, index: Oid) -> Option<String> {
    let relation = db.cluster.pg.relations.get(&index)?;
    let form = relation.index.as_ref()?;
    let keys = db.told_columns(table, relation, form, PLAIN)?;
    let operators = &form.gist.as_ref()?.operators;
    let each = keys.iter().zip(operators).map(|(key, op)| format!("{key} WITH {}", op.symbol()));
    let mut text = format!("EXCLUDE USING gist ({})", each.collect::<Vec<_>>().join(", "));
    if let Some(predicate) = db.told_predicate(table, index, PLAIN) {
        text += &format!(" WHERE ({})", predicate?);
    }
    Some(text)
}

fn of_foreign(
    db: &Database,
    table: &RelationData,
    (columns, deleted): (&[u16], &[u16]),
    (to, columns_to): (Oid, &[u16]),
    actions: ForeignActions,
) -> Option<String> {
    let other = db.cluster.pg.relations.get(&to)?;
    let named = |table: &RelationData, columns: &[u16]| names(table, columns.iter().copied());
    let (own, others) = (named(table, columns)?, named(other, columns_to)?);
    let mut text = format!("FOREIGN KEY ({own}) REFERENCES {}({others})", db.regclass_out(to));
    text += if actions.full { " MATCH FULL" } else { "" };
    for (when, what) in [("UPDATE", actions.update), ("DELETE", actions.delete)] {
        text += &action(what).map_or_else(String::new, |what| format!(" ON {when} {what}"));
    }
    if !deleted.is_empty() {
        text += &format!(" ({})", named(table, deleted)?);
    }
    Some(text)
}
