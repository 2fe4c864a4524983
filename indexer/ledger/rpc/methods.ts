import type { RpcMethod, RpcMethods } from './method.ts';
import {
  getAccountInfo,
  getBalance,
  getMinimumBalanceForRentExemption,
  getMultipleAccounts,
} from './methods/accounts.ts';
import { getFeeForMessage, getLatestBlockhash, isBlockhashValid } from './methods/blockhashes.ts';
import { getRecentPrioritizationFees, requestAirdrop } from './methods/fees-and-faucet.ts';
import { getGenesisHash, getHealth, getVersion } from './methods/node.ts';
import { getProgramAccounts } from './methods/program-accounts.ts';
import { sendTransaction } from './methods/send-transaction.ts';
import { getSignatureStatuses, getSignaturesForAddress } from './methods/signatures.ts';
import { simulateTransaction } from './methods/simulate-transaction.ts';
import {
  getBlockHeight,
  getBlockTime,
  getEpochInfo,
  getFirstAvailableBlock,
  getSlot,
} from './methods/slots.ts';
import {
  getTokenAccountBalance,
  getTokenAccountsByOwner,
  getTokenLargestAccounts,
  getTokenSupply,
} from './methods/tokens.ts';
import { getTransaction } from './methods/transactions.ts';
import { getTransactionsForAddress } from './methods/transactions-for-address.ts';

/** Every method that is served over HTTP; anything else answers -32601. */
export const METHODS: RpcMethods = new Map<string, RpcMethod>(
  Object.entries({
    getAccountInfo,
    getBalance,
    getBlockHeight,
    getBlockTime,
    getEpochInfo,
    getFeeForMessage,
    getFirstAvailableBlock,
    getGenesisHash,
    getHealth,
    getLatestBlockhash,
    getMinimumBalanceForRentExemption,
    getMultipleAccounts,
    getProgramAccounts,
    getRecentPrioritizationFees,
    getSignatureStatuses,
    getSignaturesForAddress,
    getSlot,
    getTokenAccountBalance,
    getTokenAccountsByOwner,
    getTokenLargestAccounts,
    getTokenSupply,
    getTransaction,
    getTransactionsForAddress,
    getVersion,
    isBlockhashValid,
    requestAirdrop,
    sendTransaction,
    simulateTransaction,
  }),
);
