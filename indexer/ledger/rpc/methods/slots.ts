/** Slots, heights, block times and epochs. */
import type { LedgerChain } from '../../chain.ts';
import { blockHeightAt, checkMinContextSlot, slotAt } from '../commitment.ts';
import type { RpcMethod } from '../method.ts';
import { checkCount, readCommitment, readConfig, readInteger } from '../params.ts';
import { blockNotAvailable } from '../rpc-error.ts';

/** Slots of a mainnet epoch. */
const SLOTS_IN_EPOCH = 432_000;

function readCommitmentConfig(
  chain: LedgerChain,
  params: readonly unknown[],
): 'processed' | 'confirmed' | 'finalized' {
  checkCount(params, 1);
  const config = readConfig(params, 0);
  const commitment = readCommitment(config, 'params[0]');
  checkMinContextSlot(config, 'params[0]', slotAt(chain.clock(), commitment));
  return commitment;
}

export const getSlot: RpcMethod = (chain, params) =>
  slotAt(chain.clock(), readCommitmentConfig(chain, params));

export const getBlockHeight: RpcMethod = (chain, params) =>
  blockHeightAt(chain.clock(), readCommitmentConfig(chain, params));

export const getBlockTime: RpcMethod = (chain, params) => {
  checkCount(params, 1);
  const slot = readInteger(params[0], 'params[0]');
  const time = chain.blockTime(slot);
  if (time === null) throw blockNotAvailable(slot);
  return time;
};

/** The epoch of the newest slot at a commitment. `transactionCount` is left out: the ledger does not count. */
export const getEpochInfo: RpcMethod = (chain, params) => {
  const commitment = readCommitmentConfig(chain, params);
  const clock = chain.clock();
  const slot = slotAt(clock, commitment);
  return {
    absoluteSlot: slot,
    blockHeight: blockHeightAt(clock, commitment),
    epoch: Math.floor(slot / SLOTS_IN_EPOCH),
    slotIndex: slot % SLOTS_IN_EPOCH,
    slotsInEpoch: SLOTS_IN_EPOCH,
  };
};

/** The first slot that has a block time; found by halving, as time is known for every slot after it. */
export const getFirstAvailableBlock: RpcMethod = (chain, params) => {
  checkCount(params, 0);
  let lowest = 0;
  let highest = chain.clock().slot;
  while (lowest < highest) {
    const middle = Math.floor((lowest + highest) / 2);
    if (chain.blockTime(middle) === null) lowest = middle + 1;
    else highest = middle;
  }
  return lowest;
};
