//! What is checked when the transaction commits, and what SET CONSTRAINTS has said (`AfterTriggersData`,
//! `SetConstraintStateData`, src/backend/commands/trigger.c). What a check asks is kept by whoever makes it, by number.

use super::Cluster;
use crate::storage::Deferrable;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Oid;

/// A constraint: its table and its name.
pub type ConstraintId = (Oid, String);

/// SET CONSTRAINTS of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Told {
    /// of ALL: DEFERRED?
    all: Option<bool>,
    /// of some since
    each: BTreeMap<ConstraintId, bool>,
}

/// What a session's transaction has put off.
#[derive(Debug, Clone, Default)]
pub(super) struct Deferred {
    /// numbers of checks in their order, with the depth of the (sub)transaction that asked for them
    waiting: Vec<(u64, usize)>,
    /// those that a subtransaction has made already, which come back when it is undone: number, and the depths of who
    /// asked for it and who made it
    made: Vec<(u64, usize, usize)>,
    /// how many there were
    count: u64,
    told: Told,
    /// what was told before subtransactions told otherwise, oldest first
    before: Vec<(usize, Told)>,
}

impl Deferred {
    /// What the levels from `depth` on did is undone.
    pub fn abort(&mut self, depth: usize) {
        self.waiting.retain(|(_, at)| *at < depth);
        self.made.retain(|(_, at, _)| *at < depth);
        let undone = self.made.iter().filter(|(_, _, by)| *by >= depth);
        self.waiting.extend(undone.map(|(number, at, _)| (*number, *at)));
        self.waiting.sort_unstable();
        self.made.retain(|(_, _, by)| *by < depth);
        while let Some((_, told)) = self.before.pop_if(|(at, _)| *at >= depth) {
            self.told = told;
        }
    }

    /// The level joins the one around it.
    pub fn join(&mut self, depth: usize) {
        self.waiting.iter_mut().for_each(|(_, at)| *at = (*at).min(depth));
        for (_, at, by) in &mut self.made {
            (*at, *by) = ((*at).min(depth), (*by).min(depth));
        }
        self.made.retain(|(_, _, by)| *by > 0);
        self.before.iter_mut().for_each(|(at, _)| *at = (*at).min(depth));
    }
}

impl Cluster {
    /// A check is put off. Gives its number.
    pub fn put_off(&mut self) -> u64 {
        let depth = self.depth();
        let deferred = &mut self.session().deferred;
        deferred.count += 1;
        deferred.waiting.push((deferred.count, depth));
        deferred.count
    }

    /// Numbers of the checks that the running session has put off, in their order.
    #[must_use]
    pub fn deferred(&self) -> Vec<u64> {
        let session = self.sessions.get(self.pg.me);
        session.map_or_else(Vec::new, |session| session.deferred.waiting.iter().map(|(number, _)| *number).collect())
    }

    /// Has it put off any?
    #[must_use]
    pub fn has_deferred(&self) -> bool {
        self.sessions.get(self.pg.me).is_some_and(|session| !session.deferred.waiting.is_empty())
    }

    /// They are made now.
    pub fn make_deferred(&mut self, numbers: &BTreeSet<u64>) {
        let depth = self.depth();
        let Deferred { waiting, made, .. } = &mut self.session().deferred;
        if depth > 0 {
            let now = waiting.iter().filter(|(number, _)| numbers.contains(number));
            made.extend(now.map(|(number, at)| (*number, *at, depth)));
        }
        waiting.retain(|(number, _)| !numbers.contains(number));
    }

    /// Those that wait, and those that may wait again.
    #[must_use]
    pub fn known_deferred(&self) -> BTreeSet<u64> {
        let Some(session) = self.sessions.get(self.pg.me) else { return BTreeSet::new() };
        let made = session.deferred.made.iter().map(|(number, ..)| *number);
        session.deferred.waiting.iter().map(|(number, _)| *number).chain(made).collect()
    }

    /// SET CONSTRAINTS; of none: ALL.
    pub fn set_constraints(&mut self, constraints: Vec<ConstraintId>, deferred: bool) {
        let depth = self.depth();
        let state = &mut self.session().deferred;
        state.before.push((depth, state.told.clone()));
        if constraints.is_empty() {
            state.told = Told { all: Some(deferred), each: BTreeMap::new() };
        }
        state.told.each.extend(constraints.into_iter().map(|constraint| (constraint, deferred)));
    }

    /// `afterTriggerCheckState`: is the constraint checked at the end of the transaction?
    #[must_use]
    pub fn is_put_off(&self, constraint: &ConstraintId, deferrable: Deferrable) -> bool {
        let told = self.sessions.get(self.pg.me).map(|session| &session.deferred.told);
        let said = told.and_then(|told| told.each.get(constraint).copied().or(told.all));
        deferrable != Deferrable::No && said.unwrap_or(deferrable == Deferrable::Deferred)
    }
}
