//! What is told of a statement of a block while it is at work: its text, and the variables that it reads.
//!
//! ```text
//! trigger audit › INSERT INTO log VALUES (NEW.id, OLD.bal) · new.id = 1, old.bal = 100
//! ```

use super::Interpreter;
use super::variables::Bound;
use crate::sql::ast::Embedded;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_story::timeline::CALLS;

/// More variables than these are not told, nor are longer values.
const VARIABLES: usize = 4;
const VALUE_WIDTH: usize = 20;

/// Behind the one that called it.
pub(in crate::sql) fn behind(caller: Option<&Arc<str>>, text: &str) -> Arc<str> {
    match caller {
        Some(caller) => Arc::from(format!("{caller}{CALLS}{text}")),
        None => Arc::from(text),
    }
}

impl Interpreter {
    /// A statement of it begins; gives what is told of it.
    pub(super) fn tell(&self, db: &mut Database, sql: &Embedded) -> Option<Arc<str>> {
        if !db.cluster.pg.trace.on {
            return None;
        }
        let Bound { types, values, .. } = self.bound(sql);
        let mut shown = Vec::new();
        // of a function in SQL each is known by its function's name, too
        let is_told = |name: &str| !(name.is_empty() || self.routine.is_sql && name.contains('.'));
        let named = sql.params.iter().zip(types.iter().zip(&values)).filter(|((name, _), _)| is_told(name));
        for ((name, _), (oid, value)) in named {
            let text = db.printed(value, SqlType { oid: *oid, typmod: -1 }).ok()?;
            let text = if text.chars().count() > VALUE_WIDTH { "…" } else { &text };
            shown.push(format!("{name} = {text}"));
        }
        let is_short = (1..=VARIABLES).contains(&shown.len());
        let text = if is_short { format!("{} · {}", sql.text, shown.join(", ")) } else { sql.text.clone() };
        self.tell_text(db, &text)
    }

    /// A statement whose text was put together begins; gives what is told of it.
    pub(super) fn tell_text(&self, db: &mut Database, text: &str) -> Option<Arc<str>> {
        let text: Vec<&str> = text.split_whitespace().collect();
        let told = behind(self.caller.as_ref(), &text.join(" "));
        self.at_work(db, Some(&told));
        Some(told)
    }

    /// This statement of it is at work, or none.
    pub(super) fn at_work(&self, db: &mut Database, told: Option<&Arc<str>>) {
        let trace = &mut db.cluster.pg.trace;
        if trace.on {
            trace.enter(told.or(self.caller.as_ref()).cloned());
        }
    }
}
