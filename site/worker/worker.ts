import { cacheNames, clientsClaim } from 'workbox-core';
import { matchPrecache, type PrecacheEntry, precacheAndRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';
import { isApi, isHashed } from './addresses.ts';

/**
 * The service worker: keeps the text pages, what they are made of, and the search index for use without a connection.
 * Calls of the API never pass through it. A new version takes over at once; what pages of the version before may still
 * load by hashed names is kept for them.
 */

/** Filled in by the build: every stored file with its revision; null where its name says which. */
declare const STORED_FILES: PrecacheEntry[];

/** What this file needs of its global scope, which TypeScript takes for a window's. */
interface WorkerScope {
  skipWaiting(): Promise<void>;
  addEventListener(
    type: 'install',
    listener: (event: { waitUntil(task: Promise<void>): void }) => void,
  ): void;
}
const scope = globalThis as unknown as WorkerScope;

const PREVIOUS_ASSETS = 'previous-assets';
const OFFLINE_PAGE = '/offline.html';

/** Copies the outgoing version's hashed files before they are cleared away. Only one version back is kept. */
async function keepPreviousAssets(): Promise<void> {
  const current = new Set(STORED_FILES.map(({ url }) => new URL(url, location.href).href));
  const outgoing = await caches.open(cacheNames.precache);
  await caches.delete(PREVIOUS_ASSETS);
  const kept = await caches.open(PREVIOUS_ASSETS);
  for (const request of await outgoing.keys()) {
    if (current.has(request.url) || !isHashed(new URL(request.url).pathname)) continue;
    const response = await outgoing.match(request);
    if (response) await kept.put(request, response);
  }
}

void scope.skipWaiting();
clientsClaim();
scope.addEventListener('install', (event) => event.waitUntil(keepPreviousAssets()));

// A page is the same whatever follows its question mark, and the search adds the time to its entry's address.
precacheAndRoute(STORED_FILES, { ignoreURLParametersMatching: [/./] });

registerRoute(
  ({ request, url, sameOrigin }) => sameOrigin && request.mode === 'navigate' && !isApi(url.pathname),
  new NetworkOnly({ plugins: [{ handlerDidError: () => matchPrecache(OFFLINE_PAGE) }] }),
);

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && isHashed(url.pathname),
  async ({ request }) => {
    const kept = await caches.open(PREVIOUS_ASSETS);
    return (await kept.match(request)) ?? fetch(request);
  },
);
