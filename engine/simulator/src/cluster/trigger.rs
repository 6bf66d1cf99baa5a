//! What the catalogs say of triggers (`pg_trigger`; `CreateTriggerFiringOn`, src/backend/commands/trigger.c).

use super::Cluster;
use super::pg_class::Trigger;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

impl Cluster {
    /// A table has one more. The first one changes its row of `pg_class`.
    pub fn create_trigger(&mut self, table: Oid, mut trigger: Trigger) {
        self.pg.current_xid();
        trigger.oid = self.pg.new_object_id();
        self.set_has_triggers(table);
        self.edit_class(table, |class| {
            class.triggers.push(trigger);
            // they are called in the order of their names
            class.triggers.sort_by(|one, other| one.name.cmp(&other.name));
        });
        self.use_commands(1);
    }

    /// Those that call a function: their tables and names.
    #[must_use]
    pub fn triggers_that_call(&self, function: &str) -> Vec<(Oid, String)> {
        let all = self.catalog.classes().flat_map(|class| class.triggers.iter().map(|trigger| (class.oid, trigger)));
        all.filter(|(_, trigger)| trigger.function == function).map(|(table, it)| (table, it.name.clone())).collect()
    }

    /// One is gone.
    pub fn drop_trigger(&mut self, table: Oid, name: &str) {
        self.pg.current_xid();
        self.edit_class(table, |class| class.triggers.retain(|trigger| trigger.name != name));
        self.use_commands(1);
    }

    /// One, or all, are called, or are not.
    pub fn enable_triggers(&mut self, table: Oid, name: Option<&str>, enabled: bool) {
        let is_meant = |trigger: &Trigger| name.is_none_or(|name| trigger.name == name);
        let class = self.catalog.class(table);
        let changes = class.is_some_and(|it| it.triggers.iter().any(|it| is_meant(it) && it.enabled != enabled));
        if !changes {
            return;
        }
        self.pg.current_xid();
        self.edit_class(table, |class| {
            class.triggers.iter_mut().filter(|trigger| is_meant(trigger)).for_each(|trigger| trigger.enabled = enabled);
        });
        self.use_commands(1);
    }
}
