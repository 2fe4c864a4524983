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

export interface StakeVerification {
  readonly walletAddress: string;
  readonly tier: CardTier | 'None';
  /** BD staked, decimal text. */
  readonly stakedAmount: string;
  readonly detectionMethod: CheckResponse['detectionMethod'];
  /** Describes what was found. Also sent with a request for manual verification. */
  readonly currentDetection: string;
}

class StakeCheckError extends Error {
  override readonly name = 'StakeCheckError';
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

export function checkError(error: unknown): StakeCheckError {
  if (error instanceof StakeCheckError) return error;
  if (error instanceof RequestError) {
    const { status } = error;
    return new StakeCheckError(`API request failed with status ${status}`, adviceOn(status), {
      cause: error,
    });
  }
  const advice = 'Could not reach the portal. Check your connection and try again.';
  return new StakeCheckError('Failed to verify BD staking', advice, { cause: error });
}

export type VerifyStake = (walletAddress: string, options: CheckOptions) => Promise<StakeVerification>;

/** Parses one event of the stream; null if it has no data. */
function eventOf(block: string) {
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
 * Parses server-sent events across chunk boundaries. The browser's EventSource is not used, because it hides the status of a
 * failed request and reconnects at the end of the stream.
 */
async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let incompleteBlock = '';
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const blocks = (incompleteBlock + decoder.decode(chunk.value, { stream: true })).split(/\r?\n\r?\n/);
      incompleteBlock = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
  } finally {
    // Has no effect after the end of the stream.
    await reader.cancel().catch(() => {});
  }
}

// The contract's own list is not imported, because its module would add all schemas to the page's script.
const STEPS: typeof DeclaredSteps = ['started', 'stake-entries-read', 'token-accounts-read', 'decided'];

/** The statuses with which the portal refuses a check. Other statuses may come from a proxy that blocks streams. */
const REFUSAL_STATUSES: readonly number[] = [400, 429, 503];

export interface CheckOptions {
  readonly signal: AbortSignal;
  readonly onStep: (step: VerificationStep) => void;
}

/** Null if the stream contains no result. @throws {StakeCheckError} if the stream reports a failure */
async function resultIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onStep: CheckOptions['onStep'],
): Promise<CheckResponse | null> {
  let result: CheckResponse | null = null;
  let failure: StakeCheckError | null = null;
  // Reads on after the result, because stopping early would cancel the request. The portal closes the stream after the result.
  for await (const { event, data } of eventsIn(body)) {
    const content = JSON.parse(data);
    if (event === 'failure') failure = checkError(new RequestError(content.status, '', data));
    if (event === 'result') result = content;
    const step = event === 'step' && STEPS.find((known) => known === content.step);
    if (step) onStep(step);
  }
  if (failure) throw failure;
  return result;
}

/**
 * The result from the stream that reports each step. Null if the response is not a stream, or the stream breaks.
 * @throws {RequestError | StakeCheckError} if the portal refuses or fails
 */
async function streamCheck(
  query: URLSearchParams,
  { signal, onStep }: CheckOptions,
): Promise<CheckResponse | null> {
  try {
    const { headers, body } = await request('GET', `${PATHS.verificationSteps}?${query}`, { signal });
    const isStream = headers.get('Content-Type')?.startsWith('text/event-stream') === true;
    return isStream && body !== null ? await resultIn(body, onStep) : null;
  } catch (error) {
    const isRefusal = error instanceof RequestError && REFUSAL_STATUSES.includes(error.status);
    if (signal.aborted || isRefusal || error instanceof StakeCheckError) throw error;
    return null;
  }
}

/**
 * Checks a wallet's stake with the stream that reports each step. If the stream does not work, falls back to a single call.
 * @throws {StakeCheckError}
 */
export const verifyStake: VerifyStake = async (walletAddress, options) => {
  const query = new URLSearchParams({ walletAddress });
  const { signal } = options;
  try {
    const response: CheckResponse =
      (await streamCheck(query, options)) ??
      (await (await request('GET', `${PATHS.verifyBdTokens}?${query}`, { signal })).json());
    const { tier, stakedAmountText: staked, heldAmount: held, detectionMethod: method } = response;
    const currentDetection = detectionText({ staked, held, method });
    return { walletAddress, tier, stakedAmount: staked, detectionMethod: method, currentDetection };
  } catch (error) {
    throw checkError(error);
  }
};
