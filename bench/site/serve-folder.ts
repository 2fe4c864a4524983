import { once } from 'node:events';
import express from 'express';
import { inlineScriptHashes } from '../../api/pages/inline-scripts.ts';
import { servePages } from '../../api/pages/serve-pages.ts';
import { readSiteFiles } from '../../api/pages/site-files.ts';
import { applyHeaders, securityHeaders } from '../../api/security/headers.ts';
import { precompress } from '../../scripts/precompress.ts';

/** Serves a built site the way the portal serves its own: compressed when built, from memory, under the same headers. */
export async function serveFolder(folder: string): Promise<{ readonly url: string; close(): void }> {
  await precompress(folder);
  const site = await readSiteFiles(folder);
  const { page } = securityHeaders({
    publicOrigin: null,
    inlineScriptHashes: inlineScriptHashes(site.pages),
  });
  const server = express()
    .disable('x-powered-by')
    .use((_request, response, next) => {
      applyHeaders(response, page);
      next();
    })
    .use(servePages(site))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The peer has no port.');
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}
