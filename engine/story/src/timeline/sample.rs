//! The numbers of a long run, transactions taken together: what is kept of it in place of its steps.

use super::{Usage, WalUsage};
use alloc::string::String;
use alloc::vec::Vec;

/// A relation's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationSize {
    /// its name, as a trace has it
    pub name: String,
    /// is it an index?
    pub is_index: bool,
    /// blocks of its main fork
    pub blocks: u32,
    /// bytes between `pd_lower` and `pd_upper` of all its pages
    pub free: u64,
}

/// What some transactions did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// how many there were since the beginning
    pub transactions: u64,
    /// their counters
    pub usage: Usage,
    /// their WAL by type of record: `Heap/HOT_UPDATE`
    pub wal: Vec<(String, WalUsage)>,
    /// the sizes after them
    pub relations: Vec<RelationSize>,
}

/// A long run. The first sample is its beginning, before any transaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Samples {
    /// in order
    pub all: Vec<Sample>,
}

/// Adds WAL by type of record.
fn add_wal(sum: &mut Vec<(String, WalUsage)>, more: &[(String, WalUsage)]) {
    for (name, usage) in more {
        match sum.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = *known + *usage,
            None => sum.push((name.clone(), *usage)),
        }
    }
}

impl Samples {
    /// The run goes on with another one.
    pub fn append(&mut self, next: Self) {
        let before = self.transactions();
        let is_first = self.all.is_empty();
        let later = next.all.into_iter().skip(usize::from(!is_first));
        self.all.extend(later.map(|sample| Sample { transactions: sample.transactions + before, ..sample }));
    }

    /// Neighbours are taken together until there are so many at most, beside the beginning.
    pub fn merge(&mut self, most: usize) {
        let together = self.all.len().saturating_sub(1).div_ceil(most.max(1)).max(1);
        let mut samples = core::mem::take(&mut self.all).into_iter();
        self.all.extend(samples.next());
        for (n, sample) in samples.enumerate() {
            match self.all.last_mut().filter(|_| n % together != 0) {
                Some(last) => last.absorb(sample),
                None => self.all.push(sample),
            }
        }
    }

    /// How many transactions there were.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        self.all.last().map_or(0, |sample| sample.transactions)
    }

    /// The counters of all of them.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.all.iter().fold(Usage::default(), |sum, sample| sum + sample.usage)
    }

    /// The WAL of all of them by type of record, the most bytes first.
    #[must_use]
    pub fn wal(&self) -> Vec<(String, WalUsage)> {
        let mut sum: Vec<(String, WalUsage)> = Vec::new();
        self.all.iter().for_each(|sample| add_wal(&mut sum, &sample.wal));
        sum.sort_by(|(a, x), (b, y)| y.bytes.cmp(&x.bytes).then_with(|| a.cmp(b)));
        sum
    }

    /// The relations that there were, in the order in which they came.
    #[must_use]
    pub fn relations(&self) -> Vec<&RelationSize> {
        let mut found: Vec<&RelationSize> = Vec::new();
        for relation in self.all.iter().flat_map(|sample| &sample.relations) {
            if !found.iter().any(|known| known.name == relation.name) {
                found.push(relation);
            }
        }
        found
    }
}

impl Sample {
    /// The next one belongs to it.
    fn absorb(&mut self, next: Self) {
        self.transactions = next.transactions;
        self.usage = self.usage + next.usage;
        self.relations = next.relations;
        add_wal(&mut self.wal, &next.wal);
    }

    /// A relation's size after these transactions.
    #[must_use]
    pub fn relation(&self, name: &str) -> Option<&RelationSize> {
        self.relations.iter().find(|relation| relation.name == name)
    }

    /// The WAL of the types of record whose name has that word in it.
    #[must_use]
    pub fn wal_of(&self, word: &str) -> WalUsage {
        let all = self.wal.iter().filter(|(name, _)| name.contains(word));
        all.fold(WalUsage::default(), |sum, (_, usage)| sum + *usage)
    }
}
