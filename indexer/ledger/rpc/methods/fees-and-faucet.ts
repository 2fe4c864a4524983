import { AirdropRefusedError, BLOCKHASH_VALID_SLOTS } from '../../chain.ts';
import type { RpcMethod } from '../method.ts';
import {
  checkCount,
  isAbsent,
  readAddress,
  readArray,
  readCommitment,
  readConfig,
  readInteger,
} from '../params.ts';
import { invalidParams } from '../rpc-error.ts';

const MOST_ADDRESSES = 128;
const LAMPORTS_PER_SOL = 1_000_000_000;
/** What one airdrop gives at most. */
export const MOST_AIRDROP_SOL = 100;

/** The lowest extra fee that landed, by slot: always zero, as nothing ever competes for a place on this ledger. */
export const getRecentPrioritizationFees: RpcMethod = (chain, params) => {
  checkCount(params, 1);
  if (!isAbsent(params[0])) {
    for (const [index, address] of readArray(params[0], 'params[0]', MOST_ADDRESSES).entries()) {
      readAddress(address, `params[0][${index}]`);
    }
  }
  const { slot } = chain.clock();
  const first = Math.max(0, slot - BLOCKHASH_VALID_SLOTS + 1);
  return Array.from({ length: slot - first + 1 }, (_, index) => ({
    prioritizationFee: 0,
    slot: first + index,
  }));
};

/** Lamports from the faucet, up to `MOST_AIRDROP_SOL`; answers the signature of the transfer. */
export const requestAirdrop: RpcMethod = (chain, params) => {
  checkCount(params, 3);
  const address = readAddress(params[0], 'params[0]');
  const lamports = readInteger(
    params[1],
    `params[1] (lamports; at most ${MOST_AIRDROP_SOL} SOL)`,
    1,
    MOST_AIRDROP_SOL * LAMPORTS_PER_SOL,
  );
  readCommitment(readConfig(params, 2), 'params[2]');
  try {
    return chain.airdrop(address, BigInt(lamports));
  } catch (error) {
    if (error instanceof AirdropRefusedError) throw invalidParams(error.message);
    throw error;
  }
};
