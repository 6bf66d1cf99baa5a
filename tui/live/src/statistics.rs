//! A table's shape and the past of its updates, as catalogs and statistics tell them: what `ffviz advise` begins with.
//! One polite read, which looks at no row of the table; what the role may not see is said, and not guessed.

use crate::connect::{Connector, Environment};
use crate::failure::{Failure, Kind as FailureKind};
use crate::names;
use crate::session::Session;
use crate::statements;
use ffviz_format::page::{PgVersion, count, thousands};
use ffviz_simulator::advice::{Column, Counters, Fact, Holder, Index, Kind, Observed, Origin, Shape, UpdateStatement};
use ffviz_simulator::sql::run::{MAJORS, newest};
use serde::Deserialize;
use tokio_postgres::types::Type;

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct TableStatistics {
    /// the server: `shop on db1:5432`
    pub place: String,
    /// its version
    pub version: PgVersion,
    /// the table
    pub shape: Shape,
    /// the past of its updates
    pub observed: Observed,
    /// what was read, and what could not be
    pub facts: Vec<Fact>,
}

/// Rows of a table of which nobody knows how many it has: sizes are those of a million.
pub const ROWS_UNKNOWN: f64 = 1_000_000.0;

#[derive(Deserialize)]
struct Told {
    version: u32,
    standby: bool,
    role: String,
    is_catalog: bool,
    name: String,
    schema: String,
    relation: String,
    kind: String,
    statements: Option<String>,
    method: String,
    rows: f64,
    pages: u32,
    block_size: u32,
    fillfactor: Option<u32>,
    autovacuum: Vec<String>,
    may_select: bool,
    sees_sessions: bool,
    columns: Vec<ToldColumn>,
    indexes: Vec<ToldIndex>,
    counters: Option<ToldCounters>,
    since: Option<String>,
    holders: Vec<ToldHolder>,
}

#[derive(Deserialize)]
struct ToldColumn {
    num: i32,
    name: String,
    len: i16,
    align: char,
    by_value: bool,
    width: Option<i32>,
    nulls: Option<f64>,
    distinct: Option<f64>,
}

#[derive(Deserialize)]
struct ToldIndex {
    name: String,
    method: String,
    unique: bool,
    special: bool,
    scans: u64,
    keys: Vec<i32>,
    depends: Vec<i32>,
}

#[derive(Deserialize)]
struct ToldCounters {
    n_tup_ins: u64,
    n_tup_upd: u64,
    n_tup_hot_upd: u64,
    n_tup_newpage_upd: Option<u64>,
    n_live_tup: u64,
    n_dead_tup: u64,
}

#[derive(Deserialize)]
struct ToldHolder {
    sort: String,
    name: String,
    state: String,
    seconds: Option<i64>,
    age: Option<i64>,
}

/// Reads what the server tells of the table of that name.
///
/// # Errors
/// One sentence that says what is wrong and what to do: no connection, no such table, one that has no updates.
pub async fn read(conninfo: &str, table: &str) -> Result<TableStatistics, Failure> {
    let mut connector = Connector::new(conninfo, Environment::of_process())?;
    let session = Session::open(&mut connector).await?;
    let found = names::find(&session, table, true, connector.dbname()).await?;
    let [oid] = found[..] else {
        let sentence = format!("{table} names {} tables; advice is for one", found.len());
        return Err(Failure::new(FailureKind::Other, sentence));
    };
    let rows = session.read(include_str!("sql/statistics.sql"), &[(&oid, Type::OID)]).await?;
    let gone = || Failure::new(FailureKind::Changed, format!("{table} has just been dropped"));
    let text: String = rows.first().ok_or_else(gone)?.try_get("statistics")?;
    let told: Told =
        serde_json::from_str(&text).map_err(|error| format!("what the server tells is not understood: {error}"))?;
    if let Some(sentence) = told.refusal() {
        return Err(sentence.into());
    }
    let mut facts = Vec::new();
    let statements = told.statements(&session, &mut facts).await;
    Ok(told.statistics(connector.place(), facts, statements))
}

impl Told {
    /// Why there is no advice.
    fn refusal(&self) -> Option<String> {
        let Self { name, method, .. } = self;
        if self.version < 130_000 {
            return Some(format!("the server is PostgreSQL {}; ffviz reads 13 and newer", self.version / 10_000));
        }
        if self.is_catalog {
            return Some(format!("{name} is a system catalog; advice is for tables of your own"));
        }
        match self.kind.as_str() {
            "r" if method == "heap" => None,
            "r" => Some(format!("{name} has the access method {method}; fillfactor and HOT are those of heap")),
            "m" => Some(format!("{name} is a materialized view, which no UPDATE changes; advice is for tables")),
            "t" => Some(format!("{name} is a TOAST table, which no UPDATE changes; name its table")),
            _ => Some(format!("{name} is no table; advice is for tables")),
        }
        .or_else(|| {
            let other = self.block_size != 8192;
            other.then(|| format!("the server has pages of {} bytes; those of 8192 are simulated", self.block_size))
        })
    }

    /// UPDATE statements of the table; where there are none, why.
    async fn statements(&self, session: &Session, facts: &mut Vec<Fact>) -> Vec<UpdateStatement> {
        let table = (self.schema.as_str(), self.relation.as_str());
        let read = match &self.statements {
            Some(extension) => statements::read(session, extension, table).await.map_err(|failure| failure.sentence),
            None => Err("there is no extension pg_stat_statements in this database that the role may use".to_owned()),
        };
        let read = read.and_then(|all| match all.is_empty() {
            true => Err("pg_stat_statements has no UPDATE of it that the role may see".to_owned()),
            false => Ok(all),
        });
        read.unwrap_or_else(|why| {
            let text = format!("which columns UPDATE statements set: {why}; --updates COLUMN,… says it");
            facts.push(Fact::new(Origin::NotRead, text));
            Vec::new()
        })
    }

    fn statistics(self, place: String, mut facts: Vec<Fact>, statements: Vec<UpdateStatement>) -> TableStatistics {
        let shape = self.shape(&mut facts);
        let observed = Observed { statements, ..self.observed(&mut facts) };
        TableStatistics { place, version: PgVersion(self.version), shape, observed, facts }
    }

    fn shape(&self, facts: &mut Vec<Fact>) -> Shape {
        let mut fact = |origin, text: String| facts.push(Fact::new(origin, text));
        let major = (self.version / 10_000).min(MAJORS[MAJORS.len() - 1]);
        if major != self.version / 10_000 {
            fact(Origin::Assumed, format!("the server is simulated as PostgreSQL {major}, the newest that there is"));
        }
        let is_counted = self.rows > 0.0;
        if is_counted {
            let (rows, pages) = (count(self.rows as u64, "row"), count(self.pages.into(), "page"));
            fact(Origin::Measured, format!("{rows} in {pages}, as VACUUM or ANALYZE last counted them"));
        } else {
            fact(
                Origin::NotRead,
                "how many rows there are: the table was never vacuumed or analysed, or was empty then".to_owned(),
            );
            fact(Origin::Assumed, "sizes are those of a million rows".to_owned());
        }
        let columns = self.columns.iter().map(|column| column.kept(self.rows)).collect();
        let mut shape = Shape {
            name: self.name.clone(),
            major,
            fillfactor: self.fillfactor.unwrap_or(100),
            rows: if is_counted { self.rows } else { ROWS_UNKNOWN },
            columns,
            indexes: self.indexes.iter().map(|index| index.kept(&self.columns, newest(major))).collect(),
        };
        let origin = self.widths(&mut shape, &mut fact);
        fact(origin, format!("{} bytes a row, its header left out", thousands((shape.row_width() + 0.5) as u64)));
        let indexes: Vec<&str> = self.indexes.iter().map(|index| index.name.as_str()).collect();
        let text = if indexes.is_empty() { "no index".to_owned() } else { format!("indexes {}", indexes.join(", ")) };
        fact(Origin::Measured, format!("{text}; fillfactor {}", shape.fillfactor));
        if !self.autovacuum.is_empty() {
            fact(Origin::Measured, format!("{}; simulated is the default", self.autovacuum.join(", ")));
        }
        shape
    }

    /// Widths that no statistics tell are taken from the pages, where rows were counted. Says where that of a row is
    /// known
    /// from.
    fn widths(&self, shape: &mut Shape, fact: &mut impl FnMut(Origin, String)) -> Origin {
        /// bytes of a row beside its columns: header, line pointer, padding on average
        const BESIDE: f64 = 32.0;
        let unknown: Vec<usize> =
            (0..self.columns.len()).filter(|n| self.columns[*n].len < 0 && self.columns[*n].width.is_none()).collect();
        if unknown.is_empty() {
            return Origin::Measured;
        }
        let names: Vec<&str> = unknown.iter().map(|n| self.columns[*n].name.as_str()).collect();
        let why = if self.may_select {
            "there are no statistics of them; ANALYZE makes them".to_owned()
        } else {
            format!("role {} may not SELECT from {}", self.role, self.name)
        };
        fact(Origin::NotRead, format!("widths of {}: {why}", names.join(", ")));
        let known: f64 = shape.row_width() - f64::from(Kind::UNKNOWN) * unknown.len() as f64;
        let of_pages =
            f64::from(self.pages) * 8192.0 * f64::from(shape.fillfactor) / 100.0 / self.rows.max(1.0) - BESIDE;
        if self.rows <= 0.0 || self.pages == 0 || of_pages <= known {
            fact(Origin::Assumed, format!("{} bytes for each of them, as the planner takes", Kind::UNKNOWN));
            return Origin::Assumed;
        }
        let each = ((of_pages - known) / unknown.len() as f64) as u16;
        unknown.into_iter().for_each(|n| shape.columns[n].kind = Kind::Text(each.max(1)));
        fact(
            Origin::Assumed,
            format!(
                "{each} bytes for each of them: what the pages hold, by the rows, dead ones and free space included"
            ),
        );
        Origin::Assumed
    }

    fn observed(&self, facts: &mut Vec<Fact>) -> Observed {
        let mut not_read = |text: String| facts.push(Fact::new(Origin::NotRead, text));
        if self.standby {
            not_read(
                "counters of updates: those of a standby are its own, and it has no updates; ask the primary"
                    .to_owned(),
            );
        }
        if !self.sees_sessions {
            not_read(format!(
                "snapshots of other roles' sessions: role {} is no member of pg_read_all_stats; GRANT pg_read_all_stats TO {} shows them",
                self.role, self.role
            ));
        }
        let counters = self.counters.as_ref().filter(|_| !self.standby).map(|told| Counters {
            inserted: told.n_tup_ins,
            updated: told.n_tup_upd,
            hot: told.n_tup_hot_upd,
            newpage: told.n_tup_newpage_upd,
            live: told.n_live_tup,
            dead: told.n_dead_tup,
        });
        if counters.is_some_and(|counters| counters.newpage.is_none()) {
            not_read("how many updates found no room on their page, and so how many changed a column of an index: servers count that from 16 on; --updates says it".to_owned());
        }
        let holders = self.holders.iter().map(ToldHolder::kept).collect();
        Observed { counters, since: self.since.clone(), holders, statements: Vec::new() }
    }
}

impl ToldColumn {
    fn kept(&self, rows: f64) -> Column {
        Column {
            name: self.name.clone(),
            kind: Kind::of_type(self.len, self.align, self.by_value, self.width),
            nulls: self.nulls.unwrap_or(0.0).clamp(0.0, 1.0),
            // a negative number is a share of the rows (pg_stats.n_distinct)
            distinct: self.distinct.filter(|n| *n > -1.0 && *n != 0.0).map(|n| if n < 0.0 { -n * rows } else { n }),
        }
    }
}

impl ToldIndex {
    fn kept(&self, columns: &[ToldColumn], version: PgVersion) -> Index {
        let place = |num: &i32| columns.iter().position(|column| column.num == *num);
        let keys: Vec<usize> = self.keys.iter().filter_map(place).collect();
        let others = self.depends.iter().filter_map(place).filter(|column| !keys.contains(column)).collect();
        Index {
            name: self.name.clone(),
            method: self.method.clone(),
            keys,
            others,
            is_unique: self.unique,
            is_summarizing: self.method == "brin" && version.hot_ignores_summarizing(),
            is_special: self.special,
            scans: Some(self.scans),
        }
    }
}

impl ToldHolder {
    fn kept(&self) -> Holder {
        let since =
            self.seconds.map_or_else(String::new, |seconds| format!(" for {} s", thousands(positive(Some(seconds)))));
        let Self { name, state, .. } = self;
        let (who, way_out) = match self.sort.as_str() {
            "slot" => (
                format!("replication slot {name} ({state})"),
                format!("its standby goes on, or SELECT pg_drop_replication_slot('{name}') ends it"),
            ),
            "prepared" => (
                format!("prepared transaction '{name}'{since}"),
                format!("COMMIT PREPARED '{name}' or ROLLBACK PREPARED '{name}' ends it"),
            ),
            _ => (
                format!("session {name} ({state}{since})"),
                format!("its transaction has to end; SELECT pg_terminate_backend({name}) ends it"),
            ),
        };
        Holder { who, age: positive(self.age), way_out }
    }
}

/// Transactions and time go on while they are read: what has just begun may be ahead.
fn positive(n: Option<i64>) -> u64 {
    n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}
