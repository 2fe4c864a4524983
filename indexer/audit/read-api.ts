import { PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { AuditUnreachableError } from './audit-error.ts';
import { STREAMFLOW } from './chain-accounts.ts';

/** What the portal answers to one call: its body, or why it has none at present. */
export type Answer =
  /** With the slot that a list is of: it has no place for it in itself. */
  | { readonly kind: 'body'; readonly body: unknown; readonly slot?: number }
  | { readonly kind: 'none'; readonly reason: string };

/** The portal's public figures as they were told at one moment. */
export interface ApiReading {
  answer(call: string): Answer;
  /** The wallets that the calls on single wallets were asked for. */
  readonly wallets: readonly string[];
}

/** The portal that is audited. */
export interface AuditedPortal {
  /**
   * Asks each of some calls once.
   * @throws {AuditUnreachableError} where the portal does not answer
   */
  read(calls: Iterable<string>): Promise<ApiReading>;
}

/** How the portal says that it has no answer. */
const portalError = z.object({ success: z.literal(false), error: z.string(), code: z.string() });

const TIMEOUT_MS = 15_000;

export const STAKERS = '/api/stakers/enhanced';
export const TRANSACTIONS = '/api/transactions';

/** Which wallet a call on a single wallet is asked for: one that stakes, or one that does not. */
export type WalletKind = 'staker' | 'other';

/** The name of a call on a single wallet: which wallets these are is told by the portal's lists. */
export const walletCall = (path: string, kind: WalletKind): string => `${path} (${kind})`;
const WALLET_CALL = /^(\S+) \((staker|other)\)$/;

const stakers = z.array(z.object({ walletAddress: z.string() }));
const counterparties = z.array(z.object({ wallet: z.string().nullable() }));

function isAddress(text: string | null): text is string {
  try {
    return text !== null && new PublicKey(text).toBase58() === text;
  } catch {
    return false;
  }
}

/** A wallet that stakes, and one of the transactions that does not; null where the lists tell of none. */
function walletsOf(answers: ReadonlyMap<string, Answer>): Readonly<Record<WalletKind, string | null>> {
  const bodyOf = (path: string): unknown => {
    const answer = answers.get(path);
    return answer?.kind === 'body' ? answer.body : undefined;
  };
  const staking = stakers.safeParse(bodyOf(STAKERS)).data?.map((row) => row.walletAddress) ?? [];
  const moving = counterparties.safeParse(bodyOf(TRANSACTIONS)).data?.map((row) => row.wallet) ?? [];
  const other = moving.find((wallet) => isAddress(wallet) && !staking.includes(wallet));
  return { staker: staking.find(isAddress) ?? null, other: other ?? null };
}

/** How often a call is asked that the portal puts off, since an address may ask only so much a minute. */
const TRIES = 3;
/** Seconds to wait at most before asking again. */
const LONGEST_WAIT = 60;

/**
 * Opens the portal at an origin. The wallets that single ones stand for stay the same for as long as it is read.
 * @param pause waits for milliseconds, where the portal asks for patience
 */
export function openPortal(origin: string, pause: (ms: number) => Promise<unknown>): AuditedPortal {
  const chosen: Record<WalletKind, string | null> = { staker: null, other: null };
  // One that never moved BD will do: whoever stakes is no program.
  const walletFor = (kind: WalletKind) => chosen[kind] ?? (kind === 'other' ? STREAMFLOW : null);

  const readPatiently = async (path: string): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const { answer, retryAfter } = await readCall(origin, path);
      if (retryAfter === null || attempt === TRIES) return answer;
      await pause(Math.min(retryAfter, LONGEST_WAIT) * 1_000);
    }
  };

  const readAll = async (calls: readonly string[]) =>
    new Map(await Promise.all(calls.map(async (call) => [call, await readPatiently(call)] as const)));

  const readOfWallet = async (call: string): Promise<Answer> => {
    const [, path, kind] = WALLET_CALL.exec(call) ?? [];
    const wallet = walletFor(kind === 'staker' ? 'staker' : 'other');
    if (wallet === null) return { kind: 'none', reason: 'the portal tells of no wallet that stakes' };
    return readPatiently(`${path}?walletAddress=${wallet}`);
  };

  return {
    async read(calls) {
      const [ofWallets, plain] = [true, false].map((isOfWallet) =>
        [...new Set(calls)].filter((call) => WALLET_CALL.test(call) === isOfWallet),
      );
      const answers = await readAll(plain ?? []);
      const found = walletsOf(answers);
      chosen.staker ??= found.staker;
      chosen.other ??= found.other;
      await Promise.all((ofWallets ?? []).map(async (call) => answers.set(call, await readOfWallet(call))));
      return {
        answer: (call) => answers.get(call) ?? { kind: 'none', reason: 'it was not asked' },
        wallets: [walletFor('staker'), walletFor('other')].filter((wallet) => wallet !== null),
      };
    },
  };
}

/** Asks once. Where the portal asks for patience, it says for how many seconds. */
async function readCall(
  origin: string,
  path: string,
): Promise<{ readonly answer: Answer; readonly retryAfter: number | null }> {
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
  if (response.ok && body !== undefined) {
    const slot = response.headers.get('x-figure-slot');
    return {
      answer: { kind: 'body', body, ...(slot !== null && { slot: Number(slot) }) },
      retryAfter: null,
    };
  }
  const refusal = portalError.safeParse(body);
  if (response.status !== 404 && refusal.success) {
    const retryAfter = response.status === 429 ? Number(response.headers.get('retry-after')) || 1 : null;
    return { answer: { kind: 'none', reason: refusal.data.error }, retryAfter };
  }
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
