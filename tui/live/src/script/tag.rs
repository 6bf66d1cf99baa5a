//! The command tag of a statement, as psql prints it: the driver tells the number of rows only
//! (src/include/tcop/cmdtaglist.h).

/// Tags with a number of rows, by the statement's first word.
const COUNTED: [(&str, &str); 10] = [
    ("INSERT", "INSERT 0"),
    ("UPDATE", "UPDATE"),
    ("DELETE", "DELETE"),
    ("MERGE", "MERGE"),
    ("SELECT", "SELECT"),
    ("VALUES", "SELECT"),
    ("TABLE", "SELECT"),
    ("COPY", "COPY"),
    ("FETCH", "FETCH"),
    ("MOVE", "MOVE"),
];

/// Words of CREATE, DROP and ALTER that say how, not what.
const HOW: [&str; 10] =
    ["OR", "REPLACE", "CONSTRAINT", "UNLOGGED", "TEMP", "TEMPORARY", "UNIQUE", "GLOBAL", "LOCAL", "RECURSIVE"];

/// The tag of a statement that succeeded and told so many rows. `failed`: its transaction had failed before it.
#[must_use]
pub fn tag(sql: &str, rows: u64, failed: bool) -> String {
    let words = words(sql);
    let word = |n: usize| words.get(n).map_or("", String::as_str);
    if let Some((_, tag)) = COUNTED.iter().find(|(first, _)| *first == word(0)) {
        return format!("{tag} {rows}");
    }
    match word(0) {
        "WITH" => with(sql, rows),
        "COMMIT" | "END" | "PREPARE" if failed => "ROLLBACK".to_owned(),
        "END" => "COMMIT".to_owned(),
        "ABORT" => "ROLLBACK".to_owned(),
        "TRUNCATE" | "LOCK" => format!("{} TABLE", word(0)),
        "START" => "START TRANSACTION".to_owned(),
        "SET" if word(1) == "CONSTRAINTS" => "SET CONSTRAINTS".to_owned(),
        "REFRESH" => "REFRESH MATERIALIZED VIEW".to_owned(),
        "DECLARE" => "DECLARE CURSOR".to_owned(),
        "CLOSE" if word(1) == "ALL" => "CLOSE CURSOR ALL".to_owned(),
        "CLOSE" => "CLOSE CURSOR".to_owned(),
        "DEALLOCATE" if words.last().is_some_and(|last| last == "ALL") => "DEALLOCATE ALL".to_owned(),
        "DISCARD" if word(1) == "TEMPORARY" => "DISCARD TEMP".to_owned(),
        "DISCARD" => format!("DISCARD {}", word(1)),
        "CREATE" | "DROP" | "ALTER" => {
            let what = words.iter().skip(1).find(|word| !HOW.contains(&word.as_str())).map_or("", String::as_str);
            let is_filled = what == "TABLE" || what == "MATERIALIZED";
            let is_select = word(0) == "CREATE" && is_filled && is_create_table_as(&words);
            // WITH NO DATA runs no query, nor does IF NOT EXISTS where the table is there
            let runs_none = rows == 0 && [["NO", "DATA"], ["NOT", "EXISTS"]].iter().any(|two| has(&words, two));
            if is_select && runs_none && what == "MATERIALIZED" {
                "CREATE MATERIALIZED VIEW".to_owned()
            } else if is_select && runs_none {
                "CREATE TABLE AS".to_owned()
            } else if is_select {
                format!("SELECT {rows}")
            } else {
                format!("{} {}", word(0), object(what, &words))
            }
        }
        "REASSIGN" => "REASSIGN OWNED".to_owned(),
        // of roles rather than of rights
        "GRANT" | "REVOKE" if !words.iter().take_while(|word| *word != "TO").any(|word| word == "ON") => {
            format!("{} ROLE", word(0))
        }
        first => first.to_owned(),
    }
}

/// PREPARE: the name, and the text of the statement.
#[must_use]
pub fn prepares(sql: &str) -> Option<(String, &str)> {
    let words = words(sql);
    let is_one = words.first().is_some_and(|word| word == "PREPARE") && words.get(1)? != "TRANSACTION";
    let at = sql.to_ascii_uppercase().split_once(" AS ").map(|(before, _)| before.len() + " AS ".len());
    at.filter(|_| is_one).and_then(|at| Some((words.get(1)?.clone(), sql.get(at..)?)))
}

/// EXECUTE: the name.
#[must_use]
pub fn executes(sql: &str) -> Option<String> {
    let words = words(sql);
    if words.first()? == "EXECUTE" { words.get(1).cloned() } else { None }
}

/// Do the words stand side by side?
fn has(words: &[String], two: &[&str; 2]) -> bool {
    words.windows(2).any(|pair| pair.iter().zip(two).all(|(word, wanted)| word == wanted))
}

/// The words up to a length at which the statement's kind is clear, in capitals.
fn words(sql: &str) -> Vec<String> {
    let is_separator = |c: char| !c.is_alphanumeric() && c != '_';
    let words = sql.split(is_separator).filter(|word| !word.is_empty());
    words.map(str::to_ascii_uppercase).collect()
}

/// After WITH the statement's own word is the first of those that stands outside the queries.
fn with(sql: &str, rows: u64) -> String {
    let (mut depth, mut quote, mut outside) = (0_i32, None, String::new());
    for c in sql.chars() {
        match (quote, c) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, _) if depth == 0 => outside.push(c),
            (None, _) => {}
        }
    }
    let tag = words(&outside).into_iter().find_map(|word| COUNTED.iter().find(|(first, _)| *first == word));
    format!("{} {rows}", tag.map_or("SELECT", |(_, tag)| tag))
}

fn is_create_table_as(words: &[String]) -> bool {
    let mut words = words.iter().skip_while(|word| *word != "AS").skip(1);
    words.next().is_some_and(|word| ["SELECT", "VALUES", "TABLE", "WITH"].contains(&word.as_str()))
}

/// Objects of two words.
fn object(what: &str, words: &[String]) -> String {
    match what {
        "MATERIALIZED" => "MATERIALIZED VIEW".to_owned(),
        "FOREIGN" | "EVENT" | "ACCESS" => words.iter().skip(1).take(2).cloned().collect::<Vec<_>>().join(" "),
        "USER" | "GROUP" if words.get(2).is_none_or(|next| next != "MAPPING") => "ROLE".to_owned(),
        what => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{executes, prepares, tag};

    #[test]
    fn prepared_statements() {
        assert_eq!(prepares("prepare p (int) as\nselect 1"), None);
        assert_eq!(prepares("Prepare p (int) as select $1"), Some(("P".to_owned(), "select $1")));
        assert_eq!(executes("execute p (1)"), Some("P".to_owned()));
        assert_eq!((executes("select 1"), prepares("prepare transaction 'as as '")), (None, None));
    }

    #[test]
    fn as_psql_prints_them() {
        for (sql, rows, expected) in [
            ("insert into t values (1)", 1, "INSERT 0 1"),
            ("UPDATE t SET a = 1", 3, "UPDATE 3"),
            ("select 1", 1, "SELECT 1"),
            ("create table t (a int)", 0, "CREATE TABLE"),
            ("create user u login", 0, "CREATE ROLE"),
            ("drop group if exists g", 0, "DROP ROLE"),
            ("grant select (a) on t to r", 0, "GRANT"),
            ("revoke a, b from c", 0, "REVOKE ROLE"),
            ("create unlogged table t as select 1", 1, "SELECT 1"),
            ("create table if not exists t as select 1 where false", 0, "CREATE TABLE AS"),
            ("create table t as select 1 with no data", 0, "CREATE TABLE AS"),
            ("create table t (a int generated always as identity)", 0, "CREATE TABLE"),
            ("create unique index i on t (a)", 0, "CREATE INDEX"),
            ("alter system set x = 1", 0, "ALTER SYSTEM"),
            ("truncate t", 0, "TRUNCATE TABLE"),
            ("vacuum (freeze) t", 0, "VACUUM"),
            ("begin isolation level serializable", 0, "BEGIN"),
            ("rollback to s", 0, "ROLLBACK"),
            ("end", 0, "COMMIT"),
            ("copy t from stdin", 2, "COPY 2"),
            ("do $$begin end$$", 0, "DO"),
            ("move 3 in c", 3, "MOVE 3"),
            ("declare c cursor for select 1", 0, "DECLARE CURSOR"),
            ("close all", 0, "CLOSE CURSOR ALL"),
            ("close c", 0, "CLOSE CURSOR"),
            ("deallocate prepare all", 0, "DEALLOCATE ALL"),
            ("deallocate p", 0, "DEALLOCATE"),
            ("with x as (select 1) delete from t", 4, "DELETE 4"),
        ] {
            assert_eq!(tag(sql, rows, false), expected, "{sql}");
        }
        assert_eq!(tag("commit", 0, true), "ROLLBACK");
    }
}
