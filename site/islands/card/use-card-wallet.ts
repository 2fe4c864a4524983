import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { readSession } from '../wallet/prove-owner.ts';
import { useWallet } from '../wallet/WalletProvider.tsx';
import { forgetSession } from '../wallet/wallet-actions.ts';

export type CardWallet = ReturnType<typeof useCardWallet>;

/** The connected wallet, as the card screen uses it. */
export function useCardWallet() {
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
      /** Null if no wallet is connected. */
      walletAddress,
      isConnecting,
      /** Whether ownership of the wallet is proven; null while the server checks. */
      isProved: walletAddress === null ? false : isProved,
      connect: () => void connect(),
      /** @throws {ProofError} with a message for the visitor */
      prove: async () => void (await prove()),
      /** Requires a new signature, even if the last proof is recent. @throws {ProofError} */
      proveFresh: async () => void (await prove({ withinSeconds: 0 })),
      /** Drops a proof that the server no longer accepts. */
      forgetProof,
      isStillConnected: (address: string) => current.current === address,
    }),
    [walletAddress, isConnecting, isProved, connect, prove, forgetProof],
  );
}
