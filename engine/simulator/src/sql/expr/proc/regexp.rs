//! Functions of regular expressions (src/backend/utils/adt/regexp.c).

use super::regex::{Regex, refuse};
use crate::sql::expr::call::{Call, text as text_in};
use crate::sql::expr::pg_catalog::{INT4, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, make_array};

pub(super) const PROCS: &[Proc] = &[
    f("regexp_count", &[TEXT, TEXT], INT4, count).since(15),
    f("regexp_count", &[TEXT, TEXT, INT4], INT4, count).since(15),
    f("regexp_count", &[TEXT, TEXT, INT4, TEXT], INT4, count).since(15),
    f("regexp_instr", &[TEXT, TEXT], INT4, instr).since(15),
    f("regexp_instr", &[TEXT, TEXT, INT4], INT4, instr).since(15),
    f("regexp_instr", &[TEXT, TEXT, INT4, INT4], INT4, instr).since(15),
    f("regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4], INT4, instr).since(15),
    f("regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4, TEXT], INT4, instr).since(15),
    f("regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4, TEXT, INT4], INT4, instr).since(15),
    f("regexp_match", &[TEXT, TEXT], TEXT_ARRAY, first_match),
    f("regexp_match", &[TEXT, TEXT, TEXT], TEXT_ARRAY, first_match),
    f("regexp_replace", &[TEXT, TEXT, TEXT], TEXT, replace),
    f("regexp_replace", &[TEXT, TEXT, TEXT, TEXT], TEXT, replace),
    f("regexp_replace", &[TEXT, TEXT, TEXT, INT4], TEXT, replace_from).since(15),
    f("regexp_replace", &[TEXT, TEXT, TEXT, INT4, INT4], TEXT, replace_from).since(15),
    f("regexp_replace", &[TEXT, TEXT, TEXT, INT4, INT4, TEXT], TEXT, replace_from).since(15),
    f("regexp_split_to_array", &[TEXT, TEXT], TEXT_ARRAY, split_to_array),
    f("regexp_split_to_array", &[TEXT, TEXT, TEXT], TEXT_ARRAY, split_to_array),
    f("regexp_substr", &[TEXT, TEXT], TEXT, substr).since(15),
    f("regexp_substr", &[TEXT, TEXT, INT4], TEXT, substr).since(15),
    f("regexp_substr", &[TEXT, TEXT, INT4, INT4], TEXT, substr).since(15),
    f("regexp_substr", &[TEXT, TEXT, INT4, INT4, TEXT], TEXT, substr).since(15),
    f("regexp_substr", &[TEXT, TEXT, INT4, INT4, TEXT, INT4], TEXT, substr).since(15),
    f("substring", &[TEXT, TEXT], TEXT, group_or_whole),
];

/// Where an expression matches, and where its groups lie in that.
struct Found {
    whole: (usize, usize),
    groups: Vec<Option<(usize, usize)>>,
}

/// All matches, or the first one.
fn matches(regex: &Regex, text: &[char], from: usize, all: bool) -> Result<Vec<Found>> {
    let (mut found, mut from) = (Vec::new(), from);
    while let Some(whole) = regex.find(text, from) {
        found.push(Found { whole, groups: regex.groups_of(text, whole)? });
        // an empty match is not found twice
        from = if whole.1 == whole.0 { whole.1 + 1 } else { whole.1 };
        if !all || from > text.len() {
            break;
        }
    }
    Ok(found)
}

fn chars_of(call: &Call<'_, '_>) -> Result<Vec<char>> {
    Ok(call.text(0)?.chars().collect())
}

fn text_of(text: &[char], place: Option<(usize, usize)>) -> Value {
    place.map_or(Value::Null, |(start, end)| Value::text(&text[start..end].iter().collect::<String>()))
}

/// `regexp_count`
fn count(call: &mut Call<'_, '_>) -> Result<Value> {
    let (from, flags) = (positive(call, 2, "start")? - 1, call.text_or(3, "")?);
    not_global(call, flags)?;
    let regex = Regex::new(call.text(1)?, flags)?;
    Ok(Value::Int4(matches(&regex, &chars_of(call)?, from, true)?.len() as i32))
}

/// A number from 1 on, which is 1 where it is not given.
fn positive(call: &Call<'_, '_>, n: usize, name: &str) -> Result<usize> {
    let given = if call.get(n).is_some() { call.int(n) } else { 1 };
    usize::try_from(given).ok().filter(|given| *given > 0).ok_or_else(|| invalid(name, given))
}

fn invalid(name: &str, given: i32) -> SqlError {
    SqlError::new("22023", format!("invalid value for parameter \"{name}\": {given}"))
}

fn not_global(call: &Call<'_, '_>, flags: &str) -> Result<()> {
    global_refused(call.proc.name, flags)
}

fn global_refused(name: &str, flags: &str) -> Result<()> {
    if flags.contains('g') {
        let message = format!("{name}() does not support the \"global\" option");
        return Err(SqlError::new("22023", message));
    }
    Ok(())
}

/// The place that `regexp_instr` and `regexp_substr` are asked for: of the nth match from somewhere on, whole or a
/// group of it.
fn asked(call: &Call<'_, '_>, text: &[char], flags: usize) -> Result<Option<(usize, usize)>> {
    let (from, nth) = (positive(call, 2, "start")? - 1, positive(call, 3, "n")?);
    if flags == 5 && !(0..=1).contains(&call.int(4)) {
        return Err(invalid("endoption", call.int(4)));
    }
    let group = call.int(flags + 1);
    let options = call.text_or(flags, "")?;
    not_global(call, options)?;
    let group = usize::try_from(group).map_err(|_| invalid("subexpr", group))?;
    let regex = Regex::new(call.text(1)?, options)?;
    let found = matches(&regex, text, from, true)?;
    Ok(found.get(nth - 1).and_then(|found| match group {
        0 => Some(found.whole),
        group => found.groups.get(group - 1).copied().flatten(),
    }))
}

fn instr(call: &mut Call<'_, '_>) -> Result<Value> {
    let place = asked(call, &chars_of(call)?, 5)?;
    let is_end = call.int(4) == 1;
    Ok(Value::Int4(place.map_or(0, |(start, end)| if is_end { end + 1 } else { start + 1 }) as i32))
}

fn substr(call: &mut Call<'_, '_>) -> Result<Value> {
    let text = chars_of(call)?;
    let place = asked(call, &text, 4)?;
    Ok(text_of(&text, place))
}

/// `regexp_match`
fn first_match(call: &mut Call<'_, '_>) -> Result<Value> {
    let flags = call.text_or(2, "")?;
    not_global(call, flags)?;
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, flags)?);
    let found = matches(&regex, &text, 0, false)?.pop();
    Ok(found.map_or(Value::Null, |found| found.parts(&text)))
}

impl Found {
    /// `build_regexp_match_result`: the texts of its groups, or of all of it.
    fn parts(self, text: &[char]) -> Value {
        let places = if self.groups.is_empty() { Vec::from([Some(self.whole)]) } else { self.groups };
        let parts: Vec<Value> = places.into_iter().map(|place| text_of(text, place)).collect();
        make_array(TEXT, &parts)
    }
}

/// The rows of `regexp_matches` and `regexp_split_to_table`; nothing of another function.
pub(in crate::sql) fn regexp_rows(name: &str, args: &[Value]) -> Option<Result<Vec<Vec<Value>>>> {
    let read = || {
        let flags = args.get(2).map_or(Ok(""), text_in)?;
        let text: Vec<char> = text_in(&args[0])?.chars().collect();
        Ok((flags, text, text_in(&args[1])?))
    };
    let rows = |values: Vec<Value>| values.into_iter().map(|value| Vec::from([value])).collect();
    match name {
        "regexp_matches" => Some(read().and_then(|(flags, text, pattern)| {
            let found = matches(&Regex::new(pattern, flags)?, &text, 0, flags.contains('g'))?;
            Ok(rows(found.into_iter().map(|found| found.parts(&text)).collect()))
        })),
        "regexp_split_to_table" => Some(read().and_then(|(flags, text, pattern)| {
            global_refused(name, flags)?;
            Ok(rows(split(&text, &Regex::new(pattern, flags)?)))
        })),
        _ => None,
    }
}

/// `textregexsubstr`, which gives the text of the first group where there is one.
fn group_or_whole(call: &mut Call<'_, '_>) -> Result<Value> {
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, "")?);
    let Some((start, end)) = regex.find(&text, 0) else { return Ok(Value::Null) };
    let whole = Some((start, end));
    let place = if regex.groups() > 0 { regex.groups_of(&text, (start, end))?[0] } else { whole };
    Ok(text_of(&text, place))
}

fn split_to_array(call: &mut Call<'_, '_>) -> Result<Value> {
    let flags = call.text_or(2, "")?;
    not_global(call, flags)?;
    Ok(make_array(TEXT, &split(&chars_of(call)?, &Regex::new(call.text(1)?, flags)?)))
}

/// What stands between the matches.
fn split(text: &[char], regex: &Regex) -> Vec<Value> {
    let (mut parts, mut begin, mut from) = (Vec::new(), 0, 0);
    while let Some((start, end)) = regex.find(text, from) {
        from = if end == start { end + 1 } else { end };
        // an empty match at either end, or right behind another match, splits nothing
        if end > start || start > begin && start < text.len() {
            parts.push(text_of(text, Some((begin, start))));
            begin = end;
        }
        if from > text.len() {
            break;
        }
    }
    parts.push(text_of(text, Some((begin, text.len()))));
    parts
}

/// `regexp_replace`: the first match, or with the flag `g` all of them.
fn replace(call: &mut Call<'_, '_>) -> Result<Value> {
    let flags = call.text_or(3, "")?;
    replaced(call, flags, 0, usize::from(!flags.contains('g')))
}

/// `textregexreplace_extended`: from a place on, the nth match or all of them.
fn replace_from(call: &mut Call<'_, '_>) -> Result<Value> {
    let from = positive(call, 3, "start")? - 1;
    let nth = if call.get(4).is_some() { call.int(4) } else { 1 };
    let nth = usize::try_from(nth).map_err(|_| invalid("n", nth))?;
    replaced(call, call.text_or(5, "")?, from, nth)
}

/// The nth match is replaced, or all of them (0).
fn replaced(call: &Call<'_, '_>, flags: &str, from: usize, nth: usize) -> Result<Value> {
    let with = call.text(2)?;
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, flags)?);
    let (mut replaced, mut copied, mut from, mut count) = (String::new(), 0, from, 0);
    let asks_groups = with.contains('\\');
    while let Some((start, end)) = regex.find(&text, from) {
        count += 1;
        if nth == 0 || count == nth {
            replaced.extend(&text[copied..start]);
            if asks_groups {
                append(&mut replaced, with, (&regex, &text), (start, end))?;
            } else {
                replaced.push_str(with);
            }
            copied = end;
        }
        from = if end == start { end + 1 } else { end };
        if count == nth || from > text.len() {
            break;
        }
    }
    replaced.extend(&text[copied..]);
    Ok(Value::text(&replaced))
}

/// `appendStringInfoRegexpSubstr`: `\&` is the match, `\1` its first group.
fn append(replaced: &mut String, with: &str, (regex, text): (&Regex, &[char]), whole: (usize, usize)) -> Result<()> {
    let mut rest = with.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            replaced.push(c);
            continue;
        }
        match rest.next() {
            Some('&') => replaced.extend(&text[whole.0..whole.1]),
            Some(digit @ '1'..='9') => {
                let groups = regex.groups_of(text, whole)?;
                let group = groups.get(digit as usize - '1' as usize).copied().flatten();
                if let Some((start, end)) = group {
                    replaced.extend(&text[start..end]);
                }
            }
            Some('\\') | None => replaced.push('\\'),
            Some(other) => return Err(refuse(&format!("\\{other} of a replacement"))),
        }
    }
    Ok(())
}
