//! One of the places to connect to: host, address, port.

use super::conninfo::Conninfo;
use crate::failure::{Failure, Kind};
use std::error::Error as _;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::path::Path;
use tokio_postgres::{Config, Error};

/// Folders of the server's Unix socket when no host is said: Debian's, then PostgreSQL's own. Where neither has the
/// socket: localhost.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// A place to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    host: String,
    address: Option<IpAddr>,
    /// TCP port, or the number in the name of the socket
    pub port: u16,
    default: bool,
}

/// All places, in the order in which they are tried.
pub fn targets(info: &Conninfo) -> Result<Vec<Target>, String> {
    let list = |key| info.get(key).map(|text| text.split(',').map(str::trim).collect::<Vec<_>>()).unwrap_or_default();
    let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"));
    let count = hosts.len().max(addresses.len()).max(1);
    if !(hosts.is_empty() || addresses.is_empty() || hosts.len() == addresses.len()) {
        return Err(format!("{} hosts and {} values of hostaddr do not match", hosts.len(), addresses.len()));
    }
    if ports.len() > 1 && ports.len() != count {
        return Err(format!("{} ports and {count} hosts do not match", ports.len()));
    }
    let mut targets = Vec::with_capacity(count);
    for at in 0..count {
        let port = match ports.get(at).or_else(|| ports.first()) {
            None | Some(&"") => 5432,
            Some(digits) => {
                digits.parse().ok().filter(|port| *port > 0).ok_or("a port is not a number from 1 to 65535")?
            }
        };
        let address = match addresses.get(at) {
            None | Some(&"") => None,
            Some(text) => Some(text.parse().map_err(|_| "hostaddr is not an IP address; names go to host".to_owned())?),
        };
        targets.push(Target::new(hosts.get(at).copied().unwrap_or_default(), address, port));
    }
    if info.get("load_balance_hosts") == Some("random") {
        let random = RandomState::new();
        targets.sort_by_cached_key(|target| random.hash_one(target.to_string()));
    }
    Ok(targets)
}

impl Target {
    fn new(host: &str, address: Option<IpAddr>, port: u16) -> Self {
        if !host.is_empty() {
            return Self { host: host.to_owned(), address, port, default: false };
        }
        if let Some(address) = address {
            return Self { host: address.to_string(), address: Some(address), port, default: false };
        }
        let has_socket = |folder: &&str| Path::new(folder).join(format!(".s.PGSQL.{port}")).exists();
        let host = SOCKET_FOLDERS.into_iter().find(has_socket).unwrap_or("localhost");
        Self { host: host.to_owned(), address: None, port, default: true }
    }

    /// Is it a Unix socket?
    pub fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }

    /// What the password file calls it.
    pub fn name_in_passfile(&self) -> &str {
        if self.default { "localhost" } else { &self.host }
    }

    /// Sets it as the one place to connect to.
    pub fn apply(&self, config: &mut Config) {
        config.host(&self.host).port(self.port);
        if let Some(address) = self.address {
            config.hostaddr(address);
        }
    }

    /// Why this place could not be connected to.
    pub fn explain(&self, error: &Error) -> Failure {
        if error.as_db_error().is_some() {
            return Failure::explain(error, &self.to_string());
        }
        let cause = error.source();
        let io = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>());
        let told = error.to_string();
        if told.contains("TLS") {
            let why = cause.map(ToString::to_string).unwrap_or_default();
            return Failure::new(Kind::OtherTransport, format!("{self}: no TLS connection: {}", reason(&why)));
        }
        match io.map(std::io::Error::kind) {
            Some(std::io::ErrorKind::ConnectionRefused | std::io::ErrorKind::NotFound) => Failure::new(
                Kind::Gone,
                format!("no server answers at {self}; is it running, and are host and port right?"),
            ),
            Some(_) if told.contains("connecting") => {
                let why = io.map(ToString::to_string).unwrap_or_default();
                Failure::new(Kind::Gone, format!("{self} cannot be reached: {why}"))
            }
            _ => Failure::explain(error, &self.to_string()),
        }
    }
}

/// rustls' words for the common cases, in the words of `sslmode`.
fn reason(why: &str) -> String {
    let known = [
        ("UnknownIssuer", "the server's certificate is not signed by a certificate of sslrootcert"),
        ("NotValidForName", "the server's certificate is for another host name (sslmode=verify-full)"),
        ("not valid for name", "the server's certificate is for another host name (sslmode=verify-full)"),
        ("Expired", "the server's certificate has expired"),
        ("expired", "the server's certificate has expired"),
        (
            "UnsupportedCertVersion",
            "the server's certificate is of version 1; it must be made anew with extensions (version 3)",
        ),
        ("CertificateRequired", "the server wants a client certificate (sslcert, sslkey)"),
        ("server does not support TLS", "the server does not offer it; sslmode=prefer would connect without"),
    ];
    known.iter().find(|(part, _)| why.contains(part)).map_or_else(|| why.to_owned(), |(_, words)| (*words).to_owned())
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_socket() && self.port == 5432 {
            return f.write_str(&self.host);
        }
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<String>, String> {
        targets(&Conninfo::parse(text)?).map(|all| all.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn lists() {
        assert_eq!(of("host=a,b port=1,2"), Ok(vec!["a:1".to_owned(), "b:2".to_owned()]));
        assert_eq!(of("host=a,b port=1"), Ok(vec!["a:1".to_owned(), "b:1".to_owned()]));
        assert_eq!(of("host=a,b port=,2"), Ok(vec!["a:5432".to_owned(), "b:2".to_owned()]));
        assert_eq!(of("hostaddr=::1"), Ok(vec!["[::1]:5432".to_owned()]));
        assert_eq!(of("host=/run/x port=7"), Ok(vec!["/run/x:7".to_owned()]));
        for wrong in
            ["host=a,b port=1,2,3", "host=a port=x", "host=a port=70000", "hostaddr=name", "host=a,b hostaddr=::1"]
        {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
