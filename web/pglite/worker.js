// A real PostgreSQL in the page: runs statements one by one in PGlite, and posts after each what its tables and its WAL
// look like. A module worker; whoever is tired of it, or waits for a lock that nobody gives, ends it.
//
//   in    { statements: [sql] }                                     null: one that is not for this server
//   out   { n, lines, wal, from, lsn, xid, status, error }                after statement n; 0, with { version }: before the first.
//                                                                         wal: bytes from `from` to `lsn`; xid: the next one
//         { end }                                                   all were run
//         { failed }                                                a sentence: there is no more
import { PGlite } from './index.js';
import { pageinspect } from './contrib/pageinspect.js';

const SEGMENT = 1 << 20;

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

class Server {
  static async start() {
    const packed = await (await fetch(new URL('data.tar.gz', import.meta.url))).blob();
    const server = new Server();
    server.db = await PGlite.create({
      extensions: { pageinspect },
      loadDataDir: packed,
      startParams: [...PGlite.defaultStartParams, '-c', 'autovacuum=off', '-c', 'shared_buffers=16MB'],
    });
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
  async look() {
    const from = this.at;
    const to = await this.position();
    this.at = to;
    const tables = (await this.db.query(TABLES)).rows.map((row) => row.name);
    const rows = (await this.db.query(this.capture(tables))).rows;
    const lines = rows.map((row) => JSON.stringify(row.json_strip_nulls)).join('\n');
    const { xid } = await this.one('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid');
    return { from, lsn: to, xid, lines, wal: await this.wal(lsn(from), lsn(to)) };
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
      try {
        if (sql === null) throw new Error('not run here: PostgreSQL in the page has one session and takes no directives');
        const results = await server.db.exec(sql);
        const last = results.at(-1);
        status = last ? `${last.command ?? ''} ${last.rowCount ?? ''}`.trim() : '';
      } catch (failure) {
        error = `${failure.message}${failure.detail ? ` (${failure.detail})` : ''}`;
      }
      let seen = {};
      try {
        seen = await server.look();
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
