//! Values of real servers, with the text that those servers print for them.

use super::{Attribute, Storage};
use crate::heap::HeapPage;
use crate::page::{OffsetNumber, golden};
use alloc::string::String;
use alloc::vec::Vec;

fn attributes(json: &str) -> Vec<Attribute> {
    serde_json::from_str(json).expect("attributes")
}

#[test]
fn every_value_is_printed_as_the_server_does() {
    let page = golden::page(include_str!("../../golden/types.page"));
    let attributes = attributes(include_str!("../../golden/types.json"));
    let heap = HeapPage::decode(&page, 0);
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (line, n) in include_str!("../../golden/types.rows").lines().zip(1..) {
        let expected: Vec<Option<String>> = serde_json::from_str(line).expect("a row");
        let tuple = heap.tuple(OffsetNumber(n)).expect("a tuple");
        let columns = tuple.columns(&page, &attributes);
        assert_eq!(columns.len(), expected.len());
        for ((datum, attribute), expected) in columns.iter().zip(&attributes).zip(expected) {
            let shown = (datum.storage != Storage::Null).then(|| datum.text(&page, attribute));
            compared += usize::from(shown.is_some());
            if shown != expected {
                wrong.push((n, &attribute.type_name, expected, shown));
            }
        }
    }
    std::println!("{compared} values of {} types", attributes.len());
    assert_eq!(wrong, []);
    assert!(compared > 170);
}

/// Every output function, and that of arrays, on bytes that no server wrote: small numbers are frequent, as counts and lengths are.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn no_bytes_make_an_output_function_fail() {
    use super::types::{oids, output};
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    const CASES: u32 = 2000;
    let byte = prop_oneof![2 => 0_u8..4, 1 => any::<u8>()];
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut printed = 0;
    let outcome = TestRunner::new(config).run(&prop::collection::vec(byte, 0..120), |bytes| {
        for oid in oids() {
            // a numeric may have 131072 digits before the point
            prop_assert!(output(oid, &bytes).is_none_or(|text| text.len() < 200_000), "type {oid}");
        }
        Ok(())
    });
    outcome.expect("no panic, and no text without bounds");
    for (len, oid) in (0..200).flat_map(|len| oids().map(move |oid| (len, oid))) {
        printed += usize::from(output(oid, &std::vec![0; len]).is_some());
        let _ = output(oid, &std::vec![0xFF; len]);
    }
    std::println!("{CASES} values for each of {} types", oids().count());
    assert!(printed > 100, "some zeros are values");
}
