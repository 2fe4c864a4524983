import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import bs58 from 'bs58';
import type { Page } from 'playwright/test';
import { LEDGER_SEED_PREFIX } from '../data/model/demo-wallets.ts';

const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Registers a wallet in the page that follows the Wallet Standard, with the key of a demo wallet
 * (https://github.com/wallet-standard/wallet-standard). Like Phantom with a Ledger, it has a feature for messages that throws.
 */
export async function installHardwareWallet(page: Page, name: string, demoWallet: string): Promise<void> {
  const seed = createHash('sha256')
    .update(LEDGER_SEED_PREFIX + demoWallet)
    .digest();
  const pkcs8 = Buffer.concat([PKCS8_HEAD, seed]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  const init = { name, address: bs58.encode(publicKey), pkcs8: [...pkcs8], publicKey: [...publicKey] };
  await page.addInitScript((wallet) => {
    const chains = ['solana:localnet'];
    const account = {
      address: wallet.address,
      publicKey: Uint8Array.from(wallet.publicKey),
      chains,
      features: ['solana:signMessage', 'solana:signTransaction'],
    };
    const signTransaction = async ({ transaction }: { transaction: Uint8Array }) => {
      const key = await crypto.subtle.importKey('pkcs8', Uint8Array.from(wallet.pkcs8), 'Ed25519', false, [
        'sign',
      ]);
      const signedTransaction = Uint8Array.from(transaction);
      // One signature: its count, then 64 bytes.
      signedTransaction.set(
        new Uint8Array(await crypto.subtle.sign('Ed25519', key, signedTransaction.slice(65))),
        1,
      );
      return [{ signedTransaction }];
    };
    const registered = {
      version: '1.0.0',
      name: wallet.name,
      icon: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
      chains,
      accounts: [account],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
        'standard:events': { version: '1.0.0', on: () => () => {} },
        'solana:signMessage': {
          version: '1.0.0',
          signMessage: () => Promise.reject(new Error('Ledger cannot sign messages')),
        },
        'solana:signTransaction': {
          version: '1.0.0',
          supportedTransactionVersions: ['legacy', 0],
          signTransaction,
        },
      },
    };
    const register = ({ register: add }: { register: (wallet: unknown) => void }) => add(registered);
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
  }, init);
}
