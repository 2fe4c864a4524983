import type { PublicCluster } from '../../../data/contract/network.ts';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';

/** The address at the public explorer of an account or a transaction. */
export type ExplorerLink = (kind: 'address' | 'tx', id: string) => string;

/** Links into the explorer for a cluster, or null where it does not show the chain: a link would prove nothing. */
export function explorerLink(explorer: string, cluster: PublicCluster | null): ExplorerLink | null {
  if (cluster === null) return null;
  const query = cluster === 'mainnet-beta' ? '' : `?cluster=${cluster}`;
  return (kind, id) => `${explorer}/${kind}/${id}${query}`;
}

/** The cluster that is read, as far as the network's health tells. */
export function clusterOf(health: Reading<FigureBodies['/api/network/health']>): PublicCluster | null {
  return health.kind === 'known' ? health.body.cluster : null;
}
