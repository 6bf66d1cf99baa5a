//! From a template to statements: what each word in braces stands for.

use super::Generator;
use super::table::Table;
use super::value::Kind;

/// What a template is about: chosen once, so that a word means the same table or column in all of it.
#[derive(Debug, Clone, Copy)]
struct Subject {
    table: usize,
    /// `{c}`: any column but the key
    column: usize,
    /// `{d}`: one that is neither the key nor `c0`
    other: Option<usize>,
    /// `{text}`
    text: Option<usize>,
    /// `{least}`: one of a type that has min and max
    least: Option<usize>,
}

/// The statements of a template. Those of a body, which stands between `$$`, are its own.
fn statements_of(template: &str) -> Vec<String> {
    let mut statements = vec![String::new()];
    for (n, part) in template.split("$$").enumerate() {
        let mut pieces = if n % 2 == 0 { part.split("; ").collect() } else { vec![part] }.into_iter();
        if let Some(last) = statements.last_mut() {
            *last += if n > 0 { "$$" } else { "" };
            *last += pieces.next().unwrap_or_default();
        }
        statements.extend(pieces.map(str::to_owned));
    }
    statements
}

/// Where the brace is that closes what stands before.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        (depth == 0).then_some(at)
    })
}

/// What stands between the bars of a word; two bars between spaces are an operator.
fn choices(word: &str) -> Vec<String> {
    const OPERATOR: &str = "\u{1}";
    let (mut choices, mut depth) = (vec![String::new()], 0);
    for c in word.replace(" || ", OPERATOR).chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match choices.last_mut() {
            Some(last) if c != '|' || depth > 0 => last.push(c),
            _ => choices.push(String::new()),
        }
    }
    choices.iter().map(|choice| choice.replace(OPERATOR, " || ")).collect()
}

impl Generator {
    /// The template's statements; `None` where the script has no table or column of the sort.
    pub(super) fn statements(&mut self, template: &str) -> Option<Vec<String>> {
        let subject = self.subject(template)?;
        statements_of(template).iter().map(|piece| self.fill(piece, subject)).collect()
    }

    fn subject(&mut self, template: &str) -> Option<Subject> {
        let wants_key = template.contains("{keyed}");
        let tables: Vec<usize> =
            (0..self.tables.len()).filter(|table| self.tables[*table].has_key || !wants_key).collect();
        if tables.is_empty() {
            return None;
        }
        let table = *self.random.pick(&tables);
        let mut one_of = |wanted: &dyn Fn(usize, Kind) -> bool| {
            let columns = self.tables[table].columns.iter().enumerate();
            let fit: Vec<usize> = columns.filter(|(n, column)| wanted(*n, column.kind)).map(|(n, _)| n).collect();
            (!fit.is_empty()).then(|| *self.random.pick(&fit))
        };
        Some(Subject {
            table,
            column: one_of(&|_, _| true)?,
            other: one_of(&|n, _| n > 0),
            text: one_of(&|_, kind| kind == Kind::Text),
            least: one_of(&|_, kind| kind.has_least()),
        })
    }

    fn fill(&mut self, template: &str, subject: Subject) -> Option<String> {
        let (mut statement, mut rest) = (String::new(), template);
        while let Some((before, word)) = rest.split_once('{') {
            let (word, after) = word.split_at(closing(word)?);
            statement += before;
            statement += &self.word(word, subject)?;
            rest = &after[1..];
        }
        Some(statement + rest)
    }

    /// What a word stands for.
    ///
    /// # Panics
    /// Where there is no such word: a template is misspelled.
    fn word(&mut self, word: &str, subject: Subject) -> Option<String> {
        let Subject { table, column, .. } = subject;
        let name_of = |generator: &Self, column: usize| generator.tables[table].columns[column].name.clone();
        let choices = choices(word);
        if choices.len() > 1 {
            let chosen = self.random.pick(&choices).clone();
            return self.fill(&chosen, subject);
        }
        Some(match word {
            "t" | "keyed" => self.tables[table].name.clone(),
            "other" => self.other_table(table)?,
            "c" => name_of(self, column),
            "v" => self.value(table, column),
            "d" => name_of(self, subject.other?),
            "dv" => self.value(table, subject.other?),
            "text" => name_of(self, subject.text?),
            "least" => name_of(self, subject.least?),
            "set" => self.assignment(table, column),
            "one" => format!("a = {}", self.old_key(table)),
            "some" => self.some_of_own(table),
            "any" => self.some_of_all(table),
            "key" => self.old_key(table).to_string(),
            "fresh" => self.tables[table].fresh_key(self.at).to_string(),
            "fresh_range" => self.fresh_range(table),
            "old_range" => self.old_range(table),
            "shared" => self.shared_key(table, 0).to_string(),
            "read" => self.shared_key(table, 1).to_string(),
            "int" => self.random.below(30).to_string(),
            "n" => self.random.between(2, 40).to_string(),
            "id" => self.script.items.len().to_string(),
            "letters" => Kind::Text.plain(&mut self.random, 200),
            "mode" => self.one_of(&["update", "no key update", "share", "key share"]),
            "end" => self.one_of(&["commit", "rollback"]),
            "on" => self.one_of(&["on", "off", "off"]),
            "scan" => self.one_of(&["seqscan", "bitmapscan", "indexscan", "indexonlyscan", "sort", "tidscan"]),
            "is_called" => self.one_of(&["true", "true", "false"]),
            "full" => self.one_of(&["full, analyze", "full, freeze"]),
            "sequence" => (!self.sequences.is_empty()).then(|| self.random.pick(&self.sequences).clone())?,
            "tid" => self.tid(),
            "place" => self.place(),
            "and_own" => self.and_own(table),
            "system" => self.one_of(&["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "ctid, xmin, xmax"]),
            "header" => self.one_of(&["ctid::text", "xmin::text || '/' || xmax::text", "cmin::text || cmax::text"]),
            "returned" => self.one_of(&["*", "a, c0", "ctid, *", "tableoid, a + 1"]),
            "gone" => self.one_of(&["*", "a, c0", "ctid, xmin, xmax", "cmin, cmax, *"]),
            "storage" => self.one_of(&["external", "extended", "main", "plain"]),
            "parameter" => self.one_of(&["fillfactor = 40", "fillfactor = 100", "toast_tuple_target = 400"]),
            _ => panic!("{{{word}}} means nothing"),
        })
    }

    fn one_of(&mut self, choices: &[&str]) -> String {
        (*self.random.pick(choices)).to_owned()
    }

    fn other_table(&mut self, table: usize) -> Option<String> {
        let others: Vec<&Table> = self.tables.iter().filter(|other| other.name != self.tables[table].name).collect();
        if others.is_empty() { None } else { Some(self.random.pick(&others).name.clone()) }
    }

    /// A key of this session's class that may be there.
    pub(super) fn old_key(&mut self, table: usize) -> u64 {
        self.tables[table].old_key(self.at, &mut self.random)
    }

    /// One of the rows that are there for all: of those that one session changes and the others lock, or of those that
    /// nobody changes.
    fn shared_key(&mut self, table: usize, parity: u64) -> u64 {
        self.tables[table].shared_key(parity, &mut self.random)
    }

    fn fresh_range(&mut self, table: usize) -> String {
        let count = self.random.between(2, 60);
        let (first, step) = self.tables[table].fresh_keys(self.at, count);
        format!("generate_series({first}, {}, {step}) g", first + (count - 1) * step)
    }

    /// Keys of which the first are there and the last perhaps not.
    fn old_range(&mut self, table: usize) -> String {
        let (first, count) = (self.old_key(table), self.random.between(2, 20));
        let step = self.tables[table].use_keys(self.at, first, count);
        format!("generate_series({first}, {}, {step}) g", first + (count - 1) * step)
    }

    /// Some rows of this session's class, in a condition that a table's size does not change.
    fn some_of_own(&mut self, table: usize) -> String {
        let (classes, class) = (self.tables[table].classes(), self.at);
        let own = if classes > 1 { format!("a % {classes} = {class} and ") } else { String::new() };
        format!("{own}{}", self.some_of_all(table))
    }

    /// The same after another condition, which may fit rows of all.
    fn and_own(&self, table: usize) -> String {
        let (classes, class) = (self.tables[table].classes(), self.at);
        if classes > 1 { format!(" and a % {classes} = {class}") } else { String::new() }
    }

    /// A row's place, mostly one where rows are.
    fn tid(&mut self) -> String {
        let (block, offset) = if self.random.percent(85) { (3, 40) } else { (30, 300) };
        format!("'({},{})'", self.random.below(block), self.random.below(offset))
    }

    /// A condition on rows' places.
    fn place(&mut self) -> String {
        let (one, other, third) = (self.tid(), self.tid(), self.tid());
        match self.random.below(6) {
            0 => format!("ctid = {one}"),
            1 => format!("ctid in ({one}, {other}, {third})"),
            2 => format!("ctid = any (array[{one}, {other}, {third}]::tid[])"),
            3 => format!("ctid > {one}"),
            4 => format!("ctid < {one}"),
            _ => format!("ctid >= {one} and ctid <= {other}"),
        }
    }

    fn some_of_all(&mut self, table: usize) -> String {
        let (classes, key) = (self.tables[table].classes(), self.old_key(table));
        match self.random.below(4) {
            0 | 1 => format!("a between {key} and {}", key + self.random.between(3, 60)),
            2 => {
                let divisor = self.random.between(2, 9);
                format!("a / {classes} % {divisor} = {}", self.random.below(divisor))
            }
            _ => format!("a >= {key}"),
        }
    }

    fn assignment(&mut self, table: usize, column: usize) -> String {
        let name = self.tables[table].columns[column].name.clone();
        if column == 0 && self.random.percent(60) {
            return format!("{name} = {name} + 1");
        }
        let value = self.value(table, column);
        format!("{name} = {value}")
    }

    /// A literal of a column's type, or NULL.
    pub(super) fn value(&mut self, table: usize, column: usize) -> String {
        self.datum(table, column, 9000)
            .map_or_else(|| "null".to_owned(), |value| self.tables[table].columns[column].kind.quoted(value))
    }

    /// A value of a column without quotes; `None` for NULL.
    pub(super) fn datum(&mut self, table: usize, column: usize, limit: u64) -> Option<String> {
        let column = self.tables[table].columns[column].clone();
        let nulls = if column.not_null { 1 } else { 12 };
        if self.level >= super::Level::VACUUM && self.random.percent(nulls) {
            return None;
        }
        if let Some(referred) = column.refers {
            return Some(self.old_key(referred).to_string());
        }
        // so that a row fits on a page where there is no TOAST
        let longest = self.level.longest_text() / self.tables[table].columns.len().max(1) as u64 * 2;
        Some(column.kind.plain(&mut self.random, longest.min(limit)))
    }
}
