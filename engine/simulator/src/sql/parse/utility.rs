//! Transactions, settings, VACUUM, and what else is no query.

use super::cursor::Parser;
use super::lex::Token;
use super::words;
use crate::sql::StatementError;
use crate::sql::ast::{
    Cluster, DefElem, ExplainFormat, ExplainOptions, Extension, IndexCleanup, IsolationLevel, Object, RangeVar,
    Reindex, Set, Statement, Transaction, TransactionModes, Vacuum,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Options of EXPLAIN that there are.
const EXPLAINS: &str = "ANALYZE, VERBOSE, COSTS, BUFFERS, WAL, TIMING, SUMMARY, FORMAT and GENERIC_PLAN";

impl Parser {
    /// After CREATE EXTENSION, or DROP EXTENSION.
    pub fn extension(&mut self, create: bool) -> Result<Statement, StatementError> {
        let if_exists = if create { self.eat("if not exists") } else { self.eat("if exists") };
        let name = self.name()?;
        self.eat("with");
        if self.eat("schema") {
            self.name()?;
        }
        let _ = self.eat("cascade") || !create && self.eat("restrict");
        Ok(Statement::Extension(Extension { create, name, if_exists }))
    }

    /// `(name = value, name value, name)`.
    pub fn options(&mut self) -> Result<Vec<DefElem>, StatementError> {
        self.in_parens(|parser| {
            let mut name = parser.any_word()?;
            if parser.eat_op(".") {
                name = format!("{name}.{}", parser.any_word()?);
            }
            let has_value = parser.eat_op("=") || !parser.is_op(",") && !parser.is_op(")");
            Ok(DefElem { name, value: if has_value { Some(parser.setting_value()?) } else { None } })
        })
    }

    /// A word, reserved or not.
    pub fn any_word(&mut self) -> Result<String, StatementError> {
        let Token::Word(word) = self.peek() else { return Err(self.refuse()) };
        let word = word.clone();
        self.step();
        Ok(word)
    }

    /// The value of a setting: a word, a number, a string.
    pub(super) fn setting_value(&mut self) -> Result<String, StatementError> {
        if self.eat_op("-") {
            return Ok(format!("-{}", self.setting_value()?));
        }
        let value = match self.peek() {
            Token::Word(value) | Token::Quoted(value) | Token::Number(value) | Token::String(value) => value.clone(),
            Token::Param(_) | Token::Op(_) | Token::Bits(_) | Token::End => return Err(self.refuse()),
        };
        self.step();
        Ok(value)
    }

    /// The same in SET, where a reserved word is none (`var_value`).
    fn set_value(&mut self) -> Result<String, StatementError> {
        let is_reserved = |word: &str| words::RESERVED.contains(&word) && !words::NON_RESERVED.contains(&word);
        match self.peek() {
            Token::Word(word) if is_reserved(word) && !["on", "true", "false"].contains(&word.as_str()) => {
                Err(StatementError::syntax(self.text(), self.position()))
            }
            _ => self.setting_value(),
        }
    }

    /// `defGetBoolean`: a bare name means true.
    pub fn boolean(&self, name: &str, value: Option<&str>) -> Result<bool, StatementError> {
        match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("true" | "on" | "1") => Ok(true),
            Some("false" | "off" | "0") => Ok(false),
            Some(_) => Err(StatementError::server("42601", format!("{name} requires a Boolean value"))),
        }
    }

    /// After EXPLAIN.
    pub fn explain(&mut self) -> Result<Statement, StatementError> {
        let mut options = self.explain_options()?;
        let from = self.mark();
        let statement = self.statement()?;
        options.generic = options.generic.map(|_| self.parameters_since(from));
        match &statement {
            Statement::Select(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Merge(_)
            | Statement::With(_)
            | Statement::Object(Object::Execute(_)) => Ok(Statement::Explain(Box::new(statement), options)),
            _ => Err(self.unsupported("EXPLAIN of this statement")),
        }
    }

    /// `ParseExplainOptionList`
    fn explain_options(&mut self) -> Result<ExplainOptions, StatementError> {
        let mut options = ExplainOptions {
            costs: true,
            analyze: false,
            wal: false,
            times: false,
            buffers: None,
            generic: None,
            verbose: false,
            format: ExplainFormat::Text,
            newer: None,
        };
        let (mut timing, mut summary) = (None, None);
        if self.is_op("(") {
            for option in self.options()? {
                let value = option.value.as_deref();
                let is_on = || self.boolean(&option.name, value);
                match option.name.as_str() {
                    "costs" => options.costs = is_on()?,
                    "analyze" | "analyse" => options.analyze = is_on()?,
                    "wal" => options.wal = is_on()?,
                    "timing" => timing = Some(is_on()?),
                    "summary" => summary = Some(is_on()?),
                    "format" => options.format = explain_format(value)?,
                    "verbose" => options.verbose = is_on()?,
                    "buffers" => options.buffers = Some(is_on()?),
                    "generic_plan" => options.generic = is_on()?.then_some(0),
                    "settings" if !is_on()? => {}
                    "memory" if !is_on()? => options.newer = options.newer.or(Some("memory")),
                    "serialize" if is_none(value) => options.newer = options.newer.or(Some("serialize")),
                    name @ ("settings" | "memory" | "serialize") => {
                        return Err(
                            self.unsupported_beside(&format!("EXPLAIN option {}", name.to_ascii_uppercase()), EXPLAINS)
                        );
                    }
                    name => {
                        let message = format!("unrecognized EXPLAIN option \"{name}\"");
                        return Err(StatementError::server("42601", message).at(self.position()));
                    }
                }
            }
        } else {
            options.analyze = self.eat("analyze") || self.eat("analyse");
            options.verbose = self.eat("verbose");
        }
        let needs = |option| StatementError::server("22023", format!("EXPLAIN option {option} requires ANALYZE"));
        if options.wal && !options.analyze {
            return Err(needs("WAL"));
        }
        if timing == Some(true) && !options.analyze {
            return Err(needs("TIMING"));
        }
        if options.generic.is_some() && options.analyze {
            let message = "EXPLAIN options ANALYZE and GENERIC_PLAN cannot be used together";
            return Err(StatementError::server("22023", message));
        }
        options.times = timing.unwrap_or(options.analyze) || summary.unwrap_or(options.analyze);
        Ok(options)
    }

    /// After VACUUM.
    pub fn vacuum(&mut self) -> Result<Vacuum, StatementError> {
        let mut vacuum = Vacuum::default();
        if self.is_op("(") {
            for option in self.options()? {
                self.vacuum_option(&mut vacuum, &option)?;
            }
        } else {
            vacuum.full = self.eat("full");
            vacuum.freeze = self.eat("freeze");
            self.eat("verbose");
            vacuum.analyze = self.eat("analyze") || self.eat("analyse");
        }
        (vacuum.tables, vacuum.columns) = self.tables()?;
        if !vacuum.analyze && vacuum.columns.iter().any(|columns| !columns.is_empty()) {
            let message = "ANALYZE option must be specified when a column list is provided";
            return Err(StatementError::server("0A000", message));
        }
        if vacuum.full && vacuum.tables.is_empty() && !vacuum.only_database_stats {
            return Err(self.unsupported("VACUUM FULL of all tables, and with them the catalogs,"));
        }
        if vacuum.full && vacuum.parallel.is_some_and(|workers| workers > 0) {
            return Err(StatementError::server("0A000", "VACUUM FULL cannot be performed in parallel"));
        }
        if vacuum.full && vacuum.disable_page_skipping {
            let message = "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL";
            return Err(StatementError::server("0A000", message));
        }
        if vacuum.full && vacuum.skip_main {
            return Err(self.unsupported("VACUUM FULL of a TOAST table alone"));
        }
        Ok(vacuum)
    }

    fn vacuum_option(&self, vacuum: &mut Vacuum, option: &DefElem) -> Result<(), StatementError> {
        let value = option.value.as_deref();
        let boolean = || self.boolean(&option.name, value);
        match option.name.as_str() {
            "full" => vacuum.full = boolean()?,
            "freeze" => vacuum.freeze = boolean()?,
            "analyze" | "analyse" => vacuum.analyze = boolean()?,
            "disable_page_skipping" => vacuum.disable_page_skipping = boolean()?,
            "truncate" => vacuum.truncate = Some(boolean()?),
            "parallel" => vacuum.parallel = Some(parallel_workers(value)?),
            "process_toast" => vacuum.process_toast = Some(boolean()?),
            "skip_locked" => vacuum.skip_locked = boolean()?,
            "index_cleanup" => {
                vacuum.index_cleanup = Some(match value.map(str::to_ascii_lowercase).as_deref() {
                    Some("auto") => IndexCleanup::Auto,
                    _ if boolean()? => IndexCleanup::On,
                    _ => IndexCleanup::Off,
                });
            }
            // says more, does the same
            "verbose" => {}
            name if let Some(newer) = NEWER_VACUUM.iter().find(|newer| **newer == name) => {
                vacuum.newer.get_or_insert(newer);
                match *newer {
                    "process_main" => vacuum.skip_main = !boolean()?,
                    // what pg_database says is not simulated
                    "skip_database_stats" => _ = boolean()?,
                    "only_database_stats" => vacuum.only_database_stats = boolean()?,
                    _ => vacuum.buffer_limit = Some(value.unwrap_or_default().into()),
                }
            }
            name => {
                let message = format!("unrecognized VACUUM option \"{name}\"");
                return Err(StatementError::server("42601", message).at(self.position()));
            }
        }
        Ok(())
    }

    /// The tables of VACUUM and ANALYZE, and of each the columns that are named.
    fn tables(&mut self) -> Result<(Vec<RangeVar>, Vec<Vec<String>>), StatementError> {
        if self.is_op(";") || *self.peek() == Token::End {
            return Ok(Default::default());
        }
        Ok(self.list(|parser| Ok((parser.range_var()?, parser.names()?)))?.into_iter().unzip())
    }

    /// After ANALYZE: options that say more, or matter to others only; tables, each perhaps with columns.
    pub fn analyze(&mut self) -> Result<Statement, StatementError> {
        if self.is_op("(") {
            for option in self.options()? {
                match option.name.as_str() {
                    "verbose" | "skip_locked" => _ = self.boolean(&option.name, option.value.as_deref())?,
                    "buffer_usage_limit" => {}
                    name => {
                        let message = format!("unrecognized ANALYZE option \"{name}\"");
                        return Err(StatementError::server("42601", message).at(self.position()));
                    }
                }
            }
        }
        self.eat("verbose");
        if self.is_op(";") || *self.peek() == Token::End {
            return Ok(Statement::Analyze(Vec::new(), Vec::new()));
        }
        let named = self.list(|parser| {
            let table = parser.range_var()?;
            let columns = if parser.is_op("(") { parser.in_parens(Self::name)? } else { Vec::new() };
            Ok((table, columns))
        })?;
        let (tables, columns) = named.into_iter().unzip();
        Ok(Statement::Analyze(tables, columns))
    }

    /// After CLUSTER.
    pub fn cluster(&mut self) -> Result<Cluster, StatementError> {
        if self.is_op("(") {
            self.in_parens(|parser| if parser.eat("verbose") { Ok(()) } else { Err(parser.refuse()) })?;
        } else {
            self.eat("verbose");
        }
        if *self.peek() == Token::End || self.is_op(";") {
            return Ok(Cluster { table: None, index: None });
        }
        let name = self.range_var()?;
        if self.eat("using") {
            return Ok(Cluster { table: Some(name), index: Some(self.name()?) });
        }
        // the old way to say it: CLUSTER index ON table
        Ok(match self.eat("on") {
            true => Cluster { table: Some(self.range_var()?), index: Some(name.name) },
            false => Cluster { table: Some(name), index: None },
        })
    }

    /// After REINDEX.
    pub fn reindex(&mut self) -> Result<Reindex, StatementError> {
        let mut by_option = false;
        if self.is_op("(") {
            for option in self.options()? {
                let is_on = self.boolean(&option.name, option.value.as_deref())?;
                match option.name.as_str() {
                    "verbose" => {}
                    "concurrently" => by_option = is_on,
                    _ => return Err(self.unsupported("an option of REINDEX but CONCURRENTLY")),
                }
            }
        }
        let index = self.eat("index");
        if !index && !self.eat("table") {
            return Err(self.unsupported("REINDEX of anything but a TABLE or an INDEX"));
        }
        let concurrently = self.eat("concurrently") || by_option;
        Ok(Reindex { concurrently, by_option, index, name: self.range_var()? })
    }

    /// After BEGIN and START TRANSACTION, and within SET TRANSACTION.
    pub fn transaction_modes(&mut self) -> Result<TransactionModes, StatementError> {
        let mut modes = TransactionModes::default();
        let isolation = [
            ("read uncommitted", IsolationLevel::ReadUncommitted),
            ("read committed", IsolationLevel::ReadCommitted),
            ("repeatable read", IsolationLevel::RepeatableRead),
            ("serializable", IsolationLevel::Serializable),
        ];
        loop {
            if self.eat("isolation level") {
                let found = isolation.iter().find(|(words, _)| self.eat(words));
                let Some((_, level)) = found else { return Err(self.refuse()) };
                modes.isolation = Some(*level);
            } else if self.eat("read only") {
                modes.read_only = Some(true);
            } else if self.eat("read write") {
                modes.read_only = Some(false);
            } else if self.eat("deferrable") {
                modes.deferrable = true;
            } else if !self.eat("not deferrable") {
                let is_serializable = modes.isolation == Some(IsolationLevel::Serializable);
                modes.deferrable &= is_serializable && modes.read_only == Some(true);
                return Ok(modes);
            }
            self.eat_op(",");
        }
    }

    /// BEGIN, COMMIT, SAVEPOINT …, or nothing when the statement is another one.
    pub fn transaction(&mut self) -> Result<Option<Transaction>, StatementError> {
        let noise = |parser: &mut Self| {
            let _ = parser.eat("work") || parser.eat("transaction");
        };
        if self.eat("begin") {
            noise(self);
            return Ok(Some(Transaction::Begin(self.transaction_modes()?)));
        }
        if self.eat("start transaction") {
            return Ok(Some(Transaction::Start(self.transaction_modes()?)));
        }
        if self.eat("set transaction") || self.eat("set local transaction") {
            if self.is_word("snapshot") {
                return Err(self.unsupported("SET TRANSACTION SNAPSHOT"));
            }
            return Ok(Some(Transaction::Set(self.transaction_modes()?)));
        }
        if self.eat("set session characteristics as transaction") {
            return Ok(Some(Transaction::SetDefaults(self.transaction_modes()?)));
        }
        if self.eat("savepoint") {
            return Ok(Some(Transaction::Savepoint(self.name()?)));
        }
        if self.eat("release") {
            // RELEASE savepoint: a savepoint of that name
            if self.eat("savepoint") && *self.peek() == Token::End {
                return Ok(Some(Transaction::Release("savepoint".into())));
            }
            return Ok(Some(Transaction::Release(self.name()?)));
        }
        if self.eat("prepare transaction") {
            return Ok(Some(Transaction::Prepare(self.gid()?)));
        }
        let commit = self.eat("commit") || self.eat("end");
        if !commit && !self.eat("rollback") && !self.eat("abort") {
            return Ok(None);
        }
        if self.eat("prepared") {
            return Ok(Some(Transaction::Finish(self.gid()?)));
        }
        noise(self);
        if self.eat("and no chain") {
            return Ok(Some(if commit { Transaction::Commit } else { Transaction::Rollback }));
        }
        if self.eat("and chain") {
            return Ok(Some(Transaction::Chain(commit)));
        }
        if !commit && self.eat("to") {
            self.eat("savepoint");
            return Ok(Some(Transaction::RollbackTo(self.name()?)));
        }
        Ok(Some(if commit { Transaction::Commit } else { Transaction::Rollback }))
    }

    /// The name of a prepared transaction.
    fn gid(&mut self) -> Result<String, StatementError> {
        let Token::String(gid) = self.peek() else { return Err(self.refuse()) };
        let gid = gid.clone();
        self.step();
        Ok(gid)
    }

    /// After SET.
    pub fn set(&mut self) -> Result<Set, StatementError> {
        let local = self.eat("local");
        if !local {
            self.eat("session");
        }
        let special = [
            ("time zone", "timezone"),
            ("names", "client_encoding"),
            ("role", "role"),
            ("authorization", "session_authorization"),
            ("xml option", "xmloption"),
            ("schema", "search_path"),
        ];
        for (words, name) in special {
            // a setting may have such a name, too: SET role = none
            let mark = self.mark();
            if self.eat(words) && !self.is_op("=") && !self.is_word("to") {
                let is_default = self.is_op(";") || *self.peek() == Token::End || self.eat("default");
                let is_default = is_default || name == "timezone" && self.eat("local");
                let value = if is_default { None } else { Some(self.setting_value()?) };
                return Ok(Set { name: Some(name.into()), value, reset: false, local });
            }
            self.back_to(mark);
        }
        let name = Some(self.setting_name()?);
        if !self.eat_op("=") {
            self.expect("to")?;
        }
        if self.eat("default") {
            return Ok(Set { name, value: None, reset: false, local });
        }
        let values = self.list(Self::set_value)?;
        Ok(Set { value: Some(flatten(name.as_deref(), &values)?), name, reset: false, local })
    }

    /// After RESET.
    pub fn reset(&mut self) -> Result<Set, StatementError> {
        let name = if self.eat("all") {
            None
        } else if self.eat("time zone") {
            Some("timezone".into())
        } else if self.eat("session authorization") {
            Some("session_authorization".into())
        } else if self.eat("transaction isolation level") {
            Some("transaction_isolation".into())
        } else {
            Some(self.setting_name()?)
        };
        Ok(Set { name, value: None, reset: true, local: false })
    }

    /// After SHOW.
    pub fn show(&mut self) -> Result<String, StatementError> {
        if self.is_word("all") {
            return Err(self.unsupported("SHOW ALL"));
        }
        if self.eat("time zone") {
            return Ok("timezone".into());
        }
        if self.eat("transaction isolation level") {
            return Ok("transaction_isolation".into());
        }
        if self.eat("session authorization") {
            return Ok("session_authorization".into());
        }
        self.setting_name()
    }

    pub(super) fn setting_name(&mut self) -> Result<String, StatementError> {
        let name = self.name()?.to_ascii_lowercase();
        if self.eat_op(".") { Ok(format!("{name}.{}", self.name()?)) } else { Ok(name) }
    }

    /// After ALTER SYSTEM.
    pub fn alter_system(&mut self) -> Result<Set, StatementError> {
        if self.eat("reset") {
            return self.reset();
        }
        self.expect("set")?;
        self.set()
    }
}

/// FORMAT of EXPLAIN.
fn explain_format(value: Option<&str>) -> Result<ExplainFormat, StatementError> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        Some("text") => Ok(ExplainFormat::Text),
        Some("json") => Ok(ExplainFormat::Json),
        Some("yaml") => Ok(ExplainFormat::Yaml),
        Some("xml") => Ok(ExplainFormat::Xml),
        Some(other) => {
            let message = format!("unrecognized value for EXPLAIN option \"format\": \"{other}\"");
            Err(StatementError::server("22023", message))
        }
        None => Err(StatementError::server("42601", "format requires a parameter")),
    }
}

/// PARALLEL of VACUUM.
fn parallel_workers(value: Option<&str>) -> Result<u32, StatementError> {
    const MOST: u32 = 1024;
    let wrong = |message: &'static str| StatementError::server("42601", message);
    let value = value.ok_or_else(|| wrong("parallel option requires a value between 0 and 1024"))?;
    let count: i64 = value.parse().map_err(|_| wrong("parallel requires an integer value"))?;
    let count = u32::try_from(count).ok().filter(|count| *count <= MOST);
    count.ok_or_else(|| wrong("parallel workers for vacuum must be between 0 and 1024"))
}

/// `flatten_set_variable_args`: one value, or those of a list, where they are names each in quotes where it needs them.
fn flatten(name: Option<&str>, values: &[String]) -> Result<String, StatementError> {
    const OF_NAMES: [&str; 4] =
        ["search_path", "temp_tablespaces", "session_preload_libraries", "local_preload_libraries"];
    const LISTS: [&str; 4] = ["datestyle", "log_destination", "wal_consistency_checking", "createrole_self_grant"];
    match (name, values) {
        (Some(name), values) if OF_NAMES.contains(&name) => {
            Ok(values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "))
        }
        (_, [value]) => Ok(value.clone()),
        (Some(name), values) if LISTS.contains(&name) => Ok(values.join(", ")),
        (name, _) => {
            let message = format!("SET {} takes only one argument", name.unwrap_or_default());
            Err(StatementError::server("22023", message))
        }
    }
}

/// `quote_identifier`
fn quoted(name: &str) -> String {
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let is_plain = begins && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_plain && !words::RESERVED.contains(&name) {
        name.into()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// Options of VACUUM that came with 16.
const NEWER_VACUUM: [&str; 4] = ["process_main", "skip_database_stats", "only_database_stats", "buffer_usage_limit"];

/// SERIALIZE, where nothing is to be told of it.
fn is_none(value: Option<&str>) -> bool {
    value.is_some_and(|value| matches!(value, "off" | "none"))
}
