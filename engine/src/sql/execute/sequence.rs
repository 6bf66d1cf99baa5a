//! CREATE SEQUENCE (`DefineSequence`, `init_params`, src/backend/commands/sequence.c).

use super::Database;
use crate::cluster::catalog::SequenceForm;
use crate::datum::sql_type::Kind;
use crate::datum::{SqlError, SqlType};
use crate::sql::ast::CreateSequence;
use alloc::format;
use alloc::string::{String, ToString};

/// CREATE SEQUENCE.
pub(super) fn create_sequence(db: &mut Database, create: &CreateSequence) -> Result<String, SqlError> {
    let (tag, name) = ("CREATE SEQUENCE".to_string(), &create.name.name);
    if create.if_not_exists && db.cluster.catalog.find(name).is_some() {
        return Ok(tag);
    }
    let form = form(create)?;
    db.cluster.check_new_name(name)?;
    db.cluster.define_sequence(name, form, true);
    Ok(tag)
}

fn form(create: &CreateSequence) -> Result<SequenceForm, SqlError> {
    if create.redundant {
        return Err(SqlError::new("42601", "conflicting or redundant options"));
    }
    let invalid = |message: String| SqlError::new("22023", message);
    let bounds = bounds(create.type_name)
        .ok_or_else(|| invalid("sequence type must be smallint, integer, or bigint".to_string()))?;
    let increment = create.increment.unwrap_or(1);
    if increment == 0 {
        return Err(invalid("INCREMENT must not be zero".to_string()));
    }
    let (least, greatest) = if increment > 0 { (1, bounds.1) } else { (bounds.0, -1) };
    let (min, max) = (create.min.unwrap_or(least), create.max.unwrap_or(greatest));
    for (word, value) in [("MAXVALUE", max), ("MINVALUE", min)] {
        if !(bounds.0..=bounds.1).contains(&value) {
            let ty = create.type_name.name();
            return Err(invalid(format!("{word} ({value}) is out of range for sequence data type {ty}")));
        }
    }
    if min >= max {
        return Err(invalid(format!("MINVALUE ({min}) must be less than MAXVALUE ({max})")));
    }
    let start = create.start.unwrap_or(if increment > 0 { min } else { max });
    if start < min {
        return Err(invalid(format!("START value ({start}) cannot be less than MINVALUE ({min})")));
    }
    if start > max {
        return Err(invalid(format!("START value ({start}) cannot be greater than MAXVALUE ({max})")));
    }
    Ok(SequenceForm { start, increment, max, min, cycle: create.cycle })
}

/// The values of a type that a sequence can have.
fn bounds(ty: SqlType) -> Option<(i64, i64)> {
    match ty.kind() {
        Kind::Int2 => Some((i16::MIN as i64, i16::MAX as i64)),
        Kind::Int4 => Some((i32::MIN as i64, i32::MAX as i64)),
        Kind::Int8 => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}
