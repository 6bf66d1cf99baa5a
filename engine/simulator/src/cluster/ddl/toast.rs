//! When a table gets a TOAST table, and what that is made of (`heapam_relation_needs_toast_table`,
//! `create_toast_table`).

use super::index::{IndexSpec, KeySpec};
use crate::cluster::pg_class::ColumnDefault;
use crate::cluster::{Class, Cluster};
use crate::storage::TableAm;
use crate::version::Behaviour;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::datum::bits::{BIT, VARBIT};
use ffviz_format::datum::{Attribute, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// `TOAST_TUPLE_THRESHOLD`: tables whose rows can be longer need it
const TOAST_TUPLE_THRESHOLD: usize = 2032;
/// `VARHDRSZ`
const VARHDRSZ: i32 = ffviz_format::datum::varlena::VARHDRSZ as i32;
/// `pg_encoding_max_length(UTF8)`
const MAX_BYTES_A_CHARACTER: i32 = 4;
/// `SizeofHeapTupleHeader`
const HEADER: usize = 23;
const OID: SqlType = SqlType::plain(26);
const BYTEA: SqlType = SqlType::plain(17);

/// `type_maximum_size`: the longest a value can be; `None` where there is no limit.
fn maximum_size(attribute: &Attribute) -> Option<usize> {
    let typmod = attribute.typmod;
    if matches!(attribute.typid, BIT | VARBIT) {
        return usize::try_from(typmod).ok().map(|bits| bits.div_ceil(8) + 2 * VARHDRSZ as usize);
    }
    if typmod < VARHDRSZ {
        return None;
    }
    let size = match attribute.typid {
        1042 | 1043 => (typmod - VARHDRSZ) * MAX_BYTES_A_CHARACTER + VARHDRSZ,
        // numeric: digits of base 10000, after a varlena header and two words
        1700 => 8 + 2 * (((typmod - VARHDRSZ) >> 16 & 0xFFFF) + 6).div_euclid(4),
        _ => return None,
    };
    usize::try_from(size).ok()
}

/// `heapam_relation_needs_toast_table`
fn needs_toast_table(columns: &[Attribute], defaults: &[ColumnDefault]) -> bool {
    let mut length = 0_usize;
    let (mut is_unlimited, mut is_toastable) = (false, false);
    // a virtual column has no room in a row
    let is_virtual =
        |column: &Attribute| matches!(defaults.get(usize::from(column.num - 1)), Some(ColumnDefault::Virtual(_)));
    for column in columns.iter().filter(|column| !column.dropped && !is_virtual(column)) {
        length = length.next_multiple_of(column.align.bytes().into());
        match usize::try_from(column.len).ok().or_else(|| maximum_size(column)) {
            Some(size) => length += size,
            None => is_unlimited = true,
        }
        is_toastable |= column.len == -1 && column.storage != 'p';
    }
    let header = (HEADER + columns.len().div_ceil(8)).next_multiple_of(8);
    is_toastable && (is_unlimited || header + length.next_multiple_of(8) > TOAST_TUPLE_THRESHOLD)
}

impl Cluster {
    /// `NewRelationCreateToastTable`: where the table needs one and has none.
    pub fn create_toast_table(&mut self, table: Oid) {
        // rows of the undo engine's tables stay on their pages
        if self.pg.settings.default_table_am == TableAm::Undo {
            return;
        }
        let Some(of) = self.pg.relations.get(&table).cloned() else { return };
        let defaults = self.catalog.class(table).map_or(&[][..], |class| &class.defaults);
        if self.catalog.partition_key(table).is_some()
            || of.toast.is_some()
            || !needs_toast_table(of.desc.attributes(), defaults)
        {
            return;
        }
        let oid = self.pg.new_object_id();
        let file = self.create_file(oid, oid, self.pg.buffers.persistence(of.file));
        self.create_init_fork(file);
        self.use_oids(usize::from(self.version().has_toast_row_types()));
        let mut class = Class::new(oid, format!("pg_toast_{table}"), RelKind::Toast);
        class.schema = self.toast_schema(&of);
        class.stats = self.new_stats();
        class.table = Some(table);
        let columns = [("chunk_id", OID), ("chunk_seq", SqlType::INT4), ("chunk_data", BYTEA)];
        let plain = |(num, (name, ty)): (u16, (&str, SqlType))| Attribute { storage: 'p', ..ty.attribute(num, name) };
        let columns = (1..).zip(columns).map(plain).collect();
        let name = format!("{}_index", class.name);
        let relation = self.new_relation(&class, file, columns);
        self.add(class, relation);
        self.use_commands(2);
        self.create_toast_index(oid, &name);
        self.update_class_row(table);
        self.edit_relation(table, |relation| relation.toast = Some(oid));
    }

    fn create_toast_index(&mut self, toast: Oid, name: &str) {
        let keys = [("chunk_id", OID), ("chunk_seq", SqlType::INT4)];
        let key = |(attnum, (name, ty)): (u16, (&str, SqlType))| KeySpec {
            attnum,
            name: name.to_string(),
            text: None,
            ty,
            desc: false,
            nulls_first: false,
            pattern: false,
        };
        let keys: Vec<KeySpec> = (1..).zip(keys).map(key).collect();
        let index = self.define_index(&IndexSpec { unique: true, primary: true, ..IndexSpec::new(toast, name, keys) });
        self.build_empty(index);
    }
}
