import type { PublicCluster } from '../../../data/contract/network.ts';

/** The URL of an account or a transaction in the public explorer. */
export type ExplorerLink = (kind: 'address' | 'tx', id: string) => string;

/** Links into the explorer for a cluster, or null if it does not show the chain: a link would prove nothing. */
export function explorerLink(explorer: string, cluster: PublicCluster | null): ExplorerLink | null {
  if (cluster === null) return null;
  const query = cluster === 'mainnet-beta' ? '' : `?cluster=${cluster}`;
  return (kind, id) => `${explorer}/${kind}/${id}${query}`;
}
