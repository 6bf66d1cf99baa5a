//! An order-entry workload on tables with fillfactor 100 and 75: their size, and the size that a drive needs that
//! compresses each block of 4 KiB.

use super::lab::{Codec, Lab, Workload, system};
use super::{Experiment, Origin, Outcome, Row};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use ffviz_format::page::Page;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "compressing-storage",
    article: "ScaleFlux, In-storage transparent compression, part 2: improve the TPS performance of PostgreSQL",
    claim: "With fillfactor 75 in place of 100 transactions a second grow by 33 per cent. On an ordinary drive the database grows from 740 to 905 GB, on one that \
            compresses blocks of 4 KiB from 178 to 189 GB: empty space compresses to nothing.",
    unit: "districts with 300 customers",
    scale: 10,
    article_scale: 500,
    keys: &[
        ("logical_mb", "tables and indexes after the run, MB"),
        ("lz4_mb", "their blocks of 4 KiB, each compressed by lz4, MB"),
        ("zlib_mb", "the same by zlib, MB"),
        ("logical_growth", "logical size beside that of fillfactor 100, per cent"),
        ("physical_growth", "the same of the size by zlib, per cent"),
        ("hot", "HOT updates of all, per cent"),
        ("touched", "pages changed a transaction, each once a statement"),
    ],
    run,
};

/// What the article has of the logical and the physical size, GB.
const ARTICLE: [(u32, f64, f64); 2] = [(100, 740.0, 178.0), (75, 905.0, 189.0)];
/// Bytes of a block of the drive.
const BLOCK: usize = 4096;
const MEGA: f64 = 1_048_576.0;

const TABLES: &str = "CREATE TABLE warehouse (w_id int PRIMARY KEY, w_ytd bigint, w_name text) WITH (fillfactor = {ff});
    CREATE TABLE district (d_id int PRIMARY KEY, d_ytd bigint, d_orders int, d_name text) WITH (fillfactor = {ff});
    CREATE TABLE customer (c_id int PRIMARY KEY, c_d_id int, c_balance bigint, c_payments int, c_last text, c_data text) WITH (fillfactor = {ff});
    CREATE TABLE stock (s_id int PRIMARY KEY, s_quantity int, s_ytd bigint, s_orders int, s_data text) WITH (fillfactor = {ff});
    CREATE TABLE orders (o_id bigserial PRIMARY KEY, o_c_id int, o_carrier int, o_lines int, o_note text) WITH (fillfactor = {ff});
    CREATE TABLE order_line (l_o_id bigint, l_n int, l_s_id int, l_amount int, l_delivered int, l_info text, PRIMARY KEY (l_o_id, l_n)) WITH (fillfactor = {ff});
    CREATE TABLE payment (p_c_id int, p_d_id int, p_amount int, p_data text) WITH (fillfactor = {ff});
    INSERT INTO warehouse SELECT g, 0, 'warehouse' FROM generate_series(1, ({w} + 9) / 10) g;
    INSERT INTO district SELECT g, 0, 1, 'district' FROM generate_series(1, {w}) g;
    INSERT INTO customer SELECT g, (g - 1) / 300 + 1, 0, 0, left(md5(g::text), 12), md5(g::text) || repeat(' good credit since the first order', 8)
        FROM generate_series(1, {w} * 300) g;
    INSERT INTO stock SELECT g, 50, 0, 0, md5(g::text) || repeat(' stock of an item', 10) FROM generate_series(1, {w} * 1000) g;
    INSERT INTO orders (o_c_id, o_carrier, o_lines, o_note) SELECT g, 1, 10, 'all local' FROM generate_series(1, {w} * 300) g;
    INSERT INTO order_line SELECT (g - 1) / 10 + 1, (g - 1) % 10, g % 1000 + 1, g % 1000, 0, left(md5(g::text), 24) FROM generate_series(1, {w} * 3000) g;
    CREATE INDEX ON customer (c_last);
    CREATE INDEX ON orders (o_c_id);
    VACUUM ANALYZE;";

const NEW_ORDER: &str = "\\set c random(1, 300 * :scale)
\\set d random(1, :scale)
\\set s1 random(1, 1000 * :scale)
\\set s2 random(1, 1000 * :scale)
\\set s3 random(1, 1000 * :scale)
\\set q random(1, 10)
BEGIN;
UPDATE district SET d_orders = d_orders + 1 WHERE d_id = :d;
INSERT INTO orders (o_c_id, o_carrier, o_lines, o_note) VALUES (:c, NULL, 3, 'all local');
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_orders = s_orders + 1 WHERE s_id = :s1;
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_orders = s_orders + 1 WHERE s_id = :s2;
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_orders = s_orders + 1 WHERE s_id = :s3;
INSERT INTO order_line VALUES (currval('orders_o_id_seq'), 1, :s1, :q, 0, 'dist info of the first line');
INSERT INTO order_line VALUES (currval('orders_o_id_seq'), 2, :s2, :q, 0, 'dist info of the next line');
INSERT INTO order_line VALUES (currval('orders_o_id_seq'), 3, :s3, :q, 0, 'dist info of the last line');
END;
";
const PAYMENT: &str = "\\set c random(1, 300 * :scale)
\\set d random(1, :scale)
\\set w random(1, (:scale + 9) / 10)
\\set a random(1, 5000)
BEGIN;
UPDATE warehouse SET w_ytd = w_ytd + :a WHERE w_id = :w;
UPDATE district SET d_ytd = d_ytd + :a WHERE d_id = :d;
UPDATE customer SET c_balance = c_balance - :a, c_payments = c_payments + 1 WHERE c_id = :c;
INSERT INTO payment VALUES (:c, :d, :a, 'a warehouse and its district');
END;
";
const DELIVERY: &str = "\\set o random(1, 300 * :scale)
\\set k random(1, 10)
BEGIN;
UPDATE orders SET o_carrier = :k WHERE o_id = :o;
UPDATE order_line SET l_delivered = 1 WHERE l_o_id = :o;
END;
";
const STATUS: &str = "\\set c random(1, 300 * :scale)
SELECT c_balance FROM customer WHERE c_id = :c;
";

/// Transactions of a district.
const TRANSACTIONS: u64 = 600;

fn run(lab: &mut Lab<'_>, scale: u64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut first = None;
    for (fillfactor, logical, physical) in ARTICLE {
        (lab.say)(&format!("fillfactor {fillfactor}"));
        let Some(mut server) = lab.open(lab.newest(), &[])? else { continue };
        server.sql(lab, &TABLES.replace("{ff}", &fillfactor.to_string()).replace("{w}", &scale.to_string()))?;
        let workload = Workload {
            scripts: &[(NEW_ORDER, 45), (PAYMENT, 43), (DELIVERY, 4), (STATUS, 8)],
            transactions: TRANSACTIONS * scale,
            scale,
            checkpoint_every: None,
            autovacuum: false,
            seed: 1,
        };
        let (mut server, samples) = server.run(lab, workload)?;
        let [whole, lz4, zlib] = sizes(lab, &server.pages(None)?);
        let (usage, n) = (samples.usage(), samples.transactions().max(1) as f64);
        let base = *first.get_or_insert([whole, zlib]);
        let growth = |size: f64, base: f64| (size / base - 1.0) * 100.0;
        // a server's WAL does not tell which statement a change is of
        let touched = (lab.origin() == Origin::Simulated).then(|| ("touched", usage.pages_changed as f64 / n));
        outcome.rows.push(Row {
            origin: lab.origin(),
            system: system(lab.newest()),
            case: vec![("fillfactor", fillfactor.to_string())],
            measured: [
                ("logical_mb", whole / MEGA),
                ("lz4_mb", lz4 / MEGA),
                ("zlib_mb", zlib / MEGA),
                ("logical_growth", growth(whole, base[0])),
                ("physical_growth", growth(zlib, base[1])),
                ("hot", usage.tup_hot_updated as f64 * 100.0 / usage.tup_updated.max(1) as f64),
            ]
            .into_iter()
            .chain(touched)
            .collect(),
            published: vec![
                ("logical_growth", growth(logical, ARTICLE[0].1)),
                ("physical_growth", growth(physical, ARTICLE[0].2)),
            ],
        });
        outcome.runs.push((format!("fillfactor {fillfactor}"), samples));
    }
    outcome.notes = [
        "The workload is of the kind of TPC-C, in words of its own: 45 % new orders, 43 % payments, 4 % deliveries, 8 % questions. The article runs Sysbench-TPCC.",
        "A drive's compression is not told; lz4 and zlib stand for a fast and a thorough one.",
    ]
    .map(String::from)
    .into();
    Ok(outcome)
}

/// Pages as they are, and block by block by lz4 and zlib. What does not get smaller is stored as it is.
fn sizes(lab: &Lab<'_>, pages: &[Page]) -> [f64; 3] {
    let mut sum = [0_usize; 3];
    for part in pages.iter().flat_map(|page| page.bytes().chunks(BLOCK)) {
        sum[0] += part.len();
        sum[1] += (lab.compressed)(Codec::Lz4, part).min(part.len());
        sum[2] += (lab.compressed)(Codec::Zlib, part).min(part.len());
    }
    sum.map(|bytes| bytes as f64)
}
