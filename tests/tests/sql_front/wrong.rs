//! Wrong statements, made out of good ones: a word left out, twice, in another place, or another in its place. What the
//! simulator says of each has the SQLSTATE that servers 13 and 18 give; what it does not support is counted.
//!
//! Each runs in a transaction that is rolled back. `FFVIZ_SEED` and `FFVIZ_STATEMENTS` try others.

use super::generate::Random;
use ffviz_format::page::PgVersion;
use ffviz_simulator::sql::error::NOT_SIMULATED;
use ffviz_simulator::sql::run::{RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::servers::Database;
use std::collections::BTreeMap;

const TABLES: &str = "
    create table p (id int primary key, name text not null, price numeric(6,2), born date);
    create table c (id serial primary key, pid int references p, note varchar(8) unique, done boolean default false);
    create table e (a smallint, b bigint, f float8, ts timestamptz, u uuid);
    create index e_b on e (b) where a > 0;
    create sequence s;
    insert into p values (1, 'one', 1.50, '2024-02-29'), (2, 'two', 22.75, null);
    insert into c (pid, note) values (1, 'first'), (1, 'second'), (2, null);
    insert into e values (1, 10, 0.5, '2024-01-01 00:00+00', null), (2, 20, 1e10, null, null);";

const GOOD: &[&str] = &[
    "select id , name from p where id = 1 and price > 1.0",
    "select * from c where note = 'first' order by id desc limit 2",
    "select count ( * ) , max ( price ) from p where name <> 'x'",
    "select p.id + 1 as n from p where p.name = 'one'",
    "select a , b * 2 from e where f > 0.1 and ts is not null",
    "select length ( name ) , upper ( name ) from p",
    "select id :: text || name from p order by 1",
    "select case when done then 'yes' else 'no' end from c",
    "select id from p where id in ( 1 , 2 , 3 )",
    "select sum ( b ) , avg ( f ) from e",
    "select born + 1 from p where born between '2024-01-01' and '2024-12-31'",
    "select nextval ( 's' )",
    "select id from p for update",
    "insert into p values ( 3 , 'three' , 3.25 , '2024-03-01' )",
    "insert into p ( id , name ) values ( 4 , 'four' ) , ( 5 , 'five' )",
    "insert into c ( pid , note , done ) values ( 2 , 'third' , true )",
    "insert into e select a , b , f from e where a = 1",
    "insert into p ( id , name ) values ( 1 , 'again' ) on conflict ( id ) do update set name = excluded.name",
    "insert into c ( pid ) values ( 1 ) returning id , done",
    "insert into e ( a , b ) values ( 32767 , 9223372036854775807 )",
    "insert into c default values",
    "update p set price = price * 2 , name = 'new' where id = 2",
    "update c set done = not done where pid = 1",
    "update e set a = a + 1 , f = f / 2 where b > 5",
    "update p set born = '2025-01-01' where name = 'one' returning id",
    "delete from c where pid = 2",
    "delete from e where a > 1 returning *",
    "create table n ( id int primary key , t text default 'x' , k bigint not null , unique ( t ) )",
    "create table n ( pid int references p ( id ) , note varchar ( 10 ) )",
    "create table n as select id , name from p",
    "create index n_i on p ( name , price desc )",
    "create unique index n_u on e ( a ) where b > 1",
    "create index on p ( ( lower ( name ) ) )",
    "create sequence q start with 5 increment by 2",
    "alter table p add column w int default 7",
    "alter table e drop column f",
    "alter table p set ( fillfactor = 70 )",
    "drop table c",
    "drop index e_b",
    "truncate e",
    "savepoint x",
    "set local work_mem = '8MB'",
    "set local enable_seqscan = off",
    "show work_mem",
    "select current_setting ( 'work_mem' )",
];

const NAMES: &[&str] =
    &["p", "c", "e", "s", "e_b", "id", "name", "price", "note", "a", "b", "ts", "u", "nosuch", "p.id", "c.done"];
const VALUES: &[&str] = &[
    "1",
    "0",
    "-1",
    "99999",
    "99999999999",
    "1.5",
    "1e400",
    "'x'",
    "''",
    "'2024-13-01'",
    "'1'",
    "null",
    "true",
    "'(0,1)'",
];
const WORDS: &[&str] = &[
    "select", "from", "where", "and", "not", "values", "(", ")", ",", "*", "=", "<", "+", "||", "::", "int", "text",
    "date", "foo", "count", "sum", "length", "abs", "as", "on", "is", "in", "order", "by",
];

fn one<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// One or two words of a good statement changed.
fn wrong(random: &mut Random) -> String {
    let mut words: Vec<&str> = one(random, GOOD).split(' ').collect();
    for _ in 0..=random.below(2) {
        let at = random.below(words.len());
        let is_value = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '\'');
        let is_name = |word: &str| NAMES.contains(&word);
        match random.below(8) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 if at > 0 => words.swap(at - 1, at),
            3 => words[at] = one(random, WORDS),
            _ if is_value(words[at]) => words[at] = one(random, VALUES),
            _ if is_name(words[at]) => words[at] = one(random, NAMES),
            4 => words.insert(at, one(random, NAMES)),
            _ => {
                // a value or a name, wherever the next one stands
                let next = (0..words.len())
                    .map(|n| (at + n) % words.len())
                    .find(|n| is_value(words[*n]) || is_name(words[*n]));
                if let Some(next) = next {
                    words[next] = one(random, if is_value(words[next]) { VALUES } else { NAMES });
                }
            }
        }
    }
    words.join(" ")
}

/// What a run in the simulator says of each: a SQLSTATE, or none.
fn simulated(version: PgVersion, statements: &[String]) -> Vec<Option<String>> {
    let mut simulator = Simulator::new(&RunOptions::new(version), true, false).expect("a server");
    let run = |simulator: &mut Simulator, sql: &str| -> Option<String> {
        let script = Script::parse(sql).expect("a script");
        let lines = script.items.iter().flat_map(|item| simulator.item(item).lines).collect::<Vec<_>>();
        lines.iter().find_map(|line| if let TraceLine::Statement(line) = line { line.sqlstate.clone() } else { None })
    };
    assert_eq!(run(&mut simulator, TABLES), None);
    let each = |sql: &String| {
        run(&mut simulator, "begin");
        let said = run(&mut simulator, sql);
        run(&mut simulator, "rollback");
        said
    };
    statements.iter().map(each).collect()
}

fn asked(major: u32, statements: &[String]) -> Vec<Option<String>> {
    let mut database = Database::create(major, "wrong_statements");
    let client = &mut database.client;
    client.batch_execute(TABLES).expect("good statements");
    let each = |sql: &String| {
        client.batch_execute("begin").expect("begin");
        let said =
            client.batch_execute(sql).err().map(|error| error.code().map_or("none", |code| code.code()).to_owned());
        client.batch_execute("rollback").expect("rollback");
        said
    };
    statements.iter().map(each).collect()
}

#[test]
fn wrong_statements_have_the_sqlstate_of_each_server() {
    let given =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let mut random = Random(given("FFVIZ_SEED", 31));
    let statements: Vec<String> = (0..given("FFVIZ_STATEMENTS", 1_500)).map(|_| wrong(&mut random)).collect();
    for major in [13, 18] {
        let (server, simulator) = (asked(major, &statements), simulated(newest(major), &statements));
        let (mut same, mut refused, mut failed) = (0, 0, 0);
        let mut others: BTreeMap<(Option<String>, Option<String>), Vec<&str>> = BTreeMap::new();
        for ((sql, theirs), ours) in statements.iter().zip(server).zip(simulator) {
            failed += usize::from(theirs.is_some());
            match &ours {
                _ if ours == theirs => same += 1,
                Some(code) if code == NOT_SIMULATED => refused += 1,
                _ => others.entry((theirs, ours)).or_default().push(sql),
            }
        }
        let told = format!(
            "PostgreSQL {major}: {} statements, {failed} of them wrong: {same} the same, {refused} not supported",
            statements.len()
        );
        println!("{told}");
        let mut others: Vec<_> = others.into_iter().collect();
        others.sort_by_key(|(_, examples)| std::cmp::Reverse(examples.len()));
        for ((theirs, ours), examples) in &others {
            let [theirs, ours] = [theirs, ours].map(|code| code.as_deref().unwrap_or("runs"));
            println!("  {:4}  server {theirs}, simulator {ours}:", examples.len());
            examples.iter().take(6).for_each(|sql| println!("          {sql}"));
        }
        let differ: usize = others.iter().map(|(_, examples)| examples.len()).sum();
        assert!(failed > 500, "{told}: too few are wrong");
        assert!(differ <= DIFFER, "{told}: {differ} others");
    }
}

/// Statements whose SQLSTATE is another one: what is checked in another order, such as an index on a sequence, and
/// words that are no alias before 14.
const DIFFER: usize = 12;
