import { createCard } from '../../../data/contract/cards.ts';
import { TIER_TERMS } from '../../../data/model/tiers.ts';
import { ApiError } from '../../errors.ts';
import { FakeIndex, TEST_START } from '../../testing/fake-index.ts';
import { type Answer, ask } from '../../testing/portal-client.ts';
import { manyStakes, openedStake, walletOf } from '../../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../../testing/test-portal.ts';
import { openWalletSession } from '../../testing/test-wallet.ts';
import type { WalletReaders } from '../../verification/check-stake.ts';
import { SAMPLE_CARDHOLDER } from './sample-cardholder.ts';

export const REVEAL_PATH = '/api/virtual-card/reveal';
export const FREEZE_PATH = '/api/virtual-card/freeze';
export const UNFREEZE_PATH = '/api/virtual-card/unfreeze';

export const bodyOf = ({ body }: Answer) => JSON.parse(body);
export const outcomeOf = (answer: Answer) => [answer.status, bodyOf(answer).code];

/** Converts whole BD to base units. */
export const bd = (whole: number) => BigInt(whole) * 1_000_000n;

const INDEXED_WALLETS = 400;
let usedWalletCount = 0;
export function newWallet(): string {
  usedWalletCount += 1;
  return walletOf(usedWalletCount);
}

export interface CardClient {
  readonly portal: TestPortal;
  /** Each wallet's stake on the chain, in base units; null if it cannot be read. Wallets not listed have the minimum stake. */
  readonly stakes: Map<string, bigint | null>;
  /** Sets a wallet's stake on the chain and in the index. Zero closes its stake entry; any other amount opens a new one. */
  stake(wallet: string, staked: bigint): Promise<void>;
  /**
   * Sends a body as the proven owner of `wallet`. If `wallet` is null, sends no proof. @param provedAt Unix ms; default
   * `TEST_START`
   */
  post(path: string, wallet: string | null, body: unknown, provedAt?: number): Promise<Answer>;
  get(path: string, wallet: string | null, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  create(wallet: string, holderName?: string): Promise<Answer>;
  /** Sets the clock (Unix ms) and reads the index at that time. */
  setClock(until: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCardClient(changes: TestPortalChanges = {}): Promise<CardClient> {
  const stakes: CardClient['stakes'] = new Map();
  const index = new FakeIndex();
  index.storedStakes = manyStakes(INDEXED_WALLETS);
  const minimum = bd(Number(TIER_TERMS[0]?.minimumStakeBd ?? 0n));
  const walletReaders: WalletReaders = {
    staked: {
      readsInProgress: 0,
      read: async (wallet) => {
        const staked = stakes.has(wallet) ? stakes.get(wallet) : minimum;
        if (staked === null || staked === undefined) throw new ApiError('chain-unreadable');
        const openEntries = index.storedStakes.entries.filter((entry) => entry.wallet === wallet);
        const entries = staked === 0n ? [] : openEntries.map(({ address }) => address);
        return { staked: staked === 0n ? null : staked, entries, slot: 1, readAt: TEST_START };
      },
    },
    held: { readsInProgress: 0, read: async () => ({ amount: 0n, slot: 1, readAt: TEST_START }) },
  };
  const portal = await startTestPortal({ walletReaders, index, ...changes });
  let openedEntryCount = 0;
  const readIndex = async (at = portal.now()) => {
    index.commitChain({ entryChanges: openedEntryCount, readAt: at });
    await portal.pollAt(at);
  };
  const cookies = new Map<string, Promise<string>>();
  const sessionHeaders = async (wallet: string | null, at = TEST_START): Promise<Record<string, string>> => {
    if (wallet === null) return {};
    const key = `${wallet} ${at}`;
    const cookie = cookies.get(key) ?? openWalletSession(portal.store, wallet, at);
    cookies.set(key, cookie);
    return { Cookie: await cookie };
  };
  const client: CardClient = {
    portal,
    stakes,
    stake: async (wallet, staked) => {
      stakes.set(wallet, staked);
      const others = index.storedStakes.entries.filter((entry) => entry.wallet !== wallet);
      openedEntryCount += 1;
      const entry = openedStake(INDEXED_WALLETS + openedEntryCount, { wallet, amount: staked });
      index.storedStakes = { ...index.storedStakes, entries: staked === 0n ? others : [...others, entry] };
      await readIndex();
    },
    post: async (path, wallet, body, provedAt) =>
      ask(portal.port, path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(await sessionHeaders(wallet, provedAt)) },
        body: JSON.stringify(body),
      }),
    get: async (path, wallet, headers) =>
      ask(portal.port, path, { headers: { ...headers, ...(await sessionHeaders(wallet)) } }),
    create: (wallet, holderName = 'BlackDuck Member') =>
      client.post(createCard.path, wallet, {
        walletAddress: wallet,
        holderName,
        ...(changes.issuer?.cardholderFields.length && { cardholder: SAMPLE_CARDHOLDER }),
      }),
    setClock: (until) => readIndex(until),
    close: () => portal.close(),
  };
  return client;
}
