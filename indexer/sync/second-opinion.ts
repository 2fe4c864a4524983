import { createHash } from 'node:crypto';
import { pause } from '../pause.ts';
import type { EndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import { type AccountsTold, agreement, contradictors } from './contradiction.ts';
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
   * figures age, and no wrong one is stored. Where nobody else tells the change and two others tell a third state alike,
   * that state counts: one endpoint is not believed against two, and accounts that change in every slot are followed all
   * the same.
   * @param stored what is stored; null before the first snapshot. The store keeps figures and not the accounts that they
   * were read from, so nothing is known of these after a start: it is then on the others alone to deny.
   * @returns what may be stored: what was told, or what others agree on at the stored slot or later; null where nothing
   */
  judge(told: Told, stored: Told | null, signal: AbortSignal): Promise<Told | null>;
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
/**
 * How often others agree before and after an endpoint's slot on what it denies, before it is put aside: a balance may
 * really change and change back between.
 */
const TIMES_OUTVOTED = 3;

interface Heard extends AccountsTold {
  readonly accounts: FollowedAccounts;
}

interface Verdict {
  readonly believed: Told | null;
  /** The endpoints that deny what was told; none where it is taken. */
  readonly against: readonly string[];
  /** Whether they agree with each other. */
  readonly isAgreed: boolean;
}

export function createSecondOpinion({
  pool,
  accountsCall,
  onContradiction = () => {},
}: SecondOpinionOptions): SecondOpinion {
  let denials = 0;
  /** What others agreed on when they last did, until a change is taken. */
  let agreedLast: AccountsTold | null = null;
  /** By endpoint: how often others agreed around its slot, since another endpoint last told the same as it. */
  const timesOutvoted = new Map<string, number>();

  /** What is told by those that are believed and answer in time; and those whose answer is an error of their own. */
  const askAll = async (signal: AbortSignal) => {
    const answers = await pool.askEach<[FollowedAccounts]>([accountsCall], signal, ANSWER_WITHIN_MS);
    const aside = new Set(pool.health().flatMap(({ name, state }) => (state === 'put-aside' ? [name] : [])));
    const told: Heard[] = [];
    const unable: string[] = [];
    for (const { endpoint, replies } of answers) {
      const [reply] = replies;
      if (aside.has(endpoint)) continue;
      if (reply.ok) told.push(heardFrom({ accounts: reply.value, by: endpoint }));
      else if (!('fault' in reply.error && reply.error.fault === 'resting')) unable.push(endpoint);
    }
    return { told, unable };
  };

  const othersUpThan = (by: string): readonly string[] =>
    pool.health().flatMap(({ name, state }) => (name !== by && state === 'active' ? [name] : []));

  /** Notes that others agree on a state against a told one. */
  const noteAgreed = (
    { endpoint, slot }: Heard,
    agreed: readonly Heard[],
    { stored, again }: { readonly stored: Heard | null; readonly again: Heard | undefined },
  ): void => {
    const [one] = agreed;
    if (!one) return;
    const seenBefore = [stored, agreedLast].filter((seen) => seen?.digest === one.digest);
    const slots = [...agreed, ...seenBefore].flatMap((seen) => (seen ? [seen.slot] : []));
    const [from, to] = [Math.min(...slots), Math.max(...slots)];
    agreedLast = { ...one, slot: to };
    // A ledger may still be at work on its newest slot.
    const isOfItsSlot = slot === from && again?.digest === one.digest;
    if (slot < from || slot > to || isOfItsSlot) return;
    const times = (timesOutvoted.get(endpoint) ?? 0) + 1;
    timesOutvoted.set(endpoint, times);
    if (times < TIMES_OUTVOTED) return;
    timesOutvoted.delete(endpoint);
    pool.distrust(endpoint, 'tells other balances than the other endpoints do before and after its slot');
  };

  const verdictOn = async (change: Told, before: Told | null, signal: AbortSignal): Promise<Verdict> => {
    const taken: Verdict = { believed: change, against: [], isAgreed: false };
    const deniedBy = (against: readonly string[]): Verdict => ({ believed: null, against, isAgreed: false });
    const { by } = change;
    if (othersUpThan(by).length === 0) return taken;
    const told = heardFrom(change);
    const stored = before && heardFrom(before);
    /** Of a slot that is not earlier than the told one's. */
    const heard: Heard[] = [];
    let others: readonly Heard[] = [];
    let silent: readonly string[] = [];
    let agreed: readonly Heard[] = [];
    let again: Heard | undefined;
    const agreedVerdict = (): Verdict => {
      noteAgreed(told, agreed, { stored, again });
      // The earliest: a slot is not true because one of them says that it has reached it.
      const news = agreed.find(
        ({ slot, digest }) => slot >= (stored?.slot ?? 0) && digest !== stored?.digest,
      );
      const believed = news ? { accounts: news.accounts, by: news.endpoint } : null;
      return { believed, against: [...new Set(agreed.map(({ endpoint }) => endpoint))], isAgreed: true };
    };
    for (let times = 1; times <= TIMES_ASKED; times += 1) {
      if (times > 1) await pause(AGAIN_MS, signal);
      const { told: all, unable } = await askAll(signal);
      others = all.filter(({ endpoint }) => endpoint !== by);
      if (others.some(({ digest }) => digest === told.digest)) {
        timesOutvoted.delete(by);
        return taken;
      }
      again = all.find(({ endpoint }) => endpoint === by);
      // One that was behind and has gone on says nothing any more by what it told before.
      agreed = agreement([...heard, ...others]);
      heard.push(...others.filter(({ slot }) => slot >= told.slot));
      const isContradicted = others.some(({ slot }) => slot === told.slot);
      if (isContradicted) {
        for (const endpoint of contradictors(all, stored?.endpoint ?? '')) {
          if (agreed.some((one) => one.endpoint === endpoint)) continue;
          pool.distrust(endpoint, 'tells other balances than the other endpoints for the same slot');
        }
      }
      // Those that agree have gone past the slot: nobody will tell the change that has not told it yet.
      if (agreed.some(({ slot }) => slot >= told.slot)) return agreedVerdict();
      // Whoever is further and tells what is stored has seen no change.
      const haveSeenNone = others.some(({ slot, digest }) => slot > told.slot && digest === stored?.digest);
      if (isContradicted || haveSeenNone) return deniedBy(others.map(({ endpoint }) => endpoint));
      const answered = new Set([...others.map(({ endpoint }) => endpoint), ...unable]);
      silent = othersUpThan(by).filter((name) => !answered.has(name));
    }
    if (agreed.length > 0) return agreedVerdict();
    if (others.length === 0) return silent.length > 0 ? deniedBy(silent) : taken;
    // A slot is not true because nobody else has reached it.
    const haveSeenNone = others.every(({ digest }) => digest === stored?.digest);
    return haveSeenNone ? deniedBy(others.map(({ endpoint }) => endpoint)) : taken;
  };

  return {
    async judge(told, stored, signal) {
      const { believed, against, isAgreed } = await verdictOn(told, stored, signal);
      if (against.length === 0) agreedLast = null;
      if (believed !== null) {
        if (denials >= DENIALS_TO_TELL) onContradiction([]);
        denials = 0;
        return believed;
      }
      denials += 1;
      if (denials === DENIALS_TO_TELL) {
        const endpoints = [told.by, ...against];
        for (const endpoint of isAgreed ? [told.by] : endpoints) {
          pool.noteContradiction(endpoint, 'the endpoints tell different balances, and none is stored');
        }
        onContradiction(endpoints);
      }
      return null;
    },
  };
}

function heardFrom({ accounts, by }: Told): Heard {
  return { endpoint: by, slot: accounts.slot, digest: digestOf(accounts), accounts };
}

function digestOf({ value }: FollowedAccounts): string {
  const hash = createHash('sha256');
  for (const account of value) {
    hash.update(account ? `${account.owner} ${account.lamports} ${account.data.length} ` : 'none ');
    if (account) hash.update(account.data);
  }
  return hash.digest('base64');
}
