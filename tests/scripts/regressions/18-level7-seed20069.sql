-- Found by the random scripts: page t/main:: pd_flags.
create table t0 (a int primary key, c0 int, c1 text, c2 timestamp);
insert into t0 (a, c0, c1) select g, g % 7, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' from generate_series(0, 33, 3) g;
--@ session B
insert into t0 values (1, 21967, 'ccccaaaaaabaabcabbbbaaaacbbabbacbccbbaacbbbaabcbbbcabbaababbaabaacabacbabacacabcaabcabacbbcbacbbbabcccccabbbacbcaaaacaccccbaccbaccaaaabacbaabbbcacbcbacba', '2000-05-04 09:15:38') on conflict (a) do update set c0 = excluded.c0;
begin isolation level repeatable read;
select a from t0 where a % 3 = 1 and a between 1 and 35 order by a limit 5;
--@ session A
insert into t0 (a, c0, c1) select g, g % 7, 'aaaaaaaaaaaaaaaa' from generate_series(69, 228, 3) g;
update t0 set c2 = '2019-01-26 00:07:07' where a % 3 = 0 and a between 9 and 20;
insert into t0 (a, c0, c1) select g, g % 7, 'aa' from generate_series(231, 366, 3) g;
--@ session B
insert into t0 (a, c0, c1) select g, g % 7, 'aacacabaabcccacaccacbabcacaabbbcabaabaccaabacaccbbaabcbaccbcbbcaacacabbbcbcbcbcbabccbabacabcaabacbccacabcabcbaccabcaacbacacbbbcbbaaabaabccbaaabbbaaabbbababcccbaccbbcbcccaaaacaaaabccccccbababbcbabcbbbbaaacacbcccb' from generate_series(1, 34, 3) g;
--@ session A
update t0 set c2 = '2033-12-10 17:24:02' where a = 24;
