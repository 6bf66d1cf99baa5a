//! A script on the simulated server: item by item, with what each did.
//!
//! ```text
//!  Script ──items──▶ Simulator ─┬─▶ TraceLine     what changed: for `--format jsonl`, for verify
//!                      │        └─▶ Done          what happened, step by step: for a timeline
//!                      └ sessions that wait go on as soon as the transaction that they wait for has ended
//! ```

mod absent;
mod advisory;
mod directive;
mod ended;
pub(in crate::sql) mod locks;
mod newer;
mod observe;
mod options;
mod parameters;
mod place;
mod play;
mod prepared;
#[cfg(test)]
mod tests;
mod timeout;
mod waiting;

pub use ended::StatementEnd;
pub(in crate::sql) use locks::wanted as wanted_locks;
pub use options::{DEFAULT, MAJORS, RunOptions, engine, newest, simulated_version, size_in_blocks};
pub use parameters::is_storage_parameter;
pub use play::{Mistake, Play};
pub use prepared::{Prepared, UNDECIDED};

use super::StatementError;
use super::ast::{AlterAction, Lock, Object, RangeVar, Statement as Tree, Transaction};
use super::commands::check_undo_engine;
use super::commands::deferred::{fire_deferred, forget_due};
use super::commands::portal::hold;
use super::commands::vacuum::wrong_options;
use super::error::{NOT_SIMULATED, Refusal};
use super::expr::Context;
use super::parse::{makes, named_only, parse_with};
use super::permission::{check_utility, hide};
use super::script::{Item, Script, Statement, Variables};
use super::tcop::{Database, Execution, Kept, TransactionOutcome, Work, run_transaction};
use super::trace::{Counters, ResumedTrace, StatementTrace, TraceLine};
use crate::access::transam::InsertPosition;
use crate::cluster::Before;
use crate::storage::{Buffer, Happening, Outcome, RelationLock, Stop, TableAm, WaitFor};
use absent::Absent;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ended::Ended;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Lsn;
use ffviz_format::state::{PageId, State};
use ffviz_story::timeline::{LeftOut, ResultSet, Simulated, Timeline, Written, Wrong, goes_on};
use observe::Observer;
use place::told_more;
use waiting::{Stage, Waiting};

/// Microseconds that pass from one statement to the next.
const TICK: i64 = 1_000_000;

/// A simulated server that a script is run on.
#[derive(Debug)]
pub struct Simulator {
    /// the server
    pub db: Database,
    observer: Observer,
    waiting: Vec<Waiting>,
    /// is a trace of pages and records wanted?
    traces: bool,
    /// how much of the rows that statements give is kept; nothing, where nobody looks
    kept: Option<Kept>,
    /// storage parameters of tables and indexes that have none of their own
    storage: Vec<(String, String)>,
    /// what refused statements would have made
    absent: Absent,
    /// psql's variables
    variables: Variables,
    /// what the last statement gave
    last: Option<ResultSet>,
}

/// What an item of a script did.
#[derive(Debug)]
pub struct Done {
    /// lines of a trace; none, where they are not wanted
    pub lines: Vec<TraceLine>,
    /// what happened inside, in order
    pub happenings: Vec<Happening>,
    /// what it was and how it ended
    pub simulated: Simulated,
    /// how the statements ended that did: this one, and those of other sessions that it let go on
    pub ends: Vec<StatementEnd>,
    /// why the simulator does not run the statement, or one that it let go on: a sentence that names its number
    pub refused: Option<String>,
}

impl Simulator {
    /// A fresh server. `traces`: are the lines of a trace wanted? `tells`: is what happens inside?
    ///
    /// # Errors
    /// A setting that there is not, a sentence.
    pub fn new(options: &RunOptions, traces: bool, tells: bool) -> Result<Self, String> {
        let db = options.start(traces, tells)?;
        let kept = if tells { Some(Kept::SHOWN) } else { traces.then_some(Kept::TRACED) };
        let storage = options.storage.clone();
        let (observer, absent) = (Observer::default(), Absent::default());
        let (waiting, variables, last) = (Vec::new(), Variables::default(), None);
        Ok(Self { db, observer, waiting, traces, kept, storage, absent, variables, last })
    }

    /// Runs a whole script as a timeline, and gives the lines of its trace.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn timeline(script: &Script, options: &RunOptions) -> Result<(Timeline, Vec<TraceLine>), String> {
        let mut simulator = Self::new(options, true, true)?;
        simulator.keep_for_variables(script);
        let mut timeline = Timeline::new(simulator.state(), None);
        let mut lines = Vec::new();
        for item in &script.items {
            let done = simulator.item(item);
            simulator.append(&mut timeline, done.simulated, done.happenings);
            lines.extend(done.lines);
        }
        Ok((timeline, lines))
    }

    /// Runs a whole script and gives the lines of its trace.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn trace(script: &Script, options: &RunOptions) -> Result<Vec<TraceLine>, String> {
        let mut simulator = Self::new(options, true, false)?;
        Ok(script.items.iter().flat_map(|item| simulator.item(item).lines).collect())
    }

    /// Appends what an item did.
    pub fn append(&self, timeline: &mut Timeline, done: Simulated, happenings: Vec<Happening>) {
        let page = |buf: Buffer| {
            let relation = self.db.cluster.owner(buf.file)?;
            Some(PageId { relation, fork: buf.fork, block: buf.block })
        };
        let happenings = happenings.into_iter().map(|happening| happening.on_pages(page));
        timeline.push_simulated(&self.state(), done, happenings);
    }

    /// All that there is to see now.
    #[must_use]
    pub fn state(&self) -> State {
        self.db.cluster.state()
    }

    /// Runs an item.
    pub fn item(&mut self, item: &Item) -> Done {
        self.db.cluster.clock += TICK;
        let before = self.db.cluster.pg.usage();
        self.db.cluster.pg.buffers.begin_statement();
        self.db.cluster.pg.interrupt.begin_statement();
        let mut done = match item {
            Item::Statement(statement) if self.variables.skips() => {
                let simulated = Self::simulated(statement.sql.clone(), String::from("psql's \\if: not this branch"));
                self.done(Vec::new(), simulated, None)
            }
            Item::Statement(statement) => match self.variables.sent(&statement.sql) {
                Some(sql) => self.statement(&Statement { sql, ..statement.clone() }),
                None => self.statement(statement),
            },
            Item::Directive { directive, .. } => self.directive(directive),
        };
        done.simulated.usage = self.db.cluster.pg.usage() - before;
        done.simulated.left_out = self.db.cluster.pg.trace.is_full().then(|| LeftOut {
            records_told: done.happenings.iter().filter(|one| matches!(one, Happening::Record(..))).count() as u64,
            records: done.simulated.usage.wal.records,
        });
        done
    }

    /// Are the rows that statements give to be kept, so many as a trace has?
    pub fn keep_rows(&mut self, keep: bool) {
        self.kept = keep.then_some(Kept::TRACED);
    }

    /// Variables of this script may become what its statements give.
    pub fn keep_for_variables(&mut self, script: &Script) {
        if script.takes_rows() && self.kept.is_none_or(|kept| kept == Kept::SHOWN) {
            self.kept = Some(Kept::TAKEN);
        }
    }

    /// The WAL so far is not needed any more.
    pub fn forget_wal(&mut self) {
        let wal = &mut self.db.cluster.pg.wal;
        wal.forget_before(wal.position().insert_lsn());
    }

    /// What happens inside is told from now on, or not any more, where [`Self::new`] was asked to.
    pub const fn tell(&mut self, tells: bool) {
        self.db.cluster.pg.trace.on = tells;
    }

    /// Sets the counters, as a server has them before a statement.
    pub fn set_counters(&mut self, counters: &Counters) {
        self.db.cluster.pg.transam.advance_to(counters.xid);
        self.set_position(counters.lsn);
        self.db.cluster.pg.multixacts.advance_to(counters.multi);
        if let Some(oid) = counters.oid {
            self.db.cluster.pg.transam.next_oid = oid;
        }
    }

    /// The next record goes there; back only as long as there is none, on a server that has written less than a fresh
    /// one is taken to have.
    fn set_position(&mut self, lsn: Lsn) {
        let pg = &mut self.db.cluster.pg;
        let position = pg.wal.position();
        let is_back = lsn < position.insert_lsn();
        if is_back && position.prev_start() != Lsn(0) {
            return;
        }
        pg.wal.set_position(InsertPosition::new(lsn, position.prev_start(), position.segment_size()));
        if is_back {
            pg.wal.set_redo_rec_ptr(lsn);
            pg.backends.iter_mut().for_each(|backend| {
                pg.wal.get_redo_rec_ptr(&mut backend.wal);
            });
        }
    }

    fn statement(&mut self, statement: &Statement) -> Done {
        self.db.cluster.pg.switch_to(&statement.session);
        let xid0 = self.db.cluster.pg.transam.next_xid;
        let me = self.db.cluster.pg.me;
        self.db.notes.clear();
        let timed_out = self.fail_waiting();
        let ended = match self.waiting.iter().find(|waiting| waiting.session == me) {
            Some(waiting) => (Ended::Failed(busy(statement, waiting.n)), Vec::new()),
            None => {
                self.db.cluster.hide_uncommitted();
                let ended = self.run(statement);
                self.db.cluster.show_uncommitted();
                ended
            }
        };
        let (ended, plan) = (told_more(ended.0, &statement.sql), ended.1);
        let wrong = ended.wrong();
        let position = wrong.map(|at| at.character(&statement.sql));
        let wrong = wrong.and_then(|at| Wrong::new(&statement.sql, (at.line, at.column), statement.line));
        let written = Written { session: statement.session.clone(), wrong, hint: ended.hint() };
        let ended = ended.placed(statement.line);
        let Resumed { traces: resumed, mut outcomes, mut refused, mut ends } = self.resume(timed_out);
        ends.insert(0, StatementEnd::of(statement.session.clone(), &ended));
        let notes = self.notes_of(&ended, &statement.sql);
        outcomes.splice(0..0, core::iter::once(ended.words()).chain(notes));
        match ended.refused(statement.n, statement.line) {
            Some(why) => {
                self.absent.refused(statement.n, &statement.sql);
                refused.insert(0, why);
            }
            None if !ended.is_bad() => self.absent.done(&statement.sql),
            None => {}
        }
        if self.db.cluster.pg.backend().xact.is_none() {
            self.absent.ended_transaction();
        }
        let went_on = resumed.iter().filter_map(ResumedTrace::named_result);
        let results = ended.rows().cloned().into_iter().chain(went_on).collect();
        self.last = ended.rows().cloned();
        let mut trace = StatementTrace {
            n: statement.n,
            session: statement.session.clone(),
            sql: statement.sql.clone(),
            xid0,
            xid1: self.db.cluster.pg.transam.next_xid,
            position,
            ..StatementTrace::default()
        };
        ended.trace(&mut trace, &plan);
        let mut lines = Vec::new();
        if self.traces {
            let seen = self.observer.look(&self.db.cluster);
            (trace.pages, trace.forks, trace.wal, trace.ends) = (seen.pages, seen.forks, seen.wal, seen.ends);
            lines.push(TraceLine::Statement(trace));
            lines.extend(resumed.into_iter().map(TraceLine::Resumed));
        }
        let told = Self::simulated(statement.sql.clone(), joined(&outcomes));
        let simulated = Simulated { plan, results, written, ..told };
        Done { ends, ..self.done(lines, simulated, (!refused.is_empty()).then(|| refused.join("; "))) }
    }

    /// What is to be said beside how a statement ended.
    fn notes_of(&mut self, ended: &Ended, sql: &str) -> Vec<String> {
        if ended.is_bad() {
            return Vec::new();
        }
        let mut notes = core::mem::take(&mut self.db.notes);
        notes.extend(self.absent.doubt(sql).filter(|_| ended.rows().is_some() || makes(sql).rows.is_some()));
        notes
    }

    fn simulated(label: String, outcome: String) -> Simulated {
        Simulated { label, outcome, ..Simulated::default() }
    }

    fn done(&mut self, lines: Vec<TraceLine>, simulated: Simulated, refused: Option<String>) -> Done {
        self.db.cluster.pg.trace.enter(None);
        let happenings = core::mem::take(&mut self.db.cluster.pg.trace.happenings);
        Done { lines, happenings, simulated, ends: Vec::new(), refused }
    }

    /// ONLY of a partitioned table, without its partitions, which some commands may say, or answer with an error.
    fn only_of_partitioned(&self, sql: &str, tree: &Tree) -> Option<StatementError> {
        let is_known = |action: &AlterAction| {
            use AlterAction::{AddColumn, AttachPartition, DetachPartition, DropColumn, SetType};
            matches!(
                action,
                AttachPartition(_) | DetachPartition(..) | AddColumn { .. } | DropColumn { .. } | SetType { .. }
            )
        };
        match tree {
            Tree::AlterTable(alter) if alter.actions.iter().all(is_known) => return None,
            Tree::Truncate(_) => return None,
            _ => {}
        }
        let catalog = &self.db.cluster.catalog;
        let is_partitioned = |name: &RangeVar| self.db.find(name).is_some_and(|it| catalog.partition_key(it).is_some());
        let (name, at) = named_only(sql).into_iter().find(|(name, _)| is_partitioned(name))?;
        let message = format!("ONLY of the partitioned table {name} is not supported");
        Some(StatementError::unsupported(message, Some(at)))
    }

    /// Parses a statement, runs it to its end or to where it waits.
    fn run(&mut self, statement: &Statement) -> (Ended, Vec<String>) {
        let types = self.db.type_names(&statement.sql);
        let tree = match parse_with(&statement.sql, types) {
            Ok(mut tree) => {
                parameters::give(&self.storage, &mut tree);
                tree
            }
            Err(refused) => {
                let refused = self.absent.explains_syntax(&refused.error).unwrap_or(refused);
                return self.refused(refused);
            }
        };
        let is_superuser = self.db.cluster.is_superuser(self.db.cluster.user());
        let only = self.only_of_partitioned(&statement.sql, &tree);
        let absent = only.or_else(|| self.absent.explains_statement(&tree, &statement.sql));
        if let Some(refused) = absent.or_else(|| self.absent.explains_role(&tree, is_superuser)) {
            return self.refused(refused);
        }
        let newer = newer::newer_syntax(&tree, &statement.sql, self.db.cluster.version());
        let wrong = newer.or_else(|| wrong_options(&tree));
        if let Some(error) = wrong {
            if error.sqlstate == NOT_SIMULATED {
                return self.refused(StatementError::unsupported(error.message.clone().into_owned(), None));
            }
            return (self.fail(error), Vec::new());
        }
        if self.db.cluster.pg.settings.default_table_am == TableAm::Undo
            && let Err(refused) = check_undo_engine(&tree)
        {
            return self.refused(refused);
        }
        let is_more = self.db.cluster.has_deferred() || !self.db.cluster.portals_to_hold().is_empty();
        let is_failed = self.db.cluster.pg.backend().xact.as_ref().is_none_or(|xact| xact.failed);
        // cursors end with it, which marks what their scans have found dead
        let ends_cursors = !self.db.session().portals.is_empty();
        if matches!(tree, Tree::Transaction(Transaction::Commit)) && (is_more || ends_cursors) && !is_failed {
            self.db.cluster.begin_commit();
            let before = self.db.cluster.before_statement();
            return self.go_on(Waiting::new(statement, before, self.db.cluster.pg.me, tree, Vec::new()));
        }
        if matches!(tree, Tree::Transaction(Transaction::Chain(true))) && is_more && !is_failed {
            let message = "COMMIT AND CHAIN with deferred constraints or cursors WITH HOLD is not supported";
            return (
                self.refuse(StatementError::unsupported(message, None), &self.db.cluster.before_statement()),
                Vec::new(),
            );
        }
        if let Tree::Transaction(transaction) = &tree {
            return match run_transaction(&mut self.db, transaction) {
                TransactionOutcome::Done(tag) => (Ended::done(tag), Vec::new()),
                TransactionOutcome::Failed(error) => (self.fail(error), Vec::new()),
            };
        }
        self.db.note_time();
        if let Err(error) = self.db.cluster.start_statement() {
            return (Ended::Failed(error), Vec::new());
        }
        // before anything is locked (`RangeVarCallback…`)
        if let Err(error) = check_utility(&self.db, &tree) {
            return self.refused(error.into());
        }
        if !locks::is_told(&tree, self.db.has_sql_functions()) {
            self.db.cluster.pg.locks.note_untold(self.db.cluster.pg.me);
        }
        let named = match &tree {
            Tree::Object(Object::Execute(execute)) => self.db.prepared_statement(&execute.name).unwrap_or(&tree),
            tree => tree,
        };
        let (before, wanted) = (self.db.cluster.before_statement(), locks::wanted(&self.db.cluster, named));
        self.go_on(Waiting::new(statement, before, self.db.cluster.pg.me, tree, wanted))
    }

    fn refused(&mut self, refused: StatementError) -> (Ended, Vec<String>) {
        let before = self.db.cluster.before_statement();
        (self.refuse(refused, &before), Vec::new())
    }

    /// Runs a statement to its end or to where it waits. Gives its plan, where it began.
    fn go_on(&mut self, mut waiting: Waiting) -> (Ended, Vec<String>) {
        self.db.cluster.pg.backend_mut().waits = None;
        let mut plan = Vec::new();
        if let Stage::Locks { tree, copy_data, wanted } = &mut waiting.stage {
            while let Some(lock) = wanted.front().copied() {
                if !self.db.cluster.lock_relation(lock) {
                    return match &**tree {
                        Tree::Lock(Lock { waits: false, .. }) => (self.not_available(lock), plan),
                        _ => (self.wait(waiting, WaitFor::Lock(lock)), plan),
                    };
                }
                wanted.pop_front();
            }
            if let Some(on) = advisory::wanted(tree).filter(|on| !self.holders(waiting.session, *on).is_empty()) {
                return (self.wait(waiting, on), plan);
            }
            self.db.cluster.pg.locks.advisory.stop_waiting(waiting.session);
            // VACUUM FULL keeps what it took before it waited
            if !matches!(&**tree, Tree::Vacuum(vacuum) if vacuum.full) {
                self.db.cluster.release_snapshot();
            }
            match Execution::start(
                &mut self.db,
                core::mem::replace(&mut **tree, Tree::Checkpoint),
                copy_data.as_deref(),
            ) {
                Ok(mut execution) => {
                    plan.clone_from(&execution.plan);
                    let style = Context::input(&self.db).style;
                    self.kept.into_iter().for_each(|kept| execution.keep_rows(kept.in_style(style)));
                    waiting.stage = Stage::Runs(execution);
                }
                Err(refused) => return (self.refuse(refused, &waiting.before), plan),
            }
        }
        let Stage::Runs(execution) = &mut waiting.stage else { return (Ended::Waits, plan) };
        let ended = match run_to_end(&mut self.db, execution, &mut waiting.tag).map_err(|it| hide(&self.db, it)) {
            Ok(tag) => {
                // EXPLAIN ANALYZE has it only now
                if let Work::Explain(_) = execution.work {
                    plan.clone_from(&execution.plan);
                }
                match self.db.cluster.pg.interrupt.check().and_then(|()| self.db.cluster.end_statement()) {
                    Ok(()) => {
                        self.db.cluster.name_columns();
                        let rows = execution.take_rows().map(|rows| self.db.with_labels(rows));
                        Ended::Ok(tag, rows)
                    }
                    Err(error) => self.fail(error),
                }
            }
            Err(Stop::Error(error)) if error.sqlstate == NOT_SIMULATED => self.skip(error.into(), &waiting.before),
            Err(Stop::Error(error)) => match self.absent.explains_error(&error, &waiting.sql) {
                Some(absent) => self.skip(absent, &waiting.before),
                None => self.fail(error),
            },
            Err(Stop::Wait(on)) => self.wait(waiting, on),
        };
        (ended, plan)
    }

    /// LOCK … NOWAIT of a table that another session has locked (`RangeVarGetRelidExtended`).
    fn not_available(&mut self, lock: RelationLock) -> Ended {
        self.db.cluster.pg.locks.stop_waiting(self.db.cluster.pg.me);
        let name = self.db.cluster.catalog.class(lock.relation).map_or("", |class| &class.name);
        self.fail(SqlError::new("55P03", format!("could not obtain lock on relation \"{name}\"")))
    }

    /// The statement waits, unless that would be for ever. A statement that waits for a lock has the snapshot that it
    /// was analyzed with.
    fn wait(&mut self, mut waiting: Waiting, on: WaitFor) -> Ended {
        if let Some(failed) = self.fails_soon() {
            return failed;
        }
        if self.is_deadlock(waiting.session, on) {
            return self.fail(SqlError::new("40P01", "deadlock detected"));
        }
        if let Stage::Locks { tree, .. } = &waiting.stage
            && !matches!(&**tree, Tree::Vacuum(vacuum) if !vacuum.full)
        {
            self.db.cluster.take_snapshot();
        }
        if let WaitFor::Advisory(key, shared) = on {
            self.db.cluster.pg.locks.advisory.wait(waiting.session, key, shared);
        }
        // it holds a lock on the row
        if let WaitFor::Transaction(_) = on {
            self.db.cluster.pg.locks.note_untold(waiting.session);
        }
        waiting.on = Some(on);
        self.db.cluster.pg.backend_mut().waits = waiting.on;
        self.waiting.push(waiting);
        Ended::Waits
    }

    /// What PostgreSQL refuses too fails its transaction; what only the simulator does not know is skipped.
    fn refuse(&mut self, mut refused: StatementError, before: &Before) -> Ended {
        refused.error = self.db.with_enums(refused.error);
        if let Some(absent) = self.absent.explains(&refused.error) {
            return self.skip(StatementError { position: refused.position, ..absent }, before);
        }
        match refused.refusal {
            Refusal::Unsupported => self.skip(refused, before),
            Refusal::Syntax => {
                self.db.cluster.fail_statement();
                Ended::Refused(refused)
            }
            Refusal::Server => self.fail(refused.error_with_place()),
        }
    }

    /// A statement that is not simulated. In a transaction that has failed a server would not run it either.
    fn skip(&mut self, refused: StatementError, before: &Before) -> Ended {
        if self.db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.failed)
            && let Err(failed) = self.db.cluster.start_statement()
        {
            return Ended::Failed(failed);
        }
        if self.db.cluster.skip_statement(before) { Ended::Skipped(refused) } else { Ended::Refused(refused) }
    }

    fn fail(&mut self, error: SqlError) -> Ended {
        forget_due(&mut self.db);
        // what is named may have been made by the transaction that fails
        let error = self.db.with_enums(error);
        self.db.cluster.fail_statement();
        Ended::Failed(error)
    }

    /// Sessions whose wait is over go on, until none does.
    fn resume(&mut self, mut resumed: Resumed) -> Resumed {
        while let Some(at) = self.waiting.iter().position(|waiting| self.is_over(waiting)) {
            let waiting = self.waiting.remove(at);
            self.db.cluster.pg.me = waiting.session;
            let (n, line, name) = (waiting.n, waiting.line, self.db.cluster.pg.backend().name.clone());
            let sql = waiting.sql.clone();
            self.db.cluster.pg.trace.enter(Some(goes_on(&name, &sql).into()));
            self.db.cluster.hide_uncommitted();
            let ended = self.go_on(waiting).0;
            let position = ended.wrong().map(|at| at.character(&sql));
            let ended = ended.placed(line);
            self.db.cluster.show_uncommitted();
            resumed.refused.extend(ended.refused(n, line));
            if ended.is_bad() {
                resumed.outcomes.push(format!("statement {n} of session {name} went on: {}", ended.words()));
            }
            resumed.ends.push(StatementEnd::of(name.clone(), &ended));
            resumed.traces.extend(ended.resumed(n, name, position));
        }
        resumed
    }
}

/// Runs it to its end, and what is checked there, where the transaction ends with it.
fn run_to_end(db: &mut Database, execution: &mut Execution, tag: &mut Option<String>) -> Outcome<String> {
    let done = match tag.take() {
        Some(done) => done,
        None => execution.go_on(db)?,
    };
    fire_deferred(db).and_then(|()| hold(db)).inspect_err(|_| *tag = Some(done.clone())).map(|()| done.clone())
}

/// Statements that had waited and went on.
#[derive(Default)]
struct Resumed {
    traces: Vec<ResumedTrace>,
    /// how those ended that failed, in the words of a timeline
    outcomes: Vec<String>,
    /// those that are not simulated
    refused: Vec<String>,
    ends: Vec<StatementEnd>,
}

/// Several outcomes as one sentence; a DETAIL ends with a full stop of its own.
fn joined(outcomes: &[String]) -> String {
    let (last, before) = outcomes.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
    before.iter().map(|outcome| format!("{}; ", outcome.trim_end_matches('.'))).collect::<String>() + last
}

fn busy(statement: &Statement, n: u32) -> SqlError {
    let session = &statement.session;
    SqlError::new("55000", format!("session {session} still waits for a lock in statement {n} and can run nothing"))
}
