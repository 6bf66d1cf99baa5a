-- Found by the random scripts: what shares its group of 32 transaction ids with a commit of unlogged work waits for the walwriter.
create unlogged table t0 (a int primary key, c0 int, c1 text, c2 char(40), c3 double precision, c4 smallint) with (fillfactor = 95);
create table t1 (a int, c0 int, c1 text, c2 char(40), c3 int) with (fillfactor = 80);
--@ session C
insert into t1 values (2, -19178, 'lrqmcoyajbbicwtyezritleisotbgnoewnmeqqzrrswuknbpcaqjqbkokaukkutyszrmxlnlmiscwwbyzpgfnxdxxbogwpmlhmjchvdrxzimlaummjtaofojeqvz', 'bbaaaaccbacbacbabcabbccbccbabbbbcbccaca', -82412), (6, -99916, 'acabcaacacacbbaccbcc', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', -68744), (10, null, 'idfmfmyqairuntmyeiqvqmofrjyfoal', null, -14769);
--@ session B
insert into t0 (a, c0, c1) select g, g % 7, 'bacccbacacbbbcabacb' from generate_series(1, 217, 4) g;
select a from t1 where a = 1 for no key update;
