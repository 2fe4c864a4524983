import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from 'playwright/test';
import { startSmtpPeer } from '../api/delivery/testing/smtp-peer.ts';
import type { Team } from '../e2e/admin-team.ts';
import { DESKTOP } from '../e2e/examine.ts';
import { startPortal } from '../e2e/portal.ts';
import { findOrInstallChromium } from '../scripts/browser.ts';
import { type CountingUser, createCountingUser } from './counting-user.ts';
import { median } from './growth/flatness.ts';
import { BY_HAND } from './month/by-hand.ts';
import { fillMonth, isGoneMailbox, MONTH_COUNTS } from './month/fill.ts';
import { FRONT_STEPS, PEER_TASKS } from './month/peers.ts';
import { MAIL_SECRET, ROUNDS, row, TASKS } from './month/tasks.ts';

const STEP_TIMEOUT_MS = 10_000;
const SENDING_TIMEOUT_MS = 120_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** The longest time (ms) until an open list shows a new submission. */
const LIVE_LIMIT_MS = 1_000;
/** Milliseconds between two submissions. With shorter pauses, the page's limit on reads would delay the list. */
const LIVE_PAUSE_MS = 5_000;
const LIVE_ROUNDS = 5;

/** Measures how soon an open list shows a submission, and whether the letters typed right after Ctrl+K reach the search. */
async function checkLive(page: Page, team: Team, url: string): Promise<boolean> {
  await page.goto(`${url}/admin/dashboard#contacts?sort=-createdAt`);
  await row(page, 0).waitFor();
  const delaysMs: number[] = [];
  for (let round = 0; round < LIVE_ROUNDS; round += 1) {
    await setTimeout(LIVE_PAUSE_MS);
    const name = `Flo Live ${round}`;
    await team.submit('/api/contact/submit', { name, email: 'flo@example.com', message: 'Hello.' });
    const startedAt = performance.now();
    await page.getByRole('row', { name: new RegExp(`${name}\\b`) }).waitFor();
    delaysMs.push(performance.now() - startedAt);
  }
  await page.reload();
  await row(page, 0).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('arrow');
  const searchText = await page.locator('input:focus').inputValue();
  const longest = Math.max(...delaysMs);
  print(
    `\nan open list shows a submission after ${median(delaysMs).toFixed(0)} ms, at most ${longest.toFixed(0)} ms (limit ${LIVE_LIMIT_MS}); ` +
      `typed right after Ctrl+K: "arrow"; received by the search: "${searchText}"`,
  );
  return longest <= LIVE_LIMIT_MS && searchText === 'arrow';
}

const TABLE_HEADER = `${'task'.padEnd(36)}${'clicks'.padStart(8)}${'keys'.padStart(6)}${'texts'.padStart(7)}${'steps'.padStart(7)}${'seconds'.padStart(9)}  peer’s steps`;

function lineOf(
  name: string,
  { clicks, keys, texts }: CountingUser['steps'],
  seconds: readonly number[],
): string {
  const cells = [String(clicks).padStart(8), String(keys).padStart(6), String(texts).padStart(7)];
  const total = String(clicks + keys + texts).padStart(7);
  const peer = PEER_TASKS[name];
  const peerSteps = peer === undefined ? 'not documented' : `${peer.steps} ${peer.product}`;
  return `${name.padEnd(36)}${cells.join('')}${total}${median(seconds).toFixed(1).padStart(9)}  ${peerSteps}`;
}

/** Measures the team's tasks on a month of records. The printed seconds include the time that browser and portal take. */
export async function benchMonth(): Promise<boolean> {
  const unknownUserError = Object.assign(new Error('5.1.1 User unknown'), { responseCode: 550 });
  const smtp = await startSmtpPeer({
    onRcptTo: ({ address }, _session, answer) => answer(isGoneMailbox(address) ? unknownUserError : null),
  });
  const portal = await startPortal({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'BlackDuck <portal@example.com>',
    TEAM_EMAIL: 'team@example.com',
    INBOUND_ADDRESS: 'in+{reference}@example.com',
    INBOUND_WEBHOOK_SECRET: MAIL_SECRET,
    // The default limits are too low: a month of records arrives within seconds, and the tasks follow without a pause.
    RATE_LIMITS:
      'calls=100000,submissions=100000,document-megabytes-of-network=100000,document-megabytes-of-email=10000,document-megabytes=100000',
  });
  const browser = await chromium.launch({ executablePath: findOrInstallChromium() });
  let isMet = true;
  try {
    const [wallet = ''] = /[1-9A-HJ-NP-Za-km-z]{43,44}/.exec(await portal.runLedgerCommand('wallets')) ?? [];
    const team = await fillMonth(portal, wallet);
    const haveAllBounced = async () => {
      const stats = await team.read<{ deadDeliveries: number }>('ada', '/api/admin/dashboard/stats');
      return stats.deadDeliveries === MONTH_COUNTS.bounces;
    };
    const deadline = Date.now() + SENDING_TIMEOUT_MS;
    while (!(await haveAllBounced())) {
      if (Date.now() > deadline) throw new Error(`${MONTH_COUNTS.bounces} emails did not bounce in time.`);
      await setTimeout(1_000);
    }
    const page = await team.open(await browser.newContext(), 'ada', '/admin/dashboard');
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    print(TABLE_HEADER);
    for (const [name, taskOrWork] of Object.entries(TASKS)) {
      const task = typeof taskOrWork === 'function' ? { work: taskOrWork } : taskOrWork;
      const seconds: number[] = [];
      let user = createCountingUser(page);
      try {
        for (let round = 0; round < (task.isOnce ? 1 : ROUNDS); round += 1) {
          const context = { portal, team, round };
          await task.before?.(context);
          await page.setViewportSize(DESKTOP);
          // Navigating to a different fragment of the same page would not reload it.
          await page.goto(`${portal.url}/robots.txt`);
          await page.goto(`${portal.url}/admin/dashboard`);
          await page.getByText('Total Applications').waitFor();
          user = createCountingUser(page);
          const startedAt = performance.now();
          await task.work(user, page, context);
          seconds.push((performance.now() - startedAt) / 1_000);
        }
        print(lineOf(name, user.steps, seconds));
      } catch (error) {
        isMet = false;
        print(
          `${name.padEnd(36)}  FAILED after ${JSON.stringify(user.steps)}: ${String(error).split('\n', 1)}`,
        );
      }
    }
    await page.setViewportSize(DESKTOP);
    isMet = (await checkLive(page, team, portal.url)) && isMet;
    print(
      '\nBy hand (steps, seconds): now, and before the admin area was redesigned. How it was counted: bench/month/by-hand.ts',
    );
    for (const [name, { before, after }] of Object.entries(BY_HAND)) {
      const earlier =
        typeof before === 'string' ? `not possible: ${before}` : `${before.steps}, ${before.seconds} s`;
      print(`  ${name.padEnd(36)}${`${after.steps}, ${after.seconds} s`.padEnd(14)}before: ${earlier}`);
    }
    print('\nThe peers’ steps, counted in their documentation:');
    for (const [name, { steps, product, how, source }] of Object.entries(PEER_TASKS)) {
      print(`  ${name}: ${steps} in ${product} (${how}), ${source}`);
    }
    for (const [name, { steps, how, source }] of Object.entries(FRONT_STEPS)) {
      print(`  ${name}: ${steps ?? 'no steps'} in Front (${how}), ${source}`);
    }
  } finally {
    await browser.close();
    await portal.stop();
    await smtp.close();
  }
  return isMet;
}
