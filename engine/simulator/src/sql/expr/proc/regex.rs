//! Regular expressions, of which it is asked whether they match, and where the longest match lies
//! (src/backend/regex/regcomp.c, regexec.c; src/backend/utils/adt/regexp.c).
//!
//! ```text
//!  "a(b|c)*" ──Parser──▶ steps: Char a, Split, Char b, Jump, Char c …  ──all states at once, character by character──▶ end
//! ```
//!
//! Advanced expressions without what needs more than a set of states: back references, constraints that look ahead, and
//! quantifiers that are not greedy are refused by name. Letters are those of the C locale.

use crate::sql::error::NOT_SIMULATED;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};

/// `DUPMAX`: the greatest number in a bound.
const MOST: u32 = 255;
/// Steps of an expression: bounds within bounds multiply.
const LONGEST: usize = 20_000;

/// What is done at a place of the expression.
#[derive(Debug, Clone)]
enum Step {
    /// takes a character
    Take(Set),
    /// goes on at both places
    Split(usize, usize),
    /// goes on there
    Jump(usize),
    /// nothing stands before, or a line
    Begin,
    /// nothing stands behind
    End,
    /// a word begins here
    WordBegin,
    /// a word ends here
    WordEnd,
    /// a word begins or ends here, or not
    WordEdge(bool),
    /// a group begins (even) or ends (odd) here
    Save(usize),
    Match,
}

/// Characters.
#[derive(Debug, Clone, Default)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Set {
    fn has(&self, c: char, ignores_case: bool) -> bool {
        let within = |c: char| self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
        let found = within(c) || ignores_case && (within(c.to_ascii_lowercase()) || within(c.to_ascii_uppercase()));
        found != self.negated
    }
}

pub(super) fn refuse(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} in a regular expression is not supported"))
}

fn invalid(why: &str) -> SqlError {
    SqlError::new("2201B", format!("invalid regular expression: {why}"))
}

/// An expression that is ready.
#[derive(Debug)]
pub(super) struct Regex {
    steps: Vec<Step>,
    ignores_case: bool,
    /// parentheses whose text can be asked for
    groups: usize,
    /// does it have a `|`?
    has_branches: bool,
}

struct Parser {
    pattern: Vec<char>,
    at: usize,
    depth: u32,
    groups: usize,
    has_branches: bool,
}

const WORD: [(char, char); 4] = [('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
const SPACE: [(char, char); 2] = [(' ', ' '), ('\t', '\r')];

impl Parser {
    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let is_it = self.peek() == Some(c);
        self.at += usize::from(is_it);
        is_it
    }

    /// Branches between `|`.
    fn branches(&mut self) -> Result<Vec<Step>> {
        const DEEPEST: u32 = 50;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(refuse("so many parentheses within each other"));
        }
        let mut left = self.branch()?;
        while self.eat('|') {
            self.has_branches = true;
            let right = self.branch()?;
            // what follows both stands behind them
            let mut both = Vec::from([Step::Split(1, left.len() + 2)]);
            let end = left.len() + right.len() + 2;
            append(&mut both, left);
            both.push(Step::Jump(end));
            append(&mut both, right);
            left = both;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn branch(&mut self) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' && self.depth > 1 {
                break;
            }
            let atom = self.atom()?;
            let atom = self.quantified(atom)?;
            append(&mut steps, atom);
            if steps.len() > LONGEST {
                return Err(invalid("regular expression is too complex"));
            }
        }
        Ok(steps)
    }

    fn atom(&mut self) -> Result<Vec<Step>> {
        let c = self.peek().unwrap_or_default();
        self.at += 1;
        let one = |c: char| Vec::from([Step::Take(Set { negated: false, ranges: Vec::from([(c, c)]) })]);
        Ok(match c {
            '(' => {
                let is_group = !self.eat('?');
                if !is_group && !self.eat(':') {
                    return Err(refuse("(?"));
                }
                let group = self.groups;
                self.groups += usize::from(is_group);
                let inner = self.branches()?;
                if !self.eat(')') {
                    return Err(invalid("parentheses () not balanced"));
                }
                if !is_group {
                    return Ok(inner);
                }
                let mut steps = Vec::from([Step::Save(2 * group)]);
                append(&mut steps, inner);
                steps.push(Step::Save(2 * group + 1));
                steps
            }
            ')' => return Err(invalid("parentheses () not balanced")),
            '*' | '+' | '?' => return Err(invalid("quantifier operand invalid")),
            '{' if self.peek().is_some_and(|c| c.is_ascii_digit()) => {
                return Err(invalid("quantifier operand invalid"));
            }
            '^' => Vec::from([Step::Begin]),
            '$' => Vec::from([Step::End]),
            '.' => Vec::from([Step::Take(Set { negated: true, ranges: Vec::new() })]),
            '[' => self.bracket()?,
            '\\' => self.escape()?,
            c => one(c),
        })
    }

    fn escape(&mut self) -> Result<Vec<Step>> {
        let Some(c) = self.peek() else { return Err(invalid("invalid escape \\ sequence")) };
        self.at += 1;
        if let Some(set) = class_escape(c) {
            return Ok(Vec::from([Step::Take(set)]));
        }
        let step = match c {
            'A' => Step::Begin,
            'Z' => Step::End,
            'm' => Step::WordBegin,
            'M' => Step::WordEnd,
            'y' => Step::WordEdge(true),
            'Y' => Step::WordEdge(false),
            c => {
                let c = plain_escape(c)?;
                Step::Take(Set { negated: false, ranges: Vec::from([(c, c)]) })
            }
        };
        Ok(Vec::from([step]))
    }

    /// After `[`.
    fn bracket(&mut self) -> Result<Vec<Step>> {
        let unbalanced = || invalid("brackets [] not balanced");
        let rest: String = self.pattern[self.at..].iter().take(5).collect();
        if rest == "[:<:]" || rest == "[:>:]" {
            return Err(refuse("[[:<:]]"));
        }
        let mut set = Set { negated: self.eat('^'), ranges: Vec::new() };
        let first = self.at;
        loop {
            let c = self.peek().ok_or_else(unbalanced)?;
            self.at += 1;
            let low = match c {
                ']' if self.at - 1 > first => return Ok(Vec::from([Step::Take(set)])),
                '[' if matches!(self.peek(), Some(':')) => {
                    set.ranges.extend(self.class()?);
                    continue;
                }
                '[' if matches!(self.peek(), Some('.' | '=')) => return Err(refuse("[. .] or [= =]")),
                '\\' => {
                    let c = self.peek().ok_or_else(unbalanced)?;
                    self.at += 1;
                    if let Some(class) = class_escape(c) {
                        if class.negated {
                            return Err(invalid("invalid escape \\ sequence"));
                        }
                        set.ranges.extend(class.ranges);
                        continue;
                    }
                    plain_escape(c)?
                }
                c => c,
            };
            let is_range = self.peek() == Some('-') && self.pattern.get(self.at + 1).is_some_and(|c| *c != ']');
            if !is_range {
                set.ranges.push((low, low));
                continue;
            }
            self.at += 1;
            let mut high = self.peek().ok_or_else(unbalanced)?;
            self.at += 1;
            if high == '\\' {
                high = plain_escape(self.peek().ok_or_else(unbalanced)?)?;
                self.at += 1;
            }
            if high == '[' {
                return Err(refuse("a range that ends with ["));
            }
            if high < low {
                return Err(invalid("invalid character range"));
            }
            set.ranges.push((low, high));
        }
    }

    /// `[:alpha:]`, after its first bracket.
    fn class(&mut self) -> Result<Vec<(char, char)>> {
        let name: String = self.pattern[self.at + 1..].iter().take_while(|c| **c != ':').collect();
        self.at += name.chars().count() + 1;
        if !(self.eat(':') && self.eat(']')) {
            return Err(invalid("brackets [] not balanced"));
        }
        let ranges: &[(char, char)] = match name.as_str() {
            "alnum" => &WORD[..3],
            "alpha" => &WORD[..2],
            "blank" => &[(' ', ' '), ('\t', '\t')],
            "cntrl" => &[('\0', '\x1F'), ('\x7F', '\x7F')],
            "digit" => &[('0', '9')],
            "graph" => &[('!', '~')],
            "lower" => &WORD[..1],
            "print" => &[(' ', '~')],
            "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            "space" => &SPACE,
            "upper" => &WORD[1..2],
            "xdigit" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
            _ => return Err(invalid("invalid character class")),
        };
        Ok(ranges.to_vec())
    }

    /// The atom as often as what follows it says.
    fn quantified(&mut self, atom: Vec<Step>) -> Result<Vec<Step>> {
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') if self.pattern.get(self.at + 1).is_some_and(char::is_ascii_digit) => self.bound()?,
            _ => return Ok(atom),
        };
        self.at += 1;
        match self.peek() {
            Some('?') => return Err(refuse("a quantifier that is not greedy")),
            Some('*' | '+') => return Err(invalid("quantifier operand invalid")),
            _ => {}
        }
        if matches!(atom[..], [Step::Begin | Step::End]) {
            return Err(invalid("quantifier operand invalid"));
        }
        let mut steps = Vec::new();
        for _ in 0..least {
            append(&mut steps, atom.clone());
        }
        match most {
            None => {
                let mut again = Vec::from([Step::Split(1, atom.len() + 2)]);
                append(&mut again, atom);
                again.push(Step::Jump(0));
                append(&mut steps, again);
            }
            Some(most) => {
                for _ in least..most {
                    let mut maybe = Vec::from([Step::Split(1, atom.len() + 1)]);
                    append(&mut maybe, atom.clone());
                    append(&mut steps, maybe);
                }
            }
        }
        Ok(steps)
    }

    /// `{2,3}`; its last character stays.
    fn bound(&mut self) -> Result<(u32, Option<u32>)> {
        let wrong = || invalid("invalid repetition count(s)");
        let inner: String = self.pattern[self.at + 1..].iter().take_while(|c| **c != '}').collect();
        self.at += inner.chars().count() + 1;
        if self.peek() != Some('}') {
            return Err(invalid("braces {} not balanced"));
        }
        let number = |digits: &str| digits.parse().ok().filter(|n: &u32| *n <= MOST).ok_or_else(wrong);
        let (least, most) = match inner.split_once(',') {
            None => (number(&inner)?, Some(number(&inner)?)),
            Some((least, "")) => (number(least)?, None),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        if most.is_some_and(|most| most < least) { Err(wrong()) } else { Ok((least, most)) }
    }
}

/// `\d` and its like.
fn class_escape(c: char) -> Option<Set> {
    let ranges: &[(char, char)] = match c.to_ascii_lowercase() {
        'd' => &[('0', '9')],
        'w' => &WORD,
        's' => &SPACE,
        _ => return None,
    };
    Some(Set { negated: c.is_ascii_uppercase(), ranges: ranges.to_vec() })
}

/// A character behind a backslash that stands for one.
fn plain_escape(c: char) -> Result<char> {
    Ok(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'f' => '\x0C',
        'v' => '\x0B',
        'a' => '\x07',
        'e' => '\x1B',
        c if c.is_ascii_alphanumeric() => return Err(refuse(&format!("\\{c}"))),
        c => c,
    })
}

/// Puts steps behind others, with the places that they go to.
fn append(steps: &mut Vec<Step>, more: Vec<Step>) {
    let by = steps.len();
    steps.extend(more.into_iter().map(|step| match step {
        Step::Split(one, other) => Step::Split(one + by, other + by),
        Step::Jump(to) => Step::Jump(to + by),
        other => other,
    }));
}

impl Regex {
    /// Reads an expression; `flags` as functions take them.
    pub fn new(pattern: &str, flags: &str) -> Result<Self> {
        let mut ignores_case = false;
        for flag in flags.chars() {
            match flag {
                'i' => ignores_case = true,
                'c' => ignores_case = false,
                // those of functions
                'g' => {}
                other => return Err(refuse(&format!("the flag {other}"))),
            }
        }
        if pattern.starts_with("***") || pattern.starts_with("(?") && !pattern.starts_with("(?:") {
            return Err(refuse("an option at its beginning"));
        }
        let pattern = pattern.chars().collect();
        let mut parser = Parser { pattern, at: 0, depth: 0, groups: 0, has_branches: false };
        let mut steps = parser.branches()?;
        steps.push(Step::Match);
        Ok(Self { steps, ignores_case, groups: parser.groups, has_branches: parser.has_branches })
    }

    /// The first match at this place or behind it, the longest of those that begin there: where it begins and ends.
    pub fn find(&self, text: &[char], from: usize) -> Option<(usize, usize)> {
        (from..=text.len()).find_map(|start| Some((start, self.longest(text, start)?)))
    }

    /// Parentheses whose text can be asked for.
    pub const fn groups(&self) -> usize {
        self.groups
    }

    /// Where the text of each group lies in a match: what comes first takes as much as it can (`dissect`).
    pub fn groups_of(&self, text: &[char], (start, end): (usize, usize)) -> Result<Vec<Option<(usize, usize)>>> {
        /// What is left to be done: a step at a place, or a group as it was before.
        enum Left {
            Try(usize, usize),
            Restore(usize, Option<usize>),
        }
        if self.groups > 0 && self.has_branches {
            return Err(refuse("the text of parentheses beside |"));
        }
        let mut slots: Vec<Option<usize>> = alloc::vec![None; 2 * self.groups];
        let mut seen = BTreeSet::new();
        let mut left = Vec::from([Left::Try(0, start)]);
        while let Some(next) = left.pop() {
            let (step, at) = match next {
                Left::Restore(slot, before) => {
                    slots[slot] = before;
                    continue;
                }
                Left::Try(step, at) if seen.insert((step, at)) => (step, at),
                Left::Try(..) => continue,
            };
            match &self.steps[step] {
                Step::Take(set) if at < end && set.has(text[at], self.ignores_case) => {
                    left.push(Left::Try(step + 1, at + 1));
                }
                Step::Take(_) => {}
                Step::Split(one, other) => left.extend([Left::Try(*other, at), Left::Try(*one, at)]),
                Step::Jump(to) => left.push(Left::Try(*to, at)),
                Step::Save(slot) => {
                    left.extend([Left::Restore(*slot, slots[*slot]), Left::Try(step + 1, at)]);
                    slots[*slot] = Some(at);
                }
                Step::Match if at == end => break,
                Step::Match => {}
                other if holds(other, text, at) => left.push(Left::Try(step + 1, at)),
                _ => {}
            }
        }
        Ok(slots.chunks(2).map(|pair| pair[0].zip(pair[1])).collect())
    }

    fn longest(&self, text: &[char], start: usize) -> Option<usize> {
        let mut states = Vec::new();
        let mut seen = alloc::vec![usize::MAX; self.steps.len()];
        let mut best = None;
        self.follow(0, text, start, &mut seen, &mut states);
        for at in start..=text.len() {
            if states.iter().any(|state| matches!(self.steps[*state], Step::Match)) {
                best = Some(at);
            }
            let Some(c) = text.get(at) else { break };
            let mut next = Vec::new();
            for state in &states {
                if let Step::Take(set) = &self.steps[*state]
                    && set.has(*c, self.ignores_case)
                {
                    self.follow(state + 1, text, at + 1, &mut seen, &mut next);
                }
            }
            if next.is_empty() {
                break;
            }
            states = next;
        }
        best
    }

    /// The steps that take a character, or end, which this one leads to.
    fn follow(&self, first: usize, text: &[char], at: usize, seen: &mut [usize], states: &mut Vec<usize>) {
        let mut open = Vec::from([first]);
        while let Some(step) = open.pop() {
            if seen[step] == at {
                continue;
            }
            seen[step] = at;
            let goes_on = match &self.steps[step] {
                Step::Take(_) | Step::Match => {
                    states.push(step);
                    continue;
                }
                Step::Split(one, other) => {
                    open.extend([*one, *other]);
                    continue;
                }
                Step::Jump(to) => {
                    open.push(*to);
                    continue;
                }
                step => holds(step, text, at),
            };
            if goes_on {
                open.push(step + 1);
            }
        }
    }
}

/// Does a step that takes nothing hold at this place?
fn holds(step: &Step, text: &[char], at: usize) -> bool {
    let is_word = |place: Option<usize>| {
        let c = place.and_then(|place| text.get(place));
        c.is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
    };
    let (before, behind) = (is_word(at.checked_sub(1)), is_word(Some(at)));
    match step {
        Step::Begin => at == 0,
        Step::End => at == text.len(),
        Step::WordBegin => !before && behind,
        Step::WordEnd => before && !behind,
        Step::WordEdge(wanted) => (before != behind) == *wanted,
        _ => true,
    }
}

/// `similar_to_escape`: the expression that a pattern of SIMILAR TO is.
pub(super) fn of_similar(pattern: &str) -> Result<String> {
    let mut expression = String::from("^(?:");
    let (mut is_escaped, mut is_bracket) = (false, false);
    for c in pattern.chars() {
        match c {
            '"' if is_escaped => return Err(refuse("an escaped quote of SIMILAR TO")),
            c if is_escaped => {
                expression.push('\\');
                expression.push(c);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            c if is_bracket => {
                expression.push(c);
                is_bracket = c != ']';
            }
            '[' => {
                expression.push(c);
                is_bracket = true;
            }
            '%' => expression.push_str(".*"),
            '_' => expression.push('.'),
            '(' => expression.push_str("(?:"),
            '.' | '^' | '$' => {
                expression.push('\\');
                expression.push(c);
            }
            c => expression.push(c),
        }
    }
    expression.push_str(")$");
    Ok(expression)
}
