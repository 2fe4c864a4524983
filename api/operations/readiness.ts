import { ageState, FRESHNESS } from '../../data/model/value-state.ts';
import { chainOf, type Facts, isOverdue } from '../metrics/facts.ts';
import { isChainStill, networkHealthBody } from '../network/health.ts';

/** One thing that is not as it should be. */
export interface Shortcoming {
  readonly what: string;
  readonly why: string;
}

export interface Readiness {
  readonly ready: boolean;
  /** What keeps the portal from being ready. */
  readonly missing: readonly Shortcoming[];
  /** What an operator should look at, though the figures are right. */
  readonly warnings: readonly Shortcoming[];
}

function shortcomings(rules: readonly (readonly [boolean, string, string])[]): readonly Shortcoming[] {
  return rules.filter(([applies]) => applies).map(([, what, why]) => ({ what, why }));
}

/**
 * Whether the portal can answer with figures that are right. Not ready: the index cannot be read, no account snapshot is
 * there or it is stale, the stakes are not read, the history is not read to its end, or accounts and history differed
 * when last compared: each of them makes figures missing or doubtful. Only warned of: no comparison yet or none lately, a
 * chain that stands still, a price that is missing or stale, an endpoint that does not answer, transactions that could
 * not be read, and alarms: what is told then is true, and says itself what it lacks.
 */
export function readiness(facts: Facts, isIndexReadable: boolean, now: number): Readiness {
  const { index, stakes, source } = facts;
  const known = chainOf(facts);
  const health = networkHealthBody(index, source, now);
  const { reconciliation, quote } = index;
  const isStale = known !== null && ageState(known.chain.readAt, now, FRESHNESS.chain) === 'stale';
  const isQuoteStale = quote !== null && ageState(quote.readAt, now, FRESHNESS.market) === 'stale';
  const isStill = health.activeEndpoints > 0 && known !== null && isChainStill(known.chain, now);
  const differences = reconciliation?.differences.length ?? 0;
  const down = health.totalEndpoints - health.activeEndpoints;
  const missing = shortcomings([
    [!isIndexReadable, 'index', 'index.db cannot be read; the log says why'],
    [known === null, 'snapshot', 'no account has been read from the chain yet'],
    [isStale, 'snapshot', 'the accounts were last read more than a minute ago'],
    [known !== null && stakes === null, 'stakes', 'the stake entries have not been read yet'],
    [!index.isHistoryRead, 'history', 'the history has not been read to its end yet'],
    [differences > 0, 'reconciliation', 'accounts and history differed when last compared'],
  ]);
  const warnings = shortcomings([
    [isStill, 'chain', 'endpoints answer, but no newer slot was read for ten seconds or longer'],
    [reconciliation === null, 'reconciliation', 'accounts and history were not compared yet'],
    [
      reconciliation !== null && isOverdue(reconciliation, now),
      'reconciliation',
      'accounts and history could not be compared for more than a quarter of an hour; the log says why',
    ],
    [quote === null, 'market', 'no price has been read yet'],
    [isQuoteStale, 'market', 'the price was last read more than three minutes ago'],
    [down > 0, 'endpoints', `${down} of ${health.totalEndpoints} do not answer`],
    [index.quarantinedCount > 0, 'quarantine', `${index.quarantinedCount} transactions could not be read`],
    [index.alarms.length > 0, 'alarms', 'a watched account was changed beside its balance'],
  ]);
  return { ready: missing.length === 0, missing, warnings };
}
