import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { useWallet } from './use-wallet.ts';
import { WalletProvider } from './WalletProvider.tsx';

function Shown() {
  const { walletAddress, isConnected, isConnecting } = useWallet();
  return `${walletAddress} ${isConnected} ${isConnecting}`;
}

it('the wallet is told within its provider, and asking elsewhere is a fault of the program', () => {
  expect(renderToString(<WalletProvider>{<Shown />}</WalletProvider>)).toBe('null false false');
  expect(() => renderToString(<Shown />)).toThrow('useWallet must be used within a WalletProvider');
});
