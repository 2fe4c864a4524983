import { formatCount } from '../../../data/model/digit-grouping.ts';
import { t } from '../../../data/model/locale.ts';
import type { NetworkHealth, NetworkState } from '../../data/connection.ts';

const UNKNOWN = '–';

function lagText(slotsBehind: number | null): string {
  if (slotsBehind === null) return UNKNOWN;
  if (slotsBehind === 0) return t('In sync');
  return slotsBehind === 1 ? t('1 slot') : t('{count} slots', { count: formatCount(slotsBehind) });
}

type Endpoint = NetworkHealth['endpoints'][number];

function stateText({ active, state }: Endpoint): string {
  if (state === 'distrusted') return t('Removed');
  if (state === 'backoff') return t('Paused');
  return t(active ? 'Responding' : 'Not responding');
}

/** The lag is the number of slots behind the newest endpoint. */
export function endpointRows({ endpoints }: NetworkHealth) {
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    state: stateText(endpoint),
    latency:
      endpoint.latencyMs === null ? UNKNOWN : t('{count} ms', { count: Math.round(endpoint.latencyMs) }),
    lag: lagText(endpoint.slotLag),
  }));
}

export function summaryText({ status, isReachable, health, errorCount }: NetworkState): string {
  const errors =
    errorCount === 1
      ? t('1 failed request')
      : t('{count} failed requests', { count: formatCount(errorCount) });
  if (!isReachable || !health) return t('The portal cannot be reached. {errors}.', { errors });
  const { activeEndpoints, totalEndpoints, chain } = health;
  const chainName = chain === 'solana' ? 'Solana' : t('demo ledger');
  const isStreamDown = status !== health.status;
  const interruptedText = t('Live updates are interrupted; figures refresh at intervals.');
  const respondingText = t('{active} of {total} {what} endpoints are responding. {errors} recently.', {
    active: activeEndpoints,
    total: totalEndpoints,
    what: chainName,
    errors,
  });
  return isStreamDown ? `${interruptedText} ${respondingText}` : respondingText;
}
