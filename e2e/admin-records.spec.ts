import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { type Browser, expect, type Page } from 'playwright/test';
import {
  type BotApiPeer,
  errorAnswer,
  okAnswer,
  type PeerAnswer,
  startBotApiPeer,
} from '../api/delivery/testing/bot-api-peer.ts';
import { signatureHeader } from '../api/delivery/webhooks/signature.ts';
import { blankPng, samplePdf } from '../api/documents/testing/sample-documents.ts';
import * as PATHS from '../data/contract/paths.ts';
import { UNDO_MS } from '../data/model/undo.ts';
import { createTeam, skipPolling, submitLoan, type Team } from './admin-team.ts';
import { watchForErrors } from './dashboard-page.ts';
import { examine, PHONE } from './examine.ts';
import { type Portal, startPortal } from './portal.ts';
import { test } from './test.ts';

const PASSWORD = 'a heron stood quite still';
const MAIL_SECRET = 'a-secret-of-the-mail-server-0123456789';
const TEAM_CHAT = '-1009876543210';
const REJECTED = /status of (403|409)/;

let bot: BotApiPeer;
let portal: Portal;
let team: Team;
let loan = '';
let message = '';
let fayReferences: readonly string[] = [];

test.use({ baseURL: undefined });
test.beforeAll(async () => {
  bot = await startBotApiPeer();
  portal = await startPortal({
    TELEGRAM_BOT_TOKEN: '123456:a-token-that-must-stay-secret',
    TELEGRAM_CHAT_ID: TEAM_CHAT,
    TELEGRAM_API_ROOT: bot.url,
    INBOUND_ADDRESS: 'answers@example.com',
    INBOUND_WEBHOOK_SECRET: MAIL_SECRET,
  });
  team = await createTeam(portal, PASSWORD, { grace: 'reviewer' });
  bot.answerAlways('sendMessage', errorAnswer(400, "Bad Request: can't parse entities"));
  const fields = { name: 'Di Writer', email: 'di@example.com', subject: 'Staking', message: 'How long?' };
  ({ referenceNumber: message = '' } = await team.submit('/api/contact/submit', fields));
  await bot.waitForCallsOf('sendMessage', 1);
  bot.answerAlways('sendMessage', null);
  ({ referenceNumber: loan = '' } = await submitLoan(
    team,
    'Ed Investor',
    'ed@example.com',
    blankPng(40, 20),
  ));
  for (const email of ['fay@example.com', 'Fay+portal@example.com']) {
    const fields = { name: 'Fay Leaver', email, subject: 'My card', message: 'Where is it?' };
    const { referenceNumber = '' } = await team.submit('/api/contact/submit', fields);
    fayReferences = [...fayReferences, referenceNumber];
  }
});
test.afterAll(async () => {
  await portal.stop();
  await bot.close();
});

/** The method and state of each of a record's deliveries, such as `email sent`. */
async function deliveryStates(reference: string): Promise<readonly string[]> {
  const { deliveries } = await team.read<{
    deliveries: readonly { deliveryMethod: string; state: string }[];
  }>('ada', `/api/admin/record?reference=${reference}`);
  return deliveries.map(({ deliveryMethod, state }) => `${deliveryMethod} ${state}`).toSorted();
}

const attachmentPart = (name: string, content: Buffer) =>
  `--b\r\nContent-Type: application/octet-stream; name="${name}"\r\nContent-Disposition: attachment\r\n` +
  `Content-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`;

async function forwardMail(mail: string): Promise<void> {
  const headers = { 'BlackDuck-Signature': signatureHeader(mail, [MAIL_SECRET], Date.now()) };
  const answer = await fetch(`${portal.url}/api/inbound-mail`, { method: 'POST', headers, body: mail });
  expect(await answer.json()).toEqual({ outcome: 'answer' });
}

async function vote(page: Page, choice: 'approve' | 'refuse', reason?: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: `Vote to ${choice}` }).click();
  if (reason !== undefined) await dialog.getByLabel('Reason').fill(reason);
  // The applicant's email address is not confirmed, so an approval needs an explanation.
  else await dialog.getByLabel(/anyway/).fill('Seen in a call.');
  await dialog.getByRole('button', { name: `Confirm: Vote to ${choice}` }).click();
}

test('a loan application needs matching votes from two admins on its current state, and accepts one vote per admin', async ({
  browser,
}) => {
  const adaContext = await browser.newContext();
  const graceContext = await browser.newContext();
  const recordPath = `/admin/dashboard#loan-applications?record=${loan}`;
  const ada = await team.open(adaContext, 'ada', recordPath);
  const grace = await team.open(graceContext, 'grace', recordPath);
  const pages = [ada, grace];
  const errors = pages.map(watchForErrors);
  const votes = (page: Page) => page.getByRole('dialog').getByRole('button', { name: /^Vote to/ });
  const outcome = (page: Page, kind: string) => page.locator(`[data-outcome="${kind}"]`);
  for (const page of pages) await expect(votes(page)).toHaveCount(2);

  await vote(ada, 'approve');
  await expect(outcome(ada, 'done')).toBeVisible();
  await expect(votes(ada)).toHaveCount(0);

  await vote(grace, 'approve');
  await expect(outcome(grace, 'conflict')).toContainText('ada');
  await expect(grace.getByRole('dialog').locator('[data-status=in-review]')).toBeVisible();
  await expect(grace.locator('[data-by=ada][data-vote=approve]')).toBeVisible();

  await vote(grace, 'refuse', 'The bill is of last year.');
  await expect(outcome(grace, 'done')).toBeVisible();
  await expect(votes(grace)).toHaveCount(2);

  for (const page of [ada, grace]) {
    await page.reload();
    await vote(page, 'approve');
  }
  await expect(outcome(grace, 'done')).toContainText(loan);
  await expect(grace.getByRole('dialog').locator('[data-status=approved]').first()).toBeVisible();
  await expect(votes(grace)).toHaveCount(0);
  await expect(grace.getByRole('dialog').getByText(/Email.*applicant.*approved/)).toBeVisible();
  for (const watched of errors) watched.expectNone(REJECTED);
  await adaContext.close();
  await graceContext.close();
});

function pdfOf(lines: readonly string[]): Promise<Buffer> {
  const pdf = new PDFDocument({ autoFirstPage: false });
  for (const line of lines) pdf.addPage().text(line);
  pdf.end();
  return buffer(pdf);
}

test.describe('a PDF of a loan application', () => {
  let reference = '';

  test.beforeAll(async () => {
    const pdf = await pdfOf(['The first page', 'The second page', 'The third page']);
    ({ referenceNumber: reference = '' } = await submitLoan(team, 'Pat Reader', 'pat@example.com', pdf));
  });

  /** Opens the passport copy. @param content served instead of the real document, if given */
  async function viewDocument(page: Page, content?: Buffer) {
    if (content !== undefined) {
      const answer = { body: content, contentType: 'application/pdf' };
      await page.route(`**${PATHS.loanDocument}?*`, (route) => route.fulfill(answer));
    }
    const viewButton = page.getByRole('button', { name: /View.*Passport/i });
    const viewer = page.getByRole('dialog', { name: /Passport/i });
    await viewButton.click();
    return { viewButton, viewer, canvas: viewer.frameLocator('iframe').locator('canvas') };
  }
  const openPage = async (browser: Browser) =>
    team.open(await browser.newContext(), 'grace', `/admin/dashboard#loan-applications?record=${reference}`);

  test('can be paged with the keyboard beside the vote, and covers a narrow screen', async ({ browser }) => {
    const page = await openPage(browser);
    const errors = watchForErrors(page);
    const { viewButton, viewer, canvas } = await viewDocument(page);
    const status = viewer.getByRole('status');
    await expect(canvas).toContainText('The first page');
    await expect(viewer).toBeFocused();
    await expect(page.getByRole('button', { name: 'Vote to approve' })).toBeVisible();
    await page.keyboard.press('PageDown');
    await expect(canvas).toContainText('The second page');
    await expect(status).toHaveText('2 of 3');
    await page.keyboard.press('PageUp');
    await expect(canvas).toContainText('The first page');
    await canvas.click();
    await page.keyboard.press('End');
    await expect(canvas).toContainText('The third page');
    await page.keyboard.press('ArrowLeft');
    await expect(status).toHaveAttribute('data-page', '2');
    const width = async () => (await canvas.boundingBox())?.width ?? 0;
    const before = await width();
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(before * 1.2);
    await page.keyboard.press('-');
    await expect.poll(width).toBeCloseTo(before, 0);
    await examine(page, 'pdf-beside', { lightSize: null });
    await page.keyboard.press('Escape');
    await expect(viewer).toHaveCount(0);
    await expect(viewButton).toBeFocused();

    await page.setViewportSize(PHONE);
    await viewButton.click();
    await expect(canvas).toContainText('The first page');
    expect(await viewer.evaluate((element) => element.matches(':modal'))).toBe(true);
    const { width: pageWidth } = await page.locator('html').evaluate((root) => root.getBoundingClientRect());
    expect(await viewer.boundingBox()).toEqual({ x: 0, y: 0, width: pageWidth, height: PHONE.height });
    await examine(page, 'pdf-over', { part: 'dialog:modal dialog:modal' });
    await canvas.click();
    await page.keyboard.press('Escape');
    await expect(viewer).toHaveCount(0);
    await expect(viewButton).toBeFocused();
    await viewButton.click();
    await viewer.getByRole('button', { name: 'Close document' }).click();
    await expect(viewButton).toBeFocused();
    await expect(page.getByRole('dialog')).toHaveCount(1);
    errors.expectNone();
    await page.context().close();
  });

  const url = 'https://attacker.example/';
  const uri = `<< /S /URI /URI (${url}) >>`;
  const link = `/Type /Annot /Subtype /Link /Rect [0 0 200 200] /A ${uri}`;
  const scriptAction = (code: string) => `<< /S /JavaScript /JS (${code}) >>`;
  const hostileDocuments = [
    [
      'with a script that runs when it opens',
      { catalog: `/OpenAction ${scriptAction('app.alert\\(1\\)')}` },
      1,
    ],
    [
      'with scripts and links for its pages',
      { page: `/AA << /O ${scriptAction('app.launchURL\\(1\\)')} >> /Annots [<< ${link} >>]` },
      1,
    ],
    ['that opens a link', { catalog: `/OpenAction ${uri}` }, 1],
    ['of 10,000 pages', { pages: 10_000 }, 10_000],
  ] as const;
  test('is displayed without running its scripts or links, cannot leave its frame (no request, no storage, no parent, no other code), and can be saved if it is broken', async ({
    browser,
  }) => {
    const page = await openPage(browser);
    const events: string[] = [];
    page.on('dialog', (dialog) => {
      events.push(dialog.message());
      void dialog.dismiss();
    });
    page.context().on('page', (other) => events.push(other.url()));
    page.context().on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      const isOwn = origin === portal.url && request.frame() === page.mainFrame();
      const isViewer = request.url() === portal.url + PATHS.pdfViewer;
      if (!isOwn && !isViewer && protocol !== 'blob:') events.push(request.url());
    });
    for (const [hazard, parts, pages] of hostileDocuments) {
      const { viewer, canvas } = await viewDocument(page, samplePdf(parts));
      const status = viewer.getByRole('status');
      await expect(status, hazard).toHaveAttribute('data-page', '1');
      await canvas.click({ position: { x: 20, y: 20 } });
      await page.keyboard.press('End');
      await expect(status, hazard).toHaveAttribute('data-page', String(pages));
      await expect(canvas).toHaveCount(1);
      await viewer.getByRole('button', { name: 'Close document' }).click();
      // The record's dialog still works.
      await page.getByRole('button', { name: 'Vote to approve' }).click();
      await expect(page.getByRole('button', { name: 'Confirm: Vote to approve' })).toBeVisible();
      await page.keyboard.press('Escape');
      expect(events, hazard).toEqual([]);
    }

    const { viewer: frameViewer, canvas } = await viewDocument(page, samplePdf());
    await expect(canvas).toBeVisible();
    const frame = page.frames().find((one) => one.url().endsWith(PATHS.pdfViewer));
    const attempts = await frame?.evaluate(async () => {
      const outcome = async (attempt: () => unknown) => {
        try {
          await attempt();
          return 'done';
        } catch (error) {
          return error instanceof Error ? error.name : String(error);
        }
      };
      const script = document.createElement('script');
      script.textContent = 'document.title = "ran"';
      document.body.append(script);
      return {
        origin,
        title: document.title,
        request: await outcome(() => fetch('/api/live')),
        storage: await outcome(() => localStorage.length),
        cookie: await outcome(() => document.cookie),
        parent: await outcome(() => parent.document.title),
      };
    });
    expect(attempts).toEqual({
      origin: 'null',
      title: 'PDF',
      request: 'TypeError',
      storage: 'SecurityError',
      cookie: 'SecurityError',
      parent: 'SecurityError',
    });
    await frameViewer.getByRole('button', { name: 'Close document' }).click();

    const { viewButton, viewer } = await viewDocument(page, Buffer.from('%PDF-1.7\nnothing'));
    await expect(viewer.getByRole('alert')).toBeVisible();
    const saved = page.waitForEvent('download');
    await viewer.getByRole('button', { name: /Save/ }).click();
    expect((await saved).suggestedFilename()).toBe('passportCopy.pdf');
    await viewer.getByRole('button', { name: 'Close document' }).click();
    await expect(viewButton).toBeFocused();
    await page.context().close();
  });
});

test('a failed delivery is retried once from the log, and arrives', async ({ browser }) => {
  const states = ['email sent', 'email sent', 'telegram dead'];
  await expect.poll(() => deliveryStates(message)).toEqual(states);
  const list = '/admin/dashboard#delivery-logs?dead=only';
  const ada = await team.open(await browser.newContext(), 'ada', list);
  const graceContext = await browser.newContext();
  // Grace's page gets no updates, so that her list is outdated when she clicks Retry.
  await skipPolling(graceContext);
  await graceContext.route(`**${PATHS.adminLive}*`, () => {});
  const grace = await team.open(graceContext, 'grace', list);
  const errors = [ada, grace].map(watchForErrors);
  const retry = `Retry the delivery of ${message}`;
  const row = ada.getByRole('row', { name: new RegExp(message) });
  await expect(row).toHaveCount(1);
  await expect(row.locator('[data-status=dead]')).toBeVisible();
  await expect(row).toContainText('Bad Request: can');
  await expect(grace.getByRole('button', { name: retry })).toBeVisible();
  await ada.getByRole('button', { name: 'Retry all' }).click();
  const retryAllRegion = ada.getByRole('region', { name: 'Retry all' });
  await expect(retryAllRegion.getByRole('listitem').filter({ hasText: message })).toHaveCount(1);
  await examine(ada, 'failed-delivery');
  await retryAllRegion.getByRole('button', { name: 'Cancel' }).click();

  const { promise: answered, resolve: answer } = Promise.withResolvers<PeerAnswer>();
  bot.answerAlways('sendMessage', answered);
  await ada.getByRole('button', { name: retry }).click();
  await expect(ada.locator('.toast')).toContainText(message);
  await expect(ada.getByRole('button', { name: 'Show all' })).toBeVisible();
  await grace.getByRole('button', { name: retry }).click();
  await expect(grace.locator('.toast')).toBeVisible();
  await expect(grace.getByRole('button', { name: retry })).toHaveCount(0);

  await ada.getByRole('button', { name: 'Show all' }).click();
  await ada.getByRole('searchbox').fill(message);
  await expect(ada.getByText('1–3 of 3')).toBeVisible();
  await row.first().click();
  const delivery = ada
    .getByRole('dialog')
    .getByRole('listitem')
    .filter({ hasText: /Telegram.*team.*received/ });
  await expect(delivery.locator('[data-status=waiting], [data-status=leased]')).toBeVisible();
  answer(okAnswer({ message_id: 1, date: 0, chat: { id: -100, type: 'group' } }));
  await expect.poll(() => deliveryStates(message)).toContain('telegram sent');
  await ada.reload();
  await expect(delivery.locator('[data-status=sent]')).toBeVisible();
  await ada.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(row.first()).toContainText(/^Telegram.*Delivered/);
  for (const watched of errors) watched.expectNone(REJECTED);
  for (const page of [ada, grace]) await page.context().close();
});

test('a message is written from a template, stays a draft when the record closes, and is sent by keyboard', async ({
  browser,
}) => {
  const context = await browser.newContext();
  // The page reads the conversation every ten seconds, which is too long for a test to wait.
  await context.addInitScript(() => {
    const repeat = window.setInterval;
    const setFasterInterval = (run: TimerHandler, every = 0) => repeat(run, Math.min(every, 1_500));
    window.setInterval = setFasterInterval as typeof window.setInterval;
  });
  const grace = await team.open(context, 'grace', `/admin/dashboard#contacts?record=${message}`);
  const errors = watchForErrors(grace);
  const dialog = grace.getByRole('dialog');
  const conversation = dialog.getByRole('region', { name: 'Conversation' });
  const messageField = conversation.getByLabel('Message', { exact: true });
  await conversation.getByRole('button', { name: 'Write a message' }).waitFor();
  await grace.keyboard.press('e');
  await expect(messageField).toBeFocused();
  await conversation.getByLabel('Template').selectOption('more-information');
  // The caret starts on the one line of this template that must be filled in.
  await grace.keyboard.type('1');
  await expect(messageField).toHaveValue(/^- 1$/m);
  await grace.keyboard.press('Backspace');
  await grace.keyboard.press('Control+Enter');
  await expect(messageField).toHaveAttribute('aria-invalid', 'true');
  await conversation.getByLabel('Template').selectOption('technical-details');
  await expect(messageField).toHaveValue(new RegExp(`^Hello Di Writer,(?:.|\\n)*${message}[^{}]*$`));
  await expect(conversation.getByRole('checkbox')).toBeChecked();
  await conversation.getByRole('button', { name: 'Preview' }).click();
  const mail = conversation.frameLocator('iframe');
  await expect(mail.getByRole('heading', { level: 1 })).toHaveText('Some details about your problem');
  await mail.getByText('Hello Di Writer').waitFor();
  await messageField.press('End');
  await messageField.pressSequentially(' Thanks!');
  const attachedFiles = conversation.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  const steps = { name: 'steps.txt', mimeType: 'text/plain', buffer: Buffer.from('Sign in.') };
  const picture = { name: 'screen.png', mimeType: 'image/png', buffer: blankPng(40, 20) };
  await conversation.getByLabel('Files', { exact: false }).setInputFiles([steps, picture]);
  await expect(conversation.locator('[data-file=stored]')).toHaveCount(2);
  // Office programs put text on the clipboard together with an image of it.
  await messageField.evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', '12');
    clipboardData.items.add(new File(['12'], 'cells.png'));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  });
  const dropped = await grace.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['PK\x05\x06'], 'all.zip'));
    return transfer;
  });
  await messageField.dispatchEvent('drop', { dataTransfer: dropped });
  await expect(conversation.locator('[data-file=refused]').getByRole('alert')).toContainText('PDF');
  await messageField.press('Control+Enter');
  await expect(conversation.locator('[data-direction=out]')).toHaveCount(0);
  await attachedFiles.nth(2).getByRole('button', { name: 'Remove all.zip' }).click();
  await attachedFiles.nth(0).getByRole('button', { name: 'Remove steps.txt' }).click();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await grace.getByRole('row', { name: /Di Writer/ }).click();
  await expect(messageField).toHaveValue(/Thanks!/);
  await expect(attachedFiles).toHaveCount(1);
  await messageField.press('Control+Enter');
  const sent = conversation.locator('[data-direction=out]');
  await expect(sent).toHaveAttribute('data-direction', 'out');
  await expect(conversation).toBeFocused();
  await expect(conversation.locator('[data-status=waiting]').first()).toBeVisible();
  await expect(sent.locator('[data-status=sent]')).toBeVisible();
  await expect(sent.getByRole('button', { name: 'View screen.png' })).toBeVisible();
  await forwardMail(
    `From: di@example.com\r\nSubject: Re: ${message}\r\nMessage-ID: <answer@example.com>\r\nMIME-Version: 1.0\r\n` +
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHere is a picture.\r\n` +
      attachmentPart('wallet.png', blankPng(40, 20)) +
      attachmentPart('all.zip', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`)) +
      '--b--\r\n',
  );
  const answer = conversation.locator('[data-direction=in]');
  await expect(answer).toContainText('Here is a picture.');
  const files = answer.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
  await expect(files.nth(1)).toContainText(/all\.zip.*a ZIP file/);
  await files.nth(0).getByRole('button', { name: 'View wallet.png' }).click();
  await expect(files.nth(0).getByRole('img')).toHaveJSProperty('naturalWidth', 40);
  await examine(grace, 'conversation');
  // The preview's frame runs no scripts, not even Playwright's.
  errors.expectNone(/about:srcdoc|status of 422/);
  await grace.context().close();
});

test('a note written by keyboard mentions an admin, who sees the mention arrive and opens its record, which marks it as read', async ({
  browser,
}) => {
  const grace = await team.open(await browser.newContext(), 'grace', '/admin/dashboard');
  const unread = grace.locator('[data-entry=overview] [data-waiting]');
  const ada = await team.open(
    await browser.newContext(),
    'ada',
    `/admin/dashboard#contacts?record=${message}`,
  );
  const field = ada.getByLabel('Add a note');
  const options = ada.getByRole('listbox').getByRole('option');
  await field.pressSequentially('Please call her, @');
  await expect(options).toHaveText(['@ada', '@grace']);
  await field.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await expect(field).toHaveAttribute(
    'aria-activedescendant',
    (await options.nth(1).getAttribute('id')) ?? '',
  );
  await examine(ada, 'mention-options');
  // Escape closes only the options, not the record.
  await field.press('Escape');
  await expect(options).toHaveCount(0);
  await field.pressSequentially('gr');
  await expect(options).toHaveText(['@grace']);
  await field.press('Enter');
  await expect(field).toHaveValue('Please call her, @grace ');
  await expect(unread).toHaveCount(0);
  await ada.getByRole('button', { name: 'Add note' }).click();
  await expect(ada.locator('[data-note] [data-mention=grace]')).toHaveText('@grace');
  await expect(unread).toHaveAttribute('data-waiting', '1');
  await grace.getByRole('button', { name: /^Mentions/ }).click();
  await expect(grace.locator('li[data-mention=unread]')).toHaveCount(1);
  await grace.setViewportSize(PHONE);
  const [list, text] = await grace
    .locator('li[data-mention=unread] button > span')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect()));
  expect(text?.top).toBeGreaterThanOrEqual(list?.bottom ?? Number.NaN);
  await grace.locator('li[data-mention=unread] button').click();
  await expect(grace.getByRole('dialog').locator('[data-note] [data-mention=grace]')).toBeVisible();
  await expect(unread).toHaveCount(0);
  await ada.context().close();
  await grace.context().close();
});

test("an owner previews and erases a person's data, gets a valid proof, and the audit trail records the erasure", async ({
  browser,
}) => {
  const sentStates = ['email sent', 'email sent', 'telegram sent'];
  for (const reference of fayReferences)
    await expect.poll(() => deliveryStates(reference)).toEqual(sentStates);
  const context = await browser.newContext();
  const page = await team.open(context, 'ada', '/admin/erasure');
  const errors = watchForErrors(page);
  const main = page.locator('main');
  const search = async (targetPage: Page) => {
    await targetPage.getByLabel('Email').fill('FAY@example.com');
    await targetPage.getByLabel('Request').fill('MAIL-12');
    await targetPage.getByRole('button', { name: 'Show stored data' }).click();
  };
  await search(page);
  const records = `Records: ${fayReferences.join(', ')}`;
  for (const stored of ['Contact messages2', 'Emails in the outbox4', records]) {
    await expect(main).toContainText(stored);
  }
  const erase = page.getByRole('button', { name: 'Erase', exact: true });
  const confirm = page.getByLabel('Type FAY@example.com to confirm');
  await confirm.fill('FAY');
  await expect(erase).toBeDisabled();
  await confirm.fill('FAY@example.com');
  await page.getByLabel('Your password').fill(PASSWORD);
  await examine(page, 'stored-data');

  await erase.click();
  await expect(page.getByRole('heading', { name: 'Erased' })).toBeFocused();
  await expect(main.getByRole('status')).toBeVisible();
  const proof = (await main.locator('pre').textContent()) ?? '';
  expect(proof).toContain('- Contact messages: 2');
  const [digest = '', salt = ''] = proof.match(/^[0-9a-f]{64}$/gm) ?? [];
  expect(createHash('sha256').update(`${salt}\nfay@example.com\n`).digest('hex')).toBe(digest);
  await examine(page, 'proof');

  await page.reload();
  await search(page);
  await expect(main.getByRole('heading', { name: 'Stored data' })).toBeVisible();
  await expect(main.locator('dl')).toHaveCount(0);
  await page.goto(`${portal.url}/admin/dashboard#contacts`);
  await expect(page.getByRole('row', { name: /Di Writer/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Fay/ })).toHaveCount(0);

  await page.goto(`${portal.url}/admin/journal`);
  const row = main.getByRole('row').filter({ hasText: 'person.erased' });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('ada');
  await expect(row).toContainText('MAIL-12');
  await expect(row).toContainText(digest);
  await expect(main).not.toContainText(/fay/i);
  await examine(page, 'journal');
  errors.expectNone();
  await context.close();

  // After signing in, Grace returns to the same list. She is not an owner, so she must not erase data.
  const grace = await (await browser.newContext()).newPage();
  await grace.goto(`${portal.url}/admin/dashboard#contacts?sort=name`);
  await grace.waitForURL(/\/admin\/login#from=/);
  await grace.getByLabel('Username').fill('grace');
  await grace.getByLabel('Password').fill(PASSWORD);
  await grace.locator('main').getByRole('button', { name: 'Sign in', exact: true }).click();
  await grace.waitForURL('**/admin/dashboard#contacts?sort=name');
  await expect(grace.getByRole('row', { name: /Di Writer/ })).toBeVisible();
  await grace.goto(`${portal.url}/admin/erasure`);
  await search(grace);
  await expect(grace.locator('main').getByRole('alert')).toContainText('Request Failed');
  await grace.context().close();
});

test('closing a message is undone with the Z key, even after a reload, and a closed message is reopened with a reason', async ({
  context,
}) => {
  const unaMessage = { name: 'Una Doer', email: 'una@example.com', message: 'Hello.' };
  const { referenceNumber } = await team.submit('/api/contact/submit', unaMessage);
  const page = await team.open(context, 'ada', `/admin/dashboard#contacts?record=${referenceNumber}`);
  const errors = watchForErrors(page);
  const dialog = page.getByRole('dialog');
  const status = (name: string) => dialog.locator(`[data-status=${name}]`).first();
  const closeButton = dialog.getByRole('button', { name: /^Close message/ });
  const reopenButton = dialog.getByRole('button', { name: /^Reopen/ });
  const undoButton = page.getByRole('button', { name: /^Undo/ });
  const close = async () => {
    await closeButton.click();
    await page.keyboard.press('Control+Enter');
    await expect(status('closed')).toBeVisible();
  };
  const reopen = async () => {
    await reopenButton.click();
    await dialog.getByLabel('Reason').fill('It was the wrong one.');
    await page.keyboard.press('Control+Enter');
    await expect(status('open')).toBeVisible();
  };
  // On a busy machine, a reload can take longer than the ten seconds during which a change can be undone.
  await expect(async () => {
    await closeButton.or(reopenButton).waitFor();
    if (await reopenButton.isVisible()) await reopen();
    await close();
    await undoButton.waitFor({ timeout: UNDO_MS });
    await page.reload();
    await undoButton.waitFor({ timeout: UNDO_MS });
    await page.keyboard.press('z');
    await expect(status('open')).toBeVisible({ timeout: UNDO_MS });
    await expect(dialog.locator('[data-outcome]')).toHaveCount(0);
  }).toPass();
  await close();
  await reopen();
  errors.expectNone(REJECTED);
});

const submitTwoMessages = async (name: string) => {
  const sender = { name, email: `${name.slice(0, 2).toLowerCase()}@example.net` };
  const one = await team.submit('/api/contact/submit', { ...sender, message: 'How long?' });
  const two = await team.submit('/api/contact/submit', { ...sender, message: 'How long, please?' });
  return [String(one.referenceNumber), String(two.referenceNumber)] as const;
};

test('a duplicate is merged into another record of the same person, names that record, and is split from it again', async ({
  context,
}) => {
  const [kept, duplicate] = await submitTwoMessages('Mo Twice');
  const page = await team.open(context, 'ada', `/admin/dashboard#contacts?record=${duplicate}`);
  const errors = watchForErrors(page);
  await page.getByRole('button', { name: `Merge with ${kept}` }).click();
  const dialog = page.getByRole('dialog', { name: /^Merge/ });
  const originalSize = page.viewportSize();
  // At this width the record covers the page, but must not cover the dialog.
  await page.setViewportSize({ width: 1000, height: 800 });
  await dialog.getByRole('radio', { name: new RegExp(kept) }).check();
  if (originalSize !== null) await page.setViewportSize(originalSize);
  await examine(page, 'merge');
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await expect(page).toHaveURL(new RegExp(`record=${kept}`));
  await page
    .getByRole('region', { name: 'Merged into this record' })
    .getByRole('link', { name: duplicate })
    .click();
  const banner = page.locator(`[data-merged-into="${kept}"]`);
  await expect(banner).toBeVisible();
  await page.locator('[data-split]').click();
  await banner.getByLabel('Reason').fill('Two questions.');
  await banner.getByRole('button', { name: 'Split', exact: true }).click();
  await expect(banner).toHaveCount(0);
  errors.expectNone();
});

test('selected records are closed together after a preview, and one click undoes the closing of all of them', async ({
  context,
}) => {
  const page = await team.open(context, 'ada', '/admin/dashboard#contacts');
  const errors = watchForErrors(page);
  const bar = page.getByRole('region', { name: 'Selected records' });
  const dialog = page.getByRole('dialog', { name: /^Close message/ });
  // On a busy machine, the click can come after the ten seconds during which a change can be undone.
  await expect(async () => {
    const references = await submitTwoMessages('Bea Bulk');
    for (const reference of references) await page.getByLabel(`Select ${reference}`).check();
    await bar.getByRole('button', { name: 'Close message' }).click();
    await expect(dialog.locator('[data-result=ready]')).toHaveCount(2);
    await dialog.getByRole('button', { name: /^Close message/ }).click();
    await expect(dialog).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo all' }).click({ timeout: UNDO_MS });
    for (const reference of references) {
      const path = `/api/admin/record?reference=${reference}`;
      const status = async () => (await team.read<{ record: { status: string } }>('ada', path)).record.status;
      await expect.poll(status, { timeout: UNDO_MS }).toBe('open');
    }
  }).toPass();
  errors.expectNone(REJECTED);
});

test('a filter is saved, shared, used by another admin and removed', async ({ context, browser }) => {
  const page = await team.open(context, 'ada', '/admin/dashboard#contacts?status=open');
  const errors = watchForErrors(page);
  await page.getByRole('button', { name: 'Save filter' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save filter' });
  await dialog.getByLabel('Name').fill('Still open');
  await dialog.getByLabel('Share with the team').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('button', { name: 'Still open', exact: true })).toHaveAttribute(
    ...(['aria-pressed', 'true'] as const),
  );
  const other = await browser.newContext();
  const gracePage = await team.open(other, 'grace', '/admin/dashboard#contacts');
  await gracePage.getByRole('button', { name: 'Still open', exact: true }).click();
  await expect(gracePage).toHaveURL(/status=open/);
  await other.close();
  await page.getByRole('button', { name: 'Options for filter Still open' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('button', { name: 'Still open', exact: true })).toHaveCount(0);
  errors.expectNone();
});

test('admins see the diagnostics and send tests, and the bot answers messages', async ({ context }) => {
  const messagesTo = (chat: string) =>
    bot.callsOf('sendMessage').filter((body) => (body as { chat_id: string }).chat_id === chat);
  bot.sendToBot({
    message_id: 1,
    date: Math.floor(Date.now() / 1_000),
    text: '/status',
    chat: { id: 42, type: 'private' },
    from: { id: 42, is_bot: false, first_name: 'Ada', username: 'Ada_L' },
  });
  await expect
    .poll(() => messagesTo('42'))
    .toEqual([expect.objectContaining({ text: expect.stringMatching(/[\d,.]+ BD/) })]);

  const page = await team.open(context, 'ada', '/bot-diagnostics');
  const main = page.locator('main');
  await expect(main.locator('[data-passed=true]')).toHaveCount(3);
  await expect(main).toContainText('BlackDuck (@blackduck_test_bot)');
  await expect(main).toContainText('1: a command');
  expect(await main.textContent()).not.toMatch(/must-stay-secret|9876543210/);
  await main.getByRole('textbox', { name: 'Username' }).fill('ada_l');
  await main.getByRole('textbox', { name: 'Message' }).fill('Is this on?');
  await main.getByRole('button', { name: 'Send test message' }).click();
  await expect(main.getByRole('status')).toContainText('Sent');
  expect(messagesTo('42')).toHaveLength(2);
  await examine(page, 'diagnostics');

  await page.goto(`${portal.url}/new-bot-diagnostics`);
  await main.getByRole('button', { name: 'Send Test Application' }).click();
  await expect(main.getByRole('status')).toContainText('Sent');
  expect(messagesTo(TEAM_CHAT)).toContainEqual(
    expect.objectContaining({ text: expect.stringMatching(/^TEST/) }),
  );
});
