import type { AppStore } from '../ports.ts';
import type { ChainTransfer, UsdtFeed } from '../top-up-port.ts';

export const TEST_FEED: UsdtFeed = {
  id: '1-0xtoken-0xaddress',
  block: 100,
  blockHash: '0xhash100',
  readAt: 1_000,
  expected: 40_000_000n,
  matchedBlock: 100,
  comparedAt: 1_000,
  difference: 0n,
};

export const sampleTransfer = (id: string, changes: Partial<ChainTransfer> = {}): ChainTransfer => ({
  id,
  block: 105,
  at: 4_000,
  isOutgoing: false,
  counterparty: '0x00000000000000000000000000000000000000aa',
  amount: 100_000_000n,
  ...changes,
});

export async function addCard(store: AppStore, id: string, walletAddress = `wallet-${id}`): Promise<void> {
  const order = { id, walletAddress, tier: 'Banker', holderName: 'Member', issuer: 'sandbox' } as const;
  await store.cards.reserve({ ...order, idempotencyKey: `key-${id}`, stakeEntries: [], at: 1_000 });
  const issued = {
    issuerCardId: `ic_${id}`,
    issuerCardholderId: null,
    lastFour: '0042',
    expiryMonth: 3,
    expiryYear: 2031,
  };
  const audit = {
    id: `created ${id}`,
    at: 2_000,
    actor: 'wallet-owner',
    action: 'card.created',
    details: { cardId: id },
  };
  await store.cards.activate(id, issued, audit);
}
