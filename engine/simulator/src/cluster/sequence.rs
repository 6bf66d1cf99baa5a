//! Sequences: a page with one row, logged 32 values ahead (src/backend/commands/sequence.c).
//!
//! ```text
//!  nextval  1        2 … 33        34
//!           LOG: 33  nothing       LOG: 66      a crash loses the values up to the one that was logged
//! ```

use super::catalog_rows::CatalogRow;
use super::pg_class::SequenceForm;
use super::{Class, Cluster};
use crate::access::transam::REGBUF_WILL_INIT;
use crate::storage::{BLCKSZ, Buffer, Persistence, Registered, RelationData};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError, SqlType, TupleDesc, Value};
use ffviz_format::page::kind::SEQ_MAGIC;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{FROZEN_XID, ForkNumber, OffsetNumber, Oid, Page};
use ffviz_format::state::RelKind;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::other::XlSeqRec;
use ffviz_format::wal::record_type::SeqType;
use ffviz_story::timeline::Unlogged;

/// `SEQ_LOG_VALS`: values logged ahead
const SEQ_LOG_VALS: i64 = 32;
/// `HEAP_XMIN_FROZEN`, `HEAP_XMAX_INVALID`
const FROZEN: u16 = 0x0300 | 0x0800;
/// Where the row lies: header of a tuple, then values.
const VALUES: usize = 24;

/// The row of a sequence (`FormData_pg_sequence_data`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequenceData {
    /// the value that was given out last
    pub last_value: i64,
    /// how many more values the last record covers
    pub log_cnt: i64,
    /// was it given out? Else it is the next one
    pub is_called: bool,
}

impl SequenceData {
    /// The first value is still to come.
    #[must_use]
    pub const fn first(value: i64) -> Self {
        Self { last_value: value, log_cnt: 0, is_called: false }
    }
}

/// Values that a session has fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fetched {
    /// the first
    pub first: i64,
    /// the last
    pub last: i64,
    /// what lies between two
    pub increment: i64,
}

/// The columns of a sequence.
#[must_use]
pub fn sequence_columns() -> TupleDesc {
    let columns = [("last_value", SqlType::INT8), ("log_cnt", SqlType::INT8), ("is_called", SqlType::BOOL)];
    let attributes = (1..).zip(columns).map(|(num, (name, ty))| {
        let mut attribute = ty.attribute(num, name);
        attribute.not_null = true;
        attribute
    });
    TupleDesc::new(attributes.collect())
}

impl Cluster {
    /// `fill_seq_with_data`: the page of a new sequence.
    pub(super) fn fill_sequence(&mut self, relation: &RelationData, row: SequenceData) {
        self.fill_sequence_fork(relation, row, ForkNumber::Main);
        if self.pg.buffers.persistence(relation.file) == Persistence::Unlogged {
            self.pg.buffers.create_fork(relation.file, ForkNumber::Init);
            self.fill_sequence_fork(relation, row, ForkNumber::Init);
        }
    }

    fn fill_sequence_fork(&mut self, relation: &RelationData, row: SequenceData, fork: ForkNumber) {
        self.pg.top_xid();
        let block = self.pg.extend(relation.file, fork, 1);
        let buf = Buffer { file: relation.file, fork, block };
        *self.pg.buffers.page_mut(buf) = sequence_page(row);
        self.pg.mark_buffer_dirty(buf);
        self.log_if_permanent(relation, buf);
    }

    fn log_if_permanent(&mut self, relation: &RelationData, buf: Buffer) {
        if relation.permanent || buf.fork == ForkNumber::Init {
            self.log_sequence(buf);
        } else {
            self.pg.note_unlogged(Unlogged::Relation, buf);
        }
    }

    /// LOG: the page is made anew from the row.
    fn log_sequence(&mut self, buf: Buffer) {
        let locator = self.pg.buffers.locator(buf.file);
        let tuple = row_bytes(self.pg.buffers.page(buf)).to_vec();
        let head: &[u8] = &XlSeqRec::make(locator);
        let block = Registered { id: 0, buf, flags: REGBUF_WILL_INIT, data: &[], sets_lsn: true };
        self.pg.xlog_insert(Rmgr::SEQUENCE, SeqType::Log.info(), &[head, &tuple], &[block]);
    }

    /// `nextval`
    ///
    /// # Errors
    /// Where the sequence has no value left, or there is none of that oid.
    pub fn nextval(&mut self, sequence: Oid) -> Result<Fetched, SqlError> {
        let (relation, form) = self.open_sequence(sequence)?;
        let buf = Buffer::main(relation.file, 0);
        let row = read_row(self.pg.buffers.page(buf));
        let first = if row.is_called { step(&form, row.last_value, &relation.name)? } else { row.last_value };
        let wanted = form.cache - i64::from(!row.is_called);
        let logs = row.log_cnt < wanted || !row.is_called || self.is_before_redo(buf);
        // those that this session keeps, then those that the record covers
        let (cached, last) = ahead(&form, first, form.cache - 1);
        let log_cnt = if logs {
            let (count, logged) = ahead(&form, last, SEQ_LOG_VALS);
            self.log_ahead(&relation, buf, logged);
            count
        } else {
            row.log_cnt - cached - i64::from(row.is_called)
        };
        write_row(self.pg.buffers.page_mut(buf), SequenceData { last_value: last, log_cnt, is_called: true });
        self.pg.mark_buffer_dirty(buf);
        self.pg.note_unlogged(Unlogged::Sequence, buf);
        Ok(Fetched { first, last, increment: form.increment })
    }

    /// `do_setval`: no value is logged ahead.
    ///
    /// # Errors
    /// Where the sequence has no such value, or there is none of that oid.
    pub fn setval(&mut self, sequence: Oid, value: i64, is_called: bool) -> Result<(), SqlError> {
        let (relation, SequenceForm { min, max, .. }) = self.open_sequence(sequence)?;
        if !(min..=max).contains(&value) {
            let name = &relation.name;
            let message = format!("setval: value {value} is out of bounds for sequence \"{name}\" ({min}..{max})");
            return Err(SqlError::new("22003", message));
        }
        if relation.permanent {
            self.pg.top_xid();
        }
        let buf = Buffer::main(relation.file, 0);
        write_row(self.pg.buffers.page_mut(buf), SequenceData { last_value: value, log_cnt: 0, is_called });
        self.pg.mark_buffer_dirty(buf);
        self.log_if_permanent(&relation, buf);
        Ok(())
    }

    /// ALTER SEQUENCE that changes more than the owner: a new file with this row, so that it is undone with the
    /// transaction.
    ///
    /// # Errors
    /// Where there is no sequence of that oid.
    pub fn rewrite_sequence(&mut self, sequence: Oid, row: SequenceData) -> Result<(), SqlError> {
        let persistence = self.pg.buffers.persistence(self.pg.relation(sequence)?.file);
        self.rewrite_sequence_as(sequence, row, persistence)
    }

    /// `SequenceChangePersistence`
    ///
    /// # Errors
    /// Where there is no sequence of that oid.
    pub fn change_sequence_persistence(&mut self, sequence: Oid, persistence: Persistence) -> Result<(), SqlError> {
        let (_, row) = self.read_sequence(sequence)?;
        self.rewrite_sequence_as(sequence, row, persistence)
    }

    fn rewrite_sequence_as(
        &mut self,
        sequence: Oid,
        row: SequenceData,
        persistence: Persistence,
    ) -> Result<(), SqlError> {
        let (relation, _) = self.open_sequence(sequence)?;
        if relation.permanent {
            self.pg.top_xid();
        }
        let stats = self.catalog.class(sequence).map(|class| class.stats).unwrap_or_default();
        self.give_new_file_as(sequence, persistence);
        self.drop_file(relation.file);
        self.edit_class(sequence, |class| class.stats = stats);
        let relation = self.pg.relation(sequence)?;
        self.fill_sequence(&relation, row);
        Ok(())
    }

    /// The sequences that columns of a table own, by oid.
    #[must_use]
    pub fn sequences_of(&self, table: Oid) -> Vec<Oid> {
        let is_its = |class: &&Arc<Class>| class.kind == RelKind::Sequence && class.table == Some(table);
        self.catalog.classes().filter(is_its).map(|class| class.oid).collect()
    }

    /// `ResetSequence`: a new file, whose row begins as START says.
    ///
    /// # Errors
    /// Where there is no sequence of that oid.
    pub fn restart_sequence(&mut self, sequence: Oid) -> Result<(), SqlError> {
        let (form, _) = self.read_sequence(sequence)?;
        self.rewrite_sequence(sequence, SequenceData::first(form.start))
    }

    /// The row of `pg_sequence` is written anew, which is the end of ALTER SEQUENCE.
    pub fn update_sequence(&mut self, sequence: Oid, form: SequenceForm) {
        self.pg.current_xid();
        self.write_row(CatalogRow::Sequence(sequence));
        self.edit_class(sequence, |class| class.sequence = Some(form));
        self.use_commands(1);
    }

    /// What the row of a sequence says, and what it is.
    ///
    /// # Errors
    /// Where there is no sequence of that oid.
    pub fn read_sequence(&mut self, sequence: Oid) -> Result<(SequenceForm, SequenceData), SqlError> {
        let (relation, form) = self.open_sequence(sequence)?;
        Ok((form, read_row(self.pg.buffers.page(Buffer::main(relation.file, 0)))))
    }

    /// `init_sequence`
    fn open_sequence(&mut self, sequence: Oid) -> Result<(Arc<RelationData>, SequenceForm), SqlError> {
        let relation = self.pg.open_relation(sequence)?;
        let form = self.catalog.class(sequence).and_then(|class| class.sequence);
        let other = || SqlError::new("42809", format!("\"{}\" is not a sequence", relation.name));
        form.ok_or_else(other).map(|form| (relation.clone(), form))
    }

    /// The record says the last value that may be given out before the next one.
    fn log_ahead(&mut self, relation: &RelationData, buf: Buffer, logged: i64) {
        if !relation.permanent {
            return;
        }
        self.pg.top_xid();
        write_row(self.pg.buffers.page_mut(buf), SequenceData { last_value: logged, log_cnt: 0, is_called: true });
        self.pg.mark_buffer_dirty(buf);
        self.log_sequence(buf);
    }

    /// A checkpoint since the last record: the next one has to come, for the page must not be older than the redo
    /// pointer.
    fn is_before_redo(&mut self, buf: Buffer) -> bool {
        let me = self.pg.me;
        let redo = self.pg.wal.get_redo_rec_ptr(&mut self.pg.backends[me].wal);
        self.pg.buffers.page(buf).header().pd_lsn() <= redo
    }
}

/// The value after this one.
fn step(form: &SequenceForm, value: i64, name: &str) -> Result<i64, SqlError> {
    let next = value.checked_add(form.increment).filter(|next| (form.min..=form.max).contains(next));
    let first = if form.increment > 0 { form.min } else { form.max };
    next.or(form.cycle.then_some(first)).ok_or_else(|| {
        let (bound, limit) = if form.increment > 0 { ("maximum", form.max) } else { ("minimum", form.min) };
        SqlError::new("2200H", format!("nextval: reached {bound} value of sequence \"{name}\" ({limit})"))
    })
}

/// How many values there are behind `value`, `most` at most, and the last of them.
fn ahead(form: &SequenceForm, value: i64, most: i64) -> (i64, i64) {
    let room = if form.increment > 0 { form.max.abs_diff(value) } else { value.abs_diff(form.min) };
    let count = (room / form.increment.unsigned_abs()).min(most.unsigned_abs()) as i64;
    // the product may go past the range of the type where the sum does not
    (count, value.wrapping_add(count.wrapping_mul(form.increment)))
}

fn sequence_page(row: SequenceData) -> Page {
    let mut page = Page::init(BLCKSZ, 8);
    let special = page.special_start();
    page.write(special, &SEQ_MAGIC);
    let values = [Value::Int8(row.last_value), Value::Int8(row.log_cnt), Value::Bool(row.is_called)];
    let formed = FormedTuple::new(&sequence_columns(), &values);
    let mut tuple = formed.bytes.clone();
    // VACUUM does not come to sequences, so the row is frozen from the start
    tuple[..4].copy_from_slice(&FROZEN_XID.to_le_bytes());
    tuple[16..18].copy_from_slice(&1_u16.to_le_bytes());
    tuple[18..20].copy_from_slice(&formed.natts.to_le_bytes());
    tuple[20..22].copy_from_slice(&(formed.infomask | FROZEN).to_le_bytes());
    tuple[22] = formed.hoff;
    page.add_item(&tuple, OffsetNumber(1), false).expect("an empty page has room for 41 bytes");
    page
}

fn row_bytes(page: &Page) -> &[u8] {
    let lp = page.item_id(OffsetNumber(1)).map_or(0..0, |lp| lp.lp_off()..lp.lp_off() + lp.lp_len());
    page.slice(lp)
}

/// The row of a sequence's page.
#[must_use]
pub fn read_row(page: &Page) -> SequenceData {
    let values = row_bytes(page).get(VALUES..).unwrap_or(&[]);
    let number = |at: usize| i64::get(values.get(at..).unwrap_or(&[]));
    SequenceData { last_value: number(0), log_cnt: number(8), is_called: values.get(16) == Some(&1) }
}

fn write_row(page: &mut Page, row: SequenceData) {
    let at = page.item_id(OffsetNumber(1)).map_or(0, |lp| lp.lp_off()) + VALUES as u16;
    page.write(at, &row.last_value);
    page.write(at + 8, &row.log_cnt);
    page.write_bytes(at + 16, &[u8::from(row.is_called)]);
}
