//! What a server says to many questions at once; an error is an answer: `22012: division by zero`.

use ffviz_format::datum::error::Result;
use ffviz_tests::servers::Database;

/// A database with the functions that the questions use; its zone is UTC.
pub fn database(major: u32, name: &str) -> Database {
    let mut db = Database::create(major, name);
    let functions = "
        CREATE FUNCTION ask(question text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE answer text;
        BEGIN
            EXECUTE 'SELECT (' || question || ')::text' INTO answer;
            RETURN answer;
        EXCEPTION WHEN OTHERS THEN RETURN 'ERROR ' || sqlstate || ': ' || sqlerrm;
        END $$;
        CREATE FUNCTION put(literal text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE place tid;
        BEGIN
            EXECUTE format('INSERT INTO t VALUES (%L) RETURNING ctid', literal) INTO place;
            RETURN place;
        EXCEPTION WHEN OTHERS THEN RETURN 'ERROR ' || sqlstate || ': ' || sqlerrm;
        END $$;";
    db.client
        .batch_execute(&format!("ALTER DATABASE {name} SET timezone = 'UTC'; SET timezone = 'UTC'; {functions}"))
        .expect("functions");
    db
}

/// The function's answer to each text, in order.
pub fn each(db: &mut Database, function: &str, texts: &[String]) -> Vec<Option<String>> {
    let sql = format!("SELECT {function}(q) FROM unnest($1::text[]) WITH ORDINALITY AS u(q, n) ORDER BY n");
    db.client.query(&sql, &[&texts]).expect("answers").iter().map(|row| row.get(0)).collect()
}

/// An error as the functions give it, NULL where there is none.
pub fn error_of<T>(result: &Result<T>) -> Option<String> {
    result.as_ref().err().map(|error| format!("ERROR {}: {}", error.sqlstate, error.message))
}

/// Numbers for the tests' own literals, the same in each run.
pub struct Numbers(pub u64);

impl Numbers {
    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// One of these.
    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}
