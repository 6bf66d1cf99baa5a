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
