//! Values that are words: of enumerations, names of encodings.

use alloc::string::String;

/// Values that PostgreSQL takes and `pg_settings` does not show, or that a server has which was built with more
/// libraries, each with what it is shown as.
const HIDDEN: &[(&str, &[(&str, &str)])] = &[
    ("client_min_messages", &[("debug", "debug2"), ("info", "info")]),
    ("log_min_messages", &[("debug", "debug2")]),
    ("log_min_error_statement", &[("debug", "debug2")]),
    ("wal_level", &[("archive", "replica"), ("hot_standby", "replica")]),
    ("default_toast_compression", &[("lz4", "lz4")]),
    ("io_method", &[("io_uring", "io_uring")]),
    (
        "wal_compression",
        &[("lz4", "lz4"), ("zstd", "zstd"), ("on", "pglz"), ("true", "pglz"), ("yes", "pglz"), ("1", "pglz")],
    ),
];

/// What a switch may be called where an enumeration has on and off.
const SWITCH: [(&str, &str); 6] =
    [("true", "on"), ("yes", "on"), ("1", "on"), ("false", "off"), ("no", "off"), ("0", "off")];

/// `config_enum_lookup_by_name`: a value of an enumeration, as it is shown.
pub(super) fn of_enum(name: &str, values: &'static str, text: &str) -> Option<&'static str> {
    let is = |word: &str| word.eq_ignore_ascii_case(text);
    let hidden = HIDDEN.iter().filter(|(known, _)| *known == name).flat_map(|(_, words)| *words);
    if let Some((_, shown)) = hidden.into_iter().find(|(word, _)| is(word)) {
        return Some(shown);
    }
    let known = values.split(',').find(|value| is(value));
    let has_switch = || values.split(',').any(|value| value == "on");
    known.or_else(|| SWITCH.iter().find(|(word, _)| is(word) && has_switch()).map(|(_, shown)| *shown))
}

/// `pg_valid_client_encoding`, of the encodings that people name.
pub(super) fn encoding(text: &str) -> Option<String> {
    const NAMES: &str = "BIG5 EUC_CN EUC_JP EUC_KR EUC_TW GB18030 GBK ISO_8859_5 ISO_8859_6 ISO_8859_7 ISO_8859_8 KOI8R \
                         KOI8U LATIN1 LATIN2 LATIN3 LATIN4 LATIN5 LATIN6 LATIN7 LATIN8 LATIN9 LATIN10 SJIS SQL_ASCII \
                         UHC UTF8 WIN866 WIN874 WIN1250 WIN1251 WIN1252 WIN1253 WIN1254 WIN1255 WIN1256 WIN1257 WIN1258";
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = match plain(text).as_str() {
        "unicode" => String::from("utf8"),
        other => String::from(other),
    };
    NAMES.split(' ').find(|name| plain(name) == wanted).map(String::from)
}
