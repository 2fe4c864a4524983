// @vitest-environment happy-dom
import { expect, it, onTestFinished, vi } from 'vitest';
import { SAMPLE_WALLET } from '../testing/samples.ts';
import { openServedPage } from '../testing/served-page.tsx';
import { LiveRoot } from '../ui/Live.tsx';
import ActiveTier from './ActiveTier.tsx';

it('the rest of the page remains if the tier dialog cannot be loaded', async () => {
  vi.doMock('../tier-activated/TierActivatedDialog.tsx', () => {
    throw new TypeError('Failed to fetch');
  });
  onTestFinished(() => void vi.doUnmock('../tier-activated/TierActivatedDialog.tsx'));
  const page = await openServedPage(
    <LiveRoot>
      <ActiveTier wallet={SAMPLE_WALLET} tier="Raven" staked="7500000" />
      <output>confirmed</output>
    </LiveRoot>,
  );
  onTestFinished(page.close);
  await page.press('View benefits');
  expect(page.root.querySelector('output')).not.toBeNull();
});
