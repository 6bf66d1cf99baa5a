//! What is read as serde_json reads it, and what is refused.

use super::{DEPTH, read};
use crate::recording::line::{PageLine, StepLine, WalLine};
use crate::storage::Relation;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

#[test]
fn texts_are_unescaped() {
    for text in [
        r#""""#,
        r#""plain""#,
        r#""a\"b\\c\/\b\f\n\r\t""#,
        r#""\u00e4\ud83d\ude00x""#,
        "\"äöü ▒\"",
        r#""\n""#,
        r#""\n\n""#,
    ] {
        assert_eq!(read::<String>(text.as_bytes()), Ok(serde_json::from_str::<String>(text).expect(text)), "{text}");
    }
}

#[test]
fn damaged_texts_are_refused() {
    for text in [
        r#"""#,
        r#""\""#,
        r#""\x""#,
        r#""\u12""#,
        r#""\ud800""#,
        r#""\ud800\u0041""#,
        "\"a\nb\"",
        r#""a" b"#,
        "",
        "a",
        "[",
        "[1",
        "{",
        "\u{fffd}",
    ] {
        assert!(serde_json::from_str::<String>(text).is_err(), "{text}");
        assert!(read::<String>(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(read::<String>(b"\"\xff\""), Err("it is no UTF-8".into()));
}

#[test]
fn numbers_fit_their_types() {
    assert_eq!(read::<Vec<u16>>(b" [ 1 , 65535,0 ] "), Ok(vec![1, 65535, 0]));
    assert_eq!(read::<Vec<i32>>(b"[-1, 2147483647]"), Ok(vec![-1, 2_147_483_647]));
    assert_eq!(read::<BTreeMap<u8, String>>(br#"{"3":"a"}"#), Ok(BTreeMap::from([(3, "a".into())])));
    for wrong in ["65536", "-1", "1.5", "1e3", "true", "null", "[]", "1 2", "01x"] {
        assert!(read::<u16>(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn lists_and_maps_end() {
    for wrong in ["[1,]", "[,1]", "[1 2]", "[1}", "{\"a\"}", "{\"a\":1,}", "{a:1}", "{\"a\":1]"] {
        assert!(read::<serde::de::IgnoredAny>(wrong.as_bytes()).is_err(), "{wrong}");
    }
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(read::<serde::de::IgnoredAny>(deep(DEPTH - 1).as_bytes()).is_ok());
    assert_eq!(read::<serde::de::IgnoredAny>(deep(100_000).as_bytes()).err(), Some("too many brackets".into()));
}

/// Cut anywhere, a line is refused as serde_json refuses it; and so with any byte exchanged, except for what stands in no field that is known.
#[test]
fn damaged_lines_are_refused_alike() {
    let lines = [
        r#"{"line":"page","oid":16384,"fork":"main","block":3,"data":"QUJD"}"#,
        r#"{"line":"step","n":2,"told":"a \u00e4","facts":["x","y"],"about":{"oid":1,"fork":"fsm","block":0,"runs":[[4,"QQ=="]]}}"#,
        r#"{"line":"wal","start":"0/10","end":"0/20","data":"QQ==","restored":{"1":"QQ=="}}"#,
    ];
    let mut compared = 0;
    for line in lines {
        for at in 0..line.len() {
            for new in [None, Some(b'"'), Some(b'x'), Some(b'0'), Some(b'{'), Some(b','), Some(b'\\'), Some(0)] {
                let mut bytes = line.as_bytes()[..at + usize::from(new.is_some())].to_vec();
                if let (Some(new), Some(last)) = (new, bytes.last_mut()) {
                    *last = new;
                    bytes.extend(&line.as_bytes()[at + 1..]);
                }
                let (ours, theirs) = (
                    [
                        read::<PageLine>(&bytes).is_ok(),
                        read::<StepLine>(&bytes).is_ok(),
                        read::<WalLine>(&bytes).is_ok(),
                    ],
                    [
                        serde_json::from_slice::<PageLine>(&bytes).is_ok(),
                        serde_json::from_slice::<StepLine>(&bytes).is_ok(),
                        serde_json::from_slice::<WalLine>(&bytes).is_ok(),
                    ],
                );
                assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(&bytes));
                compared += 1;
            }
        }
    }
    assert!(compared > 2000, "{compared} lines compared");
}

#[test]
fn a_relation_is_read_as_serde_json_reads_it() {
    let attribute = r#"{"num":1,"name":"id","typid":23,"type":"integer","len":4,"align":"i","byval":true,"storage":"p","typmod":-1}"#;
    let index = r#"{"unique":true,"primary":true,"n_keys":1,"columns":[1],"depends":[1],"summarizing":false,"definition":"CREATE …"}"#;
    let rest = r#""blocks":{"main":2,"fsm":0,"vm":0,"init":0},"stats":{"n_live_tup":2,"relallvisible":0}"#;
    let text = format!(
        r#"{{"line":"relation","oid":38085,"schema":"public","name":"t","kind":"i","am":"btree","table":1,"filenode":2,{rest},"attributes":[{attribute}],"index":{index}}}"#
    );
    assert_eq!(read::<Relation>(text.as_bytes()), Ok(serde_json::from_str::<Relation>(&text).expect("a relation")));
}
