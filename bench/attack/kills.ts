import { EventEmitter, once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { IDEMPOTENCY_HEADER } from '../../data/contract/paths.ts';
import { applyForLoan } from '../../data/contract/submissions.ts';
import { peakMemory } from '../indexer/bench-process.ts';
import { type AttackedPortal, NO_RATE_LIMITS, startAttackedPortal } from './attacked-portal.ts';
import { startCountingSmtp } from './counting-smtp.ts';
import { loanUpload } from './loan-upload.ts';

/** How many uploads run at the same time. */
const CLIENTS = 6;
/** The longest wait (ms) for the event that triggers a kill. Some events never happen, such as an email when none is queued. */
const MOMENT_TIMEOUT_MS = 1_000;
/** The share of kills that happen while the process starts. Some of them happen while it opens the store. */
const STARTING_SHARE = 0.4;
const CHECK_MS = 100;

interface KillSpec {
  /** A new folder for the portal's files. */
  readonly folder: string;
  readonly kills: number;
  readonly submissions: number;
  /** Once `performance.now()` has passed this value, no process is killed and no new submission is sent. */
  readonly until: number;
}

export interface KilledPortal {
  readonly kills: number;
  readonly killsWhileStarting: number;
  /** Reference numbers of the acknowledged submissions, by submission number (from 1). */
  readonly acknowledged: ReadonlyMap<number, string>;
  readonly refusals: readonly string[];
  /** How often each email arrived, by Message-ID. */
  readonly mails: ReadonlyMap<string, number>;
  readonly startTimesMs: readonly number[];
  /** The highest peak memory of any process, in MiB; null if the system does not report it. */
  readonly peakMemory: number | null;
  /** The exit code of the last process, which was stopped and not killed. */
  readonly exitCode: number | null;
}

const randomBelow = (below: number) => Math.floor(Math.random() * below);

function send(port: number, agent: Agent, number: number): Promise<{ status: number; answer: string }> {
  const { contentType, body } = loanUpload(number);
  const headers = {
    'Content-Type': contentType,
    'Content-Length': body.length,
    // The portal trusts this header from a proxy on this machine, so each submission seems to come from a separate network.
    'X-Forwarded-For': `10.${(number >> 8) & 255}.${number & 255}.1`,
    [IDEMPOTENCY_HEADER]: `attack-${number}`,
  };
  const options = { host: '127.0.0.1', port, path: applyForLoan.path, method: 'POST', agent, headers };
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Sends submissions numbered from 1, and repeats each until it is acknowledged. */
function createSubmitter(onAcknowledged: () => void) {
  const acknowledged = new Map<number, string>();
  const refusals: string[] = [];
  const unacknowledged: number[] = [];
  let lastNumber = 0;
  const nextNumber = (upTo: number) => unacknowledged.shift() ?? (lastNumber < upTo ? ++lastNumber : null);

  return {
    acknowledged,
    refusals,
    /** Returns when all submissions up to number `upTo` are acknowledged, or the process has ended. */
    async submit({ child }: AttackedPortal, port: number, upTo: number): Promise<void> {
      const agent = new Agent({ keepAlive: true });
      const runClient = async () => {
        for (let number = nextNumber(upTo); number !== null; number = nextNumber(upTo)) {
          try {
            const { status, answer } = await send(port, agent, number);
            if (status !== 200) {
              refusals.push(`${status} ${answer}`);
              return;
            }
            acknowledged.set(number, JSON.parse(answer).referenceNumber);
            onAcknowledged();
          } catch (error) {
            unacknowledged.push(number);
            if (child.killed) return;
            throw error;
          }
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, runClient));
      agent.destroy();
    },
  };
}

/**
 * Kills a portal at random moments while it accepts applications with documents: while it starts, after some
 * time, after some acknowledgements, or right after emails have arrived. Then lets the portal accept the
 * unacknowledged applications and deliver everything, and stops it.
 */
export async function killWhileSubmitting(spec: KillSpec): Promise<KilledPortal> {
  const { folder, submissions } = spec;
  const progress = new EventEmitter().setMaxListeners(0);
  const notifyProgress = () => progress.emit('step');
  const smtp = await startCountingSmtp(notifyProgress);
  const { acknowledged, refusals, submit } = createSubmitter(notifyProgress);
  const startTimesMs: number[] = [];
  const peaks: number[] = [];
  let [kills, killsWhileStarting] = [0, 0];

  /** Returns when a condition is met, the process has ended, or `MOMENT_TIMEOUT_MS` has passed. */
  async function waitForMoment(ended: Promise<unknown>, condition: () => boolean): Promise<void> {
    const timeout = AbortSignal.timeout(MOMENT_TIMEOUT_MS);
    const waitUntilMet = async () => {
      while (!condition()) await once(progress, 'step', { signal: timeout });
    };
    await Promise.race([waitUntilMet().catch(() => {}), ended]);
  }

  async function waitForRandomMoment(ended: Promise<unknown>, upTo: number): Promise<void> {
    const [kind, count] = [Math.random(), 1 + randomBelow(20)];
    if (kind < 0.3) await sleep(randomBelow(300));
    else if (kind < 0.65) {
      const target = Math.min(acknowledged.size + count, upTo);
      await waitForMoment(ended, () => acknowledged.size >= target);
    } else {
      // Each application causes two emails, so a higher target would never be reached.
      const target = Math.min(smtp.arrivals.size + count, 2 * upTo);
      await waitForMoment(ended, () => smtp.arrivals.size >= target);
    }
  }

  const start = () => {
    const startedAt = performance.now();
    const env = { DATA_DIR: folder, RATE_LIMITS: NO_RATE_LIMITS };
    const portal = startAttackedPortal(env, smtp.port);
    const port = portal.port.then((port) => {
      startTimesMs.push(performance.now() - startedAt);
      return port;
    });
    port.catch(() => {});
    return { ...portal, port };
  };

  async function kill(portal: AttackedPortal): Promise<void> {
    const peak = await peakMemory(portal.child.pid ?? 0);
    if (peak !== null) peaks.push(peak);
    await portal.end('SIGKILL');
    kills += 1;
  }

  let upTo = 0;
  try {
    // A first process creates the store, and saves the compiled modules as it stops.
    const firstPortal = start();
    await firstPortal.port;
    await firstPortal.end('SIGTERM');
    while (kills < spec.kills && performance.now() < spec.until) {
      const portal = start();
      upTo = Math.round((submissions * (kills + 1)) / spec.kills);
      const lastStartMs = startTimesMs.at(-1);
      if (lastStartMs !== undefined && Math.random() < STARTING_SHARE) {
        await Promise.race([sleep(randomBelow(lastStartMs)), portal.ended]);
        killsWhileStarting += 1;
        await kill(portal);
        continue;
      }
      const submitting = submit(portal, await portal.port, upTo);
      // An error is thrown later, where the promise is awaited.
      submitting.catch(() => {});
      await waitForRandomMoment(portal.ended, upTo);
      await kill(portal);
      await submitting;
    }
    const portal = start();
    await submit(portal, await portal.port, upTo);
    const countNotices = async () => (await readdir(join(folder, 'outbox', 'telegram'))).length;
    // Each application causes two emails and a notice.
    while (smtp.arrivals.size < 2 * acknowledged.size || (await countNotices()) < acknowledged.size) {
      await sleep(CHECK_MS);
    }
    const peak = await peakMemory(portal.child.pid ?? 0);
    if (peak !== null) peaks.push(peak);
    const { code } = await portal.end('SIGTERM');
    return {
      kills,
      killsWhileStarting,
      acknowledged,
      refusals,
      mails: smtp.arrivals,
      startTimesMs,
      peakMemory: peaks.length > 0 ? Math.max(...peaks) : null,
      exitCode: code,
    };
  } finally {
    await smtp.close();
  }
}
