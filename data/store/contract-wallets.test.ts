import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventPlace, IndexReader, IndexWriter } from './ports.ts';
import { ADAPTERS, openClaimed, type StoreWorld } from './testing/adapters.ts';
import { batchOf, IDENTITY, sampleEvent } from './testing/sample-rows.ts';

describe.each(ADAPTERS)('the events of a wallet in $name', ({ open }) => {
  let world: StoreWorld;
  let writer: IndexWriter;
  let reader: IndexReader;

  beforeEach(async () => {
    ({ world, reader, writer } = await openClaimed(open));
  });
  afterEach(() => world.dispose());

  async function pages(wallet: string, limit: number): Promise<string[][]> {
    const told: string[][] = [];
    let place: EventPlace | null = null;
    do {
      const { events, next } = await reader.walletEvents(wallet, limit, place);
      told.push(events.map(({ signature }) => signature));
      place = next;
    } while (place !== null);
    return told;
  }

  it('are told newest first, of both accounts, page by page, each once', async () => {
    const poolVault = { account: IDENTITY.poolVault, kind: 'stake', stakeEntry: 'entry' } as const;
    await writer.commitEvents(batchOf([1, 4, 6].map((slot) => sampleEvent(slot))));
    await writer.commitEvents(
      batchOf([
        sampleEvent(2, poolVault),
        sampleEvent(4, { ...poolVault, signature: 'same slot', position: 1 }),
        sampleEvent(5, poolVault),
      ]),
    );
    const newestFirst = [
      'signature-6',
      'signature-5',
      'same slot',
      'signature-4',
      'signature-2',
      'signature-1',
    ];
    expect(await pages('wallet', 9)).toEqual([newestFirst]);
    expect(await pages('wallet', 6)).toEqual([newestFirst]);
    expect((await pages('wallet', 4)).map((page) => page.length)).toEqual([4, 2]);
    expect((await pages('wallet', 1)).flat()).toEqual(newestFirst);
    const { events } = await reader.walletEvents('wallet', 1, null);
    expect(events).toEqual([sampleEvent(6)]);
  });

  it('where one transaction moved both accounts are two, and no page loses one of them', async () => {
    await writer.commitEvents(batchOf([sampleEvent(3)]));
    await writer.commitEvents(batchOf([sampleEvent(3, { account: IDENTITY.poolVault, kind: 'stake' })]));
    expect(await pages('wallet', 1)).toEqual([['signature-3'], ['signature-3']]);
  });

  it('go on where they stopped though newer ones came between two pages', async () => {
    await writer.commitEvents(batchOf([1, 2, 3].map((slot) => sampleEvent(slot))));
    const { next } = await reader.walletEvents('wallet', 1, null);
    await writer.commitEvents(batchOf([sampleEvent(4)]));
    const { events } = await reader.walletEvents('wallet', 9, next);
    expect(events.map(({ slot }) => slot)).toEqual([2, 1]);
  });

  it('are those of no other wallet, though its address begins alike', async () => {
    await writer.commitEvents(
      batchOf([
        sampleEvent(1, { wallet: 'sameBeginning-one' }),
        sampleEvent(2, { wallet: 'sameBeginning-two' }),
        sampleEvent(3, { wallet: null }),
      ]),
    );
    expect(await pages('sameBeginning-one', 9)).toEqual([['signature-1']]);
    expect(await pages('sameBeginning', 9)).toEqual([[]]);
  });

  it('are none where nothing was indexed', async () => {
    await world.discardIndex();
    expect(await reader.walletEvents('wallet', 9, null)).toEqual({ events: [], next: null });
  });
});
