import { ComputeBudgetProgram, PublicKey, SystemProgram } from '@solana/web3.js';
import { AirdropRefusedError, type TransactionErrorJson } from './chain.ts';
import { signedWire } from './transactions.ts';
import { ledgerKeypair } from './wallets.ts';

/** The wallet that the genesis gives lamports to hand out. */
export const FAUCET_NAME = 'faucet';

/** A signed transfer from the faucet. The count goes into its compute limit, so that two alike have two signatures. */
export function airdropWire(address: string, lamports: bigint, blockhash: string, count: number): Uint8Array {
  const faucet = ledgerKeypair(FAUCET_NAME);
  const instructions = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 + (count % 1_000_000) }),
    SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey: new PublicKey(address), lamports }),
  ];
  return signedWire(instructions, [faucet], blockhash);
}

/** What to throw where the ledger refused an airdrop. The rent exemption is that of an account without data, in lamports. */
export function airdropFault(
  airdrop: { readonly address: string; readonly lamports: bigint },
  err: TransactionErrorJson,
  rentExemption: bigint,
): Error {
  const { address, lamports } = airdrop;
  switch (JSON.stringify(err)) {
    case '{"InstructionError":[1,"ReadonlyLamportChange"]}':
      return new AirdropRefusedError(`${address} is a reserved address: nothing can be sent there`);
    case '{"InsufficientFundsForRent":{"account_index":1}}':
      return new AirdropRefusedError(
        `${lamports} lamports are too few: a new account needs at least ${rentExemption}`,
      );
    case '{"InsufficientFundsForRent":{"account_index":0}}':
    case '{"InstructionError":[1,{"Custom":1}]}':
      return new AirdropRefusedError(`The faucet has fewer than ${lamports} lamports left`);
    default:
      return new Error(
        `The faucet could not send ${lamports} lamports to ${address}: ${JSON.stringify(err)}`,
      );
  }
}
