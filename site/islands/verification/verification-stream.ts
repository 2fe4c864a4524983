import type { ResponseOf } from '../../../data/contract/call.ts';
import type { verifyBdTokens } from '../../../data/contract/verification.ts';
import type {
  VERIFICATION_STEPS_PATH as DeclaredPath,
  VERIFICATION_STEPS as DeclaredSteps,
  VerificationStep,
} from '../../../data/contract/verification-steps.ts';
import { RequestError, request } from '../../data/request.ts';
import { eventsIn } from './event-text.ts';

// Named by their types alone: the declaring module would bring its schemas into the browser.
const PATH: typeof DeclaredPath = '/api/verify-bd-tokens/steps';
const STEPS: typeof DeclaredSteps = ['asked', 'stake-entries-read', 'token-accounts-read', 'decided'];

type Answer = ResponseOf<typeof verifyBdTokens>;

/** Statuses by which the portal itself refuses a verification; any other may be a proxy's that lets no stream through. */
const REFUSALS: Readonly<Record<keyof (typeof verifyBdTokens)['errors'], true>> = {
  400: true,
  429: true,
  503: true,
};

export interface WatchedCheck {
  readonly signal: AbortSignal;
  /** Told of each step as the portal reports it; of none where its events do not come through. */
  readonly onStep: (step: VerificationStep) => void;
}

function refusalIn(data: string): RequestError {
  const { status }: { readonly status: number } = JSON.parse(data);
  return new RequestError(status, '', data);
}

/** What the stream ends with: the answer, or why there is none; null where it ends with neither. */
async function outcomeOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onStep: WatchedCheck['onStep'],
): Promise<Answer | RequestError | null> {
  let outcome: Answer | RequestError | null = null;
  // Read to its end, which the portal makes at once.
  for await (const { event, data } of eventsIn(body)) {
    if (event === 'failure') outcome = refusalIn(data);
    if (event === 'result') outcome = JSON.parse(data);
    if (event !== 'step') continue;
    const { step: told }: { readonly step: string } = JSON.parse(data);
    const step = STEPS.find((one) => one === told);
    if (step) onStep(step);
  }
  return outcome;
}

async function outcomeAt(
  path: string,
  { signal, onStep }: WatchedCheck,
): Promise<Answer | RequestError | null> {
  try {
    const { headers, body } = await request('GET', path, { signal });
    const isStream = headers.get('Content-Type')?.startsWith('text/event-stream') === true;
    return isStream && body !== null ? await outcomeOf(body, onStep) : null;
  } catch (error) {
    if (signal.aborted) throw error;
    return error instanceof RequestError && error.status in REFUSALS ? error : null;
  }
}

/**
 * What a wallet stakes, with each step told as the portal reports it. Null where no such stream came, or it broke before
 * its end: nothing is known then. @throws {RequestError} where the portal refused or failed.
 */
export async function followVerification(
  walletAddress: string,
  watched: WatchedCheck,
): Promise<Answer | null> {
  const outcome = await outcomeAt(`${PATH}?${new URLSearchParams({ walletAddress })}`, watched);
  if (outcome instanceof RequestError) throw outcome;
  return outcome;
}
