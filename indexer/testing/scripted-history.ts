import { METHOD_NOT_FOUND, RpcRequestError } from '../rpc/rpc-errors.ts';
import { type ScriptedMethods, type ScriptedPool, scriptedPool, unknownSignature } from './scripted-pool.ts';

/** For tests: one transaction of a watched account. */
export interface PastTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Change of the watched account; null where the transaction failed. */
  readonly delta: bigint | null;
}

/** For tests: a node that knows the history of one account, and misbehaves as told. */
export interface ScriptedNode {
  readonly pool: ScriptedPool;
  /** Oldest first. The test may change it at any time. */
  history: PastTransaction[];
  /** Signatures listed whose transactions the node does not have at present. */
  readonly withheld: Set<string>;
  /** Transactions that it answers with another slot than it lists them in. */
  readonly moved: Map<string, number>;
  /** The longest page it gives, whatever is asked for. */
  longestPage: number;
  /** How far it says that what it lists is confirmed. */
  status: 'confirmed' | 'finalized';
  /** What it does with a `before` or `until` that it does not know. */
  unknownCursor: 'refuses' | 'lists-everything';
  /** The slot up to which it says that the chain is final. */
  finalizedSlot: number;
  /** The slot from which it has history: of what is older it says what it says of what never was. */
  keptFrom: number;
  /** The first block that it says it has; null where it refuses to tell. */
  firstBlock: number | null;
}

export const SCRIPTED_MINT = 'mint';

export function scriptedNode(account: string, history: readonly PastTransaction[]): ScriptedNode {
  const kept = () => node.history.filter(({ slot }) => slot >= node.keptFrom);
  const methods: ScriptedMethods = {
    getSignaturesForAddress(
      address: string,
      { before, until, limit }: { before?: string; until?: string; limit: number },
    ) {
      if (address !== account) return [];
      const past = kept();
      const find = (signature: string) => past.findIndex((entry) => entry.signature === signature);
      const end = before === undefined ? past.length : find(before);
      const stop = until === undefined ? -1 : find(until);
      const isUnknown = end === -1 || (until !== undefined && stop === -1);
      if (isUnknown && node.unknownCursor === 'refuses') throw unknownSignature();
      const rows = past.slice(stop + 1, end === -1 ? undefined : end).toReversed();
      return rows.slice(0, Math.min(limit, node.longestPage)).map(({ signature, slot, delta }) => ({
        signature,
        slot,
        err: errOf(delta),
        confirmationStatus: node.status,
      }));
    },
    getSlot: () => node.finalizedSlot,
    getFirstAvailableBlock() {
      if (node.firstBlock !== null) return node.firstBlock;
      throw new RpcRequestError('getFirstAvailableBlock', METHOD_NOT_FOUND, 'Method not found');
    },
    getSignatureStatuses: (signatures: readonly string[]) => ({
      context: { slot: node.finalizedSlot },
      value: signatures.map((signature) => {
        const entry = kept().find((past) => past.signature === signature);
        if (!entry) return null;
        const { slot, delta } = entry;
        const isFinal = node.status === 'finalized' && slot <= node.finalizedSlot;
        return {
          slot,
          err: errOf(delta),
          confirmations: null,
          confirmationStatus: isFinal ? 'finalized' : 'confirmed',
        };
      }),
    }),
    getTransaction(signature: string) {
      const entry = kept().find((past) => past.signature === signature);
      if (!entry || node.withheld.has(signature)) return null;
      return transactionJson(account, { ...entry, slot: node.moved.get(signature) ?? entry.slot });
    },
  };
  const node: ScriptedNode = {
    pool: scriptedPool(methods),
    history: [...history],
    withheld: new Set(),
    moved: new Map(),
    longestPage: 1_000,
    status: 'finalized',
    unknownCursor: 'refuses',
    finalizedSlot: 0,
    keptFrom: 0,
    firstBlock: 0,
  };
  return node;
}

function errOf(delta: bigint | null): object | null {
  return delta === null ? { InstructionError: [0, { Custom: 1 }] } : null;
}

function transactionJson(account: string, { signature, slot, delta }: PastTransaction): object {
  const HELD = 10n ** 15n;
  const side = (amount: bigint) => [
    { accountIndex: 0, mint: SCRIPTED_MINT, owner: 'owner', uiTokenAmount: { amount: amount.toString() } },
  ];
  return {
    slot,
    blockTime: 1_700_000_000 + slot,
    meta: {
      err: errOf(delta),
      preTokenBalances: side(HELD),
      postTokenBalances: side(HELD + (delta ?? 0n)),
      innerInstructions: [],
    },
    transaction: { signatures: [signature], message: { accountKeys: [account], instructions: [] } },
  };
}
