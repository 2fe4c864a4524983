import { z } from 'zod';
import { AuditUnreachableError } from './audit-error.ts';
import { STREAMFLOW } from './chain-accounts.ts';

/** What the portal answers to one call: its body, or why it has none at present. */
export type Answer =
  | { readonly kind: 'body'; readonly body: unknown }
  | { readonly kind: 'none'; readonly reason: string };

/** The portal's public figures as they were told at one moment. */
export interface ApiReading {
  answer(path: string): Answer;
}

/** How the portal says that it has no answer. */
const portalError = z.object({ success: z.literal(false), error: z.string(), code: z.string() });

const TIMEOUT_MS = 15_000;

/** Calls that are audited. */
const AUDITED_CALLS = [
  '/api/vault/live-balance',
  '/api/vault/metrics',
  '/api/staking/total',
  '/api/staking/transfers',
  '/api/staking/program-summary',
  '/api/stakers/enhanced',
  '/api/analytics/real-staking',
  '/api/analytics/overview',
  '/api/trading/market-data',
  '/api/token/market-data',
  '/api/transactions',
  '/api/network/health',
  '/api/history?series=vault&range=30d',
  '/api/history?series=staked&range=30d',
] as const;

/** Names of the answers on single wallets: which wallets is told by the portal's lists. */
export const VERIFICATIONS = {
  staker: '/api/verify-bd-tokens (a staker)',
  other: '/api/verify-bd-tokens (no staker)',
} as const;
export type VerifiedKind = keyof typeof VERIFICATIONS;

const stakers = z.array(z.object({ walletAddress: z.string() }));
const counterparties = z.array(z.object({ wallet: z.string().nullable() }));

/** A wallet that stakes, and one that does not: of the transactions, else the staking program itself. */
function walletsToVerify(
  answers: ReadonlyMap<string, Answer>,
): Readonly<Record<VerifiedKind, string | null>> {
  const bodyOf = (path: string): unknown => {
    const answer = answers.get(path);
    return answer?.kind === 'body' ? answer.body : undefined;
  };
  const staking =
    stakers.safeParse(bodyOf('/api/stakers/enhanced')).data?.map((row) => row.walletAddress) ?? [];
  const moving = counterparties.safeParse(bodyOf('/api/transactions')).data?.map((row) => row.wallet) ?? [];
  const other = moving.find((wallet) => wallet !== null && !staking.includes(wallet));
  return { staker: staking[0] ?? null, other: other ?? STREAMFLOW };
}

/** Reads every audited call once. @throws {AuditUnreachableError} where the portal does not answer */
export async function readApi(origin: string): Promise<ApiReading> {
  const entries = await Promise.all(
    AUDITED_CALLS.map(async (path) => [path, await readCall(origin, path)] as const),
  );
  const answers = new Map<string, Answer>(entries);
  const wallets = walletsToVerify(answers);
  await Promise.all(
    (['staker', 'other'] as const).map(async (kind) => {
      const wallet = wallets[kind];
      const path = `/api/verify-bd-tokens?walletAddress=${wallet}`;
      const none: Answer = { kind: 'none', reason: 'the portal tells of no wallet that stakes' };
      answers.set(VERIFICATIONS[kind], wallet === null ? none : await readCall(origin, path));
    }),
  );
  return { answer: (path) => answers.get(path) ?? { kind: 'none', reason: 'it was not asked' } };
}

async function readCall(origin: string, path: string): Promise<Answer> {
  const { host } = new URL(origin);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${origin}${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (error) {
    throw new AuditUnreachableError(
      `The portal at ${host} does not answer. Start it (npm start), or name another with --api.`,
      { cause: error },
    );
  }
  const body = parse(text);
  if (response.ok && body !== undefined) return { kind: 'body', body };
  const refusal = portalError.safeParse(body);
  if (response.status !== 404 && refusal.success) return { kind: 'none', reason: refusal.data.error };
  throw new AuditUnreachableError(
    `${host} answers ${path} as no portal does (HTTP ${response.status}). Name the portal's origin with --api.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
