//! Plays a script on a server, statement by statement: what each did becomes the steps of a timeline.
//!
//! ```text
//!  send ─▶ ended, or waits for a lock ─▶ look at relations and pages ─▶ the WAL since the last look ─▶ steps
//! ```

use super::database::quoted;
use super::ended::{Ended, written};
use super::look::{Eyes, Look};
use super::place::{Ground, Place};
use super::session::{Block, Message};
use super::sessions::{PATIENCE, Sessions, Settled};
use super::trace::Tracer;
use crate::failure::{Failure, Kind};
use crate::fence::{Errand, Walled, is_inspection};
use crate::pages::Pace;
use crate::wal::{Follower, WalOptions};
use ffviz_format::state::{PageId, State};
use ffviz_simulator::sql::script::{Directive, Item, Statement, Variables, note};
use ffviz_simulator::sql::trace::{ResumedTrace, TraceLine};
use ffviz_story::timeline::{Played, ResultSet, Timeline, WalBetween};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::time::Instant;

/// How a script is played.
#[derive(Debug, Clone)]
pub struct PlayOptions {
    /// steps that are kept one by one; what happens later is one step a statement
    pub steps: usize,
    /// bytes that the script's database may grow by
    pub disk: u64,
    /// pages of a fork that are looked at, from its beginning; those that the WAL names come on top
    pub pages: u32,
    /// bytes of WAL of a statement that are read at most
    pub wal: u64,
    /// may it do what the whole server notices: CHECKPOINT, `pg_switch_wal`?
    pub server_wide: bool,
    /// asks to stop
    pub interrupt: Arc<AtomicBool>,
}

/// What a script did on a server, as far as it came.
#[derive(Debug)]
pub struct ServerPlay {
    /// its steps
    pub timeline: Timeline,
    /// how many states there are after each of the script's items, as far as it came
    pub after: Vec<usize>,
    /// a line a statement, as `ffviz sim --format jsonl` prints them
    pub lines: Vec<TraceLine>,
    /// statements that were not sent, a sentence each
    pub refused: Vec<String>,
    /// why it ended before the script's end, or what is left on the server: a sentence
    pub stopped: Option<String>,
}

/// A play.
struct Player {
    place: Place,
    options: PlayOptions,
    walled: Walled,
    sessions: Sessions,
    look: Look,
    wal: Follower,
    pace: Pace,
    timeline: Timeline,
    tracer: Tracer,
    after: Vec<usize>,
    refused: Vec<String>,
    /// bytes of the database before the script
    size: i64,
    /// psql's variables
    variables: Variables,
    /// what the last statement gave
    last: Option<ResultSet>,
}

/// Plays it on that ground; cleans up, whatever happens. `told`: how what is made would be dropped by hand, should
/// ffviz be killed.
///
/// # Errors
/// A sentence: why nothing of it could be played.
pub async fn play(
    ground: Ground,
    walled: Walled,
    options: PlayOptions,
    told: impl FnOnce(&str),
) -> Result<ServerPlay, Failure> {
    let mut place = Place::make(ground, options.server_wide).await?;
    told(&place.how_to_drop());
    let begun = begin(&mut place, &options).await;
    let (look, wal, timeline, size) = match begun {
        Ok(begun) => begun,
        Err(failure) => return place.clean().await.and(Err(failure)),
    };
    let (sessions, pace, refused, after) = (Sessions::default(), Pace::new(0), Vec::new(), Vec::new());
    let tracer = Tracer::default();
    let (variables, last) = (Variables::default(), None);
    let mut player = Player {
        place,
        options,
        walled,
        sessions,
        look,
        wal,
        pace,
        timeline,
        tracer,
        after,
        refused,
        size,
        variables,
        last,
    };
    let outcome = player.items().await;
    if outcome.is_err() {
        // where the connection is lost, so is that to the script's sessions
        let _ = player.sessions.cancel(&player.place.admin).await;
    }
    let Player { place, sessions, timeline, tracer, after, refused, .. } = player;
    drop(sessions);
    let ended = match (outcome, place.clean().await) {
        (Ok(()), Ok(())) => None,
        (Err(failure), Err(left)) if failure.sentence == left.sentence => Some(left.sentence),
        (Err(failure), Err(left)) => Some(format!("{failure}; and {left}")),
        (Err(failure), Ok(())) | (Ok(()), Err(failure)) => Some(failure.sentence),
    };
    Ok(ServerPlay { timeline, after, lines: tracer.lines, refused, stopped: ended })
}

/// The first look, before anything of the script is there.
async fn begin(place: &mut Place, options: &PlayOptions) -> Result<(Look, Follower, Timeline, i64), Failure> {
    let mut look = place.look(options.pages);
    let mut wal = Follower::new(WalOptions { off: false, limit: options.wal, folder: None });
    let mut first = place.access.moment(&place.session).await?;
    look.fill(Eyes::Own(&place.session), &mut first, None, false).await?;
    wal.follow(&place.session, &mut Pace::new(0), None, &first).await;
    let size = database_size(place).await?;
    Ok((look, wal, Timeline::new(first, None), size))
}

async fn database_size(place: &Place) -> Result<i64, Failure> {
    let rows = place.session.read("SELECT pg_database_size(current_database()) AS size", &[]).await?;
    Ok(rows.first().map_or(Ok(0), |row| row.try_get("size"))?)
}

impl Player {
    async fn items(&mut self) -> Result<(), Failure> {
        for item in self.walled.script().items.clone() {
            match item {
                Item::Statement(statement) if self.variables.skips() => {
                    self.tell(statement.sql.clone(), "psql's \\if: not this branch".to_owned());
                }
                Item::Statement(statement) => self.statement(&statement).await?,
                Item::Directive { directive: Directive::Psql(command), .. } => {
                    self.variables.follow_run(&command, self.last.as_ref());
                    self.tell(command.clone(), note(&command))
                }
                Item::Directive { directive, .. } => {
                    self.tell(directive.line(), "skipped: a server has counters of its own".to_owned());
                }
            }
            self.after.push(self.timeline.len());
        }
        Ok(())
    }

    /// A step at which nothing happened on the server.
    fn tell(&mut self, label: String, outcome: String) {
        let played = Played { outcome, ..Played::default() };
        self.timeline.push_played(self.timeline.last().clone(), Some(label), None, played);
    }

    async fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        self.tracer.begin(statement, &self.place.admin).await?;
        let errand = self.walled.errand_with(statement, &self.variables);
        let is_as_written = matches!(&errand, Errand::Send(sent) if *sent == statement.sql);
        let (mut ended, went_on) = match errand {
            Errand::Send(sent) => self.send(statement, sent).await?,
            Errand::Perform(block) => {
                self.send(statement, format!("SELECT ffviz.perform('{}')", block.replace('\'', "''"))).await?
            }
            Errand::Extension { name, schema, if_not_exists } => {
                (self.extension(&name, &schema, if_not_exists).await?, Vec::new())
            }
            Errand::Checkpoint => (self.admin("CHECKPOINT", "CHECKPOINT").await?, Vec::new()),
            Errand::LeaveOut(why) => {
                self.refused.push(format!("statement {} (line {}): not sent: {why}", statement.n, statement.line));
                (Ended::not_sent(why), Vec::new())
            }
        };
        ended.played.written = written(statement, &ended, is_as_written);
        self.last.clone_from(&ended.result);
        self.tracer.ended(&ended);
        let (next, wal) = self.look(statement).await?;
        self.tracer.end(self.timeline.last(), &next, wal.as_ref(), went_on, &self.place.admin).await?;
        self.timeline.push_played(next, Some(statement.sql.clone()), wal, ended.played);
        Ok(())
    }

    /// Sends a statement and waits for what comes of it: how it ended, and lines of those that it let go on.
    async fn send(&mut self, statement: &Statement, sent: String) -> Result<(Ended, Vec<ResumedTrace>), Failure> {
        let name = &statement.session;
        if self.sessions.get(name).is_none() {
            let session = self.place.open_session().await?;
            self.sessions.insert(name.clone(), session);
        }
        if let Some(waiting) = self.sessions.running(name) {
            return Err(format!(
                "line {}: session {name} still waits for a lock in statement {}; it can run nothing until another session lets it",
                statement.line, waiting.n
            )
            .into());
        }
        self.stays(statement).await?;
        if let Some(session) = self.sessions.get_mut(name) {
            session.start_as(statement, sent);
        }
        self.settle().await?;
        let mut ended = Ended::waits();
        let (mut outcomes, mut lines) = (Vec::new(), Vec::new());
        for (session, of, outcome) in self.sessions.finished().await {
            if self.sessions.get(&session).is_some_and(|session| session.client.is_closed()) {
                let why = outcome.err().map_or_else(String::new, |message| format!(": {}", message.message));
                return Err(Failure::new(Kind::Gone, format!("the server ended session {session}{why}")));
            }
            if of.n == statement.n {
                ended = Ended::of(outcome);
                continue;
            }
            let its = Ended::of(outcome);
            lines.push(its.line(&of, &session));
            outcomes.push((format!("statement {} of session {session}", of.n), its));
        }
        for (of, its) in outcomes {
            ended.played.outcome += &format!("; {of} went on: {}", its.played.outcome);
            ended.played.results.extend(its.played.results.into_iter().map(|set| ResultSet { of: of.clone(), ..set }));
        }
        Ok((ended, lines))
    }

    /// Waits until every session is at the end of its statement, or waits for a lock; ends a statement that fills the
    /// disk.
    async fn settle(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        loop {
            match self.sessions.settle(&self.place.admin, (began, PATIENCE), &self.options.interrupt).await? {
                Settled::Quiet => return Ok(()),
                Settled::Interrupted => return Err("stopped".to_owned().into()),
                Settled::Busy => {
                    let grown = database_size(&self.place).await?.saturating_sub(self.size);
                    if u64::try_from(grown).is_ok_and(|grown| grown > self.options.disk) {
                        return Err("the script takes more room on the disk than --disk allows".to_owned().into());
                    }
                }
            }
        }
    }

    /// An extension, which only ffviz may make; its functions that are for superusers are lent.
    async fn extension(&mut self, name: &str, schema: &str, if_not_exists: bool) -> Result<Ended, Failure> {
        const THERE: &str = "SELECT FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) $1";
        let is_there = if_not_exists && self.place.admin.query_opt(THERE, &[&name]).await?.is_some();
        // the functions of pageinspect are there: the wall lends them
        if name == "pageinspect" || is_there {
            return Ok(Ended::done("CREATE EXTENSION"));
        }
        // its script runs with a superuser's rights, and must find nothing of this script's by its names
        let (name_quoted, schema) = (quoted(name), quoted(schema));
        let made = format!(
            "BEGIN; CREATE EXTENSION {name_quoted} SCHEMA ffviz_made; ALTER EXTENSION {name_quoted} SET SCHEMA {schema}; COMMIT"
        );
        let ended = self.admin(&made, "CREATE EXTENSION").await?;
        if ended.error.is_some() {
            self.place.admin.batch_execute("ROLLBACK").await?;
        }
        if is_inspection(name) && ended.error.is_none() {
            let lent = include_str!("../sql/script/lend.sql");
            for row in self.place.admin.query(lent, &[&name, &self.place.role]).await? {
                self.place.admin.batch_execute(row.try_get("grant")?).await?;
            }
        }
        Ok(ended)
    }

    /// What ffviz does for the script.
    async fn admin(&self, sent: &str, tag: &str) -> Result<Ended, Failure> {
        match self.place.admin.batch_execute(sent).await {
            Ok(()) => Ok(Ended::done(tag)),
            Err(error) => match Message::of(&error) {
                Some(message) => Ok(Ended::of(Err(message))),
                None => Err(error.into()),
            },
        }
    }

    /// Everything as it is now, and the WAL since the last look.
    async fn look(&mut self, statement: &Statement) -> Result<(State, Option<WalBetween>), Failure> {
        let session = self.sessions.get(&statement.session);
        let inside = session.filter(|session| session.changed_catalog && session.block == Block::Open);
        let eyes = match inside.filter(|session| session.running.is_none()) {
            Some(session) => Eyes::Script(&session.client),
            None => Eyes::Own(&self.place.session),
        };
        let hidden = self.sessions.all().any(|session| session.changed_catalog);
        if self.sessions.all().any(|session| session.block != Block::None || session.running.is_some()) {
            self.place.flush().await?;
        }
        let before = self.timeline.last().clone();
        let mut next = self.place.access.moment(&self.place.session).await?;
        self.look.fill(eyes, &mut next, Some(&before), hidden).await?;
        self.wal.follow(&self.place.session, &mut self.pace, Some(&before), &next).await;
        let wal = self.wal.take(Some(&before)).map(|wal| self.shortened(wal));
        let named = named_beyond(wal.as_ref(), &next, self.options.pages);
        self.look.read(eyes, &mut next, &named).await?;
        Ok((next, wal))
    }

    /// A statement that has more records than steps are kept is one step.
    fn shortened(&self, wal: WalBetween) -> WalBetween {
        if self.timeline.len() + wal.records.len() <= self.options.steps {
            return wal;
        }
        let gap = format!(
            "the statement wrote {} records, and the run has more steps than are kept one by one; --steps N keeps more",
            wal.records.len()
        );
        WalBetween { records: Vec::new(), gap: Some(gap), ..wal }
    }

    /// Nothing more is sent where the session is not what it was, by whatever statement, also one that had waited.
    async fn stays(&self, statement: &Statement) -> Result<(), Failure> {
        let (Some(role), Some(session)) = (self.place.role, self.sessions.get(&statement.session)) else {
            return Ok(());
        };
        if session.is_still(role).await? {
            return Ok(());
        }
        Err(format!(
            "line {}: a statement before it has changed whose rights session {} has, or how it reads texts; nothing more is sent",
            statement.line, statement.session
        )
        .into())
    }
}

/// Pages of long forks that the WAL names, as many as are looked at in any case.
fn named_beyond(wal: Option<&WalBetween>, state: &State, most: u32) -> Vec<PageId> {
    let mut named = BTreeSet::new();
    let version = state.server.version;
    for record in wal.into_iter().flat_map(|wal| &wal.records) {
        let Ok(decoded) = record.decode(version) else { continue };
        for tag in decoded.blocks.iter().map(|block| block.tag).filter(|tag| tag.block >= most) {
            let relation = state.relations.values().find(|relation| relation.is_file(tag.locator));
            let there = relation.filter(|relation| tag.block < relation.blocks.of(tag.fork));
            named.extend(there.map(|it| PageId { relation: it.oid, fork: tag.fork, block: tag.block }));
        }
        if named.len() >= most as usize {
            break;
        }
    }
    named.into_iter().collect()
}
