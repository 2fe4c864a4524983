import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { useWallet, WalletProvider } from './WalletProvider.tsx';

function WalletText() {
  const { walletAddress, isConnected, isConnecting } = useWallet();
  return `${walletAddress} ${isConnected} ${isConnecting}`;
}

it('useWallet returns the wallet within its provider, and throws elsewhere', () => {
  expect(renderToString(<WalletProvider>{<WalletText />}</WalletProvider>)).toBe('null false false');
  expect(() => renderToString(<WalletText />)).toThrow('useWallet must be used within a WalletProvider');
});
