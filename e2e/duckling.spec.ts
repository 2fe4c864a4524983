import { expect, type Page } from 'playwright/test';
import { watchForErrors } from './dashboard-page.ts';
import { DESKTOP, examine, PHONE } from './examine.ts';
import { test } from './test.ts';
import { acceptTerms, holdNext } from './visitor.ts';

const chat = (page: Page) => page.getByRole('dialog', { name: 'Duckling' });
const input = (page: Page) => chat(page).getByRole('textbox', { name: 'Your question' });
const messages = (page: Page) => chat(page).getByRole('log').locator('ol > li');

const CALL = '**/api/chat/duckling';

async function ask(page: Page, question: string, answer: Parameters<typeof holdNext>[2]): Promise<void> {
  (await holdNext(page, CALL, answer))();
  await input(page).fill(question);
  await page.keyboard.press('Enter');
}

const answerResponse = (changes: object) => ({
  json: { response: 'It is.', kind: 'answer', sources: [], source: '/faq#lock', by: 'portal', ...changes },
});

test('a visitor asks Duckling, rates the answer and continues on the next page', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  const errors = watchForErrors(page);
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('duckling-dialog')) scripts.push(request.url());
  });
  await page.goto('/faq');
  await expect(page.getByRole('button', { name: 'All Systems Operational' })).toBeVisible();
  expect(scripts).toEqual([]);
  const opener = page.getByRole('main').getByRole('button', { name: 'Ask Duckling' });
  await opener.click();
  await expect(messages(page)).toHaveCount(1);
  await expect(input(page)).toBeFocused();
  await expect(input(page)).toHaveAttribute('placeholder', 'Ask me anything about BlackDuck RWA...');
  await page.keyboard.insertText('x'.repeat(501));
  await expect(input(page)).toHaveValue('x'.repeat(500));
  await expect(chat(page)).toContainText(/500\D+500/);

  // The real portal answers this question, and receives the rating.
  await input(page).fill('How long is my stake locked?');
  await page.keyboard.press('Enter');
  await expect(messages(page)).toHaveCount(3);
  const last = messages(page).last();
  await expect(last).toContainText('180 days');
  await expect(last.getByRole('link').first()).toHaveAttribute('href', /^\/\w/);
  const verdictRequest = page.waitForRequest('**/api/chat/verdict');
  await last.getByRole('button', { name: 'Yes, this helped' }).click();
  expect((await verdictRequest).postDataJSON()).toEqual({ source: '/faq#lock', verdict: 'up' });
  await expect(last.getByRole('button')).toHaveCount(0);
  await expect(last.getByRole('status')).not.toBeEmpty();

  const failureText = "I'm having trouble connecting right now. Please try again in a moment.";
  await ask(page, 'Is it there?', { status: 500, json: { success: false, error: 'x', code: 'internal' } });
  await expect(messages(page).last()).toContainText(failureText);
  await expect(input(page)).toHaveValue('Is it there?');
  await ask(
    page,
    'abandon ability able about',
    answerResponse({ kind: 'warning', response: 'Never write a seed phrase.' }),
  );
  await expect(messages(page).last()).toContainText('Never write a seed phrase.');
  await expect(messages(page).nth(-2)).toHaveClass(/removed/);
  await expect(chat(page)).not.toContainText('abandon');
  await page.emulateMedia({ colorScheme: 'light' });
  await examine(page, 'warning', { part: '.duckling' });

  await page.keyboard.press('Escape');
  await expect(chat(page)).toBeHidden();
  await expect(opener).toBeFocused();
  await page.goto('/contact');
  await page.getByRole('main').getByRole('button', { name: 'Ask Duckling' }).click();
  await expect(messages(page)).toHaveCount(5);
  await expect(messages(page).nth(2).getByRole('status')).toBeVisible();
  await page.mouse.click(1200, 100);
  await expect(chat(page)).toBeHidden();
  await page.evaluate('openDucklingChat()');
  await chat(page).getByRole('button', { name: 'Clear' }).click();
  await expect(messages(page)).toHaveCount(1);
  await page.reload();
  await page.evaluate('openDucklingChat()');
  await expect(messages(page)).toHaveCount(1);
  errors.expectNone(/status of 500/);
});

test('without an answer Duckling offers the closest questions, the search and a message to support', async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const question = 'Where is my parcel?';
  const unknown = answerResponse({
    kind: 'unknown',
    source: 'unknown',
    closest: ['How long is my stake locked?'],
  });
  await page.setViewportSize(DESKTOP);
  await page.goto('/links');
  await page.evaluate('openDucklingChat()');
  await ask(page, question, unknown);
  await expect(messages(page)).toHaveCount(3);

  const request = page.waitForRequest('**/api/chat/duckling');
  await messages(page).last().getByRole('list').getByRole('button').press('Enter');
  expect((await request).postDataJSON()).toEqual({
    message: 'How long is my stake locked?',
    earlier: [question],
  });
  await expect(messages(page)).toHaveCount(5);

  const [search, support] = [0, 1].map((index) =>
    messages(page).nth(2).locator('.actions').getByRole('button').nth(index),
  );
  await search?.press('Enter');
  await expect(chat(page)).toBeHidden();
  const field = page.getByRole('searchbox', { name: 'Search all pages' });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(question);
  await page.keyboard.press('Escape');

  await page.evaluate('openDucklingChat()');
  await support?.press('Enter');
  await expect(page).toHaveURL('/contact#send-message');
  await expect(page.getByRole('form', { name: 'Send Message' }).locator('textarea')).toHaveValue(question);
  errors.expectNone();
});

test('a table in an answer scrolls in its own box on a phone, by keyboard too', async ({ page }) => {
  const rows = [
    'Tier\tMinimum stake\tDaily limit\tMonthly limit\tOn a new card',
    'Raven\t7,500,000 BD\t$1\t$2\t$3',
  ];
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/links');
  await page.evaluate('openDucklingChat()');
  await ask(page, 'limits', answerResponse({ response: rows.join('\n\n') }));
  const table = messages(page).last().getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveCount(5);
  await expect(table.getByRole('rowheader')).toHaveText(['Raven']);
  await examine(page, 'table', { part: '.duckling' });

  const box = messages(page).last().getByRole('group');
  const scrolled = () => box.evaluate(({ scrollLeft }) => scrollLeft);
  expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeGreaterThan(40);
  const log = chat(page).getByRole('log');
  expect(await log.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await box.press('ArrowRight');
  await expect.poll(scrolled).toBeGreaterThan(0);
});

test.describe('the chat on a phone', () => {
  test.use({ acceptsTerms: false });

  test('opens only after the daily terms are accepted, fills the screen, and reports a lost connection', async ({
    page,
    context,
  }) => {
    await page.setViewportSize({ width: 375, height: 720 });
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
    await page.goto('/links');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.evaluate('openDucklingChat()');
    await expect(chat(page)).toBeHidden();

    await acceptTerms(context);
    await page.reload();
    const floatingButton = page.getByRole('button', { name: 'Ask Duckling' });
    const box = await floatingButton.boundingBox();
    expect(box).toEqual({ x: 16, y: 720 - 8 - 44, width: 44, height: 44 });
    await floatingButton.click();
    await expect(input(page)).toBeFocused();
    // The chat is 15 px narrower than the window, because of the scroll bar's gutter. Phones have no gutter.
    expect(await chat(page).boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 720 });
    await ask(page, 'How long?', answerResponse({ sources: [{ title: 'The lock', href: '/faq#lock' }] }));
    await expect(messages(page)).toHaveCount(3);
    const tooSmallTargets = await chat(page)
      .locator('button:visible, a:visible, textarea')
      .evaluateAll((all) =>
        all.filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML),
      );
    expect(tooSmallTargets).toEqual([]);
    await examine(page, 'phone', { part: '.duckling' });

    const offline = chat(page).locator('.offline');
    await context.setOffline(true);
    await expect(offline).not.toBeEmpty();
    await input(page).fill('And now?');
    await page.keyboard.press('Enter');
    await expect(messages(page)).toHaveCount(5);
    await expect(input(page)).toHaveValue('And now?');
    await context.setOffline(false);
    await expect(offline).toBeEmpty();
    await page.keyboard.press('Enter');
    await expect(messages(page)).toHaveCount(5);
    await chat(page).getByRole('button', { name: 'Close' }).click();
    await expect(floatingButton).toBeFocused();
  });
});
