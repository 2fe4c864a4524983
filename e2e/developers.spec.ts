import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'playwright/test';
import * as PATHS from '../data/contract/paths.ts';
import { watchForErrors } from './dashboard-page.ts';
import { examine, PHONE } from './examine.ts';
import { test } from './test.ts';

test('a reader makes a public call on a phone by keyboard, sees its status, headers and body or its error, and cannot send it without a parameter', async ({
  page,
  sharedPortal,
}) => {
  const errors = watchForErrors(page);
  await page.setViewportSize(PHONE);
  await page.goto('/developers#getHistory');
  const form = page.locator(`form[data-call="${PATHS.history}"]`);
  await form.getByLabel('series').selectOption('staked');
  await form.getByLabel('range').focus();
  await page.keyboard.press('Tab');
  await expect(form.getByRole('button', { name: 'Send request' })).toBeFocused();
  await page.keyboard.press('Enter');
  const result = form.getByRole('status');
  await expect(result.locator('p').first()).toHaveText(/^200 OK · \d+ ms$/);
  await expect(result.locator('pre')).toContainText('"series": "staked"');
  // The curl examples contain the origin of the page.
  const figure = page.locator('section.call', { has: page.locator('#getVaultLiveBalance') });
  await expect(figure.locator('pre code').first()).toHaveText(
    `curl ${sharedPortal.url}${PATHS.vaultLiveBalance}`,
  );
  await figure.getByRole('button', { name: 'Send request' }).click();
  await expect(figure.getByRole('status')).toContainText('ETag: "');
  await figure.getByText('Response fields').click();
  // Another test examines the page as it opens.
  await examine(page, 'reference', { part: '.call:has(#getHistory, #getVaultLiveBalance)' });

  const progress = page.locator(`form[data-call="${PATHS.stakeProgress}"]`);
  const send = progress.getByRole('button', { name: 'Send request' });
  await send.click();
  await expect(progress.getByLabel('signature')).toBeFocused();
  await expect(progress.getByRole('status')).toBeEmpty();
  const position = page.locator(`form[data-call="${PATHS.verifyBdTokens}"]`);
  await page.route(`**${PATHS.verifyBdTokens}*`, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '2' },
      json: { success: false, code: 'chain-unreadable' },
    }),
  );
  await position.getByLabel('walletAddress').fill('So11111111111111111111111111111111111111112');
  await position.getByRole('button', { name: 'Send request' }).click();
  await expect(position.getByRole('status')).toContainText('Retry-After: 2');
  await expect(position.getByRole('status')).toContainText('chain-unreadable');
  errors.expectNone(/status of 503/);
});

test('the code samples use the address at which the reader opened the page', async ({
  page,
  sharedPortal,
}) => {
  const { port } = new URL(sharedPortal.url);
  await page.goto(`http://127.0.0.1:${port}/developers`);
  const codes = page.locator('.code-line code');
  await expect(codes.first()).toHaveText(`curl http://127.0.0.1:${port}${PATHS.vaultLiveBalance}`);
  await expect(codes.filter({ hasText: sharedPortal.url })).toHaveCount(0);
});

test('the widget shows its figures in a frame on another origin, and no other page can be framed', async ({
  page,
  sharedPortal,
}) => {
  await page.goto('/developers');
  const widget = page.locator('[data-embed=widget]');
  await widget.getByLabel('BD stakers').uncheck();
  await widget.getByLabel('Theme').selectOption('dark');
  const snippet = (await widget.locator('pre code').textContent()) ?? '';
  const badge = (await page.locator('[data-embed=badge] pre code').textContent()) ?? '';
  const refused = `<iframe name="refused" src="${sharedPortal.url}/developers"></iframe>`;
  const other = createServer((_request, response) => {
    response
      .setHeader('Content-Type', 'text/html')
      .end(`<!doctype html><title>Other</title>${badge}${snippet}${refused}`);
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const blocked = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  const frame = page.frameLocator('iframe[title="BlackDuck: live figures"]');
  await expect(frame.locator('dt')).toHaveText(['BD in the vault', 'BD staked', 'BD price']);
  await expect(frame.locator('time').first()).toHaveAttribute('datetime', /Z$/);
  await expect(frame.locator('body')).toHaveCSS('background-color', 'rgb(19, 21, 25)');
  const fits = await frame.locator('html').evaluate((root) => root.scrollHeight <= window.innerHeight);
  expect(fits).toBe(true);
  await expect(page.getByRole('img', { name: 'BD staked' })).toHaveJSProperty('complete', true);
  expect(
    await page.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth),
  ).toBeGreaterThan(100);
  await blocked;
  other.close();
});
