import { atom, onMount } from 'nanostores';
import { type AskedWallet, NO_WALLET, walletFragment, walletOfFragment } from './wallet-address.ts';

/** The wallet whose position is asked for. */
export const $askedWallet = atom<AskedWallet>(NO_WALLET);

onMount($askedWallet, () => {
  if (typeof window === 'undefined') return;
  const read = () => {
    const told = walletOfFragment(location.hash);
    // A link to a place on the page says nothing of the wallet.
    if (told !== undefined) $askedWallet.set(told);
  };
  read();
  window.addEventListener('popstate', read);
  window.addEventListener('hashchange', read);
  return () => {
    window.removeEventListener('popstate', read);
    window.removeEventListener('hashchange', read);
  };
});

/**
 * Asks for a wallet's position by its address, or for none. It is kept in the page's fragment: it can be kept as a
 * bookmark, and no server is sent it.
 */
export function askForWallet(address: string | null): void {
  const place = `${location.pathname}${location.search}${walletFragment(address)}`;
  history.pushState(history.state, '', place);
  $askedWallet.set(address === null ? NO_WALLET : { text: address, address });
}
