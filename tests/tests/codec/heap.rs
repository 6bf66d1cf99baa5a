//! Heap pages, TOAST tables and sequences: `heap_page_items`, `heap_page_item_attrs`, the names of all flag bits, and
//! every column of every visible row as the server prints it.

use crate::maps::{place, sound};
use crate::relation::{Relation, ask};
use crate::tally::{Ours, Place, Row, Tally, some};
use ffviz_format::datum::{Datum, Storage};
use ffviz_format::heap::{HeapItem, HeapPage, HeapTuple};
use ffviz_format::page::{Field, LpFlags, Page};
use postgres::Client;
use std::collections::BTreeMap;

/// Types of which the bytes are shown: of a composite type only the catalog knows the columns, of money only the locale
/// the signs.
const SHOWN_AS_BYTES: [&str; 2] = ["money", "types.pair"];

/// The heap pages of one fork.
struct Heap<'a> {
    relation: &'a Relation,
    fork: &'a str,
    pages: Vec<(&'a Page, HeapPage)>,
}

/// Compares all pages of a heap, TOAST table or sequence.
pub fn compare(relation: &Relation, fork: &str, pages: &[Page], client: &mut Client, tally: &mut Tally) {
    let decoded = (0..).zip(pages).map(|(block, page)| (page, HeapPage::decode(page, block)));
    let heap = Heap { relation, fork, pages: decoded.collect() };
    for (block, (page, decoded)) in heap.pages.iter().enumerate() {
        sound(tally, &place(relation, fork, block, None), page, &decoded.regions, &decoded.anomalies);
    }
    heap.items(client, tally);
    if fork == "main" {
        heap.flag_names(client, tally);
        heap.values(client, tally);
    }
}

/// The columns of `heap_page_items` and `heap_page_item_attrs`.
fn item_row(page: &Page, item: &HeapItem, relation: &Relation) -> Ours {
    let tuple = |text: &dyn Fn(&HeapTuple) -> Option<String>| item.tuple.as_ref().and_then(text);
    Ours::from([
        ("lp", some(item.offset)),
        ("lp_off", some(item.lp.lp_off())),
        ("lp_flags", some(item.lp.lp_flags() as u8)),
        ("lp_len", some(item.lp.lp_len())),
        ("t_xmin", tuple(&|t| some(t.t_xmin))),
        ("t_xmax", tuple(&|t| some(t.t_xmax))),
        ("t_field3", tuple(&|t| some(t.t_field3.cast_signed()))),
        ("t_ctid", tuple(&|t| some(t.t_ctid))),
        ("t_infomask2", tuple(&|t| some(t.t_infomask2))),
        ("t_infomask", tuple(&|t| some(t.t_infomask))),
        ("t_hoff", tuple(&|t| some(t.t_hoff))),
        ("t_bits", tuple(&|t| named(&t.fields(page, &[]), "t_bits"))),
        ("t_oid", None),
        ("t_data", tuple(&|t| some(bytea(page.slice(t.data()))))),
        ("t_attrs", tuple(&|t| some(bytea_array(page, &t.columns(page, &relation.attributes))))),
    ])
}

/// The value of the field of that name.
fn named(fields: &[Field], name: &str) -> Option<String> {
    fields.iter().find(|field| field.name == name).map(|field| field.value.clone())
}

/// Bytes as PostgreSQL prints `bytea`.
fn bytea(bytes: &[u8]) -> String {
    bytes.iter().fold("\\x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

/// The bytes of each column as PostgreSQL prints `bytea[]`.
fn bytea_array(page: &Page, columns: &[Datum]) -> String {
    let element = |column: &Datum| match column.storage {
        Storage::Null | Storage::Missing => "NULL".to_owned(),
        _ => format!("\"\\{}\"", bytea(page.slice(column.bytes.clone()))),
    };
    format!("{{{}}}", columns.iter().map(element).collect::<Vec<_>>().join(","))
}

impl Heap<'_> {
    fn item(&self, row: &Row, number: &str) -> (Place, Option<(&Page, &HeapItem)>) {
        let (block, lp) = (row.number("n") as usize, row.number(number));
        let item = self.pages.get(block).and_then(|(page, heap)| Some((*page, heap.items.get(lp as usize - 1)?)));
        (place(self.relation, self.fork, block, Some(lp)), item)
    }

    fn items(&self, client: &mut Client, tally: &mut Tally) {
        let items = self.pages.iter().map(|(_, heap)| heap.items.len()).sum();
        let attrs = format!("heap_page_item_attrs($page, {}::oid::regclass)", self.relation.oid);
        for call in ["heap_page_items($page)", &attrs] {
            let function = call.split('(').next().unwrap_or(call);
            let rows = self.relation.ask(client, self.fork, 0, self.pages.len(), call);
            tally.same_count(&place(self.relation, self.fork, 0, None), &format!("{function} rows"), items, rows.len());
            for row in &rows {
                let (place, Some((page, item))) = self.item(row, "lp") else { continue };
                tally.row(&place, function, row, &item_row(page, item, self.relation), &["n"]);
                // each item comes in both answers
                if function == "heap_page_items" {
                    tally.item();
                }
                self.saw(row, item, tally);
            }
        }
    }

    fn saw(&self, row: &Row, item: &HeapItem, tally: &mut Tally) {
        let states = [LpFlags::Unused, LpFlags::Normal, LpFlags::Redirect, LpFlags::Dead];
        tally.saw(states[row.number("lp_flags") as usize].name());
        if row.get("t_ctid") == Some("(4294967295,65533)") {
            tally.saw("moved to another partition");
        }
        let natts = row.get("t_infomask2").and_then(|text| text.parse::<usize>().ok()).unwrap_or(0) & 0x07FF;
        if item.tuple.is_some() && natts < self.relation.attributes.len() {
            tally.saw("column added later");
        }
    }

    /// Every flag bit has PostgreSQL's name: those of `heap_tuple_infomask_flags`.
    fn flag_names(&self, client: &mut Client, tally: &mut Tally) {
        let call = "heap_page_items($page) i, heap_tuple_infomask_flags(t_infomask, t_infomask2) flags, LATERAL
            (SELECT i.lp, ARRAY(SELECT unnest(raw_flags || combined_flags) ORDER BY 1)::text AS names WHERE t_infomask IS NOT NULL)";
        for row in &self.relation.ask(client, self.fork, 0, self.pages.len(), call) {
            let (place, Some((page, HeapItem { tuple: Some(tuple), .. }))) = self.item(row, "lp") else { continue };
            let fields = tuple.fields(page, &[]);
            let bits = fields.iter().flat_map(|field| &field.bits).filter(|bit| bit.set);
            let mut names: Vec<&str> = bits.map(|bit| bit.name).collect();
            names.sort_unstable();
            tally.row(
                &place,
                "heap_tuple_infomask_flags",
                row,
                &Ours::from([("names", some(format!("{{{}}}", names.join(","))))]),
                &["n", "lp"],
            );
            let theirs = row.get("names").unwrap_or_default().trim_matches(['{', '}']).to_owned();
            theirs.split(',').for_each(|name| tally.saw(name));
        }
    }

    /// Every column of every visible row, as the server prints it.
    fn values(&self, client: &mut Client, tally: &mut Tally) {
        let toast = Toasted::read(self.relation, client, tally.major);
        let rows = ask(client, &format!("SELECT ctid AS \"row's ctid\", * FROM {}", self.relation.name));
        let kept = self.relation.attributes.iter().filter(|attribute| !attribute.dropped);
        let kept: Vec<usize> = kept.map(|attribute| usize::from(attribute.num) - 1).collect();
        for row in &rows {
            let ctid = row.get("row's ctid").unwrap_or_default();
            let (block, lp) = tid(ctid);
            let place = place(self.relation, self.fork, block, Some(lp));
            let found = self
                .pages
                .get(block)
                .and_then(|(page, heap)| Some((*page, heap.items.get(lp as usize - 1)?.tuple.as_ref()?)));
            let Some((page, tuple)) = found else {
                tally.field(&place, "a visible row", None, Some("is there"));
                continue;
            };
            let columns = tuple.columns(page, &self.relation.attributes);
            for ((name, theirs), &i) in row.0.iter().skip(1).zip(&kept) {
                let attribute = &self.relation.attributes[i];
                let ours = match columns[i].storage {
                    Storage::Null => None,
                    Storage::Missing if attribute.missing.is_none() => None,
                    _ => Some(columns[i].text(page, attribute)),
                };
                let theirs = match columns[i].storage {
                    Storage::External => toast.pointer(ctid, name, ours.as_deref().unwrap_or_default()),
                    Storage::Compressed => toast.compressed(ctid, name, theirs.as_deref().unwrap_or_default()),
                    _ if theirs.is_some() && SHOWN_AS_BYTES.contains(&attribute.type_name.as_str()) => {
                        Some(bytea(page.slice(columns[i].payload())))
                    }
                    _ => theirs.clone(),
                };
                tally.field(&place, &format!("{name} {}", attribute.type_name), ours.as_deref(), theirs.as_deref());
                saw_value(&columns[i], &attribute.type_name, tally);
            }
        }
    }
}

fn saw_value(column: &Datum, type_name: &str, tally: &mut Tally) {
    match column.storage {
        Storage::Null => tally.saw("NULL"),
        Storage::Missing => tally.saw("attmissingval"),
        Storage::Compressed => tally.saw("compressed in line"),
        Storage::External => tally.saw("TOAST pointer"),
        _ => tally.saw(type_name),
    }
}

/// `(block,lp)`
pub fn tid(text: &str) -> (usize, u32) {
    let (block, lp) = text.trim_matches(['(', ')']).split_once(',').expect("a TID");
    (block.parse().expect("a block"), lp.parse().expect("a line pointer"))
}

/// What the server says of values that are compressed or out of line: sizes by row and column, and the stored size of
/// each value.
struct Toasted {
    /// size of the value and of what is stored in the row, and the `chunk_id` where the server tells (17 and later)
    columns: BTreeMap<(String, String), (u32, u32, Option<String>)>,
    toast_table: String,
    stored: BTreeMap<String, u32>,
}

impl Toasted {
    fn read(relation: &Relation, client: &mut Client, major: u32) -> Self {
        let mut columns = BTreeMap::new();
        let long = ["text", "bytea"];
        for name in relation.attributes.iter().filter(|a| long.contains(&a.type_name.as_str())).map(|a| &a.name) {
            let chunk = if major >= 17 { format!("pg_column_toast_chunk_id({name})") } else { "NULL".to_owned() };
            let sql = format!(
                "SELECT ctid, octet_length({name}) AS raw, pg_column_size({name}) AS size, {chunk} AS chunk FROM {} WHERE {name} IS NOT NULL",
                relation.name
            );
            for row in ask(client, &sql) {
                let facts = (row.number("raw"), row.number("size"), row.get("chunk").map(str::to_owned));
                columns.insert((row.get("ctid").unwrap_or_default().to_owned(), name.clone()), facts);
            }
        }
        let toast = ask(
            client,
            &format!(
                "SELECT reltoastrelid AS oid, reltoastrelid::regclass AS name FROM pg_class WHERE oid = {}",
                relation.oid
            ),
        );
        let (toast_table, name) = (toast[0].get("oid").unwrap_or_default(), toast[0].get("name").unwrap_or_default());
        let chunks = format!("SELECT chunk_id, sum(octet_length(chunk_data)) AS size FROM {name} GROUP BY 1");
        let chunks = if toast_table == "0" { Vec::new() } else { ask(client, &chunks) };
        let stored = chunks.iter().map(|row| (row.get("chunk_id").unwrap_or_default().to_owned(), row.number("size")));
        Self { columns, toast_table: toast_table.to_owned(), stored: stored.collect() }
    }

    fn facts(&self, ctid: &str, column: &str) -> Option<&(u32, u32, Option<String>)> {
        self.columns.get(&(ctid.to_owned(), column.to_owned()))
    }

    fn compressed(&self, ctid: &str, column: &str, value: &str) -> Option<String> {
        let (raw, size, _) = self.facts(ctid, column)?;
        Some(format!("compressed (pglz), {} of {raw} bytes: {value}", size - 8))
    }

    /// The server does not print the pointer; 13 to 16 do not tell its `chunk_id` either: then ours must be one of the
    /// table's, and its chunks as long as we say.
    fn pointer(&self, ctid: &str, column: &str, ours: &str) -> Option<String> {
        let (raw, _, chunk) = self.facts(ctid, column)?;
        let ours = ours.split("value ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
        let id = chunk.clone().or(ours)?;
        let stored = *self.stored.get(&id)?;
        let how =
            if stored < *raw { format!("stored {stored} compressed (pglz)") } else { "stored uncompressed".to_owned() };
        Some(format!("TOAST pointer: {raw} bytes, {how}, value {id} in relation {}", self.toast_table))
    }
}
