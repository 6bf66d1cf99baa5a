-- ON CONFLICT where NULLs are not distinct, from 15 on: a key with NULL is looked for, too
create table members (id int, email text, org int, unique nulls not distinct (email, org));
insert into members values (1, 'ann', 1), (2, 'ann', null), (3, null, null);
insert into members values (4, 'ann', null) on conflict do nothing;
insert into members values (5, 'ann', null) on conflict (email, org) do nothing;
insert into members values (6, null, null) on conflict (email, org) do update set id = excluded.id + members.id;
insert into members values (7, 'ann', 2), (8, null, 1) on conflict (email, org) do nothing;
insert into members values (9, null, 1) on conflict on constraint members_email_org_key do update set id = 0;
select * from members order by id;
