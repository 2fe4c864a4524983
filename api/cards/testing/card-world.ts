import { cardTier, TIERS } from '../../../data/model/tiers.ts';
import { ChainUnreadableError } from '../../errors.ts';
import type { PortalDependencies } from '../../portal-dependencies.ts';
import { TEST_START } from '../../testing/fake-index.ts';
import { type Answer, ask } from '../../testing/portal-client.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';
import type { CheckStake } from '../../verification/check-stake.ts';

const DECIMALS = 6;

/** Base units of so many whole BD. */
export const bd = (whole: number) => BigInt(whole) * 1_000_000n;

/** A portal of which the tests say who proved what, and who stakes how much. */
export interface CardWorld {
  readonly portal: TestPortal;
  /** BD staked by wallet, in base units; a wallet that is not named stakes the minimum, null cannot be read. */
  readonly stakes: Map<string, bigint | null>;
  /** Calls as the owner of a wallet who proved it at a moment (Unix ms). */
  post(path: string, wallet: string | null, body: unknown, provedAt?: number): Promise<Answer>;
  get(path: string, wallet: string | null): Promise<Answer>;
  create(wallet: string, holderName?: string): Promise<Answer>;
  close(): Promise<void>;
}

export async function startCardWorld(changes: Partial<PortalDependencies> = {}): Promise<CardWorld> {
  const stakes: CardWorld['stakes'] = new Map();
  const minimum = bd(Number(TIERS[0]?.minimumStakeBd ?? 0n));
  const checkStake: CheckStake = async (wallet) => {
    const staked = stakes.has(wallet) ? stakes.get(wallet) : minimum;
    if (staked === null || staked === undefined) throw new ChainUnreadableError();
    return {
      tier: cardTier(staked, DECIMALS) ?? 'None',
      staked,
      held: null,
      decimals: DECIMALS,
      detectionMethod: staked === 0n ? 'token_account_analysis' : 'stake_entry',
      asOf: new Date(TEST_START).toISOString(),
    };
  };
  const portal = await startTestPortal({
    checkStake,
    callsPerMinute: 10_000,
    cardCallsPerMinute: 10_000,
    // Stands in for the session's cookie.
    readProvenWallet: async ({ headers }) => {
      const [walletAddress, provedAt] = String(headers['x-proved'] ?? '').split(' ');
      return walletAddress ? { walletAddress, provedAt: Number(provedAt) } : null;
    },
    ...changes,
  });
  const proved = (wallet: string | null, at = TEST_START): Record<string, string> =>
    wallet === null ? {} : { 'X-Proved': `${wallet} ${at}` };
  const world: CardWorld = {
    portal,
    stakes,
    post: (path, wallet, body, provedAt) =>
      ask(portal.port, path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...proved(wallet, provedAt) },
        body: JSON.stringify(body),
      }),
    get: (path, wallet) => ask(portal.port, path, { headers: proved(wallet) }),
    create: (wallet, holderName = 'BlackDuck Member') =>
      world.post('/api/virtual-card/create', wallet, { walletAddress: wallet, holderName }),
    close: () => portal.close(),
  };
  return world;
}
