//! What the catalogs say of functions (`ProcedureCreate`, src/backend/catalog/pg_proc.c). What they do is kept by
//! whoever parsed it.

use super::Cluster;
use super::pg_class::Catalog;
use alloc::string::{String, ToString};
use ffviz_format::page::Oid;

impl Catalog {
    /// What a comment says of a relation, or of a column of it, from 1.
    #[must_use]
    pub fn description(&self, of: (Oid, u16)) -> Option<&str> {
        self.comments.get(&of).map(String::as_str)
    }

    /// The number that a function is kept by.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<u32> {
        self.functions.get(name).map(|(number, _)| *number)
    }

    /// The OIDs and the numbers of all.
    pub fn functions_with_oids(&self) -> impl Iterator<Item = (Oid, u32)> {
        self.functions.values().map(|(number, oid)| (*oid, *number))
    }

    /// Its `pg_proc.oid`.
    #[must_use]
    pub fn function_oid(&self, name: &str) -> Option<Oid> {
        self.functions.get(name).map(|(_, oid)| *oid)
    }

    /// The numbers of all.
    pub fn functions(&self) -> impl Iterator<Item = u32> {
        self.functions.values().map(|(number, _)| *number)
    }
}

impl Cluster {
    /// A function is there from now on, or another one of that name.
    pub fn define_function(&mut self, name: &str, number: u32) {
        self.pg.current_xid();
        self.keep_names();
        let oid = match self.catalog.functions.get(name) {
            Some((_, oid)) => *oid,
            None => {
                let oid = self.pg.new_object_id();
                self.own(oid);
                self.function_stats(oid, true);
                oid
            }
        };
        self.catalog.functions.insert(name.to_string(), (number, oid));
        self.use_commands(1);
    }

    /// A function has another name.
    pub fn rename_function(&mut self, name: &str, to: &str, number: u32) {
        self.pg.current_xid();
        self.keep_names();
        if let Some((_, oid)) = self.catalog.functions.remove(name) {
            self.catalog.functions.insert(to.to_string(), (number, oid));
        }
        self.use_commands(1);
    }

    /// A function is gone.
    pub fn drop_function(&mut self, name: &str) {
        self.pg.current_xid();
        self.keep_names();
        if let Some((_, oid)) = self.catalog.functions.remove(name) {
            self.function_stats(oid, false);
        }
        self.use_commands(1);
    }
}
