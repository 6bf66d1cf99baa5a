//! What is to be joined: relations, the conditions between them, what is equal to what, and which joins restrict the
//! order (`deconstruct_jointree`, `distribute_qual_to_rels`, `make_outerjoininfo`,
//! src/backend/optimizer/plan/initsplan.c; `reduce_outer_joins`, src/backend/optimizer/prep/prepjointree.c).

use super::rows::{Find, Rows};
use super::top::slot_of;
use super::{Class, Clause, PathKey, Relids, Special, SpecialKind};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::{EnabledScans, TableInfo};
use crate::sql::expr::{Node, SYSTEM, Typed};
use crate::sql::plan::equivalence::is_mergejoinable;
use crate::sql::plan::from::From;
use crate::sql::plan::path::fixes;
use crate::sql::plan::select::read;
use crate::sql::plan::selectivity::Selectivity;
use crate::sql::plan::size::{clamp, of_table, typavgwidth, width};
use crate::sql::plan::source::{Semi, SourceRows};
use crate::sql::plan::{Method, SelectPlan};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::convert::Infallible;
use ffviz_format::datum::compare::comparator;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::PgVersion;

/// The relations that are above all.
pub(super) const TOP: Relids = 1 << 31;

/// A table that is joined.
#[derive(Debug)]
pub(in crate::sql::plan) struct Base {
    pub table: TableInfo,
    pub name: alloc::string::String,
    /// its first slot
    pub start: u16,
    /// conditions on its rows alone, over these
    pub clauses: Vec<Typed>,
    /// its columns that are read, in the order in which they are named first
    pub needed: Vec<u16>,
    /// rows of the table, and those that its conditions leave
    pub tuples: f64,
    pub rows: f64,
    /// what gives its rows, where it is no table
    pub source: Option<Rows>,
}

impl Base {
    /// What it is called: VALUES has no name that one gives it.
    pub fn shown(&self) -> &str {
        match self.source.as_ref().map(|rows| &rows.source.rows) {
            Some(SourceRows::Values(_)) => "*VALUES*",
            _ => &self.name,
        }
    }

    /// How many slots it has.
    pub fn slots(&self) -> usize {
        let columns = self.table.columns.len();
        if self.source.is_some() { columns } else { columns + SYSTEM.len() }
    }
}

/// What is to be joined.
pub(in crate::sql::plan) struct Model {
    pub bases: Vec<Base>,
    pub clauses: Vec<Clause>,
    pub classes: Vec<Class>,
    /// what is computed of a row of one relation, and equal to something of another: it has a slot behind all others
    pub computed: Vec<Typed>,
    pub specials: Vec<Special>,
    /// how far up each slot is needed (`attr_needed`)
    pub needed: BTreeMap<u16, Relids>,
    /// the order that is wanted above (`query_pathkeys`)
    pub order: Vec<PathKey>,
    /// are not all rows wanted?
    pub is_limited: bool,
    /// the table that is changed, where one is: the place of its rows is needed above, and those of the other rows are
    /// to try the conditions again (`preprocess_targetlist`)
    pub changed: Option<usize>,
    pub enabled: EnabledScans,
    pub input: Input,
    /// equalities as they were made first
    pub derived: RefCell<Vec<(u16, u16)>>,
    /// shares of a hash table's rows in a bucket, as they were found first: by clause, and the inner column
    pub buckets: RefCell<BTreeMap<(u16, u16, u16), f64>>,
}

/// A condition with its sides, where it is an equality of two columns that may be hashed and merged.
fn pair_of(expr: &Typed) -> Option<(u16, u16, SqlType)> {
    let Node::Binary(BinaryOp::Eq, operands) = &expr.node else { return None };
    let (Node::Slot(one), Node::Slot(other)) = (&operands.0.node, &operands.1.node) else { return None };
    let is_usable =
        operands.0.ty.oid == operands.1.ty.oid && comparator(operands.0.ty.oid).is_some() && is_mergejoinable(operands);
    is_usable.then_some((*one, *other, operands.0.ty))
}

/// Is it a comparison that no NULL satisfies, of columns and values?
fn is_strict(expr: &Typed) -> bool {
    let is_plain = |expr: &Typed| matches!(expr.node, Node::Slot(_) | Node::Const(_));
    match &expr.node {
        Node::Binary(_, operands) => is_plain(&operands.0) && is_plain(&operands.1),
        Node::AnyOf(left, list, false) => is_plain(left) && list.iter().all(is_plain),
        Node::IsNull(operand, true) => is_plain(operand),
        _ => false,
    }
}

/// May NULLs of its relations satisfy the condition (`find_nonnullable_rels`)? `None` where that is not known.
fn accepts_nulls(expr: &Typed) -> Option<bool> {
    match &expr.node {
        Node::IsNull(operand, false) => matches!(operand.node, Node::Slot(_)).then_some(true),
        Node::Or(parts) => {
            let known: Vec<Option<bool>> = parts.iter().map(accepts_nulls).collect();
            known.contains(&Some(true)).then_some(true)
        }
        Node::Case(case) if case.distinct().is_some() => Some(true),
        _ => is_strict(expr).then_some(false),
    }
}

fn is_open(node: &Node) -> bool {
    matches!(node, Node::Query(_) | Node::AnyElement(..) | Node::Outer(..) | Node::Aggregate(_) | Node::Routine(..))
}

/// Conditions as FROM and WHERE have them, before they are given to relations.
struct Parts {
    /// those of inner joins and WHERE
    inner: Vec<Typed>,
    /// those of WHERE that are asked of the rows of a FULL JOIN
    above: Vec<Typed>,
    /// ON of the others, by the number of the relation behind
    on: Vec<(usize, Vec<Typed>)>,
}

impl Model {
    /// What the query joins, with the conditions as they were written; `None` where it is more than that.
    pub fn of(
        plan: &SelectPlan,
        from: &From,
        written: &[Typed],
        (enabled, input): (EnabledScans, Input),
        (find, changes): (&Find<'_>, bool),
    ) -> Option<Self> {
        const MOST: usize = 8;
        let mut bases = bases(plan, from, (find, input.major))?;
        if bases.len() < 2 || bases.len() > MOST || !plan.filter.is_empty() && !plan.is_full_join() {
            return None;
        }
        let first = usize::from(from.table.is_some());
        let mut parts = Parts {
            inner: written.to_vec(),
            above: Vec::new(),
            on: plan.sources.iter().enumerate().map(|(n, source)| (n + first, source.on.clone())).collect(),
        };
        let mut model = Self {
            bases: Vec::new(),
            clauses: Vec::new(),
            classes: Vec::new(),
            computed: Vec::new(),
            specials: Vec::new(),
            needed: BTreeMap::new(),
            order: Vec::new(),
            is_limited: plan.limit.as_ref().is_some_and(|limit| limit.node != Node::Const(Value::Null)),
            changed: None,
            enabled,
            input,
            derived: RefCell::default(),
            buckets: RefCell::default(),
        };
        let mut kinds: Vec<Option<SpecialKind>> = alloc::vec![None; first];
        for source in &plan.sources {
            kinds.push(match source.semi {
                Some(Semi::Has) => Some(SpecialKind::Semi),
                Some(Semi::HasNot) => Some(SpecialKind::Anti),
                None => source.keeps_left.then_some(SpecialKind::Left),
            });
        }
        core::mem::swap(&mut model.bases, &mut bases);
        let place = plan.targets.first().and_then(|target| target.value.expr()).map(|expr| &expr.node);
        if let (Some(Node::Slot(place)), true) = (place, changes) {
            model.changed = Some(model.rel_of(*place));
        }
        let is_full = plan.is_full_join() && model.reduce_full(&mut parts, &mut kinds)?;
        model.distribute(parts, &mut kinds)?;
        if let Some(special) = model.specials.first_mut().filter(|_| is_full) {
            special.full = true;
        }
        model.set_needed(plan);
        model.set_rows();
        Some(model)
    }

    pub fn version(&self) -> PgVersion {
        self.input.version()
    }

    /// How many slots a whole row has.
    pub fn width(&self) -> usize {
        self.bases.last().map_or(0, |last| usize::from(last.start) + last.slots())
    }

    /// What is computed for a slot that is no column.
    fn computed_at(&self, slot: u16) -> Option<&Typed> {
        self.computed.get(usize::from(slot).checked_sub(self.width())?)
    }

    /// The slot of a column, or of what is computed of the columns of one relation.
    fn slot_for(&mut self, expr: &Typed) -> Option<u16> {
        if let Node::Slot(slot) = expr.node {
            return Some(slot);
        }
        let reads = self.relids_of(expr);
        let is_key =
            |base: &Base| base.table.indexes.iter().any(|it| it.keys.iter().any(|key| slot_of(&key.expr).is_none()));
        if reads.count_ones() != 1 || is_key(&self.bases[reads.trailing_zeros() as usize]) {
            return None;
        }
        let place = match self.computed.iter().position(|known| known == expr) {
            Some(place) => place,
            None => {
                self.computed.push(expr.clone());
                self.computed.len() - 1
            }
        };
        Some((self.width() + place) as u16)
    }

    /// A condition with its sides, where it is an equality of two relations that may be hashed and merged.
    fn pair(&mut self, expr: &Typed) -> Option<(u16, u16, SqlType)> {
        let Node::Binary(BinaryOp::Eq, operands) = &expr.node else { return None };
        let (one, other) = (&operands.0, &operands.1);
        let is_usable = one.ty.oid == other.ty.oid && comparator(one.ty.oid).is_some() && is_mergejoinable(operands);
        if !is_usable || self.relids_of(one) & self.relids_of(other) != 0 {
            return pair_of(expr);
        }
        Some((self.slot_for(one)?, self.slot_for(other)?, one.ty))
    }

    /// The relation of a slot.
    pub fn rel_of(&self, slot: u16) -> usize {
        if let Some(expr) = self.computed_at(slot) {
            return self.relids_of(expr).trailing_zeros() as usize;
        }
        self.bases.iter().rposition(|base| base.start <= slot).unwrap_or(0)
    }

    pub fn relids_of(&self, expr: &Typed) -> Relids {
        let mut slots = Vec::new();
        expr.slots(&mut slots);
        slots.into_iter().fold(0, |all, slot| all | 1 << self.rel_of(slot))
    }

    /// The column of its relation, over the rows of that alone.
    pub fn local_column(&self, slot: u16) -> Typed {
        shifted(self.column(slot), self.bases[self.rel_of(slot)].start)
    }

    /// The class of a column; one that is equal to no other is a class of its own.
    pub fn class_of(&self, slot: u16) -> usize {
        let known = self.classes.iter().position(|class| class.members.contains(&slot));
        known.unwrap_or(self.classes.len() + usize::from(slot))
    }

    /// Is the column equal to a constant?
    pub fn is_fixed(&self, slot: u16) -> bool {
        let column = self.local_column(slot);
        self.bases[self.rel_of(slot)].clauses.iter().any(|clause| fixes(clause, &column))
    }

    /// `relation_has_unique_index_for`: has the relation one row at most where these columns are known?
    pub fn is_unique_in(&self, n: usize, known: &[u16]) -> bool {
        let base = &self.bases[n];
        if let Some(distinct) = base.source.as_ref().and_then(|source| source.distinct.as_ref()) {
            return distinct.iter().all(|slot| known.contains(&(base.start + slot)));
        }
        let is_known = |expr: &Typed| {
            let is_named = matches!(expr.node, Node::Slot(slot) if known.contains(&(base.start + slot)));
            is_named || base.clauses.iter().any(|clause| fixes(clause, expr))
        };
        base.table.indexes.iter().any(|index| {
            index.unique
                && index.immediate
                && index.predicate.is_empty()
                && index.keys.iter().all(|key| is_known(&key.expr))
        })
    }

    /// Has each value of the column one row at most?
    pub fn is_unique(&self, slot: u16) -> bool {
        self.is_unique_in(self.rel_of(slot), &[slot])
    }

    /// `reduce_outer_joins`, of FULL: a condition that no row without a partner on one side satisfies makes it LEFT or
    /// RIGHT; such conditions on both sides make it an inner join. Gives whether it is FULL still.
    fn reduce_full(&self, parts: &mut Parts, kinds: &mut [Option<SpecialKind>]) -> Option<bool> {
        const LEFT: Relids = 0b01;
        const RIGHT: Relids = 0b10;
        let mut strict: Relids = 0;
        for clause in &parts.inner {
            strict |= if accepts_nulls(clause)? { 0 } else { self.relids_of(clause) };
        }
        match strict {
            0 => parts.above = core::mem::take(&mut parts.inner),
            LEFT => {}
            RIGHT => {
                kinds.swap(0, 1);
                parts.on.iter_mut().for_each(|(n, _)| *n = 0);
            }
            _ => kinds[1] = None,
        }
        Some(strict == 0)
    }

    fn distribute(&mut self, parts: Parts, kinds: &mut [Option<SpecialKind>]) -> Option<()> {
        let Parts { inner, above, on } = parts;
        let all = inner.iter().chain(&above).chain(on.iter().flat_map(|(_, clauses)| clauses));
        let of_bases = self.bases.iter().flat_map(|base| &base.clauses);
        if all.chain(of_bases).any(|clause| clause.any(&is_open)) {
            return None;
        }
        let mut pushed: Vec<(usize, Typed)> = Vec::new();
        let mut inner_clauses = Vec::new();
        for clause in inner {
            let reads = self.relids_of(&clause);
            let nullable = (0..kinds.len()).filter(|n| reads & 1 << n != 0 && kinds[*n] == Some(SpecialKind::Left));
            match nullable.collect::<Vec<_>>()[..] {
                [] => inner_clauses.push(clause),
                _ if is_strict(&clause) => {
                    // it leaves no row without a partner: an inner join
                    for (n, kind) in kinds.iter_mut().enumerate() {
                        if reads & 1 << n != 0 && *kind == Some(SpecialKind::Left) {
                            *kind = None;
                        }
                    }
                    inner_clauses.push(clause);
                }
                [n] if reads == 1 << n => pushed.push((n, clause)),
                _ => return None,
            }
        }
        let mut all: Vec<Typed> = Vec::new();
        for (n, clauses) in &on {
            if kinds[*n].is_none() {
                all.extend(clauses.iter().cloned());
            }
        }
        all.extend(inner_clauses);
        for (n, clause) in pushed {
            self.push_above(n, clause, kinds, &on)?;
        }
        for clause in all {
            self.add_inner(clause, kinds)?;
        }
        for (n, clauses) in on {
            match kinds[n] {
                None => {}
                Some(SpecialKind::Semi) => {
                    for clause in &clauses {
                        self.add_inner(clause.clone(), kinds)?;
                    }
                    self.add_special(n, SpecialKind::Semi, &clauses)?;
                }
                Some(kind) => {
                    let number = self.specials.len();
                    self.add_special(n, kind, &clauses)?;
                    let special = &self.specials[number];
                    let required = special.min_left | special.right;
                    for expr in clauses {
                        let reads = self.relids_of(&expr);
                        let pair = self.pair(&expr);
                        if pair.is_none() && !is_strict(&expr) {
                            return None;
                        }
                        self.clauses.push(Clause { expr, pair, reads, required, own: Some(number), class: None });
                    }
                }
            }
        }
        for expr in above {
            let (reads, required) = (self.relids_of(&expr), (1 << self.bases.len()) - 1);
            self.clauses.push(Clause { expr, pair: None, reads, required, own: None, class: None });
        }
        self.finish_above()
    }

    /// WHERE above an outer join, of columns that may be NULL there.
    fn push_above(
        &mut self,
        n: usize,
        clause: Typed,
        kinds: &mut [Option<SpecialKind>],
        on: &[(usize, Vec<Typed>)],
    ) -> Option<()> {
        if kinds[n] != Some(SpecialKind::Left) {
            self.push_down(n, clause);
            return Some(());
        }
        let Node::IsNull(operand, false) = &clause.node else { return None };
        let Node::Slot(slot) = operand.node else { return None };
        let reads_it = |expr: &Typed| is_strict(expr) && expr.any(&|node| *node == Node::Slot(slot));
        let (_, own) = on.iter().find(|(number, _)| *number == n)?;
        if own.iter().any(reads_it) {
            kinds[n] = Some(SpecialKind::Anti);
            return Some(());
        }
        let reads = 1 << n;
        self.clauses.push(Clause { expr: clause, pair: None, reads, required: reads, own: None, class: None });
        Some(())
    }

    /// What is asked above an outer join needs both its sides.
    fn finish_above(&mut self) -> Option<()> {
        let specials = self.specials.clone();
        for clause in self.clauses.iter_mut().filter(|clause| clause.own.is_none()) {
            let reads = clause.reads;
            let outer =
                specials.iter().filter(|special| special.right & reads != 0 && special.kind == SpecialKind::Left);
            outer.for_each(|special| clause.required |= special.min_left | special.right);
        }
        Some(())
    }

    fn push_down(&mut self, n: usize, clause: Typed) {
        let base = &mut self.bases[n];
        let clause = shifted(clause, base.start);
        if !base.clauses.contains(&clause) {
            base.clauses.push(clause);
        }
    }

    /// A condition of an inner join, or of WHERE.
    fn add_inner(&mut self, expr: Typed, kinds: &[Option<SpecialKind>]) -> Option<()> {
        let reads = self.relids_of(&expr);
        let pair = self.pair(&expr);
        match reads.count_ones() {
            0 => return None,
            1 => {
                let n = reads.trailing_zeros() as usize;
                let is_anti = kinds[n].is_some_and(|kind| kind != SpecialKind::Semi);
                if is_anti {
                    return None;
                }
                self.push_down(n, expr);
                return Some(());
            }
            _ if pair.is_some() || is_strict(&expr) => {}
            // rows that have no partner would be asked as well; equal expressions may be merged and hashed
            _ if kinds.iter().flatten().any(|kind| *kind != SpecialKind::Semi) => return None,
            _ if matches!(expr.node, Node::Binary(BinaryOp::Eq, _)) => return None,
            _ => {}
        }
        if (0..kinds.len()).any(|n| reads & 1 << n != 0 && kinds[n].is_some_and(|kind| kind != SpecialKind::Semi)) {
            return None;
        }
        let Some((one, other, _)) = pair else {
            self.clauses.push(Clause { expr, pair: None, reads, required: reads, own: None, class: None });
            return Some(());
        };
        let at = |all: &[Class], slot: u16| all.iter().position(|class| class.members.contains(&slot));
        match (at(&self.classes, one), at(&self.classes, other)) {
            (Some(first), Some(second)) if first != second => {
                let gone = self.classes.remove(second);
                let first = if second < first { first - 1 } else { first };
                self.classes[first].members.extend(gone.members);
            }
            (Some(_), Some(_)) => {}
            (Some(first), None) => self.classes[first].members.push(other),
            (None, Some(second)) => self.classes[second].members.push(one),
            (None, None) => {
                let members = Vec::from([one, other]);
                self.classes.push(Class { members, relids: 0, is_fixed: false });
            }
        }
        self.need(one, reads);
        self.need(other, reads);
        Some(())
    }

    fn need(&mut self, slot: u16, relids: Relids) {
        if let Some(expr) = self.computed_at(slot) {
            let mut slots = Vec::new();
            expr.slots(&mut slots);
            slots.into_iter().for_each(|slot| self.need(slot, relids));
            return;
        }
        *self.needed.entry(slot).or_default() |= relids;
    }

    /// `make_outerjoininfo`
    fn add_special(&mut self, n: usize, kind: SpecialKind, clauses: &[Typed]) -> Option<()> {
        let right: Relids = 1 << n;
        // the first one is behind where a FULL JOIN was turned round
        let lefts = if n == 0 { ((1 << self.bases.len()) - 1) & !right } else { right - 1 };
        let reads = clauses.iter().fold(0, |all, clause| all | self.relids_of(clause));
        let mut min_left = reads & lefts;
        if min_left == 0 || reads & right == 0 {
            return None;
        }
        if kind != SpecialKind::Left {
            for other in self.specials.iter().filter(|other| other.kind == SpecialKind::Left) {
                if reads & other.right != 0 {
                    min_left |= (other.right - 1) | other.right;
                }
            }
        }
        let mut distinct = Vec::new();
        if kind == SpecialKind::Semi {
            for clause in clauses {
                if self.relids_of(clause) == right {
                    continue;
                }
                match self.pair(clause) {
                    Some((one, other, _)) => distinct.push(if self.rel_of(one) == n { one } else { other }),
                    None => {
                        distinct.clear();
                        break;
                    }
                }
            }
        }
        self.specials.push(Special { kind, min_left, right, full: false, distinct });
        Some(())
    }

    /// Which columns are needed above which relations.
    fn set_needed(&mut self, plan: &SelectPlan) {
        let above = SelectPlan { sources: Vec::new(), filter: Vec::new(), ..plan.clone() };
        for slot in read(&above, u16::MAX) {
            self.need(slot, TOP);
        }
        let tables = self.bases.iter().filter(|base| self.changed.is_some() && base.source.is_none());
        let places: Vec<u16> = tables.map(|base| base.start + base.table.columns.len() as u16).collect();
        places.into_iter().for_each(|place| self.need(place, TOP));
        for clause in self.clauses.clone() {
            let mut slots = Vec::new();
            clause.expr.slots(&mut slots);
            slots.into_iter().for_each(|slot| self.need(slot, clause.required));
        }
        for n in 0..self.classes.len() {
            let members = self.classes[n].members.clone();
            self.classes[n].relids = members.iter().fold(0, |all, slot| all | 1 << self.rel_of(*slot));
            self.classes[n].is_fixed = members.iter().any(|slot| self.is_fixed(*slot));
            let relids = self.classes[n].relids;
            if !self.classes[n].is_fixed {
                members.into_iter().for_each(|slot| self.need(slot, relids));
            }
        }
        let mut order: Vec<u16> = read(plan, u16::MAX);
        order.extend(self.needed.keys().copied());
        for slot in order {
            let n = self.rel_of(slot);
            let needed = self.needed.get(&slot).is_some_and(|relids| relids & !(1 << n) != 0);
            let base = &mut self.bases[n];
            let local = slot - base.start;
            if needed && !base.needed.contains(&local) {
                base.needed.push(local);
            }
        }
    }

    fn set_rows(&mut self) {
        let input = self.input;
        for base in &mut self.bases {
            base.tuples = match &base.source {
                Some(rows) => rows.count,
                None => of_table(&base.table, input.major).tuples,
            };
            let selectivity = Selectivity::new(&base.table, base.tuples, input);
            let clauses: Vec<&Typed> = base.clauses.iter().collect();
            base.rows = clamp(base.tuples * selectivity.all(&clauses));
        }
    }

    /// How wide rows of these relations are.
    pub fn width_of(&self, rels: Relids) -> u32 {
        let is_needed = |slot: u16, relids: Relids| rels & 1 << self.rel_of(slot) != 0 && relids & !rels != 0;
        let needed = self.needed.iter().filter(|(slot, relids)| is_needed(**slot, **relids));
        needed.map(|(slot, _)| self.column_width(*slot)).sum::<u32>() + self.whole_width(rels)
    }

    /// What whole rows take: those that are no table's are kept to try the conditions again, and NOT MATCHED BY SOURCE
    /// asks whether there is one of the source.
    pub fn whole_width(&self, rels: Relids) -> u32 {
        const HEADER: u32 = 24;
        let Some(changed) = self.changed else { return 0 };
        let is_beside = |special: &Special| {
            special.kind == SpecialKind::Left && (special.full || special.min_left & 1 << changed != 0)
        };
        let beside = self.specials.iter().filter(|it| is_beside(it)).fold(0, |all, special| all | special.right);
        let whole = |(n, base): (usize, &Base)| {
            let all = (0..base.table.columns.len() as u16).collect();
            let columns = match &base.source {
                Some(_) => &base.needed,
                None if beside & 1 << n != 0 => &all,
                None => return 0,
            };
            HEADER + columns.iter().map(|slot| self.column_width(base.start + slot)).sum::<u32>()
        };
        self.bases.iter().enumerate().filter(|(n, _)| rels & 1 << n != 0).map(whole).sum()
    }

    /// The columns that such rows have.
    pub fn columns_of(&self, rels: Relids) -> Vec<Typed> {
        let mut all = Vec::new();
        for (n, base) in self.bases.iter().enumerate().filter(|(n, _)| rels & 1 << n != 0) {
            for local in &base.needed {
                let slot = base.start + local;
                if self.needed.get(&slot).is_some_and(|relids| relids & !rels != 0) {
                    all.push(Typed { node: Node::Slot(slot), ty: self.type_of(n, *local) });
                }
            }
        }
        all
    }

    fn type_of(&self, n: usize, local: u16) -> SqlType {
        let columns = &self.bases[n].table.columns;
        match columns.get(usize::from(local)) {
            Some(column) => column.ty(),
            None => SYSTEM.get(usize::from(local) - columns.len()).map_or(SqlType::INT4, |(_, ty)| *ty),
        }
    }

    pub fn column(&self, slot: u16) -> Typed {
        if let Some(expr) = self.computed_at(slot) {
            return expr.clone();
        }
        let n = self.rel_of(slot);
        Typed { node: Node::Slot(slot), ty: self.type_of(n, slot - self.bases[n].start) }
    }

    fn column_width(&self, slot: u16) -> u32 {
        let n = self.rel_of(slot);
        let (table, slot) = (&self.bases[n].table, slot - self.bases[n].start);
        match table.columns.get(usize::from(slot)) {
            Some(column) => width(table, slot, &column.attribute),
            None => SYSTEM.get(usize::from(slot) - table.columns.len()).map_or(0, |(_, ty)| typavgwidth(*ty)),
        }
    }
}

/// The tables, in the order of FROM.
fn bases(plan: &SelectPlan, from: &From, (find, major): (&Find<'_>, u32)) -> Option<Vec<Base>> {
    let first = usize::from(from.table.is_some());
    if from.range.entries.len() != plan.sources.len() + first {
        return None;
    }
    let base = |table: &TableInfo, n: usize, clauses: Vec<Typed>, source: Option<Rows>| Base {
        table: table.clone(),
        name: from.range.entries[n].name.clone(),
        start: from.range.entries[n].first,
        clauses,
        needed: Vec::new(),
        tuples: 0.0,
        rows: 0.0,
        source,
    };
    let mut all = Vec::new();
    if let Some(table) = &from.table {
        let scan = plan.scan.as_ref().filter(|scan| scan.method != Method::Nothing)?;
        all.push(base(table, 0, scan.filter.clone(), None));
    }
    for (n, source) in plan.sources.iter().enumerate() {
        let entry = &from.range.entries[n + first];
        if let SourceRows::Table(scan) = &source.rows {
            let (_, table, _) = from.tables.iter().find(|(place, ..)| *place == n)?;
            all.push(base(table, n + first, scan.filter.clone(), None));
            continue;
        }
        let rows = Rows::of(source, find, major)?;
        let span = entry.first..entry.first + source.width() as u16;
        let is_own = |clause: &&Typed| {
            let mut slots = Vec::new();
            clause.slots(&mut slots);
            !slots.is_empty() && slots.iter().all(|slot| span.contains(slot)) && !clause.any(&is_open)
        };
        let clauses = source.filter.iter().filter(is_own).map(|clause| shifted(clause.clone(), entry.first));
        all.push(base(&rows.table(entry), n + first, clauses.collect(), Some(rows)));
    }
    let is_plain = |base: &Base| {
        let never = |clause: &Typed| matches!(clause.node, Node::Const(Value::Bool(false) | Value::Null));
        !base.table.has_parts() && base.table.sample.is_none() && !base.clauses.iter().any(never)
    };
    all.iter().all(is_plain).then_some(all)
}

/// A condition over the rows of one relation.
pub(in crate::sql::plan) fn shifted(clause: Typed, by: u16) -> Typed {
    if let Node::Slot(slot) = clause.node {
        return Typed { node: Node::Slot(slot - by), ty: clause.ty };
    }
    let Ok(clause) = clause.map_children(&mut |child| Ok::<_, Infallible>(shifted(child, by)));
    clause
}
