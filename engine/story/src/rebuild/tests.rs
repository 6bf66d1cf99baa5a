//! Rebuilding by hand, and of what no server would tell.

use super::{Data, Told, parse_block_refs, rebuild};
use crate::describe::describe;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::Record;

const VERSION: PgVersion = PgVersion(180_004);

/// A HOT update, as pg_walinspect of 18 tells it.
fn hot_update() -> Told {
    let mut blocks = parse_block_refs("blkref #0: rel 1663/5/16384 fork main blk 3");
    blocks[0].data = Data::Bytes([2, 0, 2, 24, 0, 7, 7].to_vec());
    Told {
        start: Lsn(0x1000_0028),
        end: Lsn(0x1000_0070),
        prev: Lsn(0x1000_0000),
        xid: 734,
        rmgr: "Heap".to_string(),
        kind: "HOT_UPDATE".to_string(),
        length: 67,
        main_data_length: 14,
        description: "old_xmax: 734, old_off: 1, old_infobits: [KEYS_UPDATED], flags: 0x20, new_xmax: 0, new_off: 2"
            .to_string(),
        blocks,
    }
}

fn described(record: &Record) -> String {
    describe(&record.decode(VERSION).expect("a record"))
}

#[test]
fn a_record_that_is_told_as_a_whole() {
    let told = hot_update();
    let record = rebuild(&told, VERSION).expect("a record");
    let rebuilt = record.rebuilt.as_ref().expect("what is not known");
    assert!(rebuilt.untold.is_empty() && !rebuilt.lacks_main_data && rebuilt.description.is_none());
    assert!(record.is_crc_right() && record.bytes.len() == 67);
    assert_eq!(described(&record), told.description);
}

#[test]
fn a_description_that_is_not_understood_is_kept() {
    let told = Told { description: "something new: 3".to_string(), ..hot_update() };
    let record = rebuild(&told, VERSION).expect("a record");
    let decoded = record.decode(VERSION).expect("a record");
    assert_eq!(decoded.main_data, [0; 14]);
    assert!(decoded.lacks(&decoded.blocks[0]));
    assert_eq!(described(&record), told.description);
}

#[test]
fn block_data_that_is_not_told() {
    let mut told = hot_update();
    told.blocks[0].data = Data::Untold;
    let record = rebuild(&told, VERSION).expect("a record");
    let decoded = record.decode(VERSION).expect("a record");
    assert_eq!(decoded.blocks[0].data, [0; 7]);
    assert!(decoded.lacks(&decoded.blocks[0]));
    assert_eq!(described(&record), told.description);
}

#[test]
fn lengths_that_do_not_fit_together() {
    for told in [
        Told { length: 66, ..hot_update() },
        Told { length: 68, ..hot_update() },
        Told { length: 0, ..hot_update() },
        Told { main_data_length: u32::MAX, ..hot_update() },
        Told { rmgr: "Pile".to_string(), ..hot_update() },
    ] {
        rebuild(&told, VERSION).expect_err("no record");
    }
}

/// Descriptions of each sort of record, cut and spoilt: a record or an error, never a panic.
#[test]
fn nonsense_does_not_panic() {
    let all = [
        ("Heap", "INSERT", "off: 3, flags: 0x08"),
        (
            "Heap2",
            "PRUNE_ON_ACCESS",
            "snapshotConflictHorizon: 5, isCatalogRel: F, nplans: 0, nredirected: 1, ndead: 0, nunused: 2",
        ),
        ("Heap2", "MULTI_INSERT", "ntuples: 2, flags: 0x02, offsets: [1, 2]"),
        ("Heap2", "NEW_CID", "rel: 1663/5/1259, tid: 3/4, cmin: 1, cmax: 2, combo: 3"),
        (
            "Heap",
            "INPLACE",
            "off: 3; relcache init file inval dbid 5 tsid 1663; inval msgs: catcache 55 smgr relmap db 5",
        ),
        (
            "Btree",
            "UNLINK_PAGE",
            "left: 1, right: 2, level: 0, safexid: 0:734, leafleft: 1, leafright: 2, leaftopparent: 4294967295",
        ),
        (
            "Transaction",
            "COMMIT",
            "734: 2026-05-01 10:00:00.25+00; rels: base/5/16390; subxacts: 735; dropped stats: 2/5/16390; sync",
        ),
        (
            "XLOG",
            "CHECKPOINT_ONLINE",
            "redo 0/28; tli 1; prev tli 1; fpw true; wal_level replica; xid 0:740; oid 8; multi 1; offset 0; oldest xid 7 in DB 1",
        ),
        ("Storage", "TRUNCATE", "pg_tblspc/5/PG_18_1/6/16390 to 3 blocks flags 7"),
    ];
    let mut made = 0;
    for (rmgr, kind, text) in all {
        for cut in 0..=text.len() {
            let (rest, digits) =
                (&text[cut..], text[..cut].replace(|c: char| c.is_ascii_digit(), "9999999999999999999"));
            for description in [text[..cut].to_string(), rest.to_string(), digits, text.replace(&text[cut..], "é: [")]
            {
                for main_data_length in [0, 3, 8, 14, 64, 300] {
                    let told = Told {
                        rmgr: rmgr.to_string(),
                        kind: kind.to_string(),
                        main_data_length,
                        length: 24 + main_data_length + if main_data_length > 255 { 5 } else { 2 },
                        description: description.clone(),
                        blocks: Vec::new(),
                        ..hot_update()
                    };
                    made += usize::from(rebuild(&told, VERSION).is_ok_and(|record| described(&record) == description));
                }
            }
        }
    }
    assert!(made > 1000, "{made}");
}
