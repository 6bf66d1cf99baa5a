//! Workloads about what is neither a table's nor a B-tree's: transactions, the server, logical decoding, other access
//! methods.

use super::Workload;

pub(super) const ALL: &[Workload] = &[
    Workload::new("inplace", INPLACE),
    Workload::new("standby_locks", STANDBY_LOCKS),
    Workload::new("other_indexes", OTHER_INDEXES),
    Workload::own("logical", LOGICAL),
    Workload::own("replica_identity", REPLICA_IDENTITY),
    Workload::own("logical_rewrite", LOGICAL_REWRITE),
    Workload::own("prepared", PREPARED),
    Workload::own("checkpoints", CHECKPOINTS),
    Workload::own("compressed_images", COMPRESSED_IMAGES),
    Workload::own("cluster_wide", CLUSTER_WIDE),
    Workload::own("many_xids", MANY_XIDS),
    Workload::own("origins", ORIGINS),
];

/// Rows of the catalog that are overwritten where they are.
const INPLACE: &str = "
CREATE TABLE t (id int);
INSERT INTO t SELECT generate_series(1, 500);
VACUUM t;
ANALYZE t;
CREATE INDEX ON t (id);
DELETE FROM t WHERE id < 100;
VACUUM (FREEZE, ANALYZE) t;
";

const STANDBY_LOCKS: &str = "
CREATE TABLE t (id int);
BEGIN;
LOCK TABLE t;
INSERT INTO t VALUES (1);
@1 SELECT txid_current();
COMMIT;
ALTER TABLE t ADD n int;
DROP TABLE t;
";

const OTHER_INDEXES: &str = "
CREATE TABLE t (id int, words text[], place point, span int4range, note text);
CREATE INDEX ON t USING hash (id);
CREATE INDEX ON t USING gin (words);
CREATE INDEX ON t USING gist (span);
CREATE INDEX ON t USING spgist (place);
CREATE INDEX ON t USING brin (id) WITH (pages_per_range = 2, autosummarize = off);
CREATE EXTENSION IF NOT EXISTS bloom SCHEMA public;
CREATE INDEX ON t USING bloom (id);
INSERT INTO t SELECT i, ARRAY['a' || i % 9, 'b' || i % 31], point(i % 37, i), int4range(i, i + 5), repeat('n', 30) FROM generate_series(1, 1500) i;
UPDATE t SET words = words || 'c'::text, place = point(1, id) WHERE id % 5 = 0;
DELETE FROM t WHERE id % 2 = 0;
VACUUM t;
SELECT brin_summarize_new_values('t_id_idx1');
SELECT brin_desummarize_range('t_id_idx1', 0);
INSERT INTO t SELECT i, ARRAY['a' || i % 9], point(i % 37, i), int4range(i, i + 5), 'n' FROM generate_series(3000, 3900) i;
DELETE FROM t WHERE id < 3500;
VACUUM t;
INSERT INTO t SELECT i, ARRAY['d' || i], point(i, i), int4range(i, i + 5), 'n' FROM generate_series(4000, 4300) i;
";

/// What is logged for logical decoding only.
const LOGICAL: &str = "
CREATE TABLE t (id int PRIMARY KEY, doc text);
INSERT INTO t SELECT i, 'x' FROM generate_series(1, 40) i;
BEGIN;
INSERT INTO t VALUES (50, 'outer');
SAVEPOINT a;
INSERT INTO t VALUES (51, 'inner');
CREATE TABLE made_inside (id int);
SELECT pg_logical_emit_message(true, 'prefix', 'transactional');
RELEASE a;
TRUNCATE t, made_inside;
COMMIT;
SELECT pg_logical_emit_message(false, 'prefix', 'not transactional');
INSERT INTO t VALUES (1, 'one') ON CONFLICT DO NOTHING;
CREATE TABLE c (id int) WITH (user_catalog_table = true);
INSERT INTO c SELECT generate_series(1, 10);
UPDATE c SET id = id + 1;
DELETE FROM c WHERE id < 3;
VACUUM c;
COPY t FROM PROGRAM 'for i in $(seq 100 140); do printf \"%s\\trow\\n\" $i; done';
";

const REPLICA_IDENTITY: &str = "
CREATE TABLE f (id int PRIMARY KEY, n int, doc text);
ALTER TABLE f REPLICA IDENTITY FULL;
ALTER TABLE f ALTER doc SET STORAGE EXTERNAL;
INSERT INTO f SELECT i, 0, repeat('d', i * 60) FROM generate_series(1, 60) i;
UPDATE f SET n = n + 1;
DELETE FROM f WHERE id % 3 = 0;
CREATE TABLE k (id int PRIMARY KEY, other int NOT NULL, n int);
CREATE UNIQUE INDEX k_other ON k (other);
INSERT INTO k SELECT i, i, 0 FROM generate_series(1, 60) i;
UPDATE k SET n = 1 WHERE id < 10;
UPDATE k SET id = id + 100 WHERE id < 20;
DELETE FROM k WHERE id = 30;
ALTER TABLE k REPLICA IDENTITY USING INDEX k_other;
UPDATE k SET other = other + 100 WHERE n = 1;
DELETE FROM k WHERE other = 40;
ALTER TABLE k REPLICA IDENTITY NOTHING;
DELETE FROM k WHERE other = 41;
";

/// A logical slot makes VACUUM FULL say where versions of catalog rows went.
const LOGICAL_REWRITE: &str = "
CREATE TABLE c (id int PRIMARY KEY, n int) WITH (user_catalog_table = true);
SELECT pg_create_logical_replication_slot('ffviz_rewrite', 'test_decoding');
BEGIN;
INSERT INTO c SELECT i, 0 FROM generate_series(1, 30) i;
UPDATE c SET n = 1;
COMMIT;
UPDATE c SET n = 2 WHERE id < 20;
DELETE FROM c WHERE id = 25;
VACUUM FULL c;
SELECT pg_drop_replication_slot('ffviz_rewrite');
";

const PREPARED: &str = "
CREATE TABLE t (id int PRIMARY KEY);
BEGIN;
INSERT INTO t VALUES (1), (2);
SAVEPOINT s;
INSERT INTO t VALUES (3);
CREATE TABLE made (id int);
PREPARE TRANSACTION 'ffviz one';
BEGIN;
INSERT INTO t VALUES (5);
PREPARE TRANSACTION 'ffviz two';
COMMIT PREPARED 'ffviz one';
ROLLBACK PREPARED 'ffviz two';
";

const CHECKPOINTS: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, filler text);
INSERT INTO t SELECT i, 0, md5(i::text) FROM generate_series(1, 800) i;
CHECKPOINT;
UPDATE t SET n = 1 WHERE id % 40 = 0;
INSERT INTO t SELECT i, 0, 'x' FROM generate_series(1001, 1010) i;
DELETE FROM t WHERE id BETWEEN 100 AND 130;
CHECKPOINT;
VACUUM t;
CHECKPOINT;
DELETE FROM t WHERE id BETWEEN 200 AND 240;
SELECT count(*) FROM t;
SELECT pg_switch_wal();
SELECT pg_create_restore_point('ffviz point');
ALTER SYSTEM SET full_page_writes = off;
SELECT pg_reload_conf();
SELECT pg_sleep(0.3);
CHECKPOINT;
UPDATE t SET n = 2 WHERE id % 40 = 0;
ALTER SYSTEM RESET full_page_writes;
SELECT pg_reload_conf();
SELECT pg_sleep(0.3);
13-14: SELECT pg_start_backup('ffviz', true, false);
15+: SELECT pg_backup_start('ffviz', true);
UPDATE t SET n = 3 WHERE id % 40 = 0;
13-14: SELECT lsn FROM pg_stop_backup(false, false);
15+: SELECT lsn FROM pg_backup_stop(false);
UPDATE t SET n = 4 WHERE id = 77;
";

/// First changes after a checkpoint, their images compressed by pglz.
const COMPRESSED_IMAGES: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, filler text) WITH (fillfactor = 80);
CREATE INDEX by_n ON t (n);
INSERT INTO t SELECT i, i % 10, repeat('filler ', 10) || i FROM generate_series(1, 1500) i;
CREATE TABLE scattered (id uuid PRIMARY KEY);
INSERT INTO scattered SELECT md5(i::text)::uuid FROM generate_series(1, 600) i;
SET wal_compression = on;
CHECKPOINT;
UPDATE t SET n = n + 1 WHERE id % 30 = 0;
DELETE FROM t WHERE id BETWEEN 400 AND 500;
INSERT INTO scattered SELECT md5(i::text)::uuid FROM generate_series(601, 700) i;
CHECKPOINT;
VACUUM t;
CREATE INDEX ON t (filler);
SELECT pg_logical_emit_message(false, 'long', repeat('0123456789abcdef', 9000));
";

const CLUSTER_WIDE: &str = "
CREATE DATABASE ffviz_made;
ALTER DATABASE ffviz_made CONNECTION LIMIT 3;
15+: CREATE DATABASE ffviz_copied TEMPLATE template0 STRATEGY file_copy;
15+: DROP DATABASE ffviz_copied;
DROP DATABASE ffviz_made;
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE ffviz_space LOCATION '';
CREATE TABLE t (id int) TABLESPACE ffviz_space;
INSERT INTO t VALUES (1);
ALTER TABLE t SET TABLESPACE pg_default;
DROP TABLESPACE ffviz_space;
CREATE ROLE ffviz_made;
DROP ROLE ffviz_made;
VACUUM FULL pg_class;
VACUUM (FREEZE) pg_class;
16+: SELECT pg_log_standby_snapshot();
";

/// Enough transactions for a new page of pg_xact and of pg_commit_ts.
const MANY_XIDS: &str = "
CREATE TABLE t (id int, n int);
INSERT INTO t VALUES (1, 0);
CREATE PROCEDURE burn(n int) LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..n LOOP PERFORM txid_current(); COMMIT; END LOOP; END $$;
SET synchronous_commit = off;
CALL burn(33000);
";

/// Records with a replication origin.
const ORIGINS: &str = "
CREATE TABLE t (id int);
SELECT pg_replication_origin_create('ffviz origin');
SELECT pg_replication_origin_session_setup('ffviz origin');
BEGIN;
SELECT pg_replication_origin_xact_setup('0/1234', now());
INSERT INTO t SELECT generate_series(1, 20);
UPDATE t SET id = id + 1 WHERE id < 5;
DELETE FROM t WHERE id = 9;
SELECT pg_logical_emit_message(true, 'prefix', 'from elsewhere');
COMMIT;
SELECT pg_replication_origin_session_reset();
SELECT pg_replication_origin_advance('ffviz origin', '0/5678');
SELECT pg_replication_origin_drop('ffviz origin');
";
