import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright/test';
import { signatureHeader } from '../../api/delivery/webhooks/signature.ts';
import type { Team } from '../../e2e/admin-team.ts';
import { PHONE } from '../../e2e/examine.ts';
import type { Portal } from '../../e2e/portal.ts';
import type { CountingUser } from '../counting-user.ts';
import { MONTH_COUNTS, PASSWORD } from './fill.ts';

/** How often each task is done, if it can be repeated. */
export const ROUNDS = 3;
const OVERDUE_COUNT = 20;
export const MAIL_SECRET = 'month'.padEnd(43, '0');

interface Context {
  readonly portal: Portal;
  readonly team: Team;
  /** From 0. */
  readonly round: number;
}
interface Task {
  /** Prepares the task. It is not measured. */
  readonly before?: (context: Context) => Promise<unknown>;
  readonly work: (user: CountingUser, page: Page, context: Context) => Promise<unknown>;
  readonly isOnce?: true;
}

const dialog = (page: Page) => page.getByRole('dialog');
const menuLink = (page: Page, name: RegExp) =>
  page.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name });
/** `number` counts from 0. */
export const row = (page: Page, number: number) => page.locator('[data-opens]').nth(number);
const filterSelect = (page: Page, label: RegExp) => page.locator('select').filter({ hasText: label });
const waitUntilDone = (page: Page) => page.locator('[data-outcome=done]').waitFor();
const conversation = (page: Page) => dialog(page).getByRole('region', { name: 'Conversation' });

/** @param text fills the gap in the template */
async function reply(user: CountingUser, page: Page, template: string, text?: string): Promise<void> {
  await user.click(menuLink(page, /^Contacts/));
  await user.click(row(page, 3));
  await openMessageForm(user, page);
  await user.choose(conversation(page).getByLabel('Template'), template);
  // The form has focused the gap in the template.
  if (text !== undefined) await user.typeIntoFocused(text);
  await user.pressKey('Control+Enter');
  await conversation(page).locator('[data-direction=out]').waitFor();
}

async function openMessageForm(user: CountingUser, page: Page): Promise<void> {
  await conversation(page)
    .getByRole('button', { name: /^Write a message/ })
    .waitFor();
  await user.pressKey('e');
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

function makeOverdue({ portal }: Context): void {
  const client = new Database(join(portal.dataFolder, 'app.db'));
  client
    .prepare(
      `update contact_messages set dueAt = createdAt - 1 where referenceNumber in
        (select referenceNumber from contact_messages where status = 'open' order by createdAt desc limit ?)`,
    )
    .run(OVERDUE_COUNT);
  client.close();
}

export const TASKS: Readonly<Record<string, Task['work'] | Task>> = {
  'find a record by words of a message': async (user, page) => {
    await user.pressKey('Control+k');
    await user.typeIntoFocused('peregrine falcon');
    await page.getByRole('option', { name: /BD-/ }).first().waitFor();
    await user.pressKey('Enter');
    await dialog(page)
      .getByText(/peregrine/)
      .first()
      .waitFor();
  },
  'find Łukasz as lukasz': async (user, page) => {
    await user.pressKey('Control+k');
    await user.typeIntoFocused('lukasz');
    await page
      .getByRole('option', { name: /Łukasz/ })
      .first()
      .waitFor();
  },
  decide: async (user, page) => {
    await user.click(menuLink(page, /^Applications/));
    await user.click(row(page, 1));
    await dialog(page)
      .getByRole('button', { name: /^Refuse/ })
      .waitFor();
    await user.pressKey('r');
    await user.type(page.getByLabel('Reason'), 'Not staked.');
    await user.pressKey('Control+Enter');
    await waitUntilDone(page);
  },
  note: async (user, page, { round }) => {
    const text = `Called ${round + 1}.`;
    await user.click(menuLink(page, /^Applications/));
    await user.click(row(page, 2));
    await dialog(page).getByLabel('Add a note').waitFor();
    await user.pressKey('t');
    await user.typeIntoFocused(text);
    await user.pressKey('Control+Enter');
    await dialog(page).getByText(text).first().waitFor();
  },
  verify: async (user, page) => {
    await user.click(menuLink(page, /^Verification/));
    await user.click(row(page, 1));
    await dialog(page)
      .getByRole('button', { name: /^Approve/ })
      .waitFor();
    await user.pressKey('a');
    await user.click(page.getByRole('radio', { name: 'Duckling' }));
    await user.type(page.getByLabel(/anyway/), 'Seen in a call.');
    await user.pressKey('Control+Enter');
    await waitUntilDone(page);
  },
  'vote with both documents': async (user, page, { round }) => {
    await user.click(menuLink(page, /^Loan/));
    await user.click(row(page, 1 + round));
    await user.click(dialog(page).getByRole('button', { name: 'View Passport copy' }));
    await dialog(page)
      .getByRole('img', { name: /Passport/ })
      .waitFor();
    await user.click(dialog(page).getByRole('button', { name: /^View Utility/ }));
    await user.click(dialog(page).getByRole('button', { name: /^Vote to approve/ }));
    await user.type(dialog(page).getByLabel(/anyway/), 'Seen in a call.');
    await user.pressKey('Control+Enter');
    await waitUntilDone(page);
  },
  'correct a bounced address': async (user, page, { round }) => {
    await user.click(menuLink(page, /^Applications/));
    await user.choose(filterSelect(page, /^Mail/), 'bounced');
    await page.getByText(`of ${MONTH_COUNTS.bounces - round}`).waitFor();
    await user.click(row(page, 0));
    await user.click(dialog(page).getByRole('button', { name: 'Correct the address' }));
    await user.type(dialog(page).getByLabel('New email address'), 'right@example.com');
    await user.click(dialog(page).getByRole('button', { name: 'Correct and send' }));
    await dialog(page).locator('[data-earlier-address]').waitFor();
  },
  'retry the other bounces': {
    isOnce: true,
    work: async (user, page) => {
      await user.click(page.getByRole('button', { name: /failed deliveries$/ }));
      await user.click(page.getByRole('button', { name: 'Retry all' }));
      await user.click(page.getByRole('button', { name: 'Send again' }));
      await page.locator('.toast').first().waitFor();
    },
  },
  'export this week': async (user, page) => {
    await user.click(menuLink(page, /^Applications/));
    await user.choose(filterSelect(page, /^Received/), 'this-week');
    await user.click(page.getByRole('button', { name: 'Export Data' }));
    const saved = page.waitForEvent('download');
    await user.click(page.locator('[data-export] [type=submit]'));
    await saved;
  },
  'clear 20 overdue messages': {
    isOnce: true,
    before: async (context) => makeOverdue(context),
    work: async (user, page) => {
      await user.click(page.getByRole('button', { name: 'Overdue' }));
      await page
        .getByText('Overdue by')
        .nth(OVERDUE_COUNT - 1)
        .waitFor();
      await user.click(page.getByLabel('Select all shown'));
      await user.click(page.locator('[data-action="contact-message closed"]'));
      await user.click(dialog(page).getByRole('button', { name: new RegExp(`: ${OVERDUE_COUNT} `) }));
      await page.getByRole('button', { name: /^Undo all/ }).waitFor();
    },
  },
  'answer a reply': {
    before: answerByMail,
    work: async (user, page, { round }) => {
      await user.pressKey('Control+k');
      await user.typeIntoFocused(answerWord(round));
      await page.getByRole('option', { name: /BD-/ }).first().waitFor();
      await user.pressKey('Enter');
      await openMessageForm(user, page);
      await user.typeIntoFocused('Thank you.');
      await user.pressKey('Control+Enter');
      await conversation(page).locator('[data-direction=out]').nth(1).waitFor();
    },
  },
  'reply with a template': (user, page) => reply(user, page, 'question-answered', 'The lock lasts 14 days.'),
  'ask for more information': (user, page) => reply(user, page, 'technical-details'),
  'assign to oneself': async (user, page, { round }) => {
    await user.click(menuLink(page, /^Applications/));
    await user.click(row(page, 4 + round));
    await dialog(page)
      .getByRole('button', { name: /^Take it/ })
      .waitFor();
    await user.pressKey('m');
    await dialog(page)
      .getByRole('button', { name: /^Take it/ })
      .waitFor({ state: 'detached' });
  },
  erase: async (user, page, { round }) => {
    const email = `writer-${5 + round}@example.com`;
    await user.click(menuLink(page, /^Erase/));
    await user.type(page.getByLabel('Email'), email);
    await user.type(page.getByLabel('Request'), 'MAIL-1');
    await user.click(page.getByRole('button', { name: 'Show stored data' }));
    await user.type(page.getByLabel(/^Type .* to confirm/), email);
    await user.type(page.getByLabel('Your password'), PASSWORD);
    await user.click(page.getByRole('button', { name: 'Erase', exact: true }));
    await page.getByRole('heading', { name: 'Erased' }).waitFor();
  },
  invite: async (user, page, { round }) => {
    await user.click(menuLink(page, /^Team/));
    await user.click(page.getByRole('button', { name: 'Invite admin' }));
    await user.type(dialog(page).getByLabel('Email'), `mary-${round}@example.com`);
    await user.choose(dialog(page).getByLabel('Role'), 'reviewer');
    await user.type(dialog(page).getByLabel('Your password'), PASSWORD);
    await user.click(dialog(page).getByRole('button', { name: 'Invite', exact: true }));
    await dialog(page).getByRole('button', { name: 'Invite', exact: true }).waitFor({ state: 'detached' });
  },
  'add a passkey': {
    isOnce: true,
    work: async (user, page) => {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
          ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
        },
      });
      await user.click(menuLink(page, /^Team/));
      await user.click(page.getByRole('button', { name: 'Add passkey' }));
      await user.type(page.getByLabel('Name', { exact: true }), 'Laptop');
      await user.type(page.locator('#passkey-password'), PASSWORD);
      await user.click(page.getByRole('button', { name: 'Create passkey' }));
      await page.getByRole('row', { name: /Laptop/ }).waitFor();
    },
  },
  'decide on a phone': async (user, page) => {
    await page.setViewportSize(PHONE);
    await user.click(page.getByRole('button', { name: /^Menu/ }));
    await user.click(menuLink(page, /^Applications/));
    await user.click(row(page, 5));
    await user.click(dialog(page).getByRole('button', { name: /^Refuse/ }));
    await user.type(page.getByLabel('Reason'), 'Not staked.');
    await user.click(dialog(page).getByRole('button', { name: /^Confirm/ }));
    await waitUntilDone(page);
  },
};
