//! The part of the page's address after `#`: which recording and which state, so that a link leads to a step.
//!
//! ```text
//! #18/hot-chain/step/3
//! ```

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// name of a recording of the library
    pub recording: String,
    /// number of the state, from 0
    pub state: usize,
}

impl Address {
    /// Reads the address; `None` where it names no recording. A number that cannot be read is the first state.
    #[must_use]
    pub fn parse(hash: &str) -> Option<Self> {
        let path = hash.strip_prefix('#').unwrap_or(hash);
        let (recording, state) = path.split_once("/step/").unwrap_or((path, "0"));
        let recording = recording.trim_matches('/');
        let state = state.parse().unwrap_or(0);
        (!recording.is_empty()).then(|| Self { recording: recording.to_owned(), state })
    }

    /// The address as text, `#` included.
    #[must_use]
    pub fn hash(&self) -> String {
        format!("#{}/step/{}", self.recording, self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_written() {
        let address = Address { recording: "18/hot-chain".to_owned(), state: 3 };
        assert_eq!(address.hash(), "#18/hot-chain/step/3");
        assert_eq!(Address::parse(&address.hash()), Some(address));
    }

    #[test]
    fn what_is_missing_is_the_start() {
        let start = Some(Address { recording: "18/hot-chain".to_owned(), state: 0 });
        assert_eq!(Address::parse("#18/hot-chain"), start);
        assert_eq!(Address::parse("#18/hot-chain/step/x"), start);
        assert_eq!(Address::parse("#"), None);
        assert_eq!(Address::parse(""), None);
    }
}
