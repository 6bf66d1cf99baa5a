// A plain static file server, as any would be: the site stands in a folder below the root.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
  '.json': 'application/json', '.svg': 'image/svg+xml', '.gz': 'application/gzip',
};

// the strictest policy that the README promises to work under
// PostgreSQL in the page is compiled from C by a tool whose code evaluates strings: its worker has a policy of its own
const PGLITE = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'; connect-src 'self'";
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'";

/** Serves a folder, and pages that are not in it: `{ 'host.html': '<p>…' }`; other policies than the strictest for what others have made. */
export async function serve(folder, pages = {}, prefix = '/docs/ffviz/', strictest = POLICY) {
  const held = {};
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const file = path.startsWith(prefix) ? normalize(path.slice(prefix.length) || '.') : '..';
    try {
      if (file.startsWith('..')) throw new Error('outside');
      await held[file];
      const body = pages[file] ?? await readFile(join(folder, extname(file) ? file : join(file, 'index.html')));
      const type = TYPES[extname(file) || '.html'] ?? 'application/octet-stream';
      const policy = file.endsWith('ffviz.html') || !strictest ? {} : { 'Content-Security-Policy': file.startsWith('pglite/') ? PGLITE : strictest };
      response.writeHead(200, { 'Content-Type': type, ...policy }).end(body);
    } catch {
      response.writeHead(404).end('not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  /** Keeps a file back; gives what lets it go. */
  const hold = (file) => {
    let release;
    held[file] = new Promise((resolve) => { release = resolve; });
    return release;
  };
  return { hold, url: `http://127.0.0.1:${server.address().port}${prefix}`, stop: () => server.close() };
}
