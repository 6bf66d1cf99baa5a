//! Which statements of a script cannot be compared, as what they do is not the same twice: they call such a function,
//! or read a table, or index one, that holds values of it.

use ffviz_live::fence::Named;
use ffviz_simulator::sql::ast::{
    AlterAction, AlterTable, Assignment, ColumnDef, ColumnDefault, ConflictUpdate, Copy, CreateTable, Insert,
    InsertSource, LikeOption, Merge, MergeAction, OnConflict, Rename, RenamePart, Statement, TableLike, Target, Update,
};
use ffviz_simulator::sql::parse::parse;
use ffviz_simulator::sql::script::Script;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose results are not the same twice: by chance, by the time, or by the server that is asked. random() is,
/// once the session has called setseed().
const VOLATILE: [&str; 23] = [
    "random",
    "gen_random_uuid",
    "uuidv7",
    "uuid_generate_v4",
    "timeofday",
    "inet_server_port",
    "now",
    "clock_timestamp",
    "current_date",
    "current_timestamp",
    "localtime",
    "localtimestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "current_database",
    "current_schema",
    "current_user",
    "session_user",
    "user",
    "version",
    "pg_current_wal_lsn",
    "pg_current_wal_insert_lsn",
    "pg_current_wal_flush_lsn",
];

/// Words that a literal of a date or time is read by at another moment each time.
const MOMENTS: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];

/// The columns of a table, from the left, with the function in the default that is not the same twice.
type Columns = Vec<(String, Option<&'static str>)>;

/// Numbers of the statements whose results are not the same twice, with the function that is the cause.
#[must_use]
pub fn not_comparable(script: &Script) -> BTreeMap<u32, String> {
    let mut seeded: BTreeSet<&str> = BTreeSet::new();
    let mut tables: BTreeMap<String, Columns> = BTreeMap::new();
    let mut holding: BTreeMap<String, &'static str> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for statement in script.statements() {
        let Ok(tree) = parse(&statement.sql) else { continue };
        let named = Named::of(&tree);
        if named.calls.iter().any(|(name, _)| *name == "setseed") {
            seeded.insert(&statement.session);
        }
        let is_seeded = seeded.contains(statement.session.as_str());
        let volatile = |name: &str| VOLATILE.into_iter().find(|it| *it == name && !(*it == "random" && is_seeded));
        // a default is computed when a row is inserted, and by ADD COLUMN
        let is_later = matches!(tree, Statement::CreateTable(_));
        let called = named.calls.iter().filter(|(name, _)| !(is_later && named.defaults.contains(name)));
        let cause = called
            .filter_map(|(name, _)| volatile(name))
            .next()
            .or_else(|| default_used(&tree, &tables))
            .or_else(|| moment(&statement.sql))
            .or_else(|| handed_on(&tree, &named, &holding));
        let written = named.written.iter().map(|name| name.name.clone());
        match (cause, &tree) {
            (Some(function), _) => {
                found.insert(statement.n, function.to_owned());
                holding.extend(written.map(|name| (name, function)));
            }
            (None, Statement::Rename(Rename { name, part: RenamePart::Relation, to, .. })) => {
                let moved = holding.remove(&name.name);
                holding.extend(moved.map(|function| (to.clone(), function)));
            }
            // what has the name next is another table
            (None, Statement::Drop(_) | Statement::CreateTable(_)) => {
                holding.retain(|name, _| !named.written.iter().any(|gone| gone.name == *name))
            }
            _ => {}
        }
        note_columns(&tree, &mut tables);
    }
    found
}

/// What EXPLAIN said, without times and buffers of planning, which are not the same twice and which the simulator does
/// not have. What was read from disk counts as a hit: whoever looks at a server's pages brings them into its buffers.
#[must_use]
pub fn without_times(status: &str) -> Cow<'_, str> {
    const LINES: [&str; 3] = ["Planning Time:", "Execution Time:", "I/O Timings:"];
    const TIME: &str = "(actual time=";
    if !status.starts_with("EXPLAIN\n") {
        return Cow::Borrowed(status);
    }
    let is_left_out = |line: &str| LINES.iter().any(|left_out| line.trim_start().starts_with(left_out));
    // planning comes last
    let nodes = status.lines().take_while(|line| *line != "Planning:");
    let lines = nodes.filter(|line| !is_left_out(line));
    let without =
        |line: &str| match line.split_once(TIME).and_then(|(node, told)| Some((node, told.split_once(' ')?.1))) {
            Some((node, rows)) => format!("{node}(actual {rows}"),
            None => reads_as_hits(line),
        };
    Cow::Owned(with_public(&lines.map(without).collect::<Vec<_>>().join("\n")))
}

/// The schema that a script has on a server stands for `public`.
fn with_public(plan: &str) -> String {
    const OWN: &str = "ffviz_verify_";
    let mut parts = plan.split(OWN);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| told + "public" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// `hit=1 read=2` as `hit=3`
fn reads_as_hits(line: &str) -> String {
    let Some((indent, told)) = line.split_once("Buffers: ") else { return line.to_owned() };
    let mut words: Vec<String> = Vec::new();
    let mut hits = 0_u64;
    for word in told.split(' ') {
        let count = word.strip_prefix("hit=").or_else(|| word.strip_prefix("read=")).map(str::parse::<u64>);
        match count {
            Some(Ok(count)) => hits += count,
            _ => words.push(word.to_owned()),
        }
    }
    if hits > 0 {
        words.insert(1, format!("hit={hits}"));
    }
    format!("{indent}Buffers: {}", words.join(" "))
}

/// A literal such as 'today', whatever its type is.
fn moment(sql: &str) -> Option<&'static str> {
    let lower = sql.to_lowercase();
    let mut literals = lower.split('\'').skip(1).step_by(2);
    literals.find_map(|literal| MOMENTS.into_iter().find(|moment| literal.trim() == *moment))
}

/// The function whose values the statement reads from a table, or puts into an index of it.
fn handed_on(tree: &Statement, named: &Named<'_>, holding: &BTreeMap<String, &'static str>) -> Option<&'static str> {
    // LIKE takes columns, not rows
    if matches!(tree, Statement::CreateTable(_)) {
        return None;
    }
    let indexed = matches!(tree, Statement::CreateIndex(_)).then_some(&named.written);
    named.read.iter().chain(indexed.into_iter().flatten()).find_map(|name| holding.get(&name.name).copied())
}

/// Learns the columns of tables that are made or get more.
fn note_columns(tree: &Statement, tables: &mut BTreeMap<String, Columns>) {
    let column = |column: &ColumnDef| (column.name.clone(), volatile_default(column));
    match tree {
        Statement::CreateTable(CreateTable { name, columns, likes, .. }) => {
            let mut made: Columns = columns.iter().map(column).collect();
            for like in likes.iter().rev().filter(|like| takes_defaults(like)) {
                let copied = tables.get(&like.name.name).cloned().unwrap_or_default();
                made.splice(like.after..like.after, copied);
            }
            tables.insert(name.name.clone(), made);
        }
        Statement::Rename(Rename { name, part: RenamePart::Relation, to, .. }) => {
            let moved = tables.remove(&name.name);
            tables.extend(moved.map(|columns| (to.clone(), columns)));
        }
        Statement::AlterTable(AlterTable { name, actions, .. }) => {
            let added = actions.iter().filter_map(|action| match action {
                AlterAction::AddColumn { column, .. } => Some(column),
                _ => None,
            });
            tables.entry(name.name.clone()).or_default().extend(added.map(column));
        }
        _ => {}
    }
}

fn takes_defaults(like: &TableLike) -> bool {
    like.including.iter().any(|option| matches!(option, LikeOption::Defaults))
}

fn volatile_default(column: &ColumnDef) -> Option<&'static str> {
    let ColumnDefault::Expr(_) = &column.default else { return None };
    let alone = Statement::AlterTable(AlterTable {
        if_exists: false,
        index: false,
        name: ffviz_simulator::sql::ast::RangeVar::new(None, String::new()),
        actions: vec![AlterAction::AddColumn { column: column.clone(), constraints: Vec::new(), if_not_exists: false }],
    });
    let named = Named::of(&alone);
    VOLATILE.into_iter().find(|function| named.defaults.contains(function))
}

/// The function in a default that the statement uses.
fn default_used(tree: &Statement, tables: &BTreeMap<String, Columns>) -> Option<&'static str> {
    match tree {
        Statement::Insert(insert) => inserted(insert, tables.get(&insert.table.name)?),
        Statement::Copy(Copy { table, columns, .. }) if !columns.is_empty() => {
            unnamed(tables.get(&table.name)?, columns)
        }
        Statement::Update(Update { table, set, .. }) => reset(set, tables.get(&table.name)?),
        Statement::Merge(merge) => merged(merge, tables.get(&merge.table.name)?),
        Statement::With(with) => default_used(&with.statement, tables),
        _ => None,
    }
}

fn unnamed(columns: &Columns, given: &[String]) -> Option<&'static str> {
    columns.iter().filter(|(name, _)| !given.contains(name)).find_map(|(_, function)| *function)
}

/// `SET column = DEFAULT`
fn reset(set: &[Assignment], columns: &Columns) -> Option<&'static str> {
    let reset = set.iter().filter(|assignment| assignment.value.is_none());
    reset.filter_map(|it| columns.iter().find(|(name, _)| *name == it.column)).find_map(|(_, function)| *function)
}

fn merged(merge: &Merge, columns: &Columns) -> Option<&'static str> {
    merge.whens.iter().find_map(|when| match &when.action {
        MergeAction::Insert { columns: given, values, .. } => {
            let written = values.iter().flatten().filter(|value| value.is_some()).count();
            let names: Vec<&String> = match given.is_empty() {
                true => columns.iter().map(|(name, _)| name).take(written).collect(),
                false => given.iter().take(written).collect(),
            };
            columns.iter().filter(|(name, _)| !names.contains(&name)).find_map(|(_, function)| *function)
        }
        MergeAction::Update(set) => reset(set, columns),
        MergeAction::Nothing | MergeAction::Delete => None,
    })
}

fn inserted(insert: &Insert, columns: &Columns) -> Option<&'static str> {
    let Insert { columns: given, source, on_conflict, .. } = insert;
    let targets: Vec<&(String, Option<&'static str>)> = if given.is_empty() {
        columns.iter().collect()
    } else {
        given.iter().filter_map(|name| columns.iter().find(|(column, _)| column == name)).collect()
    };
    // how many of them, from the left, the source gives
    let width = match source {
        InsertSource::Defaults => 0,
        InsertSource::Values(rows) => rows.iter().map(Vec::len).min().unwrap_or(0),
        InsertSource::Select(select) if select.targets.iter().any(|target| matches!(target, Target::Star(_))) => {
            usize::MAX
        }
        InsertSource::Select(select) => select.targets.len(),
    };
    let missing = targets.iter().skip(width).find_map(|(_, function)| *function);
    let left_out = || if given.is_empty() { None } else { unnamed(columns, given) };
    let by_name = || match source {
        InsertSource::Values(rows) => rows.iter().find_map(|row| {
            let defaults = row.iter().zip(&targets).filter(|(value, _)| value.is_none());
            defaults.filter_map(|(_, (_, function))| *function).next()
        }),
        InsertSource::Defaults | InsertSource::Select(_) => None,
    };
    let on_conflict = || match on_conflict {
        Some(OnConflict { update: Some(ConflictUpdate { set, .. }), .. }) => reset(set, columns),
        _ => None,
    };
    missing.or_else(left_out).or_else(by_name).or_else(on_conflict)
}

#[cfg(test)]
mod tests {
    use super::{not_comparable, without_times};
    use ffviz_simulator::sql::script::Script;

    fn found(text: &str) -> Vec<(u32, String)> {
        not_comparable(&Script::parse(text).expect("a script")).into_iter().collect()
    }

    #[test]
    fn times_of_explain_are_left_out() {
        let told = "EXPLAIN\nSeq Scan on t (actual time=0.010..0.020 rows=3 loops=1)\n  Buffers: shared hit=1 read=2 dirtied=1\n\
                    Planning:\n  Buffers: shared hit=7\nPlanning Time: 0.100 ms\nExecution Time: 0.040 ms";
        assert_eq!(
            without_times(told),
            "EXPLAIN\nSeq Scan on t (actual rows=3 loops=1)\n  Buffers: shared hit=3 dirtied=1"
        );
    }

    #[test]
    fn what_is_not_the_same_twice() {
        let text = "select random(); select 'now()'; select setseed(0.5); select random(); select now();\n--@ session B\nselect random();";
        let expected = [(1, "random".to_owned()), (5, "now".to_owned()), (6, "random".to_owned())];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn values_go_on_to_other_tables() {
        let filled = "create table l (id int, at timestamptz default now()); insert into l (id) values (1);";
        for (sql, expected) in [
            ("insert into m select at from l; select * from m", 3),
            ("create table o as select * from l; create index on o (at)", 3),
            ("create index on l (at)", 2),
            ("drop table l; create table l (id int); select * from l", 1),
            ("select * from other", 1),
            ("insert into s values ('Today ')", 2),
            ("create table s (at date default 'tomorrow'); insert into s default values; select * from s", 3),
            ("select 'it is now'", 1),
            ("alter table l rename to k; select * from k; insert into k (id) values (2)", 3),
            ("alter table l rename column at to moment; select * from l", 2),
            ("create table k (n int, like l including defaults); insert into k (n) values (1)", 2),
            ("create table k (like l); insert into k (id) values (1)", 1),
            ("create table s (at timestamp default current_timestamp); insert into s default values", 2),
            ("select current_user", 2),
        ] {
            assert_eq!(found(&format!("{filled}{sql}")).len(), expected, "{sql}");
        }
    }

    #[test]
    fn defaults_that_are_not_the_same_twice() {
        let table = "create table l (id int, at timestamptz default now(), n int);";
        for (sql, is_found) in [
            ("insert into l (id) values (1)", true),
            ("insert into l values (1)", true),
            ("insert into l default values", true),
            ("insert into l values (1, default, 2)", true),
            ("insert into l (at) values (default)", true),
            ("insert into l values (3, '2020-01-01', 4)", false),
            ("insert into l (id, at) select 1, '2020-01-01'", false),
            ("insert into l (id) select 1", true),
            ("insert into l select * from m", false),
            ("update l set at = default", true),
            ("update l set id = default", false),
            ("insert into l values (1, '2020-01-01') on conflict (id) do update set at = default", true),
            ("alter table l add column u uuid default gen_random_uuid()", true),
            ("create index on l (at)", false),
        ] {
            assert_eq!(found(&format!("{table}{sql}")).len(), usize::from(is_found), "{sql}");
        }
        let later = format!(
            "{table}alter table l add column r float default random(); insert into l values (1, '2020-01-01', 2)"
        );
        assert_eq!(found(&later), [(2, "random".to_owned()), (3, "random".to_owned())]);
    }
}
