//! `SELECT <expression> FROM x` of random expressions: the value's text, or the error's message, is that of the server.

use crate::generate::{COLUMNS, Random, expression};
use ffviz_format::datum::error::{Result as Raised, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::random::Random as Generator;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;
use ffviz_simulator::cluster::Lookup;
use ffviz_simulator::sql::StatementError;
use ffviz_simulator::sql::ast::{RangeVar, Statement};
use ffviz_simulator::sql::catalog::{
    Catalog, ColumnInfo, ColumnSource, EnabledScans, End, IndexInfo, PageCosts, TableInfo,
};
use ffviz_simulator::sql::error::Refusal;
use ffviz_simulator::sql::expr::{Context, Env};
use ffviz_simulator::sql::parse::{parse, parse_expr};
use ffviz_simulator::sql::plan::{Given, OutputValue, Plan, plan};
use ffviz_tests::servers::{Database, MAJORS};
use postgres::SimpleQueryMessage;

/// One table, and functions without a memory.
pub struct World {
    pub input: Input,
    pub table: TableInfo,
    pub scans: EnabledScans,
    random: Generator,
}

impl Catalog for World {
    fn input(&self) -> Input {
        self.input
    }
    fn table(&self, name: &RangeVar) -> Option<TableInfo> {
        (name.name == self.table.name).then(|| self.table.clone())
    }
    fn kind(&self, name: &RangeVar) -> Option<RelKind> {
        self.table(name).map(|_| RelKind::Table)
    }
    fn scans(&self) -> EnabledScans {
        self.scans
    }
    fn index_end(&mut self, _: Oid, index: &IndexInfo, end: End) -> Raised<Option<Value>> {
        Ok(match end {
            End::Least => index.ends.least.clone(),
            End::Greatest => index.ends.greatest.clone(),
        })
    }
    fn look_up(&mut self, _: Vec<Lookup>) {}
}

fn nothing<T>() -> Raised<T> {
    Err(SqlError::new("0A000", "not here"))
}

impl Context for World {
    fn input(&self) -> Input {
        self.input
    }
    fn random(&mut self) -> &mut Generator {
        &mut self.random
    }
    fn set_random(&mut self, random: Generator) {
        self.random = random;
    }
    fn clock(&mut self) -> u64 {
        0
    }
    fn nextval(&mut self, _: &Value) -> Raised<i64> {
        nothing()
    }
    fn currval(&mut self, _: &Value) -> Raised<i64> {
        nothing()
    }
    fn setval(&mut self, _: &Value, _: i64, _: bool) -> Raised<()> {
        nothing()
    }
    fn current_setting(&mut self, _: &str, _: bool) -> Raised<Option<String>> {
        nothing()
    }
    fn txid_current(&mut self) -> Raised<i64> {
        nothing()
    }
    fn reload_conf(&mut self) {}
    fn sleep(&mut self, _: f64) -> Result<(), SqlError> {
        Ok(())
    }
}

impl World {
    /// A table with these columns, without rows and indexes.
    pub fn new(major: u32, name: &str, columns: &[(&str, SqlType)]) -> Self {
        let column = |(number, (name, ty)): (usize, &(&str, SqlType))| ColumnInfo {
            domain: None,
            attribute: ty.attribute(number as u16 + 1, name),
            default: None,
            source: ColumnSource::Given,
            generation: None,
        };
        Self {
            input: Input::of(major),
            table: TableInfo {
                oid: 1,
                name: name.to_owned(),
                columns: columns.iter().enumerate().map(column).collect(),
                is_partitioned: false,
                is_parent: false,
                has_subclass: false,
                is_toast: false,
                row_type: None,
                indexes: Vec::new(),
                foreign_keys: Vec::new(),
                unusable: Vec::new(),
                summaries: Vec::new(),
                blocks: 0,
                relpages: 0,
                reltuples: if major < 14 { 0.0 } else { -1.0 },
                relallvisible: 0,
                has_triggers: false,
                fillfactor: 100,
                page_costs: PageCosts::default(),
                sample: None,
                stats: Vec::new(),
                extended: Vec::new(),
            },
            scans: EnabledScans::default(),
            random: Generator::setseed(0.5, major).expect("a seed"),
        }
    }
}

/// The type of that name.
pub fn type_of(name: &str) -> SqlType {
    let cast = parse_expr(&format!("null::{name}")).expect(name);
    match cast.node {
        ffviz_simulator::sql::ast::ExprNode::Cast(_, ty) => ty,
        other => panic!("{name}: {other:?}"),
    }
}

/// Text of a value, NULL, or a message.
type Answer = Result<Option<String>, String>;

/// The engine's answer; `None` where it says that it does not support something.
fn ours(world: &mut World, row: &[Value], sql: &str) -> Option<Answer> {
    let said = |error: StatementError| match error.refusal {
        Refusal::Unsupported => None,
        _ => Some(Err(error.error.message.to_string())),
    };
    let statement = match parse(sql) {
        Ok(statement) => statement,
        Err(error) => return said(error),
    };
    assert!(matches!(statement, Statement::Select(_)), "{sql}");
    let planned = match plan(&statement, world, &mut Given::default()) {
        Ok(planned) => planned,
        Err(error) => return said(error),
    };
    let Some(Plan::Select(select)) = planned else { panic!("{sql}: no plan") };
    let OutputValue::Expr(expr) = &select.targets[0].value else { panic!("{sql}: no expression") };
    Some(match expr.eval(&mut Env::new(row, &[], world)) {
        Ok(value) => Ok(value.output(expr.ty.oid)),
        Err(error) => Err(error.message.to_string()),
    })
}

/// The server's answer; `None` where it is no text: half a character.
fn theirs(client: &mut postgres::Client, sql: &str) -> Option<Answer> {
    match client.simple_query(sql) {
        Ok(messages) => messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.try_get(0).ok().map(|text| Ok(text.map(str::to_owned))),
            _ => None,
        }),
        Err(error) => Some(Err(error.as_db_error()?.message().to_owned())),
    }
}

/// Expressions a server.
fn count() -> usize {
    std::env::var("FFVIZ_EXPRESSIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1500)
}

#[test]
fn expressions_give_what_each_server_gives() {
    let seed = std::env::var("FFVIZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    for major in MAJORS {
        let mut db = Database::create(major, "sqlfront_expressions");
        let definitions: Vec<String> = COLUMNS.iter().map(|(name, ty, _)| format!("{name} {ty}")).collect();
        let values: Vec<&str> = COLUMNS.iter().map(|(.., value)| *value).collect();
        let sql = format!(
            "set timezone = 'UTC'; create table x ({}); insert into x values ({})",
            definitions.join(", "),
            values.join(", ")
        );
        db.client.batch_execute(&sql).expect("the table is made");
        let columns: Vec<(&str, SqlType)> = COLUMNS.iter().map(|(name, ty, _)| (*name, type_of(ty))).collect();
        let mut world = World::new(major, "x", &columns);
        let value = |((_, ty), (.., text)): (&(&str, SqlType), &(&str, &str, &str))| match *text {
            "NULL" => Value::Null,
            quoted => input(quoted.trim_matches('\''), *ty, &world.input).expect("a value"),
        };
        let row: Vec<Value> = columns.iter().zip(COLUMNS).map(value).collect();
        let mut random = Random(seed);
        let (mut equal, mut errors, mut left_out, mut different) = (0, 0, 0, Vec::new());
        for _ in 0..count() {
            let sql = format!("select {} from x", expression(&mut random, 3));
            let (Some(ours), Some(theirs)) = (ours(&mut world, &row, &sql), theirs(&mut db.client, &sql)) else {
                left_out += 1;
                continue;
            };
            if ours == theirs {
                equal += 1;
                errors += usize::from(ours.is_err());
            } else {
                different.push(format!("{sql}\n  ours   {ours:?}\n  server {theirs:?}"));
            }
        }
        println!("PostgreSQL {major}: {equal} expressions equal, {errors} of them errors; {left_out} left out");
        assert!(
            different.is_empty(),
            "PostgreSQL {major}, {} differ:\n{}",
            different.len(),
            different[..different.len().min(25)].join("\n")
        );
        assert!(equal > 2 * count() / 3, "too little was compared");
    }
}
