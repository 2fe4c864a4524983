import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { chromium, type Page } from 'playwright/test';
import { startSmtpPeer } from '../api/delivery/testing/smtp-peer.ts';
import { signatureHeader } from '../api/delivery/webhooks/signature.ts';
import type { Team } from '../e2e/admin-dashboard.ts';
import { DESKTOP, PHONE } from '../e2e/examine.ts';
import { type Portal, startPortal } from '../e2e/portal.ts';
import { findOrInstallChromium } from '../scripts/browser.ts';
import { median } from './growth/flatness.ts';
import { type Hand, handOf } from './hand.ts';
import { BY_HAND } from './month/by-hand.ts';
import { fillMonth, isGone, MONTH, PASSWORD } from './month/fill.ts';
import { FRONT, PEERS } from './month/peers.ts';

/** Works a month's records in the browser as the team does, and counts clicks, keys and texts, and the seconds of each task. */

/** Milliseconds for a step. */
const STEP_TIMEOUT = 10_000;
/** Milliseconds until the mails of the month were sent or refused. */
const SENDING_TIMEOUT = 120_000;
/** How often each task is done, if it can be repeated. */
const ROUNDS = 3;
const OVERDUE = 20;
/** Signs the mails that come in. */
const MAIL_SECRET = 'month'.padEnd(43, '0');

const print = (line: string) => process.stdout.write(`${line}\n`);

interface Context {
  readonly portal: Portal;
  readonly team: Team;
  /** From 0. */
  readonly round: number;
}
interface Task {
  /** Prepares the task. Not measured. */
  readonly before?: (context: Context) => Promise<unknown>;
  readonly work: (hand: Hand, page: Page, context: Context) => Promise<unknown>;
  /** Set if the task cannot be repeated. */
  readonly isOnce?: true;
}

const dialog = (page: Page) => page.getByRole('dialog');
const place = (page: Page, name: RegExp) =>
  page.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name });
const row = (page: Page, number: number) => page.locator('[data-opens]').nth(number);
const filter = (page: Page, label: RegExp) => page.locator('select').filter({ hasText: label });
const done = (page: Page) => page.locator('[data-outcome=done]').waitFor();
const conversation = (page: Page) => dialog(page).getByRole('region', { name: 'Conversation' });

/** Writes to a person with a template. @param text for the line that the template leaves open */
async function reply(hand: Hand, page: Page, template: string, text?: string): Promise<void> {
  await hand.click(place(page, /^Contacts/));
  await hand.click(row(page, 3));
  await write(hand, page);
  await hand.choose(conversation(page).getByLabel('Template'), template);
  // The line that the template leaves open is selected now.
  if (text !== undefined) await hand.write(text);
  await hand.key('Control+Enter');
  await conversation(page).locator('[data-direction=out]').waitFor();
}

/** Opens the form of a message. */
async function write(hand: Hand, page: Page): Promise<void> {
  await conversation(page)
    .getByRole('button', { name: /^Write a message/ })
    .waitFor();
  await hand.key('e');
  await conversation(page).getByLabel('Message', { exact: true }).waitFor();
}

const answerWord = (round: number) => `bustard${round}`;

/** The team writes to a person, who answers by mail. */
async function answerByMail({ portal, team, round }: Context): Promise<void> {
  const { contacts } = await team.read<{ contacts: readonly { referenceNumber: string }[] }>(
    'ada',
    '/api/admin/contacts?sort=createdAt&order=asc&limit=25',
  );
  const { referenceNumber } = contacts[round] ?? {};
  const subject = 'Your question';
  await team.change('ada', '/api/admin/conversation/reply', {
    ...{ referenceNumber, kind: 'question', subject, text: 'Which wallet?', after: null },
  });
  const mail =
    `From: someone@example.com\r\nSubject: Re: ${subject} ${referenceNumber}\r\n` +
    `Message-ID: <${round}@example.com>\r\n\r\nThe one of the ${answerWord(round)}.\r\n`;
  const headers = { 'BlackDuck-Signature': signatureHeader(mail, [MAIL_SECRET], Date.now()) };
  await fetch(`${portal.url}/api/inbound-mail`, { method: 'POST', headers, body: mail });
}

/** Moves the due time of messages to support into the past. */
function makeOverdue({ portal }: Context): void {
  const client = new Database(join(portal.dataFolder, 'app.db'));
  client
    .prepare(
      `update contact_messages set dueAt = createdAt - 1 where referenceNumber in
        (select referenceNumber from contact_messages where status = 'open' order by createdAt desc limit ?)`,
    )
    .run(OVERDUE);
  client.close();
}

const TASKS: Readonly<Record<string, Task['work'] | Task>> = {
  'find a record by words of a message': async (hand, page) => {
    await hand.key('Control+k');
    await hand.write('peregrine falcon');
    await page.getByRole('option', { name: /BD-/ }).first().waitFor();
    await hand.key('Enter');
    await dialog(page)
      .getByText(/peregrine/)
      .first()
      .waitFor();
  },
  'find Łukasz as lukasz': async (hand, page) => {
    await hand.key('Control+k');
    await hand.write('lukasz');
    await page
      .getByRole('option', { name: /Łukasz/ })
      .first()
      .waitFor();
  },
  decide: async (hand, page) => {
    await hand.click(place(page, /^Applications/));
    await hand.click(row(page, 1));
    await dialog(page)
      .getByRole('button', { name: /^Refuse/ })
      .waitFor();
    await hand.key('r');
    await hand.type(page.getByLabel('Reason'), 'Not staked.');
    await hand.key('Control+Enter');
    await done(page);
  },
  note: async (hand, page, { round }) => {
    const text = `Called ${round + 1}.`;
    await hand.click(place(page, /^Applications/));
    await hand.click(row(page, 2));
    await dialog(page).getByLabel('Add a note').waitFor();
    await hand.key('t');
    await hand.write(text);
    await hand.key('Control+Enter');
    await dialog(page).getByText(text).first().waitFor();
  },
  verify: async (hand, page) => {
    await hand.click(place(page, /^Verification/));
    await hand.click(row(page, 1));
    await dialog(page)
      .getByRole('button', { name: /^Approve/ })
      .waitFor();
    await hand.key('a');
    await hand.click(page.getByRole('radio', { name: 'Duckling' }));
    await hand.type(page.getByLabel(/anyway/), 'Seen in a call.');
    await hand.key('Control+Enter');
    await done(page);
  },
  'vote with both documents': async (hand, page, { round }) => {
    await hand.click(place(page, /^Loan/));
    await hand.click(row(page, 1 + round));
    await hand.click(dialog(page).getByRole('button', { name: 'View Passport copy' }));
    await dialog(page)
      .getByRole('img', { name: /Passport/ })
      .waitFor();
    await hand.click(dialog(page).getByRole('button', { name: /^View Utility/ }));
    await hand.click(dialog(page).getByRole('button', { name: /^Vote to approve/ }));
    await hand.type(dialog(page).getByLabel(/anyway/), 'Seen in a call.');
    await hand.key('Control+Enter');
    await done(page);
  },
  'correct a bounced address': async (hand, page, { round }) => {
    await hand.click(place(page, /^Applications/));
    await hand.choose(filter(page, /^Mail/), 'bounced');
    await page.getByText(`of ${MONTH.bounces - round}`).waitFor();
    await hand.click(row(page, 0));
    await hand.click(dialog(page).getByRole('button', { name: 'Correct the address' }));
    await hand.type(dialog(page).getByLabel('Correct email address'), 'right@example.com');
    await hand.click(dialog(page).getByRole('button', { name: 'Correct and send' }));
    await dialog(page).locator('[data-earlier-address]').waitFor();
  },
  'retry the other bounces': {
    isOnce: true,
    work: async (hand, page) => {
      await hand.click(page.getByRole('button', { name: /failed deliveries$/ }));
      await hand.click(page.getByRole('button', { name: `Retry all ${MONTH.bounces - ROUNDS}` }));
      await hand.click(page.getByRole('button', { name: 'Send again' }));
      await page.locator('.toast').first().waitFor();
    },
  },
  'export this week': async (hand, page) => {
    await hand.click(place(page, /^Applications/));
    await hand.choose(filter(page, /^Received/), 'this-week');
    await hand.click(page.getByRole('button', { name: 'Export Data' }));
    const saved = page.waitForEvent('download');
    await hand.click(page.locator('[data-export] [type=submit]'));
    await saved;
  },
  'clear 20 overdue messages': {
    isOnce: true,
    before: async (context) => makeOverdue(context),
    work: async (hand, page) => {
      await hand.click(page.getByRole('button', { name: 'Overdue' }));
      await page
        .getByText('Overdue by')
        .nth(OVERDUE - 1)
        .waitFor();
      await hand.click(page.getByLabel('Select all shown'));
      await hand.click(page.locator('[data-action="contact-message closed"]'));
      await hand.click(dialog(page).getByRole('button', { name: new RegExp(`: ${OVERDUE} `) }));
      await page.getByRole('button', { name: /^Undo all/ }).waitFor();
    },
  },
  'answer to a reply': {
    before: answerByMail,
    work: async (hand, page, { round }) => {
      await hand.key('Control+k');
      await hand.write(answerWord(round));
      await page.getByRole('option', { name: /BD-/ }).first().waitFor();
      await hand.key('Enter');
      await write(hand, page);
      await hand.write('Thank you.');
      await hand.key('Control+Enter');
      await conversation(page).locator('[data-direction=out]').nth(1).waitFor();
    },
  },
  'reply with a template': (hand, page) => reply(hand, page, 'question-answered', 'The lock lasts 14 days.'),
  'ask for more information': (hand, page) => reply(hand, page, 'technical-details'),
  'assign to oneself': async (hand, page, { round }) => {
    await hand.click(place(page, /^Applications/));
    await hand.click(row(page, 4 + round));
    await dialog(page)
      .getByRole('button', { name: /^Take it/ })
      .waitFor();
    await hand.key('m');
    await dialog(page)
      .getByRole('button', { name: /^Take it/ })
      .waitFor({ state: 'detached' });
  },
  erase: async (hand, page, { round }) => {
    const email = `writer-${5 + round}@example.com`;
    await hand.click(place(page, /^Erase/));
    await hand.type(page.getByLabel('Email'), email);
    await hand.type(page.getByLabel('Request'), 'MAIL-1');
    await hand.click(page.getByRole('button', { name: 'Show stored data' }));
    await hand.type(page.getByLabel(/^Type .* to confirm/), email);
    await hand.type(page.getByLabel('Your password'), PASSWORD);
    await hand.click(page.getByRole('button', { name: 'Erase', exact: true }));
    await page.getByRole('heading', { name: 'Erased' }).waitFor();
  },
  invite: async (hand, page, { round }) => {
    await hand.click(place(page, /^Team/));
    await hand.click(page.getByRole('button', { name: 'Invite admin' }));
    await hand.type(dialog(page).getByLabel('Email'), `mary-${round}@example.com`);
    await hand.choose(dialog(page).getByLabel('Role'), 'reviewer');
    await hand.type(dialog(page).getByLabel('Your password'), PASSWORD);
    await hand.click(dialog(page).getByRole('button', { name: 'Invite', exact: true }));
    await dialog(page).getByRole('button', { name: 'Invite', exact: true }).waitFor({ state: 'detached' });
  },
  'add a passkey': {
    isOnce: true,
    work: async (hand, page) => {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
          ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
        },
      });
      await hand.click(place(page, /^Team/));
      await hand.click(page.getByRole('button', { name: 'Add passkey' }));
      await hand.type(page.getByLabel('Name', { exact: true }), 'Laptop');
      await hand.type(page.locator('#passkey-password'), PASSWORD);
      await hand.click(page.getByRole('button', { name: 'Create passkey' }));
      await page.getByRole('row', { name: /Laptop/ }).waitFor();
    },
  },
  'decide on a phone': async (hand, page) => {
    await page.setViewportSize(PHONE);
    await hand.click(page.getByRole('button', { name: /^Menu/ }));
    await hand.click(place(page, /^Applications/));
    await hand.click(row(page, 5));
    await hand.click(dialog(page).getByRole('button', { name: /^Refuse/ }));
    await hand.type(page.getByLabel('Reason'), 'Not staked.');
    await hand.click(dialog(page).getByRole('button', { name: /^Confirm/ }));
    await done(page);
  },
};

/** Milliseconds. */
const LIVE_LIMIT = 1_000;
/** Milliseconds between two submissions. After many changes in a row, pages wait longer until they read the list. */
const LIVE_PAUSE = 5_000;
const LIVE_ROUNDS = 5;

/** Measures how soon an open list shows a submission, and whether the letters typed right after Ctrl+K reach the search. */
async function checkLive(page: Page, team: Team, url: string): Promise<boolean> {
  await page.goto(`${url}/admin/dashboard#contacts?sort=-createdAt`);
  await row(page, 0).waitFor();
  const took: number[] = [];
  for (let round = 0; round < LIVE_ROUNDS; round += 1) {
    await setTimeout(LIVE_PAUSE);
    const name = `Flo Live ${round}`;
    await team.submit('/api/contact/submit', { name, email: 'flo@example.com', message: 'Hello.' });
    const startedAt = performance.now();
    await page.getByRole('row', { name: new RegExp(`${name}\\b`) }).waitFor();
    took.push(performance.now() - startedAt);
  }
  await page.reload();
  await row(page, 0).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('arrow');
  const typed = await page.locator('input:focus').inputValue();
  const longest = Math.max(...took);
  print(
    `\nan open list shows a submission after ${median(took).toFixed(0)} ms, at most ${longest.toFixed(0)} ms (limit ${LIVE_LIMIT}); ` +
      `typed right after Ctrl+K: arrow, in the search: ${typed}`,
  );
  return longest <= LIVE_LIMIT && typed === 'arrow';
}

const HEAD = `${'task'.padEnd(36)}${'clicks'.padStart(8)}${'keys'.padStart(6)}${'texts'.padStart(7)}${'steps'.padStart(7)}${'seconds'.padStart(9)}  peer’s steps`;

/** One line of the table: the steps, the median of the seconds, and the steps in the compared product. */
function lineOf(name: string, { clicks, keys, texts }: Hand['steps'], seconds: readonly number[]): string {
  const cells = [String(clicks).padStart(8), String(keys).padStart(6), String(texts).padStart(7)];
  const total = String(clicks + keys + texts).padStart(7);
  const peer = PEERS[name];
  const peers = peer === undefined ? 'not documented' : `${peer.steps} ${peer.product}`;
  return `${name.padEnd(36)}${cells.join('')}${total}${median(seconds).toFixed(1).padStart(9)}  ${peers}`;
}

/** Prints the steps and the seconds of each task. The time includes the browser's and the portal's. */
export async function benchMonth(): Promise<boolean> {
  const unknown = Object.assign(new Error('5.1.1 User unknown'), { responseCode: 550 });
  const smtp = await startSmtpPeer({
    onRcptTo: ({ address }, _session, answer) => answer(isGone(address) ? unknown : null),
  });
  const portal = await startPortal({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'BlackDuck <portal@example.com>',
    TEAM_EMAIL: 'team@example.com',
    INBOUND_ADDRESS: 'in+{reference}@example.com',
    INBOUND_WEBHOOK_SECRET: MAIL_SECRET,
    // Raised, because a month of records arrives within seconds, and the tasks follow each other without a pause.
    RATE_LIMITS:
      'calls=100000,submissions=100000,document-megabytes-of-network=100000,document-megabytes-of-email=10000,document-megabytes=100000',
  });
  const browser = await chromium.launch({ executablePath: findOrInstallChromium() });
  let isMet = true;
  try {
    const [wallet = ''] = /[1-9A-HJ-NP-Za-km-z]{43,44}/.exec(await portal.ledger('wallets')) ?? [];
    const team = await fillMonth(portal, wallet);
    const isSent = async () => {
      const stats = await team.read<{ deadDeliveries: number }>('ada', '/api/admin/dashboard/stats');
      return stats.deadDeliveries === MONTH.bounces;
    };
    const deadline = Date.now() + SENDING_TIMEOUT;
    while (!(await isSent())) {
      if (Date.now() > deadline) throw new Error(`${MONTH.bounces} mails did not bounce in time.`);
      await setTimeout(1_000);
    }
    const page = await team.open(await browser.newContext(), 'ada', '/admin/dashboard');
    page.setDefaultTimeout(STEP_TIMEOUT);
    print(HEAD);
    for (const [name, given] of Object.entries(TASKS)) {
      const task = typeof given === 'function' ? { work: given } : given;
      const seconds: number[] = [];
      let hand = handOf(page);
      try {
        for (let round = 0; round < (task.isOnce ? 1 : ROUNDS); round += 1) {
          const context = { portal, team, round };
          await task.before?.(context);
          await page.setViewportSize(DESKTOP);
          // A change of only the fragment would keep the page.
          await page.goto(`${portal.url}/robots.txt`);
          await page.goto(`${portal.url}/admin/dashboard`);
          await page.getByText('Total Applications').waitFor();
          hand = handOf(page);
          const startedAt = performance.now();
          await task.work(hand, page, context);
          seconds.push((performance.now() - startedAt) / 1_000);
        }
        print(lineOf(name, hand.steps, seconds));
      } catch (error) {
        isMet = false;
        print(
          `${name.padEnd(36)}  FAILED after ${JSON.stringify(hand.steps)}: ${String(error).split('\n', 1)}`,
        );
      }
    }
    await page.setViewportSize(DESKTOP);
    isMet = (await checkLive(page, team, portal.url)) && isMet;
    print(
      '\nBy hand (steps, seconds): before the admin area was redone, and now. How it was counted: bench/month/by-hand.ts',
    );
    for (const [name, { before, after }] of Object.entries(BY_HAND)) {
      const earlier =
        typeof before === 'string' ? `not possible: ${before}` : `${before.steps}, ${before.seconds} s`;
      print(`  ${name.padEnd(36)}${`${after.steps}, ${after.seconds} s`.padEnd(14)}before: ${earlier}`);
    }
    print('\nThe peers’ steps, counted in their documentation:');
    for (const [name, { steps, product, how, source }] of Object.entries(PEERS)) {
      print(`  ${name}: ${steps} in ${product} (${how}), ${source}`);
    }
    for (const [name, { steps, how, source }] of Object.entries(FRONT)) {
      print(`  ${name}: ${steps ?? 'no steps'} in Front (${how}), ${source}`);
    }
  } finally {
    await browser.close();
    await portal.stop();
    await smtp.close();
  }
  return isMet;
}
