import { type BrowserContext, expect } from 'playwright/test';
import { DESKTOP } from './examine.ts';
import type { Portal } from './portal.ts';
import { acceptTerms } from './visitor.ts';

type ResponseFields = Readonly<Record<string, string>>;

export type Team = Awaited<ReturnType<typeof createTeam>>;

/** Sets up a portal with the owner `ada`, and signs her and the other admins in. @param others roles by username */
export async function createTeam(
  portal: Portal,
  password: string,
  others: Readonly<Record<string, 'owner' | 'reviewer' | 'viewer'>>,
) {
  const tokens = new Map<string, string>();
  const bearer = (username: string) => ({ Authorization: `Bearer ${tokens.get(username)}` });
  let visitorCount = 0;

  async function send(
    path: string,
    body: object | FormData,
    headers: Record<string, string> = {},
  ): Promise<ResponseFields> {
    const isForm = body instanceof FormData;
    const response = await fetch(portal.url + path, {
      method: 'POST',
      headers: { ...(isForm ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: isForm ? body : JSON.stringify(body),
    });
    const fields = await response.json();
    expect(response.status, `${path}: ${JSON.stringify(fields)}`).toBe(200);
    return fields;
  }
  async function signIn(username: string): Promise<void> {
    const { sessionId = '' } = await send('/api/admin/login', { username, password });
    tokens.set(username, sessionId);
  }

  await send('/api/admin/setup', { username: 'ada', password });
  await signIn('ada');
  for (const [username, role] of Object.entries(others)) {
    const invitation = { email: `${username}@example.com`, username, role, ownPassword: password };
    const { link = '' } = await send('/api/admin/team/invite', invitation, bearer('ada'));
    await send('/api/admin/link/use', { token: link.replace(/^.*#token=/, ''), password });
    await signIn(username);
  }
  return {
    tokens,
    /** Sends each call from a new IP address, because the rate limit per address is low. @returns the response body */
    submit: (path: string, body: object | FormData) => {
      visitorCount += 1;
      return send(path, body, { 'X-Forwarded-For': `203.0.113.${visitorCount}` });
    },
    read: async <Body>(username: string, path: string): Promise<Body> => {
      const response = await fetch(portal.url + path, { headers: bearer(username) });
      expect(response.status, path).toBe(200);
      return response.json();
    },
    change: (username: string, path: string, body: object) => send(path, body, bearer(username)),
    open: async (context: BrowserContext, username: string, path: string) => {
      await acceptTerms(context);
      const page = await context.newPage();
      await page.setViewportSize(DESKTOP);
      await page.goto(`${portal.url}/robots.txt`);
      await page.evaluate(
        ([token = '', name = '']) => {
          localStorage.setItem('adminSession', token);
          localStorage.setItem('adminUser', JSON.stringify({ username: name }));
        },
        [tokens.get(username), username],
      );
      await page.goto(portal.url + path);
      return page;
    },
  };
}

/** Makes `setInterval` ignore intervals of five seconds or more, so that the context's pages do not poll. */
export async function skipPolling(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const originalSetInterval = window.setInterval;
    const skipSlowIntervals = (run: TimerHandler, every?: number) =>
      (every ?? 0) >= 5_000 ? 0 : originalSetInterval(run, every);
    window.setInterval = skipSlowIntervals as typeof window.setInterval;
  });
}

/** Submits a loan application, with the same image for both documents. */
export function submitLoan(
  team: Team,
  name: string,
  email: string,
  picture: Buffer,
): Promise<ResponseFields> {
  const loan = new FormData();
  const fields = {
    name,
    email,
    investmentAmount: '75000',
    investorType: 'Family Office',
    riskSuitability: 'Yes',
    conversionOption: 'Undecided',
    country: 'GB',
  };
  for (const [field, value] of Object.entries(fields)) loan.set(field, value);
  for (const field of ['passportCopy', 'utilityBill']) {
    loan.set(field, new File([new Uint8Array(picture)], `${field}.png`));
  }
  return team.submit('/api/convertible-loan', loan);
}
