//! The lines as the contract has them: names, nulls, order.

use super::{BlockTrace, DirectiveTrace, ForkTrace, PageTrace, ResumedTrace, StatementTrace, TraceLine, WalTrace};
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_story::timeline::ResultSet;

#[track_caller]
fn check(line: &TraceLine, text: &str) {
    assert_eq!(line.to_json().as_deref(), Ok(text));
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
    let statement = TraceLine::Statement(statement);
    check(
        &statement,
        "{\"n\":3,\"session\":\"A\",\"sql\":\"update t set b = \\\"b\\\"\",\"directive\":null,\"resumed\":null,\"status\":\"UPDATE 1\",\
         \"error\":null,\"detail\":null,\"hint\":null,\"position\":null,\"skipped\":false,\"waiting\":false,\"xid0\":2001,\"xid1\":2002,\
         \"pages\":[{\"rel\":\"t\",\"fork\":\"vm\",\"blk\":1,\"hex\":\"00ff10\"}],\
         \"wal\":[{\"rmgr\":\"Heap\",\"type\":\"HOT_UPDATE\",\"len\":72,\"main_data_len\":14,\"fpi\":0,\
         \"blocks\":[{\"id\":0,\"rel\":\"t\",\"fork\":\"main\",\"blk\":0,\"dlen\":12,\"fpi_len\":0}]}],\
         \"forks\":[{\"rel\":null,\"fork\":\"init\",\"blocks\":1}],\"result\":null}",
    );
    let result = ResultSet {
        columns: Vec::from(["a".to_string()]),
        types: Vec::from([23]),
        rows: Vec::from([Vec::from([Some("7".to_string())]), Vec::from([None])]),
        count: 2,
        ..ResultSet::default()
    };
    let resumed = TraceLine::Resumed(ResumedTrace {
        resumed: 4,
        session: "B".to_string(),
        error: Some("no".to_string()),
        hint: Some("yes".to_string()),
        result: Some(result),
        ..ResumedTrace::default()
    });
    check(
        &resumed,
        "{\"n\":null,\"session\":\"B\",\"sql\":null,\"directive\":null,\"resumed\":4,\"status\":null,\"error\":\"no\",\"detail\":null,\
         \"hint\":\"yes\",\"position\":null,\"skipped\":false,\"waiting\":false,\"xid0\":null,\"xid1\":null,\"pages\":[],\"wal\":[],\
         \"forks\":[],\"result\":{\"columns\":[\"a\"],\"types\":[23],\"rows\":[[\"7\"],[null]],\"count\":2}}",
    );
    let crash = TraceLine::Directive(DirectiveTrace { directive: "crash".to_string(), ..DirectiveTrace::default() });
    let keys = |line: &TraceLine| -> Vec<alloc::string::String> {
        let text = line.to_json().expect("JSON");
        let line: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        line.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(keys(&crash), keys(&statement));
    assert_eq!(keys(&resumed), keys(&statement));
}
