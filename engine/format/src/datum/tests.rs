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

/// Every output function, and that of arrays, on bytes that no server wrote: small numbers are frequent, as counts and
/// lengths are.
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

/// Text made of what types' literals have, in any order, through every input function; what is read is stored, printed
/// and read again.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn no_text_makes_an_input_function_fail() {
    use super::compare::comparator;
    use super::input::{Context, input};
    use super::ops::{Arithmetic, abs, arithmetic, cast, negate};
    use super::{SqlType, Value};
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::{Config, TestRunner};
    use std::cell::Cell;
    const PARTS: &str = "0 1 7 12 99 2024 65536 9223372036854775807 00 . - + : / _ e E x 0x \\ \\x \" { } [ ] , = % @ é 😀 t f on NaN inf \
                         infinity nan day mon years ago p T z UTC am pm bc jan May null NULL true \\u 00e9 :: ffff";
    const TYPES: &str = "bool int2 int4 int8 oid float4 float8 numeric text bpchar char \"char\" bytea uuid date time timestamp \
                         timestamptz interval json jsonb inet int4[] text[]";
    let part = prop_oneof![4 => select(PARTS.split(' ').collect::<Vec<_>>()), 1 => Just(" ")];
    let (values, results) = (Cell::new(0_u32), Cell::new(0_u32));
    let config = Config { cases: 8000, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&(prop::collection::vec(part, 0..9), 13_u32..=18), |(parts, major)| {
        let (text, context) = (parts.concat(), Context::of(major));
        for ty in TYPES.split(' ').map(|name| SqlType::named(name).expect("a type")) {
            let Ok(value) = input(&text, ty, &context) else { continue };
            values.set(values.get() + 1);
            let mut bytes = Vec::new();
            value.store(&mut bytes);
            prop_assert!(Value::from_stored(ty.kind(), &bytes).is_identical(&value), "{text:?} {value:?}");
            let order = comparator(ty.oid).map(|order| order(&value, &value));
            prop_assert!(order.is_none_or(core::cmp::Ordering::is_eq), "{text:?}");
            let printed = cast(&value, ty, SqlType::TEXT, true, &context).expect("each value has a text");
            let printed = printed.output(25).expect("text");
            let again = input(&printed, ty, &context);
            // a "char" before 15, of which no text is read back; blanks of char(n), and the sign of a NaN, are lost
            if again.is_ok() && !matches!(ty.oid, 18 | 1042) && printed != "NaN" {
                prop_assert!(again.is_ok_and(|again| again.is_identical(&value)), "{text:?} {printed:?}");
            }
            use Arithmetic::{Add, Div, Mod, Mul, Sub};
            let same = [Add, Sub, Mul, Div, Mod].map(|op| arithmetic(op, &value, &value, &context).is_ok());
            let one = [negate(&value, &context).is_ok(), abs(&value, &context).is_ok()];
            results.set(results.get() + same.iter().chain(&one).filter(|is_ok| **is_ok).count() as u32);
        }
        Ok(())
    });
    outcome.expect("no panic, and what is printed reads back");
    std::println!("{} values read, {} results", values.get(), results.get());
    assert!(values.get() > 3000 && results.get() > 3000);
}
