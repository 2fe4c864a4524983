import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapRates, RATE_LIMITS } from '../../data/config/rate-limits.ts';
import { adminLogout } from '../../data/contract/admin-session.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { walletSignOut } from '../../data/contract/wallet-session.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

/** Calls that only end a session, for which the limit on all calls is enough. */
const WITHOUT_LIMIT: readonly string[] = [adminLogout.path, walletSignOut.path];

let portal: TestPortal;
beforeAll(async () => {
  const once = mapRates((name) => (RATE_LIMITS[name].per === 'minute' ? 1 : RATE_LIMITS[name].limit));
  portal = await startTestPortal({ rateLimits: { ...once, calls: 1_000 } });
});
afterAll(() => portal.close());

describe('every call that changes something', () => {
  it.each(CALLS.filter(({ method }) => method === 'POST').map(({ path }) => path))(
    'POST %s has its own rate limit',
    async (path) => {
      const address = `2001:db8:${CALLS.findIndex((call) => call.path === path).toString(16)}::1`;
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
      const send = async () => (await ask(portal.port, path, { method: 'POST', headers, body: '{}' })).status;
      await send();
      expect((await send()) === 429).toBe(!WITHOUT_LIMIT.includes(path));
    },
  );
});
