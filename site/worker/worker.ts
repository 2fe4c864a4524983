import { cacheNames, clientsClaim } from 'workbox-core';
import { matchPrecache, type PrecacheEntry, precacheAndRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { NetworkOnly } from 'workbox-strategies';
import { isApiPath } from '../../data/contract/paths.ts';
import { hasHashInName } from './hashed-files.ts';
import { type PushScope, showPushMessages } from './push-messages.ts';

/**
 * The service worker stores the pages that can be read offline, their assets and the search index. API calls bypass it: pages
 * store their own figures (`site/data/stored-figures.ts`). A new version takes over at once, but keeps the previous version's
 * hashed files for pages that are still open.
 */

/** Set by the build: the files to store. A file's `revision` is null if the file name contains a hash of the content. */
declare const STORED_FILES: PrecacheEntry[];
/**
 * Set by the build: the paths of pages that load from the network, each with the stored file to use if the network fails. Pages
 * with live figures are included, because their scripts must match the API. So are alias paths, with the stored file of their
 * canonical page.
 */
declare const NETWORK_PAGES: Readonly<Record<string, string>>;

/** The parts of a service worker's global scope that are used here. TypeScript assumes the global scope of a window. */
interface WorkerScope {
  skipWaiting(): Promise<void>;
  addEventListener(
    type: 'install',
    listener: (event: { waitUntil(task: Promise<void>): void }) => void,
  ): void;
}
const scope = globalThis as unknown as WorkerScope & PushScope;

const PREVIOUS_ASSETS_CACHE = 'previous-assets';
const OFFLINE_PAGE = '/offline.html';
/** If the network takes longer than this, the stored page is used. */
const NETWORK_TIMEOUT_SECONDS = 5;

/** Copies the previous version's hashed files, because the update deletes them from the cache. */
async function keepPreviousAssets(): Promise<void> {
  const currentUrls = new Set(STORED_FILES.map(({ url }) => new URL(url, location.href).href));
  const previousPrecache = await caches.open(cacheNames.precache);
  await caches.delete(PREVIOUS_ASSETS_CACHE);
  const previousAssets = await caches.open(PREVIOUS_ASSETS_CACHE);
  for (const request of await previousPrecache.keys()) {
    if (currentUrls.has(request.url) || !hasHashInName(new URL(request.url).pathname)) continue;
    const response = await previousPrecache.match(request);
    if (response) await previousAssets.put(request, response);
  }
}

void scope.skipWaiting();
clientsClaim();
scope.addEventListener('install', (event) => event.waitUntil(keepPreviousAssets()));
showPushMessages(scope);

registerRoute(
  ({ request, url, sameOrigin }) =>
    sameOrigin && request.mode === 'navigate' && Object.hasOwn(NETWORK_PAGES, url.pathname),
  new NetworkOnly({
    networkTimeoutSeconds: NETWORK_TIMEOUT_SECONDS,
    plugins: [
      {
        handlerDidError: ({ request }) =>
          matchPrecache(NETWORK_PAGES[new URL(request.url).pathname] ?? OFFLINE_PAGE),
      },
    ],
  }),
);

// Ignores query strings, because they do not change a page, and because the search appends the time to the URL of its entry file.
precacheAndRoute(STORED_FILES, { ignoreURLParametersMatching: [/./] });

registerRoute(
  ({ request, url, sameOrigin }) => sameOrigin && request.mode === 'navigate' && !isApiPath(url.pathname),
  new NetworkOnly({ plugins: [{ handlerDidError: () => matchPrecache(OFFLINE_PAGE) }] }),
);

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && hasHashInName(url.pathname),
  async ({ request }) => {
    const previousAssets = await caches.open(PREVIOUS_ASSETS_CACHE);
    return (await previousAssets.match(request)) ?? fetch(request);
  },
);
