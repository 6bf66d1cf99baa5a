//! What surrounds the program and counts for a connection: variables, the home folder, the user's name. A value, so
//! that tests need not change the process.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Variables, home and user.
#[derive(Debug, Clone)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    home: Option<PathBuf>,
    user: Option<String>,
}

impl Environment {
    /// That of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let variables = std::env::vars_os().filter_map(text).filter(|(name, _)| name.starts_with("PG")).collect();
        Self { variables, home: std::env::home_dir(), user: whoami::username().ok() }
    }

    /// One made by hand.
    #[cfg(test)]
    #[must_use]
    pub fn of(home: &str, user: &str, variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { variables, home: Some(PathBuf::from(home)), user: Some(user.to_owned()) }
    }

    /// A variable that is set and not empty.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<String> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    /// A file below the home folder.
    #[must_use]
    pub fn in_home(&self, path: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(path))
    }

    /// The operating system's name of the user: the default for user and database.
    ///
    /// # Errors
    /// A sentence, when the system does not know it.
    pub fn user(&self) -> Result<String, String> {
        self.user.clone().ok_or_else(|| "the system has no name for this user; say user=…".to_owned())
    }
}
