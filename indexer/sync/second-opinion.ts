import { createHash } from 'node:crypto';
import { pause } from '../pause.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { type AccountsTold, contradictors } from './contradiction.ts';
import type { FollowedAccounts } from './snapshot.ts';

/** What one endpoint told of the followed accounts. */
export interface Told {
  readonly accounts: FollowedAccounts;
  readonly by: string;
}

/** What the other endpoints say to a change that one endpoint tells. */
export interface SecondOpinion {
  /**
   * Asks the other endpoints about accounts that differ from the stored ones. One whose answer contradicts the others'
   * is put aside. A change is denied for as long as another endpoint contradicts it, or is up and has not been heard:
   * figures age, and no wrong one is stored.
   * @param stored what is stored; null before the first snapshot
   * @returns whether the change must not be stored
   */
  denies(told: Told, stored: Told | null, signal: AbortSignal): Promise<boolean>;
}

export interface SecondOpinionOptions {
  readonly pool: Pick<EndpointPool, 'askEach' | 'distrust' | 'noteContradiction' | 'health'>;
  readonly accountsCall: RpcCall<FollowedAccounts>;
  /** Told once when a contradiction lasts, with the endpoints in it, and once when it is over, with none. */
  readonly onContradiction?: ((endpoints: readonly string[]) => void) | undefined;
}

/** Milliseconds for the others to answer, who may hang. */
const ANSWER_WITHIN_MS = 2_000;
/** The others may be a slot or two behind: asked again after this, and how often in all. */
const AGAIN_MS = 400;
const TIMES_ASKED = 3;
/** Changes denied in a row, after which endpoints do not just see a slot at different times. */
const DENIALS_TO_TELL = 5;

export function createSecondOpinion({
  pool,
  accountsCall,
  onContradiction = () => {},
}: SecondOpinionOptions): SecondOpinion {
  let denials = 0;

  /** What is told by those that are believed and answer in time; and those whose answer is an error of their own. */
  const askAll = async (signal: AbortSignal) => {
    const answers = await pool.askEach<[FollowedAccounts]>([accountsCall], signal, ANSWER_WITHIN_MS);
    const aside = new Set(pool.health().flatMap(({ name, state }) => (state === 'put-aside' ? [name] : [])));
    const told: AccountsTold[] = [];
    const unable: string[] = [];
    for (const { endpoint, replies } of answers) {
      const [reply] = replies;
      if (aside.has(endpoint)) continue;
      if (reply.ok) told.push({ endpoint, slot: reply.value.slot, digest: digestOf(reply.value) });
      else if (!('fault' in reply.error && reply.error.fault === 'resting')) unable.push(endpoint);
    }
    return { told, unable };
  };

  const othersUpThan = (by: string): readonly string[] =>
    pool.health().flatMap(({ name, state }) => (name !== by && state === 'active' ? [name] : []));

  /** The endpoints that deny a change; null where none does. */
  const deniers = async (
    { accounts, by }: Told,
    stored: Told | null,
    signal: AbortSignal,
  ): Promise<readonly string[] | null> => {
    if (othersUpThan(by).length === 0) return null;
    const digest = digestOf(accounts);
    const before = stored && digestOf(stored.accounts);
    let others: readonly AccountsTold[] = [];
    let silent: readonly string[] = [];
    for (let times = 1; times <= TIMES_ASKED; times += 1) {
      if (times > 1) await pause(AGAIN_MS, signal);
      const { told: all, unable } = await askAll(signal);
      others = all.filter(({ endpoint }) => endpoint !== by);
      if (others.some((other) => other.digest === digest)) return null;
      const isContradicted = others.some((other) => other.slot === accounts.slot);
      if (isContradicted) {
        for (const endpoint of contradictors(all, stored?.by ?? '')) {
          pool.distrust(endpoint, 'tells other balances than the other endpoints for the same slot');
        }
      }
      // Whoever is further and tells what is stored has seen no change.
      const haveSeenNone = others.some((other) => other.slot > accounts.slot && other.digest === before);
      if (isContradicted || haveSeenNone) return others.map(({ endpoint }) => endpoint);
      const heard = new Set([...others.map(({ endpoint }) => endpoint), ...unable]);
      silent = othersUpThan(by).filter((name) => !heard.has(name));
    }
    if (others.length === 0) return silent.length > 0 ? silent : null;
    // A slot is not true because nobody else has reached it.
    return others.every((other) => other.digest === before) ? others.map(({ endpoint }) => endpoint) : null;
  };

  return {
    async denies(told, stored, signal) {
      const against = await deniers(told, stored, signal);
      if (against === null) {
        if (denials >= DENIALS_TO_TELL) onContradiction([]);
        denials = 0;
        return false;
      }
      denials += 1;
      if (denials === DENIALS_TO_TELL) {
        const endpoints = [told.by, ...against];
        for (const endpoint of endpoints) {
          pool.noteContradiction(endpoint, 'the endpoints tell different balances, and none is stored');
        }
        onContradiction(endpoints);
      }
      return true;
    },
  };
}

function digestOf({ value }: FollowedAccounts): string {
  const hash = createHash('sha256');
  for (const account of value) {
    hash.update(account ? `${account.owner} ${account.lamports} ${account.data.length} ` : 'none ');
    if (account) hash.update(account.data);
  }
  return hash.digest('base64');
}
