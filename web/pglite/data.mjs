// Makes the data directory that PostgreSQL in the page starts from: what initdb makes, with pageinspect.
//
//   node web/pglite/data.mjs FILE.tar.gz
import { PGlite } from '@electric-sql/pglite';
import { pageinspect } from '@electric-sql/pglite/contrib/pageinspect';
import { writeFile } from 'node:fs/promises';

const db = await PGlite.create({ extensions: { pageinspect }, initDbStartParams: ['--wal-segsize=1', '--no-data-checksums', '--locale=C'] });
await db.exec('CREATE EXTENSION pageinspect; CHECKPOINT');
const dump = await db.dumpDataDir('gzip');
await writeFile(process.argv[2], Buffer.from(await dump.arrayBuffer()));
await db.close();
