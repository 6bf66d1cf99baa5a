-- Which sessions wait for a lock, and do so because of another session of the script.
-- $1: process ids of the sessions
SELECT pid FROM unnest($1) AS pid WHERE pg_blocking_pids(pid) && $1
