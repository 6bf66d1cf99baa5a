//! The rows that a statement gave, name by name and value by value, as text.

use super::Comparer;
use ffviz_story::timeline::ResultSet;

/// Differences told of a statement: a column that is printed otherwise differs in each row.
const TOLD: usize = 5;

impl Comparer {
    /// Compares what both gave. What is read of tables that are not compared is not either.
    pub(super) fn rows(&mut self, place: &str, sql: &str, server: Option<&ResultSet>, engine: Option<&ResultSet>) {
        if self.skipped.is_read(sql) {
            return;
        }
        let (Some(server), Some(engine)) = (server, engine) else {
            let told = |set: Option<&ResultSet>| set.map_or("none", |_| "some");
            return self.says_of(place, "rows", told(server), told(engine));
        };
        let names = |set: &ResultSet| set.columns.join(", ");
        self.says_of(place, "names of columns", &names(server), &names(engine));
        // of many rows not all are kept, but some are of any
        let count =
            |set: &ResultSet| format!("{}, {} kept", set.count, if set.rows.is_empty() { "none" } else { "some" });
        self.says_of(place, "number of rows", &count(server), &count(engine));
        self.found.counts.rows += server.rows.len().min(engine.rows.len()) as u64;
        let mut told = 0;
        for (n, (theirs, ours)) in server.rows.iter().zip(&engine.rows).enumerate() {
            let cells = theirs.iter().zip(ours).zip(&server.columns);
            for ((theirs, ours), column) in cells.filter(|((theirs, ours), _)| theirs != ours) {
                let value = |cell: &Option<String>| cell.as_deref().unwrap_or("NULL").to_owned();
                self.differs(place, &format!("row {}, {column}", n + 1), value(theirs), value(ours));
                told += 1;
                if told == TOLD {
                    return;
                }
            }
        }
    }

    fn says_of(&mut self, place: &str, field: &str, server: &str, engine: &str) {
        if server != engine {
            self.differs(place, field, server, engine);
        }
    }
}
