/** What the node says of itself. */
import { API_VERSION } from '../commitment.ts';
import type { RpcMethod } from '../method.ts';

export const getHealth: RpcMethod = () => 'ok';

export const getVersion: RpcMethod = () => ({ 'feature-set': 0, 'solana-core': API_VERSION });

export const getGenesisHash: RpcMethod = (chain) => chain.genesisHash;
