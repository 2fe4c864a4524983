// @vitest-environment happy-dom
import { lazy } from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openServedPage } from '../testing/served-page.tsx';
import { LiveRoot } from './Live.tsx';

const MissingPart = lazy(() => Promise.reject(new TypeError('Failed to fetch')));

it('an island is replaced by a message and a Reload button if a part of it cannot be loaded', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const page = await openServedPage(
    <LiveRoot>
      <MissingPart />
    </LiveRoot>,
  );
  onTestFinished(page.close);
  await page.settle();
  expect(page.root.querySelector('[role=alert]')).not.toBeNull();
  await page.press('Reload');
  expect(reload).toHaveBeenCalledOnce();
});
