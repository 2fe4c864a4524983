import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ProvenWallets } from './proven-wallets.ts';

const LOG = pino({ level: 'silent' });

it('the proven wallets are read once, unless the read fails', async () => {
  let reads = 0;
  const store = {
    provenWallets: async () => {
      reads += 1;
      if (reads === 1) throw new Error('the disk has failed');
      return new Set(['first']);
    },
  };
  const proven = new ProvenWallets(store, LOG, null);
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
  const proven = new ProvenWallets(store, LOG, null);
  await proven.check();
  stored = ['second'];
  proven.reload();
  await proven.check();
  expect(proven.known).toEqual(new Set(['second']));
  proven.add('first');
  await proven.check();
  expect(proven.known).toEqual(new Set(['first', 'second']));
});

it('wallets that another program proves or erases are read every two seconds, or less often if that takes long', async () => {
  let stored = ['first', 'second'];
  let time = 0;
  let duration = 0;
  const store = {
    provenWallets: async () => {
      time += duration;
      return new Set(stored);
    },
  };
  const proven = new ProvenWallets(store, LOG, () => time);
  const knownAt = async (at: number) => {
    time = at;
    await proven.check();
    return proven.known;
  };
  const first = await knownAt(0);
  stored = ['second', 'third'];
  expect(await knownAt(1_999)).toBe(first);
  const second = await knownAt(2_000);
  expect(second).toEqual(new Set(['second', 'third']));
  duration = 500;
  expect(await knownAt(4_000)).toBe(second);
  stored = [];
  expect(await knownAt(14_499)).toBe(second);
  expect(await knownAt(14_500)).toEqual(new Set());
});
