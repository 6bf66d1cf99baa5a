//! Plans beside the one that is told: of queries in expressions and of WITH (`ExplainSubPlans`,
//! src/backend/commands/explain.c; `build_subplan`, src/backend/optimizer/plan/subselect.c; `get_rule_expr` of a
//! `SubPlan`, src/backend/utils/adt/ruleutils.c).
//!
//! ```text
//!  Seq Scan on t
//!    Filter: (a = (InitPlan 1).col1)          before 17: (a = $0)
//!    InitPlan 1                                          InitPlan 1 (returns $0)
//!      ->  Aggregate
//! ```
//!
//! They are numbered as they are planned, one within another before it.

use super::actual::Actual;
use super::{Explained, Tree};
use crate::sql::ast::BinaryOp;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SubPlan, SubPlanKind, Typed};
use crate::sql::plan::{CommonPlan, CommonRows, InsertRows, Plan, SelectPlan, SourceRows};
use crate::sql::ruleutils::{Names, Prefixed, comparison, rule};
use crate::version::SqlBehaviour;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use ffviz_format::page::{Oid, PgVersion};

/// What is known of all plans of a statement.
pub struct Plans<'a> {
    /// the table of an OID
    find: &'a dyn Fn(Oid) -> Option<TableInfo>,
    /// of each plan its number, and that of what it gives; by its place
    numbers: BTreeMap<usize, (u32, u32)>,
    /// what the tables of a query are called, each once in all plans
    names: BTreeMap<usize, Vec<String>>,
    /// queries of WITH, in their order
    commons: Vec<Arc<CommonPlan>>,
    /// relations of all plans
    pub entries: usize,
    /// those that are told where the plan that needs them is
    waiting: RefCell<Vec<Waiting>>,
    /// how many have been told
    told: Cell<usize>,
}

/// A plan that is told with a node, or above all.
struct Waiting {
    number: u32,
    label: String,
    tree: Tree,
    is_init: bool,
}

/// Numbers, as they are given.
#[derive(Default)]
struct Counting {
    plans: u32,
    params: u32,
    /// queries whose tables have no names yet, by the number of the plan
    unnamed: Vec<(u32, Unnamed)>,
}

/// A query, or a statement that changes a table, by its place, and what that is called.
enum Unnamed {
    Query(Arc<SelectPlan>),
    Target(usize, String),
}

fn place<T>(plan: &T) -> usize {
    core::ptr::from_ref(plan).cast::<u8>() as usize
}

/// A name that no other relation has.
fn free(shown: &str, taken: &mut Vec<String>) -> String {
    let (mut name, mut n) = (String::from(shown), 0);
    while taken.contains(&name) {
        n += 1;
        name = format!("{shown}_{n}");
    }
    taken.push(name.clone());
    name
}

impl<'a> Plans<'a> {
    /// Those of a statement; `target`: what the table is called that it changes.
    pub fn of(plan: &Plan, target: Option<&str>, find: &'a dyn Fn(Oid) -> Option<TableInfo>) -> Self {
        let mut all = Self {
            find,
            numbers: BTreeMap::new(),
            names: BTreeMap::new(),
            commons: Vec::new(),
            entries: usize::from(target.is_some()),
            waiting: RefCell::default(),
            told: Cell::default(),
        };
        let mut counting = Counting::default();
        let (mut subs, mut query) = (Vec::new(), None);
        exprs_of(plan, &mut |expr| subs_of(expr, &mut subs));
        if let Some(select) = select_of(plan) {
            subs_of_select(select, &mut subs);
            query = Some(select);
        }
        let mut commons = Vec::new();
        if let Plan::With(with) = plan {
            with.changes.iter().for_each(|change| commons.push(change.clone()));
        }
        query.into_iter().for_each(|query| commons_of(query, &mut commons));
        subs.iter().for_each(|sub| commons_of(&sub.plan, &mut commons));
        commons.sort_by_key(|common| common.place);
        commons.iter().for_each(|common| all.number_common(common, &mut counting));
        subs.iter().for_each(|sub| all.number_sub(sub, &mut counting));
        all.commons = commons;
        let mut taken: Vec<String> = target.into_iter().map(String::from).collect();
        query.into_iter().for_each(|query| all.name(query, &mut taken));
        counting.unnamed.sort_by_key(|(number, _)| *number);
        for (_, unnamed) in counting.unnamed {
            match unnamed {
                Unnamed::Query(query) => all.name(&query, &mut taken),
                Unnamed::Target(place, name) => {
                    let name = free(&name, &mut taken);
                    all.entries += 1;
                    all.names.insert(place, Vec::from([name]));
                }
            }
        }
        all
    }

    /// What the items of FROM of a query are called.
    pub(super) fn names_of(&self, select: &SelectPlan) -> Option<&Vec<String>> {
        self.names.get(&place(select))
    }

    /// The numbers of the first end of an index that a query reads in place of its table.
    pub(super) fn first_extreme(&self, select: &SelectPlan) -> Option<(u32, u32)> {
        let count = select.extremes.len() as u32;
        match self.numbers.get(&place(select)) {
            Some((number, param)) => (count == 1).then(|| (number - count, param - count)),
            None => self.numbers.is_empty().then_some((1, 0)),
        }
    }

    /// How many rows a query of WITH is expected to give, once it has been told.
    pub(super) fn rows_of(&self, common: &CommonPlan) -> Option<f64> {
        let (number, _) = *self.numbers.get(&place(common))?;
        let waiting = self.waiting.borrow();
        waiting.iter().find(|one| one.number == number)?.tree.figures.map(|figures| figures.rows)
    }

    fn number_common(&mut self, common: &Arc<CommonPlan>, counting: &mut Counting) {
        let mut unnamed = Vec::new();
        match &common.rows {
            CommonRows::Query(query) => {
                self.number(query, counting);
                unnamed.push(Unnamed::Query(query.clone()));
            }
            CommonRows::Recursive(base, step, _) => {
                counting.params += 1;
                self.number(base, counting);
                self.number(step, counting);
                unnamed.extend([base, step].map(|query| Unnamed::Query(query.clone())));
            }
            CommonRows::Change(change) => {
                unnamed.push(Unnamed::Target(place(&**common), common.target.clone().unwrap_or_default()));
                if let Some(query) = select_of(change) {
                    self.number(query, counting);
                    unnamed.push(Unnamed::Query(query.clone()));
                }
            }
        }
        counting.plans += 1;
        self.numbers.insert(place(&**common), (counting.plans, counting.params));
        counting.unnamed.extend(unnamed.into_iter().map(|one| (counting.plans, one)));
        counting.params += 1;
    }

    fn number_sub(&mut self, sub: &Arc<SubPlan>, counting: &mut Counting) {
        if self.numbers.contains_key(&place(&*sub.plan)) {
            return;
        }
        counting.params += sub.reads.len() as u32;
        self.number(&sub.plan, counting);
        counting.plans += 1;
        self.numbers.insert(place(&*sub.plan), (counting.plans, counting.params));
        counting.unnamed.push((counting.plans, Unnamed::Query(sub.plan.clone())));
        let gives = matches!(sub.kind, SubPlanKind::Any | SubPlanKind::All) || sub.is_constant();
        counting.params += u32::from(gives);
    }

    /// What is within a query.
    fn number(&mut self, select: &SelectPlan, counting: &mut Counting) {
        let mut subs = Vec::new();
        subs_of_select(select, &mut subs);
        subs.iter().for_each(|sub| self.number_sub(sub, counting));
        for source in &select.sources {
            within(&source.rows).into_iter().for_each(|query| self.number(query, counting));
        }
        // an end of an index is a plan of its own, and the numbers of these come last
        counting.plans += select.extremes.len() as u32;
        counting.params += select.extremes.len() as u32;
    }

    /// `set_rtable_names`
    fn name(&mut self, select: &SelectPlan, taken: &mut Vec<String>) {
        self.entries += select.entries;
        let names = select.shown.iter().map(|shown| free(&shown.name, taken)).collect();
        self.names.insert(place(select), names);
        for source in &select.sources {
            within(&source.rows).into_iter().for_each(|query| self.name(query, taken));
        }
    }

    fn add(&self, one: Waiting) {
        self.told.set(self.told.get() + 1);
        self.waiting.borrow_mut().push(one);
    }

    /// The plans that belong to a node that has just been told.
    pub(super) fn told_with(&self, tree: &mut Tree) {
        let mut waiting = self.waiting.borrow_mut();
        let (mut here, later): (Vec<Waiting>, Vec<Waiting>) =
            core::mem::take(&mut *waiting).into_iter().partition(|one| !one.is_init);
        *waiting = later;
        here.sort_by_key(|one| one.number);
        tree.subs.extend(here.into_iter().map(|one| (one.label, one.tree)));
    }

    /// Those that are run once, with the uppermost node (`SS_attach_initplans`).
    fn attach(&self, mut tree: Tree) -> Option<Tree> {
        let mut waiting = core::mem::take(&mut *self.waiting.borrow_mut());
        if waiting.iter().any(|one| !one.is_init) {
            return None;
        }
        waiting.sort_by_key(|one| one.number);
        let cost: Option<f64> = waiting.iter().map(|one| one.tree.figures.map(|it| it.cost.total)).sum();
        tree.figures = tree.figures.zip(cost).map(|(mut figures, cost)| {
            (figures.cost.startup, figures.cost.total) = (figures.cost.startup + cost, figures.cost.total + cost);
            figures
        });
        tree.init.splice(..0, waiting.into_iter().map(|one| (one.label, one.tree)));
        Some(tree)
    }
}

/// The queries in expressions of a query, in the order in which they are planned.
fn subs_of_select(select: &SelectPlan, subs: &mut Vec<Arc<SubPlan>>) {
    let outputs = select.targets.iter().filter_map(|target| target.value.expr()).chain(&select.junk);
    outputs.for_each(|expr| subs_of(expr, subs));
    let scan = select.scan.iter().flat_map(|scan| &scan.filter);
    let sources = select.sources.iter().flat_map(|source| source.on.iter().chain(&source.filter));
    let above = select.having.iter().chain(&select.limit).chain(&select.offset);
    scan.chain(sources).chain(&select.filter).chain(above).for_each(|expr| subs_of(expr, subs));
}

fn subs_of(expr: &Typed, subs: &mut Vec<Arc<SubPlan>>) {
    expr.children().into_iter().for_each(|child| subs_of(child, subs));
    if let Node::Query(sub) = &expr.node {
        subs.push(sub.clone());
    }
}

/// The expressions of a statement that changes rows.
fn exprs_of(plan: &Plan, each: &mut dyn FnMut(&Typed)) {
    match plan {
        Plan::Update(update) => update.set.iter().for_each(|set| each(&set.value)),
        Plan::With(with) => return exprs_of(&with.plan, each),
        _ => {}
    }
    plan.returning().into_iter().flat_map(|returning| &returning.targets).for_each(&mut *each);
    if let Plan::Update(_) | Plan::Delete(_) = plan {
        plan.scan().into_iter().flat_map(|scan| &scan.filter).for_each(each);
    }
}

/// Its query.
fn select_of(plan: &Plan) -> Option<&Arc<SelectPlan>> {
    match plan {
        Plan::Select(select) => Some(select),
        Plan::With(with) => select_of(&with.plan),
        Plan::Insert(insert) => match &insert.source {
            InsertRows::Select(select, _) => Some(select),
            InsertRows::Values(_) => None,
        },
        plan => plan.joined(),
    }
}

/// The queries that an item of FROM is made of.
fn within(rows: &SourceRows) -> Vec<&Arc<SelectPlan>> {
    match rows {
        SourceRows::Query(query) => Vec::from([query]),
        SourceRows::Set(set) => Vec::from([&set.left, &set.right]),
        _ => Vec::new(),
    }
}

/// The queries of WITH that it reads, and that these read.
fn commons_of(select: &SelectPlan, found: &mut Vec<Arc<CommonPlan>>) {
    for source in &select.sources {
        match &source.rows {
            SourceRows::Query(_) | SourceRows::Set(_) => {
                within(&source.rows).into_iter().for_each(|query| commons_of(query, found));
            }
            SourceRows::Common(common) if !found.iter().any(|known| Arc::ptr_eq(known, common)) => {
                found.push(common.clone());
                match &common.rows {
                    CommonRows::Query(query) => commons_of(query, found),
                    CommonRows::Recursive(base, step, _) => {
                        commons_of(base, found);
                        commons_of(step, found);
                    }
                    CommonRows::Change(change) => {
                        select_of(change).into_iter().for_each(|select| commons_of(select, found));
                    }
                }
            }
            _ => {}
        }
    }
    let mut subs = Vec::new();
    subs_of_select(select, &mut subs);
    subs.iter().for_each(|sub| commons_of(&sub.plan, found));
}

/// Names of the columns of the table around, of which a query in an expression reads some.
struct Around<'a> {
    table: Option<Prefixed<'a>>,
    further: Option<&'a dyn Names>,
}

impl Names for Around<'_> {
    fn column(&self, _: u16, _: ffviz_format::datum::SqlType) -> Option<String> {
        None
    }

    fn outer(&self, level: u16, slot: u16, ty: ffviz_format::datum::SqlType) -> Option<String> {
        match level {
            1 => self.table.as_ref()?.column(slot, ty),
            _ => self.further?.outer(level - 1, slot, ty),
        }
    }
}

impl Explained<'_> {
    /// The statement's plan with the plans beside it.
    pub(super) fn with_plans(&self, plan: &Plan) -> Option<Tree> {
        if self.plans.commons.iter().any(|common| common.is_nested) {
            return None;
        }
        for common in &self.plans.commons {
            let (number, _) = *self.plans.numbers.get(&place(&**common))?;
            let tree = self.common(common)?;
            let label = format!("CTE {}", common.name);
            self.plans.add(Waiting { number, label, tree, is_init: true });
        }
        let tree = self.plans.attach(self.plan(plan)?)?;
        (self.plans.told.get() == self.plans.numbers.len()).then_some(tree)
    }

    /// The plans of what is computed of the rows that are told next.
    pub(super) fn tell_computed<'e>(&self, exprs: impl IntoIterator<Item = &'e Typed>) -> Option<()> {
        let mut subs = Vec::new();
        exprs.into_iter().for_each(|expr| subs_of(expr, &mut subs));
        subs.iter().try_for_each(|sub| self.sub_plan(sub, self).map(|_| ()))
    }

    /// Those of a query: what is computed above its scan, or more than once, is not told.
    pub(super) fn tell_outputs(&self, select: &SelectPlan) -> Option<()> {
        let outputs = || select.targets.iter().filter_map(|target| target.value.expr()).chain(&select.junk);
        let mut subs = Vec::new();
        outputs().for_each(|expr| subs_of(expr, &mut subs));
        let is_plain = select.aggregates.is_empty() && select.sort.is_empty() && !select.is_general();
        let is_certain = is_plain && select.locking.is_none() || subs.iter().all(|sub| sub.is_init());
        if is_certain { self.tell_computed(outputs()) } else { None }
    }

    /// The plan of a query in an expression, whose work is counted.
    fn query_in(&self, sub: &SubPlan) -> Option<Tree> {
        let outside = core::mem::take(&mut *self.plans.waiting.borrow_mut());
        let tree = self.of_query(&sub.plan, true).and_then(|tree| self.plans.attach(tree));
        *self.plans.waiting.borrow_mut() = outside;
        Some(Tree { query: Some(place(&*sub.plan)), ..tree? })
    }

    /// The plan of a query of its own; `is_within`: does it stand in an expression over this one's rows?
    pub(super) fn nested(&self, select: &SelectPlan, is_within: bool) -> Option<Tree> {
        let outside = core::mem::take(&mut *self.plans.waiting.borrow_mut());
        let tree = self.of_query(select, is_within);
        // what it does when it is run is not counted
        let tree = tree.and_then(|tree| self.plans.attach(tree.counted(Actual::Unknown)));
        *self.plans.waiting.borrow_mut() = outside;
        tree
    }

    fn of_query(&self, select: &SelectPlan, is_within: bool) -> Option<Tree> {
        if self.schema.is_some() {
            return None;
        }
        let find = self.plans.find;
        let table = select.scan.as_ref().and_then(|scan| find(scan.table));
        let parts: Vec<TableInfo> = match &select.scan {
            Some(scan) => scan.parts().filter_map(find).collect(),
            None => Vec::new(),
        };
        let joined = select.join.iter().flat_map(|join| join.tables.iter());
        let tables: Vec<TableInfo> = joined.filter_map(|table| find(table.oid)).collect();
        let names = self.plans.names_of(select)?;
        // a join has the names that the query gives
        if !tables.is_empty() && !names.iter().eq(select.shown.iter().map(|shown| &shown.name)) {
            return None;
        }
        let own = self.table.map(|table| Prefixed(table, self.alias.unwrap_or(&table.name)));
        let around = Around { table: own, further: self.around };
        let one = Explained {
            table: table.as_ref(),
            parts: &parts,
            alias: names.first().map(String::as_str),
            conflict: None,
            function: None,
            source: None,
            tables: &tables,
            around: if is_within { Some(&around) } else { self.around },
            subquery: None,
            has_prefixes: true,
            ..*self
        };
        one.select(select)
    }

    /// What a query in an expression is called there, whose plan is told with the node.
    pub(super) fn sub_plan(&self, sub: &SubPlan, names: &dyn Names) -> Option<String> {
        let (number, param) = *self.plans.numbers.get(&place(&*sub.plan))?;
        let is_named = PgVersion::of_major(self.major).leaves_init_parameters_out();
        let is_init = sub.is_init();
        let is_hashed = sub.kind == SubPlanKind::Any && sub.is_constant();
        // locks take numbers of their own, one for each path
        if !is_named && sub.plan.locking.is_some() {
            return None;
        }
        let text = match sub.kind {
            _ if is_init && is_named => format!("(InitPlan {number}).col1"),
            _ if is_init => format!("${param}"),
            SubPlanKind::Scalar => format!("(SubPlan {number})"),
            SubPlanKind::Any if is_hashed => hashed(sub, number, is_named, names)?,
            _ => return None,
        };
        let returns = if is_init && !is_named { format!(" (returns ${param})") } else { String::new() };
        let label = format!("{} {number}{returns}", if is_init { "InitPlan" } else { "SubPlan" });
        if !self.plans.waiting.borrow().iter().any(|one| one.number == number) {
            let tree = self.query_in(sub)?;
            self.plans.add(Waiting { number, label, tree, is_init });
        }
        Some(text)
    }

    /// A query of WITH.
    fn common(&self, common: &CommonPlan) -> Option<Tree> {
        match &common.rows {
            CommonRows::Query(query) => self.nested(query, false),
            CommonRows::Change(change) => self.changing(change, self.plans.names.get(&place(common))?.first()?),
            CommonRows::Recursive(base, step, _) => {
                let mut tree = Tree::new("Recursive Union");
                tree.below = Vec::from([self.nested(base, false)?, self.nested(step, false)?]);
                Some(tree)
            }
        }
    }

    /// A statement of WITH that changes rows.
    fn changing(&self, plan: &Plan, alias: &str) -> Option<Tree> {
        let find = self.plans.find;
        let (table, is_plain) = match plan {
            Plan::Insert(insert) => (insert.table, insert.on_conflict.is_none()),
            Plan::Update(update) => (update.scan.table, update.joined.is_none()),
            Plan::Delete(delete) => (delete.scan.table, delete.joined.is_none()),
            _ => return None,
        };
        let table = find(table).filter(|_| is_plain && self.schema.is_none())?;
        let parts: Vec<TableInfo> = plan.scan().map_or_else(Vec::new, |scan| scan.parts().filter_map(find).collect());
        let inner = match select_of(plan) {
            Some(query) => Some((query.scan.as_ref().and_then(|scan| find(scan.table)), self.plans.names_of(query)?)),
            None => None,
        };
        let name = inner.as_ref().and_then(|(_, names)| names.first()).map(String::as_str);
        let of_table = Explained {
            table: Some(&table),
            parts: &parts,
            alias: Some(alias),
            conflict: None,
            function: None,
            source: None,
            tables: &[],
            around: None,
            subquery: None,
            has_prefixes: true,
            ..*self
        };
        let source = Explained { table: inner.as_ref().and_then(|(table, _)| table.as_ref()), alias: name, ..of_table };
        Explained { source: Some(&source), ..of_table }.plan(plan)
    }
}

/// Is it a condition that makes a join of the query in it (`pull_up_sublinks`), or is asked once?
pub(super) fn is_semi_join(clause: &Typed) -> bool {
    let is_of =
        |expr: &Typed, kinds: &[SubPlanKind]| matches!(&expr.node, Node::Query(sub) if kinds.contains(&sub.kind));
    match &clause.node {
        Node::Not(inner) => is_of(inner, &[SubPlanKind::Exists]),
        _ => is_of(clause, &[SubPlanKind::Exists, SubPlanKind::Any]),
    }
}

/// `x = ANY (query)` whose values are in a hash table.
fn hashed(sub: &SubPlan, number: u32, is_named: bool, names: &dyn Names) -> Option<String> {
    let Some(Typed { node: Node::Binary(BinaryOp::Eq, operands), .. }) = &sub.test else { return None };
    if operands.1.node != Node::CaseTest {
        return None;
    }
    let left = rule(&operands.0, names)?;
    Some(match is_named {
        true => format!("(ANY {})", comparison(BinaryOp::Eq, &left, &format!("(hashed SubPlan {number}).col1"))),
        false => format!("(hashed SubPlan {number})"),
    })
}
