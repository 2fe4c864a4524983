import { setTimeout } from 'node:timers/promises';
import { chromium, type Locator, type Page } from 'playwright/test';
import { startSmtpPeer } from '../api/delivery/testing/smtp-peer.ts';
import { DESKTOP, PHONE } from '../e2e/examine.ts';
import { startPortal } from '../e2e/portal.ts';
import { findOrInstallChromium } from '../scripts/browser.ts';
import { fillMonth, isGone, MONTH, PASSWORD } from './month/fill.ts';

/** Works a month's records in the browser as the team does, and counts clicks, keys and typed texts, and the seconds of each task. */

/** Milliseconds for a step. */
const STEP_TIMEOUT = 10_000;
/** Milliseconds until the mails of the month were sent or refused. */
const SENDING_TIMEOUT = 120_000;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** A task's steps on the page. Each click, key or typed text counts as one. */
function handOf(page: Page) {
  let steps = 0;
  const count = <Result>(result: Promise<Result>): Promise<Result> => {
    steps += 1;
    return result;
  };
  return {
    steps: () => steps,
    click: (target: Locator) => count(target.click()),
    type: (target: Locator, text: string) => count(target.fill(text)),
    choose: (target: Locator, value: string) => count(target.selectOption(value)),
    key: (key: string) => count(page.keyboard.press(key)),
    /** Types at the focus. */
    write: (text: string) => count(page.keyboard.type(text)),
  };
}

type Hand = ReturnType<typeof handOf>;
type Task = (hand: Hand, page: Page) => Promise<unknown>;

const dialog = (page: Page) => page.getByRole('dialog');
const place = (page: Page, name: RegExp) =>
  page.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name });
const row = (page: Page, number: number) => page.locator('[data-opens]').nth(number);
const done = (page: Page) => page.locator('[data-outcome=done]').waitFor();
const conversation = (page: Page) => dialog(page).getByRole('region', { name: 'Conversation' });

async function reply(hand: Hand, page: Page, template: string): Promise<void> {
  await hand.click(place(page, /^Contacts/));
  await hand.click(row(page, 3));
  await hand.click(conversation(page).getByRole('button', { name: 'Write a message' }));
  await hand.choose(conversation(page).getByLabel('Template'), template);
  await hand.click(conversation(page).getByLabel('Message', { exact: true }));
  await hand.key('Control+Enter');
  await conversation(page).locator('[data-direction=out]').waitFor();
}

const TASKS: Readonly<Record<string, Task>> = {
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
  note: async (hand, page) => {
    await hand.click(place(page, /^Applications/));
    await hand.click(row(page, 2));
    await hand.type(dialog(page).getByLabel('Add a note'), 'Called.');
    await hand.click(dialog(page).getByRole('button', { name: 'Add note' }));
    await dialog(page).getByText('Called.').waitFor();
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
  'vote with both documents': async (hand, page) => {
    await hand.click(place(page, /^Loan/));
    await hand.click(row(page, 1));
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
  'correct a bounced address': async (hand, page) => {
    await hand.click(place(page, /^Applications/));
    await hand.choose(page.locator('select').filter({ hasText: /^Mail/ }), 'bounced');
    await page.getByText(`of ${MONTH.bounces}`).waitFor();
    await hand.click(row(page, 0));
    await hand.click(dialog(page).getByRole('button', { name: 'Correct the address' }));
    await hand.type(dialog(page).getByLabel('Correct email address'), 'right@example.com');
    await hand.click(dialog(page).getByRole('button', { name: 'Correct and send' }));
    await dialog(page).locator('[data-earlier-address]').waitFor();
  },
  'retry the other bounces': async (hand, page) => {
    await hand.click(place(page, /^Delivery/));
    await hand.choose(page.getByLabel('Failed'), 'only');
    await hand.click(page.getByRole('button', { name: `Retry all ${MONTH.bounces - 1}` }));
    await hand.click(page.getByRole('button', { name: 'Send again' }));
    await page.locator('.toast').first().waitFor();
  },
  'export a list': async (hand, page) => {
    await hand.click(place(page, /^Applications/));
    const saved = page.waitForEvent('download');
    await hand.click(page.getByRole('button', { name: 'CSV', exact: true }));
    await saved;
  },
  'reply with a template': (hand, page) => reply(hand, page, 'question-answered'),
  'ask for more information': (hand, page) => reply(hand, page, 'technical-details'),
  'assign to oneself': async (hand, page) => {
    await hand.click(place(page, /^Applications/));
    await hand.click(row(page, 4));
    await dialog(page)
      .getByRole('button', { name: /^Take it/ })
      .waitFor();
    await hand.key('m');
    await dialog(page)
      .getByRole('button', { name: /^Take it/ })
      .waitFor({ state: 'detached' });
  },
  erase: async (hand, page) => {
    await hand.click(place(page, /^Erase/));
    await hand.type(page.getByLabel('Email'), 'writer-5@example.com');
    await hand.type(page.getByLabel('Request'), 'MAIL-1');
    await hand.click(page.getByRole('button', { name: 'Show stored data' }));
    await hand.type(page.getByLabel(/^Type .* to confirm/), 'writer-5@example.com');
    await hand.type(page.getByLabel('Your password'), PASSWORD);
    await hand.click(page.getByRole('button', { name: 'Erase', exact: true }));
    await page.getByRole('heading', { name: 'Erased' }).waitFor();
  },
  invite: async (hand, page) => {
    await hand.click(place(page, /^Team/));
    await hand.click(page.getByRole('button', { name: 'Invite admin' }));
    await hand.type(dialog(page).getByLabel('Email'), 'mary@example.com');
    await hand.choose(dialog(page).getByLabel('Role'), 'reviewer');
    await hand.type(dialog(page).getByLabel('Your password'), PASSWORD);
    await hand.click(dialog(page).getByRole('button', { name: 'Invite', exact: true }));
    await dialog(page).getByRole('button', { name: 'Invite', exact: true }).waitFor({ state: 'detached' });
  },
  'add a passkey': async (hand, page) => {
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

/** Prints the steps and seconds of each task. The time includes the browser's and the portal's. */
export async function benchMonth(): Promise<boolean> {
  const unknown = Object.assign(new Error('5.1.1 User unknown'), { responseCode: 550 });
  const smtp = await startSmtpPeer({
    onRcptTo: ({ address }, _session, answer) => answer(isGone(address) ? unknown : null),
  });
  const portal = await startPortal({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'BlackDuck <portal@example.com>',
    TEAM_EMAIL: 'team@example.com',
    // The month arrives in seconds, and the tasks follow each other without a pause.
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
    print(`${'task'.padEnd(42)}${'steps'.padStart(6)}${'seconds'.padStart(9)}`);
    for (const [name, work] of Object.entries(TASKS)) {
      await page.setViewportSize(DESKTOP);
      // A change of only the fragment would keep the page.
      await page.goto(`${portal.url}/robots.txt`);
      await page.goto(`${portal.url}/admin/dashboard`);
      await page.getByText('Total Applications').waitFor();
      const hand = handOf(page);
      const startedAt = performance.now();
      try {
        await work(hand, page);
        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
        print(`${name.padEnd(42)}${String(hand.steps()).padStart(6)}${seconds.padStart(9)}`);
      } catch (error) {
        isMet = false;
        print(`${name.padEnd(42)}  FAILED after ${hand.steps()} steps: ${String(error).split('\n', 1)}`);
      }
    }
  } finally {
    await browser.close();
    await portal.stop();
    await smtp.close();
  }
  return isMet;
}
