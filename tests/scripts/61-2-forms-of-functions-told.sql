-- Functions with a form of their own, as CHECKs tell them: until 13 as calls.

CREATE TABLE forms (
    a text, n int, t timestamptz, d date, v varchar(9),
    CONSTRAINT c01 CHECK (position('x' in a) > 1),
    CONSTRAINT c02 CHECK (substring(a from 1 for 2) = 'x'),
    CONSTRAINT c03 CHECK (substring(a, 1, 2) = 'y'),
    CONSTRAINT c04 CHECK (trim(a) <> ''),
    CONSTRAINT c05 CHECK (trim(leading 'x' from v) <> ''),
    CONSTRAINT c06 CHECK (overlay(a placing 'z' from 2) = 'q'),
    CONSTRAINT c07 CHECK (extract(year from d) > 2000),
    CONSTRAINT c08 CHECK ((t AT TIME ZONE 'UTC') > '2020-01-01'),
    CONSTRAINT c09 CHECK (concat(a, ' ', n) <> ''),
    CONSTRAINT c10 CHECK (left(v, 2) = 'x'),
    CONSTRAINT c11 CHECK (nullif(n, 1) > greatest(n, 2))
);
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'forms'::regclass ORDER BY conname;
