-- Powers of numeric (numeric.c).
select power(2.0, 10), power(2.0, 0.5), power(10.0, 3), power(1.5, 2), power(0.5, 3), power(2.0, -2), power(3.0, 0), power(0.0, 2), power(7.0, 1.0), power(1.1, 10), power(100.0, 1.5), 2.5 ^ 2, 10.0 ^ 2, 2 ^ 3.0, power(12345.678, 2), power(0.001, 2), power(-2.0, 3), power(-2.0, 2), power(1.0, 5);
select power(0.0, -1);
select power(-2.0, 0.5);
select mod(5.5, 2), 5.5 % 2, div(7.5, 2), abs(-1.5), sign(-2.5), ceil(1.2), floor(-1.2);
