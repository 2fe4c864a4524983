import type { PublicCluster } from '../../../data/contract/network.ts';

/** Returns the URL of an account or a transaction in the public explorer. */
export type ExplorerLink = (kind: 'address' | 'tx', id: string) => string;

/** Makes links to the explorer for a cluster; null without a public cluster, because a link would prove nothing. */
export function explorerLink(explorerUrl: string, cluster: PublicCluster | null): ExplorerLink | null {
  if (cluster === null) return null;
  const query = cluster === 'mainnet-beta' ? '' : `?cluster=${cluster}`;
  return (kind, id) => `${explorerUrl}/${kind}/${id}${query}`;
}
