// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicRead } from '../../data/contract/call.ts';
import { CALLS } from '../../data/contract/calls.ts';
import * as PATHS from '../../data/contract/paths.ts';
import { walletChallenge, walletProof, walletSession } from '../../data/contract/wallet-session.ts';
import { FakeIndex, SAMPLE_INDEX } from '../testing/fake-index.ts';
import { type Answer, ask, openStream, sendForm } from '../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';
import { cookieHeader, requestChallenge, testWallet, walletProofBody } from '../testing/test-wallet.ts';

const SITE_ORIGIN = 'https://portal.example.com';
const API_ORIGIN = 'https://api.example.com';
const OTHER_ORIGINS = [
  'https://other.example',
  'https://example.com',
  'https://evil.portal.example.com',
  'http://portal.example.com',
  'https://portal.example.com.other.example',
  'https://portal.example.com:8443',
  'null',
];
/**
 * The calls that only the portal's own pages for visitors may make, with cookies. Those pages may also make the
 * public reads.
 */
const SITE_ONLY_PATHS: readonly string[] = [
  PATHS.walletChallenge,
  PATHS.walletProof,
  PATHS.walletSession,
  PATHS.walletSignOut,
  PATHS.buildStake,
  PATHS.buildUnstake,
  PATHS.submitStake,
  PATHS.submitApplication,
  PATHS.submitApplicationV2,
  PATHS.requestVerification,
  PATHS.applicationStatus,
  PATHS.submitContactMessage,
  PATHS.applyForLoan,
  PATHS.confirmMailbox,
  PATHS.createCard,
  PATHS.myCard,
  PATHS.revealCard,
  PATHS.freezeCard,
  PATHS.unfreezeCard,
  PATHS.changeCardLimits,
  PATHS.setSpendNotices,
  PATHS.closeCard,
  PATHS.cardUsage,
  PATHS.chatDuckling,
  PATHS.chatVerdict,
  PATHS.cardTopUps,
  PATHS.reminders,
  PATHS.addReminder,
  PATHS.removeReminder,
  PATHS.confirmReminder,
  PATHS.stopReminder,
  PATHS.createTelegramAnswerLink,
];
const isForVisitors = (call: (typeof CALLS)[number]) =>
  isPublicRead(call) || SITE_ONLY_PATHS.includes(call.path);
const VISITOR_CALLS = CALLS.filter(isForVisitors);
const TEAM_CALLS = CALLS.filter((call) => !isForVisitors(call) && !call.allowsAnyOrigin);

let portal: TestPortal;
beforeAll(async () => {
  const index = new FakeIndex(SAMPLE_INDEX);
  portal = await startTestPortal({ index, publicOrigin: SITE_ORIGIN, publicApiOrigin: API_ORIGIN });
});
afterAll(() => portal.close());

const corsHeadersOf = ({ headers }: Answer) => [
  headers['access-control-allow-origin'],
  headers['access-control-allow-credentials'],
];
const TO_SITE = [SITE_ORIGIN, 'true'];
const TO_NOBODY = [undefined, undefined];
const TO_ANYONE = ['*', undefined];

const preflight = (path: string, method: string, origin: string) =>
  ask(portal.port, path, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': method },
  });

describe('the site, on a different origin from the API,', () => {
  it('can make every visitor call, with cookies, and read errors', async () => {
    for (const { method, path } of VISITOR_CALLS) {
      const answer = await ask(portal.port, path, { method, headers: { Origin: SITE_ORIGIN } });
      expect(corsHeadersOf(answer), `${method} ${path}`).toEqual(TO_SITE);
      expect(answer.status, path).not.toBe(403);
    }
  });

  it('passes the preflight only for visitor calls, with the methods and headers that its pages use', async () => {
    for (const { method, path } of VISITOR_CALLS) {
      const { status, headers } = await preflight(path, method, SITE_ORIGIN);
      expect([status, headers['access-control-allow-methods']], path).toEqual([204, method]);
      expect(headers['access-control-allow-headers']).toBe(`Content-Type, ${PATHS.IDEMPOTENCY_HEADER}`);
      expect(headers['access-control-allow-credentials']).toBe('true');
    }
    for (const { method, path } of TEAM_CALLS)
      expect((await preflight(path, method, SITE_ORIGIN)).status, path).toBe(405);
  });

  it('cannot read the team’s answers or make the team’s writes', async () => {
    for (const { method, path } of TEAM_CALLS) {
      const answer = await ask(portal.port, path, { method, headers: { Origin: SITE_ORIGIN } });
      expect(corsHeadersOf(answer), path).toEqual(TO_NOBODY);
      if (method === 'POST') expect(answer.status, path).toBe(403);
    }
  });

  it('can read the event stream, while other origins cannot', async () => {
    const stream = await openStream(portal.port, PATHS.live, {
      Origin: SITE_ORIGIN,
      'Sec-Fetch-Site': 'same-site',
    });
    stream.close();
    expect([stream.status, stream.headers['access-control-allow-origin']]).toEqual([200, SITE_ORIGIN]);
    const other = await ask(portal.port, PATHS.live, {
      method: 'HEAD',
      headers: { Origin: OTHER_ORIGINS[0] ?? '' },
    });
    expect(corsHeadersOf(other)).toEqual(TO_NOBODY);
  });

  it('can read an answer’s age, ETag, retry delay, time and file name in the headers', async () => {
    const { headers } = await ask(portal.port, PATHS.transactions, { headers: { Origin: SITE_ORIGIN } });
    const exposedHeaders = String(headers['access-control-expose-headers']).toLowerCase().split(', ');
    const names = ['etag', 'x-figure-as-of', 'x-figure-state', 'x-figure-slot', 'retry-after', 'date'];
    expect(exposedHeaders).toEqual(expect.arrayContaining([...names, 'content-disposition']));
  });
});

describe('a page of any other origin', () => {
  it('can read public answers, but only without cookies, and fails the preflight', async () => {
    for (const origin of OTHER_ORIGINS) {
      const headers = { Origin: origin };
      expect(corsHeadersOf(await ask(portal.port, PATHS.stakingTotal, { headers })), origin).toEqual(
        TO_ANYONE,
      );
      expect(corsHeadersOf(await ask(portal.port, PATHS.walletSession, { headers })), origin).toEqual(
        TO_NOBODY,
      );
      const preflightAnswer = await preflight(PATHS.walletChallenge, 'POST', origin);
      expect([preflightAnswer.status, ...corsHeadersOf(preflightAnswer)], origin).toEqual([
        405,
        ...TO_NOBODY,
      ]);
    }
  });

  it('cannot write', async () => {
    for (const origin of OTHER_ORIGINS) {
      const { status } = await sendForm(portal.port, PATHS.walletSignOut, {}, { Origin: origin });
      expect(status, origin).toBe(403);
    }
  });
});

describe('an answer in a shared cache', () => {
  it('lists Origin in Vary, even if the request has no Origin, and even as a 304', async () => {
    for (const path of [PATHS.stakingTotal, PATHS.history, PATHS.walletSession, PATHS.adminSession]) {
      for (const origin of [undefined, SITE_ORIGIN, OTHER_ORIGINS[0]]) {
        const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
        const first = await ask(portal.port, path, { headers });
        expect(first.headers.vary, path).toBe('Origin');
        const { etag } = first.headers;
        if (etag === undefined) continue;
        const unchangedAnswer = await ask(portal.port, path, {
          headers: { ...headers, 'If-None-Match': etag },
        });
        expect([
          unchangedAnswer.status,
          unchangedAnswer.headers.vary,
          ...corsHeadersOf(unchangedAnswer),
        ]).toEqual([304, 'Origin', ...corsHeadersOf(first)]);
      }
    }
  });

  it('does not vary by origin if the API is on the site’s own origin', async () => {
    const singleOriginPortal = await startTestPortal({ publicOrigin: SITE_ORIGIN });
    for (const path of [PATHS.stakingTotal, PATHS.walletSession]) {
      const { headers } = await ask(singleOriginPortal.port, path, { headers: { Origin: SITE_ORIGIN } });
      expect([headers.vary, headers['access-control-allow-credentials']], path).toEqual([
        undefined,
        undefined,
      ]);
    }
    await singleOriginPortal.close();
  });
});

describe('a wallet', () => {
  it.each([SITE_ORIGIN, API_ORIGIN])(
    'signs a message that names the origin of the page: %s',
    async (page) => {
      const { input } = await requestChallenge(portal.port, testWallet().address, { Origin: page });
      expect([input.domain, input.uri]).toEqual([new URL(page).host, page]);
    },
  );

  it('can sign in from the site, and its cookie goes only to the API', async () => {
    const wallet = testWallet();
    const headers = { Origin: SITE_ORIGIN };
    const { message } = await requestChallenge(portal.port, wallet.address, headers);
    const answer = await sendForm(portal.port, walletProof.path, walletProofBody(wallet, message), headers);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-walletSession=/);
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/'])
      expect(cookie).toContain(attribute);
    expect(cookie).not.toMatch(/Domain=/i);
    const session = await ask(portal.port, walletSession.path, {
      headers: { ...headers, Cookie: cookieHeader(answer) },
    });
    expect(walletSession.response.parse(JSON.parse(session.body)).walletAddress).toBe(wallet.address);
  });

  it('cannot sign in on the API’s origin with a message that names the site', async () => {
    const wallet = testWallet();
    const { message } = await requestChallenge(portal.port, wallet.address, { Origin: SITE_ORIGIN });
    const answer = await sendForm(portal.port, walletProof.path, walletProofBody(wallet, message), {
      Origin: API_ORIGIN,
    });
    expect(answer.status).toBe(401);
  });
});

it('a page on the API’s own origin may write, because the API serves the team’s pages', async () => {
  for (const path of [PATHS.adminLogin, walletChallenge.path])
    expect((await sendForm(portal.port, path, {}, { Origin: API_ORIGIN })).status, path).toBe(400);
});
