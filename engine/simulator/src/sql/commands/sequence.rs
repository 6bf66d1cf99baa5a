//! CREATE SEQUENCE and ALTER SEQUENCE (`DefineSequence`, `AlterSequence`, `init_params`, `process_owned_by`,
//! src/backend/commands/sequence.c).

use super::alter::find_column;
use crate::cluster::pg_class::{ColumnDefault, SequenceForm};
use crate::cluster::sequence::SequenceData;
use crate::sql::ast::{AlterSequence, CreateSequence, OwnedBy, SequenceOptions};
use crate::sql::tcop::Database;
use crate::storage::Persistence;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlError, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// CREATE SEQUENCE.
pub(in crate::sql) fn create_sequence(db: &mut Database, create: &CreateSequence) -> Result<String, SqlError> {
    let (tag, name) = ("CREATE SEQUENCE".to_string(), &create.name.name);
    let (schema, is_there) = db.creation(&create.name)?;
    if create.if_not_exists && is_there {
        return Ok(tag);
    }
    let new = Params::new(&create.options, None)?;
    db.cluster.check_new_name(&schema, name)?;
    let sequence = db.cluster.define_sequence(&schema, name, new.form, new.row, Persistence::Permanent);
    own(db, sequence, create.options.owned_by.as_ref())?;
    Ok(tag)
}

/// ALTER SEQUENCE.
pub(in crate::sql) fn alter_sequence(db: &mut Database, alter: &AlterSequence) -> Result<String, SqlError> {
    let (tag, options) = ("ALTER SEQUENCE".to_string(), &alter.options);
    if alter.if_exists && db.find(&alter.name).is_none() {
        return Ok(tag);
    }
    let sequence = db.sequence(db.open(&alter.name)?.oid)?;
    alter_options(db, sequence, options)?;
    Ok(tag)
}

/// What is to be other of a sequence.
pub(super) fn alter_options(db: &mut Database, sequence: Oid, options: &SequenceOptions) -> Result<(), SqlError> {
    let new = Params::new(options, Some(db.cluster.read_sequence(sequence)?))?;
    let is_owner_only =
        *options == SequenceOptions { owned_by: options.owned_by.clone(), ..SequenceOptions::default() };
    if !is_owner_only {
        db.cluster.rewrite_sequence(sequence, new.row)?;
    }
    if let Some(memory) = db.session().sequences.get_mut(&sequence) {
        memory.forget_cached();
    }
    own(db, sequence, options.owned_by.as_ref())?;
    db.cluster.update_sequence(sequence, new.form);
    Ok(())
}

/// `process_owned_by`
fn own(db: &mut Database, sequence: Oid, owner: Option<&OwnedBy>) -> Result<(), SqlError> {
    let Some(owner) = owner else { return Ok(()) };
    let column = match owner {
        OwnedBy::None => None,
        OwnedBy::Column(table, column) => {
            let relation = db.open(table)?;
            if relation.kind != RelKind::Table {
                return Err(cannot_own(db, relation.kind, &table.name));
            }
            Some((relation.oid, find_column(db, relation.oid, column)? as u16 + 1))
        }
    };
    let is_identity =
        |default: &ColumnDefault| matches!(default, ColumnDefault::Identity { sequence: of, .. } if *of == sequence);
    if let Some(table) = db.cluster.catalog.classes().find(|class| class.defaults.iter().any(is_identity)) {
        let name = db.cluster.catalog.class(sequence).map_or("", |class| class.name.as_str());
        let detail = format!("Sequence \"{name}\" is linked to table \"{}\".", table.name);
        return Err(SqlError::new("0A000", "cannot change ownership of identity sequence").with_detail(detail));
    }
    db.cluster.own_sequence(sequence, column);
    Ok(())
}

fn cannot_own(db: &Database, kind: RelKind, name: &str) -> SqlError {
    let kinds = if kind == RelKind::Index { "indexes" } else { "sequences" };
    if !db.cluster.version().details_kinds() {
        return SqlError::new("42809", format!("referenced relation \"{name}\" is not a table or foreign table"));
    }
    let detail = format!("This operation is not supported for {kinds}.");
    SqlError::new("42809", format!("sequence cannot be owned by relation \"{name}\"")).with_detail(detail)
}

/// A new sequence before its options are looked at.
const NEW: SequenceForm =
    SequenceForm { start: 1, increment: 1, max: 1, min: 1, cache: 1, cycle: false, typid: SqlType::INT8.oid };

/// The sequence of an identity column of that type (`generateSerialExtraStmts`).
pub(super) fn of_identity(options: &SequenceOptions, ty: SqlType) -> Result<(SequenceForm, SequenceData), SqlError> {
    if bounds(ty.oid).is_none() {
        return Err(invalid("identity column type must be smallint, integer, or bigint".to_string()));
    }
    let options = SequenceOptions { type_name: options.type_name.or(Some(ty)), name: None, ..options.clone() };
    let Params { form, row } = Params::new(&options, None)?;
    Ok((form, row))
}

/// What a sequence is to be.
struct Params {
    form: SequenceForm,
    row: SequenceData,
}

fn invalid(message: String) -> SqlError {
    SqlError::new("22023", message)
}

impl Params {
    /// `init_params`; `old`: what it is now.
    fn new(options: &SequenceOptions, old: Option<(SequenceForm, SequenceData)>) -> Result<Self, SqlError> {
        if options.name.is_some() {
            return Err(SqlError::new("42601", "invalid sequence option SEQUENCE NAME"));
        }
        if options.redundant {
            return Err(SqlError::new("42601", "conflicting or redundant options"));
        }
        let is_new = old.is_none();
        let (form, row) = old.unwrap_or((NEW, SequenceData::first(1)));
        let mut params = Self { form, row };
        let moved = params.set_type(options.type_name)?;
        params.form.increment = options.increment.unwrap_or(params.form.increment);
        if params.form.increment == 0 {
            return Err(invalid("INCREMENT must not be zero".to_string()));
        }
        params.form.cycle = options.cycle.unwrap_or(params.form.cycle);
        params.set_bounds(options, is_new, moved)?;
        params.set_start(options, is_new)?;
        params.set_restart(options, is_new)?;
        params.form.cache = options.cache.unwrap_or(params.form.cache);
        if params.form.cache <= 0 {
            return Err(invalid(format!("CACHE ({}) must be greater than zero", params.form.cache)));
        }
        let is_bounded = options.max.is_some() || options.min.is_some() || moved != [false; 2];
        if options.increment.is_some() || options.cycle.is_some() || options.cache.is_some() || is_bounded {
            params.row.log_cnt = 0;
        }
        Ok(params)
    }

    /// AS. Which bounds, the greatest and the least value, go along with the type, as they were that of the old one?
    fn set_type(&mut self, to: Option<SqlType>) -> Result<[bool; 2], SqlError> {
        let Some(to) = to else { return Ok([false; 2]) };
        if bounds(to.oid).is_none() {
            return Err(invalid("sequence type must be smallint, integer, or bigint".to_string()));
        }
        let old = bounds(self.form.typid);
        self.form.typid = to.oid;
        Ok([old.map(|(_, max)| max) == Some(self.form.max), old.map(|(min, _)| min) == Some(self.form.min)])
    }

    /// MAXVALUE and MINVALUE.
    fn set_bounds(&mut self, options: &SequenceOptions, is_new: bool, moved: [bool; 2]) -> Result<(), SqlError> {
        let Some((least, greatest)) = bounds(self.form.typid) else { return Ok(()) };
        let ascends = self.form.increment > 0;
        let [max_moved, min_moved] = moved.map(|moved| moved && !is_new);
        match options.max {
            Some(Some(max)) => self.form.max = max,
            None if !is_new && !max_moved => {}
            _ => self.form.max = if ascends || max_moved { greatest } else { -1 },
        }
        self.check_range("MAXVALUE", self.form.max, least, greatest)?;
        match options.min {
            Some(Some(min)) => self.form.min = min,
            None if !is_new && !min_moved => {}
            _ => self.form.min = if !ascends || min_moved { least } else { 1 },
        }
        self.check_range("MINVALUE", self.form.min, least, greatest)?;
        let SequenceForm { min, max, .. } = self.form;
        if min >= max {
            return Err(invalid(format!("MINVALUE ({min}) must be less than MAXVALUE ({max})")));
        }
        Ok(())
    }

    fn check_range(&self, word: &str, value: i64, least: i64, greatest: i64) -> Result<(), SqlError> {
        if (least..=greatest).contains(&value) {
            return Ok(());
        }
        let ty = SqlType::plain(self.form.typid).name();
        Err(invalid(format!("{word} ({value}) is out of range for sequence data type {ty}")))
    }

    /// START.
    fn set_start(&mut self, options: &SequenceOptions, is_new: bool) -> Result<(), SqlError> {
        let SequenceForm { min, max, increment, .. } = self.form;
        let first = if increment > 0 { min } else { max };
        self.form.start = options.start.unwrap_or(if is_new { first } else { self.form.start });
        self.check_within("START", self.form.start)
    }

    /// RESTART; what was given out last must lie within new bounds.
    fn set_restart(&mut self, options: &SequenceOptions, is_new: bool) -> Result<(), SqlError> {
        if let Some(restart) = options.restart.or(is_new.then_some(None)) {
            self.row = SequenceData::first(restart.unwrap_or(self.form.start));
        }
        self.check_within("RESTART", self.row.last_value)
    }

    fn check_within(&self, word: &str, value: i64) -> Result<(), SqlError> {
        let SequenceForm { min, max, .. } = self.form;
        if value < min {
            return Err(invalid(format!("{word} value ({value}) cannot be less than MINVALUE ({min})")));
        }
        if value > max {
            return Err(invalid(format!("{word} value ({value}) cannot be greater than MAXVALUE ({max})")));
        }
        Ok(())
    }
}

/// The values of a type that a sequence can have.
fn bounds(typid: Oid) -> Option<(i64, i64)> {
    match Kind::of(typid) {
        Kind::Int2 => Some((i16::MIN as i64, i16::MAX as i64)),
        Kind::Int4 => Some((i32::MIN as i64, i32::MAX as i64)),
        Kind::Int8 => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}
