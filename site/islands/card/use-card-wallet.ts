import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { readSession } from '../wallet/prove-owner.ts';
import { useWallet } from '../wallet/WalletProvider.tsx';
import { forgetSession } from '../wallet/wallet-actions.ts';

/** The connected wallet, as the card screen uses it. */
export interface CardWallet {
  /** Null if none is connected. */
  readonly walletAddress: string | null;
  readonly isConnecting: boolean;
  /** Whether ownership of the wallet is proven; null while the server checks. */
  readonly isProved: boolean | null;
  readonly connect: () => void;
  /** @throws {ProofError} with a message for the visitor */
  readonly prove: () => Promise<void>;
  /** Requires a new signature, even if the last proof is recent. @throws {ProofError} */
  readonly proveFresh: () => Promise<void>;
  /** Drops a proof that the server no longer accepts. */
  readonly forgetProof: () => void;
  /** Whether a wallet is still connected. */
  readonly isStillConnected: (walletAddress: string) => boolean;
}

export function useCardWallet(): CardWallet {
  const { walletAddress, isConnecting, session, connect, prove } = useWallet();
  const client = useQueryClient();
  const current = useRef(walletAddress);
  useEffect(() => {
    current.current = walletAddress;
  }, [walletAddress]);
  const isProvedHere = session !== null && session.walletAddress === walletAddress;
  // After a reload, the server may have a proof that this page does not know about.
  const known = useQuery({
    queryKey: [PATHS.walletSession, walletAddress],
    queryFn: readSession,
    enabled: walletAddress !== null && !isProvedHere,
    staleTime: 0,
  });
  const isProvedThere = known.data === undefined ? null : known.data?.walletAddress === walletAddress;
  const forgetProof = useCallback(() => {
    forgetSession();
    client.setQueryData([PATHS.walletSession, walletAddress], null);
  }, [client, walletAddress]);
  const isProved = isProvedHere || isProvedThere;
  return useMemo(
    () => ({
      walletAddress,
      isConnecting,
      isProved: walletAddress === null ? false : isProved,
      connect: () => void connect(),
      prove: async () => void (await prove()),
      proveFresh: async () => void (await prove({ withinSeconds: 0 })),
      forgetProof,
      isStillConnected: (address) => current.current === address,
    }),
    [walletAddress, isConnecting, isProved, connect, prove, forgetProof],
  );
}
