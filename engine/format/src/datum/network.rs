//! Network addresses (src/backend/utils/adt/network.c, mac.c, src/port/inet_net_ntop.c).

use super::types::exact;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::Ipv4Addr;

/// `PGSQL_AF_INET`
pub(super) const AF_INET: u8 = 2;
/// `PGSQL_AF_INET6`
pub(super) const AF_INET6: u8 = 3;

/// `inet_out`: the netmask is left out where it covers the whole address.
pub fn inet_out(bytes: &[u8]) -> Option<String> {
    let (address, bits, all) = address(bytes)?;
    Some(if bits == all { address } else { format!("{address}/{bits}") })
}

/// `cidr_out`
pub fn cidr_out(bytes: &[u8]) -> Option<String> {
    let (address, bits, _) = address(bytes)?;
    Some(format!("{address}/{bits}"))
}

/// `macaddr_out`, `macaddr8_out`
pub fn macaddr_out(bytes: &[u8], len: usize) -> Option<String> {
    let parts: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    (bytes.len() == len).then(|| parts.join(":"))
}

/// Address, netmask bits, and bits of a whole address (`inet_struct`: family, bits, address).
fn address(bytes: &[u8]) -> Option<(String, u8, u8)> {
    let [family, bits, address @ ..] = bytes else { return None };
    match *family {
        AF_INET => Some((Ipv4Addr::from(exact::<[u8; 4]>(address)?).to_string(), *bits, 32)),
        AF_INET6 => Some((inet6(exact(address)?), *bits, 128)),
        _ => None,
    }
}

/// `pg_inet_net_ntop` for IPv6: the longest run of two or more zero words is `::`, and some kinds end as an IPv4
/// address.
fn inet6(address: [u8; 16]) -> String {
    let words: Vec<u16> = address.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    let run_at = |start: usize| words[start..].iter().take_while(|word| **word == 0).count();
    let (mut base, mut len) = (0, 0);
    for start in 0..words.len() {
        if run_at(start) > len {
            (base, len) = (start, run_at(start));
        }
    }
    if len < 2 {
        return join(&words);
    }
    let head = join(&words[..base]);
    let is_mapped = base == 0 && (len == 6 || (len == 5 && words[5] == 0xFFFF));
    if is_mapped {
        let middle = if len == 5 { "ffff:" } else { "" };
        return format!("::{middle}{}", Ipv4Addr::from(<[u8; 4]>::get(&address[12..])));
    }
    format!("{head}::{}", join(&words[base + len..]))
}

fn join(words: &[u16]) -> String {
    words.iter().map(|word| format!("{word:x}")).collect::<Vec<_>>().join(":")
}
