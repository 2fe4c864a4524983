import { rememberedWallet } from '../../islands/wallet/remembered-wallet.ts';
import { whenIdle } from '../when-idle.ts';

const load = () => import('../../islands/wallet/wallet-state.ts');

/**
 * Opens the wallet by its buttons, which are links where no script runs. Everything else of it is loaded by the first
 * press; where a wallet was connected before, once the page is idle.
 */
export function startWallet(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-wallet]')) {
    button.setAttribute('role', 'button');
    button.addEventListener('click', async (event) => {
      event.preventDefault();
      (await load()).openWallet();
    });
    button.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      button.click();
    });
  }
  if (rememberedWallet() !== null) whenIdle(async () => (await load()).reconnect());
}
