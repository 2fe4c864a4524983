import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ProvenWallets } from './proven-wallets.ts';

it('the proven wallets are read once, and again only after a failed read', async () => {
  let readings = 0;
  const store = {
    provenWallets: async () => {
      readings += 1;
      if (readings === 1) throw new Error('the disk has failed');
      return new Set(['first']);
    },
  };
  const proven = new ProvenWallets(store, pino({ level: 'silent' }));
  proven.add('second');
  await proven.follow();
  expect(proven.known).toEqual(new Set(['second']));
  await proven.follow();
  proven.add('third');
  await proven.follow();
  expect([...proven.known].toSorted()).toEqual(['first', 'second', 'third']);
  const before = proven.known;
  proven.add('third');
  await proven.follow();
  expect(proven.known).toBe(before);
  expect(readings).toBe(2);
});

it('a wallet that was removed is forgotten until it is proven again', async () => {
  let stored = ['first', 'second'];
  const store = { provenWallets: async () => new Set(stored) };
  const proven = new ProvenWallets(store, pino({ level: 'silent' }));
  await proven.follow();
  stored = ['second'];
  proven.reload();
  await proven.follow();
  expect(proven.known).toEqual(new Set(['second']));
  proven.add('first');
  await proven.follow();
  expect(proven.known).toEqual(new Set(['first', 'second']));
});
