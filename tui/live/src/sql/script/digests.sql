-- A digest of each page of some forks, so that only those that changed have to be sent.
-- $1: oids, $2: forks, $3: how many pages of each; PAGES is put in: what gives the pages of one
SELECT f.oid, f.fork, p.block, sha256(p.page) AS digest
  FROM unnest($1, $2, $3) AS f (oid, fork, blocks)
  JOIN pg_class c ON c.oid = f.oid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL PAGES AS p
