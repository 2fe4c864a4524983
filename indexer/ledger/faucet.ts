import { ComputeBudgetProgram, PublicKey, SystemProgram } from '@solana/web3.js';
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
