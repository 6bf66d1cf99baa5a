//! Functions of regular expressions (src/backend/utils/adt/regexp.c).

use super::regex::{Regex, refuse};
use crate::sql::expr::call::Call;
use crate::sql::expr::pg_catalog::{INT4, TEXT, TEXT_ARRAY};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::{Value, make_array};

pub(super) const PROCS: &[Proc] = &[
    f("regexp_count", &[TEXT, TEXT], INT4, count).since(15),
    f("regexp_match", &[TEXT, TEXT], TEXT_ARRAY, first_match),
    f("regexp_match", &[TEXT, TEXT, TEXT], TEXT_ARRAY, first_match),
    f("regexp_replace", &[TEXT, TEXT, TEXT], TEXT, replace),
    f("regexp_replace", &[TEXT, TEXT, TEXT, TEXT], TEXT, replace),
    f("regexp_split_to_array", &[TEXT, TEXT], TEXT_ARRAY, split_to_array),
    f("regexp_substr", &[TEXT, TEXT], TEXT, |call| part(call, false)).since(15),
    f("substring", &[TEXT, TEXT], TEXT, |call| part(call, true)),
];

/// Where an expression matches, and where its groups lie in that.
struct Found {
    whole: (usize, usize),
    groups: Vec<Option<(usize, usize)>>,
}

/// All matches, or the first one.
fn matches(regex: &Regex, text: &[char], all: bool) -> Result<Vec<Found>> {
    let (mut found, mut from) = (Vec::new(), 0);
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

fn count(call: &mut Call<'_, '_>) -> Result<Value> {
    let regex = Regex::new(call.text(1)?, "")?;
    Ok(Value::Int4(matches(&regex, &chars_of(call)?, true)?.len() as i32))
}

/// `regexp_match`
fn first_match(call: &mut Call<'_, '_>) -> Result<Value> {
    let flags = call.text_or(2, "")?;
    if flags.contains('g') {
        return Err(SqlError::new("22023", "regexp_match() does not support the \"global\" option"));
    }
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, flags)?);
    let Some(found) = matches(&regex, &text, false)?.pop() else { return Ok(Value::Null) };
    let places = if found.groups.is_empty() { Vec::from([Some(found.whole)]) } else { found.groups };
    let parts: Vec<Value> = places.into_iter().map(|place| text_of(&text, place)).collect();
    Ok(make_array(TEXT, &parts))
}

/// `regexp_substr`, and `textregexsubstr`, which gives the text of the first group where there is one.
fn part(call: &mut Call<'_, '_>, of_group: bool) -> Result<Value> {
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, "")?);
    let Some((start, end)) = regex.find(&text, 0) else { return Ok(Value::Null) };
    let whole = Some((start, end));
    let place = if of_group && regex.groups() > 0 { regex.groups_of(&text, (start, end))?[0] } else { whole };
    Ok(text_of(&text, place))
}

fn split_to_array(call: &mut Call<'_, '_>) -> Result<Value> {
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, "")?);
    let (mut parts, mut begin, mut from) = (Vec::new(), 0, 0);
    while let Some((start, end)) = regex.find(&text, from) {
        from = if end == start { end + 1 } else { end };
        // an empty match at either end, or right behind another match, splits nothing
        if end > start || start > begin && start < text.len() {
            parts.push(text_of(&text, Some((begin, start))));
            begin = end;
        }
        if from > text.len() {
            break;
        }
    }
    parts.push(text_of(&text, Some((begin, text.len()))));
    Ok(make_array(TEXT, &parts))
}

/// `regexp_replace`: the first match, or with the flag `g` all of them.
fn replace(call: &mut Call<'_, '_>) -> Result<Value> {
    let (with, flags) = (call.text(2)?, call.text_or(3, "")?);
    let (text, regex) = (chars_of(call)?, Regex::new(call.text(1)?, flags)?);
    let (mut replaced, mut copied) = (String::new(), 0);
    let asks_groups = with.contains('\\');
    let mut from = 0;
    while let Some((start, end)) = regex.find(&text, from) {
        replaced.extend(&text[copied..start]);
        if asks_groups {
            append(&mut replaced, with, (&regex, &text), (start, end))?;
        } else {
            replaced.push_str(with);
        }
        copied = end;
        from = if end == start { end + 1 } else { end };
        if !flags.contains('g') || from > text.len() {
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
