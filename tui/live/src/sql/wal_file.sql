-- A piece of a file of pg_wal; NULL when there is no such file.
-- $1: name, $2: offset, $3: length
SELECT pg_read_binary_file('pg_wal/' || $1, $2, $3, true) AS bytes
