-- ANALYZE of some columns leaves what is known of the others; the values that it met stand in pg_stats.
create table t (a int, b text, c numeric);
insert into t select g, 'v' || g % 4, g % 10 from generate_series(1, 400) g;
analyze t (b);
select attname, null_frac, n_distinct, most_common_vals, most_common_freqs, histogram_bounds from pg_stats where tablename = 't' order by attname;
update t set b = 'w';
analyze verbose t (a, c);
select attname, n_distinct, most_common_vals, array_length(histogram_bounds, 1) from pg_stats where tablename = 't' order by attname;
select tablename, attname, inherited, null_frac, avg_width, n_distinct, most_common_vals, histogram_bounds, correlation from pg_stats where tablename = 't' and attname = 'b';
analyze t (a, nothing);
analyze t (a, a);
analyze (verbose) t;
select attname, n_distinct, most_common_vals from pg_stats where tablename = 't' order by attname;
