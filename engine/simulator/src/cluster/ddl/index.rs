//! CREATE INDEX as far as the catalog and the file go (`index_create`, src/backend/catalog/index.c). The entries are
//! made by whoever can compute the keys.

use crate::cluster::catalog_rows::CatalogRow;
use crate::cluster::{Class, Cluster};
use crate::storage::{Deferrable, FileId, GistForm, IndexForm, IndexKey};
use crate::version::Behaviour;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlType};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// An index to be made.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of pg_index, or an option of CREATE INDEX")]
pub struct IndexSpec {
    /// the table
    pub table: Oid,
    /// its name
    pub name: String,
    /// UNIQUE
    pub unique: bool,
    /// of PRIMARY KEY
    pub primary: bool,
    /// DEFERRABLE
    pub deferrable: Deferrable,
    /// NULLS NOT DISTINCT
    pub nulls_not_distinct: bool,
    /// USING brin
    pub brin: bool,
    /// USING gist
    pub gist: Option<GistForm>,
    /// keys, then columns of INCLUDE
    pub columns: Vec<KeySpec>,
    /// how many of them are keys
    pub n_keys: u16,
    /// `attnum` of every column in keys, INCLUDE, expressions and predicate
    pub depends: Vec<u16>,
    /// has it a predicate?
    pub partial: bool,
    /// reloption `fillfactor`
    pub fillfactor: Option<u8>,
    /// reloption `deduplicate_items`
    pub deduplicate_items: bool,
    /// `pg_get_indexdef`
    pub definition: String,
    /// file and number of an index that goes, which it takes over (`oldNumber`)
    pub reuses: Option<(FileId, Oid)>,
}

/// A column of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct KeySpec {
    /// the table's column; 0: an expression
    pub attnum: u16,
    /// name of the index' column
    pub name: String,
    /// how messages name it: a column's name, or an expression; `None` where it is not told
    pub text: Option<String>,
    /// its type
    pub ty: SqlType,
    /// DESC
    pub desc: bool,
    /// NULLS FIRST
    pub nulls_first: bool,
    /// `text_pattern_ops` and its like
    pub pattern: bool,
}

impl KeySpec {
    /// Like a column that an index has, of this type, with what messages call it.
    #[must_use]
    pub fn like(key: IndexKey, name: &str, ty: SqlType, text: Option<String>) -> Self {
        let IndexKey { attnum, desc, nulls_first, pattern } = key;
        Self { attnum, name: name.to_string(), text, ty, desc, nulls_first, pattern }
    }
}

impl IndexSpec {
    /// A plain index on these columns of the table.
    #[must_use]
    pub fn new(table: Oid, name: &str, columns: Vec<KeySpec>) -> Self {
        Self {
            table,
            name: name.to_string(),
            unique: false,
            primary: false,
            deferrable: Deferrable::No,
            nulls_not_distinct: false,
            brin: false,
            gist: None,
            n_keys: columns.len() as u16,
            depends: columns.iter().map(|column| column.attnum).filter(|attnum| *attnum > 0).collect(),
            columns,
            partial: false,
            fillfactor: None,
            deduplicate_items: true,
            definition: String::new(),
            reuses: None,
        }
    }
}

impl Cluster {
    /// `index_create`: the index is there, with an empty file. Gives its oid.
    pub fn define_index(&mut self, spec: &IndexSpec) -> Oid {
        self.pg.current_xid();
        let table = self.pg.relations.get(&spec.table);
        let is_partitioned = table.is_some_and(|table| table.kind == RelKind::PartitionedTable);
        let persistence = table.map_or_else(Default::default, |table| self.pg.buffers.persistence(table.file));
        let oid = self.pg.new_object_id();
        let (kind, file) = match (is_partitioned, spec.reuses) {
            (true, _) => (RelKind::PartitionedIndex, self.no_file(persistence)),
            (false, Some((file, _))) => (RelKind::Index, file),
            (false, None) => (RelKind::Index, self.create_file(oid, oid, persistence)),
        };
        let mut class = Class::new(oid, spec.name.clone(), kind);
        if let Some((_, filenode)) = spec.reuses {
            self.owners.insert(file, oid);
            class.filenode = filenode;
            class.stats.reltuples = if self.version().counts_from_unknown() { -1.0 } else { 0.0 };
        }
        if is_partitioned {
            class.filenode = 0;
        }
        class.schema = self.schema_of(spec.table).to_string();
        class.table = Some(spec.table);
        class.is_brin = spec.brin;
        class.is_gist = spec.gist.is_some();
        class.depends.clone_from(&spec.depends);
        class.depends.sort_unstable();
        class.depends.dedup();
        class.has_expressions = spec.columns.iter().any(|column| column.attnum == 0);
        class.definition.clone_from(&spec.definition);
        let attributes = self.index_columns(spec);
        let mut relation = self.new_relation(&class, file, attributes);
        relation.fillfactor = spec.fillfactor;
        relation.index = Some(form(spec));
        self.add(class, relation);
        self.write_row(CatalogRow::Index(oid));
        self.set_index_columns(spec.table);
        if is_partitioned {
            self.edit_class(spec.table, |class| class.stats.has_index = true);
        }
        self.use_commands(2);
        oid
    }

    /// `RelationPreserveStorage`: the file stays when the transaction commits, though its relation is dropped.
    pub fn preserve_file(&mut self, file: FileId) {
        self.session().dropped.retain(|(dropped, _)| *dropped != file);
    }

    /// `ConstructTupleDescriptor`: columns of the table keep their storage there.
    fn index_columns(&self, spec: &IndexSpec) -> Vec<Attribute> {
        let table = self.pg.relations.get(&spec.table);
        let storage =
            |attnum: u16| table?.desc.attributes().get(usize::from(attnum).checked_sub(1)?).map(|it| it.storage);
        let attribute = |(num, column): (u16, &KeySpec)| {
            let attribute = column.ty.attribute(num, &column.name);
            let attribute = Attribute { storage: storage(column.attnum).unwrap_or(attribute.storage), ..attribute };
            match spec.gist.as_ref().and_then(|gist| gist.classes.get(usize::from(num) - 1)) {
                Some(class) => class.attribute(attribute, column.ty),
                None => attribute,
            }
        };
        (1..).zip(&spec.columns).map(attribute).collect()
    }
}

/// `quote_identifier`, of names that are no keywords.
#[must_use]
pub fn quote_identifier(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.to_string();
    }
    alloc::format!("\"{}\"", name.replace('"', "\"\""))
}

fn form(spec: &IndexSpec) -> IndexForm {
    let key = |column: &KeySpec| {
        let KeySpec { attnum, desc, nulls_first, pattern, .. } = *column;
        IndexKey { attnum, desc, nulls_first, pattern }
    };
    let keys: Option<Vec<&str>> = spec.columns.iter().take(spec.n_keys.into()).map(|key| key.text.as_deref()).collect();
    IndexForm {
        table: spec.table,
        unique: spec.unique,
        primary: spec.primary,
        deferrable: spec.deferrable,
        nulls_not_distinct: spec.nulls_not_distinct,
        summarizing: spec.brin,
        gist: spec.gist.clone(),
        columns: spec.columns.iter().map(key).collect(),
        n_keys: spec.n_keys,
        partial: spec.partial,
        deduplicate_items: spec.deduplicate_items,
        check_xmin: None,
        invalid: false,
        key_names: keys.map(|names| names.join(", ")),
    }
}
