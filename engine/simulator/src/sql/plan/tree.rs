//! A plan as EXPLAIN prints it (`ExplainNode`, src/backend/commands/explain.c).
//!
//! ```text
//!  Limit
//!    ->  Index Scan using t_pkey on t
//!          Index Cond: (a > 5)
//!          Filter: (b = 7)
//! ```
//!
//! What is not printed for certain as the server does is refused.

mod actual;
mod actual_join;
mod figures;
mod format;
mod function;
mod item;
mod join;
mod output;
mod partition;
mod run_condition;
mod scan;
mod sub_plan;
mod upper;
mod window;

pub use self::actual::Ran;
use self::actual::{Actual, Way};
use self::figures::Figures;
use self::format::Shape;
use self::output::Level;
pub use self::sub_plan::Plans;
use super::cost::{self, CPU_TUPLE};
use super::select::limit_and_offset;
use super::size::byte_size;
use super::{Cost, DeletePlan, InsertRows, MergePlan, Method, Plan, Scan, SelectPlan, SortTarget, UpdatePlan, query};
use crate::cluster::ddl::quote_identifier;
use crate::sql::catalog::{EnabledScans, TableInfo};
use crate::sql::expr::{Node, SortKey, SubPlan, Typed};
use crate::sql::ruleutils::{Names, Prefixed, rule};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::PgVersion;

/// What is printed depends on, besides the plan.
#[derive(Clone, Copy)]
pub struct Explained<'a> {
    /// the table that is scanned, where there is one
    pub table: Option<&'a TableInfo>,
    /// the partitions of it that are scanned
    pub parts: &'a [TableInfo],
    /// the name that the statement gives it
    pub alias: Option<&'a str>,
    /// ON CONFLICT, and whether it names the columns of an index
    pub conflict: Option<bool>,
    /// the server's version
    pub major: u32,
    /// for casts of values
    pub input: Input,
    /// what is not switched off; from 18 on a node that is says so
    pub enabled: EnabledScans,
    /// VERBOSE: the schema of the table
    pub schema: Option<&'a str>,
    /// the function in FROM, where one stands there alone
    pub function: Option<&'a FunctionItem>,
    /// of INSERT: how its query is told
    pub source: Option<&'a Explained<'a>>,
    /// the tables of a join
    pub tables: &'a [TableInfo],
    /// names of the row around that a scan reads
    pub around: Option<&'a dyn Names>,
    /// what the query is called that stands in FROM
    pub subquery: Option<&'a str>,
    /// are there several relations, so that columns above scans have the names of theirs?
    pub has_prefixes: bool,
    /// all plans of the statement
    pub plans: &'a Plans<'a>,
}

/// A function in FROM.
#[derive(Debug, Clone)]
pub struct FunctionItem {
    /// its name
    pub name: String,
    /// what it is called
    pub alias: String,
    /// and its column
    pub column: String,
}

/// Groups whose hash table does not grow.
const FEW_GROUPS: u64 = 57;

/// What is told of a node.
#[derive(Debug, Clone)]
enum Told {
    /// a line of its own, in text only
    Line(String),
    /// a name, and its value
    Text(&'static str, String),
    /// a name, and several values
    List(&'static str, Vec<String>),
    /// a name, and whether it is so; not in text
    Flag(&'static str, bool),
}

/// A node, with what is told of it.
#[derive(Debug)]
pub struct Tree {
    line: String,
    /// what it costs, where that is known
    figures: Option<Figures>,
    /// what counts its rows when it has run
    actual: Actual,
    told: Vec<Told>,
    /// what it is in other formats than text, where that is not its line
    shape: Option<Shape>,
    /// of a query in an expression: the place of its plan
    query: Option<usize>,
    /// queries that are run once, each with its name (`ExplainSubPlans`)
    init: Vec<(String, Self)>,
    /// those of its conditions, and of what it computes, that may be run more than once
    subs: Vec<(String, Self)>,
    below: Vec<Self>,
}

impl Tree {
    fn new(line: impl Into<String>) -> Self {
        Self {
            line: line.into(),
            figures: None,
            actual: Actual::Unknown,
            told: Vec::new(),
            shape: None,
            query: None,
            init: Vec::new(),
            subs: Vec::new(),
            below: Vec::new(),
        }
    }

    fn over(line: &str, below: Self) -> Self {
        Self { below: Vec::from([below]), ..Self::new(line) }
    }

    fn tell(&mut self, name: &'static str, text: String) {
        self.told.push(Told::Text(name, text));
    }

    /// Tells it right behind what has that name.
    fn tell_behind(&mut self, other: &str, name: &'static str, text: String) {
        let is_other = |told: &Told| matches!(told, Told::Text(name, _) if *name == other);
        let at = self.told.iter().position(is_other).map_or(self.told.len(), |at| at + 1);
        self.told.insert(at, Told::Text(name, text));
    }

    fn tell_all(&mut self, name: &'static str, texts: Vec<String>) {
        self.told.push(Told::List(name, texts));
    }

    fn shaped(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }

    /// The lines; with costs these must be known.
    #[must_use]
    pub fn lines(&self, costs: bool) -> Option<Vec<String>> {
        let mut lines = Vec::from([self.head(costs)?]);
        self.print(2, costs, &mut lines)?;
        Some(lines)
    }

    /// The node's own line.
    fn head(&self, costs: bool) -> Option<String> {
        let cost = if costs { self.figures.as_ref()?.text() } else { String::new() };
        Some(format!("{}{cost}{}", self.line, self.actual.text()))
    }

    /// What a hash table of few groups takes (`hash_agg_update_metrics`); of more it is not known.
    #[must_use]
    pub fn hash_kilobytes(groups: u64, version: PgVersion) -> Option<u64> {
        (groups <= FEW_GROUPS).then_some(if version.tells_index_searches() { 32 } else { 24 })
    }

    /// Is a hash table taken to be so small that it is known what it takes?
    #[must_use]
    pub fn hashes_few(&self) -> bool {
        const NARROW: f64 = 2000.0;
        const FEW_KEYS: usize = 2;
        let Some(hashed) = self.hashed() else { return true };
        let is_few = |told: &Told| !matches!(told, Told::List("Group Key", keys) if keys.len() > FEW_KEYS);
        let is_narrow =
            |figures: Figures| figures.rows <= FEW_GROUPS as f64 && figures.rows * f64::from(figures.width) <= NARROW;
        hashed.figures.is_some_and(is_narrow) && hashed.told.iter().all(is_few)
    }

    /// The node that has a hash table of groups.
    #[must_use]
    pub fn hashed(&self) -> Option<&Self> {
        let is_hashed = matches!(
            self.actual,
            Actual::Groups { is_hashed: true, .. } | Actual::Distinct { is_hashed: true, .. } | Actual::SideDistinct(_)
        );
        if is_hashed { Some(self) } else { self.below.iter().find_map(Self::hashed) }
    }

    /// Is there a sort or a hash table that may not fit into the smallest `work_mem` there is?
    #[must_use]
    pub fn keeps_much(&self) -> bool {
        const LEAST_MEMORY: f64 = 65_536.0;
        const KEEPING: [&str; 6] = ["Sort", "Incremental Sort", "HashAggregate", "Hash", "Materialize", "Memoize"];
        let keeps = KEEPING.contains(&self.line.as_str());
        let is_much =
            |below: &Self| below.figures.is_none_or(|figures| byte_size(figures.rows, figures.width) > LEAST_MEMORY);
        keeps && self.below.iter().any(is_much) || self.below.iter().any(Self::keeps_much)
    }

    /// Does a function give so many rows that they are written to a file?
    #[must_use]
    pub fn spills(&self) -> bool {
        const MANY: f64 = 60_000.0;
        let is_large = self.line.starts_with("Function Scan") && self.figures.is_none_or(|it| it.rows > MANY);
        is_large || self.below.iter().any(Self::spills)
    }

    /// Where its rows are counted when it has run.
    fn counted(mut self, actual: Actual) -> Self {
        self.actual = actual;
        self
    }

    /// What is told of the node, and what stands below it `indent` deep.
    fn print(&self, indent: usize, costs: bool, lines: &mut Vec<String>) -> Option<()> {
        const STEP: usize = 2;
        const ARROW: usize = 4;
        let told = self.told.iter().filter(|told| !matches!(told, Told::Flag(..)));
        lines.extend(told.map(|told| format!("{:indent$}{}", "", told.text())));
        let named = |(name, plan): &(String, Self), lines: &mut Vec<String>| {
            lines.push(format!("{:indent$}{name}", ""));
            lines.push(format!("{:1$}->  {2}", "", indent + STEP, plan.head(costs)?));
            plan.print(indent + STEP + ARROW + STEP, costs, lines)
        };
        self.init.iter().try_for_each(|init| named(init, lines))?;
        for below in &self.below {
            lines.push(format!("{:indent$}->  {1}", "", below.head(costs)?));
            below.print(indent + ARROW + STEP, costs, lines)?;
        }
        self.subs.iter().try_for_each(|sub| named(sub, lines))
    }
}

/// Where there is no table.
struct NoColumns;

impl Names for NoColumns {
    fn column(&self, _: u16, _: SqlType) -> Option<String> {
        None
    }
}

/// The columns of the row that is there already, and of the one that was to be inserted.
struct WithExcluded<'a>(&'a TableInfo, &'a str);

impl Names for WithExcluded<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        let (slot, name) =
            slot.checked_sub(self.0.columns.len() as u16).map_or((slot, self.1), |slot| (slot, "excluded"));
        Prefixed(self.0, name).column(slot, ty)
    }
}

impl Told {
    fn text(&self) -> String {
        match self {
            Self::Line(line) => line.clone(),
            Self::Text(name, text) => format!("{name}: {text}"),
            Self::List(name, texts) => format!("{name}: {}", texts.join(", ")),
            Self::Flag(name, is_so) => format!("{name}: {is_so}"),
        }
    }
}

impl Names for Explained<'_> {
    fn column(&self, slot: u16, ty: SqlType) -> Option<String> {
        let table = self.table?;
        match self.schema {
            Some(_) => Prefixed(table, self.alias.unwrap_or(&table.name)).column(slot, ty),
            None => table.column(slot, ty),
        }
    }

    fn is_of_domain(&self, slot: u16) -> bool {
        self.table.is_some_and(|table| table.is_of_domain(slot))
    }

    fn outer(&self, level: u16, slot: u16, ty: SqlType) -> Option<String> {
        self.around?.outer(level, slot, ty)
    }

    fn query(&self, sub: &SubPlan) -> Option<String> {
        self.sub_plan(sub, self)
    }
}

impl Explained<'_> {
    /// The plan's nodes; `None` where there is something in the plan that is not printed here.
    #[must_use]
    pub fn tree(&self, plan: &Plan) -> Option<Tree> {
        self.with_plans(plan)
    }

    fn plan(&self, plan: &Plan) -> Option<Tree> {
        let is_told = self.schema.is_none() || plan.returning().is_none();
        match plan {
            _ if !is_told => None,
            Plan::Update(UpdatePlan { joined: Some(joined), scan, returning, .. }) => {
                self.joined_change("Update on", &scan.name, &joined.query, returning.is_some())
            }
            Plan::Delete(DeletePlan { joined: Some(joined), scan, returning }) => {
                self.joined_change("Delete on", &scan.name, &joined.query, returning.is_some())
            }
            Plan::Merge(plan) => self.merged(plan),
            Plan::With(with) => self.plan(&with.plan),
            Plan::Select(select) => self.select(select),
            Plan::Update(update) => {
                self.tell_computed(update.set.iter().map(|set| &set.value))?;
                let below = match self.update_targets(update) {
                    Some(targets) => {
                        let targets: Vec<&Typed> = targets.iter().collect();
                        let tree = self.scan_for(&update.scan, true, &targets)?;
                        self.with_output(tree, &targets, Level::Scan, self.table?)?
                    }
                    None if self.schema.is_some() => return None,
                    None if matches!(update.scan.method, Method::Append(_)) => return None,
                    None => self.scan(&update.scan, true)?.costing(None),
                };
                let tree = self.over_partitions("Update on", &update.scan, below)?;
                Some(tree.modifying(self, update.returning.is_some()))
            }
            Plan::Delete(delete) => {
                let below = self.scan_for(&delete.scan, true, &[&place()])?;
                let below = self.with_output(below, &[&place()], Level::Scan, self.table?)?;
                let tree = self.over_partitions("Delete on", &delete.scan, below)?;
                Some(tree.modifying(self, delete.returning.is_some()))
            }
            Plan::Insert(insert) => {
                let source = match &insert.source {
                    InsertRows::Values(rows) if rows.len() == 1 => self.inserted_row(&rows[0])?,
                    InsertRows::Values(_) if self.schema.is_some() => return None,
                    InsertRows::Values(rows) => Tree::new("Values Scan on \"*VALUES*\"")
                        .shaped(Shape {
                            after: Vec::from([("Alias", "*VALUES*".to_string())]),
                            ..Shape::of("Values Scan")
                        })
                        .costing(Figures::values(rows, self.major))
                        .counted(Actual::Rows(rows.len() as u64)),
                    InsertRows::Select(query, row) => self.inserted(query, row.as_deref())?,
                };
                let tree = Tree::over(&self.named("Insert on", &insert.name), source);
                let tree = tree.shaped(self.modify_shape("Insert", &insert.name));
                let mut tree = tree.modifying(self, insert.returning.is_some());
                if let Some(conflict) = &insert.on_conflict {
                    let update = conflict.update.as_ref();
                    tree.tell("Conflict Resolution", if update.is_some() { "UPDATE" } else { "NOTHING" }.to_string());
                    if self.conflict? {
                        let name = |oid: &_| self.table?.indexes.iter().find(|index| index.oid == *oid);
                        let names = conflict.indexes.iter().map(|oid| Some(quote_identifier(&name(oid)?.name)));
                        tree.tell_all("Conflict Arbiter Indexes", names.collect::<Option<Vec<_>>>()?);
                    }
                    if let Some((_, filter)) = update.filter(|(_, filter)| !filter.is_empty()) {
                        let table = self.table?;
                        let names = WithExcluded(table, self.alias.unwrap_or(&table.name));
                        let rules = filter.iter().map(|clause| rule(clause, &names)).collect::<Option<Vec<_>>>()?;
                        let text =
                            if let [one] = &rules[..] { one.clone() } else { format!("({})", rules.join(" AND ")) };
                        tree.tell("Conflict Filter", text);
                        tree.actual = Actual::Unknown;
                    }
                }
                Some(tree)
            }
        }
    }

    /// A statement above the rows of a join.
    fn joined_change(&self, node: &str, table: &str, query: &SelectPlan, returns: bool) -> Option<Tree> {
        Some(Tree::over(&self.named(node, table), self.changed_rows(query)?).modifying(self, returns))
    }

    fn merged(&self, plan: &MergePlan) -> Option<Tree> {
        let mut rows = self.changed_rows(&plan.query)?;
        if plan.alone.is_some() {
            // joined to one row, which stays where there are none
            let below = Vec::from([Tree::new("Result"), rows]);
            rows = Tree { below, ..Tree::new("Nested Loop Left Join") };
        }
        let tree = Tree::over(&self.named("Merge on", &plan.name), rows);
        Some(Tree { actual: Actual::Unknown, ..tree.modifying(self, plan.returning.is_some()) })
    }

    /// The one row of an INSERT.
    fn inserted_row(&self, row: &[Typed]) -> Option<Tree> {
        self.tell_computed(row)?;
        let row: Vec<&Typed> = row.iter().collect();
        let tree = Tree::new("Result").costing(Figures::row(&row, self.major));
        Some(self.with_output(tree, &row, Level::Scan, &NoColumns)?.counted(Actual::Rows(1)))
    }

    /// `ExplainTargetRel`
    fn named(&self, node: &str, table: &str) -> String {
        let alias = self.alias.filter(|alias| *alias != table).map(quote_identifier);
        let alias = alias.map_or_else(String::new, |alias| format!(" {alias}"));
        let schema = self.schema.map_or_else(String::new, |schema| format!("{}.", quote_identifier(schema)));
        format!("{node} {schema}{}{alias}", quote_identifier(table))
    }

    fn select(&self, select: &SelectPlan) -> Option<Tree> {
        let has_series = select.targets.iter().any(|target| target.value.expr().is_none());
        if has_series {
            return self.project_set(select);
        }
        self.tell_outputs(select)?;
        if let Some(join) = &select.join {
            return self.joined_rows(select, join);
        }
        if !select.sources.is_empty() {
            let listed = self.listed(select);
            return listed.or_else(|| self.of_item(select)).or_else(|| self.function_scan(select));
        }
        if select.is_general() {
            return self.upper(select, select.upper.as_ref()?);
        }
        let (tid, slots) = (place(), read_slots(select));
        let outputs = select.targets.iter().filter_map(|target| target.value.expr());
        let reads: Vec<&Typed> = match select.aggregates.is_empty() {
            true => outputs.chain(&select.junk).chain(select.locking.as_ref().map(|_| &tid)).collect(),
            false => slots.iter().collect(),
        };
        let is_aggregated = !select.aggregates.is_empty() && select.extremes.is_empty();
        let mut tree = match &select.scan {
            _ if !select.extremes.is_empty() => self.extremes(select)?,
            Some(scan) if is_aggregated && select.aggregate_order.is_empty() => {
                let tree = self.scan_for(scan, false, &reads)?;
                self.with_all_columns(tree, scan, &reads)?
            }
            Some(scan) => {
                let tree = self.scan_for(scan, select.locking.is_some(), &reads)?;
                self.with_output(tree, &reads, Level::Scan, self.table?)?
            }
            None => match &select.filter[..] {
                [] => Tree::new("Result").counted(Actual::Rows(1)),
                [Typed { node: Node::Const(Value::Bool(false)), .. }] => nothing(),
                _ => return None,
            }
            .costing(Figures::row(&reads, self.major)),
        };
        if select.scan.is_none() {
            tree = self.with_output(tree, &reads, Level::Scan, &NoColumns)?;
        }
        let gives = |tree: Tree| match select.aggregates.is_empty() {
            true if select.scan.is_none() => self.with_output(tree, &reads, Level::Above, &NoColumns),
            true => self.with_output(tree, &reads, Level::Above, self.table?),
            false => self.with_aggregates(tree, select, Level::Above),
        };
        if is_aggregated {
            if !select.aggregate_order.is_empty() {
                tree = self.sorted(select, tree, &select.aggregate_order, select.presorted, None)?;
                tree = self.with_output(tree, &reads, Level::Above, self.table?)?;
            }
            let figures = self.aggregated(tree.figures, select);
            tree = Tree::over("Aggregate", tree).costing(figures).counted(Actual::Rows(1));
            tree = self.with_aggregates(tree.shaped(Shape::aggregate("Plain")), select, Level::Scan)?;
        }
        if !select.sort.is_empty() {
            tree = self.sorted_rows(tree, select, &gives)?;
        }
        if select.locking.is_some() {
            let actual =
                if select.limit.is_none() && select.offset.is_none() { Actual::Locked } else { Actual::Unknown };
            tree = gives(Tree::over("LockRows", tree).with_rows_at(CPU_TUPLE).counted(actual))?;
        }
        self.limit(tree, select, &gives)
    }

    /// The rows that come out, sorted.
    fn sorted_rows(&self, tree: Tree, select: &SelectPlan, gives: &dyn Fn(Tree) -> Option<Tree>) -> Option<Tree> {
        let targets = select.sort_targets(self.major);
        let postponed = select.targets.iter().zip(targets).any(|(target, place)| {
            let is_simple = |expr: &Typed| matches!(expr.node, Node::Slot(_) | Node::Const(_));
            place == SortTarget::Above && !target.value.expr().is_some_and(is_simple)
        });
        if postponed {
            return None;
        }
        let bound = limit_and_offset(select).filter(|(count, _)| *count >= 0.0).map(|(count, skip)| count + skip);
        let wanted = bound.map_or(u64::MAX, |bound| bound as u64);
        let presorted = if select.aggregates.is_empty() { select.presorted } else { 0 };
        let tree = gives(self.sorted(select, tree, &select.sort, presorted, bound)?)?;
        Some(if sorts_columns(select) { tree.counted(Actual::Sort(wanted)) } else { tree })
    }

    /// Limit, where there is one.
    fn limit(&self, mut tree: Tree, select: &SelectPlan, gives: &dyn Fn(Tree) -> Option<Tree>) -> Option<Tree> {
        let limits = |count: &Option<Typed>, none: &[Value]| {
            count.as_ref().is_some_and(|count| !matches!(&count.node, Node::Const(value) if none.contains(value)))
        };
        if limits(&select.limit, &[Value::Null]) || limits(&select.offset, &[Value::Null, Value::Int8(0)]) {
            // the queries run once belong to the uppermost node (`SS_attach_initplans`)
            let (init, figures) = (core::mem::take(&mut tree.init), Self::limited(tree.figures, select));
            // what is below LIMIT 0 is never executed
            let is_none = matches!(&select.limit, Some(limit) if limit.node == Node::Const(Value::Int8(0)));
            let actual = if is_none { Actual::Unknown } else { Actual::Returned };
            tree = gives(Tree { init, ..Tree::over("Limit", tree).costing(figures).counted(actual) })?;
        }
        Some(tree)
    }

    /// A scan of whose rows these are computed.
    fn scan_for(&self, scan: &Scan, rechecks: bool, exprs: &[&Typed]) -> Option<Tree> {
        if let Method::Append(append) = &scan.method {
            return self.append(append, rechecks, exprs);
        }
        let tree = self.scan(scan, rechecks)?;
        let figures = tree.figures.and_then(|figures| match scan.method {
            Method::Nothing => self.project_nothing(figures, exprs),
            _ => self.project(figures, exprs),
        });
        Some(tree.costing(figures))
    }

    /// Sort, or Incremental Sort of rows that have the order of the first keys.
    fn sorted(
        &self,
        select: &SelectPlan,
        below: Tree,
        keys: &[SortKey],
        presorted: usize,
        bound: Option<f64>,
    ) -> Option<Tree> {
        let figures = below.figures.and_then(|below| {
            let cost = if presorted > 0 {
                let groups = query::groups(self.table?, &keys[..presorted], below.rows, self.input);
                cost::incremental_sort(below.cost, below.rows, groups, bound, self.major)
            } else {
                cost::sort_of_width(below.cost, below.rows, below.width, bound, self.table?.page_costs)?
            };
            (self.enabled.sort || presorted > 0).then_some(Figures { cost, ..below })
        });
        let mut tree = Tree::over(if presorted > 0 { "Incremental Sort" } else { "Sort" }, below).costing(figures);
        tree.told.extend(self.disabled(self.enabled.sort || presorted > 0));
        tree.tell_all("Sort Key", self.sort_keys(select, keys, true)?);
        if presorted > 0 {
            tree.tell_all("Presorted Key", self.sort_keys(select, &keys[..presorted], false)?);
        }
        Some(tree)
    }

    /// min and max, a query each, whose tables have names of their own (`set_rtable_names`).
    fn extremes(&self, select: &SelectPlan) -> Option<Tree> {
        if self.schema.is_some() {
            return None;
        }
        let (mut tree, mut cost) = (Tree::new("Result"), Some(0.0));
        let (number, param) = self.plans.first_extreme(select)?;
        for (n, extreme) in select.extremes.iter().enumerate() {
            let name = self.alias.unwrap_or(&extreme.scan.name);
            let name = if n == 0 { name.to_string() } else { format!("{name}_{n}") };
            let is_told = !PgVersion::of_major(self.major).leaves_init_parameters_out();
            let returns = if is_told { format!(" (returns ${})", param as usize + n) } else { String::new() };
            let one = Explained { alias: Some(&name), ..*self };
            let scan = one.scan_for(&extreme.scan, false, &[&extreme.value])?;
            let first = scan.figures.map(|Figures { cost: Cost { startup, total }, rows, width }| Figures {
                cost: Cost { startup, total: startup + (total - startup) / rows },
                rows: 1.0,
                width,
            });
            cost = cost.zip(first).map(|(sum, first)| sum + first.cost.total);
            let below = Tree::over("Limit", scan).costing(first).counted(Actual::Scan(Way::Heap));
            tree.init.push((format!("InitPlan {}{returns}", number as usize + n), below));
        }
        let figures = cost.and_then(|cost| self.first_rows(cost, select));
        let is_one = select.extremes.len() == 1;
        Some(tree.costing(figures).counted(if is_one { Actual::Rows(1) } else { Actual::Unknown }))
    }

    /// `show_sort_group_keys`: what is computed below stands in parentheses.
    fn sort_keys(&self, select: &SelectPlan, keys: &[SortKey], with_order: bool) -> Option<Vec<String>> {
        let is_of_parts = select.scan.as_ref().is_some_and(|scan| scan.parts().next().is_some());
        let key = |key: &SortKey| {
            if is_of_parts {
                return Some(self.key_of_parts(key)? + if with_order { upper::direction(key) } else { "" });
            }
            if let Some((expr, name)) = key.expr.collated() {
                let text = self.sort_key(&SortKey { expr: expr.clone(), ..key.clone() }, select)?;
                let direction = if with_order { upper::direction(key) } else { "" };
                return Some(format!("{text} COLLATE {}{direction}", quote_identifier(&name)));
            }
            let text = self.sort_key(key, select)?;
            let text = if matches!(key.expr.node, Node::Slot(_)) { text } else { format!("({text})") };
            Some(if with_order { text + upper::direction(key) } else { text })
        };
        keys.iter().map(key).collect()
    }

    /// `plan_is_disabled`
    fn disabled(&self, is_enabled: bool) -> Option<Told> {
        (PgVersion::of_major(self.major).counts_disabled_nodes() && !is_enabled)
            .then(|| Told::Text("Disabled", "true".to_string()))
    }
}

impl EnabledScans {
    const fn allows(self, method: &Method) -> bool {
        match method {
            Method::Nothing | Method::Append(_) | Method::Sample(_) | Method::CurrentOf(_) => true,
            Method::Seq => self.seqscan,
            Method::Index(_) => self.indexscan,
            Method::Bitmap(_) => self.bitmapscan,
            Method::Tid(_) | Method::TidRange(_) => self.tidscan,
        }
    }
}

/// Are whole rows of columns sorted, so that it is known what they take?
fn sorts_columns(select: &SelectPlan) -> bool {
    let targets = select.targets.iter().map(|target| target.value.expr());
    let is_limit_known = limit_and_offset(select).is_none_or(|(count, _)| count >= 0.0);
    let mut all = targets.chain(select.junk.iter().map(Some));
    select.presorted == 0
        && select.locking.is_none()
        && is_limit_known
        && all.all(|expr| expr.is_some_and(|expr| matches!(expr.node, Node::Slot(_))))
}

/// `ctid`, which rows that are changed or locked bring along.
const fn place() -> Typed {
    Typed::constant(Value::Null, SqlType::TID)
}

/// The columns that aggregates read, each once.
fn read_slots(select: &SelectPlan) -> Vec<Typed> {
    let mut found: Vec<Typed> = Vec::new();
    for aggregate in &select.aggregates {
        let of_order = aggregate.order.iter().map(|key| &key.expr);
        aggregate.args.iter().chain(&aggregate.filter).chain(of_order).for_each(|expr| slots_of(expr, &mut found));
    }
    found
}

fn slots_of(expr: &Typed, found: &mut Vec<Typed>) {
    if matches!(expr.node, Node::Slot(_)) && !found.iter().any(|known| known.node == expr.node) {
        found.push(expr.clone());
    }
    expr.children().into_iter().for_each(|child| slots_of(child, found));
}

/// Where no row can satisfy the condition.
fn nothing() -> Tree {
    let told = Vec::from([Told::Text("One-Time Filter", "false".to_string())]);
    Tree { told, actual: Actual::Rows(0), ..Tree::new("Result") }
}

/// Conditions, in parentheses where there are several.
fn joined(clauses: &[&Typed], word: &str, names: &dyn Names) -> Option<String> {
    let parts = clauses.iter().map(|clause| rule(clause, names)).collect::<Option<Vec<_>>>()?;
    Some(if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(word)) })
}
