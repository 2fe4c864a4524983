import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { readSession } from '../wallet/prove-owner.ts';
import { useWallet } from '../wallet/use-wallet.ts';
import { forgetSession } from '../wallet/wallet-state.ts';

/** The page's wallet as the card screen needs it. */
export interface CardWallet {
  /** Null while none is connected. */
  readonly walletAddress: string | null;
  readonly isConnecting: boolean;
  /** Whether its owner has signed; null while that is being asked of the server. */
  readonly isProved: boolean | null;
  readonly connect: () => void;
  /** @throws {ProofError} whose message is for the visitor */
  readonly prove: () => Promise<void>;
  /** Lets the wallet sign again, however young the last proof is. @throws {ProofError} */
  readonly proveAnew: () => Promise<void>;
  /** Notes that the server no longer accepts the proof. */
  readonly forgetProof: () => void;
  /** Whether a wallet is still the connected one. */
  readonly isStill: (walletAddress: string) => boolean;
}

const SESSION: string = '/api/wallet/session';

export function useCardWallet(): CardWallet {
  const { walletAddress, isConnecting, session, connect, prove } = useWallet();
  const client = useQueryClient();
  const current = useRef(walletAddress);
  useEffect(() => {
    current.current = walletAddress;
  }, [walletAddress]);
  const isProvedHere = session !== null && session.walletAddress === walletAddress;
  // After a reload the server may hold a proof that this page does not know of.
  const known = useQuery({
    queryKey: [SESSION, walletAddress],
    queryFn: readSession,
    enabled: walletAddress !== null && !isProvedHere,
    staleTime: 0,
  });
  const isProvedThere = known.data === undefined ? null : known.data?.walletAddress === walletAddress;
  const forgetProof = useCallback(() => {
    forgetSession();
    client.setQueryData([SESSION, walletAddress], null);
  }, [client, walletAddress]);
  const isProved = isProvedHere || isProvedThere;
  return useMemo(
    () => ({
      walletAddress,
      isConnecting,
      isProved: walletAddress === null ? false : isProved,
      connect: () => void connect(),
      prove: async () => void (await prove()),
      proveAnew: async () => void (await prove({ withinSeconds: 0 })),
      forgetProof,
      isStill: (address) => current.current === address,
    }),
    [walletAddress, isConnecting, isProved, connect, prove, forgetProof],
  );
}
