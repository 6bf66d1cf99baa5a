-- heap_wal.md: conditions with OR between two tables (clauselist_selectivity_or): the plan decides which pages are
-- read.
create table s704 (sku int primary key, title text, price numeric(8,2), stock int) with (autovacuum_enabled = off);
create table s704_feed (like s704 including all excluding indexes);
insert into s704 select g, initcap('product ' || g), (g * 1.1)::numeric(8,2), g % 10 from generate_series(1, 300) g;
insert into s704_feed table s704;
update s704_feed set stock = stock + 1 where sku % 100 = 0;
vacuum (analyze) s704, s704_feed;
explain select * from s704 p, s704_feed f where f.sku = p.sku and (p.stock <> f.stock or p.title <> f.title);
explain select * from s704 p, s704_feed f where f.sku = p.sku and (p.stock < f.stock or p.title is distinct from f.title or p.price > 300);
explain select * from s704 p, s704_feed f where f.sku = p.sku and ((p.stock <> f.stock and p.price < 20) or p.title = f.title);
explain select * from s704 p, s704_feed f where f.sku = p.sku and (p.stock, p.title) is distinct from (f.stock, f.title);
explain update s704 p set title = f.title, price = f.price, stock = f.stock from s704_feed f where f.sku = p.sku and (p.title is distinct from f.title or p.stock is distinct from f.stock);
update s704 p set title = f.title, price = f.price, stock = f.stock from s704_feed f where f.sku = p.sku and (p.title, p.price, p.stock) is distinct from (f.title, f.price, f.stock);
merge into s704 p using s704_feed f on p.sku = f.sku when matched and (p.stock <> f.stock or p.title <> f.title) then update set stock = f.stock;
select count(*) from s704 p join s704_feed f on p.stock > f.stock or p.title = f.title;
