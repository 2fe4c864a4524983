import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright/test';
import { signatureHeader } from '../../api/delivery/webhooks/signature.ts';
import type { Team } from '../../e2e/admin-dashboard.ts';
import { PHONE } from '../../e2e/examine.ts';
import type { Portal } from '../../e2e/portal.ts';
import type { Hand } from '../hand.ts';
import { MONTH, PASSWORD } from './fill.ts';

/** How often each task is done, if it can be repeated. */
export const ROUNDS = 3;
const OVERDUE = 20;
/** The secret that signs incoming emails. */
export const MAIL_SECRET = 'month'.padEnd(43, '0');

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
const menuLink = (page: Page, name: RegExp) =>
  page.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name });
/** A row of the open list, from 0. */
export const row = (page: Page, number: number) => page.locator('[data-opens]').nth(number);
const filterSelect = (page: Page, label: RegExp) => page.locator('select').filter({ hasText: label });
const waitUntilDone = (page: Page) => page.locator('[data-outcome=done]').waitFor();
const conversation = (page: Page) => dialog(page).getByRole('region', { name: 'Conversation' });

/** Writes to a person with a template. @param text for the line that the template leaves open */
async function reply(hand: Hand, page: Page, template: string, text?: string): Promise<void> {
  await hand.click(menuLink(page, /^Contacts/));
  await hand.click(row(page, 3));
  await openMessageForm(hand, page);
  await hand.choose(conversation(page).getByLabel('Template'), template);
  // The line that the template leaves open is selected now.
  if (text !== undefined) await hand.write(text);
  await hand.key('Control+Enter');
  await conversation(page).locator('[data-direction=out]').waitFor();
}

/** Opens the form of a message. */
async function openMessageForm(hand: Hand, page: Page): Promise<void> {
  await conversation(page)
    .getByRole('button', { name: /^Write a message/ })
    .waitFor();
  await hand.key('e');
  await conversation(page).getByLabel('Message', { exact: true }).waitFor();
}

const answerWord = (round: number) => `bustard${round}`;

/** The team writes to a person, who answers by email. */
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

/** The tasks of a month, as the team does them in the browser. */
export const TASKS: Readonly<Record<string, Task['work'] | Task>> = {
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
    await hand.click(menuLink(page, /^Applications/));
    await hand.click(row(page, 1));
    await dialog(page)
      .getByRole('button', { name: /^Refuse/ })
      .waitFor();
    await hand.key('r');
    await hand.type(page.getByLabel('Reason'), 'Not staked.');
    await hand.key('Control+Enter');
    await waitUntilDone(page);
  },
  note: async (hand, page, { round }) => {
    const text = `Called ${round + 1}.`;
    await hand.click(menuLink(page, /^Applications/));
    await hand.click(row(page, 2));
    await dialog(page).getByLabel('Add a note').waitFor();
    await hand.key('t');
    await hand.write(text);
    await hand.key('Control+Enter');
    await dialog(page).getByText(text).first().waitFor();
  },
  verify: async (hand, page) => {
    await hand.click(menuLink(page, /^Verification/));
    await hand.click(row(page, 1));
    await dialog(page)
      .getByRole('button', { name: /^Approve/ })
      .waitFor();
    await hand.key('a');
    await hand.click(page.getByRole('radio', { name: 'Duckling' }));
    await hand.type(page.getByLabel(/anyway/), 'Seen in a call.');
    await hand.key('Control+Enter');
    await waitUntilDone(page);
  },
  'vote with both documents': async (hand, page, { round }) => {
    await hand.click(menuLink(page, /^Loan/));
    await hand.click(row(page, 1 + round));
    await hand.click(dialog(page).getByRole('button', { name: 'View Passport copy' }));
    await dialog(page)
      .getByRole('img', { name: /Passport/ })
      .waitFor();
    await hand.click(dialog(page).getByRole('button', { name: /^View Utility/ }));
    await hand.click(dialog(page).getByRole('button', { name: /^Vote to approve/ }));
    await hand.type(dialog(page).getByLabel(/anyway/), 'Seen in a call.');
    await hand.key('Control+Enter');
    await waitUntilDone(page);
  },
  'correct a bounced address': async (hand, page, { round }) => {
    await hand.click(menuLink(page, /^Applications/));
    await hand.choose(filterSelect(page, /^Mail/), 'bounced');
    await page.getByText(`of ${MONTH.bounces - round}`).waitFor();
    await hand.click(row(page, 0));
    await hand.click(dialog(page).getByRole('button', { name: 'Correct the address' }));
    await hand.type(dialog(page).getByLabel('New email address'), 'right@example.com');
    await hand.click(dialog(page).getByRole('button', { name: 'Correct and send' }));
    await dialog(page).locator('[data-earlier-address]').waitFor();
  },
  'retry the other bounces': {
    isOnce: true,
    work: async (hand, page) => {
      await hand.click(page.getByRole('button', { name: /failed deliveries$/ }));
      await hand.click(page.getByRole('button', { name: 'Retry all' }));
      await hand.click(page.getByRole('button', { name: 'Send again' }));
      await page.locator('.toast').first().waitFor();
    },
  },
  'export this week': async (hand, page) => {
    await hand.click(menuLink(page, /^Applications/));
    await hand.choose(filterSelect(page, /^Received/), 'this-week');
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
      await openMessageForm(hand, page);
      await hand.write('Thank you.');
      await hand.key('Control+Enter');
      await conversation(page).locator('[data-direction=out]').nth(1).waitFor();
    },
  },
  'reply with a template': (hand, page) => reply(hand, page, 'question-answered', 'The lock lasts 14 days.'),
  'ask for more information': (hand, page) => reply(hand, page, 'technical-details'),
  'assign to oneself': async (hand, page, { round }) => {
    await hand.click(menuLink(page, /^Applications/));
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
    await hand.click(menuLink(page, /^Erase/));
    await hand.type(page.getByLabel('Email'), email);
    await hand.type(page.getByLabel('Request'), 'MAIL-1');
    await hand.click(page.getByRole('button', { name: 'Show stored data' }));
    await hand.type(page.getByLabel(/^Type .* to confirm/), email);
    await hand.type(page.getByLabel('Your password'), PASSWORD);
    await hand.click(page.getByRole('button', { name: 'Erase', exact: true }));
    await page.getByRole('heading', { name: 'Erased' }).waitFor();
  },
  invite: async (hand, page, { round }) => {
    await hand.click(menuLink(page, /^Team/));
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
      await hand.click(menuLink(page, /^Team/));
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
    await hand.click(menuLink(page, /^Applications/));
    await hand.click(row(page, 5));
    await hand.click(dialog(page).getByRole('button', { name: /^Refuse/ }));
    await hand.type(page.getByLabel('Reason'), 'Not staked.');
    await hand.click(dialog(page).getByRole('button', { name: /^Confirm/ }));
    await waitUntilDone(page);
  },
};
