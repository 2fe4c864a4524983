import { createHash } from 'node:crypto';
import { isClockOff, MAX_SLOT_DISTANCE } from '../../data/model/value-state.ts';
import type { Logger } from '../../data/runtime/log.ts';
import { pause } from '../pause.ts';
import { type EndpointPool, requestFromTrusted } from '../rpc/endpoint-pool.ts';
import type { RpcCall } from '../rpc/json-rpc.ts';
import type { FollowedAccounts } from './snapshot.ts';

/** The state of the followed accounts at a slot, as one endpoint reports it. */
interface ReportedAccounts {
  readonly endpoint: string;
  readonly slot: number;
  /** Equal accounts have equal digests. */
  readonly digest: string;
}

/**
 * Finds the endpoints that contradict others at the same slot. The contradictors are the minority. In a tie, they are the side
 * without the endpoint that reported the stored state. If that endpoint is on neither side, no endpoint counts as a
 * contradictor.
 * @param storedEndpoint the endpoint that reported the stored state
 */
export function findContradictors(
  reports: readonly ReportedAccounts[],
  storedEndpoint: string,
): readonly string[] {
  const contradictors: string[] = [];
  for (const slot of new Set(reports.map((one) => one.slot))) {
    const sides = Map.groupBy(
      reports.filter((one) => one.slot === slot),
      ({ digest }) => digest,
    );
    if (sides.size < 2) continue;
    const largest = Math.max(...[...sides.values()].map((side) => side.length));
    const largestSides = [...sides.values()].filter((side) => side.length === largest);
    const accepted =
      largestSides.length === 1
        ? largestSides[0]
        : largestSides.find((side) => side.some(({ endpoint }) => endpoint === storedEndpoint));
    if (!accepted) continue;
    for (const side of sides.values()) {
      if (side !== accepted) contradictors.push(...side.map(({ endpoint }) => endpoint));
    }
  }
  return contradictors;
}

/**
 * Finds a state that two or more endpoints report, whatever their slots, and returns the reports of that state, ordered by slot.
 * If there are several such states, the one that the most endpoints report wins, then the latest.
 */
export function findAgreement<T extends ReportedAccounts>(reports: readonly T[]): readonly T[] {
  const endpointCountOf = (side: readonly T[]) => new Set(side.map(({ endpoint }) => endpoint)).size;
  const latestOf = (side: readonly T[]) => Math.max(...side.map(({ slot }) => slot));
  const [agreed = []] = [...Map.groupBy(reports, ({ digest }) => digest).values()]
    .filter((side) => endpointCountOf(side) > 1)
    .toSorted((a, b) => endpointCountOf(b) - endpointCountOf(a) || latestOf(b) - latestOf(a));
  return agreed.toSorted((a, b) => a.slot - b.slot);
}

export interface EndpointReport {
  readonly accounts: FollowedAccounts;
  readonly endpoint: string;
}

/** How long the other endpoints may take to answer (ms). */
const ANSWER_WITHIN_MS = 2_000;
/** How long to wait before asking the other endpoints again (ms). They may be a slot or two behind. */
const RETRY_MS = 400;
const MAX_ATTEMPTS = 3;
/**
 * A contradiction is logged after this many denied changes in a row. Fewer denials may only mean that endpoints reach a slot at
 * different times.
 */
const DENIALS_TO_LOG = 5;
/**
 * An endpoint is distrusted after being outvoted this many times. An endpoint is outvoted if the others agree on one state both
 * before and after the slot of its report, and the report differs. Once is not enough, because a balance may really have changed
 * and changed back in between.
 */
const OUTVOTES_TO_DISTRUST = 3;

interface ReceivedReport extends ReportedAccounts {
  readonly accounts: FollowedAccounts;
  /** How far the chain's time in the report is behind this host's time (ms); null if unknown. */
  readonly behindMs: number | null;
}

interface Verdict {
  readonly accepted: EndpointReport | null;
  /** The endpoints that deny the change; empty if the change is accepted. */
  readonly denyingEndpoints: readonly string[];
  /** Whether the endpoints that deny the change agree with each other. */
  readonly isAgreed: boolean;
}

/** Compares a change that one endpoint reports with the reports of the other endpoints. */
export function createSecondOpinion({
  pool,
  accountsCall,
  log,
}: {
  readonly pool: Pick<EndpointPool, 'requestFromEach' | 'distrust' | 'noteContradiction' | 'health'>;
  readonly accountsCall: RpcCall<FollowedAccounts>;
  /** Receives a line with the endpoints' names when a contradiction lasts, and a line when the endpoints agree again. */
  readonly log: Pick<Logger, 'info' | 'error'>;
}) {
  let denials = 0;
  /** The last state that the other endpoints agreed on. Cleared when a change is accepted. */
  let lastAgreedReport: ReportedAccounts | null = null;
  /** How often each endpoint has been outvoted since another endpoint last confirmed one of its reports. */
  const timesOutvoted = new Map<string, number>();

  /**
   * The reports of trusted endpoints, and the endpoints that failed. An endpoint that was not asked (`backoff`) is in
   * neither list.
   */
  const requestAll = async (signal: AbortSignal) => {
    const answers = await requestFromTrusted<[FollowedAccounts]>(
      pool,
      [accountsCall],
      signal,
      ANSWER_WITHIN_MS,
    );
    const reports: ReceivedReport[] = [];
    const failedEndpoints: string[] = [];
    for (const { endpoint, replies } of answers) {
      const [reply] = replies;
      if (reply.ok) reports.push(toReceivedReport({ accounts: reply.value, endpoint }));
      else if (!('failure' in reply.error && reply.error.failure === 'backoff'))
        failedEndpoints.push(endpoint);
    }
    return { reports, failedEndpoints };
  };

  /**
   * The other endpoints that may contradict a report. Distrusted endpoints are left out. An endpoint in backoff is included
   * only while it is active: it has answered before, and has not failed several times in a row.
   */
  const otherActive = (reporter: string): readonly string[] =>
    pool
      .health()
      .flatMap(({ name, active, state }) =>
        name !== reporter && (active || state === 'active') ? [name] : [],
      );

  /**
   * Records that other endpoints agree on a state that contradicts a report. Distrusts the reporting endpoint if it is outvoted
   * repeatedly.
   */
  const noteAgreement = (
    { endpoint, slot }: ReceivedReport,
    agreedReports: readonly ReceivedReport[],
    storedReport: ReceivedReport | null,
    repeatedReport: ReceivedReport | undefined,
  ): void => {
    const [firstAgreed] = agreedReports;
    if (!firstAgreed) return;
    const earlierReports = [storedReport, lastAgreedReport].flatMap((seen) =>
      seen?.digest === firstAgreed.digest ? [seen] : [],
    );
    const slots = [...agreedReports, ...earlierReports].map((seen) => seen.slot);
    const [firstSlot, lastSlot] = [Math.min(...slots), Math.max(...slots)];
    lastAgreedReport = { ...firstAgreed, slot: lastSlot };
    // If the endpoint now agrees with the others, its first report may have been from the middle of the node's newest slot.
    const wasUnfinished = slot === firstSlot && repeatedReport?.digest === firstAgreed.digest;
    if (slot < firstSlot || slot > lastSlot || wasUnfinished) return;
    const count = (timesOutvoted.get(endpoint) ?? 0) + 1;
    timesOutvoted.set(endpoint, count);
    if (count < OUTVOTES_TO_DISTRUST) return;
    timesOutvoted.delete(endpoint);
    pool.distrust(endpoint, 'reports balances that the others contradict before and after its slot');
  };

  /** Requests the accounts from the other endpoints, up to three times, until they confirm or deny a change. */
  const verdictOn = async (
    change: EndpointReport,
    storedState: EndpointReport | null,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    const acceptance: Verdict = { accepted: change, denyingEndpoints: [], isAgreed: false };
    const denial = (against: readonly string[]): Verdict => ({
      accepted: null,
      denyingEndpoints: against,
      isAgreed: false,
    });
    const { endpoint: reporter } = change;
    if (otherActive(reporter).length === 0) return acceptance;
    const report = toReceivedReport(change);
    const storedReport = storedState && toReceivedReport(storedState);
    /** The other endpoints' reports at the slot of the change or later. */
    const receivedReports: ReceivedReport[] = [];
    let otherReports: readonly ReceivedReport[] = [];
    let silentEndpoints: readonly string[] = [];
    let agreedReports: readonly ReceivedReport[] = [];
    let repeatedReport: ReceivedReport | undefined;
    const agreedVerdict = (): Verdict => {
      noteAgreement(report, agreedReports, storedReport, repeatedReport);
      // If the agreed state differs from the stored one, the earliest report of the agreed state at the stored slot or later is
      // accepted. Later slots may have been reported by only one endpoint.
      const changed = agreedReports.find(
        ({ slot, digest }) => slot >= (storedReport?.slot ?? 0) && digest !== storedReport?.digest,
      );
      const accepted = changed ? { accounts: changed.accounts, endpoint: changed.endpoint } : null;
      return {
        accepted,
        denyingEndpoints: [...new Set(agreedReports.map(({ endpoint }) => endpoint))],
        isAgreed: true,
      };
    };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (attempt > 1) await pause(RETRY_MS, signal);
      const { reports: allReports, failedEndpoints } = await requestAll(signal);
      const others = allReports.filter(({ endpoint }) => endpoint !== reporter);
      otherReports = others.filter(
        (one) => one.digest === report.digest || !isOutdated(one, report, storedReport),
      );
      if (otherReports.some(({ digest }) => digest === report.digest)) {
        timesOutvoted.delete(reporter);
        return acceptance;
      }
      repeatedReport = allReports.find(({ endpoint }) => endpoint === reporter);
      // Also counts reports from slots before the change, because an endpoint that is behind can agree with a report of an
      // earlier attempt. They count only in this attempt: `receivedReports` does not keep them.
      agreedReports = findAgreement([...receivedReports, ...otherReports]);
      receivedReports.push(...otherReports.filter(({ slot }) => slot >= report.slot));
      const isContradicted = otherReports.some(({ slot }) => slot === report.slot);
      if (isContradicted) {
        for (const endpoint of findContradictors(allReports, storedReport?.endpoint ?? '')) {
          if (agreedReports.some((one) => one.endpoint === endpoint)) continue;
          pool.distrust(endpoint, 'reports different balances than the other endpoints for the same slot');
        }
      }
      // An endpoint reported the agreed state at the slot of the change or later, so the endpoints that agree on it will not
      // report the change.
      if (agreedReports.some(({ slot }) => slot >= report.slot)) return agreedVerdict();
      // An endpoint that has passed the slot of the change and still reports the stored state never saw the change.
      const isUnseen = otherReports.some(
        ({ slot, digest }) => slot > report.slot && digest === storedReport?.digest,
      );
      if (isContradicted || isUnseen) return denial(otherReports.map(({ endpoint }) => endpoint));
      const answered = new Set([...others.map(({ endpoint }) => endpoint), ...failedEndpoints]);
      silentEndpoints = otherActive(reporter).filter((name) => !answered.has(name));
    }
    if (agreedReports.length > 0) return agreedVerdict();
    if (otherReports.length === 0) return silentEndpoints.length > 0 ? denial(silentEndpoints) : acceptance;
    // The change is denied if all others still report the stored state, even if they are merely behind. If the change is reported
    // again, it is judged again.
    const isUnseen = otherReports.every(({ digest }) => digest === storedReport?.digest);
    return isUnseen ? denial(otherReports.map(({ endpoint }) => endpoint)) : acceptance;
  };

  return {
    /**
     * Compares accounts that differ from the stored ones with the reports of the other endpoints, and distrusts an endpoint that
     * contradicts the others. A change is denied while another endpoint contradicts it. It is also denied if no other endpoint
     * reports the accounts and an active one has not answered. An endpoint that is far behind denies nothing. While a change is
     * denied, the stored balances become older, but no false balance is stored. If no other endpoint reports the change and two
     * others agree on a third state, that state is accepted. That way, accounts that change in every slot are still followed.
     * @param storedState null before the first snapshot after a start. Until then, no endpoint can deny a change by repeating the
     * stored state.
     * @returns the state to store: the report, or a state that others agree on at the stored slot or later; null if nothing is to
     * be stored
     */
    async judge(
      report: EndpointReport,
      storedState: EndpointReport | null,
      signal: AbortSignal,
    ): Promise<EndpointReport | null> {
      const { accepted, denyingEndpoints, isAgreed } = await verdictOn(report, storedState, signal);
      if (denyingEndpoints.length === 0) lastAgreedReport = null;
      if (accepted !== null) {
        if (denials >= DENIALS_TO_LOG) log.info('the endpoints agree on balances again');
        denials = 0;
        return accepted;
      }
      denials += 1;
      if (denials === DENIALS_TO_LOG) {
        const endpoints = [report.endpoint, ...denyingEndpoints];
        for (const endpoint of isAgreed ? [report.endpoint] : endpoints) {
          pool.noteContradiction(
            endpoint,
            'the endpoints report different balances; no new balance is stored',
          );
        }
        log.error(
          { endpoints },
          'the endpoints report different balances; no new balance is stored until they agree',
        );
      }
      return null;
    },
  };
}

function toReceivedReport({ accounts, endpoint }: EndpointReport): ReceivedReport {
  const behindMs = accounts.chainTime === null ? null : Date.now() - accounts.chainTime;
  return { endpoint, slot: accounts.slot, digest: digestOf(accounts), accounts, behindMs };
}

/**
 * Whether a report is too old to deny a change: its slot is far below the stored slot, its time is far behind this host's time,
 * and the time of the change is not. The time alone is not enough: if the chain has stopped or this host's clock is wrong, all
 * honest endpoints are behind. The slot of the change is not used, because a false change may have a slot in the future.
 */
function isOutdated(
  { behindMs, slot }: ReceivedReport,
  change: ReceivedReport,
  storedReport: ReceivedReport | null,
): boolean {
  if (storedReport === null || slot >= storedReport.slot - MAX_SLOT_DISTANCE) return false;
  const isChangeCurrent = change.behindMs !== null && !isClockOff(change.behindMs);
  return isChangeCurrent && isClockOff(behindMs) && behindMs > 0;
}

function digestOf({ value }: FollowedAccounts): string {
  const hash = createHash('sha256');
  for (const account of value) {
    hash.update(account ? `${account.owner} ${account.lamports} ${account.data.length} ` : 'none ');
    if (account) hash.update(account.data);
  }
  return hash.digest('base64');
}
