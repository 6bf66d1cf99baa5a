//! The lines as the contract has them: names, nulls, order.

use super::{BlockTrace, DirectiveTrace, ForkTrace, PageTrace, ResumedTrace, StatementTrace, TraceLine, WalTrace};
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_story::timeline::ResultSet;

#[track_caller]
fn check(line: &TraceLine, text: &str) {
    assert_eq!(line.to_json().as_deref(), Ok(text));
    assert_eq!(TraceLine::parse(text).as_ref(), Ok(line));
}

#[test]
fn lines_of_the_contract() {
    let rel = Some("t".to_string());
    let block = BlockTrace { id: 0, rel: rel.clone(), fork: ForkNumber::Main, blk: 0, dlen: 12, fpi_len: 0 };
    let statement = StatementTrace {
        n: 3,
        session: "A".to_string(),
        sql: "update t set b = \"b\"".to_string(),
        status: Some("UPDATE 1".to_string()),
        xid0: 2001,
        xid1: 2002,
        pages: Vec::from([PageTrace {
            rel: rel.clone(),
            fork: ForkNumber::Vm,
            blk: 1,
            page: Page::new(&[0, 255, 16]),
        }]),
        wal: Vec::from([WalTrace {
            rmgr: "Heap".to_string(),
            kind: "HOT_UPDATE".to_string(),
            len: 72,
            main: 14,
            fpi: 0,
            blocks: Vec::from([block]),
            record: None,
        }]),
        forks: Vec::from([ForkTrace { rel: None, fork: ForkNumber::Init, blocks: 1 }]),
        ..StatementTrace::default()
    };
    check(
        &TraceLine::Statement(statement),
        "{\"n\":3,\"session\":\"A\",\"sql\":\"update t set b = \\\"b\\\"\",\"status\":\"UPDATE 1\",\"error\":null,\"xid0\":2001,\"xid1\":2002,\
         \"pages\":[{\"rel\":\"t\",\"fork\":\"vm\",\"blk\":1,\"hex\":\"00ff10\"}],\
         \"wal\":[{\"rmgr\":\"Heap\",\"type\":\"HOT_UPDATE\",\"len\":72,\"main\":14,\"fpi\":0,\
         \"blocks\":[{\"id\":0,\"rel\":\"t\",\"fork\":\"main\",\"blk\":0,\"dlen\":12,\"fpi_len\":0}]}],\
         \"forks\":[{\"rel\":null,\"fork\":\"init\",\"blocks\":1}]}",
    );
    let crash = DirectiveTrace { directive: "crash".to_string(), ..DirectiveTrace::default() };
    check(&TraceLine::Directive(crash), "{\"directive\":\"crash\",\"pages\":[],\"wal\":[]}");
    let resumed = ResumedTrace {
        resumed: 4,
        session: "B".to_string(),
        status: None,
        error: Some("no".to_string()),
        detail: None,
        sqlstate: None,
        result: None,
    };
    check(&TraceLine::Resumed(resumed.clone()), "{\"resumed\":4,\"session\":\"B\",\"status\":null,\"error\":\"no\"}");
    let result = ResultSet {
        columns: Vec::from(["a".to_string()]),
        types: Vec::from([23]),
        rows: Vec::from([Vec::from([Some("7".to_string())]), Vec::from([None])]),
        count: 2,
        ..ResultSet::default()
    };
    check(
        &TraceLine::Resumed(ResumedTrace { result: Some(result), ..resumed }),
        "{\"resumed\":4,\"session\":\"B\",\"status\":null,\"error\":\"no\",\
         \"result\":{\"columns\":[\"a\"],\"types\":[23],\"rows\":[[\"7\"],[null]],\"count\":2}}",
    );
}

#[test]
fn what_is_no_line() {
    for text in [
        "",
        "{}",
        "{\"n\":1}",
        "{\"directive\":\"crash\",\"pages\":[{\"rel\":null,\"fork\":\"main\",\"blk\":0,\"hex\":\"0\"}],\"wal\":[]}",
    ] {
        assert!(TraceLine::parse(text).is_err(), "{text}");
    }
}
