//! Reads pages: many a round trip, never more a second than allowed.

use super::access::{Access, Way};
use super::failure::{Failure, Kind};
use super::session::{Parameter, Session};
use ffviz_format::page::{BlockNumber, ForkNumber, Page};
use ffviz_format::state::{PageId, Relation, State};
use std::time::Duration;
use tokio::time::Instant;
use tokio_postgres::types::Type;

/// Pages a round trip: 2 MiB of 8 KiB pages. More makes it no faster and holds the statement's snapshot longer.
const BATCH: usize = 256;

/// Holds readers to a number of pages a second.
#[derive(Debug)]
pub struct Pace {
    per_second: u32,
    next: Instant,
}

impl Pace {
    /// So many pages a second at most; 0 for no limit.
    #[must_use]
    pub fn new(per_second: u32) -> Self {
        Self { per_second, next: Instant::now() }
    }

    /// Waits until as many more pages may be read.
    pub async fn wait(&mut self, pages: usize) {
        if self.per_second == 0 {
            return;
        }
        tokio::time::sleep_until(self.next).await;
        let cost = Duration::from_secs(1) * u32::try_from(pages).unwrap_or(u32::MAX) / self.per_second;
        self.next = self.next.max(Instant::now()) + cost;
    }
}

/// Reads pages into a state.
pub struct Reader<'a> {
    session: &'a Session,
    access: &'a Access,
    pace: &'a mut Pace,
    /// pages that are equal to these share their memory
    previous: Option<&'a State>,
    /// pages that could not be read, or are damaged: a sentence each
    pub damaged: Vec<String>,
}

impl<'a> Reader<'a> {
    /// A reader of one connection.
    pub fn new(session: &'a Session, access: &'a Access, pace: &'a mut Pace, previous: Option<&'a State>) -> Self {
        Self { session, access, pace, previous, damaged: Vec::new() }
    }

    /// Reads these blocks, as far as they exist.
    ///
    /// # Errors
    /// [`Kind::Changed`] when the relation is not as its facts say any more; or what the server says.
    pub async fn read(
        &mut self,
        relation: &Relation,
        fork: ForkNumber,
        blocks: &[BlockNumber],
        into: &mut State,
    ) -> Result<(), Failure> {
        let length = relation.blocks.of(fork);
        let exist: Vec<i64> = blocks.iter().filter(|block| **block < length).map(|block| i64::from(*block)).collect();
        for batch in exist.chunks(BATCH) {
            self.read_batch(relation, fork, batch, into).await?;
        }
        Ok(())
    }

    /// One round trip; where a damaged page makes it fail, two of half the size, until that page is alone.
    async fn read_batch(
        &mut self,
        relation: &Relation,
        fork: ForkNumber,
        blocks: &[i64],
        into: &mut State,
    ) -> Result<(), Failure> {
        let mut open = vec![blocks];
        while let Some(blocks) = open.pop() {
            self.pace.wait(blocks.len()).await;
            match self.query(relation, fork, blocks, into).await {
                Err(failure) if failure.kind == Kind::Corrupt && blocks.len() > 1 => {
                    let (left, right) = blocks.split_at(blocks.len() / 2);
                    open.extend([right, left]);
                }
                Err(failure) if failure.kind == Kind::Corrupt => {
                    self.read_damaged(relation, fork, blocks[0], &failure, into).await?;
                }
                outcome => outcome?,
            }
        }
        Ok(())
    }

    async fn query(
        &self,
        relation: &Relation,
        fork: ForkNumber,
        blocks: &[i64],
        into: &mut State,
    ) -> Result<(), Failure> {
        let sql = match &self.access.way {
            Way::Pageinspect(sql) => sql.as_str(),
            Way::Wrapper => include_str!("sql/pages_wrapper.sql"),
            Way::None(sentence) => return Err(Failure::new(Kind::Denied, sentence.clone())),
        };
        let name = fork.name();
        let parameters: [Parameter<'_>; 4] = [
            (&relation.oid, Type::OID),
            (&name, Type::TEXT),
            (&blocks, Type::INT8_ARRAY),
            (&relation.filenode, Type::OID),
        ];
        let rows = self.session.read(sql, &parameters).await?;
        if rows.is_empty() {
            let sentence = format!("{} was rewritten, truncated or dropped while it was read", relation.name);
            return Err(Failure::new(Kind::Changed, sentence));
        }
        for row in rows {
            let (block, bytes): (i64, &[u8]) = (row.try_get("block")?, row.try_get("page")?);
            let id = PageId {
                relation: relation.oid,
                fork,
                block: BlockNumber::try_from(block).unwrap_or(BlockNumber::MAX),
            };
            into.pages.insert(id, self.page(id, bytes));
        }
        Ok(())
    }

    fn page(&self, id: PageId, bytes: &[u8]) -> Page {
        let known = self.previous.and_then(|state| state.pages.get(&id)).filter(|page| page.bytes() == bytes);
        known.cloned().unwrap_or_else(|| Page::new(bytes))
    }

    /// A page that PostgreSQL refuses to take into memory: reported, and shown as it is on disk where the role may read
    /// files.
    async fn read_damaged(
        &mut self,
        relation: &Relation,
        fork: ForkNumber,
        block: i64,
        failure: &Failure,
        into: &mut State,
    ) -> Result<(), Failure> {
        let mut sentence = format!("page {block} of {} is damaged: {failure}", relation.name);
        if self.access.reads_files && fork == ForkNumber::Main {
            let parameters: [Parameter<'_>; 2] = [(&relation.oid, Type::OID), (&block, Type::INT8)];
            let rows = self.session.read(include_str!("sql/pages_file.sql"), &parameters).await?;
            let bytes = rows.first().map_or(Ok(None), |row| row.try_get::<_, Option<&[u8]>>("page"))?;
            if let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) {
                let id = PageId {
                    relation: relation.oid,
                    fork,
                    block: BlockNumber::try_from(block).unwrap_or(BlockNumber::MAX),
                };
                into.pages.insert(id, self.page(id, bytes));
                sentence.push_str("; it is shown as it is on disk");
            }
        }
        if !self.access.reads_files && fork == ForkNumber::Main {
            sentence.push_str("; it could be shown as it is on disk after GRANT EXECUTE ON FUNCTION ");
            sentence.push_str("pg_read_binary_file(text, bigint, bigint, boolean) to your role");
        }
        self.damaged.push(sentence);
        Ok(())
    }
}
