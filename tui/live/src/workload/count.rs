//! What the WAL of a stretch did to the relations of users of one database: records and images by type, updates, pages.

use crate::failure::Failure;
use crate::pages::Pace;
use crate::script::Place;
use crate::segments::reading::Item;
use crate::wal::{Facts, Records};
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Lsn, Oid, PgVersion, TransactionId};
use ffviz_format::wal::{BlockTag, Record, Rmgr};
use ffviz_story::timeline::{Usage, WalUsage};
use std::collections::{BTreeMap, BTreeSet};

/// Counts on from where it stopped before.
pub(super) struct Counter {
    at: Lsn,
    database: Oid,
    version: PgVersion,
    /// transactions that changed these relations
    own: BTreeSet<TransactionId>,
    /// pages that were changed since the last checkpoint that was asked for
    touched: BTreeSet<BlockTag>,
    counted: Counted,
}

/// What was counted.
#[derive(Default)]
pub(super) struct Counted {
    pub usage: Usage,
    /// by type of record: `Heap/HOT_UPDATE`
    pub by_type: BTreeMap<String, WalUsage>,
}

impl Counter {
    /// From now on.
    pub async fn begin(place: &Place) -> Result<Self, Failure> {
        const DATABASE: &str = "SELECT oid FROM pg_database WHERE datname = current_database()";
        let rows = place.session.read(DATABASE, &[]).await?;
        let database = rows.first().map_or(Ok(0), |row| row.try_get("oid"))?;
        let facts = Facts::ask(&place.session).await?;
        let version = facts.version;
        let (own, touched) = (BTreeSet::new(), BTreeSet::new());
        let counted = Counted::default();
        Ok(Self { at: facts.insert, database, version, own, touched, counted })
    }

    /// Makes the server checkpoint, so that the first change of a page counts again. What was written before is read
    /// first: it may be gone afterwards.
    pub async fn checkpoint(&mut self, place: &Place) -> Result<(), Failure> {
        self.read(place).await?;
        place.admin.batch_execute("CHECKPOINT").await?;
        self.touched.clear();
        Ok(())
    }

    /// All since the last time.
    pub async fn count(&mut self, place: &Place) -> Result<Counted, Failure> {
        self.read(place).await?;
        Ok(std::mem::take(&mut self.counted))
    }

    /// Reads on to where the WAL is now.
    pub async fn read(&mut self, place: &Place) -> Result<(), Failure> {
        place.flush().await?;
        let facts = Facts::ask(&place.session).await?;
        let mut pace = Pace::new(0);
        let mut records = Records::of_server(&place.session, &mut pace, &facts, (self.at, facts.flush)).await?;
        loop {
            match records.next().await? {
                Item::Record(record) => self.add(&record),
                Item::End(None) => break,
                Item::End(Some(stop)) => return Err(format!("the WAL cannot be counted: {}", stop.why).into()),
            }
        }
        self.at = records.position();
        Ok(())
    }

    fn add(&mut self, record: &Record) {
        let Ok(decoded) = record.decode(self.version) else { return };
        let is_own = |tag: &BlockTag| tag.locator.db == self.database && tag.locator.rel >= FIRST_NORMAL_OBJECT_ID;
        let tags: Vec<BlockTag> = decoded.blocks.iter().map(|block| block.tag).filter(is_own).collect();
        let ends = decoded.rmgr() == Rmgr::TRANSACTION && self.own.contains(&decoded.xid());
        if tags.is_empty() && !ends {
            return;
        }
        self.own.insert(decoded.xid());
        let images = decoded.blocks.iter().filter(|block| block.image.is_some()).count() as u64;
        let name = format!("{}/{}", decoded.rmgr().name(), decoded.type_name());
        let one = WalUsage { records: 1, fpi: images, bytes: record.header().xl_tot_len().into() };
        let usage = &mut self.counted.usage;
        usage.wal = usage.wal + one;
        usage.blks_dirtied += tags.into_iter().filter(|tag| self.touched.insert(*tag)).count() as u64;
        let is_hot = name.starts_with("Heap/HOT_UPDATE");
        usage.tup_hot_updated += u64::from(is_hot);
        usage.tup_updated += u64::from(is_hot || name.starts_with("Heap/UPDATE"));
        let known = self.counted.by_type.entry(name).or_default();
        *known = *known + one;
    }
}
