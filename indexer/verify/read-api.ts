import { PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import * as PATHS from '../../data/contract/paths.ts';
import { STREAMFLOW, UnreadableError } from './chain-accounts.ts';

export type PortalAnswer =
  /** `slot` is the value of the `X-Figure-Slot` header. List responses carry the slot only in that header. */
  | { readonly kind: 'body'; readonly body: unknown; readonly slot?: number }
  | { readonly kind: 'none'; readonly reason: string };

export interface ApiReading {
  answer(call: string): PortalAnswer;
  readonly wallets: readonly string[];
}

export interface PortalReader {
  /** Makes each call once. @throws {UnreadableError} if the portal does not answer */
  read(calls: Iterable<string>): Promise<ApiReading>;
}

const portalError = z.object({ success: z.literal(false), error: z.string(), code: z.string() });

const TIMEOUT_MS = 15_000;

export const STAKERS_PATH = PATHS.enhancedStakers;
export const TRANSACTIONS_PATH = PATHS.transactions;

/** Each call about a single wallet is made twice: for a wallet with a stake, and for one without. */
export type WalletKind = 'staker' | 'other';

/** Names a call about a single wallet. The wallet itself is chosen later, from the portal's lists. */
export const walletCall = (path: string, kind: WalletKind): string => `${path} (${kind})`;
const WALLET_CALL = /^(\S+) \((staker|other)\)$/;

const stakersSchema = z.array(z.object({ walletAddress: z.string() }));
const counterpartiesSchema = z.array(z.object({ wallet: z.string().nullable() }));

function isAddress(text: string | null): text is string {
  try {
    return text !== null && new PublicKey(text).toBase58() === text;
  } catch {
    return false;
  }
}

/** Chooses a wallet with a stake, and a wallet without one from the list of transactions. Either is null if none is listed. */
function chooseWallets(
  answers: ReadonlyMap<string, PortalAnswer>,
): Readonly<Record<WalletKind, string | null>> {
  const bodyOf = (path: string): unknown => {
    const answer = answers.get(path);
    return answer?.kind === 'body' ? answer.body : undefined;
  };
  const stakers = stakersSchema.safeParse(bodyOf(STAKERS_PATH)).data?.map((row) => row.walletAddress) ?? [];
  const counterparties =
    counterpartiesSchema.safeParse(bodyOf(TRANSACTIONS_PATH)).data?.map((row) => row.wallet) ?? [];
  const other = counterparties.find((wallet) => isAddress(wallet) && !stakers.includes(wallet));
  return { staker: stakers.find(isAddress) ?? null, other: other ?? null };
}

const ATTEMPTS = 3;
const MAX_WAIT_SECONDS = 60;

/**
 * Creates a reader for the portal at an origin. All readings use the same wallets.
 * @param pause waits this many milliseconds; called when the portal rate-limits a call
 */
export function openPortal(origin: string, pause: (ms: number) => Promise<unknown>): PortalReader {
  const chosen: Record<WalletKind, string | null> = { staker: null, other: null };
  // The staking program itself never stakes, so its address can serve as a wallet without a stake.
  const walletFor = (kind: WalletKind) => chosen[kind] ?? (kind === 'other' ? STREAMFLOW : null);

  const readWithRetries = async (path: string): Promise<PortalAnswer> => {
    for (let attempt = 1; ; attempt += 1) {
      const { answer, retryAfterSeconds } = await readCall(origin, path);
      if (retryAfterSeconds === null || attempt === ATTEMPTS) return answer;
      await pause(Math.min(retryAfterSeconds, MAX_WAIT_SECONDS) * 1_000);
    }
  };

  const readAll = async (calls: readonly string[]) =>
    new Map(await Promise.all(calls.map(async (call) => [call, await readWithRetries(call)] as const)));

  const readWalletCall = async (call: string): Promise<PortalAnswer> => {
    const [, path, kind] = WALLET_CALL.exec(call) ?? [];
    const wallet = walletFor(kind === 'staker' ? 'staker' : 'other');
    if (wallet === null) return { kind: 'none', reason: 'the portal lists no wallet with a stake' };
    return readWithRetries(`${path}?walletAddress=${wallet}`);
  };

  return {
    async read(calls) {
      const unique = [...new Set(calls)];
      const answers = await readAll(unique.filter((call) => !WALLET_CALL.test(call)));
      const chosenNow = chooseWallets(answers);
      chosen.staker ??= chosenNow.staker;
      chosen.other ??= chosenNow.other;
      const walletCalls = unique.filter((call) => WALLET_CALL.test(call));
      await Promise.all(walletCalls.map(async (call) => answers.set(call, await readWalletCall(call))));
      return {
        answer: (call) => answers.get(call) ?? { kind: 'none', reason: 'the call was not made' },
        wallets: [walletFor('staker'), walletFor('other')].filter((wallet) => wallet !== null),
      };
    },
  };
}

/** Makes one call. `retryAfterSeconds` is null unless the portal rate-limits the call. */
async function readCall(
  origin: string,
  path: string,
): Promise<{ readonly answer: PortalAnswer; readonly retryAfterSeconds: number | null }> {
  const { host } = new URL(origin);
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${origin}${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (error) {
    throw new UnreadableError(
      `The portal at ${host} does not answer. Start it (npm start), or specify another portal with --api.`,
      { cause: error },
    );
  }
  const body = parse(text);
  if (response.ok && body !== undefined) {
    const slot = response.headers.get('x-figure-slot');
    return {
      answer: { kind: 'body', body, ...(slot !== null && { slot: Number(slot) }) },
      retryAfterSeconds: null,
    };
  }
  const failure = portalError.safeParse(body);
  if (response.status !== 404 && failure.success) {
    const retryAfterSeconds =
      response.status === 429 ? Number(response.headers.get('retry-after')) || 1 : null;
    return { answer: { kind: 'none', reason: failure.data.error }, retryAfterSeconds };
  }
  throw new UnreadableError(
    `${host} does not answer ${path} as the portal does (HTTP ${response.status}). Specify the portal's origin with --api.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
