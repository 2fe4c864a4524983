import { rememberedWallet } from '../../islands/wallet/remembered-wallet.ts';

/**
 * Fills a field with the address of the connected wallet, as long as nobody types another one. The wallet's state is
 * loaded where a wallet was connected before, or once somebody goes to connect one.
 */
export function prefillWallet(field: { value: string }): void {
  let filled = '';
  let isFollowed = false;
  const follow = async () => {
    if (isFollowed) return;
    isFollowed = true;
    const { $wallet } = await import('../../islands/wallet/wallet-stores.ts');
    $wallet.subscribe(({ walletAddress }) => {
      if (field.value !== filled) return;
      filled = walletAddress ?? '';
      field.value = filled;
    });
  };
  if (rememberedWallet() !== null) {
    void follow();
    return;
  }
  for (const button of document.querySelectorAll('[data-wallet]')) {
    button.addEventListener('click', () => void follow(), { once: true });
  }
}
