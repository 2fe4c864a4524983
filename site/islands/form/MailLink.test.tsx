// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as PATHS from '../../../data/contract/paths.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import MailLink from './MailLink.tsx';

const CONFIRM = `POST ${PATHS.confirmReminder}`;

let page: ServedPage;
const alert = () => page.root.querySelector('[role=alert]');
const isDone = () => page.root.querySelector('[data-stage=done]') !== null;

beforeEach(async () => {
  history.replaceState(null, '', '#confirm=abc');
  page = await openServedPage(<MailLink subscription="reminders" />);
});
afterEach(() => page.close());

describe('a link in an email', () => {
  it.each([
    ['the network fails', () => page.failNetwork(CONFIRM)],
    ['the server is unavailable', () => page.respond(CONFIRM, {}, 502)],
    ['there were too many requests', () => page.respond(CONFIRM, {}, 429)],
  ])('can be used again after %s', async (_, fail) => {
    fail();
    await page.press('Confirm my address');
    expect(alert()).not.toBeNull();
    page.respond(CONFIRM, { success: true });
    await page.press('Confirm my address');
    expect(isDone()).toBe(true);
    expect(page.requests.map(({ payload }) => payload)).toEqual([{ token: 'abc' }, { token: 'abc' }]);
  });

  it('that the server refuses cannot be used again', async () => {
    page.respond(CONFIRM, { success: false, code: 'reminder-link-ended' }, 410);
    await page.press('Confirm my address');
    expect(alert()).not.toBeNull();
    expect(page.root.querySelector('button')).toBeNull();
  });
});
