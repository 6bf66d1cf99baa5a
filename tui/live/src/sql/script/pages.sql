-- Pages of any relations, one a row.
-- $1: oids, $2: forks, $3: blocks; PAGES is put in: what gives the page of one
SELECT f.oid, f.fork, p.block, p.page
  FROM unnest($1, $2, $3) AS f (oid, fork, at)
  JOIN pg_class c ON c.oid = f.oid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL PAGES AS p
