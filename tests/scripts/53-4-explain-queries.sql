-- EXPLAIN ANALYZE of queries in expressions: one that is run once, one that is run for each row, one whose rows are in a hash table; joins in other formats than text.
CREATE TABLE customers (id int PRIMARY KEY, name text, city text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int, amount int, status text);
INSERT INTO customers SELECT i, 'name' || i, 'city' || i % 10 FROM generate_series(1, 500) i;
INSERT INTO orders SELECT i, 1 + i * 7 % 400, i % 500, CASE i % 4 WHEN 0 THEN 'new' ELSE 'done' END FROM generate_series(1, 3000) i;
CREATE INDEX orders_customer ON orders (customer_id);
VACUUM ANALYZE customers;
VACUUM ANALYZE orders;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT * FROM orders WHERE amount > (SELECT avg(amount) FROM orders);
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT id, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) FROM customers c WHERE id < 10;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT * FROM customers WHERE id NOT IN (SELECT customer_id FROM orders);
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) UPDATE customers SET city = (SELECT status FROM orders WHERE orders.id = customers.id) WHERE id < 20;
EXPLAIN (FORMAT JSON) SELECT * FROM customers c JOIN orders o ON o.customer_id = c.id;
EXPLAIN (FORMAT YAML, COSTS OFF) SELECT * FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.id < 5;
EXPLAIN (FORMAT XML, COSTS OFF) SELECT count(*) FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.amount < 5;
EXPLAIN (FORMAT JSON, COSTS OFF) SELECT * FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id);
