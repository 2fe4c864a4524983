// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';

it('clearing the field while the index loads ends the search, so that no loading message appears', async () => {
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  const { search: texts } = parse(readFileSync('content/search-and-offline.yaml', 'utf8'));
  vi.stubGlobal('SEARCH_TEXTS', texts);
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  vi.useFakeTimers();
  vi.resetModules();
  const { toggleSearch } = await import('./search-dialog.ts');
  toggleSearch('lock');
  const input = document.querySelector('input');
  if (!input) throw new Error('No field.');
  input.value = '';
  input.dispatchEvent(new Event('input'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(document.querySelector('[role=status]')?.textContent).toBe(texts.hint);
});
