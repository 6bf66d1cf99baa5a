//! Statements that run, stop where they have to wait for another session, and go on (src/backend/tcop, the "traffic
//! cop": pquery.c, utility.c). What they do is in `executor` and `commands`.
//!
//! ```text
//!  Statement ──start──▶ Execution ──go_on──▶ Ok(tag)         the statement is at its end
//!                            ▲          └──▶ Wait(xid)       kept as it is; called again once xid has ended
//!                            └──────────────────┘
//!                                       └──▶ Error           what it did aborts with its (sub)transaction
//! ```

pub(super) mod database;
pub(super) mod dest;
mod functions;
pub(super) mod read_only;
pub(super) mod transaction;

pub use database::{Database, Expressions};
pub use dest::Kept;
pub use transaction::{TransactionOutcome, run_transaction};

use super::StatementError;
use super::ast::{AlterAction, CopyTo, Object, SetConstraints, Statement};
use super::catalog::Catalog as _;
use super::commands::copy::CopyFrom;
use super::commands::create_as::CreateAs;
use super::commands::explain::Analyzed;
use super::commands::matview::{CreateMatView, Refresh};
use super::commands::portal::FetchRows;
use super::commands::{
    alter, analyze, cluster, create_index, create_table, ddl, deferred, domain, explain, extension, function, grant,
    matview, portal, prepared, reindex, schema, sequence, session, set_schema, statistics, trigger, truncate, typecmds,
    undo_engine, user, vacuum, view,
};
use super::error::{NOT_SIMULATED, Refusal};
use super::executor::modify::Modify;
use super::executor::running::Running;
use super::executor::select::Query;
use super::executor::select::source::Rows;
use super::executor::with::With;
use super::guc::settings;
use super::guc::show::Show;
use super::permission;
use super::plan::{Given, Plan, plan};
use super::plpgsql::{Interpreter, Returns, call_procedure};
use crate::cluster::Lookup;
use crate::storage::{MvccSnapshot, Outcome, Stop, TableAm};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use dest::DestReceiver;
use ffviz_format::datum::{SqlError, Value};
use ffviz_story::timeline::ResultSet;

/// A statement that runs.
#[derive(Debug)]
pub struct Execution {
    pub(in crate::sql) work: Work,
    /// what belongs to it while it runs
    pub(in crate::sql) running: Running,
    /// values of its parameters
    pub(in crate::sql) params: Vec<Value>,
    /// its plan, a line each
    pub plan: Vec<String>,
}

/// What is left to be done.
#[derive(Debug)]
pub(in crate::sql) enum Work {
    /// what never waits, and is done at once
    Utility(Box<Statement>),
    /// INSERT, UPDATE, DELETE
    Modify(Box<Modify>),
    /// DO, CALL; its command tag
    Block(Box<Interpreter>, &'static str),
    /// CREATE MATERIALIZED VIEW
    CreateMatView(CreateMatView),
    /// REFRESH MATERIALIZED VIEW
    Refresh(Box<Refresh>),
    /// CREATE TABLE AS
    CreateAs(Box<CreateAs>),
    /// COPY
    Copy(Box<CopyFrom>),
    /// SELECT; how many rows were sent, and where to, if anybody looks at them
    Query(Box<Query>, u64, Option<Box<DestReceiver>>),
    /// COPY … TO; how many rows there were
    CopyTo(Box<Query>, u64),
    /// COPY … TO of rows that it changes
    CopyChanged(Box<With>),
    /// what was done when it began; its command tag
    Done(&'static str),
    /// FETCH, MOVE
    Fetch(Box<FetchRows>),
    /// SHOW
    Show(Show),
    /// a statement whose WITH changes rows
    With(Box<With>),
    /// SET CONSTRAINTS; is it told already, so that only checks are left to be made?
    SetConstraints(SetConstraints, bool),
    /// EXPLAIN ANALYZE
    Explain(Box<Analyzed>),
}

impl Execution {
    /// Prepares a statement: names and types are looked up, the plan is chosen. Nothing is changed yet.
    ///
    /// # Errors
    /// What the parser, the analyzer or the planner refuses.
    pub fn start(db: &mut Database, statement: Statement, copy_data: Option<&str>) -> Result<Self, StatementError> {
        if let Statement::Do(body) = statement {
            db.cluster.look_up([Lookup::Language]);
            let in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
            let block = Interpreter::new(db, body.into(), Returns::Nothing, (in_block, Vec::new()))?;
            return Ok(Self::of(Work::Block(Box::new(block), "DO")));
        }
        if let Statement::Show(name) = &statement {
            return Ok(Self::of(Work::Show(Show::start(db, name)?)));
        }
        if let Statement::Transaction(_) = &statement {
            return Ok(Self::of(Work::Done("COMMIT")));
        }
        read_only::check_utility(db, &statement)?;
        permission::check_utility(db, &statement)?;
        if let Statement::SetConstraints(set) = statement {
            return Ok(Self::of(Work::SetConstraints(set, false)));
        }
        deferred::check_not_in_use(db, &statement)?;
        matview::check_utility(db, &statement)?;
        if let Some(filled) = Self::of_filled(db, &statement) {
            return filled;
        }
        if let Statement::Copy(copy) = &statement {
            db.cluster.take_snapshot();
            let copy = CopyFrom::start(db, copy, copy_data.unwrap_or_default())?;
            return Ok(Self::of(Work::Copy(Box::new(copy))));
        }
        if let Statement::Explain(statement, options) = &statement {
            let started = explain::explain(db, statement, *options).inspect_err(|refused| {
                if refused.refusal == Refusal::Server {
                    db.cluster.take_snapshot();
                }
            })?;
            permission::check_query(db, statement)?;
            return Ok(started);
        }
        if let Statement::CopyTo(copy) = statement {
            return Self::copy_to(db, copy);
        }
        if let Statement::Object(object) = &statement
            && let Some(begun) = Self::of_object(db, object, &statement)
        {
            return begun;
        }
        let planned = plan(&statement, db, &mut Given::default());
        // what is refused was analyzed with a snapshot, which REPEATABLE READ keeps though only a subtransaction fails
        let is_analyzed = match &planned {
            Ok(planned) => planned.is_some(),
            Err(refused) => refused.refusal == Refusal::Server,
        };
        if is_analyzed {
            db.cluster.take_snapshot();
        }
        let Some(planned) = planned? else { return Ok(Self::of_utility(db, statement)) };
        read_only::check_query(db, &planned)?;
        permission::check_query(db, &statement)?;
        matview::check_query(db, &statement)?;
        let explained = planned.explain();
        match Self::start_planned(db, planned) {
            Ok(started) => Ok(Self { plan: explained, ..started }),
            Err(Stop::Error(error)) => Err(error.into()),
            Err(Stop::Wait(_)) => Err(SqlError::new("XX000", "a scan waits before it begins").into()),
        }
    }

    /// What is filled by a query: a table, a materialized view.
    fn of_filled(db: &mut Database, statement: &Statement) -> Option<Result<Self, StatementError>> {
        let Statement::CreateTableAs(create) = statement else {
            let Statement::RefreshMatView(refresh) = statement else { return None };
            db.cluster.take_snapshot();
            db.cluster.pg.read_catalog();
            return Some(Refresh::start(db, refresh).map(|it| Self::of(Work::Refresh(Box::new(it)))));
        };
        let snapshot = db.cluster.take_snapshot();
        db.cluster.pg.read_catalog();
        if create.matview {
            let started = CreateMatView::start(db, create, &snapshot);
            return Some(started.map(|(create, plan)| Self { plan, ..Self::of(Work::CreateMatView(create)) }));
        }
        if create.with_data
            && let Err(error) = matview::check_populated(db, statement)
        {
            return Some(Err(error.into()));
        }
        let started = CreateAs::start(db, create, &snapshot);
        Some(started.map(|(create, plan)| Self { plan, ..Self::of(Work::CreateAs(Box::new(create))) }))
    }

    fn of_utility(db: &mut Database, statement: Statement) -> Self {
        // `PlannedStmtRequiresSnapshot`: REPEATABLE READ does not begin with one of these
        let is_full = matches!(&statement, Statement::Vacuum(vacuum) if vacuum.full);
        let has_one = is_full && db.cluster.pg.backend().snapshot.is_some();
        if !has_one && !takes_no_snapshot(&statement) {
            db.cluster.take_snapshot();
        }
        // whatever the session knows
        if reads_catalog(&statement) {
            db.cluster.pg.read_catalog();
        }
        Self::of(Work::Utility(Box::new(statement)))
    }

    pub(in crate::sql) fn of(work: Work) -> Self {
        Self { work, running: Running::default(), params: Vec::new(), plan: Vec::new() }
    }

    /// COPY … TO: the rows of a query, which go elsewhere (`BeginCopyTo`, src/backend/commands/copyto.c).
    fn copy_to(db: &mut Database, copy: CopyTo) -> Result<Self, StatementError> {
        if let Some(view) = copy.relation.as_ref().filter(|name| db.view(name).is_some()) {
            let message = format!("cannot copy from view \"{}\"", view.name);
            return Err(StatementError::server("42809", message));
        }
        let partitioned = copy.relation.as_ref().and_then(|name| db.find(name));
        if let Some(table) = partitioned.filter(|table| db.cluster.catalog.partition_key(*table).is_some()) {
            let name = db.cluster.catalog.class(table).map_or("", |class| &class.name);
            return Err(StatementError::server("42809", format!("cannot copy from partitioned table \"{name}\"")));
        }
        let started = Self::start(db, Statement::Select(*copy.query), None)?;
        let work = match started.work {
            Work::Query(query, ..) => Work::CopyTo(query, 0),
            Work::With(with) => Work::CopyChanged(with),
            other => other,
        };
        Ok(Self { work, ..started })
    }

    /// What is begun, or done at once, of what has a name and no pages; `None`: it is a utility.
    fn of_object(db: &mut Database, object: &Object, statement: &Statement) -> Option<Result<Self, StatementError>> {
        let done = |tag| move |()| Self::of(Work::Done(tag));
        Some(match object {
            Object::Prepare(prepare) => prepared::prepare(db, prepare).map(done("PREPARE")),
            Object::Execute(execute) => prepared::execute(db, execute),
            Object::Declare(declare) => {
                let started = portal::declare(db, declare);
                started.and_then(|it| permission::check_query(db, statement).map(|()| it).map_err(Into::into))
            }
            Object::CreateFunction(create) => function::create(db, create).map(done(create.kind.tag())),
            Object::Call(call) => call_procedure(db, call).map(|block| Self::of(Work::Block(Box::new(block), "CALL"))),
            Object::CreateTrigger(create) => trigger::create(db, create).map(done("CREATE TRIGGER")),
            Object::CreateView(create) => view::create(db, create).map(done("CREATE VIEW")),
            Object::Fetch(fetch) => portal::fetch(db, fetch).map(Self::of_fetch).map_err(Into::into),
            Object::CreateSchema(_)
            | Object::DropSchema(_)
            | Object::DropView(_)
            | Object::SetSchema(_)
            | Object::DropFunction(_)
            | Object::AlterFunction(_)
            | Object::DropTrigger(_)
            | Object::RenameTrigger(_)
            | Object::Enum(_)
            | Object::Domain(_)
            | Object::Statistics(_)
            | Object::Role(_)
            | Object::Deallocate(_)
            | Object::Close(_) => return None,
        })
    }

    /// FETCH, whose cursor's plan is its own.
    fn of_fetch(work: Work) -> Self {
        let plan = if let Work::Fetch(fetch) = &work { fetch.plan() } else { Vec::new() };
        Self { plan, ..Self::of(work) }
    }

    /// Begins what was planned before, and does not tell the plan again.
    ///
    /// # Errors
    /// What evaluating a bound of a scan raises.
    pub fn start_planned(db: &mut Database, plan: Plan) -> Outcome<Self> {
        let snapshot = db.cluster.take_snapshot();
        Self::start_planned_at(db, plan, (snapshot, BTreeMap::new()))
    }

    /// The same with a snapshot that there is, and tables by name.
    ///
    /// # Errors
    /// As [`Self::start_planned`].
    pub(in crate::sql) fn start_planned_at(
        db: &mut Database,
        plan: Plan,
        (snapshot, work): (MvccSnapshot, BTreeMap<String, Arc<Rows>>),
    ) -> Outcome<Self> {
        let mut running = Running { work, snapshot: Some(snapshot.clone()), ..Running::default() };
        let work = db.while_running(&mut running, |db| {
            if let Plan::With(with) = plan {
                db.cluster.pg.current_command_id();
                With::start(db, &with.changes, &snapshot)?;
                let work = Work::of(db, with.plan.clone(), &snapshot)?;
                return Ok(Work::With(Box::new(With::new(work, with.changes.clone()))));
            }
            Work::of(db, plan, &snapshot)
        })?;
        Ok(Self { running, ..Self::of(work) })
    }

    /// `ExecReScan`: what has come to its end begins anew, by the same plan. UPDATE and DELETE do so in the memory of
    /// the time before.
    ///
    /// # Errors
    /// As those of [`Self::start_planned`].
    pub fn restart(&mut self, db: &mut Database, plan: &Plan) -> Outcome<()> {
        if let (Work::Modify(modify), Plan::Update(_) | Plan::Delete(_)) = (&mut self.work, plan) {
            let snapshot = db.cluster.take_snapshot();
            self.running = Running { snapshot: Some(snapshot.clone()), ..Running::default() };
            return db.while_running(&mut self.running, |db| modify.rescan(db, snapshot));
        }
        *self = Self::start_planned(db, plan.clone())?;
        Ok(())
    }

    /// The rows that it gives are to be kept.
    pub fn keep_rows(&mut self, kept: Kept) {
        match self.work.innermost() {
            Work::Query(query, _, dest) => *dest = Some(Box::new(query.receiver(kept))),
            Work::Modify(modify) => modify.returned.keep(kept),
            Work::Show(show) => show.keep(kept),
            Work::Block(block, _) => block.keep(kept),
            Work::Fetch(fetch) => fetch.keep(kept),
            _ => {}
        }
    }

    /// The rows that were kept; of a statement that is at its end.
    pub fn take_rows(&mut self) -> Option<ResultSet> {
        match self.work.innermost() {
            Work::Query(_, _, dest) => dest.take().map(|dest| dest.finish()),
            Work::Modify(modify) => modify.returned.finish(),
            Work::Show(show) => show.finish(),
            Work::Block(block, _) => block.finish(),
            Work::Fetch(fetch) => fetch.finish(),
            _ => None,
        }
    }

    /// Does something with its work, with what belongs to it.
    fn within<T>(&mut self, db: &mut Database, work: impl FnOnce(&mut Work, &mut Database) -> T) -> T {
        let mut running = core::mem::take(&mut self.running);
        let outside = core::mem::replace(&mut db.params, self.params.clone());
        let done = db.while_running(&mut running, |db| work(&mut self.work, db));
        (db.params, self.running) = (outside, running);
        done
    }

    /// Does it give rows one by one, by [`Self::next_row`]?
    pub const fn is_query(&self) -> bool {
        matches!(self.work, Work::Query(..))
    }

    /// Does its WITH change rows?
    pub const fn is_with(&self) -> bool {
        matches!(self.work, Work::With(_))
    }

    /// The next row of a query; fetched from where it is stored, where somebody wants it.
    ///
    /// # Errors
    /// As those of [`Self::go_on`].
    pub fn next_row(&mut self, db: &mut Database, is_wanted: bool) -> Outcome<Option<Vec<Value>>> {
        self.within(db, |work, db| {
            let Work::Query(query, ..) = work else { return Ok(None) };
            let Some(row) = query.next(db)? else { return Ok(None) };
            if !is_wanted {
                return Ok(Some(Vec::new()));
            }
            let mut row = row.clone();
            query.send(db, &mut row, None)?;
            Ok(Some(row))
        })
    }

    /// A query of which no more rows are wanted lets go of what it holds.
    pub fn end(&mut self, db: &mut Database) {
        if let Work::Query(query, ..) = &mut self.work {
            query.end(db);
        }
    }

    /// The rows of RETURNING are to be kept.
    pub fn pipe_rows(&mut self) {
        if let Work::Modify(modify) = &mut self.work {
            modify.returned.pipe();
        }
    }

    /// One of them.
    pub fn next_piped(&mut self) -> Option<Vec<Value>> {
        let Work::Modify(modify) = &mut self.work else { return None };
        modify.returned.next_piped()
    }

    /// Runs it to its end, or to where it waits. Gives the command tag.
    ///
    /// # Errors
    /// The statement's error; [`Stop::Wait`] where it is to be called again.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let mut running = core::mem::take(&mut self.running);
        // without any of its own it has those of whoever runs it
        let own = (!self.params.is_empty()).then(|| core::mem::replace(&mut db.params, self.params.clone()));
        let done = db.while_running(&mut running, |db| self.work.run(db));
        if let Some(outside) = own {
            db.params = outside;
        }
        self.running = running;
        if let (Work::Explain(analyzed), Ok(_)) = (&mut self.work, &done) {
            self.plan = core::mem::take(&mut analyzed.lines);
        }
        done
    }
}

impl Work {
    /// By a plan whose WITH, if it has one, changes nothing.
    fn of(db: &mut Database, plan: Plan, snapshot: &MvccSnapshot) -> Outcome<Self> {
        Ok(match plan {
            Plan::Select(plan) => Self::Query(Box::new(Query::start(plan, snapshot)), 0, None),
            plan => Self::Modify(Box::new(Modify::of(db, plan, snapshot)?)),
        })
    }

    /// The statement itself, without its WITH.
    fn innermost(&mut self) -> &mut Self {
        match self {
            Self::With(with) => &mut with.work,
            work => work,
        }
    }

    pub(in crate::sql) fn run(&mut self, db: &mut Database) -> Outcome<String> {
        match self {
            Self::Utility(statement) => utility(db, statement).map_err(Stop::Error),
            Self::Modify(modify) => {
                let tag = modify.go_on(db)?;
                modify.end(db);
                Ok(tag)
            }
            Self::With(with) => with.go_on(db),
            Self::Done(tag) => Ok((*tag).to_string()),
            Self::Fetch(fetch) => fetch.go_on(db),
            Self::CopyTo(query, rows) => {
                while query.send_next(db, None)? {
                    *rows += 1;
                }
                Ok(format!("COPY {rows}"))
            }
            Self::CopyChanged(with) => with.go_on(db).map(|tag| tag.replace("SELECT", "COPY")),
            Self::Show(show) => Ok(show.run()?),
            Self::Block(block, tag) => {
                block.go_on(db)?;
                block.send()?;
                Ok((*tag).to_string())
            }
            Self::CreateAs(create) => create.go_on(db),
            Self::CreateMatView(create) => create.go_on(db),
            Self::Refresh(refresh) => refresh.go_on(db),
            Self::Copy(copy) => copy.go_on(db),
            Self::Explain(analyzed) => analyzed.go_on(db),
            Self::SetConstraints(set, is_told) => deferred::run(db, set, is_told),
            Self::Query(query, rows, dest) => {
                while query.send_next(db, dest.as_deref_mut())? {
                    *rows += 1;
                }
                Ok(format!("SELECT {rows}"))
            }
        }
    }
}

/// `PlannedStmtRequiresSnapshot`
const fn takes_no_snapshot(statement: &Statement) -> bool {
    use Statement::{Checkpoint, Lock, Notification, Set};
    matches!(statement, Set(_) | Checkpoint | Lock(_) | Notification(_))
}

/// Does it read catalogs whatever the session knows: does it change what they say of relations?
const fn reads_catalog(statement: &Statement) -> bool {
    use Statement::{
        AlterSequence, AlterTable, Analyze, Comment, CreateIndex, CreateSequence, CreateTable, Drop, Grant, Reindex,
        Rename, Truncate,
    };
    if matches!(statement, Comment(_) | Grant(_)) {
        return true;
    }
    let is_of_sequence = matches!(statement, CreateSequence(_) | AlterSequence(_));
    let is_of_table = matches!(statement, CreateTable(_) | AlterTable(_) | CreateIndex(_) | Rename(_));
    is_of_sequence || is_of_table || matches!(statement, Drop(_) | Truncate(_) | Reindex(_) | Analyze(..))
}

/// `standard_ProcessUtility`
fn utility(db: &mut Database, statement: &Statement) -> Result<String, SqlError> {
    match statement {
        Statement::CreateTable(create) => create_table::create_table(db, create),
        Statement::CreateIndex(create) => create_index::create_index(db, create),
        Statement::AlterSequence(alter) => sequence::alter_sequence(db, alter),
        Statement::CreateSequence(create) => sequence::create_sequence(db, create),
        Statement::Checkpoint => {
            db.cluster.checkpoint();
            Ok("CHECKPOINT".to_string())
        }
        Statement::Vacuum(_) | Statement::Analyze(..) if db.cluster.pg.settings.default_table_am == TableAm::Undo => {
            undo_engine::vacuum(db, statement)
        }
        Statement::Vacuum(vacuum) => vacuum::vacuum(db, vacuum),
        Statement::Cluster(statement) => cluster::cluster(db, statement),
        Statement::Analyze(tables, columns) => analyze::analyze(db, tables, columns),
        Statement::AlterTable(alter) => {
            // expressions but that of USING are read apart from the statement, and nothing in it is pointed to
            let is_pointed_to = alter.actions.iter().any(|action| matches!(action, AlterAction::SetType { .. }));
            alter::alter_table(db, alter).map_err(|error| if is_pointed_to { error } else { error.nowhere() })
        }
        Statement::Rename(rename) => alter::rename(db, rename),
        Statement::Drop(drop) => ddl::drop(db, drop),
        Statement::Truncate(statement) => truncate::truncate(db, statement),
        Statement::Reindex(reindex) => reindex::reindex(db, reindex),
        Statement::Set(set) => settings::set(db, set),
        Statement::AlterSystem(set) => settings::alter_system(db, set),
        Statement::Extension(extension) => extension::extension(db, extension),
        Statement::Comment(comment) => session::comment(db, comment),
        Statement::Grant(statement) => grant::run(db, statement),
        Statement::Lock(lock) => session::lock(db, lock, true),
        Statement::Discard(what) => session::discard(db, *what),
        Statement::Notification(kind) => session::notification(db, *kind),
        Statement::Object(Object::CreateSchema(create)) => schema::create(db, create),
        Statement::Object(Object::DropSchema(drop)) => schema::drop(db, drop),
        Statement::Object(Object::DropView(drop)) => view::drop(db, drop),
        Statement::Object(Object::SetSchema(set)) => set_schema::run(db, set),
        Statement::Object(Object::DropFunction(drop)) => function::drop(db, drop),
        Statement::Object(Object::AlterFunction(alter)) => function::alter(db, alter),
        Statement::Object(Object::DropTrigger(drop)) => trigger::drop(db, drop),
        Statement::Object(Object::RenameTrigger(rename)) => trigger::rename(db, rename),
        Statement::Object(Object::Enum(statement)) => typecmds::run(db, statement),
        Statement::Object(Object::Domain(statement)) => domain::run(db, statement),
        Statement::Object(Object::Statistics(statement)) => statistics::run(db, statement),
        Statement::Object(Object::Role(statement)) => user::run(db, statement),
        Statement::Object(Object::Deallocate(name)) => prepared::deallocate(db, name.as_deref()),
        Statement::Object(Object::Close(name)) => portal::close(db, name.as_deref()),
        other => Err(SqlError::new(NOT_SIMULATED, format!("{} is not simulated yet", name(other)))),
    }
}

fn name(statement: &Statement) -> String {
    let debug = format!("{statement:?}");
    debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("this statement").to_string()
}
