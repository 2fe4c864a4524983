import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { fetchSession } from '../wallet/proof-session.ts';
import { useWallet } from '../wallet/WalletProvider.tsx';
import { forgetSession, signOut } from '../wallet/wallet-actions.ts';

export type CardWallet = ReturnType<typeof useCardWallet>;

export function useCardWallet() {
  const { walletAddress, walletName, isConnecting, session, connect, disconnect, prove } = useWallet();
  const client = useQueryClient();
  const currentAddress = useRef(walletAddress);
  useEffect(() => {
    currentAddress.current = walletAddress;
  }, [walletAddress]);
  const isProvenInPage = session !== null && session.walletAddress === walletAddress;
  // After a reload, the server may have a proof that this page does not know about.
  const sessionQuery = useQuery({
    queryKey: [PATHS.walletSession, walletAddress],
    queryFn: fetchSession,
    enabled: walletAddress !== null && !isProvenInPage,
    staleTime: 0,
  });
  const { data, isError, isFetching, refetch } = sessionQuery;
  const isProvenOnServer = data === undefined ? null : data?.walletAddress === walletAddress;
  const proof = isProvenInPage ? session : isProvenOnServer ? (data ?? null) : null;
  const hasFailed = !isProvenInPage && data === undefined && isError;
  const forgetProof = useCallback(() => {
    forgetSession();
    client.setQueryData([PATHS.walletSession, walletAddress], null);
  }, [client, walletAddress]);
  const isProven = isProvenInPage || isProvenOnServer;
  return {
    /** Base58; null if no wallet is connected. */
    walletAddress,
    /** Such as `Phantom`; null if no wallet is connected. */
    walletName,
    isConnecting,
    /** Whether ownership of the wallet is proven; null until the server has answered. */
    isProven: walletAddress === null ? false : isProven,
    /** The proof of ownership; null if there is none, or if this page does not know it. */
    proof: walletAddress === null ? null : proof,
    /** Asks the server again whether it has a proof; null unless the last request failed. */
    retry: hasFailed ? { run: () => void refetch(), running: isFetching } : null,
    connect,
    disconnect,
    /** Ends the proof of ownership, but keeps the wallet connected. @throws {RequestError | TypeError} */
    signOut: async () => {
      await signOut();
      forgetProof();
    },
    /** Proves ownership of the wallet. @throws {ProofError} with a message for the visitor */
    prove: async () => void (await prove()),
    /** Requires a new signature, even if the last proof is recent. @throws {ProofError} */
    proveFresh: async () => void (await prove({ withinSeconds: 0 })),
    forgetProof,
    isStillConnected: (address: string) => currentAddress.current === address,
  };
}
