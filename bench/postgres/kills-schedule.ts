import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import { type SeededRandom, seededRandom } from '../../indexer/ledger/seeded-random.ts';
import type { KillsPortal } from './kills-portal.ts';
import type { SupervisedProgram } from './supervised-program.ts';

export const KILL_KINDS = [
  'kill the leader',
  'suspend the leader until another one writes',
  'kill a replica',
  'suspend a replica',
  'kill the primary',
  'end the primary without its last writes',
] as const;
type KillKind = (typeof KILL_KINDS)[number];

/** The longest wait (ms) for progress. */
const PROGRESS_TIMEOUT_MS = 1_500;
const LEADER_TIMEOUT_MS = 60_000;
const CHECK_INTERVAL_MS = 20;
/** The longest time (ms) that the primary stays down or a replica stays suspended. */
const LONGEST_MS = { down: 500, suspended: 3_000 };

interface ScheduleSpec {
  readonly kinds: readonly KillKind[];
  readonly kills: number;
  readonly seed: number;
  readonly messagesPerKill: number;
  /**
   * The probability that the leader's lease expires at once instead of after ten seconds. It applies whenever the leader is
   * killed or suspended, or the primary is stopped.
   */
  readonly expiredShare: number;
  /** Stops the primary, then restarts it or promotes its standby. */
  readonly breakPrimary: (kind: 'SIGKILL' | 'SIGQUIT', downMs: number) => Promise<void>;
}

const waitUntil = (condition: () => boolean) =>
  vi.waitUntil(condition, { timeout: LEADER_TIMEOUT_MS, interval: CHECK_INTERVAL_MS });

/** Yields every kind once per round, in random order. The rounds never end. */
function* kindsOf(kinds: readonly KillKind[], random: SeededRandom): Generator<KillKind, never> {
  for (;;) {
    const remaining = [...kinds];
    while (remaining.length > 0) {
      const kind = random.pick(remaining);
      remaining.splice(remaining.indexOf(kind), 1);
      yield kind;
    }
  }
}

/** Kills and suspends programs, and stops the primary, while the portal is in use. @returns how often each kind happened */
export async function runKills(
  portal: KillsPortal,
  { kinds, kills, seed, messagesPerKill, expiredShare, breakPrimary }: ScheduleSpec,
): Promise<Readonly<Record<string, number>>> {
  const random = seededRandom(seed);
  const { clients, progress, replicas, indexers } = portal;
  const counts: Record<string, number> = {};
  let resuming: Promise<void> = Promise.resolve();

  const expireLease = () =>
    portal.run(`update $.leases set "expiresAt" = '-infinity' where name = 'indexer'`);
  const expireSometimes = async () => {
    if (random.next() < expiredShare) await expireLease();
  };
  const waitForLeader = async (): Promise<SupervisedProgram> => {
    await waitUntil(() => indexers.some(portal.isWriter));
    return indexers.find(portal.isWriter) ?? waitForLeader();
  };

  /** Waits for a random number of steps: transactions, acknowledgements or emails. */
  async function waitForRandomProgress(): Promise<void> {
    const timeoutSignal = AbortSignal.timeout(PROGRESS_TIMEOUT_MS);
    const steps = random.between(1, 25);
    for (let step = 0; step < steps && !timeoutSignal.aborted; step += 1) {
      await once(progress, 'step', { signal: timeoutSignal }).catch(() => {});
    }
  }

  const actions: Readonly<Record<KillKind, () => Promise<void>>> = {
    async 'kill the leader'() {
      await (await waitForLeader()).kill();
      await expireSometimes();
    },
    async 'suspend the leader until another one writes'() {
      const suspended = await waitForLeader();
      const { child, ended } = suspended.current();
      child.kill('SIGSTOP');
      await expireSometimes();
      const others = indexers.filter((indexer) => indexer !== suspended);
      await waitUntil(() => others.some(portal.isWriter));
      await waitForRandomProgress();
      child.kill('SIGCONT');
      const { code, stderr } = await ended;
      if (code !== 75) throw new Error(`A leader that lost its lease ended with ${code}: ${stderr}`);
    },
    'kill a replica': () => random.pick(replicas).kill(),
    async 'suspend a replica'() {
      await resuming;
      const { child } = random.pick(replicas).current();
      child.kill('SIGSTOP');
      resuming = pause(random.next() * LONGEST_MS.suspended).then(() => void child.kill('SIGCONT'));
    },
    async 'kill the primary'() {
      await breakPrimary('SIGKILL', random.next() * LONGEST_MS.down);
      await expireSometimes();
    },
    async 'end the primary without its last writes'() {
      await breakPrimary('SIGQUIT', random.next() * LONGEST_MS.down);
      await expireSometimes();
    },
  };

  const nextKinds = kindsOf(kinds, random);
  for (let kill = 1; kill <= kills; kill += 1) {
    clients.allow(kill * messagesPerKill);
    await waitForRandomProgress();
    const kind = nextKinds.next().value;
    await actions[kind]();
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  await resuming;
  await expireLease();
  return counts;
}
