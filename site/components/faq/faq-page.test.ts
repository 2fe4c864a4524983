// @vitest-environment happy-dom
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startFaqPage } from './faq-page.ts';

const findQuestion = (id: string) => {
  const question = document.querySelector<HTMLDetailsElement>(`#${id}`);
  if (!question) throw new Error(`No ${id}.`);
  return question;
};

beforeAll(() => {
  vi.stubGlobal('UNANSWERED_TEXTS', {});
  vi.stubGlobal('SEARCH_SYNONYMS', 'a b');
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {});
  document.body.innerHTML = `
    <search data-faq-search><input><output></output></search>
    <div data-faq-no-results hidden></div>
    <details data-faq-category><details id="lock"><summary>How long is the lock?</summary>180 days.</details></details>
    <details data-faq-category><details id="fee"><summary>What is the fee?</summary>4.5 percent.</details></details>
    <details hidden data-faq-close-matches><summary>Close</summary></details>`;
  startFaqPage();
});
afterAll(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
beforeEach(() => {
  location.hash = '';
});

async function search(query: string) {
  const input = document.querySelector('input');
  if (!input) throw new Error('No field.');
  input.value = query;
  input.dispatchEvent(new Event('input'));
  await expect.poll(() => findQuestion('fee').closest('[hidden]') !== null).toBe(true);
  return input;
}

it.each(['xylophone', 'lock'])(
  'the FAQ page clears the search for “%s” when a link leads to a question that the search hides',
  async (query) => {
    const input = await search(query);
    location.hash = '#fee';
    await expect.poll(() => findQuestion('fee').open).toBe(true);
    expect([input.value, document.querySelector('#fee')?.closest('[hidden]')]).toEqual(['', null]);
  },
);

it('the FAQ page keeps the search when a link leads to a question that the search shows', async () => {
  const input = await search('lock');
  findQuestion('lock').open = false;
  location.hash = '#lock';
  await expect.poll(() => findQuestion('lock').open).toBe(true);
  expect(input.value).toBe('lock');
});

it('the FAQ page starts even if its URL has an invalid fragment', () => {
  location.hash = '#100%';
  expect(startFaqPage).not.toThrow();
});
