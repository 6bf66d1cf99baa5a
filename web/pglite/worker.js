// A real PostgreSQL in the page: runs statements one by one in PGlite, and posts after each what its tables and its WAL
// look like. A module worker; whoever is tired of it, or waits for a lock that nobody gives, ends it.
//
//   in    { statements: [sql] }                                     `--@ crash …` too; null: one that is not for this server
//   out   { n, lines, wal, from, lsn, xid, status, error }                after statement n; 0, with { version }: before the first.
//                                                                         wal: bytes from `from` to `lsn`; xid: the next one
//         { n, disk, … }                                                  after a crash: lines of what its files had then; `from`
//                                                                         is where recovery began
//         { end }                                                   all were run
//         { failed }                                                a sentence: there is no more
import { PGlite } from './index.js';
import { pageinspect } from './contrib/pageinspect.js';

const SEGMENT = 1 << 20;
const PAGE = 8192;

/** Rows of a capture as lines of a recording. */
const asLines = (rows) => rows.map((row) => JSON.stringify(row)).join('\n');

/** record.sql without psql: one capture of these tables, a line of a recording a row. */
async function captureQuery() {
  const script = await (await fetch(new URL('../record.sql', import.meta.url))).text();
  const query = script.slice(script.indexOf('WITH RECURSIVE named AS ('), script.indexOf('\\if :{?watch}', script.indexOf('WITH RECURSIVE named AS (')));
  return (tables) => query
    .replaceAll(':raw_page', 'get_raw_page(p.quoted, p.fork, p.block::int)')
    .replaceAll(':max_pages', '2000')
    .replaceAll(":'title'", "''")
    .replaceAll(":'label'", "''")
    .replaceAll('ARRAY[:tables]', `ARRAY[${tables.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ')}]`);
}

const TABLES = `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm', 'S') AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY c.oid`;

/** PostgreSQL, started over a data directory in a tar file. */
function startOver(loadDataDir) {
  return PGlite.create({
    extensions: { pageinspect },
    loadDataDir,
    startParams: [...PGlite.defaultStartParams, '-c', 'autovacuum=off', '-c', 'shared_buffers=16MB'],
  });
}

class Server {
  static async start() {
    const server = new Server();
    server.db = await startOver(await (await fetch(new URL('data.tar.gz', import.meta.url))).blob());
    server.capture = await captureQuery();
    server.at = await server.position();
    return server;
  }

  async one(query) { return (await this.db.query(query)).rows[0]; }

  /** The end of the WAL, which is written out to there. */
  async position() {
    await this.db.query("SELECT pg_logical_emit_message(false, 'ffviz', '', true)");
    return (await this.one('SELECT pg_current_wal_insert_lsn()::text AS lsn')).lsn;
  }

  /** What the tables look like, and the WAL since the time before; nothing in a transaction that has failed. */
  async look(from = this.at) {
    const to = await this.position();
    this.at = to;
    const tables = (await this.db.query(TABLES)).rows.map((row) => row.name);
    this.rows = (await this.db.query(this.capture(tables))).rows.map((row) => row.json_strip_nulls);
    const lines = asLines(this.rows);
    const { xid } = await this.one('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid');
    return { from, lsn: to, xid, lines, wal: await this.wal(lsn(from), lsn(to)) };
  }

  /**
   * `--@ crash`, `--@ crash torn TABLE BLOCK BYTES`: PostgreSQL ends without writing what it has in memory; a torn page is
   * in its file up to that byte, and as it was beyond. Then it starts again, over the files that are left.
   */
  async crash(directive) {
    const [, torn, table, block, bytes] = /^--@\s+crash(?:\s+(torn)\s+(\S+)\s+(\d+)\s+(\d+))?\s*$/.exec(directive) ?? [];
    if (torn) await this.tear(table, Number(block), Number(bytes));
    const { redo } = await this.one('SELECT redo_lsn::text AS redo FROM pg_control_checkpoint()');
    await this.position();
    const disk = asLines(await this.onDisk());
    // the one that has crashed is not closed: it would write a checkpoint
    this.db = await startOver(await this.db.dumpDataDir('none'));
    return { disk, ...(await this.look(redo)) };
  }

  /** Writes the beginning of a page to its file, as a server does that loses power while it writes the page. */
  async tear(table, block, bytes) {
    const { page, path } = (await this.db.query('SELECT get_raw_page($1, $2::int) AS page, pg_relation_filepath($1::regclass) AS path', [table, block])).rows[0];
    const file = `/pglite/data/${path}`;
    const whole = this.db.Module.FS.readFile(file);
    whole.set(page.subarray(0, bytes), block * PAGE);
    this.db.Module.FS.writeFile(file, whole);
  }

  /** The rows of the last look, with each page as its file has it. */
  async onDisk() {
    const paths = await this.db.query(`SELECT oid::int, pg_relation_filepath(oid) AS path FROM pg_class WHERE oid = ANY ($1::oid[])`, [[...new Set(this.rows.filter((row) => row.line === 'page').map((row) => row.oid))]]);
    const path = new Map(paths.rows.map((row) => [row.oid, row.path]));
    return this.rows.map((row) => {
      if (row.line !== 'page') return row;
      const file = this.db.Module.FS.readFile(`/pglite/data/${path.get(row.oid)}${row.fork === 'main' ? '' : `_${row.fork}`}`);
      const page = file.subarray(row.block * PAGE, (row.block + 1) * PAGE);
      return { ...row, data: btoa(String.fromCharCode(...page)) };
    });
  }

  /** The bytes of the WAL between two positions. */
  async wal(from, to) {
    const bytes = new Uint8Array(to - from);
    for (let start = from - (from % SEGMENT); start < to; start += SEGMENT) {
      const { name } = await this.one(`SELECT pg_walfile_name('0/0'::pg_lsn + ${start + 1}) AS name`);
      const file = this.db.Module.FS.readFile(`/pglite/data/pg_wal/${name}`);
      bytes.set(file.subarray(Math.max(from - start, 0), Math.min(to - start, SEGMENT)), Math.max(start - from, 0));
    }
    return bytes;
  }
}

/** A position of the WAL as a number. */
function lsn(text) {
  const [high, low] = text.split('/').map((half) => parseInt(half, 16));
  return high * 2 ** 32 + low;
}

self.onmessage = async ({ data: { statements } }) => {
  try {
    const server = await Server.start();
    const { version } = await server.one("SELECT current_setting('server_version') AS version");
    postMessage({ version, n: 0, ...(await server.look()) });
    for (const [n, sql] of statements.entries()) {
      let status = '';
      let error;
      let seen;
      try {
        if (sql === null) throw new Error('not run here: PostgreSQL in the page has one session, and of directives it takes --@ crash');
        if (sql.startsWith('--@')) {
          seen = await server.crash(sql);
        } else {
          const last = (await server.db.exec(sql)).at(-1);
          status = last ? `${last.command ?? ''} ${last.rowCount ?? ''}`.trim() : '';
        }
      } catch (failure) {
        error = `${failure.message}${failure.detail ? ` (${failure.detail})` : ''}`;
      }
      try {
        seen ??= await server.look();
      } catch {
        // a transaction that has failed takes no query: what it did is seen when it has ended
      }
      postMessage({ n: n + 1, status, error, ...seen });
    }
    postMessage({ end: true });
  } catch (failure) {
    postMessage({ failed: `PostgreSQL in the page ended: ${failure.message ?? failure}` });
  }
};
