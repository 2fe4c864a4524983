import AxeBuilder from '@axe-core/playwright';
import { type BrowserContext, expect, type Page, type TestInfo } from 'playwright/test';
import type { Portal } from './portal.ts';
import { acceptTerms } from './visitor.ts';

export const PHONE = { width: 375, height: 812 };
export const DESK = { width: 1280, height: 800 };

type Answer = Readonly<Record<string, string>>;

/** The team of a portal, and the people who send it something. */
export interface Team {
  /** Tokens of sessions, by the names of who is signed in. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Sends what a visitor at an address of their own does: each may send in little. Answers what was answered. */
  sendIn(path: string, body: object | FormData): Promise<Answer>;
  /** Reads as somebody of the team. */
  read<Body>(username: string, path: string): Promise<Body>;
  /** Opens a page, wide, as somebody of the team. */
  open(context: BrowserContext, username: string, path: string): Promise<Page>;
}

/** Sets a portal up with an owner, `ada`, and others by their roles, all of whom are signed in. */
export async function formTeam(
  portal: Portal,
  password: string,
  others: Readonly<Record<string, 'owner' | 'reviewer' | 'viewer'>>,
): Promise<Team> {
  const tokens = new Map<string, string>();
  const bearer = (username: string) => ({ Authorization: `Bearer ${tokens.get(username)}` });
  let visitors = 0;

  async function send(
    path: string,
    body: object | FormData,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isForm = body instanceof FormData;
    const response = await fetch(portal.url + path, {
      method: 'POST',
      headers: { ...(isForm ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: isForm ? body : JSON.stringify(body),
    });
    const answer = await response.json();
    expect(response.status, `${path}: ${JSON.stringify(answer)}`).toBe(200);
    return answer;
  }
  async function signIn(username: string): Promise<void> {
    const { sessionId = '' } = await send('/api/admin/login', { username, password });
    tokens.set(username, sessionId);
  }

  await send('/api/admin/setup', { username: 'ada', password });
  await signIn('ada');
  for (const [username, role] of Object.entries(others)) {
    await send('/api/admin/team/add', { username, password, role }, bearer('ada'));
    await signIn(username);
  }
  return {
    tokens,
    sendIn: (path, body) => {
      visitors += 1;
      return send(path, body, { 'X-Forwarded-For': `203.0.113.${visitors}` });
    },
    read: async (username, path) => {
      const response = await fetch(portal.url + path, { headers: bearer(username) });
      expect(response.status, path).toBe(200);
      return response.json();
    },
    open: async (context, username, path) => {
      await acceptTerms(context);
      const page = await context.newPage();
      await page.setViewportSize(DESK);
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

/** Sends an application for the loan note in, with two documents that are one picture. */
export function sendLoanIn(team: Team, name: string, email: string, picture: Buffer): Promise<Answer> {
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
  return team.sendIn('/api/convertible-loan', loan);
}

/** Examines what stands on top, wide and dark, narrow and light, and keeps a picture of both. */
export async function examine(page: Page, info: TestInfo, name: string): Promise<void> {
  const isDialog = (await page.locator('dialog:modal').count()) > 0;
  const part = isDialog ? 'dialog[open]' : 'main';
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.screenshot({ path: info.outputPath(`${name}-dark.png`), fullPage: !isDialog });
  const dark = await new AxeBuilder({ page }).include(part).analyze();
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.setViewportSize(PHONE);
  await page.screenshot({ path: info.outputPath(`${name}-light-375.png`), fullPage: !isDialog });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  // Only contrast depends on the theme.
  const light = await new AxeBuilder({ page }).include(part).withRules(['color-contrast']).analyze();
  await page.setViewportSize(DESK);
  const violations = [...dark.violations, ...light.violations];
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
    name,
  ).toEqual([]);
  expect(overflow, name).toBeLessThanOrEqual(0);
}
