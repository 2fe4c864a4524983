import { StoreUnavailableError } from '../store-errors.ts';

/** The maximum number of calls in a group. A limit keeps the transactions short. */
const MAX_GROUP_SIZE = 64;

interface WaitingCall<Call, Outcome> {
  readonly call: Call;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

export type GroupOutcome<Outcome> = { readonly value: Outcome } | { readonly error: unknown };

/**
 * Runs calls in groups: calls that arrive while a group runs form the next group. Most of the time that a call takes is spent
 * waiting for the database, and a group waits only once. If a group fails, each of its calls runs alone, so that only the call
 * that fails rejects. If the database is unavailable, all calls reject without a retry: their changes may already be committed,
 * and each retry would wait for its own timeout.
 * @param run runs a group and returns the outcomes in the same order
 */
export function createGroupRunner<Call, Outcome>(
  run: (calls: readonly Call[]) => Promise<readonly GroupOutcome<Outcome>[]>,
): (call: Call) => Promise<Outcome> {
  const waiting: WaitingCall<Call, Outcome>[] = [];
  let isRunning = false;

  async function runGroup(group: readonly WaitingCall<Call, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(group.map(({ call }) => call));
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome && 'value' in outcome) resolve(outcome.value);
        else reject(outcome?.error);
      }
    } catch (error) {
      if (group.length === 1 || error instanceof StoreUnavailableError) {
        for (const { reject } of group) reject(error);
      } else for (const waitingCall of group) await runGroup([waitingCall]);
    }
  }

  async function runAllGroups(): Promise<void> {
    while (waiting.length > 0) await runGroup(waiting.splice(0, MAX_GROUP_SIZE));
    isRunning = false;
  }

  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // Starts after the current turn of the event loop, so that all calls of this turn form one group.
      setImmediate(() => void runAllGroups());
    });
}
