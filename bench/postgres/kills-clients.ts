import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { CONTACT_BODY } from '../../api/applications/testing/sample-forms.ts';
import { IDEMPOTENCY_HEADER, submitContactMessage } from '../../data/contract/paths.ts';
import type { SeededRandom } from '../../indexer/ledger/seeded-random.ts';

/** After this many milliseconds without an answer, a client retries on a random replica. A suspended replica does not answer. */
const ANSWER_TIMEOUT_MS = 2_000;
const RETRY_DELAY_MS = 100;
const CLIENT_COUNT = 4;
/** The share of acknowledged messages that a client sends again. */
const REPEATED_SHARE = 0.1;

export const emailOf = (number: number): string => `applicant-${number}@example.com`;

function send(port: number, number: number): Promise<{ readonly status: number; readonly body: string }> {
  const body = JSON.stringify({ ...CONTACT_BODY, email: emailOf(number) });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    [IDEMPOTENCY_HEADER]: `message-${number}`,
  };
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const options = {
    host: '127.0.0.1',
    port,
    path: submitContactMessage,
    method: 'POST',
    agent: false,
    headers,
    signal,
  };
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

interface MessageClients {
  /** The reference numbers, by message number (from 1). */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** Answers other than an acknowledgement or a 503. Also acknowledgements that contradict an earlier one. */
  readonly problems: readonly string[];
  /** How many attempts were not acknowledged. Each of them is repeated after a pause. */
  retries(): number;
  allow(upTo: number): void;
  /** Returns once every allowed message is acknowledged. After this call, no more messages can be allowed. */
  finish(): Promise<void>;
}

/**
 * Sends numbered messages with idempotency keys to random ports. Repeats each message until it is acknowledged or the signal
 * aborts.
 */
export function startClients(
  ports: () => readonly number[],
  random: SeededRandom,
  onAcknowledged: () => void,
  signal: AbortSignal,
): MessageClients {
  const acknowledged = new Map<number, string>();
  const problems: string[] = [];
  let [highestAllowed, lastStarted, retries] = [0, 0, 0];
  let isFinished = false;
  let wake = Promise.withResolvers<void>();

  async function sendUntilAcknowledged(number: number): Promise<void> {
    while (!signal.aborted) {
      const openPorts = ports();
      const port = openPorts.length === 0 ? null : random.pick(openPorts);
      const answer = port === null ? null : await send(port, number).catch(() => null);
      if (answer?.status === 200) {
        const { referenceNumber } = JSON.parse(answer.body);
        const earlierReference = acknowledged.get(number);
        if (earlierReference !== undefined && earlierReference !== referenceNumber)
          problems.push(`${earlierReference} became ${referenceNumber}`);
        acknowledged.set(number, referenceNumber);
        return;
      }
      if (answer !== null && answer.status !== 503) problems.push(`${answer.status} ${answer.body}`);
      retries += 1;
      await pause(RETRY_DELAY_MS);
    }
  }
  async function client(): Promise<void> {
    for (;;) {
      if (lastStarted < highestAllowed && !signal.aborted) {
        lastStarted += 1;
        const number = lastStarted;
        await sendUntilAcknowledged(number);
        onAcknowledged();
        if (random.next() < REPEATED_SHARE) await sendUntilAcknowledged(number);
      } else if (isFinished || signal.aborted) return;
      else await wake.promise;
    }
  }
  const wakeClients = () => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  signal.addEventListener('abort', wakeClients);
  const running = Promise.all(Array.from({ length: CLIENT_COUNT }, client));

  return {
    acknowledged,
    problems,
    retries: () => retries,
    allow(upTo) {
      highestAllowed = Math.max(highestAllowed, upTo);
      wakeClients();
    },
    async finish() {
      isFinished = true;
      wakeClients();
      await running;
    },
  };
}
