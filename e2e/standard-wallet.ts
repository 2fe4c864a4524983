import type { Page } from 'playwright/test';
import {
  chooseHighPorts,
  type createWalletApp,
  ledgerKey,
} from '../site/islands/wallet/testing/mobile-wallet-app.ts';

/**
 * Registers a Wallet Standard wallet (https://github.com/wallet-standard/wallet-standard) in the page, with the key of a demo
 * wallet. Signing a message throws, as it does in Phantom with a Ledger.
 */
export async function installHardwareWallet(page: Page, name: string, demoWallet: string): Promise<void> {
  const { address, pkcs8, publicKey } = ledgerKey(demoWallet);
  const walletData = { name, address, pkcs8: [...pkcs8], publicKey: [...publicKey] };
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
      // The transaction has one signature. Byte 0 is the number of signatures, and the next 64 bytes are the signature.
      signedTransaction.set(
        new Uint8Array(await crypto.subtle.sign('Ed25519', key, signedTransaction.slice(65))),
        1,
      );
      return [{ signedTransaction }];
    };
    const hardwareWallet = {
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
    const register = ({ register: addWallet }: { register: (wallet: unknown) => void }) =>
      addWallet(hardwareWallet);
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    addEventListener('wallet-standard:app-ready', (event) => register((event as CustomEvent).detail));
  }, walletData);
}

/** Changes the health report, so that the page believes the portal runs on Solana. */
export async function pretendSolana(page: Page): Promise<void> {
  await page.route('**/api/network/health', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), chain: 'solana', cluster: null } });
  });
}

/** Opens the page's `solana-wallet:` links in a wallet app, as Android does: the page loses the focus. */
export async function openLinksInApp(page: Page, app: ReturnType<typeof createWalletApp>): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Page.enable');
  await page.addInitScript(chooseHighPorts);
  // The library waits only 3 seconds for the page to lose the focus, so the page fires `blur` itself. After `blur`, the
  // library waits longer for the app.
  await page.addInitScript(() =>
    navigation.addEventListener('navigate', ({ destination }) => {
      if (destination.url.startsWith('solana-wallet:')) dispatchEvent(new Event('blur'));
    }),
  );
  devTools.on('Page.frameRequestedNavigation', ({ url }) => {
    if (url.startsWith('solana-wallet:')) void app.open(url).catch(() => {});
  });
}
