//! Literals of each type: ordinary ones, those at the edges, and such as are none.

use crate::server::Numbers;

/// A type, and literals of it.
pub struct Column {
    /// as CREATE TABLE has it
    pub sql: &'static str,
    /// its name without modifiers
    pub ty: &'static str,
    pub modifiers: &'static [i32],
    /// between bars
    pub literals: &'static str,
    /// makes one more
    pub random: fn(&mut Numbers) -> String,
}

const WORDS: &str = "|a|ab|abc|abcd|ab  |  |é€😀|zß|Z|ab\tc|a\\b\"c'|0123456789abcdef";
const INTEGERS: &str = "0|1|-1| 42 |+7|32767|32768|-32768|-32769|2147483647|2147483648|-2147483648|-2147483649|9223372036854775807|\
    9223372036854775808|-9223372036854775808|-9223372036854775809|| |x|1x|1 2|--1|1.5|1e5|0x1F|0X1f|-0b101|\
    0o17|0x|1_000|_1|1_|1__0|0x_1|99999999999999999999x|007";
const FLOATS: &str = "0|-0|1.5|-1e10|1e400|-1e400|1e-400|5e-324|1e-46|3.5e38|NaN|nan|inf|-Infinity|+infinity||x|1.5x|0.1|1e39| 2.5 |\
    .5|5.|.|1e|16777217";
const NUMERICS: &str = "0|-0|0.0|1|-1|10000|9999|10001|0.0001|0.00010|1e10|1e-10|123456789012345678901234567890.123456789|NaN|\
    nan|Infinity|-inf|+Infinity|1e400|1e-400|1e131071|1e131072|1e-16383|1e-16384|.5|5.|.||x|1.2.3|1e|1e+|\
    0x1F|0b1|1_000.5|1__0|1_.5|-.5e3| 12.5 |99999|999.995|999.994|-999.995|0.005|12345678e2000000000|123.45|\
    1000|1249|1250|-1250|0x1_0000_0000_0000_0000";
const DATES: &str = "2000-01-01|1999-12-31|2024-02-29|2023-02-29|1900-02-29|2024-13-01|2024-00-01|2024-01-00|2024-01-32|0001-01-01|\
    0000-01-01|0044-03-15 BC|4713-11-24 BC|4713-11-23 BC|4714-11-24 BC|5874897-12-31|5874898-01-01|infinity|\
    -infinity|epoch|20240229|240229|2/28/2024|28.2.2024|February 29, 2024|29 Feb 2024|29-Feb-2024|2024-Feb-29|\
    Feb 29 2024|Thu Feb 29 2024|1/1/70|1/1/69|x||2024|2024-01|2024-01-01 10:00|2024-01-01x|13/1/2024|2024-1-1|\
    12024-01-01";
const TIMES: &str = "00:00|12:34|12:34:56|12:34:56.789|12:34:56.1234567|12:34:56.0000005|12:34:56.0000015|24:00|24:00:01|25:00|\
    12:60|12:59:60|12:59:61|12:30 PM|12:30 AM|1:30pm|13:00 PM|123456|1234|x||12|12:34:56 Z|23:59:59.999999|\
    23:59:59.9999999|2024-01-01 10:00|04:05:06-08:00|T10:11:12|9223372036854775807:00|99999999999999999999:00";
const STAMPS: &str = "2000-01-01 00:00:00|2024-02-29 12:34:56.789|2024-02-29T12:34:56|2024-02-29T12:34:56Z|2024-02-29 12:34:56+02|\
    2024-02-29 12:34:56-03:30|2024-02-29 12:34:56 UTC|20240229T123456|2024-02-29|infinity|-infinity|epoch|\
    1999-12-31 23:59:59.9999995|4713-11-24 00:00:00 BC|4713-11-23 23:59:59 BC|294276-12-31 23:59:59.999999|\
    294277-01-01|x||2024-02-30 00:00|2024-02-29 25:00|Feb 29 2024 10:00 PM|2024-02-29 24:00|2024-02-29 12:34:56.123456789|\
    0001-01-01 00:00:00 BC|9223372036854775807-01-01|99999999-01-01|2147483648-01-01|2024-02-29 12:34:56+99|2024-02-29 12:34:56,5";
const INTERVALS: &str = "1 day|1 year 2 mons 3 days 04:05:06.789|-1 day 02:00|1-2|-1-2|1 12:59:10|5|5.5|1.5 days|1.5 months|1.5 years|\
    1.55 years|0.1 months|1 week|1.5 weeks|@ 5 minutes ago|3 hours ago|P1Y2M3DT4H5M6.7S|PT1H|P1W|-00:00:01|\
    100:00:00|1 decade|1 century|1 millennium|1h 30m|1d2h|infinity|-infinity|x||1 x|day|1 day 25:61|999999999999 days|\
    2147483647 months|2147483648 months|1 microsecond|1.5 ms|178956970 years 7 mons|178956971 years|1 day -1 hour|\
    00:00:59.9999999|1 mon -30 days|30 days|24:00:00|0|1.2345678 seconds|-1.5 days|P|-0.5 years|2147483647:00|2147483648:00|-2147483649:00|\
    2562047788:00:54|2562047789:00|9223372036854775807:00|99999999999999999999:00|1:2147483648|9223372036854775807:00:9223372036854775807";
const JSONS: &str = "null|true|false|1|-1.50|1e5|\"a\"|\"\"|[]|{}|[1, 2, 3]|{\"a\": 1}|{\"bb\": 1, \"a\": 2, \"a\": 3}|[[], {}, [[1]]]|\
    {\"a\": {\"b\": [1, null, true, \"x\"]}}|\"\\u00e9\\n\\\"\"|\"\\ud83d\\ude00\"|\"\\u0000\"|\"\\ud83d\"|\
    {a:1}|{\"a\":1|[1,]|[,1]|01|1.|-|tru|nulls|| |[1] 2|\"\\x\"|\"a\tb\"| [ 1 , 2 ] |{\"a\" 1}|{\"k\":[1.10,2.5e-3],\"kk\":\"v\",\"j\":false}|\
    0.0001|[\"a\",1,\"bc\",2,true]|[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34]|\
    \"é€\"|[null]|[\"a\"]|[\"b\"]|[true]|[{}]|[[]]";
const INETS: &str = "10.0.0.1|10.0.0.1/8|10.0.0.0/8|10.0.0.1/32|0.0.0.0/0|255.255.255.255|10.0.0.300|10.0.0|10.0.0.1/33|10.0.0.1/|\
    ::1|::/0|1:2:3:4:5:6:7:8/64|::ffff:1.2.3.4|fe80::1/129|x||10.0.0.2/8|11.0.0.0/7|192.168.1.1/24";
const UUIDS: &str = "00112233-4455-6677-8899-aabbccddeeff|{00112233-4455-6677-8899-aabbccddeeff}|00112233445566778899AABBCCDDEEFF|\
    0011-2233-4455-6677-8899-aabb-ccdd-eeff|ffffffff-ffff-ffff-ffff-ffffffffffff|00112233-4455-6677-8899-aabbccddeef|\
    00112233-4455-6677-8899-aabbccddeeff0|x||{00112233-4455-6677-8899-aabbccddeeff|001-12233-4455-6677-8899-aabbccddeeff|\
    00112233--4455-6677-8899-aabbccddeeff";
const BYTEAS: &str = "|\\x|\\x00ff|\\xABCD|\\x0|\\xzz|\\x 00 ff|abc|a\\\\b|\\001\\377|\\400|\\|é";
const BOOLS: &str = "t|true|TRUE|tr|y|yes|on|1|f|false|n|no|off|of|o|0| t |x||truee|10";
const INT_ARRAYS: &str = "{}|{1}|{1,2,3}|{1,NULL,3}|{null}|{{1,2},{3,4}}|[0:1]={7,8}|[-1:0][2:3]={{1,2},{3,4}}|{1,2|{1,x}|{1},{2}|\
    {{1,2},{3}}|1,2||{1,}|{,1}| { 1 , 2 } |{\"5\"}|[0:2]={7,8}|{{1},2}|{99999999999}";
const TEXT_ARRAYS: &str = "{}|{a}|{a,b}|{\"a b\",NULL,\"null\"}|{\"\"}|{\"q\\\"x\",\\\\}|{ a b , c }|{{a},{b}}|{a\"b\"}|{a\\,b}|\
    {a|{\"a}|{a,,b}|{é,€}|{aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,b}";

fn integer(n: &mut Numbers) -> String {
    let digits = n.below(19) as u32 + 1;
    format!("{}{}", n.one(&["", "-"]), n.below(10_u64.pow(digits.min(9))) * (n.below(1000) + 1))
}

fn number(n: &mut Numbers) -> String {
    format!(
        "{}{}.{:0width$}e{}",
        n.one(&["", "-"]),
        n.below(1_000_000),
        n.below(100_000),
        n.below(40) as i64 - 20,
        width = 5 + n.below(4) as usize
    )
}

fn decimal(n: &mut Numbers) -> String {
    format!("{}{}.{:04}", n.one(&["", "-"]), n.below(2000), n.below(10_000))
}

fn word(n: &mut Numbers) -> String {
    (0..n.below(5)).map(|_| n.one(&WORDS.split('|').collect::<Vec<_>>())).collect()
}

fn date(n: &mut Numbers) -> String {
    format!("{:04}-{:02}-{:02}{}", n.below(9999), n.below(13), n.below(32), n.one(&["", "", " BC"]))
}

fn time(n: &mut Numbers) -> String {
    format!("{:02}:{:02}:{:02}.{}", n.below(25), n.below(61), n.below(61), n.below(10_000_000))
}

fn stamp(n: &mut Numbers) -> String {
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{}{}",
        n.below(9000) + 1,
        n.below(12) + 1,
        n.below(29) + 1,
        n.below(24),
        n.below(60),
        n.below(60),
        n.below(10_000_000),
        n.one(&["", "+05", "-11:30", "Z"])
    )
}

fn interval(n: &mut Numbers) -> String {
    let unit = |n: &mut Numbers| n.one(&["years", "mons", "days", "hours", "mins", "secs", "weeks"]);
    let parts: Vec<String> = (0..=n.below(3))
        .map(|_| format!("{}{}.{} {}", n.one(&["", "-"]), n.below(100), n.below(1000), unit(n)))
        .collect();
    parts.join(" ")
}

fn json(n: &mut Numbers) -> String {
    json_within(n, 0)
}

fn json_within(n: &mut Numbers, depth: u64) -> String {
    match n.below(8) + depth.saturating_sub(n.below(3)) {
        0 => format!(
            "[{}]",
            (0..n.below(if depth == 0 { 60 } else { 5 }))
                .map(|_| json_within(n, depth + 1))
                .collect::<Vec<_>>()
                .join(",")
        ),
        1 => format!(
            "{{{}}}",
            (0..n.below(if depth == 0 { 60 } else { 5 }))
                .map(|_| format!(
                    "\"{}\":{}",
                    n.one(&["a", "b", "ab", "xyz", "", "é", "k1", "k2", "longer key"]),
                    json_within(n, depth + 1)
                ))
                .collect::<Vec<_>>()
                .join(",")
        ),
        2 => format!("\"{}\"", n.one(&["", "a", "text", "é€", "a much longer string than the others"])),
        3 => n.one(&["true", "false", "null"]).to_owned(),
        4 => decimal(n),
        _ => n.below(100_000).to_string(),
    }
}

fn bytes(n: &mut Numbers) -> String {
    format!("\\x{}", (0..n.below(200)).map(|_| format!("{:02x}", n.below(256))).collect::<String>())
}

fn inet(n: &mut Numbers) -> String {
    match n.below(3) {
        0 => format!("{:x}:{:x}::{:x}/{}", n.below(65_536), n.below(3), n.below(70_000), n.below(130)),
        _ => format!("{}.{}.{}.{}/{}", n.below(3), n.below(3), n.below(256), n.below(257), n.below(34)),
    }
}

fn uuid(n: &mut Numbers) -> String {
    (0..4).map(|_| format!("{:08x}", n.below(1 << 31) * 2)).collect()
}

fn int_array(n: &mut Numbers) -> String {
    format!(
        "{{{}}}",
        (0..n.below(6))
            .map(|_| if n.below(6) == 0 { "NULL".to_owned() } else { n.below(9).to_string() })
            .collect::<Vec<_>>()
            .join(",")
    )
}

fn text_array(n: &mut Numbers) -> String {
    format!(
        "{{{}}}",
        (0..n.below(6))
            .map(|_| n.one(&["a", "b", "NULL", "\"x y\"", "abc", "\"\"", "é"]))
            .collect::<Vec<_>>()
            .join(",")
    )
}

fn bit(n: &mut Numbers) -> String {
    n.one(&["t", "f"]).to_owned()
}

const fn c(
    sql: &'static str,
    ty: &'static str,
    modifiers: &'static [i32],
    literals: &'static str,
    random: fn(&mut Numbers) -> String,
) -> Column {
    Column { sql, ty, modifiers, literals, random }
}

pub const COLUMNS: &[Column] = &[
    c("bool", "bool", &[], BOOLS, bit),
    c("int2", "int2", &[], INTEGERS, integer),
    c("int4", "int4", &[], INTEGERS, integer),
    c("int8", "int8", &[], INTEGERS, integer),
    c("oid", "oid", &[], "0|4294967295|4294967296|-1|x||-2147483648|-2147483649| 7 ", integer),
    c("float4", "float4", &[], FLOATS, number),
    c("float8", "float8", &[], FLOATS, number),
    c("numeric", "numeric", &[], NUMERICS, number),
    c("numeric(5,2)", "numeric", &[5, 2], NUMERICS, decimal),
    c("numeric(20,10)", "numeric", &[20, 10], NUMERICS, number),
    c("numeric(4)", "numeric", &[4], NUMERICS, decimal),
    c("text", "text", &[], WORDS, word),
    c("varchar(3)", "varchar", &[3], WORDS, word),
    c("char(4)", "bpchar", &[4], WORDS, word),
    c("char", "char", &[], WORDS, word),
    c("\"char\"", "\"char\"", &[], "|a|ab|\\101| |0", integer),
    c("bytea", "bytea", &[], BYTEAS, bytes),
    c("uuid", "uuid", &[], UUIDS, uuid),
    c("date", "date", &[], DATES, date),
    c("time", "time", &[], TIMES, time),
    c("time(2)", "time", &[2], TIMES, time),
    c("timestamp", "timestamp", &[], STAMPS, stamp),
    c("timestamp(0)", "timestamp", &[0], STAMPS, stamp),
    c("timestamptz", "timestamptz", &[], STAMPS, stamp),
    c("timestamptz(3)", "timestamptz", &[3], STAMPS, stamp),
    c("interval", "interval", &[], INTERVALS, interval),
    c("interval(1)", "interval", &[1], INTERVALS, interval),
    c("json", "json", &[], JSONS, json),
    c("jsonb", "jsonb", &[], JSONS, json),
    c("inet", "inet", &[], INETS, inet),
    c("int4[]", "int4[]", &[], INT_ARRAYS, int_array),
    c("text[]", "text[]", &[], TEXT_ARRAYS, text_array),
];
