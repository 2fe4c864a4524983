import { createApproveInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { LEDGER, ledgerAddress, ledgerKeypair } from '../ledger/addresses.ts';
import type { LedgerChain } from '../ledger/chain.ts';
import type { SeededRandom } from '../ledger/seeded-random.ts';
import { acceptedTransaction } from '../ledger/testing/test-ledger.ts';
import {
  bdAccountOf,
  depositTransactionBytes,
  LOCK_SECONDS,
  moveBdInstruction,
  openTokenAccountInstruction,
  signedTransactionBytes,
  stakeInstruction,
  unstakeInstruction,
  unstakeTransactionBytes,
  withdrawalTransactionBytes,
} from '../ledger/transactions.ts';

/** The intended effect of a transaction on one watched account. */
interface Intention {
  readonly account: string;
  readonly kind: string;
  readonly wallet: string;
  /** Base units, signed. */
  readonly delta: bigint;
}

export type Traffic = ReturnType<typeof createTraffic>;

const HOLDERS = ['holder-1', 'holder-2', 'holder-3', 'holder-4', 'holder-5'];
const VAULT_OWNER = 'vault-owner';
const { vault, stakeVault } = LEDGER;
const MORE_THAN_ANYONE_HAS = 2n ** 61n;

/** Sends transactions of every kind to the ledger, and records the intended effects of each. */
export function createTraffic(chain: LedgerChain, random: SeededRandom) {
  const intentionsBySignature = new Map<string, readonly Intention[]>();
  const openStakes: { wallet: string; nonce: number; amount: bigint; stakedAt: number }[] = [];
  let count = 0;

  const post = (wire: Uint8Array, intentions: readonly Intention[]): void => {
    const { signature } = acceptedTransaction(chain.send(wire, { skipPreflight: true }));
    intentionsBySignature.set(signature, intentions);
  };
  const stake = (wallet: string, amount: bigint, hash: string, more: readonly Intention[] = []): void => {
    const { instructions, intention } = openStake(wallet, amount, 1_000 + count);
    post(signedTransactionBytes(instructions, [ledgerKeypair(wallet)], hash), [intention, ...more]);
  };

  const openStake = (wallet: string, amount: bigint, nonce: number) => {
    const address = ledgerAddress(wallet);
    openStakes.push({ wallet, nonce, amount, stakedAt: chain.clock().unixTime });
    return {
      instructions: [
        openTokenAccountInstruction(address, address, LEDGER.stakeMint),
        stakeInstruction(address, { nonce, amount, duration: LOCK_SECONDS }),
      ],
      intention: { account: stakeVault, kind: 'stake', wallet: address, delta: amount },
    };
  };

  /** Sends a stake together with another wallet's stake or gift. A gift is a direct transfer to the pool's vault. */
  const stakeWithMore = (name: string, amount: bigint, hash: string): void => {
    const [other = name] = HOLDERS.filter((one) => one !== name);
    const first = openStake(name, amount, 1_000 + count);
    const signers = [ledgerKeypair(name), ledgerKeypair(other)];
    if (random.next() < 0.5) {
      const second = openStake(other, amount + 7n, 500_000 + count);
      const both = [...first.instructions, ...second.instructions];
      post(signedTransactionBytes(both, signers, hash), [first.intention, second.intention]);
      return;
    }
    const giver = ledgerAddress(other);
    const gift = moveBdInstruction(giver, bdAccountOf(giver), stakeVault, 3n);
    post(signedTransactionBytes([gift, ...first.instructions], signers, hash), [
      first.intention,
      { account: stakeVault, kind: 'other', wallet: giver, delta: 3n },
    ]);
  };

  /** Ends a stake and opens another one of the same size, so that no balance changes. */
  const stakeAgain = ({ wallet, nonce, amount }: (typeof openStakes)[number], hash: string): void => {
    const address = ledgerAddress(wallet);
    const next = openStake(wallet, amount, 1_000 + count);
    const ended = unstakeInstruction(address, { nonce });
    post(signedTransactionBytes([ended, ...next.instructions], [ledgerKeypair(wallet)], hash), [
      { account: stakeVault, kind: 'unstake', wallet: address, delta: -amount },
      next.intention,
    ]);
  };

  /** Causes two alarms of the same kind in one transaction. */
  const approveTwice = (hash: string): void => {
    const owner = ledgerKeypair(VAULT_OWNER);
    const approvals = ['holder-1', 'holder-2'].map((name) => {
      const delegate = new PublicKey(ledgerAddress(name));
      return createApproveInstruction(new PublicKey(vault), delegate, owner.publicKey, BigInt(count));
    });
    post(signedTransactionBytes(approvals, [owner], hash), []);
  };

  return {
    /** The intentions of each transaction, by its signature. The list is empty if no movement was intended. */
    intentionsBySignature: intentionsBySignature as ReadonlyMap<string, readonly Intention[]>,
    send(): void {
      count += 1;
      const hash = chain.latestBlockhash().blockhash;
      const name = random.pick(HOLDERS);
      const wallet = ledgerAddress(name);
      const keypair = ledgerKeypair(name);
      // Unique, so that no two transactions share a signature.
      const amount = BigInt(1_000_000 * random.between(1, 50) + count);
      const endedIndex = openStakes.findIndex(
        ({ stakedAt }) => stakedAt + 180 * 86_400 < chain.clock().unixTime,
      );
      const choice = random.next();
      if (endedIndex !== -1 && choice < 0.3) {
        const [entry] = openStakes.splice(endedIndex, 1);
        if (!entry) return;
        const { wallet: staker, amount: staked } = entry;
        if (random.next() < 0.3) {
          stakeAgain(entry, hash);
          return;
        }
        const outgoing = {
          account: stakeVault,
          kind: 'unstake',
          wallet: ledgerAddress(staker),
          delta: -staked,
        };
        const incoming = { account: vault, kind: 'deposit', wallet: LEDGER.stakePool, delta: staked };
        post(
          unstakeTransactionBytes(ledgerKeypair(staker), entry, hash),
          staker === VAULT_OWNER ? [outgoing, incoming] : [outgoing],
        );
      } else if (choice < 0.45) {
        post(depositTransactionBytes(keypair, { amount }, hash), [
          { account: vault, kind: 'deposit', wallet, delta: amount },
        ]);
      } else if (choice < 0.6) {
        post(withdrawalTransactionBytes({ to: wallet, amount }, hash), [
          { account: vault, kind: 'withdraw', wallet, delta: -amount },
        ]);
      } else if (choice < 0.64) {
        stakeWithMore(name, amount, hash);
      } else if (choice < 0.66) {
        approveTwice(hash);
      } else if (choice < 0.75) {
        stake(name, amount, hash);
      } else if (choice < 0.82) {
        // Changes both watched accounts: the vault's owner stakes tokens from the vault.
        const outgoing = { account: vault, kind: 'withdraw', wallet: LEDGER.stakePool, delta: -amount };
        stake(VAULT_OWNER, amount, hash, [outgoing]);
      } else if (choice < 0.88) {
        const gift = moveBdInstruction(wallet, bdAccountOf(wallet), stakeVault, amount);
        post(signedTransactionBytes([gift], [keypair], hash), [
          { account: stakeVault, kind: 'other', wallet, delta: amount },
        ]);
      } else if (choice < 0.94) {
        post(depositTransactionBytes(keypair, { amount: MORE_THAN_ANYONE_HAS + amount }, hash), []);
      } else {
        const toPubkey = new PublicKey(vault);
        const lamportTransfer = SystemProgram.transfer({
          fromPubkey: keypair.publicKey,
          toPubkey,
          lamports: count,
        });
        post(signedTransactionBytes([lamportTransfer], [keypair], hash), []);
      }
    },
  };
}
