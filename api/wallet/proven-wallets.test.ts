import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ProvenWallets } from './proven-wallets.ts';

it('the proven wallets are read once, unless the read fails', async () => {
  let reads = 0;
  const store = {
    provenWallets: async () => {
      reads += 1;
      if (reads === 1) throw new Error('the disk has failed');
      return new Set(['first']);
    },
  };
  const proven = new ProvenWallets(store, pino({ level: 'silent' }));
  proven.add('second');
  await proven.check();
  expect(proven.known).toEqual(new Set(['second']));
  await proven.check();
  proven.add('third');
  await proven.check();
  expect([...proven.known].toSorted()).toEqual(['first', 'second', 'third']);
  const before = proven.known;
  proven.add('third');
  await proven.check();
  expect(proven.known).toBe(before);
  expect(reads).toBe(2);
});

it('a wallet that was removed is forgotten until it is proven again', async () => {
  let stored = ['first', 'second'];
  const store = { provenWallets: async () => new Set(stored) };
  const proven = new ProvenWallets(store, pino({ level: 'silent' }));
  await proven.check();
  stored = ['second'];
  proven.reload();
  await proven.check();
  expect(proven.known).toEqual(new Set(['second']));
  proven.add('first');
  await proven.check();
  expect(proven.known).toEqual(new Set(['first', 'second']));
});
