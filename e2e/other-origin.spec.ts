import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'playwright/test';
import { startTestPortal } from '../api/testing/test-portal.ts';
import * as PATHS from '../data/contract/paths.ts';

type RequestOptions = Pick<RequestInit, 'method' | 'credentials'> & {
  readonly headers?: Record<string, string>;
};

test('a page on another origin can read public answers without credentials, and nothing else', async ({
  page,
}) => {
  const portal = await startTestPortal();
  const otherServer = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Other</title>');
  });
  await once(otherServer.listen(0, '127.0.0.1'), 'listening');
  const { port: otherPort } = otherServer.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${otherPort}/`);
  /** The status, and whether the page can read an ETag; null if the browser withholds the response. */
  const readResponse = (path: string, init: RequestOptions = {}) =>
    page.evaluate(
      async ([url, options]) => {
        const response = await fetch(url, options).catch(() => null);
        return response && { status: response.status, hasEtag: response.headers.has('etag') };
      },
      [`http://localhost:${portal.port}${path}`, init] as const,
    );

  expect(await readResponse(PATHS.vaultLiveBalance)).toEqual({ status: 200, hasEtag: true });
  expect(await readResponse(PATHS.openApi)).toEqual({ status: 200, hasEtag: true });
  // Another origin can read errors, too.
  expect(await readResponse(PATHS.verifyBdTokens)).toEqual({ status: 400, hasEtag: false });

  expect(await readResponse(PATHS.vaultLiveBalance, { credentials: 'include' })).toBeNull();
  expect(await readResponse(PATHS.walletSession)).toBeNull();
  expect(await readResponse(PATHS.adminSession, { headers: { Authorization: 'Bearer token' } })).toBeNull();
  expect(await readResponse(PATHS.live)).toBeNull();
  expect(await readResponse(PATHS.walletSignOut, { method: 'POST' })).toBeNull();

  otherServer.close();
  await portal.close();
});
