//! The statements that one client sends, where nobody runs them.

use super::benchmark::{Options, variables};
use super::client::{Client, Next, Seeds};
use super::script::BenchScript;
use alloc::string::String;
use ffviz_format::page::PgVersion;

/// They, one after the other; an error is the last.
#[derive(Debug)]
pub struct Statements<'a> {
    scripts: &'a [BenchScript],
    seeds: Seeds,
    client: Client,
    /// the script that is run
    script: Option<usize>,
    /// transactions that are to be begun
    left: u64,
    /// transactions that were begun
    begun: u64,
}

impl<'a> Statements<'a> {
    /// Of the first client.
    #[must_use]
    pub fn new(version: PgVersion, scripts: &'a [BenchScript], options: &Options) -> Self {
        let has_default_seed = options.defines.iter().any(|(name, _)| name == "default_seed");
        let seeds = Seeds::new(version, options.seed, 1, has_default_seed);
        let first = seeds.clients.first().copied().unwrap_or(seeds.choose);
        let client = Client::new(version, first, variables(options, 0, seeds.default_seed));
        Self { scripts, seeds, client, script: None, left: options.transactions, begun: 0 }
    }
}

impl Statements<'_> {
    /// The transaction whose statement was given last, from 1.
    #[must_use]
    pub const fn transaction(&self) -> u64 {
        self.begun
    }
}

impl Iterator for Statements<'_> {
    type Item = Result<String, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(script) = self.script else {
                self.left = self.left.checked_sub(1)?;
                self.begun += 1;
                self.script = Some(self.seeds.choose(self.scripts));
                self.client.rewind();
                continue;
            };
            match self.client.next(self.scripts.get(script)?) {
                Ok(Next::End) => self.script = None,
                Ok(Next::Send(_, sql)) => return Some(Ok(sql.text(&self.client.variables))),
                Err(sentence) => {
                    (self.left, self.script) = (0, None);
                    return Some(Err(sentence));
                }
            }
        }
    }
}
