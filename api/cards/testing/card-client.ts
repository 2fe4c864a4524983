import { createCard } from '../../../data/contract/cards.ts';
import { TIERS } from '../../../data/model/tiers.ts';
import { ApiError } from '../../errors.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { type Answer, ask } from '../../testing/portal-client.ts';
import { walletOf } from '../../testing/sample-stakes.ts';
import { startTestPortal, type TestPortal, type TestPortalChanges } from '../../testing/test-portal.ts';
import { openWalletSession } from '../../testing/test-wallet.ts';
import type { WalletReaders } from '../../verification/check-stake.ts';

export const REVEAL = '/api/virtual-card/reveal';
export const FREEZE = '/api/virtual-card/freeze';
export const UNFREEZE = '/api/virtual-card/unfreeze';

export const bodyOf = ({ body }: Answer) => JSON.parse(body);
/** A response's status and error code. */
export const outcome = (answer: Answer) => [answer.status, bodyOf(answer).code];

/** Whole BD in base units. */
export const bd = (whole: number) => BigInt(whole) * 1_000_000n;

let walletsUsed = 0;
export function newWallet(): string {
  walletsUsed += 1;
  return walletOf(walletsUsed);
}

/** A test portal with a chosen stake for each wallet, and calls as a wallet's owner. */
export interface CardClient {
  readonly portal: TestPortal;
  /** Stakes in base units; null if the stake cannot be read. Other wallets stake the minimum. */
  readonly stakes: Map<string, bigint | null>;
  /** Sends a body with an ownership proof of the wallet from that time (Unix ms). */
  post(path: string, wallet: string | null, body: unknown, provedAt?: number): Promise<Answer>;
  get(path: string, wallet: string | null, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  create(wallet: string, holderName?: string): Promise<Answer>;
  close(): Promise<void>;
}

export async function startCardClient(changes: TestPortalChanges = {}): Promise<CardClient> {
  const stakes: CardClient['stakes'] = new Map();
  const minimum = bd(Number(TIERS[0]?.minimumStakeBd ?? 0n));
  const walletReaders: WalletReaders = {
    staked: {
      readsInProgress: 0,
      read: async (wallet) => {
        const staked = stakes.has(wallet) ? stakes.get(wallet) : minimum;
        if (staked === null || staked === undefined) throw new ApiError('chain-unreadable');
        return { staked: staked === 0n ? null : staked, slot: 1, readAt: TEST_START };
      },
    },
    held: { readsInProgress: 0, read: async () => ({ amount: 0n, slot: 1, readAt: TEST_START }) },
  };
  const portal = await startTestPortal({ walletReaders, ...changes });
  const cookies = new Map<string, Promise<string>>();
  const proved = async (wallet: string | null, at = TEST_START): Promise<Record<string, string>> => {
    if (wallet === null) return {};
    const key = `${wallet} ${at}`;
    const cookie = cookies.get(key) ?? openWalletSession(portal.store, wallet, at);
    cookies.set(key, cookie);
    return { Cookie: await cookie };
  };
  const client: CardClient = {
    portal,
    stakes,
    post: async (path, wallet, body, provedAt) =>
      ask(portal.port, path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(await proved(wallet, provedAt)) },
        body: JSON.stringify(body),
      }),
    get: async (path, wallet, headers) =>
      ask(portal.port, path, { headers: { ...headers, ...(await proved(wallet)) } }),
    create: (wallet, holderName = 'BlackDuck Member') =>
      client.post(createCard.path, wallet, { walletAddress: wallet, holderName }),
    close: () => portal.close(),
  };
  return client;
}
