import type { ResponseOf } from '../../../data/contract/call.ts';
import * as PATHS from '../../../data/contract/paths.ts';
import type {
  VERIFICATION_STEPS as DeclaredSteps,
  VerificationStep,
  verifyBdTokens,
} from '../../../data/contract/verification.ts';
import { detectionText } from '../../../data/model/detection-text.ts';
import type { CardTier } from '../../../data/model/tiers.ts';
import { RequestError, request } from '../../data/request.ts';

type CheckResponse = ResponseOf<typeof verifyBdTokens>;

/** The message for a check that fails without one. */
export const CHECK_FAILED = 'Failed to verify BD staking';

/** The result of a wallet's check. */
export interface StakeVerification {
  readonly walletAddress: string;
  readonly tier: CardTier | 'None';
  /** BD staked, decimal text. */
  readonly stakedAmount: string;
  readonly detectionMethod: CheckResponse['detectionMethod'];
  /** The detection, as a request for manual verification states it. */
  readonly currentDetection: string;
}

/** A check without a result, with the portal's message. */
export class StakeCheckError extends Error {
  override readonly name = 'StakeCheckError';
  /** What to do. */
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

function adviceOn(status: number): string {
  if (status === 400) return "That isn't a valid Solana address. Copy the full address.";
  if (status === 429) return 'Too many checks. Wait a minute, then try again.';
  if (status === 503) return 'The chain cannot be read at the moment. Try again in a minute.';
  return 'Try again. If it keeps happening, contact support.';
}

function checkError(error: unknown): StakeCheckError {
  if (!(error instanceof RequestError)) {
    return new StakeCheckError(
      CHECK_FAILED,
      'Could not reach the portal. Check your connection and try again.',
      {
        cause: error,
      },
    );
  }
  const { status } = error;
  return new StakeCheckError(`API request failed with status ${status}`, adviceOn(status), { cause: error });
}

export type VerifyStake = (walletAddress: string, watched: WatchedCheck) => Promise<StakeVerification>;

/** A server-sent event. */
interface SentEvent {
  readonly event: string;
  readonly data: string;
}

function eventOf(block: string): SentEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'event' && value !== undefined) event = value;
    if (name === 'data' && value !== undefined) data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}

/**
 * Parses server-sent events across chunk boundaries. For a finite stream whose error status matters: the
 * browser's EventSource exposes no status and reconnects.
 */
async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<SentEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isEnded = false;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + decoder.decode(read.value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
    isEnded = true;
  } finally {
    // Cancels a stream that is not read to its end.
    if (!isEnded) await reader.cancel().catch(() => {});
  }
}

// Only the type is imported, because the module would add its schemas to the page's script.
const STEPS: typeof DeclaredSteps = ['started', 'stake-entries-read', 'token-accounts-read', 'decided'];

/** Statuses with which the portal itself rejects a check. Others may come from a proxy that blocks streams. */
const REFUSALS: readonly number[] = [400, 429, 503];

export interface WatchedCheck {
  readonly signal: AbortSignal;
  /** Receives each step that the portal reports; none if its events do not arrive. */
  readonly onStep: (step: VerificationStep) => void;
}

function refusalIn(data: string): RequestError {
  const { status }: { readonly status: number } = JSON.parse(data);
  return new RequestError(status, '', data);
}

/** The result or the error at the end of the stream; null without either. */
async function outcomeOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onStep: WatchedCheck['onStep'],
): Promise<CheckResponse | RequestError | null> {
  let outcome: CheckResponse | RequestError | null = null;
  // Reads to the end, because the portal closes the stream after its last event.
  for await (const { event, data } of eventsIn(body)) {
    if (event === 'failure') outcome = refusalIn(data);
    if (event === 'result') outcome = JSON.parse(data);
    if (event !== 'step') continue;
    const { step: sent }: { readonly step: string } = JSON.parse(data);
    const step = STEPS.find((one) => one === sent);
    if (step) onStep(step);
  }
  return outcome;
}

async function outcomeAt(
  path: string,
  { signal, onStep }: WatchedCheck,
): Promise<CheckResponse | RequestError | null> {
  try {
    const { headers, body } = await request('GET', path, { signal });
    const isStream = headers.get('Content-Type')?.startsWith('text/event-stream') === true;
    return isStream && body !== null ? await outcomeOf(body, onStep) : null;
  } catch (error) {
    if (signal.aborted) throw error;
    return error instanceof RequestError && REFUSALS.includes(error.status) ? error : null;
  }
}

/**
 * Checks a wallet's stake and reports each step. Null if the stream does not arrive or breaks: the result is unknown
 * then. @throws {RequestError} if the portal refused or failed.
 */
async function streamCheck(walletAddress: string, watched: WatchedCheck): Promise<CheckResponse | null> {
  const outcome = await outcomeAt(
    `${PATHS.verificationSteps}?${new URLSearchParams({ walletAddress })}`,
    watched,
  );
  if (outcome instanceof RequestError) throw outcome;
  return outcome;
}

async function checkOnce(walletAddress: string, signal: AbortSignal): Promise<CheckResponse> {
  const response = await request('GET', `${PATHS.verifyBdTokens}?${new URLSearchParams({ walletAddress })}`, {
    signal,
  });
  return response.json();
}

/**
 * Checks a wallet's stake, with its steps or, if those do not arrive, with a single call.
 * @throws {StakeCheckError}
 */
export const verifyStake: VerifyStake = async (walletAddress, watched) => {
  try {
    const streamed = await streamCheck(walletAddress, watched);
    const response = streamed ?? (await checkOnce(walletAddress, watched.signal));
    const { tier, stakedAmountText, heldAmount, detectionMethod } = response;
    return {
      walletAddress,
      tier,
      stakedAmount: stakedAmountText,
      detectionMethod,
      currentDetection: detectionText({
        staked: stakedAmountText,
        held: heldAmount,
        method: detectionMethod,
      }),
    };
  } catch (error) {
    throw checkError(error);
  }
};
