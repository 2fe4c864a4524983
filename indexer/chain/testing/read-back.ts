import type { Keypair, TransactionInstruction } from '@solana/web3.js';
import { LEDGER } from '../../ledger/addresses.ts';
import { type LedgerTransaction, SLOT_MILLISECONDS } from '../../ledger/chain.ts';
import type { Engine } from '../../ledger/engine.ts';
import { startRpcServer } from '../../ledger/rpc/server.ts';
import { callRpc } from '../../ledger/testing/ledger-under-test.ts';
import { accepted, openTestLedger, sendInstructions } from '../../ledger/testing/test-ledger.ts';
import { record } from '../../rpc/json-shape.ts';
import { getTransaction } from '../../rpc/solana-calls.ts';
import { type AccountAlarm, alarmsOn } from '../alarms.ts';
import { classify, type Movement, type WatchedAccount } from '../classify.ts';
import { type DecodedTransaction, decodeTransaction } from '../decode.ts';

/** For tests: the vault and the pool of the ledger, as the indexer watches them. */
export const VAULT: WatchedAccount = { address: LEDGER.vault, role: 'vault' };
export const POOL: WatchedAccount = { address: LEDGER.stakeVault, role: 'stake-pool-vault' };

/** For tests: what a transaction did, with every account by its address. */
export interface ReadTransaction {
  /** Its only movement; null where it made none. */
  readonly movement: Movement | null;
  readonly movements: readonly Movement[];
  readonly alarms: readonly AccountAlarm[];
  /** What the token accounts of the mint gained and lost. */
  readonly deltas: Readonly<Record<string, bigint>>;
}

/** The two forms in which a node tells one transaction. */
export interface Answers {
  readonly base64: unknown;
  readonly json: unknown;
}

/** For tests: a ledger behind its JSON-RPC, where every transaction gets a slot of its own. */
export interface LedgerToRead {
  readonly chain: Engine;
  readonly advance: (milliseconds: number) => void;
  /** Executes instructions, the first signer paying; one that fails is kept as failed. */
  send(signers: readonly Keypair[], ...instructions: TransactionInstruction[]): LedgerTransaction;
  /** What the ledger's JSON-RPC tells of a transaction. */
  answers(transaction: LedgerTransaction): Promise<Answers>;
  /**
   * What the indexer makes of a transaction told over JSON-RPC.
   * @param mint the mint that is followed; BD unless given
   * @throws where the two encodings are not read alike
   */
  read(transaction: LedgerTransaction, watched: WatchedAccount, mint?: string): Promise<ReadTransaction>;
  close(): Promise<void>;
}

export async function startLedgerToRead(): Promise<LedgerToRead> {
  const { chain, advance } = openTestLedger();
  const server = await startRpcServer(chain, { port: 0, websocketPort: 0 });

  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> =>
    record(await callRpc(server.url, method, params), 'the reply').result;

  const answers = async ({ signature }: LedgerTransaction): Promise<Answers> => {
    const { method, params } = getTransaction(signature);
    const [, config] = params;
    return {
      base64: await ask(method, params),
      json: await ask(method, [signature, { ...record(config, 'the config'), encoding: 'json' }]),
    };
  };

  return {
    chain,
    advance,
    answers,
    send(signers, ...instructions) {
      advance(SLOT_MILLISECONDS);
      return accepted(sendInstructions(chain, signers, instructions, { skipPreflight: true }));
    },
    async read(transaction, watched, mint = LEDGER.mint) {
      const told = await answers(transaction);
      const decoded = decodeTransaction(told.base64, mint);
      const fromJson = decodeTransaction(told.json, mint);
      if (plainText(decoded) !== plainText(fromJson))
        throw new Error('The two encodings are not read alike.');
      if (decoded.signature !== transaction.signature) throw new Error('It is read with another signature.');
      return readTransaction(decoded, watched);
    },
    async close() {
      await server.close();
      chain.close();
    },
  };
}

export function readTransaction(decoded: DecodedTransaction, watched: WatchedAccount): ReadTransaction {
  const { accounts, changes } = decoded;
  const movements = classify(decoded, watched);
  return {
    movement: movements[0] ?? null,
    movements,
    alarms: alarmsOn(decoded, watched),
    deltas: Object.fromEntries(changes.map(({ account, delta }) => [accounts.addressAt(account), delta])),
  };
}

/** All that was decoded, as text: equal texts are equal transactions. */
export function plainText({ accounts, ...decoded }: DecodedTransaction): string {
  const addresses = Array.from({ length: accounts.count }, (_, index) => accounts.addressAt(index));
  return JSON.stringify({ ...decoded, addresses }, (_, value) =>
    typeof value === 'bigint' ? `${value} base units` : value,
  );
}
