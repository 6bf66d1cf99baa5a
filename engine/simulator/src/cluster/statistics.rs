//! Statistics of several columns of a table: what the catalog says of them (`pg_statistic_ext`), and what ANALYZE has
//! found out of them (`pg_statistic_ext_data`).

use super::Cluster;
use super::pg_class::{Class, ColumnStats, ExprId};
use crate::version::SqlBehaviour;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::Oid;

/// A row of `pg_statistic_ext`.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsObject {
    /// `oid`
    pub oid: Oid,
    /// `stxnamespace`
    pub schema: String,
    /// `stxname`
    pub name: String,
    /// `stxkeys`, in their order; none where it is of an expression
    pub columns: Vec<u16>,
    /// `stxexprs`, of which there is one at most
    pub expr: Option<ExprId>,
    /// the columns that it is about, by `attnum`
    pub depends: Vec<u16>,
    /// `stxkind`: those of d, f and m, or e
    pub kinds: Vec<u8>,
    /// `stxstattarget`, where it is set
    pub target: Option<u16>,
    /// what ANALYZE gathered
    pub data: Option<Arc<ExtendedStats>>,
}

/// What is known of several columns together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExtendedStats {
    /// the columns, by `attnum`, in their order
    pub columns: Vec<u16>,
    /// `stxdndistinct`: how many sets of values some of them have
    pub ndistinct: Vec<(Vec<u16>, f64)>,
    /// `stxddependencies`: in which share of the rows the last column follows from those before it
    pub dependencies: Vec<(Vec<u16>, f64)>,
    /// `stxdmcv`: the most common rows of values
    pub most_common: Vec<CommonRow>,
    /// `stxdexpr`: of the expression
    pub expr: Option<Arc<ColumnStats>>,
}

/// A row of values that is common (`MCVItem`).
#[derive(Debug, Clone, PartialEq)]
pub struct CommonRow {
    /// the values
    pub values: Vec<Value>,
    /// its share of all rows
    pub frequency: f64,
    /// what it would be, if the columns had nothing to do with each other
    pub base_frequency: f64,
}

impl Cluster {
    /// The one of that name, in that schema or in the first of `search_path` that has one, and its table.
    #[must_use]
    pub fn find_statistics(&self, schema: Option<&str>, name: &str) -> Option<(Oid, StatisticsObject)> {
        let in_schema = |schema: &str| {
            let is_it = |it: &&StatisticsObject| it.schema == schema && it.name == name;
            self.catalog
                .classes()
                .find_map(|class| Some((class.oid, class.statistics_objects.iter().find(is_it)?.clone())))
        };
        match schema {
            Some(schema) => in_schema(schema),
            None => self.search_path().into_iter().find_map(in_schema),
        }
    }

    /// `CreateStatistics`
    pub fn create_statistics(&mut self, table: Oid, object: StatisticsObject) {
        self.pg.current_xid();
        let oid = self.pg.new_object_id();
        self.change_statistics(table, |class| class.statistics_objects.push(StatisticsObject { oid, ..object }));
    }

    /// A column gets another type (`UpdateStatisticsForTypeChange`, from 14 on `RememberStatisticsForRebuilding`): what
    /// is known of its values goes, and later the objects, which come again under other numbers.
    pub fn remake_statistics(&mut self, table: Oid, attnum: u16) {
        let of = |class: &Class| class.statistics_objects.iter().filter(|it| it.depends.contains(&attnum)).count();
        let count = self.catalog.class(table).map_or(0, |class| of(class));
        let remakes = self.version().remakes_statistics();
        let oids: Vec<Oid> = (0..count).filter(|_| remakes).map(|_| self.pg.new_object_id()).collect();
        self.use_commands(2 * oids.len() as u32);
        let mut oids = oids.into_iter();
        self.edit_class(table, |class| {
            for object in class.statistics_objects.iter_mut().filter(|it| it.depends.contains(&attnum)) {
                if let Some(oid) = oids.next() {
                    (object.oid, object.target, object.data) = (oid, None, None);
                } else if let Some(data) = &mut object.data {
                    Arc::make_mut(data).most_common.clear();
                }
            }
        });
    }

    /// One of them is changed or goes.
    pub fn change_statistics(&mut self, table: Oid, change: impl FnOnce(&mut Class)) {
        self.pg.current_xid();
        self.edit_class(table, change);
        self.use_commands(1);
    }
}
