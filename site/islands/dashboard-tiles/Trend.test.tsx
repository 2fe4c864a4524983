// @vitest-environment happy-dom
import { expect, it, onTestFinished, vi } from 'vitest';
import { openServedPage } from '../testing/served-page.tsx';
import { LiveRoot } from '../ui/Live.tsx';
import { Trend } from './Trend.tsx';

it('the figure and the link of a trend remain if its chart cannot be loaded', async () => {
  vi.doMock('../chart/Sparkline.tsx', () => {
    throw new TypeError('Failed to fetch');
  });
  onTestFinished(() => void vi.doUnmock('../chart/Sparkline.tsx'));
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(onChange: (entries: readonly unknown[]) => void) {
        this.observe = () => onChange([{ isIntersecting: true }]);
      }
      readonly observe: () => void;
      readonly disconnect = () => {};
    },
  );
  const page = await openServedPage(
    <LiveRoot>
      <output>9,000</output>
      <Trend series="vault" label="Vault balance" href="/analytics" />
    </LiveRoot>,
  );
  onTestFinished(page.close);
  await page.settle();
  expect(page.root.querySelector('output')?.textContent).toBe('9,000');
  expect(page.root.querySelector('a')?.getAttribute('href')).toBe('/analytics');
});
