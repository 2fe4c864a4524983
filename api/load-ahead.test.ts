import { describe, expect, it } from 'vitest';
import { loadAhead } from './load-ahead.ts';

describe('the background loader', () => {
  it('loads one module after another, and lets requests be answered in between', async () => {
    const order: string[] = [];
    const loaderOf = (name: string) => async () => {
      order.push(`${name} begins`);
      setImmediate(() => order.push('a call is answered'));
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    await loadAhead([loaderOf('web3'), loaderOf('sharp')], new AbortController().signal, 0);
    expect(order).toEqual([
      'web3 begins',
      'web3 ends',
      'a call is answered',
      'sharp begins',
      'sharp ends',
      'a call is answered',
    ]);
  });

  it('loads nothing more once the portal stops', async () => {
    const stopping = new AbortController();
    const loadedNames: string[] = [];
    const first = async () => {
      loadedNames.push('first');
      stopping.abort();
    };
    await loadAhead([first, async () => loadedNames.push('second')], stopping.signal, 0);
    expect(loadedNames).toEqual(['first']);
  });
});
