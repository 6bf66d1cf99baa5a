//! `DateStyle`, `IntervalStyle` and `TimeZone`: what they may be, and the style that they make (`check_datestyle`,
//! `check_timezone`, src/backend/commands/variable.c).

use alloc::format;
use alloc::string::String;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::style::{DateFormat, DateOrder, IntervalStyle, Style};
use ffviz_format::datum::zone::Zone;

/// `check_datestyle`: a style, an order, or both; what is not said is as it is.
///
/// # Errors
/// The word that is none of them.
pub(super) fn date_style(now: &str, text: &str) -> Result<String, String> {
    let (mut style, mut order) = now.split_once(", ").unwrap_or(("ISO", "MDY"));
    let has_order = |word: &str| !matches!(word, "iso" | "sql" | "german" | "postgres" | "default");
    let words = || text.split(',').map(|word| word.trim().to_ascii_lowercase());
    let orders = words().any(|word| has_order(&word));
    for word in words() {
        match word.as_str() {
            "iso" => style = "ISO",
            "sql" => style = "SQL",
            "german" => (style, order) = ("German", if orders { order } else { "DMY" }),
            "postgres" => style = "Postgres",
            "ymd" => order = "YMD",
            "dmy" | "euro" | "european" => order = "DMY",
            "mdy" | "us" | "noneuro" | "noneuropean" => order = "MDY",
            "default" => (style, order) = ("ISO", if orders { order } else { "MDY" }),
            _ => return Err(word),
        }
    }
    Ok(format!("{style}, {order}"))
}

/// `check_timezone`: hours east of UTC, or a name.
///
/// # Errors
/// A zone that there is not, or one that is not simulated.
pub(super) fn time_zone(text: &str) -> Result<Zone, SqlError> {
    const SECONDS: f64 = 3600.0;
    if let Some(hours) = text.trim().parse::<f64>().ok().filter(|hours| hours.is_finite()) {
        return Ok(Zone::East((hours * SECONDS) as i32));
    }
    if let Some(zone) = Zone::named(text) {
        return Ok(zone);
    }
    let invalid = SqlError::new("22023", format!("invalid value for parameter \"TimeZone\": \"{text}\""));
    Err(Zone::missing(text, invalid))
}

/// Sets the part of a style that this setting decides to what it is shown as.
pub(super) fn set(style: &mut Style, name: &str, shown: &str) {
    match name {
        "DateStyle" => {
            let (format, order) = shown.split_once(", ").unwrap_or((shown, "MDY"));
            style.format = match format {
                "SQL" => DateFormat::Sql,
                "German" => DateFormat::German,
                "Postgres" => DateFormat::Postgres,
                _ => DateFormat::Iso,
            };
            style.order = match order {
                "DMY" => DateOrder::Dmy,
                "YMD" => DateOrder::Ymd,
                _ => DateOrder::Mdy,
            };
        }
        "IntervalStyle" => {
            style.interval = match shown {
                "postgres_verbose" => IntervalStyle::PostgresVerbose,
                "sql_standard" => IntervalStyle::SqlStandard,
                "iso_8601" => IntervalStyle::Iso8601,
                _ => IntervalStyle::Postgres,
            };
        }
        "TimeZone" => style.zone = Zone::named(shown).unwrap_or(Zone::UTC),
        _ => {}
    }
}

/// Sets that part to what it is in another style.
pub(super) const fn reset(style: &mut Style, name: &str, other: &Style) {
    match name.as_bytes() {
        b"DateStyle" => (style.format, style.order) = (other.format, other.order),
        b"IntervalStyle" => style.interval = other.interval,
        b"TimeZone" => style.zone = other.zone,
        _ => {}
    }
}
