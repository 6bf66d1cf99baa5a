//! What the catalogs say of triggers (`pg_trigger`; `CreateTriggerFiringOn`, src/backend/commands/trigger.c).

use super::Cluster;
use super::pg_class::{Firing, Trigger};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

impl Cluster {
    /// A table has one more. The first one changes its row of `pg_class`.
    pub fn create_trigger(&mut self, table: Oid, mut trigger: Trigger) {
        self.pg.current_xid();
        trigger.oid = self.pg.new_object_id();
        if trigger.constraint.is_some() {
            // its row of pg_constraint
            self.pg.new_object_id();
        }
        self.set_has_triggers(table);
        trigger.place = self.next_trigger_place();
        self.edit_class(table, |class| {
            class.triggers.push(trigger);
            // they are called in the order of their names
            class.triggers.sort_by(|one, other| one.name.cmp(&other.name));
        });
        self.use_commands(1);
    }

    /// One is another by the same name.
    pub fn replace_trigger(&mut self, table: Oid, trigger: Trigger) {
        self.pg.current_xid();
        self.set_has_triggers(table);
        let place = self.next_trigger_place();
        self.edit_class(table, |class| {
            if let Some(known) = class.triggers.iter_mut().find(|known| known.name == trigger.name) {
                *known = Trigger { oid: known.oid, place, ..trigger };
            }
        });
        self.use_commands(1);
    }

    /// Where the next row of `pg_trigger` goes: behind all others.
    fn next_trigger_place(&self) -> u64 {
        let triggers = self.catalog.classes().flat_map(|class| class.triggers.iter());
        triggers.map(|trigger| trigger.place + 1).max().unwrap_or(0)
    }

    /// One has another name.
    pub fn rename_trigger(&mut self, table: Oid, name: &str, to: &str) {
        self.pg.current_xid();
        let place = self.next_trigger_place();
        self.edit_class(table, |class| {
            let known = class.triggers.iter_mut().filter(|trigger| trigger.name == name);
            known.for_each(|trigger| (trigger.name, trigger.place) = (to.into(), place));
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

    /// One, or all, are called, or are not; `internal`: those of keys too, where there are some.
    pub fn enable_triggers(&mut self, table: Oid, (name, internal): (Option<&str>, bool), firing: Firing) {
        let is_meant = |trigger: &Trigger| name.is_none_or(|name| trigger.name == name);
        let class = self.catalog.class(table);
        let changes = class.is_some_and(|it| {
            internal && it.internal_triggers != firing
                || it.triggers.iter().any(|it| is_meant(it) && it.enabled != firing)
        });
        if !changes {
            return;
        }
        self.pg.current_xid();
        let place = self.next_trigger_place();
        self.edit_class(table, |class| {
            let meant = class.triggers.iter_mut().filter(|it| is_meant(it) && it.enabled != firing);
            (place..).zip(meant).for_each(|(place, trigger)| (trigger.enabled, trigger.place) = (firing, place));
            if internal {
                class.internal_triggers = firing;
            }
        });
        self.use_commands(1);
    }
}
