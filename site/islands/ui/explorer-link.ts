import type { PublicCluster } from '../../../data/contract/network.ts';

export type ExplorerLink = (kind: 'address' | 'tx', id: string) => string;

/** Null unless the chain is a public cluster: a public explorer does not show any other chain. */
export function explorerLink(explorerUrl: string, cluster: PublicCluster | null): ExplorerLink | null {
  if (cluster === null) return null;
  const query = cluster === 'mainnet-beta' ? '' : `?cluster=${cluster}`;
  return (kind, id) => `${explorerUrl}/${kind}/${id}${query}`;
}
