-- Where the counters stand, without moving them: a snapshot's xmax is behind ids that are assigned and still running, which hold their locks.
SELECT greatest(txid_snapshot_xmax(txid_current_snapshot()) & 4294967295,
                (SELECT max(transactionid::text::int8) + 1 FROM pg_locks
                  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted)) AS xid,
       mxid_age('1') + 1 AS multi,
       pg_current_wal_insert_lsn()::text AS lsn
