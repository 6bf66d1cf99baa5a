//! Operators and casts over many operands: the server's result or error is the engine's.

use crate::server::{self, Numbers};
use ffviz_format::datum::input::{Context, input};
use ffviz_format::datum::ops::{Arithmetic, abs, arithmetic, cast, negate, round};
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_tests::servers::MAJORS;

/// Operands of each type, between bars.
const OPERANDS: &[(&str, &str)] = &[
    ("int2", "0|1|-1|7|-7|32767|-32768|181"),
    ("int4", "0|1|-1|7|-13|2147483647|-2147483648|46341|100000"),
    ("int8", "0|1|-1|10|-9223372036854775808|9223372036854775807|3037000500|-4294967296"),
    ("float4", "0|-0|1.5|-2.25|3e38|-1e-40|0.1|NaN|Infinity|16777217"),
    ("float8", "0|1.5|-2.5|3.5|0.1|-1e300|1e-300|1e308|NaN|Infinity|-Infinity|2147483647.5|9.3e18|0.3333333333333333"),
    (
        "numeric",
        "0|0.00|1|-1|3|7.50|-0.001|10000|9999.9999|123456789.123456789|1e30|-1e-20|NaN|0.3333333333|99999999999999999999|-12345.6789e10|5e-5|2.5|3.5|-0.5",
    ),
    ("bool", "t|f"),
    ("oid", "0|1|4294967295|2147483648"),
    ("char(5)", "ab|abcde|x| y"),
    ("\"char\"", "a| |\\101"),
    ("inet", "10.0.0.1|10.0.0.0/8|::1"),
    ("bytea", "\\x00ff|abc"),
    ("jsonb", "1|1.5|-7|99999999999|99.96|\"a\"|true|false|null|[1]|{}|1e400|{\"a\": 2.50}"),
    ("json", " {\"b\":1,\"a\":[1,2]} |null"),
    ("date", "2000-01-01|2024-02-29|0001-01-01|4713-11-24 BC|5874897-12-31|infinity|-infinity|1999-12-31"),
    ("time", "00:00|12:34:56.789|23:59:59.999999|24:00"),
    (
        "timestamp",
        "2000-01-01 00:00|2024-02-29 12:34:56.789|1999-12-31 23:59:59.999999|0044-03-15 01:02 BC|294276-12-31 23:59|infinity|-infinity|2024-01-31 10:00",
    ),
    ("timestamptz", "2000-01-01 00:00+00|2024-03-31 12:34:56.789+02|infinity|4713-11-24 00:00+00 BC"),
    (
        "interval",
        "0|1 day|-1 day|1 mon|-13 mons|1 year 2 mons 3 days 04:05:06.789|-00:00:01|100 hours|2147483647 days|178956970 years|1 mon -31 days 12:00|0.000001 secs|infinity|-infinity|29 days 23:59:59.999999",
    ),
];

/// Types of operands, and the operators between them.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("int2", "+-*/%", "int2"),
    ("int2", "+-*/", "int4"),
    ("int4", "+-*/", "int2"),
    ("int4", "+-*/%", "int4"),
    ("int4", "+-*/", "int8"),
    ("int8", "+-*/", "int2"),
    ("int8", "+-*/%", "int8"),
    ("float4", "+-*/", "float4"),
    ("float4", "+-*/", "float8"),
    ("float8", "+-*/", "float8"),
    ("numeric", "+-*/%", "numeric"),
    ("date", "+-", "int4"),
    ("date", "-", "date"),
    ("date", "+-", "interval"),
    ("date", "+", "time"),
    ("time", "+-", "interval"),
    ("time", "-", "time"),
    ("timestamp", "+-", "interval"),
    ("timestamp", "-", "timestamp"),
    ("timestamptz", "+-", "interval"),
    ("timestamptz", "-", "timestamptz"),
    ("interval", "+", "timestamp"),
    ("interval", "+-", "interval"),
    ("interval", "*/", "float8"),
    ("float8", "*", "interval"),
];

/// Casts with `::`: from, and to which types.
const CASTS: &[(&str, &str)] = &[
    ("int2", "int4|int8|float4|float8|numeric|text|numeric(3,1)"),
    ("int4", "int2|int8|float4|float8|numeric|text|bool|oid|\"char\"|numeric(4)"),
    ("int8", "int2|int4|float4|float8|numeric|text|oid"),
    ("float4", "int2|int4|int8|float8|numeric|text|numeric(10,2)"),
    ("float8", "int2|int4|int8|float4|numeric|text|numeric(20,3)"),
    ("numeric", "int2|int4|int8|float4|float8|text|numeric(6,2)|varchar(3)"),
    ("date", "timestamp|timestamptz|text"),
    ("time", "interval|text|time(1)"),
    ("timestamp", "date|time|timestamptz|text|timestamp(0)"),
    ("timestamptz", "date|time|timestamp|text"),
    ("interval", "time|text|interval(2)"),
    ("bool", "int4|text|char(3)|varchar(2)"),
    ("oid", "int8|int4|text"),
    ("char(5)", "text|varchar(1)|\"char\"|char(2)"),
    ("\"char\"", "int4|text|varchar(1)"),
    ("inet", "text|varchar(5)"),
    ("bytea", "text"),
    ("jsonb", "int2|int4|int8|float4|float8|numeric|numeric(3,1)|bool|text|json"),
    ("json", "jsonb|text"),
];

/// Numbers at random, so many digits long.
fn numeric(n: &mut Numbers) -> String {
    let digits = |n: &mut Numbers, most: u64| {
        (0..n.below(most)).map(|_| char::from(b'0' + n.below(10) as u8)).collect::<String>()
    };
    let (whole, fraction) = (digits(n, 30), digits(n, 25));
    format!("{}0{whole}.{fraction}", n.one(&["", "-"]))
}

fn operands(ty: &str, n: &mut Numbers) -> Vec<String> {
    let listed = OPERANDS.iter().find(|(name, _)| *name == ty).expect("operands").1;
    let random = (0..25).filter(|_| ty == "numeric").map(|_| numeric(n));
    listed.split('|').map(str::to_owned).chain(random).collect()
}

/// A question to the server, and the engine's answer.
struct Question {
    sql: String,
    ours: Option<String>,
}

/// The type that a value is of.
fn type_of(value: &Value) -> SqlType {
    let name = match value {
        Value::Int2(_) => "int2",
        Value::Int4(_) => "int4",
        Value::Int8(_) => "int8",
        Value::Float4(_) => "float4",
        Value::Float8(_) => "float8",
        Value::Numeric(_) => "numeric",
        Value::Date(_) => "date",
        Value::Time(_) => "time",
        Value::Timestamp(_) => "timestamp",
        Value::TimestampTz(_) => "timestamptz",
        Value::Interval(_) => "interval",
        other => panic!("no such operand: {other:?}"),
    };
    named(name)
}

fn named(sql: &str) -> SqlType {
    let (name, modifiers) = sql.split_once('(').unwrap_or((sql, ""));
    let modifiers: Vec<i32> = modifiers.trim_end_matches(')').split(',').filter_map(|text| text.parse().ok()).collect();
    SqlType::named(name).expect(name).with_modifiers(&modifiers).expect(sql)
}

fn answer(result: Result<Value, SqlError>, context: &Context) -> Option<String> {
    let text = result.and_then(|value| match value {
        Value::Null => Ok(Value::Null),
        value => cast(&value, type_of(&value), SqlType::TEXT, true, context),
    });
    said(text)
}

/// The text, or the error as the server's function says it.
fn said(text: Result<Value, SqlError>) -> Option<String> {
    match text {
        Ok(text) => text.output(25),
        Err(error) => server::error_of::<()>(&Err(error)),
    }
}

/// Each operator with each pair of operands; an operand that this version does not have is left out.
fn operations(context: &Context) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut n = Numbers(1);
    for (left, ops, right) in OPERATORS {
        let (lefts, rights) = (operands(left, &mut n), operands(right, &mut n));
        for (a, b) in lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b))) {
            let (Ok(x), Ok(y)) = (input(a, named(left), context), input(b, named(right), context)) else { continue };
            for symbol in ops.chars() {
                let op = match symbol {
                    '+' => Arithmetic::Add,
                    '-' => Arithmetic::Sub,
                    '*' => Arithmetic::Mul,
                    '/' => Arithmetic::Div,
                    _ => Arithmetic::Mod,
                };
                let sql = format!("'{a}'::{left} {symbol} '{b}'::{right}");
                questions.push(Question { sql, ours: answer(arithmetic(op, &x, &y, context), context) });
            }
        }
    }
    questions
}

/// Unary minus, abs, round and trunc.
fn functions(context: &Context) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut n = Numbers(2);
    for ty in ["int2", "int4", "int8", "float4", "float8", "numeric", "interval"] {
        for a in operands(ty, &mut n) {
            let Ok(value) = input(&a, named(ty), context) else { continue };
            questions.push(Question { sql: format!("- '{a}'::{ty}"), ours: answer(negate(&value, context), context) });
            if ty != "interval" {
                questions
                    .push(Question { sql: format!("abs('{a}'::{ty})"), ours: answer(abs(&value, context), context) });
            }
            for digits in (-6..=12).filter(|_| ty == "numeric") {
                for (name, truncates) in [("round", false), ("trunc", true)] {
                    let sql = format!("{name}('{a}'::numeric, {digits})");
                    questions.push(Question { sql, ours: answer(round(&value, digits, truncates), context) });
                }
            }
        }
    }
    questions
}

fn casts(context: &Context) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut n = Numbers(3);
    for (from, targets) in CASTS {
        for a in operands(from, &mut n) {
            let Ok(value) = input(&a, named(from), context) else { continue };
            // before 15 a byte above 127 is text that is not UTF-8
            for target in targets.split('|').filter(|target| context.major >= 15 || *target != "\"char\"") {
                let to = named(target);
                let result = cast(&value, named(from), to, true, context);
                let text = result.and_then(|result| cast(&result, to, SqlType::TEXT, true, context));
                questions.push(Question { sql: format!("'{a}'::{from}::{target}"), ours: said(text) });
            }
        }
    }
    let texts = "1|-7|x|1.5|t|true|2024-02-29|10:00|1 day|abc  |\\101|{1,2}|[1]|10.0.0.1|\\x41| 5 ";
    let kinds = "int2|int4|int8|float8|numeric|bool|date|time|interval|timestamp|varchar(2)|char(3)|\"char\"|int4[]|text[]|json|jsonb|inet|bytea|uuid|oid";
    for (a, target) in texts.split('|').flat_map(|a| kinds.split('|').map(move |kind| (a, kind))) {
        let to = named(target);
        let result = cast(&Value::text(a), SqlType::TEXT, to, true, context);
        let text = result.and_then(|result| cast(&result, to, SqlType::TEXT, true, context));
        questions.push(Question { sql: format!("'{a}'::text::{target}"), ours: said(text) });
    }
    questions
}

#[test]
fn operators_and_casts_give_what_each_server_gives() {
    let mut wrong = Vec::new();
    for major in MAJORS {
        let mut db = server::database(major, "ffviz_values_expressions");
        let context = Context::of(major);
        for (what, questions) in
            [("operations", operations(&context)), ("functions", functions(&context)), ("casts", casts(&context))]
        {
            let sql: Vec<String> = questions.iter().map(|question| question.sql.clone()).collect();
            let answers = server::each(&mut db, "ask", &sql);
            let errors = answers.iter().flatten().filter(|answer| answer.starts_with("ERROR")).count();
            println!("PostgreSQL {major}: {} {what}, {errors} of them errors", questions.len());
            assert!(questions.len() > 300, "too little was compared");
            for (question, server) in questions.iter().zip(answers) {
                if question.ours != server {
                    let (server, ours) = (server.unwrap_or_default(), question.ours.clone().unwrap_or_default());
                    wrong.push(format!("{major} {}: server {server}, engine {ours}", question.sql));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
