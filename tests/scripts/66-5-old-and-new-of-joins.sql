-- from 18 on
create table orders (id int primary key, status text, total numeric default 0);
create table lines (order_id int, price numeric, qty int);
insert into orders(id, status) values (1, 'open'), (2, 'open'), (3, 'void');
insert into lines values (1,5,2),(1,1.5,4),(2,100,1),(9,1,1);
update orders set total = l.s from (select order_id, sum(price * qty) s from lines group by order_id) l where l.order_id = id returning id, old.total as before, new.total as after;
update orders set total = l.price from lines l where l.order_id = id and qty = 1 returning id, old.total as before, new.total as after, l.*;
delete from orders using lines l where l.order_id = id and qty = 1 returning old.total, new.total, l.qty;
