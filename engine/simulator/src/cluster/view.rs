//! What the catalogs say of views: that there are such relations, and what they read (`DefineVirtualRelation`,
//! src/backend/commands/view.c; `InsertRule`, src/backend/rewrite/rewriteDefine.c). Their queries are kept by whoever
//! parsed them.

use super::Cluster;
use super::pg_class::{Catalog, MatView};
use super::temporary::PG_TEMP;
use crate::storage::{LockMode, RelationLock};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// Schema and name.
pub type ViewName = (String, String);

/// A view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewForm {
    /// `pg_class.oid`
    pub oid: Oid,
    /// number of its query
    pub query: u32,
    /// how many columns it has
    pub columns: u16,
    /// tables and views that it reads
    pub depends: Vec<Oid>,
    /// does its query say `*`, so that it would read new columns too?
    pub has_star: bool,
}

impl Catalog {
    /// The view of that name in that schema.
    #[must_use]
    pub fn view(&self, schema: &str, name: &str) -> Option<&ViewForm> {
        self.views.get(&(schema.to_string(), name.to_string()))
    }

    /// All views by schema and name.
    pub fn views(&self) -> impl Iterator<Item = (&ViewName, &ViewForm)> {
        self.views.iter()
    }

    /// The views that read one of these relations, each followed by those that read it; of several the oldest first
    /// (`findDependentObjects`).
    #[must_use]
    pub fn views_of(&self, relations: &[Oid]) -> Vec<(ViewName, Oid)> {
        let mut found = Vec::new();
        relations.iter().for_each(|relation| self.add_views_of(*relation, &mut found));
        found
    }

    fn add_views_of(&self, relation: Oid, found: &mut Vec<(ViewName, Oid)>) {
        let reading = self.views.iter().filter(|(_, view)| view.depends.contains(&relation));
        let mut reading: Vec<(ViewName, Oid)> = reading.map(|(name, view)| (name.clone(), view.oid)).collect();
        reading.sort_unstable_by_key(|(_, oid)| *oid);
        for (name, oid) in reading {
            if !found.iter().any(|(_, known)| *known == oid) {
                found.push((name, oid));
                self.add_views_of(oid, found);
            }
        }
    }
}

impl Cluster {
    /// The view of that name, in that schema or in the first of `search_path` that has one; with the name of its
    /// schema.
    #[must_use]
    pub fn find_view(&self, schema: Option<&str>, name: &str) -> Option<(&str, &ViewForm)> {
        let in_schema = |schema: &str| self.catalog.views.get_key_value(&(String::from(schema), String::from(name)));
        let temporary = self.temp_schema();
        let found = match schema {
            Some(schema) if self.is_temp_schema(schema) => in_schema(&temporary),
            Some(schema) => in_schema(schema),
            // a temporary table stands before it
            None if self.find(None, name).is_some_and(|oid| self.is_temporary(oid)) => None,
            None => self.search_path_with_temp().into_iter().find_map(in_schema),
        };
        found.map(|((schema, _), view)| (schema.as_str(), view))
    }

    /// Is it a temporary table, or a view that reads one?
    #[must_use]
    pub fn reads_temporary(&self, oid: Oid) -> bool {
        let is_temporary = |((schema, _), view): (&ViewName, &ViewForm)| view.oid == oid && schema.starts_with(PG_TEMP);
        self.is_temporary(oid) || self.catalog.views().any(is_temporary)
    }

    /// The relation is locked exclusively, which a standby is told (`LogAccessExclusiveLock`).
    pub fn lock_view(&mut self) {
        self.pg.current_xid();
        if self.pg.prepare_to_tell_of_lock().is_some() {
            self.pg.tell_of_lock();
        }
    }

    /// A view is there from now on; `form` has no OID yet.
    pub fn define_view(&mut self, name: ViewName, form: ViewForm) {
        self.lock_view();
        self.keep_names();
        let oid = self.pg.new_object_id();
        let (me, depth) = (self.pg.me, self.depth());
        self.lock_schema(&name.0);
        self.pg.locks.acquire(me, depth, RelationLock { relation: oid, mode: LockMode::AccessExclusive });
        self.create_stats(oid);
        self.own(oid);
        // the array type, the row type, the rule
        self.use_oids(3);
        self.use_commands(3);
        self.catalog.views.insert(name, ViewForm { oid, ..form });
    }

    /// CREATE OR REPLACE VIEW of one that is there.
    pub fn replace_view(&mut self, name: &ViewName, form: ViewForm) {
        self.keep_names();
        self.use_commands(1);
        if let Some(view) = self.catalog.views.get_mut(name) {
            *view = ViewForm { oid: view.oid, ..form };
        }
    }

    /// The query of a view is kept under another number, as a table that it reads is called otherwise.
    pub fn set_view_query(&mut self, name: &ViewName, query: u32) {
        self.keep_names();
        if let Some(view) = self.catalog.views.get_mut(name) {
            view.query = query;
        }
    }

    /// ALTER VIEW … SET SCHEMA, or RENAME TO.
    pub fn move_view(&mut self, name: &ViewName, to: ViewName) {
        self.keep_names();
        if let Some(view) = self.catalog.views.remove(name) {
            self.catalog.views.insert(to, view);
        }
        self.use_commands(1);
    }

    /// A table is a materialized view from now on: it has a rule (`StoreViewQuery`).
    pub fn define_matview(&mut self, oid: Oid, matview: MatView) {
        self.use_oids(1);
        self.edit_class(oid, |class| class.matview = Some(matview));
        self.use_commands(1);
    }

    /// `SetMatViewPopulatedState`
    pub fn set_populated(&mut self, oid: Oid, populated: bool) {
        self.pg.current_xid();
        self.update_class_row(oid);
        self.edit_class(oid, |class| {
            if let Some(matview) = &mut class.matview {
                matview.populated = populated;
            }
        });
        self.use_commands(1);
    }

    /// A view is gone.
    pub fn drop_view(&mut self, name: &ViewName) {
        self.lock_view();
        self.keep_names();
        if let Some(view) = self.catalog.views.remove(name) {
            self.drop_stats(view.oid);
        }
        // its rule, its array type, its row type, itself
        self.use_commands(4);
    }
}
