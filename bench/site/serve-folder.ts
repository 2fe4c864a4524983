import { once } from 'node:events';
import express from 'express';
import { servePages } from '../../api/pages/serve-pages.ts';
import { readSiteFiles } from '../../api/pages/site-files.ts';
import { precompress } from '../../scripts/precompress.ts';

/** Serves a built site the way the portal serves its own: compressed when it was built, and from memory. */
export async function serveFolder(folder: string): Promise<{ readonly url: string; close(): void }> {
  await precompress(folder);
  const server = express()
    .use(servePages(await readSiteFiles(folder)))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The peer has no port.');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}
