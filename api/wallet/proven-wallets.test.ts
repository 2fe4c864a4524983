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
  expect(proven.wallets).toEqual(new Set(['second']));
  await proven.check();
  proven.add('third');
  await proven.check();
  expect([...proven.wallets].toSorted()).toEqual(['first', 'second', 'third']);
  const knownBefore = proven.wallets;
  proven.add('third');
  await proven.check();
  expect(proven.wallets).toBe(knownBefore);
  expect(reads).toBe(2);
});

it('each outage of the store is logged once', async () => {
  let isDown = true;
  const lines: string[] = [];
  const store = {
    provenWallets: async () => {
      if (isDown) throw new Error('the disk has failed');
      return new Set<string>();
    },
  };
  const proven = new ProvenWallets(store, pino({}, { write: (line) => void lines.push(line) }), null);
  for (isDown of [true, true, false, true]) {
    proven.reload();
    await proven.check();
  }
  expect(lines).toHaveLength(2);
});

it('a wallet that was removed is forgotten until it is proven again', async () => {
  let storedWallets = ['first', 'second'];
  const store = { provenWallets: async () => new Set(storedWallets) };
  const proven = new ProvenWallets(store, LOG, null);
  await proven.check();
  storedWallets = ['second'];
  proven.reload();
  await proven.check();
  expect(proven.wallets).toEqual(new Set(['second']));
  proven.add('first');
  await proven.check();
  expect(proven.wallets).toEqual(new Set(['first', 'second']));
});

it('proven wallets that other programs add or erase are read every two seconds, or less often if reads are slow', async () => {
  let storedWallets = ['first', 'second'];
  let timeMs = 0;
  let readMs = 0;
  const store = {
    provenWallets: async () => {
      timeMs += readMs;
      return new Set(storedWallets);
    },
  };
  const proven = new ProvenWallets(store, LOG, () => timeMs);
  const knownAt = async (at: number) => {
    timeMs = at;
    await proven.check();
    return proven.wallets;
  };
  const first = await knownAt(0);
  storedWallets = ['second', 'third'];
  expect(await knownAt(1_999)).toBe(first);
  const second = await knownAt(2_000);
  expect(second).toEqual(new Set(['second', 'third']));
  readMs = 500;
  expect(await knownAt(4_000)).toBe(second);
  storedWallets = [];
  expect(await knownAt(14_499)).toBe(second);
  expect(await knownAt(14_500)).toEqual(new Set());
});
