-- Files of catalogs that have numbers as those of users' relations have.
SELECT file FROM pg_class, pg_relation_filenode(oid) AS file WHERE oid < 16384 AND file >= 16384
