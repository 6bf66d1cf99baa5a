//! Names of tables as psql takes them: `t`, `public.t`, `"Quoted"."t"`, `sales_*`. Follows `processSQLNamePattern` of
//! src/fe_utils/string_utils.c: unquoted letters are folded, `*` and `?` are wildcards outside quotes.

use super::failure::Failure;
use super::session::Session;
use ffviz_format::page::Oid;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

/// A name taken apart: regular expressions for schema and name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    database: Option<String>,
    schema: Option<String>,
    name: String,
}

/// The tables that a name or pattern means.
///
/// # Errors
/// A sentence, when there is none, or what has the name has no pages.
pub async fn find(session: &Session, text: &str, system: bool, dbname: &str) -> Result<Vec<Oid>, Failure> {
    let pattern = parse(text)?;
    if pattern.database.as_ref().is_some_and(|named| *named != dbname) {
        return Err(format!("{text} is in another database than {dbname}; connect to that one").into());
    }
    let rows = named(session, &pattern, system).await?;
    let (mut found, mut refused) = (Vec::new(), None);
    for row in &rows {
        match table(row)? {
            Ok(oid) if !found.contains(&oid) => found.push(oid),
            Ok(_) => {}
            Err(sentence) => refused = refused.or(Some(sentence)),
        }
    }
    match refused {
        Some(sentence) if found.is_empty() => Err(sentence.into()),
        None if found.is_empty() && !system && !named(session, &pattern, true).await?.is_empty() => {
            Err(format!("{text} is in the system catalogs; --system takes their tables too").into())
        }
        None if found.is_empty() => Err(nothing(text).into()),
        _ => Ok(found),
    }
}

/// What has that name; of the system catalogs too, where they are asked for.
async fn named(session: &Session, pattern: &Pattern, system: bool) -> Result<Vec<Row>, Failure> {
    let parameters: [super::session::Parameter<'_>; 3] =
        [(&pattern.schema, Type::TEXT), (&pattern.name, Type::TEXT), (&system, Type::BOOL)];
    session.read_as_user(include_str!("sql/names.sql"), &parameters).await
}

fn nothing(text: &str) -> String {
    let hint = if text.contains('"') || text.contains('.') {
        "check the spelling"
    } else {
        "say schema.name if it is not in your search_path, and \"Name\" if it has capital letters"
    };
    format!("there is no table {text}; {hint}. ffviz attach without -t lists the tables")
}

/// The table to look at, or why there is none.
fn table(row: &Row) -> Result<Result<Oid, String>, Failure> {
    let (oid, kind, name): (u32, String, String) = (row.try_get("oid")?, row.try_get("kind")?, row.try_get("name")?);
    if row.try_get("of_others")? {
        return Ok(Err(format!("{name} is a temporary table of another session; only that session can read it")));
    }
    let partitions: Vec<String> = row.try_get("partitions")?;
    Ok(match kind.as_str() {
        "r" | "m" | "t" | "S" => Ok(oid),
        "i" => Ok(row.try_get("table_of_index")?),
        "v" => Err(format!("{name} is a view and has no pages; look at the tables it reads")),
        "f" => Err(format!("{name} is a foreign table; its pages, if any, are on another server")),
        "I" => Err(format!("{name} is a partitioned index and has no pages; look at the partitions' indexes")),
        "p" if partitions.is_empty() => {
            Err(format!("{name} is a partitioned table without partitions and has no pages"))
        }
        "p" => Err(format!(
            "{name} is a partitioned table and has no pages of its own; its partitions have: -t '{}'",
            partitions.join("' -t '")
        )),
        _ => Err(format!("{name} has no pages")),
    })
}

/// Takes a name apart at its dots.
fn parse(text: &str) -> Result<Pattern, Failure> {
    let mut parts = vec![Part::default()];
    let mut quoted = false;
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        let Some(part) = parts.last_mut() else { break };
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                part.literal('"');
            }
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(Part::default()),
            '*' if !quoted => part.regex.push_str(".*"),
            '?' if !quoted => part.regex.push('.'),
            c if quoted => part.literal(c),
            c => part.literal(c.to_ascii_lowercase()),
        }
    }
    if quoted {
        return Err(format!("{text} has a quote without its end").into());
    }
    let mut parts = parts.into_iter().rev();
    let name = parts.next().unwrap_or_default().anchored();
    let schema = parts.next().map(Part::anchored);
    let database = parts.next().map(|part| part.plain);
    if parts.next().is_some() || name == "^()$" {
        return Err(format!("{text:?} is not a table's name; it is name, schema.name or \"Name\"").into());
    }
    Ok(Pattern { database, schema, name })
}

#[derive(Default)]
struct Part {
    plain: String,
    regex: String,
}

impl Part {
    fn literal(&mut self, c: char) {
        self.plain.push(c);
        if !c.is_alphanumeric() && c != '_' {
            self.regex.push('\\');
        }
        self.regex.push(c);
    }

    fn anchored(self) -> String {
        format!("^({})$", self.regex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_in_psql() {
        let of = |text| parse(text).map(|p| (p.schema, p.name)).map_err(|f| f.sentence);
        let some = |schema: &str, name: &str| Ok((Some(schema.to_owned()), name.to_owned()));
        assert_eq!(of("Orders"), Ok((None, "^(orders)$".to_owned())));
        assert_eq!(of("\"Orders\""), Ok((None, "^(Orders)$".to_owned())));
        assert_eq!(of("Shop.\"Odd.Name\"\"s\""), some("^(shop)$", "^(Odd\\.Name\\\"s)$"));
        assert_eq!(of("sales_*"), Ok((None, "^(sales_.*)$".to_owned())));
        assert_eq!(of("s?.\"a*\""), some("^(s.)$", "^(a\\*)$"));
        for wrong in ["", "a.b.c.d", "\"open", "s."] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
