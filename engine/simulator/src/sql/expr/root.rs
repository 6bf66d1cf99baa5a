//! The square root of a numeric, digit by digit (`sqrt_var`, src/backend/utils/adt/numeric.c).

use super::pg_catalog::NUMERIC;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::Result;
use ffviz_format::datum::input::{Context as Input, input as read};
use ffviz_format::datum::{SqlType, Value};

/// The root of a number that is not negative, rounded to as many digits behind the point as the number has.
pub(super) fn of_numeric(value: &Value, input: &Input) -> Result<Value> {
    let text = value.output(NUMERIC).unwrap_or_default();
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(value.clone());
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let scale = fraction.len();
    // two digits give one of the root; one more than is kept, for rounding
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0').collect();
    digits.resize(digits.len() + scale + 2, 0);
    if digits.len() % 2 == 1 {
        digits.insert(0, 0);
    }
    let mut root = root_of(&digits);
    let last = root.pop().unwrap_or(0);
    if last >= 5 {
        increment(&mut root);
    }
    let text: String = root.iter().map(|digit| char::from(b'0' + digit)).collect();
    let text = format!("{text:0>width$}", width = scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    read(&format!("{whole}.{fraction}"), SqlType::plain(NUMERIC), input)
}

/// The digits of the root of a whole number with an even number of digits, rounded down.
fn root_of(digits: &[u8]) -> Vec<u8> {
    let (mut root, mut rest): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    for pair in digits.chunks_exact(2) {
        rest.extend(pair);
        // the greatest digit d with (20 root + d) d <= rest
        let mut digit = 9;
        let taken = loop {
            let mut part = doubled(&root);
            part.push(digit);
            let product = times(&part, digit);
            if compare(&product, &rest) != Ordering::Greater {
                break product;
            }
            digit -= 1;
        };
        subtract(&mut rest, &taken);
        root.push(digit);
    }
    root
}

fn doubled(digits: &[u8]) -> Vec<u8> {
    times(digits, 2)
}

/// A number by a digit.
fn times(digits: &[u8], by: u8) -> Vec<u8> {
    let mut carry = 0;
    let mut product: Vec<u8> = digits
        .iter()
        .rev()
        .map(|digit| {
            let sum = digit * by + carry;
            carry = sum / 10;
            sum % 10
        })
        .collect();
    product.push(carry);
    product.reverse();
    product
}

fn significant(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|digit| **digit == 0).count()..]
}

fn compare(one: &[u8], other: &[u8]) -> Ordering {
    let (one, other) = (significant(one), significant(other));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Takes away what is not greater.
fn subtract(from: &mut [u8], what: &[u8]) {
    let mut borrow = 0;
    let mut others = significant(what).iter().rev();
    for digit in from.iter_mut().rev() {
        let less = others.next().copied().unwrap_or(0) + borrow;
        borrow = u8::from(*digit < less);
        *digit = *digit + 10 * borrow - less;
    }
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}
