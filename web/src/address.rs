//! The part of the page's address after `#`: what is open, and which step, so that a link leads to it.
//!
//! ```text
//! #lesson/hot-update/step/6.2    a lesson or recording of the library; a plain number is a state, from 0
//! #write                         the playground
//! #v1/…                          a script in the playground (`link.rs`)
//! ```

use crate::link;

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// a recording of the library
    Recording {
        /// its name
        name: String,
        /// the step's address, or the number of a state
        step: String,
    },
    /// the playground, with something to begin with
    Write,
    /// a script, as the link that holds it
    Script(String),
}

/// What follows `#` where the playground is open.
const WRITE: &str = "write";

impl Address {
    /// Reads the address; `None` where it leads nowhere.
    #[must_use]
    pub fn parse(hash: &str) -> Option<Self> {
        if link::is_link(hash) {
            return Some(Self::Script(hash.to_owned()));
        }
        let path = hash.strip_prefix('#').unwrap_or(hash);
        let (name, step) = path.split_once("/step/").unwrap_or((path, "0"));
        match name.trim_matches('/') {
            "" => None,
            WRITE => Some(Self::Write),
            name => Some(Self::Recording { name: name.to_owned(), step: step.to_owned() }),
        }
    }

    /// The address as text, `#` included.
    #[must_use]
    pub fn hash(&self) -> String {
        match self {
            Self::Recording { name, step } => format!("#{name}/step/{step}"),
            Self::Write => format!("#{WRITE}"),
            Self::Script(link) => link.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(step: &str) -> Option<Address> {
        Some(Address::Recording { name: "18/hot-chain".to_owned(), step: step.to_owned() })
    }

    #[test]
    fn addresses_are_read_as_written() {
        for hash in ["#18/hot-chain/step/3", "#lesson/hot-update/step/6.2", "#write", "#v1/q1YqLs5RslJKTlTSUSpILVKyUjI"]
        {
            assert_eq!(Address::parse(hash).map(|address| address.hash()).as_deref(), Some(hash));
        }
        assert_eq!(Address::parse("#18/hot-chain/step/3"), recording("3"));
        assert_eq!(Address::parse("#v1/abc"), Some(Address::Script("#v1/abc".to_owned())));
    }

    #[test]
    fn what_is_missing_is_the_start() {
        assert_eq!(Address::parse("#18/hot-chain"), recording("0"));
        assert_eq!(Address::parse("#"), None);
        assert_eq!(Address::parse(""), None);
    }
}
