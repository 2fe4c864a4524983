import { AirdropRefusedError, BLOCKHASH_VALID_SLOTS, type LedgerChain } from '../chain.ts';
import { parseMessage } from '../wire.ts';
import { invalidParams, RPC_ERROR, RpcError } from './json-rpc.ts';
import {
  checkMinContextSlot,
  decodeBase64,
  Param,
  type RpcMethods,
  readCommitment,
  readStateConfig,
  slotAt,
  withContext,
} from './params.ts';

const LAMPORTS_PER_SOL = 1_000_000_000;
/** Ten years. */
const MAX_ADVANCE_SECONDS = 3_650 * 86_400;
const MAX_AIRDROP_SOL = 100;
const MAX_ADDRESSES = 128;
/** The length of a 1,232-byte packet in base64. */
const MAX_MESSAGE_CHARACTERS = 1644;

/** The newest slot at the commitment that the method's only parameter contains. */
function readSlot(chain: LedgerChain, params: Param): number {
  params.checkCount(1);
  const config = params.config(0);
  const slot = slotAt(chain.clock(), readCommitment(config));
  checkMinContextSlot(config, slot);
  return slot;
}

export const NODE_METHODS: RpcMethods = {
  getGenesisHash: (chain) => chain.genesisHash,

  getSlot: readSlot,

  /** Equals the slot, because every slot of this ledger has a block. */
  getBlockHeight: readSlot,

  /** As of the newest slot, whatever the commitment. */
  getTransactionCount(chain, params) {
    readSlot(chain, params);
    return chain.transactionCount();
  },

  /** Always slot 0, because this ledger prunes nothing. */
  getFirstAvailableBlock(_chain, params) {
    params.checkCount(0);
    return 0;
  },

  getBlockTime(chain, params) {
    params.checkCount(1);
    const slot = params.get(0).integer();
    const time = chain.blockTime(slot);
    if (time === null)
      throw new RpcError(RPC_ERROR.blockNotAvailable, `Block not available for slot ${slot}`);
    return time;
  },

  /** The newest blockhash, whatever the commitment. */
  getLatestBlockhash(chain, params) {
    params.checkCount(1);
    readStateConfig(chain, params, 0);
    return withContext(chain, chain.latestBlockhash());
  },

  /** The fee, in lamports, for a message in base64. Null if the message's blockhash is not valid. */
  getFeeForMessage(chain, params) {
    params.checkCount(2);
    const text = params.get(0).text();
    const message = text.length > MAX_MESSAGE_CHARACTERS ? null : decodeBase64(text);
    if (message === null) throw invalidParams('params[0] must be a message in base64 of at most 1232 bytes');
    const parsed = parseMessage(message);
    if (parsed.kind === 'malformed') throw invalidParams(`params[0] is not a message: ${parsed.reason}`);
    readStateConfig(chain, params, 1);
    return withContext(chain, chain.feeForMessage(message));
  },

  /** Always zero, because transactions do not compete for space on this ledger. */
  getRecentPrioritizationFees(chain, params) {
    params.checkCount(1);
    const addresses = params.get(0);
    if (!addresses.isAbsent) for (const item of addresses.items(MAX_ADDRESSES)) item.address();
    const { slot } = chain.clock();
    const first = Math.max(0, slot - BLOCKHASH_VALID_SLOTS + 1);
    return Array.from({ length: slot - first + 1 }, (_, index) => ({
      prioritizationFee: 0,
      slot: first + index,
    }));
  },

  requestAirdrop(chain, params) {
    params.checkCount(3);
    const address = params.get(0).address();
    const { value, path } = params.get(1);
    const amount = new Param(value, `${path} (lamports; at most ${MAX_AIRDROP_SOL} SOL)`);
    const lamports = amount.integer(1, MAX_AIRDROP_SOL * LAMPORTS_PER_SOL);
    readCommitment(params.config(2));
    try {
      return chain.airdrop(address, BigInt(lamports));
    } catch (error) {
      if (error instanceof AirdropRefusedError) throw invalidParams(error.message);
      throw error;
    }
  },

  /** Advances the clock that programs see by whole seconds; 0 only reads it. @returns the clock's time in Unix seconds */
  advanceClock(chain, params) {
    params.checkCount(1);
    return chain.advance(params.get(0).integer(0, MAX_ADVANCE_SECONDS) * 1_000).unixTime;
  },
};
