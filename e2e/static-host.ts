import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/**
 * Matches a path against a pattern of `_headers` or `_redirects`.
 * @returns the part of the path that `*` matches (empty if the pattern has no `*`), or null if the path does not match
 */
function matchPath(pattern: string, path: string): string | null {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return path === pattern ? '' : null;
  return path.startsWith(start) ? path.slice(start.length) : null;
}

type HeaderRules = readonly {
  readonly pattern: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}[];

export async function readHeaderRules(folder: string): Promise<HeaderRules> {
  const blocks = (await readFile(join(folder, '_headers'), 'utf8')).trim().split(/\n(?=\S)/);
  return blocks.map((block) => {
    const [pattern = '', ...lines] = block.split('\n');
    const headers = lines.map((line) => line.trim().split(/: (.*)/) as [string, string, string]);
    return { pattern, headers: headers.map(([name, value]) => [name, value] as const) };
  });
}

export function headersOf(rules: HeaderRules, path: string): Headers {
  const headers = new Headers();
  for (const rule of rules.filter(({ pattern }) => matchPath(pattern, path) !== null))
    for (const [name, value] of rule.headers) headers.append(name, value);
  return headers;
}

async function readRedirects(folder: string) {
  const lines = (await readFile(join(folder, '_redirects'), 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [from = '', to = '', status] = line.split(' ');
    return { from, to, status: Number(status) };
  });
}

/**
 * Serves a folder as Netlify and Cloudflare Pages do: `_headers`, `_redirects`, `/faq` from `faq.html`, and `404.html`. The
 * folder is read at the first request.
 */
export async function startStaticHost(folder: string) {
  let rules: Promise<[Awaited<ReturnType<typeof readRedirects>>, HeaderRules]> | undefined;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://host');
    rules ??= Promise.all([readRedirects(folder), readHeaderRules(folder)]);
    const [redirects, headerRules] = await rules;
    for (const { from, to, status } of redirects) {
      const splat = matchPath(from, pathname);
      if (splat === null) continue;
      response.writeHead(status, { Location: to.replace(':splat', splat) }).end();
      return;
    }
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const name = extname(path) === '' ? `${path}.html` : path;
    const content = await readFile(join(folder, name)).catch(() => null);
    response.setHeaders(headersOf(headerRules, pathname));
    response.setHeader(
      'Content-Type',
      MEDIA_TYPES[content === null ? '.html' : extname(name)] ?? 'application/octet-stream',
    );
    response.writeHead(content === null ? 404 : 200);
    response.end(content ?? (await readFile(join(folder, '404.html'))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
