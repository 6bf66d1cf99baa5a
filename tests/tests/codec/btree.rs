//! B-tree pages: `bt_metap`, `bt_page_stats`, `bt_page_items`, and the key of every entry against the row that it leads
//! to.

use crate::heap::tid;
use crate::maps::{place, sound};
use crate::relation::{Relation, ask};
use crate::tally::{Ours, Place, Row, Tally, some};
use ffviz_format::datum::Storage;
use ffviz_format::nbtree::tree::{KeyColumns, Tree};
use ffviz_format::nbtree::{BtItem, BtKind, BtPage, IndexTuple, IndexTupleKind, search};
use ffviz_format::page::{LpFlags, Page, PgVersion};
use postgres::Client;
use std::collections::BTreeMap;

/// The pages of an index.
struct Index<'a> {
    relation: &'a Relation,
    pages: Vec<(&'a Page, BtPage)>,
    version: PgVersion,
}

/// Compares all pages of an index. The server's functions read the main fork only; the init fork must be sound, and
/// empty.
pub fn compare(relation: &Relation, fork: &str, pages: &[Page], client: &mut Client, tally: &mut Tally) {
    let version = PgVersion(tally.major * 10_000);
    let decoded = pages.iter().map(|page| (page, BtPage::decode(page, version)));
    let index = Index { relation, pages: decoded.collect(), version };
    for (block, (page, bt)) in index.pages.iter().enumerate() {
        sound(tally, &place(relation, fork, block, None), page, &bt.regions, &bt.anomalies);
    }
    index.metapage(client, fork, tally);
    if fork == "main" {
        index.statistics(client, tally);
        index.items(client, tally);
        index.keys(client, tally);
        index.tree(client, tally);
        index.search(tally);
    }
}

fn boolean(is: bool) -> Option<String> {
    some(if is { "t" } else { "f" })
}

/// The letter of `bt_page_stats.type`.
const fn type_letter(bt: &BtPage) -> char {
    const BTP_LEAF: u16 = 1;
    match bt.kind {
        BtKind::Deleted if bt.safexid.is_some() && bt.btpo_flags & BTP_LEAF == 0 && bt.items.is_empty() => 'D',
        BtKind::Deleted => 'd',
        BtKind::HalfDead => 'e',
        BtKind::Leaf => 'l',
        _ if bt.is_root() => 'r',
        _ => 'i',
    }
}

/// The columns of `bt_page_stats`.
fn statistics_row(page: &Page, bt: &BtPage, block: usize) -> Ours {
    // 13 keeps the items of a deleted page, but does not count them
    let items: &[BtItem] = if bt.kind == BtKind::Deleted { &[] } else { &bt.items };
    let dead = items.iter().filter(|item| item.lp.lp_flags() == LpFlags::Dead).count();
    let bytes: usize = items.iter().filter_map(|item| item.tuple.as_ref()).map(|t| usize::from(t.size())).sum();
    let hole = page.header().pd_upper().saturating_sub(page.header().pd_lower());
    Ours::from([
        ("blkno", some(block)),
        ("type", some(type_letter(bt))),
        ("live_items", some(items.len() - dead)),
        ("dead_items", some(dead)),
        ("avg_item_size", some(bytes.checked_div(items.len()).unwrap_or(0))),
        ("page_size", some(page.header().page_size())),
        ("free_size", some(hole.saturating_sub(4))),
        ("btpo_prev", some(bt.btpo_prev)),
        ("btpo_next", some(bt.btpo_next)),
        ("btpo_level", some(bt.btpo_level)),
        ("btpo", some(bt.btpo_level)),
        ("btpo_flags", some(bt.btpo_flags)),
    ])
}

/// Bytes as `bt_page_items` prints them.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// The columns of `bt_page_items`.
fn item_row(page: &Page, item: &BtItem, tuple: &IndexTuple) -> Ours {
    let is_leaf_data = tuple.n_keys().is_none();
    let tids = match &tuple.kind {
        IndexTupleKind::Posting(tids) => {
            some(format!("{{{}}}", tids.iter().map(|tid| format!("\"{tid}\"")).collect::<Vec<_>>().join(",")))
        }
        _ => None,
    };
    let is_dead = item.lp.lp_flags() == LpFlags::Dead;
    Ours::from([
        ("itemoffset", some(item.offset)),
        ("ctid", some(tuple.t_tid)),
        ("itemlen", some(tuple.size())),
        ("nulls", boolean(tuple.has_nulls())),
        ("vars", boolean(tuple.has_varwidths())),
        ("data", some(hex(page.slice(tuple.key.clone())))),
        ("dead", if is_leaf_data { boolean(is_dead) } else { None }),
        ("htid", tuple.heap_tids().first().and_then(some)),
        ("tids", tids),
    ])
}

impl Index<'_> {
    fn metapage(&self, client: &mut Client, fork: &str, tally: &mut Tally) {
        let place = place(self.relation, fork, 0, None);
        let Some((page, BtPage { meta: Some(meta), .. })) = self.pages.first().map(|(page, bt)| (page, bt)) else {
            return tally.field(&place, "block 0", Some("other page"), Some("metapage"));
        };
        if fork != "main" {
            return tally.field(&place, "root of an init fork", Some(&meta.btm_root.to_string()), Some("0"));
        }
        let ours = Ours::from([
            ("magic", some(meta.btm_magic)),
            ("version", some(meta.btm_version)),
            ("root", some(meta.btm_root)),
            ("level", some(meta.btm_level)),
            ("fastroot", some(meta.btm_fastroot)),
            ("fastlevel", some(meta.btm_fastlevel)),
            ("oldest_xact", some(meta.btm_cleanup)),
            ("last_cleanup_num_delpages", some(meta.btm_cleanup)),
            ("last_cleanup_num_tuples", some(meta.btm_last_cleanup_num_heap_tuples)),
            ("allequalimage", boolean(meta.btm_allequalimage)),
        ]);
        let rows = ask(client, &format!("SELECT * FROM bt_metap('{}')", self.relation.name));
        tally.row(&place, "bt_metap", &rows[0], &ours, &[]);
        for row in &rows {
            tally.saw(format!("level {} tree", row.get("level").unwrap_or_default()));
            tally.saw(if row.get("root") == Some("0") { "tree without root" } else { "tree with root" });
        }
        let decoded = &self.pages[0].1;
        let fields = decoded.meta_fields(page, self.version).len() + decoded.special_fields(page, self.version).len();
        tally.same_count(&place, "fields of metapage and special space", fields, 11 + 5);
    }

    fn statistics(&self, client: &mut Client, tally: &mut Tally) {
        let call = format!("bt_page_stats('{}', n::int)", self.relation.name);
        let rows = self.relation.ask(client, "main", 1, self.pages.len(), &call);
        tally.same_count(
            &place(self.relation, "main", 0, None),
            "bt_page_stats rows",
            self.pages.len() - 1,
            rows.len(),
        );
        for row in &rows {
            let block = row.number("blkno") as usize;
            let (page, bt) = &self.pages[block];
            let mut ours = statistics_row(page, bt, block);
            // 13 returns before it has filled in the rest of a deleted page's row
            let unset = ["avg_item_size", "free_size", "btpo_prev", "btpo_next", "btpo_flags"];
            let is_unset = tally.major == 13 && row.get("type") == Some("d");
            for name in unset.iter().filter(|_| is_unset) {
                ours.remove(name);
            }
            let skip = if is_unset { [&["n"], &unset[..]].concat() } else { vec!["n"] };
            tally.row(&place(self.relation, "main", block, None), "bt_page_stats", row, &ours, &skip);
            tally.saw(format!("page type {}", row.get("type").unwrap_or_default()));
            let fields = bt.special_fields(page, self.version);
            let bits = fields.iter().flat_map(|field| &field.bits).filter(|bit| bit.set);
            bits.for_each(|bit| tally.saw(bit.name));
        }
    }

    fn items(&self, client: &mut Client, tally: &mut Tally) {
        let call = format!("bt_page_items('{}', n::int)", self.relation.name);
        let rows = self.relation.ask(client, "main", 1, self.pages.len(), &call);
        let items = self.pages.iter().map(|(_, bt)| bt.items.len()).sum();
        tally.same_count(&place(self.relation, "main", 0, None), "bt_page_items rows", items, rows.len());
        for row in &rows {
            let (block, offset) = (row.number("n") as usize, row.number("itemoffset"));
            let place = place(self.relation, "main", block, Some(offset));
            let (page, bt) = &self.pages[block];
            let item = bt.items.get(offset as usize - 1).and_then(|item| Some((item, item.tuple.as_ref()?)));
            let Some((item, tuple)) = item else {
                tally.field(&place, "an item", None, Some("is there"));
                continue;
            };
            tally.item();
            tally.row(&place, "bt_page_items", row, &item_row(page, item, tuple), &["n"]);
            self.saw(row, bt, tuple, tally);
            self.check_fields(&place, page, tuple, tally);
        }
    }

    fn saw(&self, row: &Row, bt: &BtPage, tuple: &IndexTuple, tally: &mut Tally) {
        let is_pivot = row.get("dead").is_none();
        let seen = [
            (row.get("dead") == Some("t"), "killed item"),
            (row.get("tids").is_some(), "posting list"),
            (row.get("nulls") == Some("t"), "NULL key"),
            (is_pivot && row.get("htid").is_some(), "heap TID in a pivot"),
            (bt.kind == BtKind::Internal && row.get("data") == Some(""), "minus infinity"),
            (tuple.n_keys().is_some_and(|n| n > 0 && n < self.relation.n_keys), "truncated key attribute"),
            (is_pivot && self.relation.attributes.len() > usize::from(self.relation.n_keys), "pivot without INCLUDE"),
        ];
        seen.iter().filter(|(is, _)| *is).for_each(|(_, what)| tally.saw(*what));
    }

    /// The fields that the inspector shows lie one after another within the tuple and leave only padding between them.
    fn check_fields(&self, place: &Place, page: &Page, tuple: &IndexTuple, tally: &mut Tally) {
        let mut at = tuple.bytes.start;
        let mut stray = Vec::new();
        for field in tuple.fields(page, &self.relation.attributes, self.relation.n_keys) {
            if field.bytes.start < at || field.bytes.end > tuple.bytes.end {
                stray.push(field.name);
            } else if page.slice(at..field.bytes.start).iter().any(|byte| *byte != 0) {
                stray.push(format!("bytes before {}", field.name));
            }
            at = at.max(field.bytes.end);
        }
        if page.slice(at..tuple.bytes.end).iter().any(|byte| *byte != 0) {
            stray.push("bytes after the last field".to_owned());
        }
        tally.field(place, "fields outside of the tuple, or bytes without a field", Some(&stray.join(", ")), Some(""));
    }

    /// Each entry has the values of the row it leads to, where a visible row is there.
    fn keys(&self, client: &mut Client, tally: &mut Tally) {
        let columns = self.relation.expressions.join(", ");
        let table = self.relation.table.as_deref().unwrap_or_default();
        let rows = ask(client, &format!("SELECT ctid AS \"row's ctid\", {columns} FROM {table}"));
        let by_tid: BTreeMap<(usize, u32), &Row> =
            rows.iter().map(|row| (tid(row.get("row's ctid").unwrap_or_default()), row)).collect();
        for (block, (page, bt)) in self.pages.iter().enumerate().filter(|(_, (_, bt))| bt.kind == BtKind::Leaf) {
            for item in bt.data_items() {
                let Some(tuple) = &item.tuple else { continue };
                for heap_tid in tuple.heap_tids() {
                    let Some(row) = by_tid.get(&(heap_tid.block as usize, u32::from(heap_tid.offset.0))) else {
                        continue;
                    };
                    let place = place(self.relation, "main", block, Some(u32::from(item.offset.0)));
                    self.compare_key(&place, page, tuple, row, tally);
                }
            }
        }
    }

    fn compare_key(&self, place: &Place, page: &Page, tuple: &IndexTuple, row: &Row, tally: &mut Tally) {
        let columns = tuple.columns(page, &self.relation.attributes);
        for ((column, attribute), (name, theirs)) in
            columns.iter().zip(&self.relation.attributes).zip(row.0.iter().skip(1))
        {
            let text = column.text(page, attribute);
            let ours = match column.storage {
                Storage::Null => None,
                // how it is compressed, then the value
                Storage::Compressed => {
                    tally.saw("compressed key");
                    text.split_once(": ").map(|(_, value)| value.to_owned())
                }
                _ => Some(text),
            };
            tally.field(place, &format!("key {name}"), ours.as_deref(), theirs.as_deref());
            tally.saw(format!("key {}", attribute.type_name));
        }
    }

    /// The index by level: as many levels as the metapage says, each joined by its right links, and apart from them
    /// what the server calls deleted.
    fn tree(&self, client: &mut Client, tally: &mut Tally) {
        let place = place(self.relation, "main", 0, None);
        let columns = KeyColumns { attributes: &self.relation.attributes, n_keys: self.relation.n_keys };
        let pages = (0..).zip(self.pages.iter().map(|(page, _)| *page));
        let tree = Tree::build(pages, self.version, columns, Tree::default());
        let texts: Vec<&str> = tree.anomalies.iter().map(|anomaly| anomaly.text.as_str()).collect();
        tally.field(&place, "anomalies of the tree", Some(&texts.join("; ")), Some(""));

        let meta = &ask(client, &format!("SELECT * FROM bt_metap('{}')", self.relation.name))[0];
        let levels = if meta.get("root") == Some("0") { 0 } else { meta.number("level") as usize + 1 };
        tally.same_count(&place, "levels of the tree", tree.levels.len(), levels);
        let deleted = "SELECT count(*) FROM generate_series(1, pg_relation_size($1::text::regclass) / 8192 - 1) n, bt_page_stats($1, n::int)
                       WHERE type IN ('d', 'D')";
        let deleted: i64 = client.query_one(deleted, &[&self.relation.name]).expect("pages can be read").get(0);
        let apart = tree.apart.iter().filter(|node| node.contents.as_ref().is_some_and(|c| c.page.kind != BtKind::New));
        tally.same_count(&place, "pages apart from the tree", apart.count(), deleted as usize);
        let placed = tree.nodes().count() + tree.apart.len() + usize::from(tree.metapage.is_some());
        tally.same_count(&place, "pages in the tree", placed, self.pages.len());
        for level in &tree.levels {
            let rights = level.nodes.iter().map(|node| node.contents.as_ref().map_or(0, |c| c.page.btpo_next));
            let next = level.nodes.iter().skip(1).map(|node| node.block).chain([0]);
            let broken = rights.zip(next).filter(|(right, next)| right != next).count();
            tally.same_count(&place, "right links that lead elsewhere", broken, 0);
        }
    }

    /// Entries are found again from the heap tuple that they lead to; a few of each index.
    fn search(&self, tally: &mut Tally) {
        let leaves = self.pages.iter().enumerate().filter(|(_, (_, bt))| bt.kind == BtKind::Leaf);
        for (block, (_, bt)) in leaves.step_by(1 + self.pages.len() / 10) {
            let Some((item, tuple)) = bt.data_items().last().and_then(|item| Some((item, item.tuple.as_ref()?))) else {
                continue;
            };
            let Some(heap_tid) = tuple.heap_tids().last() else { continue };
            let pages = (0..).zip(self.pages.iter().map(|(page, _)| *page));
            let found = search::entries(pages, self.version, *heap_tid);
            let is_there = found.iter().any(|entry| entry.block as usize == block && entry.offset == item.offset);
            let place = place(self.relation, "main", block, Some(u32::from(item.offset.0)));
            tally.field(&place, "found from its heap tuple", Some(&is_there.to_string()), Some("true"));
        }
    }
}
