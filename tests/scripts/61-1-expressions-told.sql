-- Expressions that the catalogs keep, as they are told: defaults, CHECKs, indexes, WHEN of triggers.

CREATE TABLE told (
    id int PRIMARY KEY,
    name varchar(20) NOT NULL DEFAULT 'none',
    note text DEFAULT upper('a' || 'b'),
    kind char(1) CHECK (kind IN ('a', 'b')),
    amount numeric(10,2) DEFAULT 0 CHECK (amount >= 0 AND amount < 1000.5),
    big bigint CHECK (big BETWEEN 1 AND 100),
    small smallint DEFAULT -1 CHECK (small <> 0 OR small IS NULL),
    made timestamptz DEFAULT now(),
    day date DEFAULT CURRENT_DATE CHECK (day > '2020-01-01'),
    data jsonb DEFAULT '{}',
    tags text[] DEFAULT '{a,b}',
    twice bigint GENERATED ALWAYS AS (big * 2 + 1) STORED,
    ok boolean DEFAULT true CHECK (ok IS NOT FALSE),
    CONSTRAINT names CHECK (name IN ('x', 'y') OR length(name) > 3),
    CONSTRAINT parts CHECK (CASE WHEN id > 5 THEN name <> 'q' ELSE note LIKE 'a%' END),
    CONSTRAINT any_of CHECK (id = ANY (ARRAY[1, 2, 3]) OR id NOT IN (7, 8)),
    CONSTRAINT others CHECK (COALESCE(amount, 0) + 1 > 0 AND note IS DISTINCT FROM 'z' AND NOT (id = 9)),
    CONSTRAINT arithmetic CHECK ((id + 1) * 2 - (id - 3) > id / 2 AND id % 2 = 0 AND -id < 0)
);
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'told'::regclass AND contype = 'c' ORDER BY conname;
SELECT adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'told'::regclass ORDER BY adnum;

CREATE INDEX told_lower ON told (lower(name));
CREATE INDEX told_sum ON told ((id + big) DESC, id);
CREATE INDEX told_part ON told (id) WHERE amount > 10 AND ok;
CREATE INDEX told_cast ON told ((data ->> 'a'), (note || '!')) WHERE note IS NOT NULL;
CREATE UNIQUE INDEX told_unique ON told (COALESCE(note, 'none'), id) WHERE kind = 'a' OR small IS NULL;
CREATE INDEX told_case ON told ((CASE WHEN id > 1 THEN note ELSE 'x' END));
CREATE INDEX told_int ON told ((note::int)) WHERE name = 'x' AND id IN (1, 2);
SELECT indexname, split_part(indexdef, ' USING ', 2) FROM pg_indexes WHERE tablename = 'told' ORDER BY indexname;
SELECT pg_get_indexdef('told_sum'::regclass, 1, true), pg_get_indexdef('told_sum'::regclass, 2, true);
SELECT pg_get_indexdef('told_part'::regclass, 0, true);
SELECT pg_get_indexdef('told_cast'::regclass, 0, true);
SELECT pg_get_indexdef('told_unique'::regclass, 0, true);
SELECT pg_get_indexdef('told_int'::regclass, 0, true);
SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indexrelid = 'told_unique'::regclass;

CREATE FUNCTION told_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER changed BEFORE UPDATE ON told FOR EACH ROW WHEN (OLD.note IS DISTINCT FROM NEW.note AND NEW.id > 1) EXECUTE FUNCTION told_trigger();
CREATE TRIGGER rows_changed AFTER UPDATE ON told FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION told_trigger();
SELECT tgname, split_part(pg_get_triggerdef(oid), ' FOR EACH ', 2) FROM pg_trigger WHERE tgrelid = 'told'::regclass ORDER BY tgname;
SELECT tgname, pg_get_triggerdef(oid, true) FROM pg_trigger WHERE tgrelid = 'told'::regclass ORDER BY tgname;
