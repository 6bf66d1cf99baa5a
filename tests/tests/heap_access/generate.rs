//! Random statements for several sessions, seeded.

use crate::simulated::Simulated;
use crate::statement::{Row, Statement};
use ffviz_simulator::access::heap::LockTupleMode;
use std::ops::RangeInclusive;

pub struct Generator {
    state: u64,
    next_key: i32,
    /// what the last change of keys added
    moved: i32,
    /// is the session in a transaction, and does that have a savepoint?
    blocks: [(bool, bool); 3],
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, next_key: 1, moved: 0, blocks: [(false, false); 3] }
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as u32 % bound
    }

    /// Text of about the length: of repeated letters, or of random ones, which no compression shortens much.
    fn text(&mut self, len: usize) -> String {
        if self.below(3) == 0 {
            return "abcdefghij".repeat(len / 10 + 1);
        }
        (0..len)
            .map(|_| {
                char::from(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[self.below(62) as usize])
            })
            .collect()
    }

    fn any_text(&mut self) -> String {
        let len = match self.below(20) {
            0..=9 => self.below(60) + 1,
            10..=14 => self.below(400) + 1,
            15..=17 => self.below(1900) + 1,
            18 => self.below(800) + 1700,
            _ => self.below(6000) + 2000,
        };
        self.text(len as usize)
    }

    fn row(&mut self) -> Row {
        self.next_key += 1;
        (self.next_key - 1, self.below(1000) as i32, self.any_text())
    }

    fn rows(&mut self, most: u32) -> Vec<Row> {
        (0..=self.below(most)).map(|_| self.row()).collect()
    }

    fn range(&mut self) -> RangeInclusive<i32> {
        let first = self.below(self.next_key as u32) as i32;
        let len = if self.below(6) == 0 { self.below(20) as i32 } else { 0 };
        first..=first + len
    }

    pub fn next(&mut self) -> (usize, Statement) {
        let session = if self.below(3) == 0 { 1 + self.below(2) as usize } else { 0 };
        let (in_block, has_savepoint) = self.blocks[session];
        let statement = match self.below(100) {
            0..=19 => Statement::Insert(self.rows(4)),
            20..=22 => Statement::Copy(self.rows(150)),
            23..=41 => Statement::Count(self.range()),
            42..=52 => {
                let range = self.range();
                Statement::Fill(range, self.any_text())
            }
            53..=55 => {
                let range = self.range();
                self.moved += 1_000_000;
                Statement::Rekey(*range.start()..=*range.start(), self.moved)
            }
            56..=63 => Statement::Delete(self.range()),
            64..=75 => {
                let modes = [
                    LockTupleMode::KeyShare,
                    LockTupleMode::Share,
                    LockTupleMode::NoKeyExclusive,
                    LockTupleMode::Exclusive,
                ];
                let range = self.range();
                Statement::Lock(range, modes[[0, 0, 0, 1, 1, 2, 3][self.below(7) as usize]])
            }
            76..=78 => Statement::Select,
            79..=80 => Statement::Checkpoint,
            81..=90 if !in_block && self.below(4) == 0 => Statement::BeginRepeatableRead,
            81..=90 if !in_block => Statement::Begin,
            81..=86 if has_savepoint && self.below(2) == 0 => Statement::RollbackTo,
            81..=86 if has_savepoint => Statement::Release,
            81..=86 => Statement::Savepoint,
            87..=90 if in_block => Statement::Commit,
            91..=92 if in_block => Statement::Rollback,
            _ => Statement::Select,
        };
        let outside = matches!(statement, Statement::Checkpoint) && in_block;
        (session, if outside { Statement::Select } else { statement })
    }

    /// Keeps up with what became of the session's transaction.
    pub fn done(&mut self, session: usize, simulated: &Simulated) {
        let name = ["A", "B", "C"][session];
        let backend = simulated.cluster.pg.backends.iter().find(|backend| backend.name == name);
        let xact = backend.and_then(|backend| backend.xact.as_ref());
        self.blocks[session] = (xact.is_some(), xact.is_some_and(|xact| xact.levels.len() > 1));
    }
}
