import { createServer } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mapRateLimits, RATE_LIMITS, rateLimits } from '../../data/config/rate-limits.ts';
import { adminLogout } from '../../data/contract/admin-session.ts';
import { CALLS } from '../../data/contract/calls.ts';
import { walletSignOut } from '../../data/contract/wallet-session.ts';
import { listen } from '../listen.ts';
import { ask } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { createLimits } from './rate-limit.ts';

/** Calls that only end a session, for which the limit on all calls is enough. */
const WITHOUT_OWN_LIMIT: readonly string[] = [adminLogout.path, walletSignOut.path];

let portal: TestPortal;
beforeAll(async () => {
  const oncePerMinute = mapRateLimits((name) =>
    RATE_LIMITS[name].per === 'minute' ? 1 : RATE_LIMITS[name].limit,
  );
  portal = await startTestPortal({ rateLimits: { ...oncePerMinute, calls: 1_000 } });
});
afterAll(() => portal.close());

describe('a call that changes something', () => {
  it.each(CALLS.filter(({ method }) => method === 'POST').map(({ path }) => path))(
    'has its own rate limit unless it is a listed exception: POST %s',
    async (path) => {
      const address = `2001:db8:${CALLS.findIndex((call) => call.path === path).toString(16)}::1`;
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
      const send = async () => (await ask(portal.port, path, { method: 'POST', headers, body: '{}' })).status;
      await send();
      expect((await send()) === 429).toBe(!WITHOUT_OWN_LIMIT.includes(path));
    },
  );
});

describe('a limit that replicas share', () => {
  it('counts the calls to all replicas together, while other limits count them per replica', async () => {
    const countByKey = new Map<string, number>();
    const refusedNames: string[] = [];
    const counts = {
      add: async (key: string, windowMs: number) => {
        const calls = (countByKey.get(key) ?? 0) + 1;
        countByKey.set(key, calls);
        return { calls, endsInMs: windowMs };
      },
    };
    const ports = await Promise.all(
      [0, 1].map(async () => {
        const limits = createLimits(rateLimits({ submissions: 3, questions: 3 }), counts, (name) =>
          refusedNames.push(name),
        );
        const replica = express().get('/:name', (request, response, next) => {
          const name = request.params.name === 'submissions' ? 'submissions' : 'questions';
          limits.count(name, request, response).then(() => response.end(), next);
        });
        const server = createServer(replica);
        onTestFinished(() => void server.close());
        return listen(server, '127.0.0.1', 0);
      }),
    );
    const countAccepted = async (name: string): Promise<number> => {
      const calls = [0, 1, 0, 1, 0].map((replica) => ask(ports[replica] ?? 0, `/${name}`));
      return (await Promise.all(calls)).filter(({ status }) => status === 200).length;
    };
    expect(await countAccepted('submissions')).toBe(3);
    expect(await countAccepted('questions')).toBe(5);
    expect(refusedNames).toEqual(['submissions', 'submissions']);
  });
});
