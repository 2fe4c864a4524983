import type { PublicCluster } from '../../../data/contract/network.ts';

export type ExplorerLink = (kind: 'address' | 'tx', id: string) => string;

/** Null without a public cluster, because a link would prove nothing. */
export function explorerLink(explorerUrl: string, cluster: PublicCluster | null): ExplorerLink | null {
  if (cluster === null) return null;
  const query = cluster === 'mainnet-beta' ? '' : `?cluster=${cluster}`;
  return (kind, id) => `${explorerUrl}/${kind}/${id}${query}`;
}
