/** The node and its clock: slots, blockhashes, fees and the faucet. */
import { AirdropRefusedError, BLOCKHASH_VALID_SLOTS, type LedgerChain } from '../chain.ts';
import { parseMessage } from '../wire.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  checkCount,
  checkMinContextSlot,
  decodeBase64,
  isAbsent,
  type RpcMethods,
  readAddress,
  readArray,
  readCommitment,
  readConfig,
  readInteger,
  readStateConfig,
  readText,
  slotAt,
  withContext,
} from './params.ts';

const LAMPORTS_PER_SOL = 1_000_000_000;
/** The most that one airdrop gives. */
const MAX_AIRDROP_SOL = 100;
const MAX_ADDRESSES = 128;
/** The longest base64 of a packet of 1,232 bytes. */
const MAX_MESSAGE_CHARACTERS = 1644;

/** The newest slot at the commitment of the only parameter. */
function readSlot(chain: LedgerChain, params: readonly unknown[]): number {
  checkCount(params, 1);
  const config = readConfig(params, 0);
  const slot = slotAt(chain.clock(), readCommitment(config, 'params[0]'));
  checkMinContextSlot(config, 'params[0]', slot);
  return slot;
}

export const NODE_METHODS: RpcMethods = {
  getGenesisHash: (chain) => chain.genesisHash,

  getSlot: readSlot,

  /** The slot: every slot of this ledger has a block. */
  getBlockHeight: readSlot,

  /** At the newest slot, for any commitment. */
  getTransactionCount(chain, params) {
    readSlot(chain, params);
    return chain.transactionCount();
  },

  /** Always the genesis, since this ledger prunes nothing. */
  getFirstAvailableBlock(_chain, params) {
    checkCount(params, 0);
    return 0;
  },

  getBlockTime(chain, params) {
    checkCount(params, 1);
    const slot = readInteger(params[0], 'params[0]');
    const time = chain.blockTime(slot);
    if (time === null)
      throw new RpcError(RPC_ERROR.blockNotAvailable, `Block not available for slot ${slot}`);
    return time;
  },

  /** The newest blockhash at any commitment. */
  getLatestBlockhash(chain, params) {
    checkCount(params, 1);
    readStateConfig(chain, params, 0);
    return withContext(chain, chain.latestBlockhash());
  },

  /** Lamports for a message in base64, or null if its blockhash is not valid. */
  getFeeForMessage(chain, params) {
    checkCount(params, 2);
    const text = readText(params[0], 'params[0]');
    const message = text.length > MAX_MESSAGE_CHARACTERS ? null : decodeBase64(text);
    if (message === null) throw invalidParams('params[0] must be a message in base64 of at most 1232 bytes');
    const parsed = parseMessage(message);
    if (parsed.kind === 'malformed') throw invalidParams(`params[0] is not a message: ${parsed.reason}`);
    readStateConfig(chain, params, 1);
    return withContext(chain, chain.feeForMessage(message));
  },

  /** Always zero: nothing competes for a place on this ledger. */
  getRecentPrioritizationFees(chain, params) {
    checkCount(params, 1);
    if (!isAbsent(params[0])) {
      for (const [index, address] of readArray(params[0], 'params[0]', MAX_ADDRESSES).entries()) {
        readAddress(address, `params[0][${index}]`);
      }
    }
    const { slot } = chain.clock();
    const first = Math.max(0, slot - BLOCKHASH_VALID_SLOTS + 1);
    return Array.from({ length: slot - first + 1 }, (_, index) => ({
      prioritizationFee: 0,
      slot: first + index,
    }));
  },

  /** Lamports from the faucet. @returns the signature of the transfer */
  requestAirdrop(chain, params) {
    checkCount(params, 3);
    const address = readAddress(params[0], 'params[0]');
    const lamports = readInteger(
      params[1],
      `params[1] (lamports; at most ${MAX_AIRDROP_SOL} SOL)`,
      1,
      MAX_AIRDROP_SOL * LAMPORTS_PER_SOL,
    );
    readCommitment(readConfig(params, 2), 'params[2]');
    try {
      return chain.airdrop(address, BigInt(lamports));
    } catch (error) {
      if (error instanceof AirdropRefusedError) throw invalidParams(error.message);
      throw error;
    }
  },
};
