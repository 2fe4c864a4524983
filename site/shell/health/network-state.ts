import { formatCount } from '../../../data/model/count.ts';
import { t } from '../../../data/model/locale.ts';
import type { NetworkHealth, NetworkState } from '../../data/connection.ts';

const UNKNOWN = '–';

function lagText(behind: number | null): string {
  if (behind === null) return UNKNOWN;
  if (behind === 0) return t('In sync');
  return behind === 1 ? t('1 slot') : t('{count} slots', { count: formatCount(behind) });
}

type Endpoint = NetworkHealth['endpoints'][number];

function stateText({ active, state }: Endpoint): string {
  if (state === 'distrusted') return t('Removed');
  if (state === 'backoff') return t('Paused');
  return t(active ? 'Responding' : 'Not responding');
}

/** The cells of each endpoint's row. The lag is the number of slots behind the newest endpoint. */
export function endpointRows({ endpoints }: NetworkHealth) {
  return endpoints.map((endpoint) => ({
    name: endpoint.name,
    state: stateText(endpoint),
    latency:
      endpoint.latencyMs === null ? UNKNOWN : t('{count} ms', { count: Math.round(endpoint.latencyMs) }),
    lag: lagText(endpoint.slotLag),
  }));
}

/** The text above the table of endpoints. */
export function summary({ status, isReachable, health, errorCount }: NetworkState): string {
  const errors =
    errorCount === 1
      ? t('1 failed request')
      : t('{count} failed requests', { count: formatCount(errorCount) });
  if (!isReachable || !health) return t('The portal cannot be reached. {errors}.', { errors });
  const { activeEndpoints, totalEndpoints, chain } = health;
  const what = chain === 'solana' ? 'Solana' : t('demo ledger');
  const isStreamDown = status !== health.status;
  const interrupted = t('Live updates are interrupted; figures refresh at intervals.');
  const responding = t('{active} of {total} {what} endpoints are responding. {errors} recently.', {
    active: activeEndpoints,
    total: totalEndpoints,
    what,
    errors,
  });
  return isStreamDown ? `${interrupted} ${responding}` : responding;
}
