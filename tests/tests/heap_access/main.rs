//! INSERT, COPY, UPDATE, DELETE and row locks of the simulator beside those of real servers: the bytes of all pages of
//! the table, of its TOAST table and of their free space maps, and of all records about them, after every statement.

mod generate;
mod server;
mod simulated;
mod statement;

use ffviz_format::page::{ForkNumber, Lsn, PgVersion};
use ffviz_format::wal::Record;
use ffviz_simulator::access::transam::WalLevel;
use ffviz_simulator::storage::Settings;
use ffviz_tests::servers::MAJORS;
use generate::Generator;
use server::{Server, Shape};
use simulated::Simulated;
use statement::Statement;
use std::collections::BTreeMap;

/// What was compared.
#[derive(Debug, Default)]
struct Counts {
    statements: usize,
    skipped: usize,
    records: usize,
    pages: usize,
}

/// A server and its simulation, in lockstep.
struct Pair {
    server: Server,
    simulated: Simulated,
    counts: Counts,
    done: Vec<String>,
}

impl Pair {
    fn new(mut server: Server, shape: Shape, settings: Settings, level: WalLevel) -> Self {
        server.create_table(shape, 3);
        let start = server.start();
        let mut simulated = Simulated::new(&server, shape, start, settings, level);
        for session in ["A", "B", "C"] {
            simulated.cluster.pg.switch_to(session);
        }
        let mut pair = Self { server, simulated, counts: Counts::default(), done: Vec::new() };
        pair.run(0, &Statement::Checkpoint);
        pair
    }

    fn run(&mut self, session: usize, statement: &Statement) {
        let start = self.server.start();
        let Some(simulated) = self.simulated.run(session, statement, start) else {
            self.counts.skipped += 1;
            return;
        };
        self.done.push(format!("{session}: {statement:.150?}"));
        let real = self.server.run(session, statement, start);
        if matches!(statement, Statement::Checkpoint) {
            let redo = self.server.redo();
            self.simulated.cluster.pg.wal.set_redo_rec_ptr(redo);
        }
        self.compare(&real, &simulated);
        self.counts.statements += 1;
    }

    fn compare(&mut self, real: &[Record], simulated: &[Record]) {
        let version = self.server.version;
        let ours = simulated.iter().filter(|record| {
            let decoded = record.decode(version).expect("a record of the simulator");
            decoded.rmgr() == ffviz_format::wal::Rmgr::MULTIXACT || !decoded.blocks.is_empty()
        });
        let words = |record: &Record| {
            let decoded = record.decode(version).expect("a record");
            format!("{} {}", decoded.type_name(), decoded.tot_len())
        };
        let (real_list, our_list): (Vec<_>, Vec<_>) =
            (real.iter().map(words).collect(), ours.clone().map(words).collect());
        assert_eq!(real_list, our_list, "{version}: records of server and simulator after {:#?}", self.tail());
        let before = self.counts.records;
        let ends: BTreeMap<Lsn, Lsn> =
            ours.clone().map(|ours| ours.end).zip(real.iter().map(|real| real.end)).collect();
        self.simulated.move_lsns(&ends);
        for (real, ours) in real.iter().zip(ours) {
            let (real, ours) = (comparable(real, version), comparable(ours, version));
            let at = real.iter().zip(&ours).position(|(real, ours)| real != ours);
            let near = at.map(|at| at.saturating_sub(8)..(at + 8).min(real.len()));
            let differ = near.map(|near| (self.counts.records - before, at, &real[near.clone()], &ours[near.clone()]));
            assert!(
                real == ours,
                "{version}: (record, byte, server, simulator) {differ:?} of {real_list:?} after {:#?}",
                self.tail()
            );
            self.counts.records += 1;
        }
        for (toast, fork) in
            [false, true].into_iter().flat_map(|toast| [(toast, ForkNumber::Main), (toast, ForkNumber::Fsm)])
        {
            let (real, ours) = (self.server.pages(toast, fork), self.simulated.pages(toast, fork));
            assert_eq!(
                real.len(),
                ours.len(),
                "{version}: blocks of {fork:?}, TOAST {toast}, after {:#?}",
                self.tail()
            );
            for (block, (real, ours)) in real.iter().zip(&ours).enumerate() {
                let differ = (0..real.len()).filter(|at| real[*at] != ours[*at] && !(8..10).contains(at));
                let differ: Vec<_> = differ.map(|at| (at, real[at], ours[at])).take(12).collect();
                assert!(
                    differ.is_empty(),
                    "{version}: {fork:?} block {block}, TOAST {toast}: (byte, server, simulator) {differ:?} after {:#?}",
                    self.tail()
                );
                self.counts.pages += 1;
            }
        }
    }

    fn tail(&self) -> &[String] {
        &self.done[self.done.len().saturating_sub(8)..]
    }
}

/// A record's bytes without `xl_prev` and `xl_crc`, which depend on what others wrote, and without what the server does
/// not initialise: the reason for pruning, and of `MULTI_INSERT` the bytes that bring its parts to an even place.
fn comparable(record: &Record, version: PgVersion) -> Vec<u8> {
    let mut bytes = record.bytes.to_vec();
    bytes[8..16].fill(0);
    bytes[20..24].fill(0);
    let decoded = record.decode(version).expect("a record");
    if decoded.type_name().starts_with("PRUNE_") {
        let at = bytes.len() - decoded.main_data.len();
        bytes[at] = 0;
    }
    if decoded.type_name().starts_with("MULTI_INSERT") {
        let main = bytes.len() - decoded.main_data.len();
        bytes[main + 1] = 0;
        let data = decoded.blocks[0].data_at.start as usize..decoded.blocks[0].data_at.end as usize;
        let mut at = 0;
        while at < data.len() {
            if at % 2 == 1 {
                bytes[data.start + at] = 0;
                at += 1;
            }
            at += 7 + usize::from(u16::from_le_bytes([bytes[data.start + at], bytes[data.start + at + 1]]));
        }
    }
    bytes
}

fn no_checksums() -> Settings {
    Settings { shared_buffers: 4096, max_backends: 100 + 8 + 10, ..Settings::default() }
}

/// Random statements of up to three sessions on tables of several kinds.
fn random(majors: &[u32], seeds: std::ops::Range<u64>, statements: usize) {
    for major in majors {
        let mut server = Some(Server::new(*major, "", &[]));
        let mut total = Counts::default();
        for seed in seeds.clone() {
            let shape = Shape {
                fillfactor: [100, 80, 50, 10][seed as usize / 2 % 4],
                key: seed % 2 == 1,
                unlogged: seed % 16 == 15,
            };
            let mut pair = Pair::new(server.take().expect("a server"), shape, no_checksums(), WalLevel::Replica);
            let mut generator = Generator::new(seed);
            for _ in 0..statements {
                let (session, statement) = generator.next();
                pair.run(session, &statement);
                generator.done(session, &pair.simulated);
            }
            total.statements += pair.counts.statements;
            total.skipped += pair.counts.skipped;
            total.records += pair.counts.records;
            total.pages += pair.counts.pages;
            println!("PostgreSQL {major}, seed {seed}: {:?}", pair.counts);
            server = Some(pair.server);
        }
        println!("PostgreSQL {major}: {total:?}, no difference");
        assert!(total.records > 0 && total.pages > 0, "nothing was compared");
    }
}

#[test]
fn random_statements_leave_the_servers_pages_and_records() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (first, seeds) = (number("FFVIZ_SEED", 1), number("FFVIZ_SEEDS", 2));
    let only = number("FFVIZ_MAJOR", 0) as u32;
    let majors: Vec<u32> = MAJORS.into_iter().filter(|major| only == 0 || only == *major).collect();
    random(&majors, first..first + seeds, number("FFVIZ_STATEMENTS", 80) as usize);
}
