import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import Database from 'better-sqlite3';
import express from 'express';
import fastify from 'fastify';
import { listen } from '../../api/listen.ts';
import { readSiteFiles, servePages } from '../../api/pages/serve-pages.ts';
import { reportToParent } from './report-to-parent.ts';

export interface StoredResponse {
  readonly path: string;
  readonly body: string;
}

// Runs one server of a benchmark: one that the portal is compared with, set up as its documentation recommends, or (`memory`)
// the portal's own server of pages.
// Usage: `peer-server.ts bare <JSON file>`, `express|fastify <SQLite file> <paths>`, or `memory|static`.

/**
 * Reads a whole response with one prepared statement. A real server would read a figure's rows and write them as JSON, which
 * takes longer.
 */
function responseReader(file: string): (path: string) => string | undefined {
  const client = new Database(file, { readonly: true });
  const select = client.prepare<[string], string>('select body from responses where path = ?').pluck();
  return (path) => select.get(path);
}

const PEERS: Readonly<Record<string, (file: string, paths: readonly string[]) => Server | Promise<Server>>> =
  {
    /** The fastest possible server: node:http alone, with the bytes in memory. */
    bare(file) {
      const responses: readonly StoredResponse[] = JSON.parse(readFileSync(file, 'utf8'));
      const byPath = new Map(
        responses.map(({ path, body }) => {
          const length = String(Buffer.byteLength(body));
          const headers = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length];
          return [path, { body, headers }];
        }),
      );
      return createServer((request, response) => {
        const storedResponse = byPath.get(request.url ?? '');
        if (!storedResponse) {
          response.writeHead(404).end();
          return;
        }
        response.writeHead(200, storedResponse.headers);
        response.end(storedResponse.body);
      });
    },
    express(file, paths) {
      const read = responseReader(file);
      const app = express();
      for (const path of paths) {
        app.get(path, (_request, response) => {
          response.type('json').send(read(path));
        });
      }
      return createServer(app);
    },
    async fastify(file, paths) {
      const read = responseReader(file);
      const app = fastify();
      for (const path of paths) {
        app.get(path, (_request, reply) => {
          reply.type('application/json; charset=utf-8').send(read(path));
        });
      }
      await app.ready();
      return app.server;
    },
    async memory() {
      return createServer(
        express()
          .disable('x-powered-by')
          .use(servePages(await readSiteFiles('dist'), null)),
      );
    },
    static() {
      const pages = express.static('dist', { extensions: ['html'] });
      return createServer(express().disable('x-powered-by').use(pages));
    },
  };

const [kind = '', file = '', ...paths] = process.argv.slice(2);
const create = PEERS[kind];
if (!create) throw new Error(`There is no peer "${kind}".`);
reportToParent(await listen(await create(file, paths), '127.0.0.1', 0), () => process.exit());
