//! inet from text, and its order (`network_in`, `network_cmp_internal`, src/backend/utils/adt/network.c).

use super::bytes::Bytes;
use super::error::{Result, SqlError};
use super::network::{AF_INET, AF_INET6};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::net::{Ipv4Addr, Ipv6Addr};

/// `inet_in`: an address, and after a slash the bits of the netmask.
pub fn inet_in(text: &str) -> Result<Bytes> {
    parse(text).map(Bytes::from).ok_or_else(|| SqlError::syntax("inet", text))
}

fn parse(text: &str) -> Option<Vec<u8>> {
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits)),
        None => (text, None),
    };
    let (family, all, address) = if address.contains(':') {
        (AF_INET6, 128, address.parse::<Ipv6Addr>().ok()?.octets().to_vec())
    } else {
        (AF_INET, 32, ipv4(address)?.octets().to_vec())
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bits = match bits {
        None => all,
        Some(bits) if is_number(bits) => bits.parse().ok().filter(|bits| *bits <= all)?,
        Some(_) => return None,
    };
    Some([Vec::from([family, bits]), address].concat())
}

/// Four numbers up to 255; unlike Rust's, zeros may stand before them.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let octet = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u8>().ok())?;
    let octets: Vec<u8> = text.split('.').map(octet).collect::<Option<_>>()?;
    <[u8; 4]>::try_from(octets).ok().map(Ipv4Addr::from)
}

/// By family, then by the bits that both netmasks cover, then by the netmask, then by the whole address.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let ([family_a, bits_a, address_a @ ..], [family_b, bits_b, address_b @ ..]) = (a, b) else {
        return Ordering::Equal;
    };
    let common = usize::from(*bits_a.min(bits_b));
    let masked = |address: &[u8]| -> Vec<u8> {
        let whole = address.get(..common / 8).unwrap_or(address).iter().copied();
        let part = address.get(common / 8).filter(|_| common % 8 > 0).map(|byte| byte & !(0xFF >> (common % 8)));
        whole.chain(part).collect()
    };
    (family_a.cmp(family_b))
        .then_with(|| masked(address_a).cmp(&masked(address_b)))
        .then_with(|| bits_a.cmp(bits_b))
        .then_with(|| address_a.cmp(address_b))
}
