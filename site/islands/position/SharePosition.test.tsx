// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SAMPLE_WALLET, samplePosition } from '../testing/samples.ts';
import { openServedPage, type ServedPage } from '../testing/served-page.tsx';
import SharePosition from './SharePosition.tsx';

const position = samplePosition({ staked: '7654321.5', tier: 'Raven', badge: 'Platinum', nextTier: null });
const drawnTexts: string[] = [];
let page: ServedPage;

beforeEach(async () => {
  drawnTexts.length = 0;
  const fillText = (text: string) => drawnTexts.push(text);
  const context = new Proxy({ fillText }, { get: (target, name) => Reflect.get(target, name) ?? (() => {}) });
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context as never);
  vi.stubGlobal(
    'Image',
    class {
      set src(_: string) {
        this.onerror();
      }
      onerror() {}
    },
  );
  page = await openServedPage(<SharePosition position={position} onClose={() => {}} />);
});
afterEach(async () => {
  await page.close();
  vi.restoreAllMocks();
});

const toggleOption = (index: number) =>
  page.advance(0, () => page.root.querySelectorAll<HTMLInputElement>('[type=checkbox]')[index]?.click());
const drawnAndSpokenText = () =>
  `${drawnTexts.join(' ')} ${page.root.querySelector('canvas')?.getAttribute('aria-label')}`;

describe('the picture of a position', () => {
  it('has the tier and the date, and shows the amount or the address only if the holder chooses to', async () => {
    expect(drawnAndSpokenText()).toMatch(/Raven tier.*\d{4}.*Raven tier/);
    expect(drawnAndSpokenText()).not.toMatch(/7,654|7654/);
    expect(drawnAndSpokenText()).not.toContain(SAMPLE_WALLET.slice(0, 4));
    await toggleOption(0);
    expect(drawnAndSpokenText()).toContain('7,654,321.50 BD');
    expect(drawnAndSpokenText()).not.toContain(SAMPLE_WALLET.slice(0, 4));
    await toggleOption(0);
    drawnTexts.length = 0;
    await toggleOption(1);
    expect(drawnAndSpokenText()).toContain(SAMPLE_WALLET);
    expect(drawnAndSpokenText()).not.toContain('7,654');
  });
});
