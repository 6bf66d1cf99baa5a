//! What a range of pages holds (`brin_form_tuple`, `brin_deform_tuple`, src/backend/access/brin/brin_tuple.c;
//! `brin_minmax_add_value`, brin_minmax.c; `add_values_to_range`, brin.c).
//!
//! ```text
//!  ├ first page, 4 ┼ info, 1 ┼ all NULL, some NULL: a bit a column, where any is set ┼ to a multiple of 8 ┼ least, greatest … ┤
//! ```

use crate::storage::RelationData;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::compare::{Comparator, comparator};
use ffviz_format::datum::form::index_form_tuple;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{Attribute, SqlError, SqlType, TupleDesc, Value};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, MAXALIGN};

/// `SizeOfBrinTuple`
const HEADER: usize = 5;
/// `BRIN_OFFSET_MASK`
const OFFSET_MASK: u8 = 0x1F;
/// `BRIN_EMPTY_RANGE_MASK`: the range has no row
const EMPTY_RANGE: u8 = 0x20;
/// `BRIN_PLACEHOLDER_MASK`: the range is being read
const PLACEHOLDER: u8 = 0x40;
/// `BRIN_NULLS_MASK`
const NULLS: u8 = 0x80;

/// The columns of an index (`BrinDesc`).
#[derive(Debug, Clone)]
pub struct BrinDesc {
    /// `brtuple_disk_tupdesc`: the least and the greatest value of each column
    disk: TupleDesc,
    columns: Vec<(Kind, Comparator)>,
}

/// What a range holds (`BrinMemTuple`).
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// `bt_placeholder`
    pub placeholder: bool,
    /// `bt_empty_range`
    pub empty: bool,
    /// of each column
    pub columns: Vec<SummaryColumn>,
}

/// What a range holds of a column (`BrinValues`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryColumn {
    /// the least and the greatest value; `None`: all are NULL (`bv_allnulls`)
    pub bounds: Option<[Value; 2]>,
    /// `bv_hasnulls`
    pub has_nulls: bool,
}

impl BrinDesc {
    /// `brin_build_desc`
    #[must_use]
    pub fn new(index: &RelationData) -> Self {
        let attributes = index.desc.attributes();
        let stored = |(num, attribute): (u16, &Attribute)| {
            SqlType::plain(attribute.base.unwrap_or(attribute.typid)).attribute(num, &attribute.name)
        };
        let twice = attributes.iter().flat_map(|attribute| [attribute, attribute]);
        let disk = TupleDesc::new((1..).zip(twice).map(stored).collect());
        let order = |n: usize| (disk.kind(2 * n), comparator(disk.attributes()[2 * n].typid));
        let columns = (0..attributes.len()).map(order);
        let columns = columns.map(|(kind, order)| (kind, order.unwrap_or(|_, _| Ordering::Equal))).collect();
        Self { disk, columns }
    }

    /// `bt_blkno`: the first page of the range that a tuple is of.
    #[must_use]
    pub fn range_of(tuple: &[u8]) -> BlockNumber {
        tuple.get(..BlockNumber::SIZE).map_or(0, BlockNumber::get)
    }

    /// `brin_memtuple_initialize`: of a range of which no row is known.
    #[must_use]
    pub fn empty(&self) -> Summary {
        let columns = self.columns.iter().map(|_| SummaryColumn::default()).collect();
        Summary { placeholder: false, empty: true, columns }
    }

    /// `brin_form_tuple`
    ///
    /// # Errors
    /// It is longer than an index tuple may be.
    pub fn form(&self, index: &RelationData, range: BlockNumber, summary: &Summary) -> Result<Vec<u8>, SqlError> {
        /// where the values of an index tuple begin
        const PLAIN: usize = 8;
        let count = summary.columns.len();
        let has_nulls = summary.columns.iter().any(|column| column.bounds.is_none() || column.has_nulls);
        let bitmap = if has_nulls { (2 * count).div_ceil(8) } else { 0 };
        let offset = (HEADER + bitmap).next_multiple_of(MAXALIGN.into());
        let values: Vec<Value> = summary.columns.iter().flat_map(SummaryColumn::stored).collect();
        let formed = index_form_tuple(&self.disk, &values).map_err(|_| {
            let size = offset + self.disk.data_size(&values);
            too_long(size.next_multiple_of(MAXALIGN.into()), index)
        })?;
        let is_null = values.iter().any(Value::is_null);
        let begins = if is_null { PLAIN + usize::from(MAXALIGN) } else { PLAIN };
        let mut tuple = range.to_le_bytes().to_vec();
        tuple.push(offset as u8 | flag(has_nulls, NULLS));
        tuple[HEADER - 1] |= flag(summary.placeholder, PLACEHOLDER) | flag(summary.empty, EMPTY_RANGE);
        tuple.resize(offset, 0);
        for (n, column) in summary.columns.iter().enumerate().filter(|_| has_nulls) {
            for (bit, is_set) in [(n, column.bounds.is_none()), (count + n, column.has_nulls)] {
                tuple[HEADER + bit / 8] |= flag(is_set, 1 << (bit % 8));
            }
        }
        tuple.extend_from_slice(formed.get(begins..).unwrap_or(&[]));
        Ok(tuple)
    }

    /// `brin_deform_tuple`
    #[must_use]
    pub fn deform(&self, tuple: &[u8]) -> Summary {
        let (info, count) = (tuple.get(HEADER - 1).copied().unwrap_or(0), self.columns.len());
        let bit =
            |n: usize| info & NULLS != 0 && tuple.get(HEADER + n / 8).is_some_and(|byte| byte >> (n % 8) & 1 != 0);
        let mut present = alloc::vec![0; (2 * count).div_ceil(8)];
        for n in (0..2 * count).filter(|n| !bit(n / 2)) {
            present[n / 8] |= 1 << (n % 8);
        }
        let (data, mut values) = (tuple.get(usize::from(info & OFFSET_MASK)..).unwrap_or(&[]), Vec::new());
        self.disk.read(data, &present, 2 * count, &mut values);
        let mut values = values.into_iter();
        let column = |n| {
            let bounds = values.next().zip(values.next()).map(<[Value; 2]>::from).filter(|_| !bit(n));
            // what is all NULL is not told to have some
            SummaryColumn { has_nulls: bounds.is_some() && bit(count + n), bounds }
        };
        let columns = (0..count).map(column).collect();
        Summary { placeholder: info & PLACEHOLDER != 0, empty: info & EMPTY_RANGE != 0, columns }
    }
}

const fn flag(is_set: bool, flag: u8) -> u8 {
    if is_set { flag } else { 0 }
}

#[cold]
pub(super) fn too_long(size: usize, index: &RelationData) -> SqlError {
    let most = super::pageops::MAX_ITEM;
    let message = format!("index row size {size} exceeds maximum {most} for index \"{}\"", index.name);
    SqlError::new("54000", message)
}

impl SummaryColumn {
    /// What a tuple has of it.
    fn stored(&self) -> [Value; 2] {
        self.bounds.clone().unwrap_or([Value::Null, Value::Null])
    }

    /// `brin_minmax_add_value`: was something changed?
    fn add(&mut self, (kind, compare): (Kind, Comparator), value: &Value) -> bool {
        let Some([least, greatest]) = &mut self.bounds else {
            self.bounds = Some([value.clone(), value.clone()]);
            return true;
        };
        let plain = |value| match value {
            stored @ &Value::Stored(_) => stored.detoasted(kind).map_or(Cow::Borrowed(stored), Cow::Owned),
            plain => Cow::Borrowed(plain),
        };
        let new = plain(value);
        let order = |bound| compare(&new, &plain(bound));
        let (is_less, is_greater) = (order(least).is_lt(), order(greatest).is_gt());
        if is_less {
            *least = value.clone();
        }
        if is_greater {
            *greatest = value.clone();
        }
        is_less || is_greater
    }
}

impl Summary {
    /// `add_values_to_range`: a row more. Was something changed?
    pub fn add(&mut self, desc: &BrinDesc, values: &[Value]) -> bool {
        let was_empty = core::mem::replace(&mut self.empty, false);
        let mut is_changed = was_empty;
        for ((column, how), value) in self.columns.iter_mut().zip(&desc.columns).zip(values) {
            let had_nulls = !was_empty && (column.has_nulls || column.bounds.is_none());
            if value.is_null() {
                is_changed |= !core::mem::replace(&mut column.has_nulls, true);
                continue;
            }
            is_changed |= column.add(*how, value);
            column.has_nulls |= had_nulls;
        }
        is_changed
    }
}
