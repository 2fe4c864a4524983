import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { useWallet, WalletProvider } from './WalletProvider.tsx';

function Shown() {
  const { walletAddress, isConnected, isConnecting } = useWallet();
  return `${walletAddress} ${isConnected} ${isConnecting}`;
}

it('useWallet returns the wallet within its provider, and throws elsewhere', () => {
  expect(renderToString(<WalletProvider>{<Shown />}</WalletProvider>)).toBe('null false false');
  expect(() => renderToString(<Shown />)).toThrow('useWallet must be used within a WalletProvider');
});
