import { useStore } from '@nanostores/react';
import { atom, onMount } from 'nanostores';
import { lazy, Suspense, useEffect, useState } from 'react';
import { shorten } from '../../../data/model/format.ts';
import { AddressEntry } from '../ui/AddressEntry.tsx';
import { useExplorerLink } from '../ui/Evidence.tsx';
import { liveIsland } from '../ui/Live.tsx';
import { $wallet } from '../wallet/wallet-stores.ts';
import { usePosition } from './use-position.ts';
import {
  addressOf,
  NO_WALLET,
  type RequestedWallet,
  walletFragment,
  walletOfFragment,
} from './wallet-address.ts';

/** The wallet whose position is shown. */
const $askedWallet = atom<RequestedWallet>(NO_WALLET);

onMount($askedWallet, () => {
  if (typeof window === 'undefined') return;
  const read = () => {
    const asked = walletOfFragment(location.hash);
    // Undefined for links to a section of the page.
    if (asked !== undefined) $askedWallet.set(asked);
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
 * Shows the position of a wallet, or none. The address goes into the URL's fragment: it can be bookmarked and is never
 * sent to a server.
 */
function askForWallet(address: string | null): void {
  const place = `${location.pathname}${location.search}${walletFragment(address)}`;
  history.pushState(history.state, '', place);
  $askedWallet.set(address === null ? NO_WALLET : { text: address, address });
}

/** Loaded when a wallet is requested. */
const PositionView = lazy(() => import('./PositionView.tsx'));

/** The position of the wallet that is typed or connected. */
export default liveIsland(function MyPosition({ explorer }: { readonly explorer: string }) {
  const asked = useStore($askedWallet, { ssr: 'initial' });
  const { walletAddress } = useStore($wallet, { ssr: 'initial' });
  useEffect(() => {
    // The connected wallet does not replace one that the visitor requested.
    if (walletAddress !== null && $askedWallet.get().text === '') askForWallet(walletAddress);
  }, [walletAddress]);
  return (
    <>
      <WalletForm asked={asked} />
      {asked.address === null ? null : (
        <LivePosition wallet={asked.address} explorer={explorer} key={asked.address} />
      )}
    </>
  );
});

function LivePosition({ wallet, explorer }: { readonly wallet: string; readonly explorer: string }) {
  const reading = usePosition(wallet);
  return (
    <>
      <p className="visually-hidden" role="status">
        {reading.kind === 'known' ? `Showing the position of wallet ${shorten(wallet)}.` : null}
      </p>
      <Suspense fallback={null}>
        <PositionView wallet={wallet} link={useExplorerLink(explorer)} reading={reading} />
      </Suspense>
    </>
  );
}

/** The form that shows the position of a wallet. */
function WalletForm({ asked }: { readonly asked: RequestedWallet }) {
  const [known, setKnown] = useState(asked);
  const [text, setText] = useState(asked.text);
  const [isInvalid, setInvalid] = useState(false);
  if (known !== asked) {
    // Back navigation or a link requested another wallet.
    setKnown(asked);
    setText(asked.text);
    setInvalid(asked.text !== '' && asked.address === null);
  }
  const submit = () => {
    const address = addressOf(text);
    setInvalid(address === null);
    if (address !== null && address !== asked.address) askForWallet(address);
    return address !== null;
  };
  return (
    <AddressEntry
      id="position-wallet"
      hint="A Solana address. Viewing needs no signature, and this page never asks for a seed phrase."
      text={text}
      onText={(value) => {
        setText(value);
        setInvalid(false);
      }}
      isInvalid={isInvalid}
      submitLabel="Show Position"
      onSubmit={submit}
    >
      {asked.address === null ? null : (
        <button
          type="button"
          className="button"
          onClick={() => {
            askForWallet(null);
            document.getElementById('position-wallet')?.focus();
          }}
        >
          Clear
        </button>
      )}
    </AddressEntry>
  );
}
